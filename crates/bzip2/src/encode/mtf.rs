//! From the sorted block to symbols: the move-to-front list of the encoder, and its runs.
//!
//! [`Symbols::make`] takes the last bytes of the sorted rotations. A symbol is the place of a byte in the list of the
//! bytes used last, plus one. A run of the byte in front is written as digits of weight 1, 2, 4 …, each taken once
//! (`RUN_A`) or twice (`RUN_B`). The list is searched eight bytes at a time.

use crate::{RUN_A, RUN_B, SYMBOLS_MAX};

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;
/// Bytes in a word of the list.
const WORD_LEN: usize = 8;

/// The symbols of a block.
pub(super) struct Symbols {
    /// All symbols. The last is the end of the block, which occurs nowhere else.
    pub(super) list: Vec<u16>,
    /// How often each occurs.
    pub(super) freqs: [u32; SYMBOLS_MAX],
    /// How many different symbols there can be.
    pub(super) alphabet: usize,
}

impl Symbols {
    /// For blocks of at most `longest` bytes.
    pub(super) fn new(longest: usize) -> Self {
        Self { list: Vec::with_capacity(longest + 1), freqs: [0; SYMBOLS_MAX], alphabet: 0 }
    }

    /// Makes the symbols of a sorted block. `used` are the bytes that occur in it, in ascending order.
    pub(super) fn make(&mut self, last: &[u8], used: &[u8]) {
        self.alphabet = used.len() + 2;
        self.freqs.fill(0);
        self.list.clear();
        // Never more symbols than bytes, and the end.
        self.list.resize(last.len() + 1, 0);
        let mut recency = Recency::new(used);
        let mut len = 0;
        let mut rest = last;
        while let Some((&byte, behind)) = rest.split_first() {
            if byte == recency.front() {
                let run = 1 + behind.iter().take_while(|&&next| next == byte).count();
                rest = &rest[run..];
                // Its digits are those of one more in binary without the first, lowest first.
                let mut digits = run + 1;
                while digits > 1 {
                    let digit = if digits & 1 == 0 { RUN_A } else { RUN_B };
                    self.list[len] = digit as u16;
                    len += 1;
                    self.freqs[digit as usize] += 1;
                    digits >>= 1;
                }
                continue;
            }
            let symbol = recency.place(byte) + 1;
            self.list[len] = symbol as u16;
            len += 1;
            self.freqs[symbol] += 1;
            rest = behind;
        }
        let end = self.alphabet - 1;
        self.list[len] = end as u16;
        self.freqs[end] = 1;
        self.list.truncate(len + 1);
    }
}

/// The bytes in use, the last one used first, eight to a word with the first lowest.
struct Recency {
    near: u64,
    far: [u64; 256 / WORD_LEN - 1],
}

impl Recency {
    fn new(used: &[u8]) -> Self {
        let mut bytes = [0; 256];
        bytes[..used.len()].copy_from_slice(used);
        let (near, far) = bytes.split_at(WORD_LEN);
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        let mut recency = Self { near: word(near), far: [0; 256 / WORD_LEN - 1] };
        for (place, bytes) in recency.far.iter_mut().zip(far.chunks(WORD_LEN)) {
            *place = word(bytes);
        }
        recency
    }

    #[inline(always)]
    fn front(&self) -> u8 {
        self.near as u8
    }

    /// The place of `byte`, which moves to the front.
    #[inline(always)]
    fn place(&mut self, byte: u8) -> usize {
        let wanted = u64::from(byte) * LOW;
        let found = zeros(self.near ^ wanted);
        if found != 0 {
            self.near = moved(self.near, found, u64::from(byte));
            return (found.trailing_zeros() / 8) as usize;
        }
        let carry = self.near >> 56;
        self.near = self.near << 8 | u64::from(byte);
        self.far_place(wanted, carry)
    }

    #[inline(always)]
    fn far_place(&mut self, wanted: u64, mut carry: u64) -> usize {
        let mut before = WORD_LEN;
        for word in &mut self.far {
            let found = zeros(*word ^ wanted);
            if found != 0 {
                *word = moved(*word, found, carry);
                return before + (found.trailing_zeros() / 8) as usize;
            }
            (*word, carry) = (*word << 8 | carry, *word >> 56);
            before += WORD_LEN;
        }
        // A byte that is not in use: there is none.
        0
    }
}

/// The highest bit of the first byte that is zero, and perhaps of others behind it.
#[inline(always)]
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(LOW) & !word & HIGH
}

/// The bytes before the one `found` moved on by one, into its place; `first` comes before them.
#[inline(always)]
fn moved(word: u64, found: u64, first: u64) -> u64 {
    // All bits up to the one that was found.
    let mask = found ^ (found - 1);
    (word & !mask) | ((word << 8 | first) & mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the format describes it, without any haste.
    fn plainly(last: &[u8], used: &[u8]) -> Vec<u16> {
        let (mut list, mut symbols, mut run) = (used.to_vec(), Vec::new(), 0_usize);
        let spell = |symbols: &mut Vec<u16>, mut run: usize| {
            while run > 0 {
                let digit = if run % 2 == 1 { 1 } else { 2 };
                symbols.push(digit - 1);
                run = (run - usize::from(digit)) / 2;
            }
        };
        for &byte in last {
            let place = list.iter().position(|&other| other == byte).unwrap();
            list.remove(place);
            list.insert(0, byte);
            if place == 0 {
                run += 1;
                continue;
            }
            spell(&mut symbols, std::mem::take(&mut run));
            symbols.push(place as u16 + 1);
        }
        spell(&mut symbols, run);
        symbols.push(used.len() as u16 + 1);
        symbols
    }

    fn check(last: &[u8]) {
        let used: Vec<u8> = (0..=255).filter(|byte| last.contains(byte)).collect();
        let mut symbols = Symbols::new(10);
        symbols.make(last, &used);
        assert_eq!(symbols.list, plainly(last, &used));
        assert_eq!(symbols.alphabet, used.len() + 2);
        for (symbol, &freq) in symbols.freqs.iter().enumerate() {
            let count = symbols.list.iter().filter(|&&other| usize::from(other) == symbol).count();
            assert_eq!(freq as usize, count, "{symbol}");
        }
    }

    #[test]
    fn places_and_runs_are_those_of_the_format() {
        for len in 0..300 {
            check(&vec![b'x'; len]);
            check(&[&vec![b'x'; len][..], b"ab", &vec![b'a'; len]].concat());
        }
        for letters in [2, 3, 7, 8, 9, 17, 64, 255, 256] {
            let mut state = 1_u32;
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state >> 16
            };
            let all = (0..letters).map(|letter| letter as u8);
            check(&all.chain((0..3000).map(|_| (next() % letters) as u8)).collect::<Vec<u8>>());
            check(&(0..3000).map(|_| (next() % letters * next() / 65_536) as u8).collect::<Vec<u8>>());
        }
    }
}
