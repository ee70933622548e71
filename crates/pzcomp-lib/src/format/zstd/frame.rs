//! How the frames of zstd are read: `crates/zstd` parses the headers, and `chain.rs` goes from block to block.
//!
//! [`FrameChain`] says where blocks end and where a frame is cut, for walker, decoder and salvage. [`FrameFacts`] has
//! what all jobs of a frame need, and makes the errors that name the frame.

use pzcomp_zstd::{BLOCK_HEADER_LEN, BlockHeader, Error as ZstdError, Format, FrameHeader};

use super::NAME;
use crate::error::{Damage, Error};
use crate::format::chain::{Chain, ChainFormat, ChainStart, CutCounter, Link};

/// The header that begins with these bytes. `None` if they are too few, or not valid.
pub(super) fn header(bytes: &[u8]) -> Option<FrameHeader> {
    FrameHeader::parse(bytes, Format::Magic).ok().flatten()
}

/// The length of the block with this header, and whether it is the last one. `None` if its type is reserved.
pub(super) fn block(header: [u8; BLOCK_HEADER_LEN]) -> Option<(u64, bool)> {
    // The decoder says that a block is too long.
    let header = BlockHeader::parse(header, usize::MAX).ok()?;
    Some(((BLOCK_HEADER_LEN + header.coded_len()) as u64, header.is_last))
}

/// The context of a cut. The job before hands on everything else that must be known there.
pub(super) const CONTEXT: u8 = 1;

/// A frame that states at most this many plain bytes is not cut.
const WHOLE_PLAIN_MAX: u64 = 4 << 20;

/// A frame that follows another frame is not cut if it states at most this many plain bytes: workers decode several
/// such frames at the same time, and that is faster.
const SERIES_PLAIN_MAX: u64 = 64 << 20;

/// A frame that follows another frame and states no length is expected to be about as long: `pzstd` writes such files.
/// It is not cut before it is this many times as long as the frame before, or longer than this.
const SERIES_GROWTH: u64 = 2;
const SERIES_CODED_MAX: u64 = 32 << 20;

/// The cuts behind a cut: blocks of the greatest length fill a piece of output.
pub(super) const CUTS: CutCounter = CutCounter::new(8, 32 << 10);

/// The cuts of a frame that states this plain length.
pub(super) fn cuts(content_len: Option<u64>) -> CutCounter {
    if content_len.is_none_or(|len| len > WHOLE_PLAIN_MAX) { CUTS } else { CutCounter::default() }
}

/// The frames of zstd.
pub(super) struct FrameChain;

impl Chain for FrameChain {
    fn link_len(&self) -> usize {
        BLOCK_HEADER_LEN
    }

    fn link(&self, head: &[u8], _: u8) -> Option<Link> {
        let (len, is_last) = block(*head.first_chunk()?)?;
        Some(if is_last { Link::Last(len) } else { Link::Block(len) })
    }
}

impl ChainFormat for FrameChain {
    fn check(&self) -> &'static str {
        "XXH64"
    }

    fn header_len(&self, head: &[u8]) -> usize {
        FrameHeader::len_at(head)
    }

    fn start(&self, head: &[u8]) -> Option<ChainStart> {
        let header = header(head)?;
        Some(ChainStart {
            header_len: header.header_len,
            style: CONTEXT,
            tail_len: if header.has_checksum { 4 } else { 0 },
            plain_len: header.content_size,
            has_check: header.has_checksum,
            cuts: cuts(header.content_size),
        })
    }

    fn uncut_len(&self, before: u64, start: &ChainStart) -> u64 {
        match start.plain_len {
            Some(stated) if stated <= SERIES_PLAIN_MAX => u64::MAX,
            Some(_) => 0,
            None => before.saturating_mul(SERIES_GROWTH).min(SERIES_CODED_MAX),
        }
    }
}

/// The facts that all jobs of a frame need.
#[derive(Clone, Copy)]
pub(super) struct FrameFacts {
    /// Offset of the frame.
    pub(super) start: u64,
    pub(super) header: FrameHeader,
    /// Whether the frame has a checksum that is to be verified.
    pub(super) is_verified: bool,
}

impl FrameFacts {
    pub(super) fn corrupt(&self, error: ZstdError) -> Error {
        let what = match error {
            ZstdError::ContentSize { stated, decoded } if decoded > stated => {
                format!("the frame that begins there holds more than the {stated} bytes that it states")
            }
            ZstdError::ContentSize { stated, decoded } => {
                format!("the frame that begins there holds {decoded} bytes, expected {stated}")
            }
            error => format!("the frame that begins there does not decode: {error}"),
        };
        let damage = match error {
            ZstdError::ContentSize { .. } => Damage::Length,
            _ => Damage::Form,
        };
        Error::corrupt(NAME, self.start, what).by(damage)
    }

    pub(super) fn truncated(&self, offset: u64) -> Error {
        Error::Truncated { format: NAME, frame: self.start, offset }
    }
}

#[cfg(test)]
mod tests {
    use super::super::MAGIC;
    use super::*;
    use crate::decompress::RangeCursor;
    use crate::format::chain::ChainWalker;
    use crate::format::{Cursor, Walker};
    use engine::io::RandomAccess;

    const BLOCK_LEN: usize = 32 << 10;

    /// A frame of so many raw blocks.
    fn frame(content_len: Option<u64>, blocks: usize) -> Vec<u8> {
        let mut coded = MAGIC.to_vec();
        coded.extend([if content_len.is_some() { 0xC0 } else { 0 }, 10 << 3]);
        coded.extend(content_len.iter().flat_map(|len| len.to_le_bytes()));
        for number in 1..=blocks {
            let header = (BLOCK_LEN as u32) << 3 | u32::from(number == blocks);
            coded.extend(&header.to_le_bytes()[..BLOCK_HEADER_LEN]);
            coded.resize(coded.len() + BLOCK_LEN, 7);
        }
        coded
    }

    /// How many blocks each unit has, for this many workers.
    fn units(coded: &[u8], workers: usize) -> Vec<usize> {
        let mut cursor = RangeCursor::new(RandomAccess::Memory(coded), 0..coded.len() as u64);
        let (mut walker, mut units, mut at) = (ChainWalker::new(FrameChain, workers), Vec::new(), 0);
        while at < coded.len() {
            walker.unit(&mut cursor).unwrap();
            walker.pass(&mut cursor).unwrap();
            let offset = Cursor::offset(&cursor) as usize;
            units.push((offset - at) / BLOCK_LEN);
            at = offset;
        }
        units
    }

    #[test]
    fn frames_in_a_row_are_not_cut_while_they_are_about_as_long() {
        let coded = [16, 24, 24, 96, 16].map(|blocks| frame(None, blocks)).concat();
        assert_eq!(units(&coded, 2), [8, 8, 24, 24, 56, 8, 8, 8, 8, 8, 16]);
        assert_eq!(units(&coded, 1), [16, 24, 24, 96, 16]);
    }

    #[test]
    fn a_frame_in_a_row_is_cut_if_it_states_that_it_is_long() {
        let long = frame(Some(SERIES_PLAIN_MAX + 1), 24);
        let short = frame(Some(SERIES_PLAIN_MAX), 24);
        assert_eq!(units(&[&short[..], &short, &long].concat(), 2), [8, 8, 8, 24, 8, 8, 8]);
    }
}
