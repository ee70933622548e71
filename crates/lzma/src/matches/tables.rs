//! The last places of hashes, for searches that look at few matches.
//!
//! [`Tables`] keeps the last place of each hash of three bytes and of seven, and the last places of each hash of four.
//! [`TableFinder`] lists matches for the parser with them, and `quick.rs` looks at the places itself.

use super::{Match, prefetch, shared};
use crate::work;

/// The bytes of a word, of which one is not compared.
pub(crate) const COMPARED: u32 = 7;
/// How many places before its turn the cells of a place are asked for.
const AHEAD: usize = 16;
/// Tables have at least this many cells.
const LEN_MIN: usize = 256;

/// How many cells the tables for hashes of three, four and seven bytes have at most, as powers of two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes(pub(crate) [u32; 3]);

/// Each hash of four bytes has `WAYS` places.
pub(crate) struct Tables<const WAYS: usize> {
    short: Vec<u32>,
    middle: Vec<[u32; WAYS]>,
    long: Vec<u32>,
}

/// The last places of the hashes of a place. There may be none: then a place is zero, or that of another hash.
#[derive(Clone, Copy)]
pub(crate) struct Places<const WAYS: usize> {
    pub(crate) short: u32,
    pub(crate) middle: [u32; WAYS],
    pub(crate) long: u32,
}

/// The eight bytes at a place, if there are as many.
#[inline(always)]
pub(crate) fn word_at(text: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*text.get(at..)?.first_chunk()?))
}

/// How many bytes at a distance, less one, are the same as in `word`, which is at `at`: [`COMPARED`] at most.
#[inline(always)]
pub(crate) fn same(text: &[u8], at: usize, word: u64, distance: u32) -> u32 {
    let other = word_at(text, at.wrapping_sub(1 + distance as usize)).unwrap_or(!word);
    ((other ^ word) | 1 << (8 * COMPARED)).trailing_zeros() / 8
}

/// The length of a match, of which `same` bytes are known.
#[inline(always)]
pub(crate) fn whole_len(text: &[u8], at: usize, distance: u32, same: u32, most: usize) -> u32 {
    if same < COMPARED {
        return same;
    }
    let len = shared(text, at, distance, same as usize, most) as u32;
    work::count(len as usize / size_of::<u64>());
    len
}

impl<const WAYS: usize> Tables<WAYS> {
    pub(crate) fn new() -> Self {
        Self { short: Vec::new(), middle: Vec::new(), long: Vec::new() }
    }

    /// The cells of the tables for a text: a short one needs few.
    fn lens(text_len: usize, sizes: Sizes) -> [usize; 3] {
        let most = text_len.max(LEN_MIN).next_power_of_two();
        let [short, middle, long] = sizes.0.map(|bits| most.min(1 << bits));
        [short, middle / WAYS, long]
    }

    pub(crate) fn memory(text_len: usize, sizes: Sizes) -> usize {
        let [short, middle, long] = Self::lens(text_len, sizes);
        (short + middle * WAYS + long) * size_of::<u32>()
    }

    /// Forgets all places. Returns nothing if there is no memory.
    pub(crate) fn begin(&mut self, text_len: usize, sizes: Sizes) -> Option<()> {
        fn clear<T: Clone>(cells: &mut Vec<T>, len: usize, zero: T) -> Option<()> {
            cells.clear();
            cells.try_reserve_exact(len).ok()?;
            cells.resize(len, zero);
            Some(())
        }
        let [short, middle, long] = Self::lens(text_len, sizes);
        clear(&mut self.short, short, 0)?;
        clear(&mut self.middle, middle, [0; WAYS])?;
        clear(&mut self.long, long, 0)
    }

