//! The codes of literal lengths, match lengths and offsets: their values, and how often they occur in the default
//! tables (RFC 8878, sections 3.1.1.3.2.1.1 and 3.1.1.3.2.2).

use super::decode::LENGTH_BITS;
use crate::fse::{Entry, symbol_part};

/// The shortest match. Sequences hold lengths without it.
pub(crate) const MATCH_LEN_MIN: usize = 3;

/// One of the three kinds of codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    LiteralLength,
    Offset,
    MatchLength,
}

impl Kind {
    /// The number of codes that exist.
    pub const fn codes(self) -> usize {
        match self {
            Self::LiteralLength => 36,
            Self::Offset => 32,
            Self::MatchLength => 53,
        }
    }

    /// The greatest accuracy of a table.
    pub const fn accuracy_log_max(self) -> u32 {
        match self {
            Self::Offset => 8,
            _ => 9,
        }
    }

    /// The parts of table entries that depend on the code.
    pub fn parts(self) -> &'static [Entry] {
        match self {
            Self::LiteralLength => &LITERAL_LENGTHS,
            Self::Offset => &OFFSETS,
            Self::MatchLength => &MATCH_LENGTHS,
        }
    }

    /// The counts and the accuracy of the default table.
    pub fn default_counts(self) -> (&'static [i16], u32) {
        match self {
            Self::LiteralLength => (&LITERAL_LENGTH_COUNTS, 6),
            Self::Offset => (&OFFSET_COUNTS, 5),
            Self::MatchLength => (&MATCH_LENGTH_COUNTS, 6),
        }
    }
}

/// Codes 0 to `plain` - 1 are values. Each further code covers as many values as its extra bits can tell apart.
const fn lengths<const N: usize>(plain: u32, extra_bits: &[u8]) -> [Entry; N] {
    let mut parts = [symbol_part(0, 0); N];
    let mut code = 0;
    let mut base = 0;
    while code < N {
        let extra = if (code as u32) < plain { 0 } else { extra_bits[code - plain as usize] };
        parts[code] = symbol_part(base, extra);
        base += 1 << extra;
        code += 1;
    }
    parts
}

const LITERAL_LENGTHS: [Entry; 36] =
    lengths(16, &[1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);

/// Without [`MATCH_LEN_MIN`].
const MATCH_LENGTHS: [Entry; 53] =
    lengths(32, &[1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);

// The greatest lengths fit in a packed sequence.
const _: () = assert!(LITERAL_LENGTHS[35].base + (1 << LITERAL_LENGTHS[35].extra_bits) <= 1 << LENGTH_BITS);
const _: () = assert!(MATCH_LENGTHS[52].base + (1 << MATCH_LENGTHS[52].extra_bits) <= 1 << LENGTH_BITS);

/// Code `n` stands for the values from `1 << n`, with `n` extra bits.
const OFFSETS: [Entry; 32] = {
    let mut parts = [symbol_part(0, 0); 32];
    let mut code = 0_u8;
    while code < 32 {
        parts[code as usize] = symbol_part(1 << code, code);
        code += 1;
    }
    parts
};

const LITERAL_LENGTH_COUNTS: [i16; 36] = [
    4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1,
    -1, -1,
];
const MATCH_LENGTH_COUNTS: [i16; 53] = [
    1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
];
const OFFSET_COUNTS: [i16; 29] =
    [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1];
