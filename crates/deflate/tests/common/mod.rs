//! Random data for the tests of the encoder and of the decoder.
//!
//! `random.rs` has the generator, which other packages include too. The distributions here are for these tests only.

#![allow(dead_code)] // Each test uses some of it.

mod random;

pub use random::Random;

impl Random {
    /// A number below `end`, or 0 if that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }
}
