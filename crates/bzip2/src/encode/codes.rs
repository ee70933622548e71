//! The codes of a block, and the code of each group of symbols.
//!
//! [`Codes::choose`] takes the symbols of a block, and [`Codes::put`] writes codes and symbols. Codes and choices
//! depend on each other. So each group takes the code in which it is shortest, then each code is made anew for the
//! groups that took it, for five rounds. As in bzip2, each of the first codes suits a range of symbols, all of about
//! the same weight.

use pzcomp_deflate::huffman::code_lengths;

use super::BitWriter;
use super::mtf::Symbols;
use crate::{CODES_MAX, GROUP_LEN, SYMBOLS_MAX};

/// The greatest length of a code, as in bzip2. Decoders accept 20 bits.
const LEN_MAX: u32 = 17;
/// The first cost of a symbol in a code that is not meant for it.
const FOREIGN_LEN: u8 = 15;
/// bzip2 makes four rounds. A fifth round, and counting the bits of selectors, makes the output a little shorter, and
/// takes little of the encoder's time.
const ROUNDS: usize = 5;

// Three words fit between two spills.
const _: () = assert!(3 * LEN_MAX <= 56);
/// The bits of the cost of a group in one code. The costs in all codes go into one word.
const COST_BITS: usize = 10;
const _: () = assert!(GROUP_LEN * (LEN_MAX as usize) < 1 << COST_BITS && CODES_MAX * COST_BITS <= 64);
/// A power of two, so that a masked symbol needs no check.
const ROOM: usize = SYMBOLS_MAX.next_power_of_two();

/// The codes of a block.
pub(super) struct Codes {
    count: usize,
    /// The length of each symbol in each code.
    lens: [[u8; SYMBOLS_MAX]; CODES_MAX],
    /// The code of each group, and how many other codes were used since the last use of it.
    selectors: Vec<u8>,
    places: Vec<u8>,
    /// How often each symbol occurs in the groups of each code.
    freqs: Box<[[u32; ROOM]; CODES_MAX]>,
}

impl Codes {
    pub(super) fn new() -> Self {
        let (lens, freqs) = ([[0; SYMBOLS_MAX]; CODES_MAX], Box::new([[0; ROOM]; CODES_MAX]));
        Self { count: 0, lens, selectors: Vec::new(), places: Vec::new(), freqs }
    }

    pub(super) fn choose(&mut self, symbols: &Symbols) {
        self.count = match symbols.list.len() {
            0..200 => 2,
            200..600 => 3,
            600..1200 => 4,
            1200..2400 => 5,
            _ => 6,
        };
        self.begin(symbols);
        for _ in 0..ROUNDS {
            self.select(symbols);
            for (lens, freqs) in self.lens.iter_mut().zip(&*self.freqs).take(self.count) {
                // A symbol that does not occur has a code all the same.
                let weights: [u32; SYMBOLS_MAX] = std::array::from_fn(|symbol| freqs[symbol].max(1));
                code_lengths(&weights[..symbols.alphabet], LEN_MAX, &mut lens[..symbols.alphabet]);
            }
        }
    }

    /// Makes the first codes: each for the next range of symbols that has its share of what is left.
    fn begin(&mut self, symbols: &Symbols) {
        let (mut left, mut from) = (symbols.list.len() as u32, 0);
        for code in 0..self.count {
            let share = left / (self.count - code) as u32;
            let (mut to, mut sum) = (from, 0);
            while to < symbols.alphabet && sum < share {
                sum += symbols.freqs[to];
                to += 1;
            }
            // Every second range leaves the symbol that goes beyond its share to the next range.
            if to > from + 1 && code % 2 == 1 && code + 1 < self.count {
                to -= 1;
                sum -= symbols.freqs[to];
            }
            for (symbol, len) in self.lens[code].iter_mut().enumerate() {
                *len = if (from..to).contains(&symbol) { 0 } else { FOREIGN_LEN };
            }
            (from, left) = (to, left - sum);
        }
    }

