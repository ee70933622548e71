//! Random numbers for tests: SplitMix64 (Steele, Lea and Flood, 2014).
//!
//! The tests of the codecs and the fuzz targets include this file by its path. Each adds its own distributions. The
//! same seed gives the same numbers in every run.

/// The state of the generator, which is also its seed.
pub struct Random(pub u64);

impl Random {
    /// The next 64 random bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}
