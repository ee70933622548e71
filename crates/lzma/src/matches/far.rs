//! Long matches with what lies before the window that is sorted.
//!
//! [`Far`] notes every [`STRIDE`]th place before a window in a table, under a hash of the bytes there. At each place of
//! the window it looks into the table once. A match goes on with the places behind it without another look, and back to
//! the places before it. So it finds nearly all matches of [`HASHED`] and [`STRIDE`] bytes together.
//!
//! A place takes one comparison at most, of a bounded number of bytes.

use std::ops::Range;

use super::prefetch::prefetch;
use super::windows::BATCH;
use super::{Match, shared};
use crate::work;

/// Every place of this many is noted.
const STRIDE: usize = 8;
/// The bytes under a hash.
const HASHED: usize = 12;
/// The finder looks this many places ahead of the batch, because matches go back as far.
const AHEAD: usize = 8;
/// Places before its turn at which a slot of the table is asked for while the table is filled.
const FILL_AHEAD: usize = 16;

/// A match and the place behind it.
#[derive(Clone, Copy, Default)]
struct Current {
    distance: usize,
    end: usize,
    /// Whether the bytes from `end` on have not been compared yet.
    is_open: bool,
}

pub(crate) struct Far {
    /// The last place of each hash. The low bits are the number of the place, and the others are bits of the hash.
    table: Vec<u32>,
    number_bits: u32,
    table_bits: u32,
    /// The places that are noted.
    noted: Range<usize>,
    len_max: usize,
    dict_len: usize,
    current: Current,
    /// The next place that is looked at.
    next: usize,
    /// For the batch and some places behind it.
    found: [Match; BATCH + AHEAD],
    /// The places of candidates.
    froms: [usize; BATCH + AHEAD],
    hashes: [u64; BATCH + AHEAD],
    looked: usize,
}

impl Default for Far {
    fn default() -> Self {
        Self {
            table: Vec::new(),
            number_bits: 0,
            table_bits: 0,
            noted: 0..0,
            len_max: 0,
            dict_len: 0,
            current: Current::default(),
            next: 0,
            found: [Match::default(); _],
            froms: [usize::MAX; _],
            hashes: [0; _],
            looked: 0,
        }
    }
}

impl Far {
    /// The slots for a number of bytes before a window.
    fn table_len(noted_len: usize) -> usize {
        (noted_len / STRIDE).next_power_of_two()
    }

    pub(crate) fn memory(noted_len: usize) -> usize {
        if noted_len == 0 { 0 } else { Self::table_len(noted_len) * size_of::<u32>() }
    }

    /// Begins with the places from `first` on, and notes those in `noted`. Returns nothing if there is no memory.
    pub(crate) fn begin(
        &mut self,
        text: &[u8],
        noted: Range<usize>,
        first: usize,
        len_max: usize,
        dict_len: usize,
    ) -> Option<()> {
        let start = noted.start.next_multiple_of(STRIDE);
        self.noted = start..noted.end.max(start);
        (self.len_max, self.dict_len) = (len_max, dict_len);
        (self.next, self.current) = (first, Current::default());
        self.found.fill(Match::default());
        // A slot of another text would look like a noted place.
        self.table.clear();
        let count = self.noted.len() / STRIDE;
        if count == 0 {
            return Some(());
        }
        let len = Self::table_len(self.noted.len());
        self.table.try_reserve_exact(len).ok()?;
        self.table.resize(len, 0);
        self.table_bits = len.trailing_zeros();
        self.number_bits = usize::BITS - (count + 1).leading_zeros();
        let hash_at =
            |number: usize| text.get(start + number * STRIDE..).and_then(|rest| rest.first_chunk()).map(hash);
        let mut ahead = [0; FILL_AHEAD];
        for number in 0..count + FILL_AHEAD {
            let hash = if number < count { hash_at(number).unwrap_or(0) } else { 0 };
            prefetch(&self.table, self.slot(hash));
            let before = std::mem::replace(&mut ahead[number % FILL_AHEAD], hash);
            if let Some(number) = number.checked_sub(FILL_AHEAD) {
                let slot = self.slot(before);
                if let Some(slot) = self.table.get_mut(slot) {
                    *slot = word(before, number, self.number_bits);
                }
            }
        }
        Some(())
    }

