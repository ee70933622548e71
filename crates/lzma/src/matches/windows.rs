//! The windows of a text: the stretches that are sorted, one after the other.
//!
//! The tables of a whole text would take too much memory. A window has new places, at which matches are found, and
//! old places before them, which matches refer to. `far_matches.rs` finds long matches with what lies before the old
//! places. A window also has a few bytes behind the new places, so that strings do not end with them.
//!
//! A slice of LZMA2 is a window, so that a slice can be coded without the symbols of the slices before it.

use std::ops::Range;

use super::sample::{self, LONG_TEXT, gains_from_far};
use super::tree::{ROOM, TEXT_MAX};

/// Strings go on for this many bytes behind the new places.
const BEHIND: usize = 512;
/// Windows have at least so many new places.
const NEW_MIN: usize = 64 << 10;
/// Windows have at most so many new places.
pub(crate) const SHORT: usize = 8 << 20;
/// A dictionary of more than twice that may have windows of so many new and old places, which a
/// [`Sorter`](super::sorter::Sorter) joins.
const LONG: (usize, usize) = (4 << 20, 28 << 20);
/// Places are looked at in batches of this many.
pub(crate) const BATCH: usize = 32;

const _: () = assert!(SHORT * 2 + BEHIND <= TEXT_MAX && LONG.0 * 2 + LONG.1 + BEHIND <= TEXT_MAX);

#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Windows {
    pub(crate) text_len: usize,
    /// How many new and old places a window has.
    pub(crate) new: usize,
    old: usize,
    /// Only the new places are sorted.
    pub(crate) is_joined: bool,
}

impl Windows {
    /// For a text, and matches with distances up to `dict_len`.
    pub(crate) fn new(text: &[u8], dict_len: usize) -> Self {
        Self::of_kind(text.len(), dict_len, Self::may_join(dict_len) && gains_from_far(text))
    }

    /// One window for the whole text.
    pub(crate) fn whole(text_len: usize) -> Self {
        Self { text_len, new: text_len.max(1), ..Self::default() }
    }

    /// The memory that [`Self::new`] takes until it returns.
    pub(crate) fn cutting_memory(text_len: usize, dict_len: usize) -> usize {
        if Self::may_join(dict_len) { sample::memory(text_len) } else { 0 }
    }

    /// The kinds of windows that a text of this length may have: joined, not joined, or both.
    pub(crate) fn kinds(text_len: usize, dict_len: usize) -> impl Iterator<Item = Self> {
        let may_join = Self::may_join(dict_len);
        let only_joined = may_join && text_len <= LONG_TEXT;
        let kinds = [(may_join, true), (!only_joined, false)];
        let kinds = kinds.into_iter().filter(|&(may_be, _)| may_be);
        kinds.map(move |(_, is_joined)| Self::of_kind(text_len, dict_len, is_joined))
    }

    fn may_join(dict_len: usize) -> bool {
        dict_len > 2 * SHORT
    }

    fn of_kind(text_len: usize, dict_len: usize, is_joined: bool) -> Self {
        let (new, old) = if is_joined {
            LONG
        } else {
            let new = dict_len.clamp(NEW_MIN, SHORT) / NEW_MIN * NEW_MIN;
            // More old places take longer to sort, and gain little if the dictionary has at most 8 MiB.
            (new, if (SHORT + 1..=2 * SHORT).contains(&dict_len) { dict_len / 2 } else { new / 16 * 3 })
        };
        Self { text_len, new, old: old / BATCH * BATCH, is_joined }
    }

    /// The greatest length of what is sorted at once.
    fn sorted_len(&self) -> usize {
        let old = if self.is_joined { 0 } else { self.old };
        (self.new + old + BEHIND).min(self.text_len)
    }

    /// One place in so many before a window is noted. Joined windows take much other memory.
    pub(crate) fn stride(&self) -> usize {
        if self.is_joined { 13 } else { 8 }
    }

    /// How many windows there are.
    pub(crate) fn count(&self) -> usize {
        self.text_len.div_ceil(self.new)
    }

    /// The greatest number of new places of a window.
    fn new_len(&self) -> usize {
        self.new.min(self.text_len)
    }

    /// How many cells for nodes stand before the suffixes, where old suffixes are not sorted. With those of the
    /// suffixes, they are enough for seven eighths of a node for each new place, which is more than the data of
    /// `benches/corpus` takes.
    pub(crate) fn room(&self) -> usize {
        if self.kept_len() > 0 { self.new_len() / 4 * 3 } else { ROOM }
    }

    /// How many cells the tree of a window takes, and how many new places it has.
    pub(crate) fn tree_len(&self) -> (usize, usize) {
        let room = self.room();
        (self.sorted_len() + room, self.new_len())
    }

    /// How many suffixes are kept for later windows, and joined to those of a window.
    pub(crate) fn kept_len(&self) -> usize {
        if self.is_joined && self.text_len > self.new { self.text_len.min(self.new + self.old) } else { 0 }
    }

    /// The start of the last window.
    pub(crate) fn last_start(&self) -> usize {
        self.text_len.saturating_sub(1) / self.new * self.new
    }

    /// The start of a window, or the end of the text.
    pub(crate) fn start(&self, index: usize) -> usize {
        index.saturating_mul(self.new).min(self.text_len)
    }

    /// The new places of the window that has `place`.
    pub(crate) fn places(&self, place: usize) -> Range<usize> {
        let begin = place / self.new * self.new;
        begin..(begin + self.new).min(self.text_len)
    }

    /// The first old place of the window with these new places.
    pub(crate) fn old_start(&self, places_start: usize) -> usize {
        places_start.saturating_sub(self.old)
    }

    /// What is sorted for these new places.
    pub(crate) fn sorted(&self, places: &Range<usize>) -> Range<usize> {
        let start = if self.is_joined { places.start } else { self.old_start(places.start) };
        start..(places.end + BEHIND).min(self.text_len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_have_every_place_once_and_old_places_before_it() {
        for dict_len in [4096, 1 << 20, 3 << 19, 8 << 20, 16 << 20, 64 << 20, 1 << 30] {
            for text_len in
                [0, 1, 31, 1000, 1 << 16, (1 << 16) + 1, (1 << 20) + 1, 11 << 20, 24 << 20, 192 << 20]
            {
                for windows in Windows::kinds(text_len, dict_len) {
                    let (mut at, mut count) = (0, 0);
                    while at < text_len {
                        let places = windows.places(at);
                        assert_eq!((places.start, windows.start(count)), (at, at));
                        assert_eq!(windows.places(places.end - 1), places);
                        let sorted = windows.sorted(&places);
                        assert!(sorted.len() <= windows.sorted_len() && sorted.len() <= TEXT_MAX);
                        assert!(sorted.end == text_len || sorted.end == places.end + BEHIND);
                        assert!(sorted.start == 0 || at - windows.old_start(at) >= windows.new / 6);
                        assert!(places.end < text_len || windows.last_start() == places.start);
                        (at, count) = (places.end, count + 1);
                        assert!(at == text_len || at % BATCH == 0);
                    }
                    assert_eq!((windows.count(), windows.start(count)), (count, text_len));
                }
            }
        }
    }

    #[test]
    fn a_block_of_xz_6_has_three_windows() {
        let windows = Windows::kinds(24 << 20, 8 << 20).next().unwrap();
        let ends = [0, 8 << 20, 16 << 20].map(|place| windows.places(place).end);
        assert_eq!(ends, [8 << 20, 16 << 20, 24 << 20]);
    }
}
