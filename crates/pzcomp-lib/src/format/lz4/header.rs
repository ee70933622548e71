//! The header of an lz4 frame, and how its blocks are read: `chain.rs` goes from block to block.
//!
//! [`FrameChain`] says where blocks end and where a frame is cut, for walker, decoder and salvage. Only the size of
//! each block is read.

use xxhash_rust::xxh32::xxh32;

use super::{LEGACY_CODED_MAX, LEGACY_MAGIC, MAGIC, STORED};
use crate::error::Result;
use crate::format::chain::{Chain, ChainFormat, ChainStart, CutCounter, Link};
use engine::{PIECE_LEN, Source};

/// The shortest header.
const HEADER_MIN: usize = 7;
/// The version in FLG, and the bits there that have a meaning.
const VERSION: u8 = 1 << 6;
const FLAGS_KNOWN: u8 = 0b0011_1101;
/// The bits of BD that have a meaning.
const SIZES_KNOWN: u8 = 0b0111_0000;
/// A frame that states at most this many plain bytes is decoded whole.
pub(super) const WHOLE_PLAIN_MAX: u64 = 4 << 20;

/// A part has at least this many coded bytes. A job of many small frames has at most as many, so no other frame is in
/// the job of a part.
const PART_LEN: u64 = 256 << 10;
/// The style of legacy frames. [`Style::packed`] gives other values.
const LEGACY_STYLE: u8 = 0;

/// The number of the smallest blocks that hold a chunk, or of the largest blocks there are.
pub(super) fn block_id(chunk_len: usize) -> u8 {
    (4..7).find(|&id| chunk_len <= block_max(id)).unwrap_or(7)
}

/// The greatest plain length of blocks with this number.
pub(super) fn block_max(id: u8) -> usize {
    1 << (8 + 2 * id)
}

/// HC: one byte of the checksum of the descriptor.
pub(super) fn header_check(descriptor: &[u8]) -> u8 {
    (xxh32(descriptor, 0) >> 8) as u8
}

/// A frame header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) len: usize,
    pub(super) independent: bool,
    pub(super) content_len: Option<u64>,
    pub(super) style: Style,
}

/// What all blocks of a frame have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Style {
    /// The number for the greatest length of a block.
    pub(super) id: u8,
    pub(super) block_checksums: bool,
    pub(super) content_checksum: bool,
    /// Whether the header states the plain length of the frame.
    pub(super) content_len: bool,
}

impl Header {
    /// The length of the header that begins with these bytes, of which [`HEADER_MIN`] are enough to tell. A legacy
    /// frame has a header of four bytes.
    pub(super) fn len_at(bytes: &[u8]) -> usize {
        let flags = bytes.get(4).filter(|_| bytes.starts_with(&MAGIC)).copied().unwrap_or(0);
        HEADER_MIN + 8 * usize::from(flags & 8 != 0) + 4 * usize::from(flags & 1 != 0)
    }

