//! Lists the Streams and Blocks of an xz file from their Indexes.
//!
//! The input is a file or memory that can be read at any offset. The file is read from its end: each Stream Footer
//! leads to an Index, and the Index leads to the Stream Header. `inspect.rs` and the command `xz -l` call it. No Block
//! is decoded, so the sizes are only claims. But the sizes must fill the file exactly, and each Index must have the
//! right CRC32.

use std::fs::File;

use super::NAME;
use super::header::{CheckId, STREAM_HEADER_LEN, parse_stream_header};
use super::index::{VLI_MAX, parse_vli};
use crate::error::{Error, Result};
use engine::io::RandomAccess;

pub(super) const FOOTER_LEN: u64 = 12;
/// The longest Index that is read. A longer one is more likely a false claim than a real file.
pub(super) const INDEX_MAX: u64 = 64 << 20;
/// The most Streams and Blocks together. That is some terabytes of data, and some 100 MiB in memory.
const RECORDS_MAX: usize = 4 << 20;
/// The number of zeros that are read at a time.
const READ_LEN: u64 = 4096;
/// How many bytes are read first. Most Streams have no padding, and some are shorter than what is read later.
const FIRST_READ_LEN: u64 = 16;

/// A Stream of an xz file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct XzStream {
    /// Offset of the Stream Header in the file.
    pub offset: u64,
    /// Bytes from the Stream Header to the end of the Stream Footer.
    pub coded_len: u64,
    /// Bytes of the Stream Padding behind it.
    pub padding: u64,
    /// The name of the Check that its Blocks carry, as xz names it; `-` if none.
    pub check: &'static str,
    /// Its Blocks.
    pub blocks: Vec<XzBlock>,
    /// The context of its Blocks, for the decoder.
    pub(crate) context: u8,
}

/// A Block of an xz file, as the Index states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct XzBlock {
    /// Bytes of the Block with its Block Padding.
    pub coded_len: u64,
    /// Bytes of plain data.
    pub plain_len: u64,
}

/// Lists the Streams of an xz file in their order.
///
/// Only headers, Indexes and footers are read (`doc/xz-file-format.txt` of the xz project, sections 2 and 4). The sizes
/// are not compared with the data. It is an error if an Index or a header is not valid, if the sizes do not fill the
/// file, or if the file has more than 4 million Blocks.
///
/// ```
/// use pzcomp::{Encode, Input, Output};
///
/// let options = Encode::xz(0).build()?;
/// let file = tempfile::tempfile()?;
/// let input = Input::Memory(b"three in the morning");
/// pzcomp::Compress::new(&options).run(input, &file)?;
/// let streams = pzcomp::inspect::xz_streams(&file)?;
/// assert_eq!((streams.len(), streams[0].check, streams[0].blocks[0].plain_len), (1, "CRC64", 20));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn xz_streams(file: &File) -> Result<Vec<XzStream>> {
    let place = RandomAccess::File(file);
    streams(place, place.len(0)?, RECORDS_MAX)
}

/// Lists the Streams in the first `file_len` bytes of `place`, if there are at most `most` Streams and Blocks together.
pub(super) fn streams(place: RandomAccess, file_len: u64, most: usize) -> Result<Vec<XzStream>> {
    let mut end = file_len;
    if end == 0 {
        return Err(Error::Empty);
    }
    let (mut streams, mut room) = (Vec::new(), most.min(RECORDS_MAX));
    while end > 0 {
        let stream = last_stream(place, end, room)?;
        room = room.saturating_sub(1 + stream.blocks.len());
        end = stream.offset;
        streams.push(stream);
    }
    streams.reverse();
    let blocks = || streams.iter().flat_map(|stream: &XzStream| &stream.blocks);
    // The format has no larger numbers (section 1.2), and no file can hold more.
    if blocks()
        .try_fold(0_u64, |sum, block| sum.checked_add(block.plain_len).filter(|&sum| sum <= VLI_MAX))
        .is_none()
    {
        let what = "the sizes of plain data in the Indexes add up to more than the format can state";
        return Err(Error::corrupt(NAME, file_len, what));
    }
    Ok(streams)
}

