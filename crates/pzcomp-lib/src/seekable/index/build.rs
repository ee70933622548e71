//! Makes an index of a file by decoding it once, or twice if unknown bytes would be copied.
//!
//! The file states the places and lengths of its frames, or some of them. They are decoded in parallel, and compared
//! with these statements. Where blocks are decoded by themselves, as in bzip2, the walker finds only the places, and
//! decoding gives the lengths. If the statements are incomplete or wrong, the file is decoded in order: one thread
//! scans the frames of a format with restart points, and notes the restart points. It also scans long frames of such a
//! format that state their sizes. All checks of the file are verified.

use crate::decompress::{CodedSpan, RangeCursor, Survey, UnitSink, decode_guesses, decompress_io};
use crate::error::{Error, Result, Size, hex};
use crate::format::{Cursor, Format, SNIFF_LEN, Unit, UnitKind};
use crate::options::{Decode, Unknown};
use crate::seekable::find::find;
use crate::seekable::lengths::decode_all;
use crate::seekable::map::{Lengths, Map, Span, SpanKind, spans_max, too_many_spans};
use crate::seekable::points::Points;
use engine::io::{Input, Output, RandomAccess, ReadAt};

/// The options to make an index with, for options that copy unknown bytes. It is an error if the file has such bytes,
/// also zeros, because an index states no place for them. Only decoding in order tells.
pub(super) fn without_copies(source: &dyn ReadAt, options: &Decode) -> Result<Decode> {
    let place = RandomAccess::Source(source);
    let input = Input::At { source, start: 0, end: place.len(0)? };
    let copying = Decode { max_output: None, ..options.clone() };
    if let Some(offset) = decompress_io(input, Output::Nothing, &copying)?.trailing.garbage {
        let mut head = [0; SNIFF_LEN];
        let read = place.read_at(&mut head, offset)?;
        return Err(Error::TrailingGarbage { offset, found: hex(&head[..read]) });
    }
    Ok(Decode { unknown: Unknown::Refuse, ..options.clone() })
}

/// The map of the file, and its windows.
pub(super) fn build(place: RandomAccess, interval: u64, options: &Decode) -> Result<(Map, Vec<u8>)> {
    let len = place.len(0)?;
    let is_long = |span: &Span| span.plain_len > 2 * interval;
    let map = stated(place, len, options, is_long)?;
    let (mut map, windows) = match map {
        Some(map) => (map, Vec::new()),
        None => {
            let map = Map { coded_len: len, most: spans_max(options), ..Map::default() };
            let mut builder = Builder { place, interval, options, points: Points::new(map) };
            builder.walk()?;
            (builder.points.map, builder.points.windows)
        }
    };
    match map.spans[..] {
        [only] if is_long(&only) && only.unit().is_some_and(|unit| !has_lone_blocks(unit.format)) => {
            return Err(one_frame(only.kind.format(), only.coded));
        }
        _ => {}
    }
    map.spans.retain(|span| span.plain_len > 0);
    Ok((map, windows))
}

