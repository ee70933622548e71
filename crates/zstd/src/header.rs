//! The headers of frames and blocks (RFC 8878, sections 3.1.1.1 and 3.1.1.2).

use crate::Error;

/// The first four bytes of a frame, little-endian.
pub const MAGIC: u32 = 0xFD2F_B528;

/// The greatest length of a block, coded or decoded. The window may make it smaller.
pub const BLOCK_LEN_MAX: usize = 128 << 10;

/// The length of a block header.
pub const BLOCK_HEADER_LEN: usize = 3;

/// The greatest length of a frame header: magic number, descriptor, window, dictionary, content size.
pub const FRAME_HEADER_LEN_MAX: usize = 4 + 1 + 1 + 4 + 8;

/// The magic number and the descriptor, which tell the length of a header.
pub const FRAME_HEADER_LEN_MIN: usize = 4 + 1;

/// Whether frames begin with their magic number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// The usual frames: the magic number comes first.
    #[default]
    Magic,
    /// The same frames without their magic number.
    Magicless,
}

/// What a frame header states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameHeader {
    /// The length of the header itself, with the magic number if there is one.
    pub header_len: usize,
    /// How far back matches may reach, in bytes.
    pub window_size: u64,
    /// The length of the decoded frame, if the header states it.
    pub content_size: Option<u64>,
    /// The id of the dictionary that the frame needs. Without one, the header says nothing about it.
    pub dictionary_id: Option<u32>,
    /// Whether the low four bytes of an XXH64 of the content follow the last block.
    pub has_checksum: bool,
}

impl FrameHeader {
    /// The length of the header of a frame with a magic number that begins with these bytes, of which
    /// [`FRAME_HEADER_LEN_MIN`] are enough to tell.
    #[must_use]
    pub fn len_at(coded: &[u8]) -> usize {
        coded.get(4).map_or(FRAME_HEADER_LEN_MIN, |&descriptor| {
            FRAME_HEADER_LEN_MIN + field_lens(descriptor).into_iter().sum::<usize>()
        })
    }

    /// Reads the header at the start of `coded`. `Ok(None)` says that more bytes are needed; no header is longer than
    /// [`FRAME_HEADER_LEN_MAX`].
    ///
    /// Skippable frames are the caller's: their magic number is an [`Error::Magic`] here.
    pub fn parse(coded: &[u8], format: Format) -> Result<Option<Self>, Error> {
        let mut at = 0;
        if format == Format::Magic {
            let magic = MAGIC.to_le_bytes();
            let seen = coded.len().min(4);
            if coded[..seen] != magic[..seen] {
                return Err(Error::Magic);
            }
            at = 4;
        }
        let Some(&descriptor) = coded.get(at) else { return Ok(None) };
        at += 1;
        let [window_len, id_len, size_len] = field_lens(descriptor);
        let header_len = at + window_len + id_len + size_len;
        if coded.len() < header_len {
            return Ok(None);
        }
        if descriptor & 8 != 0 {
            return Err(Error::ReservedHeaderBit);
        }
        let mut window_size = 0;
        if window_len > 0 {
            let (exponent, mantissa) = (u32::from(coded[at] >> 3) + 10, u64::from(coded[at] & 7));
            window_size = (1 << exponent) + ((1 << exponent) >> 3) * mantissa;
            at += 1;
        }
        let id = little_endian(&coded[at..at + id_len]);
        at += id_len;
        let size = little_endian(&coded[at..at + size_len]) + if size_len == 2 { 256 } else { 0 };
        if window_len == 0 {
            window_size = size;
        }
        Ok(Some(Self {
            header_len,
            window_size,
            content_size: (size_len > 0).then_some(size),
            dictionary_id: u32::try_from(id).ok().filter(|&id| id != 0),
            has_checksum: descriptor & 4 != 0,
        }))
    }

    /// The greatest length of a block of this frame, coded or decoded.
    #[must_use]
    pub fn block_len_max(&self) -> usize {
        usize::try_from(self.window_size).unwrap_or(usize::MAX).min(BLOCK_LEN_MAX)
    }
}

/// The lengths of the fields behind this descriptor: the window, the id of the dictionary, the content size.
fn field_lens(descriptor: u8) -> [usize; 3] {
    let single_segment = descriptor & 0x20 != 0;
    let id_len = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let size_len = match descriptor >> 6 {
        0 => usize::from(single_segment),
        code => 1 << code,
    };
    [usize::from(!single_segment), id_len, size_len]
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// The three types of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// The decoded bytes themselves.
    Raw,
    /// One byte that is repeated.
    Rle,
    /// Literals and sequences.
    Compressed,
}

/// What a block header states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockHeader {
    /// No block follows in this frame.
    pub is_last: bool,
    /// How the block is coded.
    pub kind: BlockKind,
    /// The size field: the decoded length of raw and RLE blocks, the coded length of compressed blocks.
    pub size: usize,
}

impl BlockHeader {
    /// Reads a block header. `block_len_max` is that of the frame, [`FrameHeader::block_len_max`].
    pub fn parse(bytes: [u8; BLOCK_HEADER_LEN], block_len_max: usize) -> Result<Self, Error> {
        let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]);
        let kind = match word >> 1 & 3 {
            0 => BlockKind::Raw,
            1 => BlockKind::Rle,
            2 => BlockKind::Compressed,
            _ => return Err(Error::ReservedBlockType),
        };
        let header = Self { is_last: word & 1 != 0, kind, size: (word >> 3) as usize };
        // An RLE block of length zero has one coded byte. It is right in an empty frame too, where no block is longer.
        if header.size > block_len_max {
            return Err(Error::BlockTooLarge);
        }
        Ok(header)
    }

    /// How many bytes of the frame the block takes behind this header.
    #[must_use]
    pub fn coded_len(&self) -> usize {
        if self.kind == BlockKind::Rle { 1 } else { self.size }
    }
}
