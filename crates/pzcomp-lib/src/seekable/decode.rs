//! Decodes spans of a map: several in parallel into memory, or one into a writer.
//!
//! [`SpanDecoder`] has the source and the options. [`SpanDecoder::fill`] decodes short spans into a [`Room`] each.
//! [`SpanDecoder::stream`] puts out a span of any length as it is decoded. Both verify the plain length of each span,
//! and the checksum that the index states of it. Memory for a span grows with its data, so a wrong length in an index
//! costs no memory.

use std::io::Write;
use std::sync::{Mutex, PoisonError};

use pzcomp_deflate::inflate::{Inflate, Output as InflateOutput, Pause, WINDOW_LEN};

use super::map::{Span, SpanKind};
use super::room::{Room, RoomWriter};
use crate::decompress::{CodedSpan, decode_spans, frame_decoder};
use crate::error::{Damage, Error, Result};
use crate::format::restart::RestartPoint;
use crate::format::restart::{RestartPart, StoredWindow};
use crate::format::{Decoder, Format};
use crate::options::Decode;
use crate::side_by_side::side_by_side;
use engine::io::{Output, RandomAccess, ReadAt};

/// A frame of at most this many coded and plain bytes is decoded in one call, without threads.
const WHOLE_MAX: u64 = 4 << 20;

/// A window takes at most this much room when it is compressed.
const STORED_WINDOW_MAX: u32 = 2 * WINDOW_LEN as u32;

/// The decoders that no thread uses at the moment.
#[derive(Default)]
pub(super) struct IdleDecoders(Mutex<Vec<(Format, Box<dyn Decoder>)>>);

impl IdleDecoders {
    fn take(&self, format: Format, options: &Decode) -> Result<Box<dyn Decoder>> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match idle.iter().position(|(of, _)| *of == format) {
            Some(at) => Ok(idle.swap_remove(at).1),
            None => frame_decoder(format, options),
        }
    }

    fn give_back(&self, format: Format, decoder: Box<dyn Decoder>, most: usize) {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < most {
            idle.push((format, decoder));
        }
    }
}

/// What is needed to decode spans.
#[derive(Clone, Copy)]
pub(super) struct SpanDecoder<'a> {
    pub(super) place: RandomAccess<'a>,
    pub(super) parts: &'a [RestartPart],
    /// The windows of the index.
    pub(super) windows: &'a dyn ReadAt,
    pub(super) options: &'a Decode,
    pub(super) idle: &'a IdleDecoders,
}