    /// The cells of a word.
    #[inline(always)]
    fn cells(&self, word: u64) -> [usize; 3] {
        let cell = |bytes: u32, len: usize| {
            let hash = (word << (64 - 8 * bytes)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            (hash >> (64 - len.trailing_zeros())) as usize
        };
        [cell(3, self.short.len()), cell(4, self.middle.len()), cell(7, self.long.len())]
    }

    /// Notes a place, where `word` is, and returns the places before it.
    #[inline(always)]
    pub(crate) fn replace(&mut self, word: u64, place: usize) -> Places<WAYS> {
        let here = place as u32;
        let [short, middle, long] = self.cells(word);
        let short = std::mem::replace(&mut self.short[short], here);
        let long = std::mem::replace(&mut self.long[long], here);
        let ways = &mut self.middle[middle];
        let middle = *ways;
        ways.copy_within(..WAYS - 1, 1);
        ways[0] = here;
        Places { short, middle, long }
    }

    #[inline(always)]
    pub(crate) fn note(&mut self, text: &[u8], place: usize) {
        if let Some(word) = word_at(text, place) {
            self.replace(word, place);
        }
    }

    /// Asks the CPU for the cells of a place.
    #[inline(always)]
    fn prefetch(&self, text: &[u8], place: usize) {
        if let Some(word) = word_at(text, place) {
            let [_, middle, long] = self.cells(word);
            prefetch(&self.middle, middle);
            prefetch(&self.long, long);
        }
    }

    /// Asks the CPU for the texts at the places that the cells of a place have.
    #[inline(always)]
    fn prefetch_texts(&self, text: &[u8], place: usize) {
        if let Some(word) = word_at(text, place) {
            let [_, middle, long] = self.cells(word);
            for last in self.middle[middle] {
                prefetch(text, last as usize);
            }
            prefetch(text, self.long[long] as usize);
        }
    }
}

const WAYS: usize = 4;

/// Each hash of four bytes has half as many places as the dictionary, as far as powers of two allow.
fn sizes(dict_len: usize) -> Sizes {
    let bits = (dict_len.max(2).ilog2() - 1).clamp(8, 22);
    Sizes([16, bits, bits - 2])
}

/// Lists the matches at each place, as [`MatchFinder`](super::MatchFinder) does, but not all of them.
pub(crate) struct TableFinder {
    tables: Tables<WAYS>,
    len_max: usize,
    dict_len: usize,
    place: usize,
    /// Places before this one are noted.
    next: usize,
    found: [Match; WAYS + 2],
    count: usize,
}

impl TableFinder {
    pub(crate) fn new(len_max: usize, dict_len: usize) -> Self {
        let found = [Match::default(); _];
        Self { tables: Tables::new(), len_max, dict_len, place: 0, next: 0, found, count: 0 }
    }

    pub(crate) fn memory(text_len: usize, dict_len: usize) -> usize {
        Tables::<WAYS>::memory(text_len, sizes(dict_len))
    }

    /// Begins with a text. Returns nothing if there is no memory.
    pub(crate) fn begin(&mut self, text: &[u8]) -> Option<()> {
        (self.place, self.next, self.count) = (0, 0, 0);
        self.tables.begin(text.len(), sizes(self.dict_len))
    }

    /// Goes on to a place. Places come in their order, and may be left out.
    #[inline]
    pub(crate) fn advance(&mut self, text: &[u8], place: usize) {
        if place >= self.next {
            for place in self.next..place {
                self.tables.prefetch(text, place + AHEAD);
                self.tables.note(text, place);
            }
            (self.place, self.next) = (place, place + 1);
            self.fill(text, place);
        }
    }

    /// The matches at a place, from the longest to the shortest, if it is that of the last call of [`Self::advance`].
    #[inline]
    pub(crate) fn at(&self, place: usize) -> &[Match] {
        let count = if place == self.place { self.count } else { 0 };
        self.found.get(WAYS + 2 - count..).unwrap_or_default()
    }

    fn fill(&mut self, text: &[u8], place: usize) {
        self.count = 0;
        self.tables.prefetch(text, place + AHEAD);
        self.tables.prefetch_texts(text, place + AHEAD / 2);
        let Some(word) = word_at(text, place) else { return };
        work::count(1);
        let Places { short, middle, long } = self.tables.replace(word, place);
        let most = self.len_max.min(text.len() - place);
        let mut len_max = 1;
        // As a rule each is farther than the one before.
        for last in std::iter::once(short).chain(middle).chain([long]) {
            let distance = (place as u32).wrapping_sub(last).wrapping_sub(1);
            let same = same(text, place, word, distance);
            if distance as usize >= self.dict_len || same < COMPARED.min(len_max + 1) {
                continue;
            }
            let len = whole_len(text, place, distance, same, most).min(most as u32);
            if len <= len_max {
                continue;
            }
            len_max = len;
            // The shorter ones must be nearer.
            let mut from = WAYS + 2 - self.count;
            while from < WAYS + 2 && self.found[from].distance >= distance {
                from += 1;
            }
            self.found[from - 1] = Match { len, distance };
            self.count = WAYS + 2 - (from - 1);
        }
    }
}
