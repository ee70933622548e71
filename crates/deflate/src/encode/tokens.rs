//! The contents of a block, as the parsers write them and the block writer reads them: tokens of 32 bits.
//!
//! A token is a literal, two literals or a match. Its two halves are places in the two tables of the block writer, so
//! that all tokens are written in the same way, without a branch. A parser fills [`Tokens`] for each block.

use super::symbols::*;

/// The room for the tokens of a block. It is a power of two, so that a mask bounds each place.
const ROOM: usize = 16 << 10;
/// At most so many tokens are added in a round of a parser.
const SPARE: usize = 32;
/// A block ends after this many tokens.
pub(super) const TOKENS_MAX: usize = ROOM - SPARE;
/// The length of the tables that the halves of a token name places of.
pub(super) const HALVES: usize = 512;
/// The first half of a match of [`LEN_MIN`] bytes. Literals have the places before it.
pub(super) const FIRST_MATCH: usize = 256;
/// The second half of a single literal. Distance symbols have the places before it.
pub(super) const NO_SECOND: usize = DIST_SYMBOLS;
/// The second half of a token of two literals, of which the second is zero.
pub(super) const SECOND_LITERAL: usize = DIST_SLOTS;

/// From the lowest bit: 9 bits for the first half, 9 for the second, and the extra bits of the distance.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Token(u32);

impl Token {
    pub(super) const HALF_BITS: u32 = HALVES.ilog2();

    #[inline(always)]
    fn new(first: usize, second: usize, extra: u32) -> Self {
        Self(first as u32 | (second as u32) << Self::HALF_BITS | extra << (2 * Self::HALF_BITS))
    }

    #[inline(always)]
    pub(super) fn literal(literal: u8) -> Self {
        Self::new(usize::from(literal), NO_SECOND, 0)
    }

    #[inline(always)]
    pub(super) fn literals(first: u8, second: u8) -> Self {
        Self::new(usize::from(first), SECOND_LITERAL + usize::from(second), 0)
    }

    /// A match. The length is from 3 to 258, and the distance from 1 to 32,768.
    #[inline(always)]
    pub(super) fn of_match(len: usize, dist: usize) -> Self {
        let (slot, extra) = dist_slot(dist as u32);
        Self::new(FIRST_MATCH - LEN_MIN + len, slot as usize, extra)
    }

    #[inline(always)]
    pub(super) fn first(self) -> usize {
        self.0 as usize % HALVES
    }

    #[inline(always)]
    pub(super) fn second(self) -> usize {
        (self.0 >> Self::HALF_BITS) as usize % HALVES
    }

    /// The extra bits of the distance.
    #[inline(always)]
    pub(super) fn extra(self) -> u32 {
        self.0 >> (2 * Self::HALF_BITS)
    }
}

/// How often each symbol of a block occurs.
pub(super) struct Tally {
    pub(super) litlen: [u32; LITLEN_SYMBOLS],
    pub(super) dist: [u32; DIST_SLOTS],
}

/// Memory for the tokens of a block, which is made when it is needed.
#[derive(Default)]
pub(super) struct TokenRoom(Option<Box<[Token; ROOM]>>);

impl TokenRoom {
    /// A block without tokens.
    #[inline(always)]
    pub(super) fn tokens(&mut self) -> Tokens<'_> {
        Tokens { list: self.0.get_or_insert_with(|| Box::new([Token(0); ROOM])), count: 0 }
    }
}

/// The tokens of one block. A parser has them as a local value, so that the compiler keeps the count in a register.
pub(super) struct Tokens<'a> {
    list: &'a mut [Token; ROOM],
    count: usize,
}

impl<'a> Tokens<'a> {
    /// Whether a round can add [`SPARE`] tokens.
    #[inline(always)]
    pub(super) fn has_room(&self) -> bool {
        self.count < TOKENS_MAX
    }

    /// Adds a token. [`Self::has_room`] says whether there is a place for it.
    #[inline(always)]
    pub(super) fn push(&mut self, token: Token) {
        self.list[self.count % ROOM] = token;
        self.count += 1;
    }

    /// Adds the rest of a chunk as literals, as far as a block may be long. Returns where they end.
    #[inline(always)]
    pub(super) fn push_literals(&mut self, plain: &[u8], start: usize) -> usize {
        let mut at = start;
        while at < plain.len() && self.has_room() {
            self.push(Token::literal(plain[at]));
            at += 1;
        }
        at
    }

    #[inline(always)]
    pub(super) fn list(self) -> &'a [Token] {
        &self.list[..self.count]
    }
}

impl Tally {
    /// Counts the symbols, and the end of block.
    #[inline(always)]
    pub(super) fn of(tokens: &[Token]) -> Self {
        let (mut first, mut second) = ([0_u32; HALVES], [0_u32; HALVES]);
        for token in tokens {
            first[token.first()] += 1;
            second[token.second()] += 1;
        }
        let mut tally = Self { litlen: [0; LITLEN_SYMBOLS], dist: [0; DIST_SLOTS] };
        for (literal, count) in tally.litlen[..END_OF_BLOCK].iter_mut().enumerate() {
            *count = first[literal] + second[SECOND_LITERAL + literal];
        }
        tally.litlen[END_OF_BLOCK] = 1;
        for (len, count) in LEN_SLOTS.iter().zip(&first[FIRST_MATCH..]) {
            tally.litlen[END_OF_BLOCK + 1 + usize::from(len.slot)] += count;
        }
        tally.dist[..DIST_SYMBOLS].copy_from_slice(&second[..DIST_SYMBOLS]);
        tally
    }
}
