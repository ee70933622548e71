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

/// Text with matches near and far.
pub fn text(len: usize) -> Vec<u8> {
    let mut random = Random(len as u64);
    let mut text = Vec::new();
    while text.len() < len {
        let (id, value) = (text.len(), random.next() % 100_000);
        text.extend(format!("{id}\t{value}\tuser_{}\t2010-10-20\n", random.below(30)).bytes());
    }
    text.truncate(len);
    text
}
