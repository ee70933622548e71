//! The meanings of codes (RFC 1951, 3.2.5 and 3.2.6), and the lookup tables of a block.
//!
//! A table is indexed with the next bits of the stream. Its [`Entry`] says what they mean and how many of them to
//! pass. If two literals in a row fit into the bits of the index, one entry holds both. [`Codes::set`] makes the
//! tables of a block from its code lengths; the decoder's loops look entries up. Lookups mask the index, so no
//! input can reach beyond a table.

use super::Defect;
use super::bits::low;
use super::table::{Kind, build};

/// The number of bits that index the root of each table: the table of literals and lengths, the table of distances, and
/// the table of the code length code.
pub(super) const LITLEN_BITS: u32 = 11;
pub(super) const DISTANCE_BITS: u32 = 8;
pub(super) const PRECODE_BITS: u32 = 7;

/// The numbers of symbols of the alphabets. Symbols that never occur are included.
pub(super) const LITLEN_SYMBOLS: usize = 288;
pub(super) const DISTANCE_SYMBOLS: usize = 32;

/// The meaning of the next bits.
///
/// ```text
/// literals  bits 0–5 their bits in the stream, 6–7 how many they are (one or two), 8–15 the first,
///           16–23 the second, 24–27 bits of the first where there are two
/// number    bits 0–5 bits in the stream with the extra bits, 8–13 bits of the code alone, 16–30 base of
///           a length or distance, others zero
/// subtable  bits 0–5 bits of the root, 8–13 bits that index it, 14 and 15 one, 16–30 where it begins
/// end       bits 0–5 bits in the stream, 15 one, 16 one at an end of block, zero where there is no
///           symbol
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry(pub(super) u32);

const LITERAL: u32 = 1 << 6;
const LITERALS: u32 = 3 << 6;
const FIRST_LITERAL: u32 = 0xff00;
const SUBTABLE: u32 = 1 << 14;
const OTHER: u32 = 1 << 15;
const END_OF_BLOCK: u32 = 1 << 16;

impl Entry {
    /// Bits to pass, extra bits included.
    #[inline(always)]
    pub(super) fn bits(self) -> u32 {
        self.0 & 0x3f
    }

    #[inline(always)]
    pub(super) fn is_literal(self) -> bool {
        self.0 & LITERALS != 0
    }

    /// The number of literals.
    #[inline(always)]
    pub(super) fn literals(self) -> usize {
        (self.0 >> 6 & 3) as usize
    }

    /// The literals, the first in the lower byte.
    #[inline(always)]
    pub(super) fn bytes(self) -> u16 {
        (self.0 >> 8) as u16
    }

    /// The first literal only.
    pub(super) fn first(self) -> Self {
        let bits = if self.literals() == 1 { self.bits() } else { self.0 >> 24 };
        Self(self.0 & FIRST_LITERAL | LITERAL | bits)
    }

    /// Whether the entry is neither literals nor a number.
    #[inline(always)]
    pub(super) fn is_other(self) -> bool {
        self.0 & OTHER != 0
    }

    #[inline(always)]
    pub(super) fn is_subtable(self) -> bool {
        self.0 & SUBTABLE != 0
    }

    #[inline(always)]
    pub(super) fn is_end_of_block(self) -> bool {
        self.0 & END_OF_BLOCK != 0
    }

    /// The index in a subtable of a code with these `bits` behind its root.
    #[inline(always)]
    pub(super) fn subtable_index(self, bits: u64) -> usize {
        (self.0 >> 16) as usize + (bits & low(self.0 >> 8 & 0x3f)) as usize
    }

    /// The length or distance whose code and extra bits are the lowest of `bits`.
    #[inline(always)]
    pub(super) fn number(self, bits: u64) -> usize {
        (self.0 >> 16) as usize + ((bits & low(self.bits())) >> (self.0 >> 8 & 0x3f)) as usize
    }

    /// The symbol of a code length.
    #[inline(always)]
    pub(super) fn symbol(self) -> usize {
        (self.0 >> 16) as usize
    }

    const fn number_of(base: u32, extra_bits: u32) -> Self {
        Self(base << 16 | extra_bits)
    }

    /// The entry of a code that continues in a subtable.
    pub(super) fn subtable(start: usize, index_bits: u32, root_bits: u32) -> Self {
        Self((start as u32) << 16 | OTHER | SUBTABLE | index_bits << 8 | root_bits)
    }

    /// The entry for this many bits that are no code.
    pub(super) const fn nothing(bits: u32) -> Self {
        Self(OTHER | bits)
    }

    /// This entry for a code of `len` bits.
    #[inline(always)]
    pub(super) fn with_len(self, len: u32) -> Self {
        Self(self.0 + if self.0 & (LITERALS | OTHER) != 0 { len } else { len | len << 8 })
    }

