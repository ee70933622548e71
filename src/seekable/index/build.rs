//! Makes an index of a file by decoding it once.
//!
//! Frames whose places and lengths the file states are decoded in parallel, and compared with what was stated. If only
//! the places are found, as those of bzip2 blocks, decoding gives the lengths. gzip members without stated sizes are
//! scanned by one thread, which also notes restart points inside them. All checks of the file are verified.

use std::ops::Range;

use pzcomp_deflate::encode::{Encoder, Search};

use super::compress_window;
use crate::decompress::{CodedSpan, RangeCursor, Survey, UnitSink, decode_spans};
use crate::error::{Error, Result};
use crate::format::{Accepted, Cursor, Format, SNIFF_LEN, Unit, UnitKind, bzip2, gzip};
use crate::io::{Output, RandomAccess};
use crate::options::Options;
use crate::pipeline::Segment;
use crate::seekable::find::find;
use crate::seekable::map::{DeflatePart, Map, SPANS_MAX, Span, SpanKind, StoredWindow};

/// The map of the file, and its windows.
pub(super) fn build(place: RandomAccess, interval: u64, options: &Options) -> Result<(Map, Vec<u8>)> {
    let len = place.len(0)?;
    let mut head = [0; SNIFF_LEN];
    let read = place.read_at(&mut head, 0)?;
    let format = Accepted::new(options.accept).sniff(&head[..read], 0);
    let map = find(place, len, options)?;
    // A long member has restart points inside it, even if it states its size.
    let is_long = |span: &Span| span.plain_len > 2 * interval;
    if format == Some(Format::Gzip) && (map.rest.is_some() || map.spans.iter().any(is_long)) {
        return scan_gzip(place, len, interval);
    }
    let map = if map.rest.is_none() {
        verified(place, map, options)?
    } else {
        measured(place, len, interval, options)?
    };
    match map.spans[..] {
        [only] if is_long(&only) => {
            Err(one_frame(only.unit().map_or(Format::Gzip, |unit| unit.format), only.coded))
        }
        _ => Ok((map, Vec::new())),
    }
}

/// The error of a file that has no place inside it at which decoding can begin.
fn one_frame(format: Format, offset: u64) -> Error {
    let what = "the data is one frame, and decoding cannot begin inside it; to read parts of the data, decompress it and \
                compress it again with pzcomp, which writes many frames";
    Error::Unsupported { format: format.name(), offset, what: what.into() }
}

/// The same map, after all spans were decoded and have the lengths in it.
fn verified(place: RandomAccess, map: Map, options: &Options) -> Result<Map> {
    let units: Vec<CodedSpan> = map.spans.iter().filter_map(Span::unit).collect();
    let lens = decode_spans(place, &units, Output::Nothing, options)?;
    for (span, len) in map.spans.iter().zip(lens) {
        crate::seekable::decode::verify_len(span, len)?;
    }
    Ok(Map { is_unchecked: false, ..map })
}

/// A map of frames that state only their places, after all of them were decoded.
fn measured(place: RandomAccess, len: u64, interval: u64, options: &Options) -> Result<Map> {
    let mut finder = UnitFinder {
        cursor: RangeCursor::new(place, 0..len),
        units: Vec::new(),
        is_open: false,
        fault: None,
    };
    let walked = Survey::new(options).walk(&mut finder);
    if let Some(fault) = finder.fault {
        return Err(fault);
    }
    walked?;
    let units = finder.units;
    if let [CodedSpan { format, coded, .. }] = &units[..]
        && *format != Format::Bzip2
        && coded.end - coded.start > 2 * interval
    {
        return Err(one_frame(*format, coded.start));
    }
    let lens = decode_spans(place, &units, Output::Nothing, options)?;
    let mut map = Map { coded_len: len, ..Map::default() };
    for (at, (mut unit, plain_len)) in units.iter().cloned().zip(lens).enumerate() {
        if plain_len == 0 {
            continue;
        }
        let ends_stream = units.get(at + 1).is_none_or(|next| next.context == 0);
        if unit.format == Format::Bzip2 && ends_stream {
            leave_out_end(place, &mut unit)?;
        }
        let CodedSpan { format, coded, context, next } = unit;
        if !map.push(coded, plain_len, SpanKind::Unit { format, context, next }) {
            return Err(Error::index(format!("the file has more than {SPANS_MAX} frames")));
        }
    }
    Ok(map)
}