/// The map that the file states, after all spans were decoded and have the lengths in it. `None` if it is not complete
/// or not right: decoding in order decides.
fn stated(
    place: RandomAccess,
    len: u64,
    options: &Decode,
    is_long: impl Fn(&Span) -> bool,
) -> Result<Option<Map>> {
    let map = find(place, len, options)?;
    // A long frame may have restart points inside it, even if it states its size.
    let is_divisible = |span: &Span| has_restarts(span.kind.format()) && is_long(span);
    if map.rest.is_some() || map.spans.iter().any(is_divisible) {
        return Ok(None);
    }
    match decode_all(place, &map.spans, options) {
        Ok(()) => Ok(Some(Map { lengths: Lengths::Decoded, ..map })),
        Err(Error::Corrupt { .. } | Error::Truncated { .. } | Error::TrailingGarbage { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether decoding can begin inside of frames.
fn has_restarts(format: Format) -> bool {
    format.codec().places().restarts().is_some()
}

/// Whether decoding can begin at each block, however long a frame is.
fn has_lone_blocks(format: Format) -> bool {
    format.codec().places().has_lone_blocks()
}

/// The error of a file that has no place inside it at which decoding can begin.
fn one_frame(format: Format, offset: u64) -> Error {
    let what = "the data is one frame, and decoding cannot begin inside it; to read parts of the data, decompress it and \
                compress it again with pzcomp, with a block size that is shorter than the data";
    Error::unsupported(format.name(), offset, what)
}

/// Makes an index of a file in order, without what the file states of plain lengths.
struct Builder<'a> {
    place: RandomAccess<'a>,
    interval: u64,
    options: &'a Decode,
    points: Points,
}

impl Builder<'_> {
    /// Walks through the file. Frames with restart points are scanned, and what is between them is decoded in parallel.
    fn walk(&mut self) -> Result<()> {
        let (place, len) = (self.place, self.points.map.coded_len);
        let mut at = 0;
        loop {
            let mut finder = UnitFinder {
                cursor: RangeCursor::new(place, 0..len).starting_at(at),
                units: Vec::new(),
                most: self.points.map.most.saturating_sub(self.points.map.spans.len()),
                is_open: false,
                stop: None,
            };
            let walked = Survey::new(self.options).walk(&mut finder);
            let inside = match finder.stop {
                Some(Stop::Inside(format, start)) => Some((format, start)),
                Some(Stop::Frame(format, offset)) => return Err(one_frame(format, offset)),
                Some(Stop::Garbage(error)) => return Err(error),
                Some(Stop::Full) => return Err(too_many_spans(self.options)),
                Some(Stop::Zeros) => None,
                None => walked.map(|()| None)?,
            };
            self.decode(&finder.units, inside.is_none())?;
            let Some((format, start)) = inside else { return Ok(()) };
            at = self.scan(format, start)?;
            if at == start {
                let mut head = [0; SNIFF_LEN];
                let read = place.read_at(&mut head, at)?;
                return Err(Error::TrailingGarbage { offset: at, found: hex(&head[..read]) });
            }
        }
    }

    /// Adds frames that state only their places, after all of them were decoded.
    fn decode(&mut self, units: &[CodedSpan], are_last: bool) -> Result<()> {
        if units.is_empty() {
            return Ok(());
        }
        if let [CodedSpan { format, coded, .. }] = units
            && are_last
            && self.points.map.spans.is_empty()
            && !has_lone_blocks(*format)
            && coded.end - coded.start > 2 * self.interval
        {
            return Err(one_frame(*format, coded.start));
        }
        // What looks like the start of a block may be part of another block.
        let mut units = decode_guesses(self.place, units, self.options)?.into_iter().peekable();
        while let Some((mut unit, plain_len)) = units.next() {
            if plain_len == 0 {
                continue;
            }
            let ends_stream =
                units.peek().is_none_or(|(next, _)| next.format != unit.format || next.context == 0);
            if has_lone_blocks(unit.format) && ends_stream {
                let places = unit.format.codec().places();
                unit.next = places.leave_out_end(self.place, &mut unit.coded, unit.context)?;
            }
            let CodedSpan { format, coded, context, next } = unit;
            if !self.points.map.push(coded, plain_len, SpanKind::Unit { format, context, next }) {
                return Err(too_many_spans(self.options));
            }
        }
        Ok(())
    }

    /// Scans the frames at `start`, and notes restart points inside them. Returns where they end.
    fn scan(&mut self, format: Format, start: u64) -> Result<u64> {
        let Some(restarts) = format.codec().places().restarts() else { return Ok(start) };
        let Self { place, interval, options, points } = self;
        let windows_max = options.memory.unwrap_or(u64::MAX) / 4;
        restarts.scan(*place, start..points.map.coded_len, *interval, &mut |part| {
            if !points.add(format, part)? {
                return Err(too_many_spans(options));
            }
            if points.windows.len() as u64 > windows_max {
                let what =
                    "an index with so many windows, of which a longer --index-interval needs fewer,".into();
                let (needed, limit) = (Size(4 * points.windows.len() as u64), Size(4 * windows_max));
                return Err(Error::Memory { what, needed, limit });
            }
            Ok(())
        })
    }
}

/// Collects the units that a survey finds.
struct UnitFinder<'a> {
    cursor: RangeCursor<'a>,
    units: Vec<CodedSpan>,
    /// The most units that it may find.
    most: usize,
    /// Whether the last unit is being passed.
    is_open: bool,
    stop: Option<Stop>,
}

/// Why a survey was stopped.
enum Stop {
    /// Frames of this format begin there, which have restart points inside them.
    Inside(Format, u64),
    /// The end of the frame that begins there is not known.
    Frame(Format, u64),
    /// There are only zeros from there on. They fill up tapes.
    Zeros,
    Garbage(Error),
    /// There are too many units.
    Full,
}

impl UnitFinder<'_> {
    /// Passes zeros. Whether nothing else follows.
    fn is_only_zeros(&mut self) -> Result<bool> {
        loop {
            let bytes = self.cursor.peek_far(1)?;
            let (len, zeros) = (bytes.len(), bytes.iter().take_while(|&&byte| byte == 0).count());
            if len == 0 || zeros < len {
                return Ok(len == 0);
            }
            self.cursor.take(len as u64)?;
        }
    }
}

impl UnitSink for UnitFinder<'_> {
    fn cursor(&mut self) -> &mut dyn Cursor {
        &mut self.cursor
    }

    fn begin(&mut self, unit: Unit, format: Option<Format>) -> Result<()> {
        self.cursor.begin(unit, format)?;
        let start = self.cursor.offset();
        self.is_open = unit.has_data();
        if !self.is_open {
            return Ok(());
        }
        let stop = match format {
            None if start > 0 && self.is_only_zeros()? => Stop::Zeros,
            None => {
                let found = hex(self.cursor.peek(SNIFF_LEN)?);
                Stop::Garbage(Error::TrailingGarbage { offset: start, found })
            }
            Some(format) if has_restarts(format) => Stop::Inside(format, start),
            Some(format) if unit.kind != UnitKind::Frame => Stop::Frame(format, start),
            Some(_) if self.units.len() >= self.most => Stop::Full,
            Some(format) => {
                if let Some(before) =
                    self.units.last_mut().filter(|_| unit.context != 0 && has_lone_blocks(format))
                {
                    before.next = unit.context;
                }
                self.units.push(CodedSpan { format, coded: start..start, context: unit.context, next: 0 });
                return Ok(());
            }
        };
        self.stop = Some(stop);
        Err(Error::GivenUp)
    }

    fn finish(&mut self) -> Result<u64> {
        let end = self.cursor.offset();
        if let Some(last) = self.units.last_mut().filter(|_| self.is_open) {
            last.coded.end = end;
        }
        self.cursor.finish()
    }
}