    /// The bytes of the header at the source. Not more are waited for, because a frame may be shorter than the longest
    /// header.
    pub(super) fn gather<'a>(source: &'a mut Source) -> Result<&'a [u8]> {
        // A legacy frame without blocks is its magic number alone.
        if source.gather(LEGACY_MAGIC.len())?.starts_with(&LEGACY_MAGIC) {
            return Ok(source.gather(LEGACY_MAGIC.len())?);
        }
        let len = Self::len_at(source.gather_inside(HEADER_MIN)?);
        Ok(source.gather_inside(len)?)
    }

    /// Nothing if the bytes are too few or not valid. Reserved bits must be zero, as the format demands. A content size
    /// of 0 counts as unknown, as in liblz4: programs that do not know the size leave it so.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let &[flags, sizes, ref rest @ ..] = bytes.strip_prefix(&MAGIC)? else {
            return None;
        };
        let has_content_len = flags & 8 != 0;
        let has_dictionary = flags & 1 != 0;
        let content_len =
            rest.first_chunk::<8>().filter(|_| has_content_len).map(|len| u64::from_le_bytes(*len));
        let content_len = content_len.filter(|&len| len > 0);
        let id = sizes >> 4 & 7;
        let len = 7 + 8 * usize::from(has_content_len) + 4 * usize::from(has_dictionary);
        let checked = header_check(bytes.get(4..len - 1)?) == *bytes.get(len - 1)?;
        let is_known = flags & !FLAGS_KNOWN == VERSION && sizes & !SIZES_KNOWN == 0;
        (is_known && id >= 4 && checked && !has_dictionary).then_some(Self {
            len,
            independent: flags & 0x20 != 0,
            content_len,
            style: Style {
                id,
                block_checksums: flags & 0x10 != 0,
                content_checksum: flags & 4 != 0,
                content_len: content_len.is_some(),
            },
        })
    }

    /// The cuts of the frame.
    pub(super) fn cuts(&self) -> CutCounter {
        let is_cut = self.independent && self.whole_len().is_none();
        if is_cut { self.style.cuts() } else { CutCounter::default() }
    }

    /// What the header says of the chain of blocks.
    pub(super) fn chain(&self) -> ChainStart {
        ChainStart {
            header_len: self.len,
            style: self.style.packed(),
            tail_len: 0,
            plain_len: self.content_len,
            has_check: self.style.content_checksum,
            cuts: self.cuts(),
        }
    }

    /// The plain length, if the frame is decoded whole when it is at hand.
    pub(super) fn whole_len(&self) -> Option<usize> {
        self.content_len.filter(|&len| len <= WHOLE_PLAIN_MAX).map(|len| len as usize)
    }
}

impl Style {
    /// The greatest plain length of a block.
    pub(super) fn block_max(self) -> usize {
        block_max(self.id)
    }

    /// The cuts behind a cut: blocks of the greatest length fill a piece of output.
    pub(super) fn cuts(self) -> CutCounter {
        CutCounter::new((PIECE_LEN / self.block_max()).max(1), PART_LEN)
    }

    /// How many bytes follow the size of a block with this size. Nothing if the size is not valid.
    pub(super) fn block(self, size: u32) -> Option<u32> {
        let len = size & !STORED;
        (len as usize <= self.block_max()).then_some(len + if self.block_checksums { 4 } else { 0 })
    }

    /// Length of the end mark and of the checksum behind it.
    pub(super) fn end_len(self) -> u64 {
        if self.content_checksum { 8 } else { 4 }
    }

    /// The style as one byte, for the context of a resume point. Never 0, which is the context of the start of a
    /// frame.
    pub(super) fn packed(self) -> u8 {
        let flags = [self.content_checksum, self.block_checksums, self.content_len];
        flags.into_iter().rev().fold(self.id, |packed, flag| packed << 1 | u8::from(flag))
    }

    pub(super) fn unpacked(packed: u8) -> Option<Self> {
        let [content_checksum, block_checksums, content_len] = [1, 2, 4].map(|flag| packed & flag != 0);
        (packed != 0).then_some(Self { id: packed >> 3, block_checksums, content_checksum, content_len })
    }
}

/// The frames of lz4.
pub(super) struct FrameChain;

impl Chain for FrameChain {
    fn link_len(&self) -> usize {
        4
    }

    fn link(&self, head: &[u8], style: u8) -> Option<Link> {
        let size = u32::from_le_bytes(*head.first_chunk()?);
        let Some(style) = Style::unpacked(style) else {
            // A legacy frame ends at a size that is too large: the next magic number.
            let is_block = size <= LEGACY_CODED_MAX;
            return Some(if is_block { Link::Block(4 + u64::from(size)) } else { Link::End(0) });
        };
        match size {
            0 => Some(Link::End(style.end_len())),
            _ => style.block(size).map(|len| Link::Block(4 + u64::from(len))),
        }
    }
}

