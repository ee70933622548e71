//! The depths that the nodes of a tree can have.
//!
//! A node has a few bits for its depth, so there are at most [`CODES`] of them: every length up to a limit, if the
//! limit is low, or else every short length and some long ones. The limit is always one of them.

use crate::model::{MATCH_MAX, MATCH_MIN};

pub(crate) const CODE_BITS: u32 = 6;
/// The first code is that of the root.
pub(crate) const CODES: usize = 1 << CODE_BITS;
/// If not every length has a code, these do.
const SHORT: usize = 40;

/// The length up to which every length has a code, if the limit is `depth_max`.
pub(crate) fn exact_len(depth_max: usize) -> u32 {
    if depth_max <= CODES { CODES as u32 } else { SHORT as u32 }
}

pub(crate) struct Depths {
    /// The length for each code.
    lens: [u32; CODES],
    /// The code for each length: that of the greatest depth that is no longer.
    codes: [u8; MATCH_MAX as usize + 1],
}

impl Depths {
    pub(crate) fn new(depth_max: usize) -> Self {
        let depth_max = depth_max.clamp(MATCH_MIN as usize, MATCH_MAX as usize);
        let mut depths = Self { lens: [0; _], codes: [0; _] };
        for (index, len) in depths.lens.iter_mut().enumerate().skip(1) {
            // The codes begin with that of two bytes.
            let (short, rest) = (SHORT - 1, CODES - SHORT);
            *len = if depth_max <= CODES || index <= short {
                (index + 1).min(depth_max)
            } else {
                SHORT + (depth_max - SHORT) * (index - short) / rest
            } as u32;
        }
        for code in (1..CODES).rev() {
            let len = depths.lens[code] as usize;
            // Of equal lengths the first one counts.
            depths.codes[len..].iter_mut().for_each(|known| {
                if *known == 0 || depths.lens[usize::from(*known)] as usize == len {
                    *known = code as u8;
                }
            });
        }
        depths
    }

    /// The code for strings of this length.
    #[inline]
    pub(crate) fn code(&self, len: u32) -> u8 {
        self.codes[len.min(MATCH_MAX) as usize]
    }

    /// The greatest depth.
    #[inline]
    pub(crate) fn most(&self) -> usize {
        self.lens[CODES - 1] as usize
    }

    #[inline]
    pub(crate) fn len(&self, code: usize) -> u32 {
        self.lens[code % CODES]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_and_short_lengths_are_exact() {
        for depth_max in 2..=MATCH_MAX {
            let depths = Depths::new(depth_max as usize);
            let cut = |len| depths.len(usize::from(depths.code(len)));
            assert_eq!((cut(0), cut(1)), (0, 0));
            let exact = exact_len(depth_max as usize);
            for len in 2..=exact {
                assert_eq!(cut(len), len.min(depth_max), "{len} of {depth_max}");
            }
            for len in exact..=MATCH_MAX {
                assert!(cut(len) <= len.min(depth_max) && cut(len) + 11 > len.min(depth_max));
            }
            assert_eq!((cut(depth_max), depths.most()), (depth_max, depth_max as usize));
            assert_eq!(cut(1 << 30), depth_max);
        }
    }
}