/// Shortens the last block of a bzip2 stream by the end of the stream, which has a checksum of all blocks.
fn leave_out_end(place: RandomAccess, unit: &mut CodedSpan) -> Result<()> {
    const TAIL_LEN: u64 = 16;
    const LEVEL_AT: u64 = 3;
    let wrong = |start| Error::corrupt("bzip2", start, "the stream does not end where its last block ends");
    let Range { start, end } = unit.coded;
    let level = match bzip2::level_of(unit.context) {
        Some(level) => level,
        None => {
            let mut digit = [0];
            place.read_at(&mut digit, start + LEVEL_AT)?;
            digit[0].wrapping_sub(b'0')
        }
    };
    let at = end.saturating_sub(TAIL_LEN).max(start);
    let mut tail = vec![0; (end - at) as usize];
    place.read_at(&mut tail, at)?;
    let (len, next) = bzip2::end_of_blocks(&tail, level).ok_or_else(|| wrong(start))?;
    (unit.coded.end, unit.next) = (at + len as u64, next);
    Ok(())
}

/// Scans gzip members, and notes restart points inside them.
fn scan_gzip(place: RandomAccess, len: u64, interval: u64) -> Result<(Map, Vec<u8>)> {
    let mut map = Map { coded_len: len, ..Map::default() };
    let mut windows = Vec::new();
    let mut encoder = Encoder::new(Search::Matches);
    gzip::scan_members(place, len, interval, &mut |part| {
        if part.plain_len == 0 {
            return Ok(());
        }
        let mut window = None;
        if let Some(bytes) = part.window {
            let coded =
                compress_window(&mut encoder, &bytes).map_err(|error| Error::Internal(error.to_string()))?;
            let (offset, len) = (windows.len() as u64, coded.len() as u32);
            window = Some(StoredWindow { offset, len, crc: Some(crc32fast::hash(&coded)) });
            windows.extend(coded);
        }
        let kind = SpanKind::Deflate(u32::try_from(map.parts.len()).unwrap_or(u32::MAX));
        let (bit, header_len, crc) = (part.bit, part.header_len, Some(part.crc));
        map.parts.push(DeflatePart { header_len, bit, window, crc });
        if !map.push(part.coded, part.plain_len, kind) {
            return Err(Error::index(format!("the file has more than {SPANS_MAX} restart points")));
        }
        Ok(())
    })?;
    Ok((map, windows))
}

/// Collects the units that a survey finds.
struct UnitFinder<'a> {
    cursor: RangeCursor<'a>,
    units: Vec<CodedSpan>,
    /// Whether the last unit is being passed.
    is_open: bool,
    fault: Option<Error>,
}

impl UnitSink for UnitFinder<'_> {
    fn begin(&mut self, unit: Unit, format: Option<Format>) -> Result<()> {
        self.cursor.begin(unit, format)?;
        let start = self.cursor.offset();
        self.is_open = unit.has_data();
        if !self.is_open {
            return Ok(());
        }
        let fault = match format {
            None => {
                let found = crate::error::hex(self.cursor.peek(SNIFF_LEN)?);
                Error::TrailingGarbage { offset: start, found }
            }
            Some(format) if unit.kind != UnitKind::Frame => one_frame(format, start),
            Some(_) if self.units.len() == SPANS_MAX => {
                Error::index(format!("the file has more than {SPANS_MAX} frames"))
            }
            Some(format) => {
                if let Some(before) =
                    self.units.last_mut().filter(|_| unit.context != 0 && format == Format::Bzip2)
                {
                    before.next = unit.context;
                }
                self.units.push(CodedSpan { format, coded: start..start, context: unit.context, next: 0 });
                return Ok(());
            }
        };
        self.fault = Some(fault);
        Err(Error::GivenUp)
    }

    fn finish(&mut self) -> u64 {
        let end = self.cursor.offset();
        if let Some(last) = self.units.last_mut().filter(|_| self.is_open) {
            last.coded.end = end;
        }
        self.cursor.finish()
    }
}

impl Cursor for UnitFinder<'_> {
    fn peek(&mut self, len: usize) -> Result<&[u8]> {
        self.cursor.peek(len)
    }

    fn peek_far(&mut self, len: usize) -> Result<&[u8]> {
        self.cursor.peek_far(len)
    }

    fn next_segment(&mut self, most: u64) -> Result<Option<Segment>> {
        self.cursor.next_segment(most)
    }

    fn offset(&self) -> u64 {
        self.cursor.offset()
    }
}
