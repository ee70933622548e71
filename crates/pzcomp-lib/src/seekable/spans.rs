//! One read of a [`Seekable`]: the spans that hold its range, from the cache or decoded, and data that is decoded in
//! order.
//!
//! Nothing is returned of a span before the lengths of all spans in front of it are verified.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::{MutexGuard, PoisonError};

use super::Block;
use super::forward::{Forward, Of};
use super::map::{Lengths, Span};
use super::room::Room;
use super::{Core, Seekable};
use crate::error::{Error, Result};
use engine::io::{Output, RandomAccess, ReadAt};

/// How many threads that decode in order are kept for later reads. Each of them has the buffers of a decompression.
const FORWARDS_MAX: usize = 2;

impl<R: ReadAt + 'static> Seekable<R> {
    /// Reads a part of the data from `offset` on. 0 only at the end.
    pub(super) fn read_once(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let map = &self.core.map;
        if offset >= map.plain_end() {
            return match self.len() {
                Some(len) if offset >= len => self.verify_lengths(map.spans.len()).map(|()| 0),
                _ => match self.read_noted(buffer, offset)? {
                    Some(len) => Ok(len),
                    None => self.read_forward(Of::Rest, buffer, offset),
                },
            };
        }
        let first = map.holding(offset);
        if !self.is_short(&map.spans[first]) {
            return self.read_forward(Of::Span(first), buffer, offset);
        }
        let end = offset.saturating_add(buffer.len() as u64);
        let spans = first..self.batch_end(first, end, (self.cache.most() / 2) as u64);
        self.fill(buffer, offset, spans)
    }

    /// Fills the buffer with the plain data of short spans, the first of which holds the offset. Returns the length.
    fn fill(&self, buffer: &mut [u8], offset: u64, spans: Range<usize>) -> Result<usize> {
        let len = buffer.len();
        let (mut free, mut places, mut pieces) = (buffer, Vec::new(), Vec::new());
        for (at, span) in self.core.map.spans[spans.clone()].iter().enumerate() {
            let skip = offset.saturating_sub(span.plain);
            let len = usize::try_from(span.plain_len - skip).unwrap_or(usize::MAX).min(free.len());
            let (piece, rest) = free.split_at_mut(len);
            free = rest;
            match len as u64 == span.plain_len {
                true => places.push(Some(piece)),
                false => {
                    places.push(None);
                    pieces.push((at, skip as usize, piece));
                }
            }
        }
        let filled = len - free.len();
        let blocks = self.blocks(spans, places)?;
        for (at, skip, piece) in pieces {
            let block = blocks[at].as_ref().and_then(|block| block.get(skip..skip + piece.len()));
            piece.copy_from_slice(block.ok_or_else(|| Error::Internal("a span was not decoded".into()))?);
        }
        Ok(filled)
    }

    /// Whether a span fits into the cache.
    pub(super) fn is_short(&self, span: &Span) -> bool {
        span.plain_len <= self.cache.most() as u64
    }

    /// The end of the spans from `first` on that are short, begin before the plain offset `end`, and have at most
    /// `most` bytes together. There is at least one.
    pub(super) fn batch_end(&self, first: usize, end: u64, most: u64) -> usize {
        let spans = &self.core.map.spans[first..];
        let start = spans.first().map_or(0, |span| span.plain);
        let fits = |span: &&Span| span.plain < end && span.plain_end() - start <= most && self.is_short(span);
        first + spans.iter().take_while(fits).count().max(1)
    }

    /// The plain data of these spans. If a span has a place, its data goes there. Otherwise it is a block, which goes
    /// into the cache.
    pub(super) fn blocks(
        &self,
        spans: Range<usize>,
        places: Vec<Option<&mut [u8]>>,
    ) -> Result<Vec<Option<Block>>> {
        // Spans that may be skippable are not decoded, so their lengths are verified too.
        let skippable = self.core.map.spans[spans.clone()].iter().rposition(Span::may_be_skippable);
        self.verify_lengths(skippable.map_or(spans.start, |last| spans.start + last + 1))?;
        let mut blocks = Vec::with_capacity(places.len());
        let mut missing: Vec<(usize, Room)> = Vec::new();
        for (number, place) in spans.clone().zip(places) {
            let block = self.cache.get(number);
            match (&block, place) {
                (Some(block), Some(place)) if block.len() == place.len() => place.copy_from_slice(block),
                (Some(_), None) => {}
                (_, Some(place)) => missing.push((number, Room::Place(place, 0))),
                (None, None) => missing.push((number, Room::default())),
            }
            blocks.push(block);
        }
        let mut missing = missing.into_iter().peekable();
        while let Some((first, room)) = missing.next() {
            let mut rooms = vec![room];
            while let Some((_, room)) = missing.next_if(|(number, _)| *number == first + rooms.len()) {
                rooms.push(room);
            }
            let run = first..first + rooms.len();
            let filled = self.core.decoder().fill(&self.core.map.spans[run.clone()], rooms)?;
            for (number, room) in run.zip(filled) {
                if let Some(bytes) = room.into_block() {
                    let block = Block::new(bytes);
                    self.cache.put(number, &block);
                    blocks[number - spans.start] = Some(block);
                }
            }
        }
        self.verified.note(spans);
        Ok(blocks)
    }

    /// Verifies the lengths of the first `count` spans. The plain offset of the span behind them depends on these.
    pub(super) fn verify_lengths(&self, count: usize) -> Result<()> {
        let Core { source, map, options, .. } = &*self.core;
        self.verified.reach(count, map, RandomAccess::Source(source), options)
    }

    /// Reads data that is decoded in order.
    pub(super) fn read_forward(&self, of: Of, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let mut forward = match self.kept_forward(of, offset) {
            Some(forward) => forward,
            None => match self.start_forward(of) {
                Err(Error::Threads { .. }) => return self.read_alone(of, buffer, offset),
                started => started?,
            },
        };
        let len = forward.read(buffer, offset)?;
        match of {
            Of::Rest if len == 0 => drop(self.found_len.get_or_init(|| forward.offset)),
            // The thread may find at the end that something is wrong.
            Of::Span(number) if forward.offset >= self.core.map.spans[number].plain_end() => {
                forward.read(&mut [0], forward.offset)?;
                self.verified.note(number..number + 1);
            }
            _ => {}
        }
        let mut forwards = self.lock_forwards();
        if forwards.len() == FORWARDS_MAX {
            // The one that was not used for the longest time.
            forwards.remove(0);
        }
        forwards.push(forward);
        Ok(len)
    }

    /// Reads such data where the system starts no thread: the calling one decodes all of it from its start on.
    fn read_alone(&self, of: Of, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let start = self.start_of(of);
        let mut window = Window { before: offset - start, buffer, filled: 0, passed: 0 };
        let done = self.core.in_order(of, &mut window);
        let (end, filled) = (start + window.passed, window.filled);
        match done {
            Err(_) if filled == window.buffer.len() => {}
            Err(error) => return Err(error),
            Ok(()) => match of {
                Of::Rest => drop(self.found_len.get_or_init(|| end)),
                Of::Span(number) => self.verified.note(number..number + 1),
            },
        }
        Ok(filled)
    }

    /// The plain offset at which it begins.
    fn start_of(&self, of: Of) -> u64 {
        match of {
            Of::Rest => self.core.map.plain_end(),
            Of::Span(number) => self.core.map.spans[number].plain,
        }
    }

    /// Takes the kept data in order that is nearest before `offset`.
    pub(super) fn kept_forward(&self, of: Of, offset: u64) -> Option<Forward> {
        let mut forwards = self.lock_forwards();
        let fits = |(_, forward): &(usize, &Forward)| forward.of == of && forward.offset <= offset;
        let (at, _) = forwards.iter().enumerate().filter(fits).max_by_key(|(_, forward)| forward.offset)?;
        Some(forwards.remove(at))
    }

    pub(super) fn lock_forwards(&self) -> MutexGuard<'_, Vec<Forward>> {
        self.forwards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn start_forward(&self, of: Of) -> Result<Forward> {
        let core = self.core.clone();
        // Data leaves while the frame is decoded, so a length that is easily compared is compared before.
        self.verify_lengths(match of {
            Of::Rest => core.map.spans.len(),
            Of::Span(number) => number + usize::from(core.map.lengths == Lengths::Listed),
        })?;
        Forward::start(of, self.start_of(of), move |output| core.in_order(of, output))
    }
}

impl<R: ReadAt + 'static> Core<R> {
    /// Decodes data in order.
    fn in_order(&self, of: Of, output: &mut (dyn Write + Send)) -> Result<()> {
        match of {
            Of::Rest => self.rest(Output::Writer(Box::new(output))).map(drop),
            Of::Span(number) => self.decoder().stream(&self.map.spans[number], output),
        }
    }
}

/// Keeps a part of the data that is written to it, and fails behind that part.
struct Window<'a> {
    /// How many bytes come before the part.
    before: u64,
    buffer: &'a mut [u8],
    filled: usize,
    /// How many bytes have come.
    passed: u64,
}

impl Write for Window<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let skip = usize::try_from(self.before - self.passed.min(self.before)).unwrap_or(usize::MAX);
        let part = &bytes[skip.min(bytes.len())..];
        let len = part.len().min(self.buffer.len() - self.filled);
        self.buffer[self.filled..self.filled + len].copy_from_slice(&part[..len]);
        (self.filled, self.passed) = (self.filled + len, self.passed + bytes.len() as u64);
        match self.filled == self.buffer.len() {
            true => Err(io::ErrorKind::BrokenPipe.into()),
            false => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
