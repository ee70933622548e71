//! The decoder against zlib's verdicts (those of zlib-rs, through flate2).

#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

mod differential;
mod inside;
mod pair;
mod resume;
mod verdicts;
mod writer;

use super::compare::{Verdict, compare, compare_steps, ours};
use super::{Boundary, Defect, Inflate, Output, Pause};

/// A sequence of numbers that looks random, the same every time (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}
