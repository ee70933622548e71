//! The two cursors over coded input: a stream that is read into slabs, and a file or memory that is divided into
//! ranges.
//!
//! The feeder (`walk.rs`) and the listing of files use them through the trait [`Cursor`]: a walker *looks at* bytes and
//! then *passes* them. A [`StreamCursor`] reads everything, and gives the bytes that were passed to the job in slabs. A
//! [`RangeCursor`] reads only the bytes that are looked at, and gives the job ranges, which the workers read
//! themselves.
//!
//! Each byte of the input is passed exactly once and in order. An input ends where a read shows no more bytes. So a
//! file that has grown is read on, and a file that ends before the length that it had is an error.

use std::collections::VecDeque;
use std::ops::Range;

use super::resources::SLAB_LEN;
use super::survey::UnitSink;
use crate::error::{Error, Result};
use crate::format::{Cursor, Format, Unit};
use engine::io::{InputStream, Patience, RandomAccess};
use engine::waits::{Activity, End, timed};
use engine::{Feed, Lease, Segment, Slice};

/// Where a [`StreamCursor`] gets its bytes.
pub(super) enum Supplier<'a> {
    Stream(InputStream<'a>),
    /// The owner of a session, who is asked for each slab.
    Owner,
}

/// The answer of a [`Supplier`].
enum Supplied {
    /// A slab, and how many bytes of it are filled. At least one.
    Bytes(Lease, usize),
    /// The input pauses.
    Pause,
    End,
}

impl Supplier<'_> {
    /// The next bytes. `offset` is that of the first one. If the input pauses, waits unless it `may_pause`.
    fn next(&mut self, feed: &Feed, offset: u64, may_pause: bool) -> Result<Supplied> {
        let (slab, len, ended) = match self {
            Self::Stream(stream) => {
                let pause = || {
                    feed.input_pauses();
                    match feed.is_unwanted() {
                        true => Patience::Stop,
                        false if may_pause => Patience::Yield,
                        false => Patience::Wait,
                    }
                };
                let mut slab = feed.slab(SLAB_LEN)?;
                let read = || stream.fill(&mut slab, offset, true, &pause);
                let (len, ended) = feed.meter().during(End::Source, read)?;
                (slab, len, ended)
            }
            Self::Owner => match feed.ask(SLAB_LEN, may_pause)? {
                Some((slab, len)) => (slab, len, len == 0),
                None => return Ok(Supplied::Pause),
            },
        };
        Ok(match len {
            0 if ended => Supplied::End,
            0 => Supplied::Pause,
            _ => Supplied::Bytes(slab, len),
        })
    }
}

/// A read of at most this length is copied to the bytes of the read before.
const SHORT_LEN: usize = 16 << 10;

/// A stream, read into slabs.
pub(super) struct StreamCursor<'a> {
    feed: &'a Feed<'a>,
    supplier: Supplier<'a>,
    /// The bytes that were read and not passed. No slab is empty.
    slabs: VecDeque<Slice>,
    /// The bytes behind them, which came in short reads, and how many these are. They are gathered in one slab, so that
    /// a header that comes byte by byte does not take all slabs.
    gathered: Option<(Lease, usize)>,
    /// A copy of bytes that were looked at and lie in more than one slab.
    joint: Vec<u8>,
    offset: u64,
    /// Offset of the end of the bytes that were read.
    read: u64,
    ended: bool,
}

impl<'a> StreamCursor<'a> {
    pub(super) fn new(feed: &'a Feed<'a>, supplier: Supplier<'a>) -> Self {
        Self {
            feed,
            supplier,
            slabs: VecDeque::new(),
            gathered: None,
            joint: Vec::new(),
            offset: 0,
            read: 0,
            ended: false,
        }
    }

    /// Reads one more slab. False at the end of the input, and if it `may_pause` and does.
    fn read_slab(&mut self, may_pause: bool) -> Result<bool> {
        while !self.ended {
            match self.supplier.next(self.feed, self.read, may_pause)? {
                Supplied::Bytes(slab, len) => {
                    self.read += len as u64;
                    self.keep(slab, len);
                    return Ok(true);
                }
                Supplied::Pause if may_pause => return Ok(false),
                Supplied::Pause => {}
                Supplied::End => self.ended = true,
            }
        }
        Ok(false)
    }

    /// Keeps the bytes of a slab that was read.
    fn keep(&mut self, slab: Lease, len: usize) {
        match &mut self.gathered {
            _ if len > SHORT_LEN => {
                self.end_gathering();
                self.slabs.push_back(slab.freeze(0..len));
            }
            Some((gathered, filled)) if gathered.len() - *filled >= len => {
                gathered[*filled..*filled + len].copy_from_slice(&slab[..len]);
                *filled += len;
            }
            _ => {
                self.end_gathering();
                self.gathered = Some((slab, len));
            }
        }
    }

    fn end_gathering(&mut self) {
        self.slabs.extend(self.gathered.take().map(|(slab, filled)| slab.freeze(0..filled)));
    }

    fn look(&mut self, len: usize, may_pause: bool) -> Result<&[u8]> {
        while self.read - self.offset < len as u64 && self.read_slab(may_pause)? {}
        let gathered = self.gathered.as_ref().map(|(slab, filled)| &slab[..*filled]);
        let mut parts = self.slabs.iter().map(|slab| &slab[..]).chain(gathered);
        let Some(first) = parts.next() else {
            return Ok(&[]);
        };
        let mut rest = parts.peekable();
        if first.len() >= len || rest.peek().is_none() {
            return Ok(first);
        }
        self.joint.clear();
        for part in std::iter::once(first).chain(rest) {
            let wanted = part.len().min(len - self.joint.len());
            self.joint.extend_from_slice(&part[..wanted]);
        }
        Ok(&self.joint)
    }
}

