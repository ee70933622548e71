//! The parser: turns a chunk into blocks of literals and matches.
//!
//! `Encoder::encode` calls [`Parser::begin`] for a chunk and [`Parser::parse`] for each block. The parser looks at two
//! positions together. So one branch that is hard to predict serves both, and the better match of the two is known
//! at once, as in a lazy parser. Candidates for a match are the last place with the same five bytes and, in binary
//! data, the last place with the same three: rows of a table have short columns that repeat the row before. With the
//! large tables of `Search::Thorough` they are the last places with the same six and four bytes.

use super::symbols::*;
use super::table::{Table, Tables};
use super::tokens::*;
use super::words::Words;
use crate::huffman::code_lengths;

/// The least length of a block that is not the last of its chunk: a token stands for a byte or more.
pub(super) const BLOCK_MIN: usize = TOKENS_MAX;
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

/// The contents of a block.
pub(super) struct Parsed<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) tally: Tally,
    /// Where the block ends.
    pub(super) end: usize,
}

impl<'a> Parsed<'a> {
    #[inline(always)]
    pub(super) fn new(tokens: &'a [Token], end: usize) -> Self {
        Self { tokens, tally: Tally::of(tokens), end }
    }
}

/// The parser of one chunk after another.
pub(super) struct Parser {
    pub(super) tables: Tables,
    pub(super) room: TokenRoom,
    /// The average cost of a literal.
    literal_cost: i32,
    /// Whether the parser looks for matches of three bytes in the small tables. The cost of literals cannot decide
    /// this, because it depends on the decision.
    is_binary: bool,
}

impl Parser {
    pub(super) fn new(tables: Tables) -> Self {
        Self { tables, room: TokenRoom::default(), literal_cost: 0, is_binary: false }
    }

    /// Begins a chunk, and forgets the chunk before.
    pub(super) fn begin(&mut self, plain: &[u8]) {
        self.tables.clear();
        (self.literal_cost, self.is_binary) = sample(plain);
    }

    /// Takes the cost of the literals of this block as the estimate for the next block.
    pub(super) fn learn(&mut self, literals: u32, literal_bits: u64) {
        // A few literals are often not typical.
        if literals >= 512 {
            self.literal_cost = (8 * literal_bits / u64::from(literals)) as i32;
        }
    }

    /// The block that begins at `start`.
    #[inline(always)]
    pub(super) fn parse(&mut self, plain: &[u8], start: usize) -> Parsed<'_> {
        let Self { tables, room, literal_cost: cost, is_binary } = self;
        let (mut tokens, cost) = match tables {
            Tables::Linked(links) => return links.parse(plain, start),
            _ => (room.tokens(), *cost),
        };
        let end = match tables {
            Tables::Small(long, short) if *is_binary => {
                run(long, Some(short), Entries::Four, &mut tokens, cost, plain, start)
            }
            Tables::Small(long, _) => {
                run(long, None::<&mut Table<2, 3>>, Entries::Three, &mut tokens, cost, plain, start)
            }
            Tables::Large(long, short) => {
                run(long, Some(short), Entries::All, &mut tokens, cost, plain, start)
            }
            Tables::Linked(_) => start,
        };
        Parsed::new(tokens.list(), end)
    }
}

/// How many places inside a match get an entry.
#[derive(Clone, Copy)]
enum Entries {
    Three,
    Four,
    All,
}

/// Adds the tokens of a block. Returns where it ends. Without `short` there is no second candidate.
#[inline(always)]
fn run<const L: usize, const LB: u32, const S: usize, const SB: u32>(
    long: &mut Table<L, LB>,
    mut short: Option<&mut Table<S, SB>>,
    entries: Entries,
    tokens: &mut Tokens<'_>,
    literal_cost: i32,
    plain: &[u8],
    start: usize,
) -> usize {
    let words = Words::new(plain);
    // The gain of a match without the bits of its distance, by its length so far.
    let mut gains = [i32::MIN / 2; 8];
    for (len, gain) in gains.iter_mut().enumerate().skip(LEN_MIN) {
        *gain = len as i32 * literal_cost - MATCH_COST;
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
    let (mut at, mut anchor) = (start, start);
    while at < last && tokens.has_room() {
        let word = words.at(at);
        let next = word >> 8;
        let mut dist = long.look(word, at);
        let mut next_dist = long.look(next, at + 1);
        let mut len = same(at, word, dist);
        let mut next_len = same(at + 1, next, next_dist);
        if let Some(short) = &mut short {
            let near = short.look(word, at);
            let next_near = short.look(next, at + 1);
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
            if gain + (len as i32 - COMPARED as i32).max(0) * literal_cost / BEYOND <= 0 {
                let skip = ((at - anchor) >> SKIP_SHIFT).min(SKIP_MAX).min(last - at) & !1;
                for two in plain[at..at + 2 + skip].chunks_exact(2) {
                    tokens.push(Token::literals(two[0], two[1]));
                }
                at += 2 + skip;
                continue;
            }
        } else if same == 8 * COMPARED {
            len = match_len(plain, words, from, dist, len);
        }
        if is_later {
            tokens.push(Token::literal(word as u8));
        }
        tokens.push(Token::of_match(len, dist));
        // Places inside the match, which are not looked at again, get an entry.
        let end = from + len;
        let enter = |place| {
            long.insert(words, place);
            if let Some(short) = &mut short {
                short.insert(words, place);
            }
        };
        match entries {
            Entries::Three => [at + 2, end - 2, end - 1].into_iter().for_each(enter),
            Entries::Four => [at + 2, end - 2, end - 1, (at + 3).min(end - 1)].into_iter().for_each(enter),
            Entries::All => (at + 2..end).for_each(enter),
        }
        at = end;
        anchor = end;
    }
    if at < last { at } else { tokens.push_literals(plain, at) }
}

/// The length of a match whose first `len` bytes are known to be the same.
#[inline(always)]
pub(super) fn match_len(plain: &[u8], words: Words, from: usize, dist: usize, mut len: usize) -> usize {
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
