//! The parser: turns a chunk into blocks of literals and matches.
//!
//! `Encoder::encode` calls [`Parser::begin`] for a chunk and [`Parser::parse`] for each block. The parser looks at two
//! positions together. So one branch that is hard to predict serves both, and the better match of the two is known
//! at once, as in a lazy parser. Candidates for a match are the last place with the same five bytes and, in binary
//! data, the last place with the same three: rows of a table have short columns that repeat the row before.

use super::symbols::*;
use super::words::Words;
use crate::huffman::code_lengths;

/// A block ends after this many sequences or literals, whichever comes first.
pub(super) const SEQUENCES_MAX: usize = 8 << 10;
pub(super) const LITERALS_MAX: usize = 64 << 10;
/// The least length of a block that is not the last of its chunk.
pub(super) const BLOCK_MIN: usize = SEQUENCES_MAX * LEN_MIN;
/// Hash tables of 16 KiB and 8 KiB fit into the nearest cache beside the window. Larger tables are slower and save next
/// to nothing.
const LONG_BITS: u32 = 13;
const SHORT_BITS: u32 = 12;
/// How many bytes of two matches are compared before one is chosen.
const COMPARED: u32 = 7;
/// No match begins within this many bytes of the end.
const MARGIN: usize = 24;
/// The cost of a match besides the bits of its distance. Costs are in eighths of a bit.
const MATCH_COST: i32 = 110;
/// Bytes beyond the compared ones count a fourth. Passing over a match that looks too far away costs less than it
/// seems, because a nearer one may begin soon.
const BEYOND: i32 = 4;
/// The cost of a literal of binary data in the first block.
const BINARY_LITERAL_COST: i32 = 48;
/// After 2^n bytes without a match each step passes over one byte more, up to a limit.
const SKIP_SHIFT: u32 = 6;
const SKIP_MAX: usize = 32;

/// A number of literals, then a match.
#[derive(Clone, Copy)]
pub(super) struct Sequence(u64);

impl Sequence {
    const NONE: Self = Self(0);

    #[inline(always)]
    pub(super) fn new(literals: usize, len_less: usize, slot: usize, dist: usize) -> Self {
        Self((literals as u64) << 32 | (len_less as u64) << 24 | (slot as u64) << 16 | (dist as u64 - 1))
    }

    #[inline(always)]
    pub(super) fn literals(self) -> usize {
        (self.0 >> 32) as usize
    }

    /// The length of the match, less [`LEN_MIN`].
    #[inline(always)]
    pub(super) fn len_less(self) -> usize {
        (self.0 >> 24) as usize & 0xff
    }

    #[inline(always)]
    pub(super) fn dist_slot(self) -> usize {
        (self.0 >> 16) as usize & 31
    }

    /// The distance, less one.
    #[inline(always)]
    pub(super) fn dist_less(self) -> u64 {
        self.0 & 0xffff
    }
}

/// How often each symbol of a block occurs.
pub(super) struct Tally {
    pub(super) litlen: [u32; LITLEN_SYMBOLS],
    pub(super) dist: [u32; DIST_SLOTS],
}

impl Tally {
    pub(super) const NEW: Self = Self { litlen: [0; LITLEN_SYMBOLS], dist: [0; DIST_SLOTS] };

    pub(super) fn clear(&mut self) {
        *self = Self::NEW;
    }
}

/// The contents of a block. Literals behind the last sequence are in the tally only.
pub(super) struct Parsed<'a> {
    pub(super) sequences: &'a [Sequence],
    pub(super) tally: &'a Tally,
    /// Where the block ends.
    pub(super) end: usize,
}

/// The parser of one chunk after another. Positions are stored modulo 2^16. An old entry, or an entry that was never
/// set, names some place inside the window or no place. The bytes at that place are compared like any others.
pub(super) struct Parser {
    long: Box<[u16; 1 << LONG_BITS]>,
    short: Box<[u16; 1 << SHORT_BITS]>,
    pub(super) sequences: Box<[Sequence; SEQUENCES_MAX]>,
    pub(super) tally: Tally,
    /// The average cost of a literal.
    literal_cost: i32,
    /// Whether the parser looks for matches of three bytes. The cost of literals cannot decide this, because it depends
    /// on the decision.
    is_binary: bool,
}

