//! Whether a text gains from short matches with what lies far back.
//!
//! The sorter finds them, and takes much of the time. It gains little if nearly all short strings that occur
//! far back occur nearby too, or are part of a long match. So [`gains_from_far`] tries a sample: all occurrences of
//! those strings of which a hash has a certain value.

use super::shared;
use crate::work;

/// A text of this length has few windows, so joining them costs little. No sample is taken.
pub(crate) const LONG_TEXT: usize = 64 << 20;
/// The bytes under a hash.
const HASHED: usize = 6;
/// One of two to the power of this many strings is in the sample, if all occur equally often.
const RATE_BITS: u32 = 8;
const HEAD_BITS: u32 = 18;
/// The sample has no more places than one of this many.
const PLACES_PER_SAMPLE: usize = 128;
/// The length of a stretch of the text. The sample is looked up in one of so many stretches.
const STRETCH: usize = 4 << 10;
const STRETCHES: usize = 8;
/// A place is compared with so many earlier ones.
const COMPARED: usize = 24;
/// Matches up to this distance are found without the sorter, on the average, and up to the other one with it.
const NEAR: usize = 6 << 20;
const FAR: usize = 32 << 20;
/// Matches of this length are found without the sorter too.
const LONG: usize = 20;
/// A far match is better if it is at least so many bytes longer than the longest near match, and than so many bytes.
const LONGER: usize = 2;
const SHORT: usize = 4;
/// A text gains if more than one in so many places has a better far match.
const PART: usize = 20;

/// The places of a sample, and the one before each that has the same hash.
struct Sample {
    heads: Vec<u32>,
    places: Vec<[u32; 2]>,
}

/// The memory of a sample of a text of this length.
pub(crate) fn memory(text_len: usize) -> usize {
    let places = (text_len / PLACES_PER_SAMPLE + 1) * size_of::<[u32; 2]>();
    if text_len <= LONG_TEXT { 0 } else { (1 << HEAD_BITS) * size_of::<u32>() + places }
}

impl Sample {
    fn new(room: usize) -> Option<Self> {
        let (mut heads, mut places) = (Vec::new(), Vec::new());
        heads.try_reserve_exact(1 << HEAD_BITS).ok()?;
        heads.resize(1 << HEAD_BITS, 0);
        places.try_reserve_exact(room + 1).ok()?;
        // No place has this number.
        places.push([0; 2]);
        Some(Self { heads, places })
    }

    /// Puts in a place. Returns the number of the one before.
    fn put(&mut self, hash: u64, place: usize) -> u32 {
        let head = &mut self.heads[(hash >> (u64::BITS - RATE_BITS - HEAD_BITS)) as usize % (1 << HEAD_BITS)];
        let before = std::mem::replace(head, self.places.len() as u32);
        self.places.push([place as u32, before]);
        before
    }

    /// The lengths of the longest matches up to a near and a far distance. None counts more than `most`.
    fn longest(
        &self,
        text: &[u8],
        place: usize,
        mut before: u32,
        most: usize,
        [near_max, far_max]: [usize; 2],
    ) -> [usize; 2] {
        let mut longest = [0; 2];
        for _ in 0..COMPARED {
            let [from, next] = self.places[before as usize];
            let distance = place - from as usize;
            if before == 0 || distance > far_max {
                break;
            }
            let len = shared(text, place, distance as u32 - 1, 0, most);
            let known = &mut longest[usize::from(distance > near_max)];
            *known = len.max(*known);
            before = next;
        }
        longest
    }
}

/// Whether the sorter makes the output of a text shorter by more than a little. Without memory for a sample, it may;
/// then there is none for the tables either.
pub(crate) fn gains_from_far(text: &[u8]) -> bool {
    text.len() <= LONG_TEXT || gains(text, NEAR, FAR)
}

fn gains(text: &[u8], near_max: usize, far_max: usize) -> bool {
    let room = text.len() / PLACES_PER_SAMPLE;
    let Some(mut sample) = Sample::new(room) else { return true };
    let (mut seen, mut better) = (0, 0);
    for (place, bytes) in text.windows(size_of::<u64>()).enumerate() {
        let Some(&bytes) = bytes.first_chunk() else { break };
        let word = u64::from_le_bytes(bytes) << (u64::BITS as usize - 8 * HASHED);
        let hash = word.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        if hash >> (u64::BITS - RATE_BITS) != 0 {
            continue;
        }
        // Runs of a byte have matches everywhere.
        if (word ^ word << 8) >> (u64::BITS as usize - 8 * (HASHED - 1)) == 0 {
            continue;
        }
        if sample.places.len() > room {
            break;
        }
        work::count(1);
        let before = sample.put(hash, place);
        if place < far_max || !(place / STRETCH).is_multiple_of(STRETCHES) {
            continue;
        }
        let most = (2 * LONG).min(text.len() - place);
        let [near, far] = sample.longest(text, place, before, most, [near_max, far_max]);
        if near.max(far) < 2 * LONG {
            seen += 1;
            better += usize::from((near.max(SHORT) + LONGER..LONG).contains(&far));
        }
    }
    better * PART > seen
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of six to thirteen letters from a list, of which `next` gives the number.
    fn text(len: usize, mut next: impl FnMut(u64) -> u64) -> Vec<u8> {
        let mut text = Vec::with_capacity(len + 16);
        let mut index = 0;
        while text.len() < len {
            let word = next(index).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let letters = word.wrapping_mul(word | 1).to_le_bytes();
            text.extend_from_slice(&letters[..6]);
            text.extend_from_slice(&letters[..(word >> 61) as usize]);
            index += 1;
        }
        text
    }

    #[test]
    fn a_text_gains_if_short_strings_occur_far_back_only() {
        let (len, near, far) = (4 << 20, 200 << 10, 1 << 20);
        let mut seed = 3_u64;
        let mut random = |most: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % most
        };
        // A word comes again behind half a million bytes, in another order.
        let rare = text(len, |index| index / 4096 % 13 * 4096 + random(4096));
        assert!(gains(&rare, near, far));
        let frequent = text(len, |_| random(20));
        assert!(!gains(&frequent, near, far));
        let repeated = text(far / 2, |_| random(1 << 40)).repeat(8);
        assert!(!gains(&repeated, near, far));
        let noise = text(len, |_| random(1 << 40));
        assert!(!gains(&noise, near, far));
        assert!(!gains(&vec![0; len], near, far));
    }

    #[test]
    fn a_sample_takes_the_memory_that_is_counted() {
        let len = LONG_TEXT + 12_345;
        let Sample { heads, places } = Sample::new(len / PLACES_PER_SAMPLE).unwrap();
        assert_eq!(
            memory(len),
            heads.capacity() * size_of::<u32>() + places.capacity() * size_of::<[u32; 2]>()
        );
        assert_eq!(memory(LONG_TEXT), 0);
    }
}
