//! The windows of a text: the stretches that are sorted, one after the other.
//!
//! The tables of a whole text would take too much memory. A window has new places, at which matches are found, and old
//! places before them, which matches refer to. `far.rs` finds long matches with what lies before the old places. A
//! window also has a few bytes behind the new places, so that strings do not end with them.
//!
//! A slice of LZMA2 is a window, so that the cost of a slice does not depend on the slices before it.

use std::ops::Range;

use super::tree::TEXT_MAX;

/// Strings go on for this many bytes behind the new places.
const BEHIND: usize = 512;
/// Windows have at least so many new places.
const NEW_MIN: usize = 64 << 10;
/// Windows have at most so many new places, or twice as many if the dictionary is longer than that.
const SHORT: usize = 8 << 20;
/// More old places cost much memory, and gain little.
const OLD_MAX: usize = 18 << 20;
/// Places are looked at in batches of this many.
pub(crate) const BATCH: usize = 32;

const _: () = assert!(2 * SHORT + OLD_MAX + BEHIND <= TEXT_MAX);

/// How many new places a window has.
pub(crate) fn new_len(dict_len: usize) -> usize {
    let most = if dict_len > 2 * SHORT { 2 * SHORT } else { SHORT };
    dict_len.clamp(NEW_MIN, most) / NEW_MIN * NEW_MIN
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Windows {
    text_len: usize,
    /// How many new and old places a window has.
    new: usize,
    old: usize,
}

impl Windows {
    /// For a text, and matches with distances up to `dict_len`.
    pub(crate) fn new(text_len: usize, dict_len: usize) -> Self {
        let new = new_len(dict_len);
        // More takes longer to sort, and gains little with dictionaries of up to 8 MiB.
        let old = if dict_len > SHORT { (dict_len / 2).min(OLD_MAX) } else { new / 16 * 3 };
        Self { text_len, new, old: old / BATCH * BATCH }
    }

    /// The greatest length of what is sorted at once.
    pub(crate) fn sorted_len(&self) -> usize {
        (self.new + self.old + BEHIND).min(self.text_len)
    }

    /// The start of the last window.
    pub(crate) fn last_start(&self) -> usize {
        self.text_len.saturating_sub(1) / self.new * self.new
    }

    /// The new places of the window that has `place`.
    pub(crate) fn places(&self, place: usize) -> Range<usize> {
        let begin = place / self.new * self.new;
        begin..(begin + self.new).min(self.text_len)
    }

    /// What is sorted for these new places.
    pub(crate) fn sorted(&self, places: &Range<usize>) -> Range<usize> {
        places.start.saturating_sub(self.old)..(places.end + BEHIND).min(self.text_len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_have_every_place_once_and_old_places_before_it() {
        for dict_len in [4096, 1 << 20, 3 << 19, 8 << 20, 64 << 20, 1 << 30] {
            for text_len in
                [0, 1, 31, 1000, 1 << 16, (1 << 16) + 1, (1 << 20) + 1, 11 << 20, 24 << 20, 192 << 20]
            {
                let windows = Windows::new(text_len, dict_len);
                let mut at = 0;
                while at < text_len {
                    let places = windows.places(at);
                    assert_eq!(places.start, at);
                    assert_eq!(windows.places(places.end - 1), places);
                    let sorted = windows.sorted(&places);
                    assert!(sorted.len() <= windows.sorted_len() && sorted.len() <= TEXT_MAX);
                    assert!(sorted.end == text_len || sorted.end == places.end + BEHIND);
                    assert!(sorted.start == 0 || at - sorted.start >= new_len(dict_len) / 6);
                    assert!(places.end < text_len || windows.last_start() == places.start);
                    at = places.end;
                    assert!(at == text_len || at % BATCH == 0);
                }
            }
        }
    }

    #[test]
    fn a_block_of_xz_6_has_three_windows() {
        let windows = Windows::new(24 << 20, 8 << 20);
        let ends = [0, 8 << 20, 16 << 20].map(|place| windows.places(place).end);
        assert_eq!(ends, [8 << 20, 16 << 20, 24 << 20]);
    }
}
