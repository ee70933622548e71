//! What the Indexes of an xz file say of its Streams and Blocks, read from the end of the file on.

use std::fs::File;

use super::NAME;
use super::header::{Check, STREAM_HEADER_LEN, parse_stream_header};
use crate::error::{Error, Result};
use crate::index::{VLI_MAX, parse_vli};
use crate::io::Place;

const FOOTER_LEN: u64 = 12;
/// Longer ones would be a claim more likely than a file.
const INDEX_MAX: u64 = 64 << 20;
/// Streams and Blocks together, which is some terabytes of data, and some 100 MiB in memory.
const RECORDS_MAX: usize = 4 << 20;
/// So many zeros are looked at together.
const WINDOW_LEN: u64 = 4096;

/// A Stream of an xz file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct XzStream {
    /// Where it begins.
    pub offset: u64,
    /// Bytes from its header to its footer.
    pub coded_len: u64,
    /// Zeros behind it.
    pub padding: u64,
    /// The check that its Blocks carry, `-` if none.
    pub check: &'static str,
    /// Its Blocks.
    pub blocks: Vec<XzBlock>,
}

/// A Block of an xz file, as the Index has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct XzBlock {
    /// Bytes of the Block, its padding included.
    pub coded_len: u64,
    /// Bytes of plain data.
    pub plain_len: u64,
}

/// The Streams of an xz file, in their order, as `xz -l` has them: nothing of the data is read, so what
/// the Indexes say is not verified but for their CRC32 and for filling the file.
pub fn xz_streams(file: &File) -> Result<Vec<XzStream>> {
    let place = Place::File(file);
    streams(place, place.len(0)?)
}

/// The same of the first `end` bytes of a place.
pub(crate) fn streams(place: Place, mut end: u64) -> Result<Vec<XzStream>> {
    if end == 0 {
        return Err(Error::Empty);
    }
    let (mut streams, mut room) = (Vec::new(), RECORDS_MAX);
    while end > 0 {
        let stream = last_stream(place, end, room)?;
        room = room.saturating_sub(1 + stream.blocks.len());
        end = stream.offset;
        streams.push(stream);
    }
    streams.reverse();
    Ok(streams)
}

/// The Stream that ends at `end`, with the zeros behind it, if it has less than `room` Blocks.
fn last_stream(place: Place, end: u64, room: usize) -> Result<XzStream> {
    let wrong = |what: &str| Error::corrupt(NAME, end, format!("before it {what}"));
    let padding = zeros_before(place, end)?;
    let footer_at = (end - padding).checked_sub(FOOTER_LEN).filter(|_| padding % 4 == 0);
    let footer_at = footer_at.ok_or_else(|| wrong("a Stream Footer was expected, and zeros in fours"))?;
    let footer = read(place, footer_at, FOOTER_LEN)?;
    let (index_len, check) = parse_footer(&footer).ok_or_else(|| wrong("there is no valid Stream Footer"))?;
    if index_len > INDEX_MAX {
        return Err(wrong("the Stream Footer claims an Index of more than 64 MiB, which is not listed"));
    }
    let index_at = footer_at.checked_sub(index_len).ok_or_else(|| wrong("the Index does not fit"))?;
    let index = read(place, index_at, index_len)?;
    if count_in(&index).is_none_or(|count| count >= room as u64) {
        return Err(wrong("there are more Blocks than are listed, which is 4 million"));
    }
    let blocks = parse_index(&index).ok_or_else(|| wrong("the Index contradicts itself or its CRC32"))?;
    let blocks_len = blocks.iter().try_fold(0_u64, |sum, block| sum.checked_add(block.coded_len));
    let offset = blocks_len
        .and_then(|len| index_at.checked_sub(len)?.checked_sub(STREAM_HEADER_LEN as u64))
        .ok_or_else(|| wrong("the Index lists more than there is room for"))?;
    if parse_stream_header(&read(place, offset, STREAM_HEADER_LEN as u64)?) != Some(check) {
        return Err(wrong("the Index does not lead to a Stream Header like the Stream Footer"));
    }
    Ok(XzStream { offset, coded_len: end - padding - offset, padding, check: check.name(), blocks })
}

fn zeros_before(place: Place, end: u64) -> Result<u64> {
    let mut zeros = 0;
    while zeros < end {
        let len = WINDOW_LEN.min(end - zeros);
        let window = read(place, end - zeros - len, len)?;
        let here = window.iter().rev().take_while(|&&byte| byte == 0).count() as u64;
        zeros += here;
        if here < len {
            break;
        }
    }
    Ok(zeros)
}

/// `len` bytes at `offset`; the caller has seen that they are there and bounded.
fn read(place: Place, offset: u64, len: u64) -> Result<Vec<u8>> {
    let mut bytes = vec![0; len as usize];
    let read = place.read_at(&mut bytes, offset)?;
    if read < bytes.len() {
        return Err(Error::Shrank { expected: offset + len, found: offset + read as u64 });
    }
    Ok(bytes)
}

/// The length of the Index, and the Check (section 2.1.2).
fn parse_footer(footer: &[u8]) -> Option<(u64, Check)> {
    let (crc, rest) = footer.split_first_chunk::<4>()?;
    let fields = rest.strip_suffix(b"YZ")?;
    let (backward, flags) = fields.split_first_chunk::<4>()?;
    let check = Check::of_flags(flags)?;
    let is_whole = crc32fast::hash(fields) == u32::from_le_bytes(*crc);
    is_whole.then_some(((u64::from(u32::from_le_bytes(*backward)) + 1) * 4, check))
}

/// The number of Blocks that an Index claims to list.
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
