//! The lazy parser: the longest match of each place, unless one of the next two places has a better one.
//!
//! The other parser calls [`Links::parse`] for `Search::Lazy`. Each place is linked with the last one that
//! begins with the same three bytes. So the tables are small, and those of a short chunk are ready at once.

use super::parse::{Parsed, match_len};
use super::symbols::{LEN_MAX, LEN_MIN};
use super::tokens::{TOKENS_MAX, Token};
use super::words::Words;

const WINDOW: usize = 1 << 15;
const HASHES: usize = 4 << 10;
/// At most so many places are compared with one.
const STEPS: usize = 100;
/// A match of three bytes that is farther away costs more than literals.
const NEAR: usize = 4 << 10;

/// All places of the window, linked by their hashes.
pub(super) struct Links {
    /// The last place of each hash, modulo 2^16.
    last: [u16; HASHES],
    /// How far before each place the one before it with its hash is.
    before: Vec<u16>,
    /// The places before this one are entered.
    entered: usize,
    /// The tokens of the block.
    tokens: Vec<Token>,
}

impl Links {
    pub(super) fn new() -> Self {
        Self { last: [0; HASHES], before: Vec::new(), entered: 0, tokens: Vec::new() }
    }

    pub(super) fn clear(&mut self) {
        self.last.fill(0);
        self.entered = 0;
    }

    /// The block that begins at `start`.
    pub(super) fn parse(&mut self, plain: &[u8], start: usize) -> Parsed<'_> {
        let mut at = start;
        // The match of `at`, if it is known already.
        let mut known = None;
        self.tokens.clear();
        while at < plain.len() && self.tokens.len() < TOKENS_MAX {
            let (len, dist) = known.take().unwrap_or_else(|| self.look(plain, at));
            if len < LEN_MIN {
                self.tokens.push(Token::literal(plain[at]));
                at += 1;
                continue;
            }
            // How much better a match at one of the next two places must be.
            for (ahead, demand) in [(1, 2), (2, 6)] {
                if at + ahead + len > plain.len() {
                    break;
                }
                let next = self.look(plain, at + ahead);
                let gain = 4 * (next.0 as i32 - len as i32) + log(dist) - log(next.1);
                if next.0 >= len && gain > demand {
                    self.tokens.extend(plain[at..at + ahead].iter().map(|&byte| Token::literal(byte)));
                    at += ahead;
                    known = Some(next);
                    break;
                }
            }
            if known.is_none() {
                self.tokens.push(Token::of_match(len, dist));
                at += len;
            }
        }
        Parsed::new(&self.tokens, at)
    }

    /// Enters all places up to this one. Returns the length and the distance of its longest match. The length is zero
    /// if there is none.
    fn look(&mut self, plain: &[u8], at: usize) -> (usize, usize) {
        for bytes in plain[self.entered..].windows(LEN_MIN).take((at + 1).saturating_sub(self.entered)) {
            let word = u32::from_le_bytes([0, bytes[0], bytes[1], bytes[2]]);
            let hash = word.wrapping_mul(0x9e37_79b1) >> (32 - HASHES.ilog2());
            let last = &mut self.last[hash as usize % HASHES];
            let before = (self.entered as u16).wrapping_sub(std::mem::replace(last, self.entered as u16));
            match self.before.get_mut(self.entered % WINDOW) {
                Some(old) => *old = before,
                None => self.before.push(before),
            }
            self.entered += 1;
        }
        let words = Words::new(plain);
        let (mut longest, mut back) = ((0, 0), 0);
        let max = LEN_MAX.min(plain.len() - at);
        if max < LEN_MIN {
            return longest;
        }
        for _ in 0..STEPS {
            let step = usize::from(self.before[(at - back) % WINDOW]);
            back += step;
            if step == 0 || back > at.min(WINDOW) || longest.0 == max {
                break;
            }
            let end = at + longest.0;
            if plain[end] == plain[end - back] {
                let len = match_len(plain, words, at, back, 0);
                if len > longest.0 && (len > LEN_MIN || len == LEN_MIN && back <= NEAR) {
                    longest = (len, back);
                }
            }
        }
        longest
    }
}

fn log(dist: usize) -> i32 {
    dist.max(1).ilog2() as i32
}