#[inline(always)]
fn long_hash(word: u64) -> usize {
    ((word << 24).wrapping_mul(0x9e37_79b1_85eb_ca87) >> (64 - LONG_BITS)) as usize
}

#[inline(always)]
fn short_hash(word: u64) -> usize {
    ((word as u32) << 8).wrapping_mul(0x9e37_79b1) as usize >> (32 - SHORT_BITS)
}

impl Parser {
    pub(super) fn new() -> Self {
        Self {
            long: Box::new([0; 1 << LONG_BITS]),
            short: Box::new([0; 1 << SHORT_BITS]),
            sequences: Box::new([Sequence::NONE; SEQUENCES_MAX]),
            tally: Tally::NEW,
            literal_cost: 0,
            is_binary: false,
        }
    }

    /// Begins a chunk, and forgets the chunk before.
    pub(super) fn begin(&mut self, plain: &[u8]) {
        self.long.fill(0);
        self.short.fill(0);
        (self.literal_cost, self.is_binary) = sample(plain);
    }

    /// Takes the cost of the literals of this block as the estimate for the next block.
    pub(super) fn learn(&mut self, literal_bits: u64) {
        let literals: u32 = self.tally.litlen[..END_OF_BLOCK].iter().sum();
        // A few literals are often not typical.
        if literals >= 512 {
            self.literal_cost = (8 * literal_bits / u64::from(literals)) as i32;
        }
    }

    /// The block that begins at `start`.
    #[inline(always)]
    pub(super) fn parse(&mut self, plain: &[u8], start: usize) -> Parsed<'_> {
        self.tally.clear();
        let (count, end) =
            if self.is_binary { self.run::<true>(plain, start) } else { self.run::<false>(plain, start) };
        Parsed { sequences: &self.sequences[..count], tally: &self.tally, end }
    }

    /// The number of sequences, and where the block ends.
    #[inline(always)]
    fn run<const BINARY: bool>(&mut self, plain: &[u8], start: usize) -> (usize, usize) {
        let Self { long, short, sequences, tally, literal_cost, .. } = self;
        let words = Words::new(plain);
        // The gain of a match without the bits of its distance, by its length so far.
        let mut gains = [i32::MIN / 2; 8];
        for (len, gain) in gains.iter_mut().enumerate().skip(LEN_MIN) {
            *gain = len as i32 * *literal_cost - MATCH_COST;
        }
        let last = plain.len().saturating_sub(MARGIN);
        // The number of equal bits among the compared bits, or zero if the distance is not allowed.
        let same = |at: usize, word: u64, dist: u16| {
            let differing = words.at(at - usize::from(dist)) ^ word;
            let is_far = dist.wrapping_sub(1) >> 15;
            (differing | 1 << (8 * COMPARED) | u64::from(is_far)).trailing_zeros()
        };
        let gain = |same: u32, dist: u16| {
            let log = 31 ^ (u32::from(dist) | 2).leading_zeros();
            gains[same as usize >> 3 & 7] - 8 * log as i32
        };
        let (mut at, mut anchor, mut count, mut literals) = (start, start, 0, 0);
        while at < last && count < SEQUENCES_MAX && literals < LITERALS_MAX {
            let word = words.at(at);
            let next = word >> 8;
            let (place, next_place) = (at as u16, (at as u16).wrapping_add(1));
            let mut dist = look(long, long_hash(word), place);
            let mut next_dist = look(long, long_hash(next), next_place);
            let mut len = same(at, word, dist);
            let mut next_len = same(at + 1, next, next_dist);
            if BINARY {
                let near = look(short, short_hash(word), place);
                let next_near = look(short, short_hash(next), next_place);
                let near_len = same(at, word, near);
                let next_near_len = same(at + 1, next, next_near);
                (len, dist) = if len > near_len { (len, dist) } else { (near_len, near) };
                (next_len, next_dist) =
                    if next_len > next_near_len { (next_len, next_dist) } else { (next_near_len, next_near) };
            }
            let (now, later) = (gain(len, dist), gain(next_len, next_dist));
            let is_later = later > now;
            let from = at + usize::from(is_later);
            let (same, dist) = if is_later { (next_len, next_dist) } else { (len, dist) };
            let dist = usize::from(dist);
            let gain = now.max(later);
            let mut len = same as usize >> 3;
            if gain <= 0 {
                // A match that looks too far away for its length may be longer.
                if same == 8 * COMPARED {
                    len = match_len(plain, words, from, dist, len);
                }
                if gain + (len as i32 - COMPARED as i32).max(0) * *literal_cost / BEYOND <= 0 {
                    let skip = ((at - anchor) >> SKIP_SHIFT).min(SKIP_MAX).min(last - at);
                    for &literal in &plain[at..at + 2 + skip] {
                        tally.litlen[usize::from(literal)] += 1;
                    }
                    at += 2 + skip;
                    literals += 2 + skip;
                    continue;
                }
            } else if same == 8 * COMPARED {
                len = match_len(plain, words, from, dist, len);
            }
            tally.litlen[word as usize & 0xff] += u32::from(is_later);
            literals += usize::from(is_later);
            let len_less = (len - LEN_MIN) & 0xff;
            let slot = dist_slot(dist as u32) as usize % DIST_SLOTS;
            sequences[count] = Sequence::new(from - anchor, len_less, slot, dist);
            count += 1;
            tally.litlen[END_OF_BLOCK + 1 + usize::from(LEN_SLOTS[len_less].slot)] += 1;
            tally.dist[slot] += 1;
            // Some places inside the match, which are not looked at again, get an entry.
            let end = from + len;
            for place in [at + 2, end - 2, end - 1] {
                let word = words.at(place);
                long[long_hash(word)] = place as u16;
                if BINARY {
                    short[short_hash(word)] = place as u16;
                }
            }
            if BINARY {
                let place = (at + 3).min(end - 1);
                let word = words.at(place);
                long[long_hash(word)] = place as u16;
                short[short_hash(word)] = place as u16;
            }
            at = end;
            anchor = end;
        }
        tally.litlen[END_OF_BLOCK] += 1;
        if at < last {
            return (count, at);
        }
        for &literal in &plain[at..] {
            tally.litlen[usize::from(literal)] += 1;
        }
        (count, plain.len())
    }
}

