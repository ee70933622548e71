//! The headers of an xz Stream: Stream Header, Block Header and LZMA2 chunk header.
//!
//! Each function gets the bytes of a header and gives its fields, or `None` if the header is not valid. Nothing is
//! decoded. The walker uses the fields to find Blocks, and the decoder uses them to prepare liblzma. The values are
//! claims of the file; the decoder verifies them.

use super::MAGIC;
use super::index::{VLI_MAX, parse_vli};
use crate::options;

pub(super) const STREAM_HEADER_LEN: usize = 12;

/// The greatest context byte: that of the greatest Check ID.
pub(super) const CONTEXT_MAX: u8 = 16;

/// The longest header of an LZMA2 chunk, with its properties.
pub(super) const CHUNK_HEADER_MAX: usize = 6;

/// A Check ID (section 2.1.1.2). Four of the sixteen are defined. For the others only the length of the Check is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CheckId(u8);

impl CheckId {
    /// The Check of Blocks to be written.
    pub(super) fn wanted(check: Option<options::Check>) -> Self {
        Self(match check {
            Some(options::Check::None) => 0,
            Some(options::Check::Crc32) => 1,
            None | Some(options::Check::Crc64) => 4,
            Some(options::Check::Sha256) => 10,
        })
    }

    fn new(id: u8) -> Option<Self> {
        (id < CONTEXT_MAX).then_some(Self(id))
    }

    /// Whether pzcomp can verify it.
    pub(super) fn is_known(self) -> bool {
        matches!(self.0, 0 | 1 | 4 | 10)
    }

    /// The Check of the Blocks in this context; `None` if a Stream Header comes first.
    pub(super) fn of_context(context: u8) -> Option<Self> {
        Self::new(context.checked_sub(1)?)
    }

    /// The Check that Stream Flags name.
    pub(super) fn of_flags(flags: &[u8]) -> Option<Self> {
        let &[0, id] = flags else { return None };
        Self::new(id)
    }

    /// The context byte of Blocks with this Check. It is never 0.
    pub(super) fn context(self) -> u8 {
        self.0 + 1
    }

    pub(super) fn id(self) -> u32 {
        u32::from(self.0)
    }

    pub(super) fn stream_flags(self) -> [u8; 2] {
        [0, self.0]
    }

    /// Length of the Check in bytes.
    pub(super) fn len(self) -> u64 {
        match self.0 {
            0 => 0,
            1..=3 => 4,
            4..=6 => 8,
            7..=9 => 16,
            10..=12 => 32,
            _ => 64,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self.0 {
            0 => "-",
            1 => "CRC32",
            2 => "Unknown-2",
            3 => "Unknown-3",
            4 => "CRC64",
            5 => "Unknown-5",
            6 => "Unknown-6",
            7 => "Unknown-7",
            8 => "Unknown-8",
            9 => "Unknown-9",
            10 => "SHA-256",
            11 => "Unknown-11",
            12 => "Unknown-12",
            13 => "Unknown-13",
            14 => "Unknown-14",
            _ => "Unknown-15",
        }
    }
}

/// The Check that a Stream Header states; `None` if the header is incomplete or not valid.
pub(super) fn parse_stream_header(bytes: &[u8]) -> Option<CheckId> {
    let rest = bytes.get(..STREAM_HEADER_LEN)?.strip_prefix(&MAGIC)?;
    let (flags, crc) = rest.split_at(2);
    let check = CheckId::new(flags[1])?;
    (flags == check.stream_flags() && crc == crc32fast::hash(flags).to_le_bytes()).then_some(check)
}

/// The length of a Block Header that begins with this byte; `None` if the byte is an Index Indicator.
pub(super) fn block_header_len(byte: u8) -> Option<usize> {
    (byte != 0).then(|| (usize::from(byte) + 1) * 4)
}

/// The sizes that a Block Header (section 3.1) states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockHeader {
    pub(super) header_len: u64,
    /// Length without Block Padding.
    pub(super) unpadded_len: Option<u64>,
    pub(super) plain_len: Option<u64>,
}

