//! The quick parser: one look at one table for each position, and the first good match is taken.
//!
//! `Encoder::encode` calls [`Parser::parse_quickly`] instead of [`Parser::parse`] for `Search::Quick`. Like the other
//! parser it looks at two positions in a round. It weighs no costs: the first match of four bytes or more is taken.

use super::parse::{Parsed, Parser, match_len};
use super::table::{Table, Tables};
use super::tokens::{Token, Tokens};
use super::words::Words;

/// No match begins within this many bytes of the end.
const MARGIN: usize = 24;
/// After 2^n bytes without a match each step passes over two bytes more, up to a limit.
const SKIP_SHIFT: u32 = 7;
const SKIP_MAX: usize = 16;
const WINDOW: usize = 1 << 15;

impl Parser {
    /// The block that begins at `start`.
    #[inline(always)]
    pub(super) fn parse_quickly(&mut self, plain: &[u8], start: usize) -> Parsed<'_> {
        self.tokens.clear();
        let mut at = start;
        if let (0, Some(&first)) = (at, plain.first()) {
            // No match begins here.
            self.tokens.push(Token::literal(first));
            if let Tables::Small(long, _) = &mut self.tables {
                long.insert(Words::new(plain), 0);
            }
            at = 1;
        }
        let last = plain.len().saturating_sub(MARGIN);
        if let Tables::Small(long, _) = &mut self.tables {
            at = run::<true, _, _>(long, &mut self.tokens, plain, at, last.min(WINDOW));
            at = run::<false, _, _>(long, &mut self.tokens, plain, at, last);
        }
        if at >= last {
            at = self.tokens.push_literals(plain, at);
        }
        self.parsed(at)
    }
}

/// Adds tokens until the block is full or `last` is reached. If `NEAR`, a distance can lead before the chunk.
#[inline(always)]
fn run<const NEAR: bool, const N: usize, const BYTES: u32>(
    table: &mut Table<N, BYTES>,
    tokens: &mut Tokens,
    plain: &[u8],
    start: usize,
    last: usize,
) -> usize {
    let words = Words::new(plain);
    let (mut at, mut anchor) = (start, start);
    while at < last && tokens.has_room() {
        let (word, next) = (words.at(at), words.at(at + 1));
        let mut first_dist = dist(table.look(word, at));
        let mut next_dist = dist(table.look(next, at + 1));
        if NEAR {
            (first_dist, next_dist) = (first_dist.min(at), next_dist.min(at + 1));
        }
        let differing = words.at(at - first_dist) ^ word;
        let next_differing = words.at(at + 1 - next_dist) ^ next;
        let (from, dist, differing) = if differing as u32 == 0 {
            (at, first_dist, differing)
        } else if next_differing as u32 == 0 {
            tokens.push(Token::literal(word as u8));
            (at + 1, next_dist, next_differing)
        } else {
            tokens.push(Token::literals(word as u8, next as u8));
            at += 2;
            let skip = (2 * ((at - anchor) >> SKIP_SHIFT).min(SKIP_MAX)).min(last.saturating_sub(at)) & !1;
            for two in plain[at..at + skip].chunks_exact(2) {
                tokens.push(Token::literals(two[0], two[1]));
            }
            at += skip;
            continue;
        };
        let len = if differing != 0 {
            (differing.trailing_zeros() / 8) as usize
        } else {
            match_len(plain, words, from, dist, 8)
        };
        tokens.push(Token::of_match(len, dist));
        let end = from + len;
        table.insert(words, at + 2);
        table.insert(words, end - 1);
        (at, anchor) = (end, end);
    }
    at
}

/// A distance modulo 2^16, from 1 to 32,768. An older entry becomes some place in the window, whose bytes are compared
/// like any others.
#[inline(always)]
fn dist(modulo: u16) -> usize {
    usize::from(modulo.wrapping_sub(1) & 0x7fff) + 1
}
