//! Checksums of DEFLATE containers, and how those of two parts are combined.
//!
//! Workers compute the checksum of each chunk by itself. The joiner combines them in the order of the stream. The
//! decoder of gzip combines CRC-32s of parts in the same way. The combined checksum equals that of all bytes
//! together.

use crc32fast::Hasher;

use super::super::ffi::deflate::{adler32, crc32};

/// A checksum of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum ChecksumKind {
    /// The checksum of gzip and zip.
    Crc32,
    /// The checksum of zlib (RFC 1950).
    Adler32,
}

/// The largest prime below 2^16. The sums of Adler-32 are modulo this number.
const ADLER_BASE: u64 = 65521;

impl ChecksumKind {
    /// The checksum of these bytes.
    pub(in crate::format) fn of(self, bytes: &[u8]) -> u32 {
        match self {
            Self::Crc32 => crc32(0, bytes),
            Self::Adler32 => adler32(1, bytes),
        }
    }

    /// The checksum of two parts together. The second part has `len` bytes.
    pub(in crate::format) fn combine(self, first: u32, second: u32, len: u64) -> u32 {
        match self {
            Self::Crc32 => combine_crc32(first, second, len),
            Self::Adler32 => combine_adler32(first, second, len),
        }
    }
}

/// The CRC-32 of two parts together. The second part has `len` bytes.
pub(crate) fn combine_crc32(first: u32, second: u32, len: u64) -> u32 {
    // As behind nothing. A short stream then does not ask the CPU for its features, which takes long in a virtual
    // machine.
    if first == 0 {
        return second;
    }
    let mut crc = Hasher::new_with_initial(first);
    crc.combine(&Hasher::new_with_initial_len(second, len));
    crc.finalize()
}

/// Combines the Adler-32 of two parts.
///
/// The low half of Adler-32 is A: 1 plus the sum of all bytes. The high half is B: the sum of all values that A has
/// had. For two parts together, A is A1 + A2 - 1, because the 1 must not count twice. In the second part, each of the
/// `len` values of A is larger by A1 - 1 than it was for the part alone. So B is B1 + B2 + len (A1 - 1).
fn combine_adler32(first: u32, second: u32, len: u64) -> u32 {
    let parts = |adler: u32| (u64::from(adler & 0xffff), u64::from(adler >> 16));
    let ((a1, b1), (a2, b2)) = (parts(first), parts(second));
    let less_one = a1 + ADLER_BASE - 1;
    let a = (less_one + a2) % ADLER_BASE;
    let b = (b1 + b2 + len % ADLER_BASE * less_one) % ADLER_BASE;
    (b << 16 | a) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_of_parts_make_that_of_the_whole() {
        let noise = (0..200_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for data in [vec![0xff; 200_000], vec![0; 200_000], noise] {
            for check in [ChecksumKind::Crc32, ChecksumKind::Adler32] {
                for cut in [0, 1, 5551, 5552, 65_520, 65_521, 65_522, 131_042, 199_999, 200_000] {
                    let (first, second) = data.split_at(cut);
                    let combined = check.combine(check.of(first), check.of(second), second.len() as u64);
                    assert_eq!(combined, check.of(&data), "{check:?} of {cut} bytes and the rest");
                }
            }
        }
    }

    #[test]
    fn adler32_is_that_of_the_specification() {
        // Section 8.2 of RFC 1950: the Adler-32 of nothing is 1. For "abc", A is 1 + 97 + 98 + 99, and B is 98 + 196
        // + 295.
        assert_eq!((ChecksumKind::Adler32.of(b""), ChecksumKind::Adler32.of(b"abc")), (1, 589 << 16 | 295));
    }
}
