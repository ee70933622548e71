//! The Burrows-Wheeler transform of a block: the last bytes of its rotations in order.
//!
//! [`Transform::run`] replaces the text of a block by its transform. libsais sorts suffixes, and bzip2 wants
//! rotations. Both have the same order if the text is less than all its other rotations (a Lyndon word), so the text
//! is turned to its least rotation first. If a text is a power of a shorter word it has each rotation several times,
//! and sorting those of the word is enough.

use super::rotation::{Least, WORD_LEN, least};
use crate::sais::{SPACING, Sorter};

/// What the decoder and the encoder need to know of a sorted block.
pub(super) struct Sorted {
    /// The place of the text itself among its sorted rotations.
    pub(super) origin: usize,
    /// How often a byte occurs, up to a common factor.
    pub(super) counts: [i32; 256],
}

/// Sorts blocks; its memory serves one after another.
pub(super) struct Transform {
    sorter: Sorter,
    /// The text, turned.
    turned: Vec<u8>,
    candidates: Vec<u32>,
}

impl Transform {
    /// For blocks of at most `longest` bytes. Returns nothing if there is no memory.
    pub(super) fn new(longest: usize) -> Option<Self> {
        let turned = Vec::with_capacity(longest);
        Some(Self { sorter: Sorter::new(longest)?, turned, candidates: Vec::new() })
    }

    /// Replaces the first `len` bytes, at least one, by the last bytes of their sorted rotations. Behind them there is
    /// room for eight more. Returns nothing if there is no memory.
    pub(super) fn run(&mut self, text: &mut [u8], len: usize) -> Option<Sorted> {
        for at in 0..WORD_LEN {
            text[len + at] = text[at];
        }
        let Least { start, period } = least(text, len, &mut self.candidates);
        let text = &mut text[..len];
        self.turned.clear();
        self.turned.extend_from_slice(&text[start..]);
        self.turned.extend_from_slice(&text[..start]);
        let mut counts = [0; 256];
        if period == 1 {
            counts[usize::from(text[0])] = 1;
            return Some(Sorted { origin: 0, counts });
        }
        let (last, power) = (&mut text[..period], len / period);
        let origin = (len - start) % period;
        let ranks = self.sorter.transform(&self.turned[..period], last, &mut counts)?;
        // The text itself begins between two suffixes whose ranks are known. From the later one each step goes to the
        // suffix that begins one byte before.
        let known = origin.div_ceil(SPACING);
        let mut row = ranks.get(known).map_or(0, |&rank| rank as usize - 1);
        let place = if known < ranks.len() { known * SPACING } else { period };
        for _ in origin..place {
            let byte = last[row];
            let below: i32 = counts[..usize::from(byte)].iter().sum();
            row = below as usize + last[..row].iter().filter(|&&other| other == byte).count();
        }
        if power > 1 {
            for at in (0..period).rev() {
                let byte = text[at];
                text[at * power..][..power].fill(byte);
            }
        }
        Some(Sorted { origin: row * power, counts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(transform: &mut Transform, text: &[u8]) {
        let len = text.len();
        let doubled = text.repeat(2);
        let mut rows: Vec<usize> = (0..len).collect();
        rows.sort_by_key(|&row| &doubled[row..row + len]);
        let expected: Vec<u8> = rows.iter().map(|&row| doubled[row + len - 1]).collect();
        let mut last = [text, &[0; WORD_LEN]].concat();
        let origin = transform.run(&mut last, len).unwrap().origin;
        assert_eq!(last[..len], expected, "{text:?}");
        let row = rows[origin];
        assert_eq!(doubled[row..row + len], *text, "{text:?}");
    }

    #[test]
    fn all_short_words_are_sorted_as_rotations() {
        let mut transform = Transform::new(100).unwrap();
        for letters in [2_usize, 3] {
            for len in 1..=if letters == 2 { 13 } else { 8 } {
                for word in 0..letters.pow(len) {
                    let letter = |at| (word / letters.pow(at) % letters) as u8 * 0x7f;
                    check(&mut transform, &(0..len).map(letter).collect::<Vec<u8>>());
                }
            }
        }
    }

    #[test]
    fn longer_words_are_sorted_as_rotations() {
        let mut transform = Transform::new(8000).unwrap();
        let mut fibonacci = (vec![1], vec![1, 0]);
        while fibonacci.1.len() < 1500 {
            let next = [&fibonacci.1[..], &fibonacci.0].concat();
            fibonacci = (fibonacci.1, next);
            check(&mut transform, &fibonacci.0);
        }
        let mixed: Vec<u8> = (0..3000_u32).map(|at| (at.wrapping_mul(at ^ 0x9e37) >> 7) as u8).collect();
        for len in (1..64).chain([255, 256, 257, 1000, 2999]) {
            check(&mut transform, &mixed[..len]);
            check(&mut transform, &mixed[..len / 7 + 1].repeat(7));
            check(&mut transform, &[&vec![7; len][..], &[3]].concat());
            check(&mut transform, &[&vec![7; len][..], &[9], &vec![7; len / 2]].concat());
            check(&mut transform, &vec![0xff; len]);
        }
    }
}
