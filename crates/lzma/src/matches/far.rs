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
    /// The last place of each hash, or zero. The low bits are those of the number of the place, and the others are bits
    /// of the hash.
    table: Vec<u32>,
    number_bits: u32,
    /// The places that are noted.
    noted: Range<usize>,
    /// Which text this is, if that is known.
    text: Option<u64>,
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
            noted: 0..0,
            text: None,
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
        noted_len.div_ceil(STRIDE)
    }

    pub(crate) fn memory(noted_len: usize) -> usize {
        Self::table_len(noted_len) * size_of::<u32>()
    }

    /// Begins with the places from the end of `noted` on. Its places are noted, and never more than `most`. If `id` is
    /// that of the last call, the text is the same, and the places are later ones. Returns nothing if there is no
    /// memory.
    pub(crate) fn begin(
        &mut self,
        text: &[u8],
        noted: Range<usize>,
        most: usize,
        (len_max, dict_len): (usize, usize),
        id: Option<u64>,
    ) -> Option<()> {
        let start = noted.start.next_multiple_of(STRIDE);
        let noted = start..(noted.end / STRIDE * STRIDE).max(start);
        let known = std::mem::replace(&mut self.noted, noted.clone());
        let is_known = id.is_some() && std::mem::replace(&mut self.text, id) == id;
        (self.len_max, self.dict_len) = (len_max, dict_len);
        (self.next, self.current) = (noted.end, Current::default());
        self.found.fill(Match::default());
        let len = Self::table_len(most);
        // Numbers of places that are twice as far away as any that is noted would look like others.
        self.number_bits = (2 * len).next_power_of_two().trailing_zeros();
        let goes_on = is_known && known.end <= noted.end && noted.end - known.start < 2 * len * STRIDE;
        let from = if goes_on && self.table.len() == len {
            self.forget(known.end, start);
            known.end.max(start)
        } else {
            // A slot of another text would look like a noted place.
            self.table.clear();
            self.table.try_reserve_exact(len).ok()?;
            self.table.resize(len, 0);
            start
        };
        self.note(text, from..noted.end);
        Some(())
    }

    /// Forgets the places before `start`. All are before `end`.
    fn forget(&mut self, end: usize, start: usize) {
        let mask = self.mask();
        let (end, most) = ((end / STRIDE) as u32, ((end - start.min(end)) / STRIDE) as u32);
        for slot in &mut self.table {
            let is_kept = end.wrapping_sub(*slot) & mask <= most;
            *slot = if is_kept { *slot } else { 0 };
        }
    }

    fn note(&mut self, text: &[u8], places: Range<usize>) {
        let hash_at = |place: usize| text.get(place..).and_then(|rest| rest.first_chunk()).map_or(0, hash);
        let mut ahead = [0; FILL_AHEAD];
        for index in 0..places.len() / STRIDE + FILL_AHEAD {
            let place = places.start + index * STRIDE;
            let hash = if place < places.end { hash_at(place) } else { 0 };
            prefetch(&self.table, self.slot(hash));
            let before = std::mem::replace(&mut ahead[index % FILL_AHEAD], hash);
            if let Some(index) = index.checked_sub(FILL_AHEAD) {
                let word = self.word(before, (places.start / STRIDE + index) as u32);
                let slot = self.slot(before);
                if let Some(slot) = self.table.get_mut(slot) {
                    *slot = word;
                }
            }
        }
    }

    #[inline]
    fn mask(&self) -> u32 {
        (1 << self.number_bits) - 1
    }

    /// What a slot holds for the place with this number. A number whose low bits are zero looks like an empty slot.
    #[inline]
    fn word(&self, hash: u64, number: u32) -> u32 {
        (hash as u32) << self.number_bits | number & self.mask()
    }

    #[inline]
    fn slot(&self, hash: u64) -> usize {
        (((hash >> 32) * self.table.len() as u64) >> 32) as usize
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
        let back = ((self.noted.end / STRIDE) as u32).wrapping_sub(slot) & self.mask();
        let is_noted = slot & self.mask() > 0 && self.word(hash, slot) == slot;
        let place = self.noted.end.checked_sub(back as usize * STRIDE)?;
        (is_noted && self.noted.contains(&place)).then_some(place)
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
        far.begin(text, start.saturating_sub(dict_len)..start, start, (len_max, dict_len), None).unwrap();
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

    /// Tables that are continued are those that are made anew.
    #[test]
    fn a_table_can_go_on_in_the_same_text() {
        let text = noise(3000).repeat(6);
        let (dict_len, lens) = (2000, (64, 2000));
        let mut far = Far::default();
        for (start, id) in
            [(0, 1), (500, 1), (2500, 1), (2600, 1), (9000, 1), (9000, 2), (1000, 2), (1700, 2)]
        {
            let noted = start.max(dict_len) - dict_len..start;
            far.begin(&text, noted.clone(), dict_len, lens, Some(id)).unwrap();
            let mut new = Far::default();
            new.begin(&text, noted, dict_len, lens, None).unwrap();
            assert_eq!(far.table, new.table, "{start}, {id}");
        }
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
