//! One stream around all blocks, as `bzip2` and `lbzip2` write it: for readers that stop after the first.
//!
//! ```text
//! BZh9 | block | block | … | end
//! ```
//!
//! Blocks follow each other at any bit, so where one goes depends on the lengths of all before it. But a
//! block may list more selectors than it has use for, and one that says what the last one said takes a
//! bit. So each block is filled up to a whole byte, as lbzip2 does it, and goes wherever it comes.

use super::super::Encoder;
use super::super::ffi::bzip2::Compressor;
use super::{BLOCK_MAGIC, END_LEN, END_MAGIC, MAGIC_BITS, MAGIC_LEN};
use crate::error::{Error, Result};
use crate::pipeline::{Joiner, Report};

/// `BZh` and the level.
const HEADER_LEN: usize = 4;

/// Bits of a block before the map of the bytes that it holds: magic number, CRC, a flag, and where the
/// original begins.
const BEFORE_MAP: usize = MAGIC_BITS as usize + 32 + 1 + 24;
const MAP_BITS: usize = 16;
/// The numbers of code tables and of selectors.
const TABLES_BITS: usize = 3;
const SELECTORS_BITS: usize = 15;

/// What a block holds at most is 100,000 bytes for each level, less what the library keeps free, and less
/// the symbols of eight selectors: no decoder takes more than 18,002, and each stands for 50 symbols.
pub(super) fn block_len(level: i32) -> usize {
    100_000 * level.unsigned_abs() as usize - 19 - 8 * 50
}

/// The greatest coded length of a chunk.
pub(super) fn coded_bound(chunk_len: usize, level: i32) -> usize {
    // What is four times the same takes five bytes in a block.
    let blocks = chunk_len / 4 * 5 / block_len(level) + 2;
    // The library's manual: one per cent and 600 bytes.
    chunk_len + chunk_len / 100 + 600 * blocks
}

/// Codes chunks to blocks that are whole bytes.
pub(super) struct BlockEncoder {
    compressor: Compressor,
    level: i32,
    sum: Sum,
}

impl BlockEncoder {
    pub(super) fn new(level: i32) -> Self {
        Self { compressor: Compressor::default(), level, sum: Sum::default() }
    }
}

impl Encoder for BlockEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        self.sum = Sum::default();
        let (mut rest, mut end) = (chunk, 0);
        while !rest.is_empty() {
            let (plain, after) = rest.split_at(fitting(rest, block_len(self.level)));
            let room = &mut out[end..];
            let coded = self.compressor.compress(self.level, plain, room);
            let coded_len = coded.map_err(|status| {
                Error::Internal(format!("bzip2 compression failed with status {status}"))
            })?;
            let block = fill_up(&mut room[..coded_len])
                .ok_or_else(|| Error::Internal("bzip2 compression made other than one block".into()))?;
            room.copy_within(HEADER_LEN..HEADER_LEN + block.len, 0);
            self.sum.add(Sum { blocks: 1, crc: block.crc });
            end += block.len;
            rest = after;
        }
        Ok(end)
    }

    fn note(&self) -> u64 {
        u64::from(self.sum.blocks) << 32 | u64::from(self.sum.crc)
    }
}

/// How many of the first bytes take no more than `limit` when runs are shortened, at least one.
fn fitting(bytes: &[u8], limit: usize) -> usize {
    if bytes.len() / 4 * 5 + 5 <= limit {
        return bytes.len();
    }
    // A run of four to 255 is written as four and how many more there are.
    let (mut len, mut run, mut last) = (0, 0_u32, None);
    for (at, &byte) in bytes.iter().enumerate() {
        run = if last == Some(byte) && run < 255 { run + 1 } else { 1 };
        last = Some(byte);
        len += match run {
            1..=3 => 1,
            4 => 2,
            _ => 0,
        };
        if len > limit {
            return at.max(1);
        }
    }
    bytes.len()
}

/// A block that has whole bytes.
struct Block {
    len: usize,
    crc: u32,
}

/// Fills the block of a stream that has but one up to a whole byte, in place, where there is room as the
/// end of the stream goes. Nothing if it is another stream.
fn fill_up(stream: &mut [u8]) -> Option<Block> {
    let start = 8 * HEADER_LEN;
    let end = end_of_block(stream)?;
    let crc = bits(stream, start + MAGIC_BITS as usize, 32)?;
    let is_only = bits(stream, start, MAGIC_BITS as usize)? == BLOCK_MAGIC
        && bits(stream, end + MAGIC_BITS as usize, 32)? == crc;
    if !is_only {
        return None;
    }
    let fill = (end - start).next_multiple_of(8) - (end - start);
    if fill > 0 {
        let map = bits(stream, start + BEFORE_MAP, MAP_BITS)?;
        let count_at = start + BEFORE_MAP + MAP_BITS + MAP_BITS * map.count_ones() as usize + TABLES_BITS;
        let count = bits(stream, count_at, SELECTORS_BITS)?;
        let behind = behind_zeros(stream, count_at + SELECTORS_BITS, count as usize)?;
        insert_zeros(stream, behind, end, fill);
        put_bits(stream, count_at, SELECTORS_BITS, count + fill as u64);
    }
    Some(Block { len: (end - start + fill) / 8, crc: crc as u32 })
}

