//! Makes the map of a file from what the file says of itself.
//!
//! [`find`] takes the file and returns its [`Map`]. It first asks the formats for a list of the frames
//! ([`Places`](crate::format::places::Places)). If there is none, it reads headers from the start on, up to the first
//! frame that does not state its plain length or whose end only decoding finds. From there on the file is in no span,
//! and is decoded in order. Nothing is decoded here.

use std::ops::Range;

use super::map::{Lengths, Map, SpanKind, spans_max};
use crate::decompress::{CodedSpan, RangeCursor, Survey, UnitSink};
use crate::error::{Error, Result};
use crate::format::places::{Listed, ListedFrame};
use crate::format::{Accepted, Cursor, Format, SNIFF_LEN, Unit, UnitKind};
use crate::options::Decode;
use engine::io::RandomAccess;

/// The map of the first `len` bytes of `place`.
pub(crate) fn find(place: RandomAccess, len: u64, options: &Decode) -> Result<Map> {
    if len == 0 {
        return Err(Error::Empty);
    }
    match listed_map(place, len, options)? {
        Some(map) => Ok(map),
        None => by_headers(place, 0..len, options),
    }
}

/// The map of the first `len` bytes of `place`, if an index in the file or trailers of frames list all frames.
pub(super) fn listed_map(place: RandomAccess, len: u64, options: &Decode) -> Result<Option<Map>> {
    let Some((format, listed)) = listed(place, len, options)? else { return Ok(None) };
    let lengths = if listed.is_index { Lengths::Listed } else { Lengths::Stated };
    let mut map = Map { coded_len: len, lengths, most: spans_max(options), ..Map::default() };
    for ListedFrame { coded, plain_len, context } in listed.frames {
        if !map.push(coded, plain_len, SpanKind::Unit { format, context, next: 0 }) {
            return Ok(None);
        }
    }
    Ok(Some(map))
}

/// The frames of such a map, each by itself.
#[cfg(feature = "tar")]
pub(super) fn listed_frames(
    place: RandomAccess,
    len: u64,
    options: &Decode,
) -> Result<Option<Box<dyn Iterator<Item = ListedFrame>>>> {
    Ok(listed(place, len, options)?.map(|(_, listed)| listed.frames))
}

fn listed(place: RandomAccess, len: u64, options: &Decode) -> Result<Option<(Format, Listed)>> {
    let mut head = [0; SNIFF_LEN];
    let read = place.read_at(&mut head, 0)?;
    let format = Accepted::new(options.accept.as_deref()).sniff(&head[..read], 0);
    let Some(format) = format else { return Ok(None) };
    let listed = format.codec().places().listed(place, 0..len, spans_max(options))?;
    Ok(listed.map(|listed| (format, listed)))
}

/// From the headers in `range`, as far as they state lengths. A frame begins where the range begins.
pub(super) fn by_headers(place: RandomAccess, range: Range<u64>, options: &Decode) -> Result<Map> {
    let most = spans_max(options);
    let mut finder = HeaderFinder {
        place,
        map: Map { coded_len: range.end, lengths: Lengths::Stated, most, ..Map::default() },
        open: None,
        stream: range.start,
        cursor: RangeCursor::new(place, 0..range.end).starting_at(range.start),
        is_stopped: false,
    };
    // An error in the headers is found again when the frame is decoded.
    let walked = Survey::new(options).walk(&mut finder);
    match walked {
        Err(error @ (Error::Read { .. } | Error::Shrank { .. })) => return Err(error),
        Err(_) if !finder.is_stopped => finder.stop(),
        _ => {}
    }
    finder.map.is_cut = finder.cursor.is_cut();
    Ok(finder.map)
}

/// Makes a map of the units that a survey finds. It stops the survey at a frame whose length is not stated.
struct HeaderFinder<'a> {
    place: RandomAccess<'a>,
    cursor: RangeCursor<'a>,
    map: Map,
    /// The frame that is being passed, from its start on, and the plain length that its header states.
    open: Option<(CodedSpan, Option<u64>)>,
    /// Where the xz Stream begins that is being passed, or the last frame.
    stream: u64,
    is_stopped: bool,
}

impl HeaderFinder<'_> {
    /// Leaves everything from the last start of a stream on to the decoder. Bytes that belong to no frame go with the
    /// frame before them, because what they mean depends on it.
    fn stop(&mut self) {
        self.is_stopped = true;
        self.open = None;
        let keep = self.map.spans.partition_point(|span| span.coded < self.stream);
        self.map.spans.truncate(keep);
        self.map.rest = Some(self.stream);
    }
}

impl UnitSink for HeaderFinder<'_> {
    fn cursor(&mut self) -> &mut dyn Cursor {
        &mut self.cursor
    }

    fn begin(&mut self, unit: Unit, format: Option<Format>) -> Result<()> {
        let start = self.cursor.offset();
        self.cursor.begin(unit, format)?;
        let Some(format) = format else {
            // A skippable frame, or bytes that begin no frame.
            if unit.has_data() {
                self.stop();
                return Err(Error::GivenUp);
            }
            return Ok(());
        };
        let is_part_of_frame = unit.kind == UnitKind::Part && unit.context != 0;
        if !unit.has_data() || is_part_of_frame {
            if unit.begins_stream {
                self.stream = start;
            }
            return Ok(());
        }
        if unit.context == 0 {
            self.stream = start;
        }
        let plain_len = unit.plain_len.filter(|_| unit.kind != UnitKind::Rest);
        let is_at_end = unit.kind == UnitKind::Frame && format.codec().places().has_len_at_end();
        if plain_len.is_none() && !is_at_end {
            self.stop();
            return Err(Error::GivenUp);
        }
        let frame = CodedSpan { format, coded: start..start, context: unit.context, next: 0 };
        self.open = Some((frame, plain_len));
        Ok(())
    }

    fn finish(&mut self) -> Result<u64> {
        let end = self.cursor.offset();
        let Some((CodedSpan { format, coded, context, next }, plain_len)) = self.open.take() else {
            return self.cursor.finish();
        };
        let coded = coded.start..end;
        // If the end cannot be read, decoding reports that.
        let at_end = || format.codec().places().len_at_end(self.place, &coded).ok().flatten();
        let plain_len = plain_len.or_else(at_end);
        let kind = SpanKind::Unit { format, context, next };
        if plain_len.is_none_or(|plain_len| !self.map.push(coded, plain_len, kind)) {
            self.stop();
            return Err(Error::GivenUp);
        }
        self.cursor.finish()
    }
}
