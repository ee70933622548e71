//! Huffman coded literals (RFC 8878, section 4.2), and the lookup table of a code.

#[cfg(not(pzcomp_safe))]
mod fast;
mod streams;
pub(crate) mod weights;

pub(crate) use streams::{decode_four, decode_one};
use weights::{CODE_BITS_MAX, Weights, read_weights};

use crate::Error;
use crate::context::HuffmanDescription;

/// The width of nearly every table: codes that are shorter fill several entries. So the fast loop has one width.
pub(crate) const FAST_BITS: u32 = 11;

/// A table, and the description that it was built from, so that it is not built twice.
pub(crate) struct HuffmanTable {
    /// The low byte is the length of the code, the high byte is the symbol.
    pub entries: Box<[u16; 1 << CODE_BITS_MAX]>,
    /// The number of bits that index the table: 11, or 12 for a code that is longer than the format allows.
    pub index_bits: u32,
    built_from: Option<HuffmanDescription>,
}

impl HuffmanTable {
    pub fn new() -> Self {
        Self { entries: Box::new([0; 1 << CODE_BITS_MAX]), index_bits: FAST_BITS, built_from: None }
    }

    pub fn is_built_from(&self, description: &HuffmanDescription) -> bool {
        self.built_from.as_ref() == Some(description)
    }

    /// Makes this the table of a description.
    pub fn build(&mut self, description: &HuffmanDescription) -> Result<(), Error> {
        if self.is_built_from(description) {
            return Ok(());
        }
        self.built_from = None;
        let Weights { weights, symbols, code_bits } =
            read_weights(description.bytes()).ok_or(Error::HuffmanTable)?;
        self.index_bits = code_bits.max(FAST_BITS);
        // Codes are given out by weight, and within a weight by symbol.
        let mut starts = [0_usize; CODE_BITS_MAX as usize + 2];
        for &weight in &weights[..symbols] {
            starts[usize::from(weight) + 1] += 1;
        }
        let widen = self.index_bits - code_bits;
        let span = |weight: usize| ((1_usize << weight) >> 1) << widen;
        let mut at = 0;
        for weight in 1..=CODE_BITS_MAX as usize {
            let count = starts[weight + 1];
            starts[weight] = at;
            at += count * span(weight);
        }
        for (symbol, &weight) in weights[..symbols].iter().enumerate().filter(|(_, weight)| **weight > 0) {
            let weight = usize::from(weight);
            let entry = (symbol as u16) << 8 | (code_bits as u16 + 1 - weight as u16);
            self.entries[starts[weight]..][..span(weight)].fill(entry);
            starts[weight] += span(weight);
        }
        self.built_from = Some(*description);
        Ok(())
    }
}