    #[inline]
    fn slot(&self, hash: u64) -> usize {
        (hash >> 1 >> (63 - self.table_bits)) as usize
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.noted.len() < STRIDE
    }

    /// The distance of a place that may begin with the same bytes.
    pub(crate) fn look_once(&self, text: &[u8], place: usize) -> Option<usize> {
        let hash = hash(text.get(place..)?.first_chunk()?);
        let from = self.place(*self.table.get(self.slot(hash))?, hash)?;
        place.checked_sub(from)
    }

    /// The place that a slot notes, if it is for this hash.
    #[inline]
    fn place(&self, slot: u32, hash: u64) -> Option<usize> {
        let number = (slot & ((1 << self.number_bits) - 1)) as usize;
        let is_noted = number > 0 && word(hash, number - 1, self.number_bits) == slot;
        is_noted.then(|| self.noted.start + (number - 1) * STRIDE)
    }

    /// Asks for what [`Self::look`] needs for the batch at `first`.
    #[inline]
    pub(crate) fn ask(&mut self, text: &[u8], first: usize) {
        if first + AHEAD == self.next {
            self.found.copy_within(BATCH.., 0);
        } else {
            self.next = first;
            self.current = Current::default();
            self.found[..AHEAD].fill(Match::default());
        }
        let end = first + BATCH + AHEAD;
        self.found[self.next - first..].fill(Match::default());
        self.looked = 0;
        for place in self.next..end {
            let Some(bytes) = text.get(place..).and_then(|rest| rest.first_chunk()) else { break };
            let hash = hash(bytes);
            self.hashes[self.looked] = hash;
            prefetch(&self.table, self.slot(hash));
            self.looked += 1;
        }
    }

    /// Reads the slots, and asks for the text.
    #[inline]
    pub(crate) fn read(&mut self, text: &[u8]) {
        for index in 0..self.looked {
            let hash = self.hashes[index];
            let slot = self.table.get(self.slot(hash)).copied().unwrap_or(0);
            let from = self.place(slot, hash).unwrap_or(usize::MAX);
            self.froms[index] = from;
            prefetch(text, from);
        }
    }

    /// Finds the matches of the batch at `first`.
    #[inline]
    pub(crate) fn look(&mut self, text: &[u8], first: usize) {
        for index in 0..self.looked {
            let place = self.next + index;
            let mut best = self.go_on(text, place);
            let from = self.froms[index];
            let distance = place.wrapping_sub(from);
            let is_known = best.len > 0 && distance == best.distance as usize + 1;
            if from < place && distance <= self.dict_len && !is_known {
                let most = self.len_max.min(text.len() - place);
                let len = shared(text, place, distance as u32 - 1, 0, most);
                if len > best.len as usize && len >= HASHED {
                    best = Match { len: len as u32, distance: distance as u32 - 1 };
                    self.current = Current { distance, end: place + len, is_open: len == most };
                    self.go_back(text, place, best, first);
                }
            }
            self.put(place, best, first);
        }
        self.next += self.looked;
        if self.looked == 0 {
            self.next = first + BATCH + AHEAD;
        }
    }

    /// What is left of the last match at this place.
    #[inline]
    fn go_on(&mut self, text: &[u8], place: usize) -> Match {
        let Current { distance, mut end, mut is_open } = self.current;
        if end <= place {
            return Match::default();
        }
        let most = self.len_max.min(text.len() - place);
        while is_open && end < place + most {
            work::count(1);
            if text[end] == text[end - distance] {
                end += 1;
            } else {
                is_open = false;
            }
        }
        self.current = Current { distance, end, is_open };
        Match { len: (end - place).min(most) as u32, distance: distance as u32 - 1 }
    }

