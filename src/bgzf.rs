//! BGZF files from any place on: their `.gzi` made from the headers, and used.

use std::fs::File;
use std::io::Write;
use std::ops::Range;

use crate::decompress::{RangeCursor, decompress_io};
use crate::error::{Error, Result};
use crate::format::{Cursor, gzip};
use crate::index::{Gzi, GziBuilder};
use crate::io::{Input, Output, RandomAccess};
use crate::options::Options;

/// Plain bytes in a block at most, by the specification.
const PLAIN_MAX: u32 = 1 << 16;

/// Makes the `.gzi` of a BGZF file, as `bgzip -r` does, from the headers and trailers of its blocks
/// alone: two short reads for each.
///
/// What blocks say of their plain length is verified when they are decoded.
pub fn bgzf_index(file: &File) -> Result<Vec<u8>> {
    let place = RandomAccess::File(file);
    let len = place.len(0)?;
    if len == 0 {
        return Err(Error::Empty);
    }
    let mut cursor = RangeCursor::new(place, 0..len);
    let mut gzi = GziBuilder::default();
    while cursor.offset() < len {
        let block = cursor.offset();
        let unsupported = |what: String| Error::Unsupported { format: "BGZF", offset: block, what };
        let bsize = gzip::block_size(&mut cursor)?.ok_or_else(|| {
            unsupported("no block begins there: only files as bgzip writes them have a .gzi".into())
        })?;
        let end = block + u64::from(bsize) + 1;
        let mut isize = [0; 4];
        if end > len || place.read_at(&mut isize, end - 4)? < isize.len() {
            return Err(Error::Truncated { format: "BGZF", frame: block, offset: len });
        }
        let plain_len = u32::from_le_bytes(isize);
        if plain_len > PLAIN_MAX {
            let what = format!("the block says it holds {plain_len} bytes, expected at most {PLAIN_MAX}");
            return Err(unsupported(what));
        }
        gzi.push(bsize, plain_len);
        cursor.take(u64::from(bsize) + 1)?;
    }
    Ok(gzi.encode())
}

/// Decompresses the bytes of `range`, which counts plain bytes, from a BGZF file with its `.gzi`. The
/// number of bytes written is less than the range has if the data ends before.
///
/// Only the blocks that hold them are read, by as many threads as the options say. Which bytes they
/// are is the index's word: that of another file is found out only where it does not lead to blocks,
/// or to blocks of other lengths.
pub fn read_range(
    file: &File,
    gzi: &[u8],
    range: Range<u64>,
    output: impl Write + Send,
    options: &Options,
) -> Result<u64> {
    let wrong = |offset, what: &str| Error::corrupt("BGZF", offset, what);
    let index =
        Gzi::parse(gzi).ok_or_else(|| wrong(0, "the index is no .gzi; make it again with bgzip -r"))?;
    if range.is_empty() {
        return Ok(0);
    }
    let (first, behind) = (index.holding(range.start), index.from(range.end));
    let len = RandomAccess::File(file).len(0)?;
    let end = behind.map_or(len, |block| block.coded);
    if first.coded >= len || end > len {
        return Err(wrong(len, "the file ends before the blocks that the .gzi lists: it is of another file"));
    }
    let mut window =
        Window { output, skip: range.start - first.plain, left: range.end - range.start, written: 0 };
    let input = Input::File { file, start: first.coded, len: end };
    let decoded = decompress_io(input, Output::Writer(Box::new(&mut window)), options);
    let summary = decoded.map_err(|error| match error {
        Error::NotCompressed { .. } => {
            wrong(first.coded, "no block begins there, though the .gzi says so: it is of another file")
        }
        error => error,
    })?;
    if behind.is_some_and(|block| block.plain - first.plain != summary.plain_len) {
        return Err(wrong(
            first.coded,
            "the blocks there do not hold what the .gzi says: it is of another file",
        ));
    }
    Ok(window.written)
}

/// Passes part of what is written to it, and drops what is before and behind.
struct Window<W> {
    output: W,
    skip: u64,
    left: u64,
    written: u64,
}

impl<W: Write> Write for Window<W> {
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