    /// Gives each group the code in which it is shortest, and counts the symbols of each code.
    fn select(&mut self, symbols: &Symbols) {
        let mut costs = [0_u64; ROOM];
        for (code, lens) in self.lens.iter().enumerate().take(self.count) {
            for (cost, &len) in costs.iter_mut().zip(lens) {
                *cost |= u64::from(len) << (COST_BITS * code);
            }
        }
        self.freqs.as_flattened_mut().fill(0);
        self.selectors.clear();
        self.places.clear();
        let mut recency: [u8; CODES_MAX] = [0, 1, 2, 3, 4, 5];
        for group in symbols.list.chunks(GROUP_LEN) {
            let cost: u64 = group.iter().map(|&symbol| costs[usize::from(symbol) % ROOM]).sum();
            // The selector takes a bit for each other code that was used since the last use of this one.
            let cost_at = |place: usize| {
                (cost >> (COST_BITS * usize::from(recency[place])) & ((1 << COST_BITS) - 1)) + place as u64
            };
            let best = (0..self.count).map(|place| (cost_at(place), place)).min();
            let place = best.map_or(0, |(_, place)| place);
            recency[..=place].rotate_right(1);
            self.selectors.push(recency[0]);
            self.places.push(place as u8);
            let freqs = &mut self.freqs[usize::from(recency[0])];
            group.iter().for_each(|&symbol| freqs[usize::from(symbol) % ROOM] += 1);
        }
    }

    /// Writes the codes, and the symbols in them. If the `start` of the block is given, the block is made to take whole
    /// bytes: it lists more selectors than it has groups, each of which repeats the one before and takes one bit.
    pub(super) fn put(&self, symbols: &Symbols, start: Option<usize>, out: &mut BitWriter) {
        let unused = start.map_or(0, |start| {
            let end = out.position() + self.bits(symbols);
            (end - start).next_multiple_of(8) - (end - start)
        });
        out.put(3, self.count as u64);
        out.put(15, (self.places.len() + unused) as u64);
        let unused = std::iter::repeat_n(&0, unused);
        // A selector is as many ones as its place from the front, and a zero.
        self.places
            .iter()
            .chain(unused)
            .for_each(|&place| out.put(u32::from(place) + 1, (1 << (place + 1)) - 2));
        let mut words = [[Word::default(); ROOM]; CODES_MAX];
        for (lens, words) in self.lens.iter().zip(&mut words).take(self.count) {
            put_lens(&lens[..symbols.alphabet], out);
            spell(&lens[..symbols.alphabet], words);
        }
        for (group, &selector) in symbols.list.chunks(GROUP_LEN).zip(&self.selectors) {
            let words = &words[usize::from(selector) % CODES_MAX];
            for three in group.chunks(3) {
                for &symbol in three {
                    let word = words[usize::from(symbol) % ROOM];
                    out.push(u32::from(word.len), u64::from(word.bits));
                }
                out.spill();
            }
        }
    }

    /// How many bits [`Self::put`] writes if it lists no more selectors than groups.
    fn bits(&self, symbols: &Symbols) -> usize {
        let of_places: usize = self.places.iter().map(|&place| usize::from(place) + 1).sum();
        let of_codes = self.lens.iter().zip(&*self.freqs).take(self.count).map(|(lens, freqs)| {
            let lens = &lens[..symbols.alphabet];
            let steps: usize = lens.windows(2).map(|two| usize::from(two[0].abs_diff(two[1]))).sum();
            let words: usize =
                lens.iter().zip(freqs).map(|(&len, &freq)| usize::from(len) * freq as usize).sum();
            5 + lens.len() + 2 * steps + words
        });
        3 + 15 + of_places + of_codes.sum::<usize>()
    }
}

/// Writes the lengths of a code: the first, then for each symbol the steps up or down from the length before.
fn put_lens(lens: &[u8], out: &mut BitWriter) {
    let mut current = lens.first().copied().unwrap_or(1);
    out.put(5, u64::from(current));
    for &len in lens {
        while current != len {
            out.put(2, if current < len { 0b10 } else { 0b11 });
            current = if current < len { current + 1 } else { current - 1 };
        }
        out.put(1, 0);
    }
}

/// The bits of a symbol in a code.
#[derive(Clone, Copy, Default)]
struct Word {
    bits: u32,
    len: u8,
}

/// The words of a code with these lengths: in ascending order by length, then by symbol.
fn spell(lens: &[u8], words: &mut [Word; ROOM]) {
    let mut bits = 0;
    for len in 1..=LEN_MAX as u8 {
        for (word, _) in words.iter_mut().zip(lens).filter(|(_, of)| **of == len) {
            *word = Word { bits, len };
            bits += 1;
        }
        bits <<= 1;
    }
}
