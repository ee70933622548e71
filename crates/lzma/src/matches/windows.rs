//! The windows of a text: the stretches that are sorted, one after the other.
//!
//! The tables of a whole text would take too much memory. A window has new places, at which matches are found, and old
//! places before them, which matches refer to: at least half of the dictionary, or of
//! the window if the dictionary is longer. It also has a few bytes behind the new
//! places, so that strings do not end with them.

use std::ops::Range;

use super::tree::TEXT_MAX;

/// Strings go on for this many bytes behind the new places.
const BEHIND: usize = 512;
/// Windows are no shorter, whatever the dictionary.
const LEN_MIN: usize = 64 << 10;
/// Nor are they longer than a tree can be.
const LEN_MAX: usize = TEXT_MAX - BEHIND;
/// Places are looked at in batches of this many.
pub(crate) const BATCH: usize = 32;

#[derive(Clone, Copy, Default)]
pub(crate) struct Windows {
    text_len: usize,
    /// The length of all windows, without the bytes behind them.
    len: usize,
    /// How many new places each window has but for the first, which has only new ones.
    step: usize,
}

impl Windows {
    /// For a text, and matches with distances up to `dict_len`.
    pub(crate) fn new(text_len: usize, dict_len: usize) -> Self {
        let most = (dict_len / 8 * 11).clamp(LEN_MIN, LEN_MAX) / BATCH * BATCH;
        let len = most.min(text_len.next_multiple_of(BATCH));
        let rest = text_len.saturating_sub(len);
        let count = rest.div_ceil(most - dict_len.min(most) / 2);
        let step = if count == 0 { BATCH } else { rest.div_ceil(count).next_multiple_of(BATCH) };
        Self { text_len, len, step }
    }

    /// The greatest length of what is sorted at once.
    pub(crate) fn sorted_len(&self) -> usize {
        (self.len + BEHIND).min(self.text_len)
    }

    /// The new places of the window that has `place`.
    pub(crate) fn places(&self, place: usize) -> Range<usize> {
        let begin = if place < self.len { 0 } else { self.len + (place - self.len) / self.step * self.step };
        let end = if begin == 0 { self.len } else { begin + self.step };
        begin..end.min(self.text_len)
    }

    /// What is sorted for these new places.
    pub(crate) fn sorted(&self, places: &Range<usize>) -> Range<usize> {
        let begin = if places.start == 0 { 0 } else { places.start + self.step - self.len };
        begin..(places.end + BEHIND).min(self.text_len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_have_every_place_once_and_half_of_the_dictionary_before_it() {
        for dict_len in [4096, 1 << 20, 3 << 19, 8 << 20, 64 << 20, 1 << 30] {
            for text_len in [
                0,
                1,
                31,
                1000,
                1 << 16,
                (1 << 16) + 1,
                (1 << 20) + 1,
                11 << 20,
                (11 << 20) + 1,
                24 << 20,
                192 << 20,
            ] {
                let windows = Windows::new(text_len, dict_len);
                let mut at = 0;
                while at < text_len {
                    let places = windows.places(at);
                    assert_eq!(places.start, at);
                    assert_eq!(windows.places(places.end - 1), places);
                    let sorted = windows.sorted(&places);
                    assert!(sorted.len() <= windows.sorted_len() && sorted.len() <= TEXT_MAX);
                    assert!(sorted.end == text_len || sorted.end == places.end + BEHIND);
                    assert!(sorted.start == 0 || at - sorted.start >= dict_len.min(LEN_MAX) / 2 - BATCH);
                    at = places.end;
                    assert!(at == text_len || at % BATCH == 0);
                }
            }
        }
    }

    #[test]
    fn a_block_of_xz_6_has_three_windows() {
        let windows = Windows::new(24 << 20, 8 << 20);
        let ends = [0, 11 << 20, 18 << 20].map(|place| windows.places(place).end);
        assert_eq!(ends, [11 << 20, 35 << 19, 24 << 20]);
    }
}
