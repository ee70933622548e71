//! The bytes of a `GZIDX`, the index that Python's indexed_gzip exports.
//!
//! ```text
//! "GZIDX"  u8 version  u8 0  u64 coded length  u64 plain length  u32 spacing  u32 window length  u32 count
//! { u64 coded offset  u64 plain offset  u8 bits  u8 has window (version 1) }        count times
//! the windows of the points that have one
//! ```
//!
//! All numbers are little-endian. A point is where a DEFLATE block begins. `bits` is how many bits of the byte before
//! the offset belong to the block. In version 0 all points but the first have a window. The format has no checksums,
//! so it cannot be told whether a window is right.

use std::io::Write;

use pzcomp_deflate::inflate::WINDOW_LEN;

use super::pzi::Fields;
use crate::error::{Error, Result};
use crate::format::gzip;
use crate::options::Decode;
use crate::seekable::map::{Map, RestartPart, SpanKind, StoredWindow, spans_max, too_many_spans};
use engine::io::RandomAccess;

pub(super) const MAGIC: [u8; 5] = *b"GZIDX";
const HEADER_LEN: usize = 35;
/// How many points are read at a time.
const READ_POINTS: usize = 4096;

/// A point of the index.
struct Point {
    coded: u64,
    plain: u64,
    bits: u8,
    has_window: bool,
}

/// Reads an index of `len` bytes.
pub(super) fn parse(place: RandomAccess, len: u64, options: &Decode) -> Result<Map> {
    let mut header = [0; HEADER_LEN];
    if place.read_at(&mut header, 0)? < HEADER_LEN {
        return Err(Error::index("it is cut off in its header"));
    }
    let mut fields = Fields(&header[MAGIC.len()..]);
    let [version, _] = fields.take();
    let (coded_len, plain_len) = (fields.u64(), fields.u64());
    let (_spacing, window_len, count) = (fields.u32(), fields.u32(), fields.u32());
    let point_len = match version {
        0 => 17,
        1 => 18,
        _ => return Err(Error::index(format!("it is a GZIDX of the unknown version {version}"))),
    };
    if count as usize > spans_max(options) {
        return Err(too_many_spans(options));
    }
    if window_len as usize != WINDOW_LEN {
        return Err(Error::index(format!("it states windows of {window_len} bytes, expected {WINDOW_LEN}")));
    }
    let windows_at = HEADER_LEN as u64 + u64::from(count) * point_len as u64;
    if windows_at > len {
        return Err(Error::index("it is cut off in its points"));
    }
    let mut points = Vec::new();
    let (mut at, mut left) = (HEADER_LEN as u64, count as usize);
    let mut bytes = Vec::new();
    while left > 0 {
        bytes.resize(left.min(READ_POINTS) * point_len, 0);
        if place.read_at(&mut bytes, at)? < bytes.len() {
            return Err(Error::index("it is cut off in its points"));
        }
        for point in bytes.chunks_exact(point_len) {
            let mut fields = Fields(point);
            let (coded, plain, [bits]) = (fields.u64(), fields.u64(), fields.take());
            let has_window = if version == 0 { !points.is_empty() } else { fields.take() == [1] };
            points.push(Point { coded, plain, bits, has_window });
        }
        at += bytes.len() as u64;
        left -= bytes.len() / point_len;
    }
    let windows = points.iter().filter(|point| point.has_window).count() as u64 * u64::from(window_len);
    if windows_at + windows != len {
        return Err(Error::index(format!("it has {len} bytes, which is not the length that it states")));
    }
    map_of(&points, coded_len, plain_len, windows_at)
}

