//! The header of an lz4 frame.

use xxhash_rust::xxh32::xxh32;

use super::{Cursor, LEGACY_MAGIC, MAGIC, STORED};
use crate::error::Result;
use engine::Source;

/// The shortest header.
const HEADER_MIN: usize = 7;
/// The version in FLG, and the bits there that have a meaning.
const VERSION: u8 = 1 << 6;
const FLAGS_KNOWN: u8 = 0b0011_1101;
/// The bits of BD that have a meaning.
const SIZES_KNOWN: u8 = 0b0111_0000;
/// A frame that states at most this many plain bytes is decoded whole.
pub(super) const WHOLE_PLAIN_MAX: u64 = 4 << 20;

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

    /// The bytes of the header at the cursor. Not more are waited for, because a frame may be shorter than the longest
    /// header.
    pub(super) fn peek(cursor: &mut dyn Cursor) -> Result<&[u8]> {
        let len = Self::len_at(cursor.peek(HEADER_MIN)?);
        cursor.peek(len)
    }

    /// Like [`Self::peek`], for a decoder.
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
