//! The headers of an xz Stream: what they claim, before anything is decoded.

use super::MAGIC;
use crate::index::{VLI_MAX, parse_vli};

pub(super) const STREAM_HEADER_LEN: usize = 12;

/// LZMA2 chunk headers have so many bytes at most, the properties included.
pub(super) const CHUNK_HEADER_MAX: usize = 6;

/// A Check ID that is in use (section 2.1.1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Check(u8);

impl Check {
    pub(super) const CRC64: Self = Self(4);

    fn new(id: u8) -> Option<Self> {
        matches!(id, 0 | 1 | 4 | 10).then_some(Self(id))
    }

    /// The Check of the Blocks in a context; nothing where a Stream Header comes first.
    pub(super) fn of_context(context: u8) -> Option<Self> {
        Self::new(context.checked_sub(1)?)
    }

    fn context(self) -> u8 {
        self.0 + 1
    }

    pub(super) fn id(self) -> u32 {
        u32::from(self.0)
    }

    pub(super) fn stream_flags(self) -> [u8; 2] {
        [0, self.0]
    }

    fn len(self) -> u64 {
        match self.0 {
            0 => 0,
            1 => 4,
            4 => 8,
            _ => 32,
        }
    }

    fn name(self) -> &'static str {
        match self.0 {
            0 => "-",
            1 => "CRC32",
            4 => "CRC64",
            _ => "SHA-256",
        }
    }
}

/// The Check that a Stream Header announces; nothing if it is not whole or not as known.
fn parse_stream_header(bytes: &[u8]) -> Option<Check> {
    let rest = bytes.get(..STREAM_HEADER_LEN)?.strip_prefix(&MAGIC)?;
    let (flags, crc) = rest.split_at(2);
    let check = Check::new(flags[1])?;
    (flags == check.stream_flags() && crc == crc32fast::hash(flags).to_le_bytes()).then_some(check)
}

/// The length of a Block Header that begins with this byte; nothing if that is the Index Indicator.
pub(super) fn block_header_len(byte: u8) -> Option<usize> {
    (byte != 0).then(|| (usize::from(byte) + 1) * 4)
}

/// What a Block Header (section 3.1) claims of the Block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockHeader {
    header_len: u64,
    /// Length without Block Padding.
    unpadded_len: Option<u64>,
    pub(super) plain_len: Option<u64>,
}

impl BlockHeader {
    /// Nothing if its CRC32 or its sizes are wrong. The filters are left to the decoder.
    pub(super) fn parse(header: &[u8], check: Check) -> Option<Self> {
        let (fields, crc) = header.split_last_chunk::<4>()?;
        let &[_, flags, ref rest @ ..] = fields else {
            return None;
        };
        if crc32fast::hash(fields) != u32::from_le_bytes(*crc)
            || block_header_len(fields[0]) != Some(header.len())
        {
            return None;
        }
        let header_len = header.len() as u64;
        let (coded_len, rest) = parse_size(rest, flags & 0x40 != 0)?;
        let (plain_len, _) = parse_size(rest, flags & 0x80 != 0)?;
        let unpadded_len = coded_len.map(|len| header_len + len + check.len());
        let valid = coded_len != Some(0) && unpadded_len.is_none_or(|len| len <= VLI_MAX - 3);
        valid.then_some(Self { header_len, unpadded_len, plain_len })
    }
}

/// A size that may be absent.
fn parse_size(bytes: &[u8], present: bool) -> Option<(Option<u64>, &[u8])> {
    if !present {
        return Some((None, bytes));
    }
    parse_vli(bytes).map(|(size, rest)| (Some(size), rest))
}

/// An LZMA2 chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Chunk {
    /// Its length, the header included.
    coded_len: u64,
    plain_len: u64,
}

impl Chunk {
    /// The chunk that begins so; nothing if it is no chunk, or does not fit the bytes.
    ///
    /// ```text
    /// 00                                          end
    /// 01 or 02, u16 length - 1                    uncompressed
    /// 80 to FF, u16 plain length - 1, u16 coded length - 1, from C0 on u8 properties
    /// ```
    ///
    /// Numbers are big-endian; the lowest five bits of the control byte are the highest of the plain length.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let number = |high: u8, low: u8| u64::from(u16::from_be_bytes([high, low])) + 1;
        match *bytes {
            [0, ..] => Some(Self { coded_len: 1, plain_len: 0 }),
            [1 | 2, high, low, ..] => {
                let len = number(high, low);
                Some(Self { coded_len: 3 + len, plain_len: len })
            }
            [control @ 0x80..=0xff, plain_high, plain_low, high, low, ..] => Some(Self {
                coded_len: 5 + u64::from(control >= 0xc0) + number(high, low),
                plain_len: (u64::from(control & 0x1f) << 16) + number(plain_high, plain_low),
            }),
            _ => None,
        }
    }
}