fn map_of(points: &[Point], coded_len: u64, plain_len: u64, windows_at: u64) -> Result<Map> {
    let mut map = Map { coded_len, ..Map::default() };
    let mut plain_starts = Vec::new();
    let mut window_at = windows_at;
    let push = |map: &mut Map, start: u64, end: u64, plain: u64, part: RestartPart| {
        let number = u32::try_from(map.parts.len()).unwrap_or(u32::MAX);
        map.parts.push(part);
        let coded_len = end.saturating_sub(start);
        let kind = SpanKind::Part { format: gzip::FORMAT, number };
        map.spans.push(crate::seekable::map::Span { coded: start, coded_len, plain, plain_len: 0, kind });
    };
    let first = points.first().ok_or_else(|| Error::index("it has no points"))?;
    if first.plain > 0 {
        // The data before the first point is decoded from the start of the file.
        let part = RestartPart { header_len: 1, ..RestartPart::default() };
        push(&mut map, 0, first.coded, 0, part);
    }
    for (at, point) in points.iter().enumerate() {
        let end = points.get(at + 1).map_or(coded_len, |next| next.coded);
        let mut part = RestartPart { bit: (8 - point.bits % 8) % 8, ..RestartPart::default() };
        if point.coded == 0 {
            part.header_len = 1;
        }
        if point.has_window {
            part.window = Some(StoredWindow { offset: window_at, len: WINDOW_LEN as u32, crc: None });
            window_at += WINDOW_LEN as u64;
        }
        let start = point.coded.checked_sub(u64::from(part.bit > 0));
        let start =
            start.filter(|_| point.bits < 8).ok_or_else(|| Error::index("a point in it is not valid"))?;
        push(&mut map, start, end, point.plain, part);
    }
    plain_starts.extend(map.spans.iter().skip(1).map(|span| span.plain).chain([plain_len]));
    if plain_len == 0 && map.spans.len() > 1 {
        return Err(Error::index(
            "it does not state the length of the plain data: build it with build_full_index()",
        ));
    }
    super::check_spans(&mut map, &plain_starts)?;
    Ok(map)
}

/// Writes an index. `window` gives the window before a part.
pub(super) fn write(
    map: &Map,
    spacing: u64,
    mut window: impl FnMut(StoredWindow) -> Result<Vec<u8>>,
    out: &mut dyn Write,
) -> Result<()> {
    let failed = |source| Error::Write { offset: 0, source };
    let parts: Vec<_> = map
        .spans
        .iter()
        .map(|span| match span.kind {
            SpanKind::Part { number, .. } => map.parts.get(number as usize).map(|part| (span, *part)),
            SpanKind::Unit { .. } => None,
        })
        .collect::<Option<_>>()
        .ok_or_else(|| Error::index("a GZIDX is only for gzip members that do not state their sizes, and this file has other frames"))?;
    let count = u32::try_from(parts.len()).map_err(|_| Error::index("it has too many places for a GZIDX"))?;
    // indexed_gzip expects that points are further apart than a window is long.
    let spacing = u32::try_from(spacing).unwrap_or(u32::MAX).max(WINDOW_LEN as u32 + 1);
    let mut bytes = Vec::new();
    bytes.extend(MAGIC);
    bytes.extend([1, 0]);
    bytes.extend(map.coded_len.to_le_bytes());
    bytes.extend(map.plain_end().to_le_bytes());
    bytes.extend(spacing.to_le_bytes());
    bytes.extend((WINDOW_LEN as u32).to_le_bytes());
    bytes.extend(count.to_le_bytes());
    for (span, part) in &parts {
        let coded = span.coded + u64::from(part.header_len) + u64::from(part.bit > 0);
        bytes.extend(coded.to_le_bytes());
        bytes.extend(span.plain.to_le_bytes());
        bytes.extend([(8 - part.bit) % 8, u8::from(part.window.is_some())]);
    }
    out.write_all(&bytes).map_err(failed)?;
    for stored in parts.iter().filter_map(|(_, part)| part.window) {
        let known = window(stored)?;
        // A window near the start of the data is shorter. Nothing refers to what is in front of it.
        let mut full = vec![0; WINDOW_LEN.saturating_sub(known.len())];
        full.extend(known);
        out.write_all(&full).map_err(failed)?;
    }
    Ok(())
}
