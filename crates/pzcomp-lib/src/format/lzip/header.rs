//! The header and the trailer of an lzip member.
//!
//! The functions convert between bytes and fields. They verify only what the header alone can show. The decoder
//! compares the trailer with the data.

pub(super) const MAGIC: [u8; 4] = *b"LZIP";
/// The version that is written since 2009. Version 0 is older and has a shorter trailer.
pub(super) const VERSION: u8 = 1;

pub(super) const HEADER_LEN: usize = 6;
pub(super) const TRAILER_LEN: usize = 20;
/// Length of the trailer of version 0, which lacks the length of the member.
pub(super) const TRAILER_0_LEN: usize = 12;

/// The shortest LZMA stream: five bytes at its start, and an end marker.
const STREAM_LEN_MIN: usize = 10;
pub(super) const MEMBER_LEN_MIN: usize = HEADER_LEN + STREAM_LEN_MIN + TRAILER_LEN;

/// Binary logarithms of the shortest and of the longest dictionary.
const DICT_LOG_MIN: u8 = 12;
const DICT_LOG_MAX: u8 = 29;

/// The length of a dictionary, and the byte of the header that states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DictionarySize {
    pub(super) len: u32,
    byte: u8,
}

impl DictionarySize {
    /// Bits 0 to 4 of the byte are the binary logarithm of a length. Bits 5 to 7 are the number of sixteenths to
    /// subtract from it.
    pub(super) fn parse(byte: u8) -> Option<Self> {
        let log = byte & 0x1f;
        if !(DICT_LOG_MIN..=DICT_LOG_MAX).contains(&log) {
            return None;
        }
        let whole = 1 << log;
        // Nothing is subtracted from the shortest length. lzip ignores these bits there.
        let missing = if log == DICT_LOG_MIN { 0 } else { whole / 16 * u32::from(byte >> 5) };
        Some(Self { len: whole - missing, byte })
    }

    /// The shortest length that a header can state for a chunk, but at most about `dict_len`. A longer dictionary costs
    /// memory on both sides, and no match can use it.
    pub(super) fn for_chunk(dict_len: u32, chunk_len: usize) -> Self {
        let wanted = u32::try_from(chunk_len).unwrap_or(u32::MAX).min(dict_len);
        let bytes =
            (DICT_LOG_MIN..=DICT_LOG_MAX).flat_map(|log| (0..8).rev().map(move |missing| missing << 5 | log));
        let known = bytes.filter_map(Self::parse).filter(|known| known.len >= wanted);
        known
            .min_by_key(|known| (known.len, known.byte))
            .unwrap_or(Self { len: 1 << DICT_LOG_MAX, byte: DICT_LOG_MAX })
    }
}

/// The header of a member.
pub(super) fn header(dictionary: DictionarySize) -> [u8; HEADER_LEN] {
    let [m0, m1, m2, m3] = MAGIC;
    [m0, m1, m2, m3, VERSION, dictionary.byte]
}

/// Whether these bytes begin a member of version 0.
pub(super) fn is_version_0(bytes: &[u8]) -> bool {
    matches!(bytes, [b'L', b'Z', b'I', b'P', 0, ..])
}

/// Whether these bytes begin a header of version 1 with a valid dictionary length.
pub(super) fn is_header(bytes: &[u8]) -> bool {
    matches!(bytes, [b'L', b'Z', b'I', b'P', VERSION, byte, ..] if DictionarySize::parse(*byte).is_some())
}

/// The trailer of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trailer {
    /// CRC-32 of the plain data.
    pub(super) crc: u32,
    pub(super) plain_len: u64,
    /// Length of the member with header and trailer.
    pub(super) member_len: u64,
}

impl Trailer {
    pub(super) fn encode(self) -> [u8; TRAILER_LEN] {
        let mut bytes = [0; TRAILER_LEN];
        bytes[..4].copy_from_slice(&self.crc.to_le_bytes());
        bytes[4..12].copy_from_slice(&self.plain_len.to_le_bytes());
        bytes[12..].copy_from_slice(&self.member_len.to_le_bytes());
        bytes
    }

    pub(super) fn parse(bytes: [u8; TRAILER_LEN]) -> Self {
        let [c0, c1, c2, c3, p0, p1, p2, p3, p4, p5, p6, p7, m0, m1, m2, m3, m4, m5, m6, m7] = bytes;
        Self {
            crc: u32::from_le_bytes([c0, c1, c2, c3]),
            plain_len: u64::from_le_bytes([p0, p1, p2, p3, p4, p5, p6, p7]),
            member_len: u64::from_le_bytes([m0, m1, m2, m3, m4, m5, m6, m7]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dictionaries_are_named_as_lzip_names_them() {
        let byte = |dict_len, chunk_len| DictionarySize::for_chunk(dict_len, chunk_len).byte;
        assert_eq!(byte(8 << 20, 16 << 20), 23);
        assert_eq!(byte(3 << 19, 3 << 20), 21 | 4 << 5);
        assert_eq!(byte(24 << 20, 1 << 30), 25 | 4 << 5);
        assert_eq!(byte(64 << 10, 1 << 20), 16);
        assert_eq!(byte(8 << 20, 0), 12);
        assert_eq!(byte(8 << 20, 4096), 12);
        for (chunk_len, len) in [(4097, 4608), (5000, 5120), ((1 << 20) + 1, (2 << 20) / 16 * 9)] {
            let found = DictionarySize::for_chunk(8 << 20, chunk_len);
            assert_eq!(found.len, len);
            assert_eq!(DictionarySize::parse(found.byte), Some(found));
        }
    }

    #[test]
    fn other_bytes_name_no_dictionary() {
        for byte in 0..=255 {
            let is_known = (12..=29).contains(&(byte & 0x1f));
            assert_eq!(DictionarySize::parse(byte).is_some(), is_known, "{byte}");
            assert!(DictionarySize::parse(byte).is_none_or(|known| (4096..=512 << 20).contains(&known.len)));
        }
    }

    #[test]
    fn a_trailer_is_read_as_it_is_written() {
        let trailer = Trailer { crc: 0x0403_0201, plain_len: 0x0c0b_0a09_0807_0605, member_len: 0x0d };
        let bytes = trailer.encode();
        assert_eq!(bytes, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(Trailer::parse(bytes), trailer);
    }
}
