//! Long matches with the text before the window.
//!
//! [`FarMatches`] looks at each place of the window into the table of `far.rs` once, before the window is coded. A
//! match goes on with the places behind it without another look, and back to the places before it. So nearly all
//! matches are found that are long enough to have the bytes of a noted place: 19 bytes if every eighth place is
//! noted, and 24 if it is every 13th. One table serves all windows that are joined.
//!
//! A look takes one comparison, which goes on as long as the bytes are equal. Later places of the same match are not
//! compared again.

use std::ops::Range;

use super::far::{Far, HASHED};
use super::windows::SHORT;
use super::{Match, TEXT_MAX, shared};
use crate::model::MATCH_MAX;

/// How many places before it a match goes back.
const BACK: usize = 8;
/// So many places are looked up together, because almost every step waits for memory.
const GROUP: usize = 32;
/// There is memory for one run in so many places. No data of `benches/corpus` has more; InnoDB pages have one in five
/// places.
const SPACING: usize = 4;

/// A match of all places from its start to its end: from the highest bit, 24 bits for the place in the window at which
/// it begins, 9 for its length, and 31 for its distance.
#[derive(Clone, Copy)]
struct Run(u64);

impl Run {
    const DISTANCE_BITS: u32 = 31;
    const LEN_BITS: u32 = 9;
    const LEN_MAX: usize = (1 << Self::LEN_BITS) - 1;

    fn new(start: usize, len: usize, distance: usize) -> Self {
        Self((start as u64) << (64 - 24) | (len as u64) << Self::DISTANCE_BITS | distance as u64)
    }

    #[inline]
    fn start(self) -> usize {
        (self.0 >> (64 - 24)) as usize
    }

    #[inline]
    fn end(self) -> usize {
        self.start() + (self.0 >> Self::DISTANCE_BITS) as usize % (Self::LEN_MAX + 1)
    }

    #[inline]
    fn distance(self) -> usize {
        (self.0 & ((1 << Self::DISTANCE_BITS) - 1)) as usize
    }
}

const _: () = assert!(
    SHORT + BACK < 1 << 24 && TEXT_MAX < 1 << Run::DISTANCE_BITS && (MATCH_MAX as usize) < Run::LEN_MAX
);

#[derive(Default)]
pub(crate) struct FarMatches {
    /// Each begins behind the one before. Where two overlap, the later one counts, because it is no shorter.
    runs: Vec<Run>,
    /// The last run that begins at the last place or before it.
    last: usize,
    /// Where the window begins, and how many runs it may have.
    start: usize,
    runs_max: usize,
    len_max: usize,
}

impl FarMatches {
    fn runs_max(places: usize) -> usize {
        places / SPACING + 1
    }

    /// The memory for the matches of so many places.
    pub(crate) fn memory(places: usize) -> usize {
        Self::runs_max(places) * size_of::<Run>()
    }

    /// Begins with a window in which no matches are known.
    pub(crate) fn begin(&mut self, places: &Range<usize>) {
        self.runs.clear();
        (self.last, self.start, self.runs_max) = (0, places.start, Self::runs_max(places.len()));
    }

    /// Finds the matches of the places of a window, up to the place at which there are too many. Returns nothing if
    /// there is no memory.
    pub(crate) fn find(
        &mut self,
        text: &[u8],
        far: &Far,
        places: &Range<usize>,
        (len_max, dict_len): (usize, usize),
    ) -> Option<()> {
        self.begin(places);
        self.len_max = len_max;
        if far.is_empty() {
            return Some(());
        }
        self.runs.try_reserve_exact(self.runs_max).ok()?;
        // A match of a place behind the window may go back into it.
        let end = (places.end + BACK).min(text.len());
        let compared_end = (end + len_max).min(text.len());
        let mut place = places.start;
        // Where the last match ends, and its distance.
        let (mut known_end, mut known_distance) = (0_usize, 0);
        while place < end && self.runs.len() < self.runs_max {
            let group = place..(place + GROUP).min(end);
            let mut froms = [None; GROUP];
            let hashes: [_; GROUP] = std::array::from_fn(|index| far.ask(text, place + index));
            for (from, hash) in froms.iter_mut().zip(hashes) {
                *from = hash.and_then(|hash| far.read(text, hash));
            }
            while group.contains(&place) {
                let known = known_end.saturating_sub(place);
                if let Some(from) = froms[(place - group.start) % GROUP]
                    && let distance = place - from
                    && distance <= dict_len
                    && (known == 0 || distance != known_distance)
                {
                    let len = shared(text, place, distance as u32 - 1, 0, compared_end - place);
                    // Of two that are as long, the nearer one takes fewer bits.
                    let is_better = len > known || len == known && distance < known_distance;
                    if is_better && len >= HASHED {
                        (known_end, known_distance) = (place + len, distance);
                        let back = back(text, places.start..place, distance);
                        self.put(place - back, back + len, distance);
                    }
                }
                // While the match is as long as any may be, no other can be longer.
                place = (place + 1).max((known_end + 1).saturating_sub(len_max));
            }
        }
        Some(())
    }