/// The Stream that ends at `end`, with the padding behind it, if it has fewer than `room` Blocks.
fn last_stream(place: RandomAccess, end: u64, room: usize) -> Result<XzStream> {
    let wrong = |what: &str| Error::corrupt(NAME, end, format!("before it {what}"));
    let padding = zeros_before(place, end)?;
    let footer_at = (end - padding).checked_sub(FOOTER_LEN).filter(|_| padding % 4 == 0);
    let footer_at = footer_at.ok_or_else(|| {
        wrong("there is no room for a Stream Footer, or the padding is not a multiple of 4")
    })?;
    let footer = read(place, footer_at, FOOTER_LEN)?;
    let (index_len, check) = parse_footer(&footer).ok_or_else(|| wrong("there is no valid Stream Footer"))?;
    if index_len > INDEX_MAX {
        return Err(wrong("the Stream Footer states an Index of more than 64 MiB, the most that is listed"));
    }
    let index_at = footer_at
        .checked_sub(index_len)
        .ok_or_else(|| wrong("the Stream Footer states an Index that is longer than the file before it"))?;
    let index = read(place, index_at, index_len)?;
    if count_in(&index).is_none_or(|count| count >= room as u64) {
        return Err(wrong("the Index lists too many Blocks: at most 4 million are listed"));
    }
    let blocks = parse_index(&index).ok_or_else(|| wrong("the Index or its CRC32 is not valid"))?;
    let blocks_len = blocks.iter().try_fold(0_u64, |sum, block| sum.checked_add(block.coded_len));
    let offset = blocks_len
        .and_then(|len| index_at.checked_sub(len)?.checked_sub(STREAM_HEADER_LEN as u64))
        .ok_or_else(|| wrong("the Blocks in the Index are longer than the file before it"))?;
    if parse_stream_header(&read(place, offset, STREAM_HEADER_LEN as u64)?) != Some(check) {
        return Err(wrong(
            "the sizes in the Index do not lead to a Stream Header that matches the Stream Footer",
        ));
    }
    let (coded_len, context) = (end - padding - offset, check.context());
    Ok(XzStream { offset, coded_len, padding, check: check.name(), blocks, context })
}

fn zeros_before(place: RandomAccess, end: u64) -> Result<u64> {
    let (mut zeros, mut read_len) = (0, FIRST_READ_LEN);
    while zeros < end {
        let len = read_len.min(end - zeros);
        let bytes = read(place, end - zeros - len, len)?;
        let here = bytes.iter().rev().take_while(|&&byte| byte == 0).count() as u64;
        zeros += here;
        if here < len {
            break;
        }
        read_len = READ_LEN;
    }
    Ok(zeros)
}

/// Reads `len` bytes at `offset`. The caller has checked that the bytes exist and that `len` is bounded.
fn read(place: RandomAccess, offset: u64, len: u64) -> Result<Vec<u8>> {
    let mut bytes = vec![0; len as usize];
    let read = place.read_at(&mut bytes, offset)?;
    if read < bytes.len() {
        return Err(Error::Shrank { expected: offset + len, found: offset + read as u64 });
    }
    Ok(bytes)
}

/// The length of the Index, and the Check (section 2.1.2).
pub(super) fn parse_footer(footer: &[u8]) -> Option<(u64, CheckId)> {
    let (crc, rest) = footer.split_first_chunk::<4>()?;
    let fields = rest.strip_suffix(b"YZ")?;
    let (backward, flags) = fields.split_first_chunk::<4>()?;
    let check = CheckId::of_flags(flags)?;
    let is_whole = crc32fast::hash(fields) == u32::from_le_bytes(*crc);
    is_whole.then_some(((u64::from(u32::from_le_bytes(*backward)) + 1) * 4, check))
}

/// The number of Blocks that an Index states.
fn count_in(index: &[u8]) -> Option<u64> {
    parse_vli(index.strip_prefix(&[0])?).map(|(count, _)| count)
}

/// The Blocks that an Index lists (section 4).
fn parse_index(index: &[u8]) -> Option<Vec<XzBlock>> {
    let (fields, crc) = index.split_last_chunk::<4>()?;
    if crc32fast::hash(fields) != u32::from_le_bytes(*crc) {
        return None;
    }
    let (count, mut rest) = parse_vli(fields.strip_prefix(&[0])?)?;
    let mut blocks = Vec::new();
    for _ in 0..count {
        let (unpadded_len, after) = parse_vli(rest)?;
        let (plain_len, after) = parse_vli(after)?;
        if unpadded_len == 0 || unpadded_len > VLI_MAX - 3 {
            return None;
        }
        blocks.push(XzBlock { coded_len: unpadded_len.next_multiple_of(4), plain_len });
        rest = after;
    }
    (rest.len() < 4 && rest.iter().all(|&byte| byte == 0)).then_some(blocks)
}