    /// Two literals from their entries, which have the lengths of their codes.
    #[inline(always)]
    pub(super) fn pair(first: Self, second: Self) -> Self {
        let literals = first.0 & FIRST_LITERAL | (second.0 & FIRST_LITERAL) << 8;
        let bits = first.bits() + second.bits();
        Self(literals | (2 * LITERAL) | bits | first.bits() << 24)
    }
}

/// Section 3.2.5: the meanings of the symbols of literals and lengths.
static LITLEN_ENTRIES: [Entry; LITLEN_SYMBOLS] = {
    let mut entries = [Entry::nothing(0); LITLEN_SYMBOLS];
    let mut literal = 0;
    while literal < 256 {
        entries[literal] = Entry((literal as u32) << 8 | LITERAL);
        literal += 1;
    }
    entries[256] = Entry(OTHER | END_OF_BLOCK);
    let (mut symbol, mut length) = (257, 3);
    while symbol < 285 {
        let extra = if symbol < 265 { 0 } else { (symbol as u32 - 261) / 4 };
        entries[symbol] = Entry::number_of(length, extra);
        length += 1 << extra;
        symbol += 1;
    }
    // Symbol 285 has no extra bits, although 284 can express the same length.
    entries[285] = Entry::number_of(258, 0);
    entries
};

/// Section 3.2.5: the meanings of the symbols of distances.
static DISTANCE_ENTRIES: [Entry; DISTANCE_SYMBOLS] = {
    let mut entries = [Entry::nothing(0); DISTANCE_SYMBOLS];
    let (mut symbol, mut distance) = (0, 1);
    while symbol < 30 {
        let extra = if symbol < 4 { 0 } else { (symbol as u32 - 2) / 2 };
        entries[symbol] = Entry::number_of(distance, extra);
        distance += 1 << extra;
        symbol += 1;
    }
    entries
};

/// The symbols of the code length code mean themselves.
static PRECODE_ENTRIES: [Entry; 19] = {
    let mut entries = [Entry(0); 19];
    let mut symbol = 0;
    while symbol < 19 {
        entries[symbol] = Entry::number_of(symbol as u32, 0);
        symbol += 1;
    }
    entries
};

/// The two codes of a block.
pub(super) struct Codes {
    /// The table has more room than the 2,342 entries that 288 codes of 15 bits need at most. Its length is a power of
    /// two, so that a mask can bound the index.
    litlen: [Entry; 4096],
    /// The same for the 402 entries of 32 codes.
    distance: [Entry; 512],
}

impl Codes {
    pub(super) fn new() -> Self {
        Self { litlen: [Entry(0); 4096], distance: [Entry(0); 512] }
    }

    /// The entry for the next bits, or for a whole index into a subtable.
    #[inline(always)]
    pub(super) fn litlen(&self, index: usize) -> Entry {
        self.litlen[index & (self.litlen.len() - 1)]
    }

    #[inline(always)]
    pub(super) fn distance(&self, index: usize) -> Entry {
        self.distance[index & (self.distance.len() - 1)]
    }

    /// Makes the tables of the codes with these lengths.
    pub(super) fn set(&mut self, litlen_lens: &[u8], distance_lens: &[u8]) -> Result<(), Defect> {
        if !build(Kind::Litlen, litlen_lens, &LITLEN_ENTRIES, LITLEN_BITS, &mut self.litlen) {
            return Err(Defect::LitlenCode);
        }
        if !build(Kind::Distance, distance_lens, &DISTANCE_ENTRIES, DISTANCE_BITS, &mut self.distance) {
            return Err(Defect::DistanceCode);
        }
        Ok(())
    }

    /// Section 3.2.6.
    pub(super) fn set_fixed(&mut self) -> Result<(), Defect> {
        let mut lens = [8; LITLEN_SYMBOLS];
        lens[144..256].fill(9);
        lens[256..280].fill(7);
        self.set(&lens, &[5; DISTANCE_SYMBOLS])
    }
}

/// The code length code of a block.
pub(super) struct Precode([Entry; 1 << PRECODE_BITS]);

impl Precode {
    pub(super) fn new() -> Self {
        Self([Entry(0); 1 << PRECODE_BITS])
    }

    pub(super) fn set(&mut self, lens: &[u8; 19]) -> Result<(), Defect> {
        match build(Kind::Precode, lens, &PRECODE_ENTRIES, PRECODE_BITS, &mut self.0) {
            true => Ok(()),
            false => Err(Defect::Precode),
        }
    }

    #[inline]
    pub(super) fn entry(&self, index: usize) -> Entry {
        self.0[index & (self.0.len() - 1)]
    }
}