impl BlockHeader {
    /// Returns `None` if the CRC32 or a size is wrong. The filters are left to liblzma.
    pub(super) fn parse(header: &[u8], check: CheckId) -> Option<Self> {
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

/// Parses a size that may be absent.
fn parse_size(bytes: &[u8], present: bool) -> Option<(Option<u64>, &[u8])> {
    if !present {
        return Some((None, bytes));
    }
    parse_vli(bytes).map(|(size, rest)| (Some(size), rest))
}

/// An LZMA2 chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    /// Length with the header.
    pub(super) coded_len: u64,
    pub(super) plain_len: u64,
}

impl Chunk {
    /// Parses a chunk header; `None` if it is not valid or incomplete.
    ///
    /// ```text
    /// 00                                          end
    /// 01 or 02, u16 length - 1                    uncompressed
    /// 80 to FF, u16 plain length - 1, u16 coded length - 1, from C0 on u8 properties
    /// ```
    ///
    /// Numbers are big-endian. The lowest five bits of the control byte are the highest bits of the plain length.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
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

#[cfg(test)]
mod tests {
    use super::*;

    const CRC64: CheckId = CheckId(4);

    #[test]
    fn a_stream_header_is_what_xz_writes() {
        let header = *b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4\x46";
        assert_eq!(parse_stream_header(&header), Some(CRC64));
        assert_eq!(parse_stream_header(&header[..11]), None);
        for bit in 0..12 * 8 {
            let mut wrong = header;
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(parse_stream_header(&wrong), None, "bit {bit}");
        }
    }

    /// A Block Header with its CRC32.
    fn sealed(fields: &[u8]) -> Vec<u8> {
        [fields, &crc32fast::hash(fields).to_le_bytes()].concat()
    }

    #[test]
    fn a_block_header_claims_what_xz_writes() {
        // By xz 5.4.1 with -0 --block-size=1000, of zeros: 19 bytes for 1000, LZMA2 with 256 KiB.
        let header = sealed(&[3, 0xc0, 0x13, 0xe8, 0x07, 0x21, 1, 0x0c, 0, 0, 0, 0]);
        assert_eq!(header[12..], [0x62, 0x24, 0x36, 0x8d]);
        let claims = BlockHeader { header_len: 16, unpadded_len: Some(43), plain_len: Some(1000) };
        assert_eq!(BlockHeader::parse(&header, CRC64), Some(claims));
        // xz with one thread states no sizes.
        let header = sealed(&[2, 0, 0x21, 1, 0x0c, 0, 0, 0]);
        assert_eq!(header[8..], [0x8f, 0x98, 0x41, 0x9c]);
        let claims = BlockHeader { header_len: 12, unpadded_len: None, plain_len: None };
        assert_eq!(BlockHeader::parse(&header, CRC64), Some(claims));
    }

    #[test]
    fn sizes_beyond_the_format_are_refused() {
        let header = |coded_len: &[u8]| {
            let mut fields = [&[4, 0x40], coded_len, &[0x21, 1, 0]].concat();
            fields.resize(16, 0);
            BlockHeader::parse(&sealed(&fields), CRC64)
        };
        // The whole Block must have less than 2^63 bytes.
        assert_eq!(header(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]), None);
        assert!(header(&[0xdf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]).is_some());
        assert_eq!(header(&[0xe1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]), None);
        assert_eq!(header(&[0]), None, "not even an end of data");
        assert_eq!(header(&[0x81, 0]), None, "1 in two bytes");
    }

    #[test]
    fn chunks_are_hopped_over() {
        let lens = |bytes: &[u8]| Chunk::parse(bytes).map(|chunk| (chunk.coded_len, chunk.plain_len));
        assert_eq!(lens(&[0]), Some((1, 0)), "the end");
        assert_eq!(lens(&[1, 0, 0]), Some((4, 1)), "uncompressed, dictionary reset");
        assert_eq!(lens(&[2, 0xff, 0xff]), Some((0x1_0003, 0x1_0000)));
        assert_eq!(lens(&[0x80, 0, 0, 0, 0]), Some((6, 1)), "nothing reset");
        assert_eq!(lens(&[0xa0, 0, 0, 0, 0]), Some((6, 1)), "state reset");
        assert_eq!(lens(&[0xc0, 0, 0, 0, 0]), Some((7, 1)), "and properties");
        assert_eq!(lens(&[0xff, 0xff, 0xff, 0xff, 0xff]), Some((0x1_0006, 1 << 21)), "the longest");
        for bytes in [&[][..], &[1, 0], &[0x80, 0, 0, 0], &[3, 0, 0, 0, 0, 0], &[0x7f, 0, 0, 0, 0, 0]] {
            assert_eq!(lens(bytes), None, "{bytes:x?}");
        }
    }
}
