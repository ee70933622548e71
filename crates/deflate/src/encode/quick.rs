//! The quick parser: one look at one table for each position, and the first good match is taken.
//!
//! `Encoder::encode` calls [`Parser::parse_quickly`] instead of [`Parser::parse`] for `Search::Quick`. Like the other
//! parser it looks at two positions in a round. It weighs no costs: the first match of four bytes or more is taken.
//!
//! The processor often predicts wrongly whether a position has a match, and then starts anew. So a round looks at the
//! two positions of the next round before it decides on its own: if it decides on literals, all is known for the
//! next.

use super::parse::{Parsed, Parser, match_len};
use super::table::{Table, Tables};
use super::tokens::{Token, Tokens};
use super::words::Words;

/// No match begins within this many bytes of the end.
const MARGIN: usize = 24;
/// After 2^n bytes without a match each step passes over two bytes more, up to a limit.
const SKIP_SHIFT: u32 = 7;
const SKIP_MAX: usize = 16;
/// The farthest distance of a match.
const WINDOW: usize = 1 << 15;

impl Parser {
    /// The block that begins at `start`.
    #[inline(always)]
    pub(super) fn parse_quickly(&mut self, plain: &[u8], start: usize) -> Parsed<'_> {
        let mut tokens = self.room.tokens();
        let mut at = start;
        if let (0, Some(&first)) = (at, plain.first()) {
            // No match begins here.
            tokens.push(Token::literal(first));
            if let Tables::Small(long, _) = &mut self.tables {
                long.insert(Words::new(plain), 0);
            }
            at = 1;
        }
        let last = plain.len().saturating_sub(MARGIN);
        if let Tables::Small(long, _) = &mut self.tables {
            at = run::<true, _, _>(long, &mut tokens, plain, at, last.min(WINDOW));
            at = run::<false, _, _>(long, &mut tokens, plain, at, last);
        }
        if at >= last {
            at = tokens.push_literals(plain, at);
        }
        Parsed::new(tokens.list(), at)
    }
}

/// Adds tokens until the block is full or `last` is reached. If `NEAR`, a distance can lead before the chunk. If not,
/// `start` is at least [`WINDOW`], or nothing is added.
#[inline(always)]
fn run<const NEAR: bool, const N: usize, const BYTES: u32>(
    table: &mut Table<N, BYTES>,
    tokens: &mut Tokens<'_>,
    plain: &[u8],
    start: usize,
    last: usize,
) -> usize {
    let words = Words::new(plain);
    let (mut at, mut anchor) = (start, start);
    if at >= last || !tokens.has_room() {
        return at;
    }
    let Some(mut now) = look::<NEAR, N, BYTES>(table, plain, at) else { return at };
    while at < last && tokens.has_room() {
        let Some(ahead) = look::<NEAR, N, BYTES>(table, plain, at + 2) else { break };
        let (from, candidate) = if now.first.is_match() {
            (at, now.first)
        } else if now.second.is_match() {
            tokens.push(Token::literal(now.word as u8));
            (at + 1, now.second)
        } else {
            tokens.push(Token::literals(now.word as u8, (now.word >> 8) as u8));
            at += 2;
            now = ahead;
            if at - anchor < 1 << SKIP_SHIFT {
                continue;
            }
            at = skip(tokens, plain, at, anchor, last);
            let Some(next) = look::<NEAR, N, BYTES>(table, plain, at) else { break };
            now = next;
            continue;
        };
        let dist = WINDOW - candidate.place;
        let len = match candidate.differing {
            0 => {
                let len = match_len(plain, words, from, dist, 8);
                // In a run of one byte the next match has the distance 1, which takes few bits.
                table.insert(words, from + len - 1);
                len
            }
            differing => (differing.trailing_zeros() / 8) as usize,
        };
        tokens.push(Token::of_match(len, dist));
        at = from + len;
        anchor = at;
        let Some(next) = look::<NEAR, N, BYTES>(table, plain, at) else { break };
        now = next;
    }
    at
}

/// Passes over some bytes as literals, the more the longer there was no match. Returns where they end.
#[inline(always)]
fn skip(tokens: &mut Tokens<'_>, plain: &[u8], at: usize, anchor: usize, last: usize) -> usize {
    let count = (2 * ((at - anchor) >> SKIP_SHIFT).min(SKIP_MAX)).min(last.saturating_sub(at)) & !1;
    for two in plain[at..at + count].chunks_exact(2) {
        tokens.push(Token::literals(two[0], two[1]));
    }
    at + count
}

/// Two positions that follow each other, with a candidate for each.
#[derive(Clone, Copy)]
struct Look {
    /// The bytes from the first position on.
    word: u64,
    first: Candidate,
    second: Candidate,
}

/// A place at which a position may have a match.
#[derive(Clone, Copy)]
struct Candidate {
    /// Where it is in the window that ends with the position.
    place: usize,
    /// The bits in which its first eight bytes differ from those of the position.
    differing: u64,
}

impl Candidate {
    #[inline(always)]
    fn is_match(self) -> bool {
        self.differing as u32 == 0
    }
}

/// Looks at the positions `at` and `at + 1`, and sets their entries. Returns nothing near the end, and without `NEAR`
/// before a whole window.
#[inline(always)]
fn look<const NEAR: bool, const N: usize, const BYTES: u32>(
    table: &mut Table<N, BYTES>,
    plain: &[u8],
    at: usize,
) -> Option<Look> {
    if NEAR {
        let words = Words::new(plain);
        let mut candidate = |at, word| {
            let place = place(table.look(word, at)).max(WINDOW.saturating_sub(at));
            Candidate { place, differing: words.at(at + place - WINDOW) ^ word }
        };
        let (word, next) = (words.at(at), words.at(at + 1));
        return Some(Look { word, first: candidate(at, word), second: candidate(at + 1, next) });
    }
    // One comparison with the length of the chunk is enough for all four words.
    let seen: &[u8; WINDOW + 9] = plain.get(at.wrapping_sub(WINDOW)..)?.first_chunk()?;
    let (word, next) = (word(seen, WINDOW), word(seen, WINDOW + 1));
    let (first, second) = (place(table.look(word, at)), place(table.look(next, at + 1)));
    Some(Look {
        word,
        first: Candidate { place: first, differing: self::word(seen, first) ^ word },
        second: Candidate { place: second, differing: self::word(seen, second + 1) ^ next },
    })
}

/// The place of an entry in the window, by its distance modulo 2^16. An older entry becomes some place in the window,
/// whose bytes are compared like any others.
#[inline(always)]
fn place(modulo: u16) -> usize {
    usize::from(modulo.wrapping_neg()) % WINDOW
}

/// Eight bytes, the first lowest.
#[inline(always)]
fn word<const LEN: usize>(bytes: &[u8; LEN], at: usize) -> u64 {
    bytes.get(at..).and_then(|bytes| bytes.first_chunk()).map_or(0, |word| u64::from_le_bytes(*word))
}
