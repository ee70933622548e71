//! The header of a dynamic block: the lengths of its two codes, coded themselves (RFC 1951, 3.2.7).
//!
//! [`Header::new`] takes the code lengths and chooses the code to write them in. `block.rs` asks for its length in
//! bits to compare the types of a block, and writes it if the block becomes a dynamic one.

use super::bits::BitWriter;
use super::symbols::*;
use crate::huffman::{code_lengths, codes};

const PRECODE_SYMBOLS: usize = 19;
const PRECODE_LIMIT: u32 = 7;
/// Repeats the previous length, 3 to 6 times.
const REPEAT: usize = 16;
/// 3 to 10 zeros, and 11 to 138.
const ZEROS: usize = 17;
const MORE_ZEROS: usize = 18;
const ZEROS_MAX: usize = 138;

/// The order in which the lengths of the code length code are written.
const ORDER: [u8; PRECODE_SYMBOLS] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Code lengths, coded themselves.
pub(super) struct Header {
    litlen_count: usize,
    dist_count: usize,
    /// Symbols of the code length code, each with the value of its extra bits above.
    items: [u16; LITLEN_SYMBOLS + DIST_SYMBOLS],
    item_count: usize,
    freqs: [u32; PRECODE_SYMBOLS],
    lengths: [u8; PRECODE_SYMBOLS],
    length_count: usize,
}

impl Header {
    pub(super) fn new(litlen: &[u8], dist: &[u8]) -> Self {
        let used = |lengths: &[u8], least: usize| {
            lengths.iter().rposition(|&length| length > 0).map_or(least, |last| least.max(last + 1))
        };
        let (litlen_count, dist_count) = (used(litlen, END_OF_BLOCK + 1), used(dist, 1));
        let mut header = Self {
            litlen_count,
            dist_count,
            items: [0; LITLEN_SYMBOLS + DIST_SYMBOLS],
            item_count: 0,
            freqs: [0; PRECODE_SYMBOLS],
            lengths: [0; PRECODE_SYMBOLS],
            length_count: 0,
        };
        // Repetitions may run from one code into the other.
        let mut lengths = [0; LITLEN_SYMBOLS + DIST_SYMBOLS];
        lengths[..litlen_count].copy_from_slice(&litlen[..litlen_count]);
        lengths[litlen_count..litlen_count + dist_count].copy_from_slice(&dist[..dist_count]);
        let mut rest = &lengths[..litlen_count + dist_count];
        while let Some(&length) = rest.first() {
            let run = rest.iter().take_while(|&&other| other == length).count();
            rest = &rest[run..];
            header.push_run(length, run);
        }
        code_lengths(&header.freqs, PRECODE_LIMIT, &mut header.lengths);
        let last = ORDER.iter().rposition(|&symbol| header.lengths[usize::from(symbol)] > 0);
        header.length_count = last.map_or(4, |last| 4.max(last + 1));
        header
    }

    fn push_run(&mut self, length: u8, mut run: usize) {
        if length == 0 {
            while run >= 3 {
                let now = run.min(ZEROS_MAX);
                if now < 11 {
                    self.push(ZEROS, now - 3)
                } else {
                    self.push(MORE_ZEROS, now - 11)
                }
                run -= now;
            }
        } else {
            self.push(length.into(), 0);
            run -= 1;
            while run >= 3 {
                let now = run.min(6);
                self.push(REPEAT, now - 3);
                run -= now;
            }
        }
        for _ in 0..run {
            self.push(length.into(), 0);
        }
    }

    fn push(&mut self, symbol: usize, extra: usize) {
        self.freqs[symbol] += 1;
        self.items[self.item_count] = (symbol | extra << 8) as u16;
        self.item_count += 1;
    }

    /// Its length.
    pub(super) fn bits(&self) -> u64 {
        let items = self.freqs.iter().zip(&self.lengths).enumerate();
        let bits: u32 =
            items.map(|(symbol, (&freq, &length))| freq * (u32::from(length) + extra(symbol))).sum();
        14 + 3 * self.length_count as u64 + u64::from(bits)
    }

    pub(super) fn write(&self, bits: &mut BitWriter) {
        bits.put(self.litlen_count as u64 - 257, 5);
        bits.put(self.dist_count as u64 - 1, 5);
        bits.put(self.length_count as u64 - 4, 4);
        for &symbol in &ORDER[..self.length_count] {
            bits.put(self.lengths[usize::from(symbol)].into(), 3);
        }
        let mut precode = [0; PRECODE_SYMBOLS];
        codes(&self.lengths, &mut precode);
        for &item in &self.items[..self.item_count] {
            let symbol = usize::from(item & 0xff);
            bits.put(precode[symbol].into(), self.lengths[symbol].into());
            bits.put(u64::from(item >> 8), extra(symbol));
        }
    }
}

/// Extra bits of a symbol of the code length code.
fn extra(symbol: usize) -> u32 {
    match symbol {
        REPEAT => 2,
        ZEROS => 3,
        MORE_ZEROS => 7,
        _ => 0,
    }
}