/// The distance back to the last place with the same hash. `place` replaces it in the table.
#[inline(always)]
fn look<const N: usize>(table: &mut [u16; N], hash: usize, place: u16) -> u16 {
    place.wrapping_sub(std::mem::replace(&mut table[hash], place))
}

/// The length of a match whose first `len` bytes are known to be the same.
#[inline(always)]
fn match_len(plain: &[u8], words: Words, from: usize, dist: usize, mut len: usize) -> usize {
    let max = LEN_MAX.min(plain.len() - from);
    while len + 8 <= max {
        let differing = words.at(from + len) ^ words.at(from + len - dist);
        if differing != 0 {
            return len + (differing.trailing_zeros() >> 3) as usize;
        }
        len += 8;
    }
    while len < max && plain[from + len] == plain[from + len - dist] {
        len += 1;
    }
    len
}

/// An estimate of the cost of literals in the first block, and whether the data is binary.
fn sample(plain: &[u8]) -> (i32, bool) {
    const PARTS: usize = 8;
    const PART_LEN: usize = 512;
    let mut freqs = [0; 256];
    for part in plain.chunks(plain.len() / PARTS + 1) {
        part.iter().take(PART_LEN).for_each(|&byte| freqs[usize::from(byte)] += 1);
    }
    let count: u32 = freqs.iter().sum();
    let text: u32 = freqs[9..14].iter().chain(&freqs[32..127]).sum();
    if count - text > count / 16 {
        return (BINARY_LITERAL_COST, true);
    }
    let mut lengths = [0; 256];
    code_lengths(&freqs, 15, &mut lengths);
    let bits: u32 = freqs.iter().zip(lengths).map(|(&freq, length)| freq * u32::from(length)).sum();
    (8 * bits as i32 / count.max(1) as i32, false)
}
