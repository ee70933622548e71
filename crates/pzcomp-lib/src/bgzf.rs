//! BGZF files and their `.gzi` index: making the index from the blocks, and decompressing a range with it.
//!
//! The commands `bgzip -r` and `bgzip -b` call it. BGZF is section 4.1 of the SAM specification: gzip members of at
//! most 64 KiB, which state their length. `format/gzip/gzi.rs` describes the `.gzi`. An index may belong to another
//! file, so [`read_range`] compares the blocks that it finds with the index.

use std::fs::File;
use std::io::Write;
use std::ops::Range;

use crate::decompress::{RangeCursor, decompress_io};
use crate::error::{Error, Result};
use crate::format::Cursor;
use crate::format::gzip::{self, Gzi, GziBuilder};
use crate::options::Decode;
use engine::io::{Input, Output, RandomAccess, ReadAt};

/// The most plain bytes in a block, by the specification.
const PLAIN_MAX: u32 = 1 << 16;

/// Makes the `.gzi` of a BGZF file, the same as bgzip makes.
///
/// Only the header and the trailer of each block are read. The plain lengths are claims of the blocks; decoding
/// verifies them. It is an error if the file is empty, is cut off, or holds anything but BGZF blocks.
///
/// ```
/// use pzcomp::Encode;
///
/// let options = Encode::gzip(6).bgzf().build()?;
/// let (plain, file) = (vec![b'a'; 200_000], tempfile::tempfile()?);
/// let summary = pzcomp::Compress::new(&options).run(&plain, &file)?;
/// assert_eq!(Some(pzcomp::bgzf::index(&file)?), summary.sidecar);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn index(source: &dyn ReadAt) -> Result<Vec<u8>> {
    let place = RandomAccess::Source(source);
    let len = place.len(0)?;
    if len == 0 {
        return Err(Error::Empty);
    }
    let mut cursor = RangeCursor::new(place, 0..len);
    let mut gzi = GziBuilder::default();
    while cursor.offset() < len {
        let block = cursor.offset();
        let unsupported = |what: String| Error::unsupported("BGZF", block, what);
        let bsize = gzip::block_size(&mut cursor)?.ok_or_else(|| {
            let what = "no BGZF block begins there, and only files of BGZF blocks have a .gzi; \
                        compress the file as BGZF";
            unsupported(what.into())
        })?;
        let end = block + u64::from(bsize) + 1;
        let mut isize = [0; 4];
        if end > len || place.read_at(&mut isize, end - 4)? < isize.len() {
            return Err(Error::Truncated { format: "BGZF", frame: block, offset: len });
        }
        let plain_len = u32::from_le_bytes(isize);
        if plain_len > PLAIN_MAX {
            let what =
                format!("the block there states {plain_len} bytes of data, expected at most {PLAIN_MAX}");
            return Err(unsupported(what));
        }
        gzi.push(bsize, plain_len);
        cursor.take(u64::from(bsize) + 1)?;
    }
    Ok(gzi.encode())
}

/// Decompresses the plain bytes of `range` from a BGZF file with the content of its `.gzi`.
///
/// Returns the number of bytes written. It is less than the length of `range` if the data ends before. Only the blocks
/// that hold the range are read, with as many threads as the options say.
///
/// ```
/// use pzcomp::{Decode, Encode};
///
/// let options = Encode::gzip(6).bgzf().build()?;
/// let plain: Vec<u8> = (0..50_000_u32).flat_map(u32::to_le_bytes).collect();
/// let file = tempfile::tempfile()?;
/// pzcomp::Compress::new(&options).run(&plain, &file)?;
///
/// let (gzi, mut found) = (pzcomp::bgzf::index(&file)?, Vec::new());
/// pzcomp::bgzf::read_range(&file, &gzi, 150_000..150_008, &mut found, &Decode::default())?;
/// assert_eq!(found, plain[150_000..150_008]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It is an error if `gzi` is not valid, or if it does not lead to blocks of the lengths that it states. A `.gzi` of
/// another file is not noticed otherwise.
pub fn read_range(
    file: &File,
    gzi: &[u8],
    range: Range<u64>,
    output: impl Write + Send,
    options: &Decode,
) -> Result<u64> {
    let wrong = |offset, what: &str| Error::corrupt("BGZF", offset, what);
    let index =
        Gzi::parse(gzi).ok_or_else(|| wrong(0, "the index is not a valid .gzi; make the .gzi again"))?;
    if range.is_empty() {
        return Ok(0);
    }
    let (first, behind) = (index.holding(range.start), index.from(range.end));
    let len = RandomAccess::File(file).len(0)?;
    let end = behind.map_or(len, |block| block.coded);
    if first.coded >= len || end > len {
        let what = "the file ends before the blocks that the .gzi lists; make the .gzi again";
        return Err(wrong(len, what));
    }
    let mut wanted =
        RangeWriter { output, skip: range.start - first.plain, left: range.end - range.start, written: 0 };
    let input = Input::At { source: file, start: first.coded, end };
    // The caller says how many bytes it wants.
    let options = Decode { max_output: None, ..options.clone() };
    let decoded = decompress_io(input, Output::Writer(Box::new(&mut wanted)), &options);
    let summary = decoded.map_err(|error| match error {
        Error::NotCompressed { .. } => {
            let what = "no block begins there, but the .gzi says so; make the .gzi again";
            wrong(first.coded, what)
        }
        error => error,
    })?;
    if behind.is_some_and(|block| block.plain - first.plain != summary.plain_len) {
        return Err(wrong(
            first.coded,
            "the blocks there do not have the length that the .gzi states; make the .gzi again",
        ));
    }
    Ok(wanted.written)
}

/// A writer that passes on a range of its bytes, and drops the bytes before and behind it.
struct RangeWriter<W> {
    output: W,
    skip: u64,
    left: u64,
    written: u64,
}

impl<W: Write> Write for RangeWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let here = bytes.len() as u64;
        let skip = self.skip.min(here);
        let take = self.left.min(here - skip);
        self.output.write_all(&bytes[skip as usize..(skip + take) as usize])?;
        self.skip -= skip;
        self.left -= take;
        self.written += take;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.output.flush()
    }
}