/// The bit at which the end of the stream begins, before at most seven bits that mean nothing.
fn end_of_block(stream: &[u8]) -> Option<usize> {
    let last = (8 * stream.len()).checked_sub(8 * END_LEN)?;
    (last.saturating_sub(7)..=last).rev().find(|&at| bits(stream, at, MAGIC_BITS as usize) == Some(END_MAGIC))
}

/// `count` bits from bit `at` on, at most 56.
fn bits(bytes: &[u8], at: usize, count: usize) -> Option<u64> {
    let mut window = [0; 8];
    let rest = bytes.get(at / 8..)?;
    let len = rest.len().min(window.len());
    window[..len].copy_from_slice(&rest[..len]);
    (at + count <= 8 * bytes.len()).then(|| u64::from_be_bytes(window) << (at % 8) >> (64 - count))
}

fn put_bits(bytes: &mut [u8], at: usize, count: usize, value: u64) {
    for bit in 0..count {
        let (byte, mask) = ((at + bit) / 8, 0x80 >> ((at + bit) % 8));
        let is_set = value >> (count - 1 - bit) & 1 == 1;
        bytes[byte] = if is_set { bytes[byte] | mask } else { bytes[byte] & !mask };
    }
}

/// The place behind so many zeros, of which each ends a selector.
fn behind_zeros(bytes: &[u8], mut at: usize, count: usize) -> Option<usize> {
    for _ in 0..count {
        while bits(bytes, at, 1)? == 1 {
            at += 1;
        }
        at += 1;
    }
    Some(at)
}

/// Moves the bits from `at` to `end` on by `count`, at most seven, and puts zeros in their place.
fn insert_zeros(bytes: &mut [u8], at: usize, end: usize, count: usize) {
    let (first, last) = (at / 8, (end + count).div_ceil(8));
    let before = bytes[first] & !(0xff >> (at % 8));
    // What is before the place must not move into it.
    bytes[first] &= 0xff >> (at % 8);
    let mut carry = 0;
    for byte in &mut bytes[first..last] {
        let moved = *byte >> count | carry;
        carry = *byte << (8 - count);
        *byte = moved;
    }
    bytes[first] |= before;
}

/// Blocks in a row, and the CRC that a stream of them has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    blocks: u32,
    crc: u32,
}

impl Sum {
    /// Adds what follows. Each block turns the CRC of those before it by a bit.
    fn add(&mut self, next: Self) {
        self.crc = self.crc.rotate_left(next.blocks % 32) ^ next.crc;
        self.blocks = self.blocks.wrapping_add(next.blocks);
    }
}

/// The stream being written.
#[derive(Default)]
struct Stream {
    sum: Sum,
    total: Report,
}

/// What comes before the blocks, and what makes their end.
pub(super) fn begin(level: i32) -> (Vec<u8>, Box<dyn Joiner>) {
    let stream = Stream { total: Report { frames: 1, ..Report::default() }, ..Stream::default() };
    (format!("BZh{level}").into_bytes(), Box::new(stream))
}

impl Joiner for Stream {
    fn join(&mut self, report: &Report) {
        self.sum.add(Sum { blocks: (report.note >> 32) as u32, crc: report.note as u32 });
        self.total.add(&Report { frames: 0, ..*report });
    }

    fn trailer(&mut self) -> Vec<u8> {
        [&END_MAGIC.to_be_bytes()[8 - MAGIC_LEN..], &self.sum.crc.to_be_bytes()].concat()
    }

    fn total(&self) -> Report {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_go_in_where_they_are_wanted_and_nowhere_else() {
        for (at, end, count) in [(3, 20, 5), (0, 8, 1), (8, 9, 7), (7, 31, 6), (15, 17, 4), (16, 16, 3)] {
            let original = [0b1011_0111, 0b0101_1011, 0b1110_1101, 0b1001_0110, 0xff, 0xff];
            let mut bytes = original;
            insert_zeros(&mut bytes, at, end, count);
            let bit = |bytes: &[u8], at: usize| bits(bytes, at, 1);
            assert!((0..at).all(|place| bit(&bytes, place) == bit(&original, place)), "{at} {end} {count}");
            assert!((at..at + count).all(|place| bit(&bytes, place) == Some(0)), "{at} {end} {count}");
            assert!(
                (at..end).all(|place| bit(&bytes, place + count) == bit(&original, place)),
                "{at} {end} {count}"
            );
        }
    }

    #[test]
    fn blocks_are_whole_bytes_and_one_at_a_time() {
        let mut encoder = BlockEncoder::new(1);
        // Runs of four become five, so that this is more than a block holds.
        let runs: Vec<u8> = (0..400_000_u32).map(|at| (at / 4) as u8).collect();
        let mut out = vec![0; coded_bound(runs.len(), 1)];
        let len = encoder.encode(&runs, &mut out).unwrap_or(0);
        assert_eq!(encoder.sum.blocks, 6, "{len}");
        assert_eq!(bits(&out, 0, 48), Some(BLOCK_MAGIC));
    }

    #[test]
    fn a_block_never_holds_more_than_its_limit() {
        assert_eq!(fitting(&[7; 255], 6), 255);
        assert_eq!(fitting(&[7; 256], 5), 255);
        assert_eq!(fitting(&[7; 10], 4), 3);
        assert_eq!(fitting(b"abcdefgh", 3), 3);
        assert_eq!(fitting(b"ab", 1), 1);
    }
}