impl ChainFormat for FrameChain {
    fn check(&self) -> &'static str {
        "XXH32"
    }

    fn header_len(&self, head: &[u8]) -> usize {
        Header::len_at(head)
    }

    fn start(&self, head: &[u8]) -> Option<ChainStart> {
        if head.starts_with(&LEGACY_MAGIC) {
            let header_len = LEGACY_MAGIC.len();
            return Some(ChainStart { header_len, style: LEGACY_STYLE, ..ChainStart::default() });
        }
        Header::parse(head).map(|header| header.chain())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decompress::RangeCursor;
    use crate::format::chain::ChainWalker;
    use crate::format::{Cursor, Walker};
    use engine::io::RandomAccess;

    /// A frame of `count` stored blocks of `len` bytes.
    fn frame(flags: u8, id: u8, content_len: Option<u64>, count: usize, len: usize) -> Vec<u8> {
        let mut coded = MAGIC.to_vec();
        coded.extend([flags | if content_len.is_some() { 8 } else { 0 }, id << 4]);
        coded.extend(content_len.iter().flat_map(|len| len.to_le_bytes()));
        coded.push(header_check(&coded[4..]));
        for _ in 0..count {
            coded.extend((len as u32 | STORED).to_le_bytes());
            coded.resize(coded.len() + len, 7);
        }
        coded.extend([0; 4]);
        coded
    }

    /// How many blocks of this length are before each cut, for this many workers.
    fn cuts(coded: &[u8], workers: usize, block_len: usize) -> Vec<usize> {
        let mut cursor = RangeCursor::new(RandomAccess::Memory(coded), 0..coded.len() as u64);
        let mut walker = ChainWalker::new(FrameChain, workers);
        let mut cuts = Vec::new();
        loop {
            walker.unit(&mut cursor).unwrap();
            walker.pass(&mut cursor).unwrap();
            let offset = Cursor::offset(&cursor) as usize;
            if !walker.is_inside() {
                assert_eq!(offset, coded.len());
                return cuts;
            }
            cuts.push(offset / (4 + block_len));
        }
    }

    const INDEPENDENT: u8 = 0x60;

    #[test]
    fn a_frame_is_cut_where_blocks_fill_pieces_and_parts_are_not_too_short() {
        for (id, len, count, expected) in [
            (4, 64 << 10, 40, &[16, 32][..]),
            (4, 64 << 10, 32, &[16]),
            (4, 20 << 10, 40, &[16, 32]),
            (4, 10 << 10, 70, &[32, 64]),
            (5, 256 << 10, 9, &[4, 8]),
            (6, 1 << 20, 3, &[1, 2]),
            (7, 4 << 20, 3, &[1, 2]),
            (7, 100 << 10, 7, &[3, 6]),
            (7, 200 << 10, 1, &[]),
        ] {
            for content_len in [None, Some(u64::MAX), Some(WHOLE_PLAIN_MAX + 1)] {
                let coded = frame(INDEPENDENT, id, content_len, count, len);
                assert_eq!(cuts(&coded, 2, len), expected, "{count} blocks of {len}");
                assert_eq!(cuts(&coded, 1, len), [0_usize; 0], "for nobody");
            }
            assert_eq!(
                cuts(&frame(INDEPENDENT, id, Some(WHOLE_PLAIN_MAX), count, len), 2, len),
                [0_usize; 0],
                "short"
            );
            assert_eq!(cuts(&frame(0x40, id, None, count, len), 2, len), [0_usize; 0], "linked");
        }
    }

    #[test]
    fn what_is_no_block_belongs_to_those_before_it() {
        let len = 64 << 10;
        let coded = frame(INDEPENDENT, 4, None, 40, len);
        for end in [7, 9, 7 + 5 * (4 + len) + 2, 7 + 16 * (4 + len), 7 + 16 * (4 + len) + 3] {
            assert_eq!(cuts(&coded[..end], 2, len), [], "cut off at {end}");
        }
        let mut lying = coded;
        lying[7 + 20 * (4 + len) + 2] = 0x7f;
        assert_eq!(cuts(&lying, 2, len), [16]);
    }
}
