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

use crate::error::{Error, Result};
use crate::format::index_file::{
    Fields, IndexEnds, IndexFile, IndexFormat, IndexedPart, NewIndex, ReadWindow, TakePart,
};
use crate::format::restart::{RestartPart, StoredWindow};
use engine::io::RandomAccess;

const MAGIC: [u8; 5] = *b"GZIDX";
const HEADER_LEN: usize = 35;
/// How many points are read at a time.
const READ_POINTS: usize = 4096;

/// The form of the `GZIDX`.
pub(super) struct Gzidx;

/// A point of the index.
struct Point {
    coded: u64,
    plain: u64,
    bits: u8,
    has_window: bool,
}

impl IndexFile for Gzidx {
    fn format(&self) -> IndexFormat {
        IndexFormat::Gzidx
    }

    fn sniff(&self, head: &[u8], _: u64) -> bool {
        head.starts_with(&MAGIC)
    }

    fn read(&self, place: RandomAccess, len: u64, most: u64, take: TakePart) -> Result<Option<IndexEnds>> {
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
        if u64::from(count) > most {
            return Ok(None);
        }
        if window_len as usize != WINDOW_LEN {
            let what = format!("it states windows of {window_len} bytes, expected {WINDOW_LEN}");
            return Err(Error::index(what));
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
                // In version 0 the flag is missing.
                let has_window = if fields.0.is_empty() { !points.is_empty() } else { fields.take() == [1] };
                points.push(Point { coded, plain, bits, has_window });
            }
            at += bytes.len() as u64;
            left -= bytes.len() / point_len;
        }
        let windows = points.iter().filter(|point| point.has_window).count() as u64 * WINDOW_LEN as u64;
        if windows_at + windows != len {
            return Err(Error::index(format!("it has {len} bytes, which is not the length that it states")));
        }
        if plain_len == 0 && points.len() > 1 {
            return Err(Error::index(
                "it does not state the length of the plain data: build it with build_full_index()",
            ));
        }
        give(&points, coded_len, windows_at, take)?;
        Ok(Some(IndexEnds { coded_len: Some(coded_len), plain_len, rest: None }))
    }

    fn write(&self, index: &NewIndex, window: ReadWindow, out: &mut dyn Write) -> Result<()> {
        let NewIndex { coded_len, plain_len, spacing, parts } = index;
        let failed = |source| Error::Write { offset: 0, source };
        let count =
            u32::try_from(parts.len()).map_err(|_| Error::index("it has too many places for a GZIDX"))?;
        // indexed_gzip expects that points are further apart than a window is long.
        let spacing = u32::try_from(*spacing).unwrap_or(u32::MAX).max(WINDOW_LEN as u32 + 1);
        let mut bytes = Vec::new();
        bytes.extend(MAGIC);
        bytes.extend([1, 0]);
        bytes.extend(coded_len.to_le_bytes());
        bytes.extend(plain_len.to_le_bytes());
        bytes.extend(spacing.to_le_bytes());
        bytes.extend((WINDOW_LEN as u32).to_le_bytes());
        bytes.extend(count.to_le_bytes());
        for IndexedPart { coded, plain, part } in parts {
            let coded = coded.start + u64::from(part.header_len) + u64::from(part.bit > 0);
            bytes.extend(coded.to_le_bytes());
            bytes.extend(plain.to_le_bytes());
            bytes.extend([(8 - part.bit) % 8, u8::from(part.window.is_some())]);
        }
        out.write_all(&bytes).map_err(failed)?;
        for stored in parts.iter().filter_map(|IndexedPart { part, .. }| part.window) {
            let known = window(stored)?;
            // A window near the start of the data is shorter. Nothing refers to what is in front of it.
            let mut full = vec![0; WINDOW_LEN.saturating_sub(known.len())];
            full.extend(known);
            out.write_all(&full).map_err(failed)?;
        }
        Ok(())
    }
}

/// Gives the parts that begin at the points. Their windows stand behind each other from `window_at` on.
fn give(points: &[Point], coded_len: u64, mut window_at: u64, take: TakePart) -> Result<()> {
    let first = points.first().ok_or_else(|| Error::index("it has no points"))?;
    if first.plain > 0 {
        // The data before the first point is decoded from the start of the file.
        let part = RestartPart { header_len: 1, ..RestartPart::default() };
        take(IndexedPart { coded: 0..first.coded, plain: 0, part });
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
        let start = point.coded.checked_sub(u64::from(part.bit > 0)).filter(|_| point.bits < 8);
        let start = start.ok_or_else(|| Error::index("a point in it is not valid"))?;
        take(IndexedPart { coded: start..end, plain: point.plain, part });
    }
    Ok(())
}