impl Cursor for StreamCursor<'_> {
    fn peek(&mut self, len: usize) -> Result<&[u8]> {
        self.look(len, false)
    }

    fn peek_far(&mut self, len: usize) -> Result<&[u8]> {
        self.look(len, false)
    }

    fn glance(&mut self, len: usize) -> Result<&[u8]> {
        self.look(len, true)
    }

    fn next_segment(&mut self, most: u64) -> Result<Option<Segment>> {
        if self.slabs.is_empty() && self.gathered.is_none() && !self.read_slab(false)? {
            return Ok(None);
        }
        if self.slabs.is_empty() {
            self.end_gathering();
        }
        let Some(slab) = self.slabs.pop_front() else {
            return Ok(None);
        };
        let len = usize::try_from(most).unwrap_or(slab.len()).min(slab.len());
        self.offset += len as u64;
        if len < slab.len() {
            self.slabs.push_front(slab.range(len..slab.len()));
            return Ok(Some(Segment::Slice(slab.range(0..len))));
        }
        Ok(Some(Segment::Slice(slab)))
    }

    fn offset(&self) -> u64 {
        self.offset
    }
}

/// A regular file or memory. Only the bytes that are looked at are read here. The workers read the others.
pub(crate) struct RangeCursor<'a> {
    place: RandomAccess<'a>,
    start: u64,
    /// The end of the bytes that are there.
    len: u64,
    /// Whether nothing is behind them.
    has_ended: bool,
    at: u64,
    /// Offset of the unit that is being passed.
    unit: u64,
    /// Whether a unit states an end behind that of the input.
    is_cut: bool,
    /// Bytes that were read ahead, how many of them there are, and their offset in the file.
    ahead: Vec<u8>,
    ahead_len: usize,
    ahead_at: u64,
}

/// How much is read for [`Cursor::peek`]. Headers are short, and rarely near each other.
const LOOK_LEN: usize = 256;

/// How much is read for [`Cursor::peek_far`].
const SEARCH_LEN: usize = 64 << 10;

impl<'a> RangeCursor<'a> {
    pub(crate) fn new(place: RandomAccess<'a>, range: Range<u64>) -> Self {
        let Range { start, end: len } = range;
        let (ahead, ahead_len, ahead_at) = (Vec::new(), 0, 0);
        let has_ended = !matches!(place, RandomAccess::File(_));
        Self {
            place,
            start,
            len,
            has_ended,
            at: start,
            unit: start,
            is_cut: false,
            ahead,
            ahead_len,
            ahead_at,
        }
    }

    /// The same cursor at this offset of the file. What is before it is not looked at.
    pub(crate) fn starting_at(self, offset: u64) -> Self {
        Self { at: offset, unit: offset, ..self }
    }

    /// Whether something that was passed ends behind the end of the input. So the input is cut off, or damaged.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// How many bytes there are up to `most` of them. Asks a file whether it has grown if that is fewer.
    fn left(&mut self, most: u64) -> Result<u64> {
        while !self.has_ended && self.len - self.at < most {
            let read = timed(Activity::Reading, || self.place.read_at(&mut [0], self.len))?;
            let len = if read == 0 { self.len } else { self.place.len(self.len)? };
            self.has_ended = len <= self.len;
            self.len = self.len.max(len);
        }
        Ok(most.min(self.len - self.at))
    }

    fn look(&mut self, len: usize, read_len: usize) -> Result<&[u8]> {
        self.left(len as u64)?;
        let left = self.len - self.at;
        let len = usize::try_from(left).unwrap_or(len).min(len);
        let have = self.ahead_at..self.ahead_at + self.ahead_len as u64;
        if self.at < have.start || self.at + len as u64 > have.end || self.at >= have.end {
            let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(read_len.max(len));
            if self.ahead.len() < wanted {
                self.ahead.resize(wanted, 0);
            }
            let ahead = &mut self.ahead[..wanted];
            self.ahead_len = timed(Activity::Reading, || self.place.read_at(ahead, self.at))?;
            self.ahead_at = self.at;
            if self.ahead_len < wanted {
                return Err(Error::Shrank { expected: self.len, found: self.at + self.ahead_len as u64 });
            }
        }
        let ahead = &self.ahead[..self.ahead_len];
        Ok(&ahead[((self.at - self.ahead_at) as usize).min(ahead.len())..])
    }
}

impl Cursor for RangeCursor<'_> {
    fn peek(&mut self, len: usize) -> Result<&[u8]> {
        self.look(len, LOOK_LEN)
    }

    fn peek_far(&mut self, len: usize) -> Result<&[u8]> {
        self.look(len, SEARCH_LEN)
    }

    fn next_segment(&mut self, most: u64) -> Result<Option<Segment>> {
        if self.at == self.len {
            self.left(1)?;
        }
        let end = self.len.min(self.at.saturating_add(most));
        let range = self.at..end;
        self.at = end;
        Ok((!range.is_empty()).then_some(Segment::Range(range)))
    }

    fn offset(&self) -> u64 {
        self.at - self.start
    }

    fn take(&mut self, len: u64) -> Result<bool> {
        let is_there = self.left(len)? == len;
        self.at = if is_there { self.at + len } else { self.len };
        self.is_cut |= !is_there;
        Ok(is_there)
    }
}

impl UnitSink for RangeCursor<'_> {
    fn cursor(&mut self) -> &mut dyn Cursor {
        self
    }

    fn begin(&mut self, _: Unit, _: Option<Format>) -> Result<()> {
        self.unit = self.at;
        Ok(())
    }

    fn finish(&mut self) -> Result<u64> {
        Ok(self.at - self.unit)
    }
}
