//! The header of a packet: what it states about itself.
//!
//! ```text
//! flags(1)   coded length(1 or 4)   plain length(1 or 4)   data
//! ```
//!
//! Numbers are little endian. Bit 0 of the flags says that the data is compressed, bit 1 that the lengths have four
//! bytes, bits 2 and 3 are the level, bits 4 and 5 the streaming mode, bit 6 is always set, and bit 7 never. The coded
//! length includes the header. The lengths are claims: nothing is allocated for them here.

use crate::Error;

/// The length of the longest header.
pub const HEADER_MAX: usize = 9;
/// The length of the shortest header.
pub const HEADER_MIN: usize = 3;

const COMPRESSED: u8 = 1;
const LONG: u8 = 1 << 1;
const STREAMING: u8 = 0b11 << 4;
const ALWAYS: u8 = 1 << 6;
const NEVER: u8 = 1 << 7;

/// A match makes at most this many plain bytes of one coded byte, rounded up. The best is 258 bytes from 4, or 255 from
/// 3.
const RATIO_MAX: u64 = 86;

/// The least length of compressed data.
const DATA_MIN: u64 = 9;

/// What a packet states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The length of the header itself.
    pub len: usize,
    /// The length of the packet with its header.
    pub coded_len: u32,
    /// The length of the plain data, which is at least 1.
    pub plain_len: u32,
    /// The level, from 1 to 3.
    pub level: u8,
    /// Whether the data is stored as it is.
    pub is_stored: bool,
}

impl Header {
    /// Parses the header at the start of `bytes`. Nothing if the bytes are too few; [`HEADER_MAX`] are enough.
    ///
    /// # Errors
    /// The flags are not valid, or the lengths cannot belong together.
    pub fn parse(bytes: &[u8]) -> Result<Option<Self>, Error> {
        let Some((&flags, rest)) = bytes.split_first() else { return Ok(None) };
        let level = flags >> 2 & 3;
        if flags & NEVER != 0 || flags & ALWAYS == 0 || level == 0 {
            return Err(Error::Invalid("has flags that no packet has"));
        }
        if flags & STREAMING != 0 {
            return Err(Error::Streaming);
        }
        let (len, coded_len, plain_len) = if flags & LONG == 0 {
            let &[coded_len, plain_len, ..] = rest else { return Ok(None) };
            (HEADER_MIN, coded_len.into(), plain_len.into())
        } else {
            let &[c0, c1, c2, c3, p0, p1, p2, p3, ..] = rest else { return Ok(None) };
            (HEADER_MAX, u32::from_le_bytes([c0, c1, c2, c3]), u32::from_le_bytes([p0, p1, p2, p3]))
        };
        let header = Self { len, coded_len, plain_len, level, is_stored: flags & COMPRESSED == 0 };
        header.check_lens().map(|()| Some(header))
    }

    /// Whether the two lengths can belong together.
    fn check_lens(&self) -> Result<(), Error> {
        let Some(data_len) = u64::from(self.coded_len).checked_sub(self.len as u64) else {
            return Err(Error::Invalid("states a length that is shorter than its header"));
        };
        let plain_len = u64::from(self.plain_len);
        if plain_len == 0 {
            return Err(Error::Invalid("states that it holds no data"));
        }
        if self.is_stored && data_len != plain_len {
            return Err(Error::Invalid("is stored, but its two lengths do not agree"));
        }
        // A match of three bytes takes at most four, and a control word of four bytes announces 31 of them.
        if data_len > 2 * plain_len + DATA_MIN {
            return Err(Error::Invalid("is longer than a packet of its data can be"));
        }
        if plain_len > data_len * RATIO_MAX {
            return Err(Error::Invalid("states more data than a packet of its length can hold"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_no_packet_has_are_refused() {
        let short = |flags| Header::parse(&[flags, 12, 5]);
        assert!(short(0x45).unwrap().is_some_and(|header| !header.is_stored && header.level == 1));
        assert!(short(0x4d).unwrap().is_some_and(|header| header.level == 3));
        assert_eq!(short(0x55), Err(Error::Streaming));
        for flags in [0x05, 0xc5, 0x41, 0x44] {
            // 0x44 is stored, but five bytes do not take twelve.
            assert!(matches!(short(flags), Err(Error::Invalid(_))), "{flags:x}");
        }
        assert!(Header::parse(&[0x44, 8, 5]).unwrap().is_some_and(|header| header.is_stored));
        for (coded_len, plain_len) in [(2, 1), (12, 0), (3, 1)] {
            assert!(matches!(Header::parse(&[0x45, coded_len, plain_len]), Err(Error::Invalid(_))));
        }
    }

    #[test]
    fn lengths_that_lie_are_refused_before_anything_is_allocated() {
        let long = |coded_len: u32, plain_len: u32| {
            let mut bytes = vec![0x47];
            bytes.extend(coded_len.to_le_bytes());
            bytes.extend(plain_len.to_le_bytes());
            Header::parse(&bytes)
        };
        assert!(long(1009, 86_000).unwrap().is_some());
        assert!(long(1009, 86_001).is_err());
        assert!(long(20, u32::MAX).is_err());
        assert!(long(u32::MAX, 3000).is_err());
    }

    #[test]
    fn too_few_bytes_are_no_header_yet() {
        for bytes in [&[][..], &[0x45], &[0x45, 12], &[0x47, 12, 0, 0, 0, 5, 0, 0]] {
            assert_eq!(Header::parse(bytes), Ok(None));
        }
    }
}