impl SpanDecoder<'_> {
    /// Fills a room for each of these spans, which follow each other, with its plain data.
    pub(super) fn fill<'b>(self, spans: &[Span], mut rooms: Vec<Room<'b>>) -> Result<Vec<Room<'b>>> {
        if let ([span], [room]) = (spans, &mut rooms[..])
            && self.whole(span, room)?
        {
            return Ok(rooms);
        }
        let (mut filled, mut rooms) = (Vec::with_capacity(rooms.len()), rooms.into_iter());
        let is_unit = |span: &Span| span.unit().is_some();
        for run in spans.chunk_by(|one, next| is_unit(one) == is_unit(next)) {
            let own = rooms.by_ref().take(run.len()).collect();
            match run.first().is_some_and(is_unit) {
                true => filled.append(&mut self.units(run, own)?),
                false => filled.append(&mut self.parts(run, own)?),
            }
        }
        Ok(filled)
    }

    /// The plain data of each of these spans, which follow each other.
    pub(super) fn blocks(self, spans: &[Span]) -> Result<Vec<Vec<u8>>> {
        let rooms = self.fill(spans, spans.iter().map(|_| Room::default()).collect())?;
        Ok(rooms.into_iter().filter_map(Room::into_block).collect())
    }

    /// Puts out the plain data of a span as it is decoded.
    pub(super) fn stream(self, span: &Span, output: &mut (dyn Write + Send)) -> Result<()> {
        let mut plain_len = 0;
        match (span.unit(), self.part(span)) {
            (Some(unit), _) => {
                let lens = decode_spans(self.place, &[unit], Output::Writer(Box::new(output)), self.options)?;
                plain_len = lens.iter().sum();
            }
            (None, Some(part)) => {
                self.restarted(span, part, &mut |bytes| {
                    let before = plain_len;
                    plain_len += bytes.len() as u64;
                    output.write_all(bytes).map_err(|source| Error::Write { offset: before, source })
                })?;
            }
            (None, None) => {}
        }
        verify_len(span, plain_len)
    }

    /// Decodes a short frame on this thread. Returns whether that was possible, and the frame is right.
    fn whole(self, span: &Span, room: &mut Room) -> Result<bool> {
        let Some(CodedSpan { format, coded, context, .. }) = span.unit() else { return Ok(false) };
        let (coded_len, plain_len) = (span.coded_len, span.plain_len);
        if coded_len > WHOLE_MAX || plain_len > WHOLE_MAX {
            return Ok(false);
        }
        let mut bytes = vec![0; coded_len as usize];
        if self.place.read_at(&mut bytes, coded.start)? < bytes.len() {
            return Ok(false);
        }
        let mut decoder = self.idle.take(format, self.options)?;
        let is_stated = decoder.plain_len(&bytes, context).is_some_and(|stated| stated as u64 == plain_len);
        let is_right =
            is_stated && room.make(plain_len as usize, |plain| decoder.whole(&bytes, plain, context));
        self.idle.give_back(format, decoder, self.options.worker_count());
        Ok(is_right)
    }

    /// Decodes frames in parallel. Spans that may be skippable have no data.
    fn units<'b>(self, spans: &[Span], mut rooms: Vec<Room<'b>>) -> Result<Vec<Room<'b>>> {
        if spans.iter().any(Span::may_be_skippable) {
            let is_framed = |(span, _): &(&Span, _)| !span.may_be_skippable();
            let places: Vec<usize> = spans.iter().zip(0..).filter(is_framed).map(|(_, at)| at).collect();
            let framed: Vec<Span> = places.iter().map(|&at| spans[at]).collect();
            let own = places.iter().map(|&at| std::mem::take(&mut rooms[at])).collect();
            let filled = if framed.is_empty() { own } else { self.units(&framed, own)? };
            for (at, room) in places.into_iter().zip(filled) {
                rooms[at] = room;
            }
            return Ok(rooms);
        }
        let units: Vec<CodedSpan> = spans.iter().filter_map(Span::unit).collect();
        let mut writer = RoomWriter::new(spans, rooms);
        let decoded = decode_spans(self.place, &units, Output::Writer(Box::new(&mut writer)), self.options);
        let RoomWriter { is_exceeded, rooms, .. } = writer;
        let lens = match decoded {
            Err(Error::Write { .. }) if is_exceeded => {
                let last = spans.last().map_or(0, |span| span.coded);
                return Err(wrong_len(spans, last, "more than"));
            }
            lens => lens?,
        };
        for (span, len) in spans.iter().zip(lens) {
            verify_len(span, len)?;
        }
        Ok(rooms)
    }

    /// Decodes parts from their restart points, in parallel.
    fn parts<'b>(self, spans: &[Span], rooms: Vec<Room<'b>>) -> Result<Vec<Room<'b>>> {
        let parts: Vec<_> = spans.iter().zip(rooms.into_iter().map(Mutex::new)).collect();
        side_by_side(&parts, self.options.worker_count(), |(span, room)| {
            let mut room = std::mem::take(&mut *room.lock().unwrap_or_else(PoisonError::into_inner));
            self.fill_part(span, &mut room).map(|()| room)
        })
    }

    fn fill_part(self, span: &Span, room: &mut Room) -> Result<()> {
        let part = self.part(span).ok_or_else(|| Error::Internal("a span without its part".into()))?;
        self.restarted(span, part, &mut |bytes| {
            if (room.len() + bytes.len()) as u64 > span.plain_len {
                return Err(wrong_len(std::slice::from_ref(span), span.coded, "more than"));
            }
            room.append(bytes).map_err(|_| Error::Internal("the room for a span is too short".into()))
        })?;
        verify_len(span, room.len() as u64)
    }

    fn part(self, span: &Span) -> Option<RestartPart> {
        match span.kind {
            SpanKind::Part { number, .. } => self.parts.get(number as usize).copied(),
            SpanKind::Unit { .. } => None,
        }
    }

    /// Decodes a part from its restart point, and verifies its checksum.
    fn restarted(
        self,
        span: &Span,
        part: RestartPart,
        put: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let window = match part.window {
            None => Vec::new(),
            Some(stored) => stored_window(RandomAccess::Source(self.windows), stored)
                .ok_or_else(|| Error::index("a window in it is not valid"))?,
        };
        let start = match part.header_len > 0 {
            true => RestartPoint::Frame,
            false => RestartPoint::Block { bit: part.bit, window: &window },
        };
        let format = span.kind.format();
        let mut crc = crc32fast::Hasher::new();
        let restarts =
            format.codec().places().restarts().ok_or_else(|| Error::Internal("no restarts".into()))?;
        restarts.decode(self.place, span.coded_range(), &start, &mut |bytes| {
            crc.update(bytes);
            put(bytes)
        })?;
        let found = crc.finalize();
        match part.crc {
            Some(stated) if stated != found => {
                let what = format!(
                    "the data there has the CRC-32 {found:08x}, but the index says {stated:08x}; if the file is \
                     right, make the index again with pzcomp -f --index"
                );
                Err(Error::corrupt(format.name(), span.coded, what).by(Damage::Check))
            }
            _ => Ok(()),
        }
    }
}

/// Reads a window of an index. `None` if it is not valid or cannot be read.
pub(super) fn stored_window(place: RandomAccess, stored: StoredWindow) -> Option<Vec<u8>> {
    if stored.len > STORED_WINDOW_MAX {
        return None;
    }
    let mut bytes = vec![0; stored.len as usize];
    if place.read_at(&mut bytes, stored.offset).ok()? < bytes.len() {
        return None;
    }
    let Some(crc) = stored.crc else { return Some(bytes) };
    if crc32fast::hash(&bytes) != crc {
        return None;
    }
    let mut window = vec![0; WINDOW_LEN];
    let mut room = InflateOutput::new(&mut window, 0);
    let progress = Inflate::new().run(&bytes, &mut room).ok()?;
    let filled = room.filled();
    window.truncate(filled);
    // A window that fills its memory may pause before the end of its stream.
    matches!(progress.pause, Pause::End | Pause::Output).then_some(window)
}

/// Compares the length of decoded data with the length that the index states.
pub(super) fn verify_len(span: &Span, found: u64) -> Result<()> {
    if found == span.plain_len {
        return Ok(());
    }
    let words = format!("{found} bytes, not the {} bytes that", span.plain_len);
    Err(wrong_len(std::slice::from_ref(span), span.coded, &words))
}

/// The error of a span that does not hold what the index says.
fn wrong_len(spans: &[Span], offset: u64, found: &str) -> Error {
    let format = spans.first().map_or("compressed", |span| span.kind.format().name());
    let what = format!(
        "the data from there holds {found} the index or the header states, so the places \
         of the data behind it are not known; decompress the file from its start, which verifies it, or make an index of it"
    );
    Error::corrupt(format, offset, what).by(Damage::Length)
}
