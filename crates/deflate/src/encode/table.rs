//! The last place of each hash: a table of the parsers.
//!
//! Places are stored modulo 2^16. An old entry, or an entry that was never set, names some place inside the window or
//! no place. The parsers compare the bytes at that place like any others.

use super::Search;
use super::lazy::Links;
use super::words::Words;

/// A table of `N` places, a power of two, by a hash of `BYTES` bytes.
pub(super) struct Table<const N: usize, const BYTES: u32>([u16; N]);

impl<const N: usize, const BYTES: u32> Table<N, BYTES> {
    pub(super) fn new() -> Self {
        Self([0; N])
    }

    pub(super) fn clear(&mut self) {
        self.0.fill(0);
    }

    #[inline(always)]
    fn place(&mut self, word: u64) -> &mut u16 {
        let hash = (word << (64 - 8 * BYTES)).wrapping_mul(0x9e37_79b1_85eb_ca87) >> (64 - N.ilog2());
        &mut self.0[hash as usize % N]
    }

    /// The distance back to the last place with the same hash, modulo 2^16. `at`, where `word` begins, replaces it.
    #[inline(always)]
    pub(super) fn look(&mut self, word: u64, at: usize) -> u16 {
        (at as u16).wrapping_sub(std::mem::replace(self.place(word), at as u16))
    }

    /// Sets the entry of the word at `at`.
    #[inline(always)]
    pub(super) fn insert(&mut self, words: Words, at: usize) {
        *self.place(words.at(at)) = at as u16;
    }
}

/// The tables of a parser: one of long hashes and one of short hashes.
pub(super) enum Tables {
    /// 16 KiB and 8 KiB fit into the nearest cache beside the window.
    Small(Box<Table<{ 8 << 10 }, 5>>, Box<Table<{ 4 << 10 }, 3>>),
    /// 64 KiB and 32 KiB, for all places of the window.
    Large(Box<Table<{ 32 << 10 }, 6>>, Box<Table<{ 16 << 10 }, 4>>),
    /// 8 KiB, and 2 bytes for each place of the window.
    Linked(Box<Links>),
}

impl Tables {
    pub(super) fn new(search: Search) -> Self {
        match search {
            Search::Thorough => Self::Large(Box::new(Table::new()), Box::new(Table::new())),
            Search::Lazy => Self::Linked(Box::new(Links::new())),
            _ => Self::Small(Box::new(Table::new()), Box::new(Table::new())),
        }
    }

    pub(super) fn clear(&mut self) {
        match self {
            Self::Small(long, short) => {
                long.clear();
                short.clear();
            }
            Self::Large(long, short) => {
                long.clear();
                short.clear();
            }
            Self::Linked(links) => links.clear(),
        }
    }
}
