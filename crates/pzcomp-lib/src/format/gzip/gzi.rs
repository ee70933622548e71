//! The `.gzi` index of a BGZF file, as `bgzip -i` and `bgzip -r` of htslib write it. It says where the blocks begin.
//!
//! ```text
//! u64 count   { u64 coded offset, u64 plain offset }      count times
//! ```
//!
//! All numbers are little-endian. The first block is left out, because it begins at 0 in both, and so are blocks
//! without data.
//!
//! The writer of BGZF and `bgzf.rs` collect blocks and make the file. `bgzf.rs` reads it to find the blocks of a range,
//! and `seekable/index/` reads it as an [`IndexFile`].

use crate::error::{Error, Result};
use crate::format::index_file::{IndexEnds, IndexFile, IndexFormat, IndexedPart, TakePart};
use crate::format::plain_lens::PlainLens;
use crate::format::restart::RestartPart;
use engine::io::RandomAccess;

/// Length of the entry of a block.
const ENTRY_LEN: u64 = 16;

/// Collects blocks for a `.gzi`. A block takes two bytes of memory.
#[derive(Debug, Default)]
pub(crate) struct GziBuilder {
    /// Coded lengths less one, as BSIZE states them.
    coded_lens: Vec<u16>,
    plain_lens: PlainLens,
}

impl GziBuilder {
    /// Adds the next block. `bsize` is the coded length less one.
    pub(crate) fn push(&mut self, bsize: u16, plain_len: u32) {
        self.coded_lens.push(bsize);
        self.plain_lens.push(plain_len);
    }

    /// The bytes of the file.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut gzi = vec![0; 8];
        let (mut coded, mut plain, mut count) = (0_u64, 0_u64, 0_u64);
        for (&bsize, plain_len) in self.coded_lens.iter().zip(self.plain_lens.iter()) {
            if plain > 0 && plain_len > 0 {
                gzi.extend_from_slice(&coded.to_le_bytes());
                gzi.extend_from_slice(&plain.to_le_bytes());
                count += 1;
            }
            coded += u64::from(bsize) + 1;
            plain += u64::from(plain_len);
        }
        gzi[..8].copy_from_slice(&count.to_le_bytes());
        gzi
    }
}

/// The offsets at which a block begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockStart {
    pub(crate) coded: u64,
    pub(crate) plain: u64,
}

/// A `.gzi` that has been read.
#[derive(Debug)]
pub(crate) struct Gzi(Vec<BlockStart>);

impl Gzi {
    /// Parses a file. Returns `None` if its length does not match its count, or if its offsets do not rise.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let (count, entries) = bytes.split_first_chunk::<8>()?;
        if entries.len() as u64 != u64::from_le_bytes(*count).checked_mul(16)? {
            return None;
        }
        let mut blocks = Vec::with_capacity(entries.len() / 16 + 1);
        blocks.push(BlockStart::default());
        for entry in entries.chunks_exact(16) {
            let (coded, plain) = (entry.first_chunk()?, entry.last_chunk()?);
            blocks.push(BlockStart { coded: u64::from_le_bytes(*coded), plain: u64::from_le_bytes(*plain) });
        }
        let rises = |pair: &[BlockStart]| pair[0].coded < pair[1].coded && pair[0].plain < pair[1].plain;
        blocks.windows(2).all(rises).then_some(Self(blocks))
    }

    /// The block that holds the plain byte at `offset`, or the last block if the offset is behind its start.
    pub(crate) fn holding(&self, offset: u64) -> BlockStart {
        let behind = self.0.partition_point(|block| block.plain <= offset);
        self.0[behind.saturating_sub(1)]
    }

    /// The first block that begins at the plain `offset` or behind it; `None` if there is none.
    pub(crate) fn from(&self, offset: u64) -> Option<BlockStart> {
        self.0.get(self.0.partition_point(|block| block.plain < offset)).copied()
    }
}

/// The form of the `.gzi`. Only decoding tells the length of the last block.
pub(super) struct GziFile;

impl IndexFile for GziFile {
    fn format(&self) -> IndexFormat {
        IndexFormat::Gzi
    }

    fn sniff(&self, head: &[u8], len: u64) -> bool {
        let count = head.first_chunk().map(|count| u64::from_le_bytes(*count));
        let expected = count.and_then(|count| count.checked_mul(ENTRY_LEN)?.checked_add(8));
        expected == Some(len)
    }

    fn read(&self, place: RandomAccess, len: u64, most: u64, take: TakePart) -> Result<Option<IndexEnds>> {
        if len / ENTRY_LEN > most {
            return Ok(None);
        }
        let mut bytes = vec![0; len as usize];
        let read = place.read_at(&mut bytes, 0)?;
        let wrong = || Error::index("the places in it do not follow each other");
        let Gzi(starts) = Gzi::parse(&bytes[..read]).ok_or_else(wrong)?;
        for (start, end) in starts.iter().zip(&starts[1..]) {
            let part = RestartPart { header_len: 1, ..RestartPart::default() };
            take(IndexedPart { coded: start.coded..end.coded, plain: start.plain, part });
        }
        let last = starts.last().copied().unwrap_or_default();
        Ok(Some(IndexEnds { coded_len: None, plain_len: last.plain, rest: Some(last.coded) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_block_and_empty_ones_are_left_out() {
        let mut builder = GziBuilder::default();
        for (bsize, plain_len) in [(27, 0), (99, 1000), (27, 0), (49, 500), (27, 0)] {
            builder.push(bsize, plain_len);
        }
        let mut expected = vec![0; 24];
        (expected[0], expected[8]) = (1, 28 + 100 + 28);
        expected[16..18].copy_from_slice(&1000_u16.to_le_bytes());
        assert_eq!(builder.encode(), expected);
        let gzi = Gzi::parse(&expected).unwrap();
        let second = BlockStart { coded: 156, plain: 1000 };
        assert_eq!((gzi.holding(999), gzi.holding(1000)), (BlockStart::default(), second));
        assert_eq!((gzi.from(1), gzi.from(1000), gzi.from(1001)), (Some(second), Some(second), None));
    }

    #[test]
    fn what_contradicts_itself_is_no_index() {
        let entry = |coded: u64, plain: u64| [coded.to_le_bytes(), plain.to_le_bytes()].concat();
        let with =
            |count: u64, entries: &[Vec<u8>]| [count.to_le_bytes().to_vec(), entries.concat()].concat();
        assert!(Gzi::parse(&with(2, &[entry(9, 9), entry(10, 10)])).is_some());
        for (count, entries) in [
            (1, vec![]),
            (0, vec![entry(9, 9)]),
            (u64::MAX, vec![entry(9, 9)]),
            (1, vec![entry(0, 9)]),
            (2, vec![entry(9, 9), entry(9, 10)]),
            (2, vec![entry(9, 9), entry(10, 8)]),
        ] {
            assert!(Gzi::parse(&with(count, &entries)).is_none(), "{count}, {entries:?}");
        }
        assert!(Gzi::parse(&[0; 7]).is_none());
    }
}
