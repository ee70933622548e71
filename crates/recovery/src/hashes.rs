//! The two hashes of a shard: [`hash`] says whether its bytes are right, and [`sum`] finds it at another place.
//!
//! The sum is cheap to move on by one byte ([`Rolling`]), so a search looks at every place of a file. It only proposes
//! places: a shard counts as found if its hash is right too.

use xxhash_rust::xxh3::xxh3_64;

#[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
use crate::avx2::Avx2;

/// XXH3 with 64 bits and the seed 0.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// The rolling sum of bytes b(0) to b(n-1): the low half is the sum of all b(i), and the high half is the sum of all
/// (n - i) b(i), both modulo 2^16.
pub(crate) fn sum(bytes: &[u8]) -> u32 {
    #[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
    if let Some(processor) = Avx2::find() {
        return sum_of_lanes(bytes, |blocks| processor.lanes(blocks));
    }
    sum_of_lanes(bytes, lanes)
}

const LANES: usize = 16;

/// Each lane adds up every 16th byte, so that the compiler uses vectors. All sums are modulo 2^16.
fn lanes(blocks: &[[u8; LANES]]) -> [[u16; LANES]; 2] {
    let [mut low, mut high] = [[0_u16; LANES]; 2];
    for block in blocks {
        for lane in 0..LANES {
            high[lane] = high[lane].wrapping_add(low[lane]);
            low[lane] = low[lane].wrapping_add(u16::from(block[lane]));
        }
    }
    [low, high]
}

fn sum_of_lanes(bytes: &[u8], lanes: impl FnOnce(&[[u8; LANES]]) -> [[u16; LANES]; 2]) -> u32 {
    let (blocks, rest) = bytes.as_chunks();
    let [low, high] = lanes(blocks);
    let (mut a, mut b) = (0_u32, 0_u32);
    for lane in 0..LANES {
        let (low, high) = (u32::from(low[lane]), u32::from(high[lane]));
        a += low;
        b += high * LANES as u32 + low * (LANES - lane) as u32;
    }
    for &byte in rest {
        a = a.wrapping_add(u32::from(byte));
        b = b.wrapping_add(a);
    }
    pack(a, b)
}

fn pack(a: u32, b: u32) -> u32 {
    (b << 16) | (a & 0xffff)
}

/// The sum of a window that moves over bytes.
pub(crate) struct Rolling {
    a: u32,
    b: u32,
    len: u32,
}

impl Rolling {
    /// The window that holds these bytes.
    pub(crate) fn new(window: &[u8]) -> Self {
        let sum = sum(window);
        Self { a: sum & 0xffff, b: sum >> 16, len: window.len() as u32 }
    }

    /// Moves the window on by one byte.
    #[inline]
    pub(crate) fn roll(&mut self, out: u8, new: u8) {
        self.a = self.a.wrapping_add(u32::from(new)).wrapping_sub(u32::from(out));
        self.b = self.b.wrapping_add(self.a).wrapping_sub(self.len.wrapping_mul(u32::from(out)));
    }

    /// The sum of the window.
    #[inline]
    pub(crate) fn sum(&self) -> u32 {
        pack(self.a, self.b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_moves_has_the_sum_of_its_bytes() {
        let bytes: Vec<u8> = (0..5000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for len in [1, 15, 16, 64, 1000, 4096] {
            let mut rolling = Rolling::new(&bytes[..len]);
            for at in 0..bytes.len() - len {
                let plain =
                    bytes[at..at + len].iter().enumerate().fold((0_u64, 0_u64), |(a, b), (place, &byte)| {
                        (a + u64::from(byte), b + (len - place) as u64 * u64::from(byte))
                    });
                let expected = ((plain.1 & 0xffff) << 16 | plain.0 & 0xffff) as u32;
                assert_eq!(rolling.sum(), expected, "{len} bytes at {at}");
                rolling.roll(bytes[at], bytes[at + len]);
            }
            let last = &bytes[bytes.len() - len..];
            assert_eq!([sum(last), sum_of_lanes(last, lanes)], [rolling.sum(); 2]);
        }
    }
}
