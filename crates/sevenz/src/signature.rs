//! The signature header: the first 32 bytes of an archive.

use crate::crc::crc32;
use crate::error::Error;

/// An archive begins with these bytes.
pub const SIGNATURE: [u8; 6] = [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c];

/// The length of the signature header.
pub const SIGNATURE_HEADER_LEN: usize = 32;

/// The first 32 bytes of an archive. They say where its header is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureHeader {
    /// The offset of the header, from the end of the signature header.
    pub next_offset: u64,
    /// The length of the header. It is 0 if the archive has no files.
    pub next_len: u64,
    /// The CRC-32 of the header.
    pub next_crc: u32,
}

impl SignatureHeader {
    /// Parses the signature header, and verifies its CRC-32.
    pub fn parse(bytes: &[u8; SIGNATURE_HEADER_LEN]) -> Result<Self, Error> {
        let invalid = |offset, what| Err(Error::Invalid { offset, what });
        if !bytes.starts_with(&SIGNATURE) {
            return invalid(0, "does not begin with the signature of 7z");
        }
        let [_, _, _, _, _, _, major, _minor, c0, c1, c2, c3, rest @ ..] = *bytes;
        if major != 0 {
            return Err(Error::Unsupported { offset: 6, what: "is of a later version of the format" });
        }
        if crc32(&rest) != u32::from_le_bytes([c0, c1, c2, c3]) {
            return invalid(8, "has a wrong CRC-32 in the first 32 bytes of the archive");
        }
        let [o0, o1, o2, o3, o4, o5, o6, o7, l0, l1, l2, l3, l4, l5, l6, l7, c0, c1, c2, c3] = rest;
        let next_offset = u64::from_le_bytes([o0, o1, o2, o3, o4, o5, o6, o7]);
        let next_len = u64::from_le_bytes([l0, l1, l2, l3, l4, l5, l6, l7]);
        Ok(Self { next_offset, next_len, next_crc: u32::from_le_bytes([c0, c1, c2, c3]) })
    }
}
