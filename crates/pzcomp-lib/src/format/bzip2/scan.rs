//! The search for magic numbers at any bit.
//!
//! [`find`] gets coded bytes and gives the first magic number that lies completely in them. [`super::walk`] and
//! `salvage/` call it. The search must be fast, because it sees every byte of the input.

use pzcomp_bzip2::{BLOCK_MAGIC, END_MAGIC, MAGIC_BITS};

use super::MAGIC_LEN;

/// A magic number that was found in coded data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Magic {
    /// The byte in which the magic number begins.
    pub(crate) at: usize,
    /// The bit of that byte at which it begins.
    pub(crate) bit: u32,
    /// Whether it is the magic number of the end of a stream.
    pub(crate) is_end: bool,
}

/// The distance between the pairs of bytes that the search looks at.
///
/// A magic number fills five bytes behind the byte in which it begins, at every bit. Five bytes hold four pairs. So
/// one of these pairs begins at a multiple of four, and the search needs to look at those places only.
const STEP: usize = 4;

/// One bit for each value of two bytes: whether these two bytes can be part of a magic number.
static PAIRS: [u64; 1024] = {
    let mut pairs = [0; 1024];
    let mut bit = 0;
    while bit < 8 {
        let mut pair = 1;
        while pair <= STEP {
            let below = 64 - 8 * (pair + 2);
            let block = ((BLOCK_MAGIC << (16 - bit)) >> below) as u16;
            let end = ((END_MAGIC << (16 - bit)) >> below) as u16;
            pairs[(block / 64) as usize] |= 1 << (block % 64);
            pairs[(end / 64) as usize] |= 1 << (end % 64);
            pair += 1;
        }
        bit += 1;
    }
    pairs
};

/// The first magic number that lies completely in `bytes`.
pub(crate) fn find(bytes: &[u8]) -> Option<Magic> {
    let steps = bytes.get(1..)?.chunks(STEP).enumerate();
    steps.filter(|(_, step)| is_pair(step)).find_map(|(step, _)| {
        let at = 1 + step * STEP;
        (at.saturating_sub(STEP)..at).find_map(|start| magic_in(bytes, start))
    })
}

#[inline(always)]
fn is_pair(step: &[u8]) -> bool {
    step.first_chunk().is_some_and(|pair| {
        let pair = u16::from_be_bytes(*pair);
        PAIRS[usize::from(pair / 64)] >> (pair % 64) & 1 == 1
    })
}

/// The magic number that begins in the byte `at`.
#[cold]
fn magic_in(bytes: &[u8], at: usize) -> Option<Magic> {
    let mut eight = [0; 8];
    let here = bytes.get(at..)?;
    let len = here.len().min(8);
    eight[..len].copy_from_slice(&here[..len]);
    let next = u64::from_be_bytes(eight);
    (0..8).filter(|&bit| MAGIC_LEN + usize::from(bit > 0) <= len).find_map(|bit| {
        let magic = (next << bit) >> (64 - MAGIC_BITS);
        (magic == BLOCK_MAGIC || magic == END_MAGIC).then_some(Magic { at, bit, is_end: magic == END_MAGIC })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `len` bytes of `fill` with a magic number at this bit.
    fn planted(len: usize, bit: usize, magic: u64, fill: u8) -> Vec<u8> {
        let mut bytes = vec![fill; len];
        for place in 0..MAGIC_BITS as usize {
            let mask = 0x80 >> ((bit + place) % 8);
            let byte = &mut bytes[(bit + place) / 8];
            *byte = if magic >> (MAGIC_BITS as usize - 1 - place) & 1 == 1 {
                *byte | mask
            } else {
                *byte & !mask
            };
        }
        bytes
    }

    #[test]
    fn a_magic_number_is_found_at_any_bit_and_only_as_a_whole() {
        for (magic, is_end) in [(BLOCK_MAGIC, false), (END_MAGIC, true)] {
            for fill in [0, 0xff, 0x55] {
                for bit in 0..200 {
                    let whole = (bit + MAGIC_BITS as usize).div_ceil(8);
                    for len in [whole, whole + 1, whole + 2, whole + 3, whole + 40] {
                        let bytes = planted(len, bit, magic, fill);
                        let expected = Magic { at: bit / 8, bit: (bit % 8) as u32, is_end };
                        assert_eq!(find(&bytes), Some(expected), "{bit} in {len}");
                        assert_eq!(find(&bytes[..whole - 1]), None, "{bit} cut off");
                    }
                }
            }
        }
        assert_eq!(find(&[]), None);
    }

    #[test]
    fn the_first_of_several_is_found() {
        let mut bytes = planted(40, 77, END_MAGIC, 0);
        bytes.extend(planted(40, 3, BLOCK_MAGIC, 0));
        assert_eq!(find(&bytes), Some(Magic { at: 9, bit: 5, is_end: true }));
        assert_eq!(find(&bytes[10..]), Some(Magic { at: 30, bit: 3, is_end: false }));
    }
}