    /// Puts a match behind the others, as one run or more. Where a run gives way to the next, it has the greatest
    /// length left.
    fn put(&mut self, place: usize, len: usize, distance: usize) {
        let start = place - self.start;
        while self.runs.pop_if(|before| before.start() >= start).is_some() {}
        for done in (0..len).step_by(Run::LEN_MAX - MATCH_MAX as usize) {
            let is_room = self.runs.len() < self.runs_max;
            let len = (len - done).min(Run::LEN_MAX);
            self.runs.extend(is_room.then_some(Run::new(start + done, len, distance)));
        }
    }

    /// The match at a place; without one, its length is zero. Places come in their order, and may be left out.
    #[inline]
    pub(crate) fn at(&mut self, place: usize) -> Match {
        let at = place - self.start;
        while self.runs.get(self.last + 1).is_some_and(|next| next.start() <= at) {
            self.last += 1;
        }
        match self.runs.get(self.last) {
            Some(run) if (run.start()..run.end()).contains(&at) => {
                let len = (run.end() - at).min(self.len_max) as u32;
                Match { len, distance: run.distance() as u32 - 1 }
            }
            _ => Match::default(),
        }
    }
}

/// How many places before the end of `places` have the same bytes at this distance, up to [`BACK`].
#[inline]
fn back(text: &[u8], places: Range<usize>, distance: usize) -> usize {
    let is_same = |place: usize| place >= distance && text[place] == text[place - distance];
    places.rev().take(BACK).take_while(|&place| is_same(place)).count()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn noise(len: usize) -> Vec<u8> {
        let mut state = 7_u64;
        std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        })
        .take(len)
        .collect()
    }

    const STRIDE: usize = 8;

    /// The matches of all places from `start` on.
    fn matches(text: &[u8], start: usize, (len_max, dict_len): (usize, usize)) -> Vec<Match> {
        let (mut far, mut found) = (Far::default(), FarMatches::default());
        far.begin(text, start.saturating_sub(dict_len)..start, (start, STRIDE), false).unwrap();
        found.find(text, &far, &(start..text.len()), (len_max, dict_len)).unwrap();
        (start..text.len()).map(|place| found.at(place)).collect()
    }

    /// The window before makes no difference, although it leaves memory for more runs than a short window may have.
    #[test]
    fn matches_do_not_depend_on_the_window_before() {
        let (mut text, last) = (noise(1000), noise(5040).split_off(5000));
        // Every second place of the last window has a match that is longer than what is left of the one before.
        for piece in 0..14 {
            text[160 + 16 * piece..][..14].copy_from_slice(&last[2 * piece..][..14]);
        }
        let (noted, before) = (text.len(), noise(4000).split_off(3000));
        text = [text, before, last].concat();
        let (places, lens) = (noted + 1000..text.len(), (64, 1 << 20));
        let mut far = Far::default();
        // In a large table no place takes the slot of another.
        far.begin(&text, 0..noted, (1 << 20, STRIDE), false).unwrap();
        let (mut used, mut new) = (FarMatches::default(), FarMatches::default());
        used.find(&text, &far, &(noted..places.start), lens).unwrap();
        used.find(&text, &far, &places, lens).unwrap();
        new.find(&text, &far, &places, lens).unwrap();
        assert_eq!(new.runs.len(), FarMatches::runs_max(places.len()));
        assert!(places.clone().all(|place| used.at(place) == new.at(place)));
    }

    /// A later place can take the slot of an earlier one, so not all are found.
    #[test]
    fn long_matches_are_found_from_their_first_place_to_their_last() {
        let start = 4096;
        let (old, new) = (noise(start), noise(9000).split_off(8000));
        let (mut found, mut all) = (0, 0);
        for from in (0..3000).step_by(59) {
            for len in [HASHED + STRIDE, 33, 100, 1000] {
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