    #[inline]
    fn go_back(&mut self, text: &[u8], place: usize, found: Match, first: usize) {
        let distance = found.distance as usize + 1;
        for back in 1..=AHEAD {
            let Some(at) = place.checked_sub(back) else { break };
            if at < first || at < distance || text[at] != text[at - distance] {
                break;
            }
            work::count(1);
            let len = (found.len as usize + back).min(self.len_max) as u32;
            if len > self.found[at - first].len {
                self.put(at, Match { len, ..found }, first);
            }
        }
    }

    #[inline]
    fn put(&mut self, place: usize, found: Match, first: usize) {
        if let Some(known) = self.found.get_mut(place - first) {
            *known = found;
        }
    }

    /// The match at the place of this index in the batch; without one, its length is zero.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> Match {
        self.found[index]
    }
}

/// What a slot holds.
#[inline]
fn word(hash: u64, number: usize, number_bits: u32) -> u32 {
    (hash as u32) << number_bits | (number as u32 + 1)
}

#[inline]
fn hash(bytes: &[u8; HASHED]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let low = words.first().map_or(0, |&word| u64::from_le_bytes(word));
    let high = rest.first_chunk().map_or(0, |&word| u64::from(u32::from_le_bytes(word)));
    let mixed = (low ^ high.wrapping_mul(0xC2B2_AE3D_27D4_EB4F)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 29
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(len: usize) -> Vec<u8> {
        let mut state = 7_u64;
        std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        })
        .take(len)
        .collect()
    }

    /// The matches of all places from `start` on, from batch to batch.
    fn matches(text: &[u8], start: usize, (len_max, dict_len): (usize, usize)) -> Vec<Match> {
        let mut far = Far::default();
        far.begin(text, start.saturating_sub(dict_len)..start, start, len_max, dict_len).unwrap();
        let mut found = Vec::new();
        for first in (start..text.len()).step_by(BATCH) {
            far.ask(text, first);
            far.read(text);
            far.look(text, first);
            found.extend((0..BATCH.min(text.len() - first)).map(|index| far.at(index)));
        }
        found
    }

    /// A later place can take the slot of an earlier one, so not all are found.
    #[test]
    fn long_matches_are_found_from_their_first_place_to_their_last() {
        let start = 4096;
        let (old, new) = (noise(start), noise(9000).split_off(8000));
        let (mut found, mut all) = (0, 0);
        for from in (0..3000).step_by(59) {
            for len in [HASHED + STRIDE, 33, 100] {
                for gap in [0, 5, 31] {
                    let text = [&old, &new[..gap], &old[from..from + len], &new[100..200]].concat();
                    let matches = matches(&text, start, (64, 1 << 20));
                    let distance = (start + gap - from - 1) as u32;
                    for index in 0..len - HASHED {
                        let expected = Match { len: (len - index).min(64) as u32, distance };
                        found += usize::from(matches[gap + index] == expected);
                        all += 1;
                    }
                }
            }
        }
        assert!(found > all / 5 * 4, "{found} of {all}");
    }

    #[test]
    fn matches_are_true_and_no_farther_than_the_dictionary() {
        let old = noise(3000);
        let text = [&old[..], &old, &old[..1000], &noise(77), &old[500..2000]].concat();
        for (start, dict_len) in [(3000, 2999), (3000, 3000), (6000, 4096), (6000, 100_000), (0, 4096)] {
            let found = matches(&text, start, (273, dict_len));
            for (place, found) in (start..).zip(&found).filter(|(_, found)| found.len > 0) {
                let distance = found.distance as usize + 1;
                assert!(distance <= dict_len);
                let same = shared(&text, place, found.distance, 0, found.len as usize);
                assert_eq!(same, found.len as usize);
            }
            let has_any = found.iter().any(|found| found.len > 0);
            assert_eq!(has_any, start > 0 && dict_len >= 3000, "{start}, {dict_len}");
        }
    }
}
