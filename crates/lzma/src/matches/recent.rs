//! Matches in a text that consists almost only of long repeats.
//!
//! Such a text needs no tree: nearly every match is long and taken whole. [`Recent`] notes the last place of each hash
//! of four, of eight and of many bytes, and passes over most places inside of long matches. [`Far`] has the places
//! before the window. Many bytes find the long matches of texts in which all short strings occur everywhere, as of
//! Fibonacci words.
//!
//! A place takes three comparisons at most, of a bounded number of bytes.

use std::ops::Range;

use super::far::Far;
use super::windows::BATCH;
use super::{Match, shared};

const BITS: u32 = 15;
const SIZE: usize = 1 << BITS;

/// A repeat counts as long from this length on. If a hash of [`LONG_HASHED`] bytes found it, that length is enough.
const LONG: usize = 512;
const LONG_HASHED: usize = 256;
/// The many bytes under a hash.
const MANY: usize = 64;
const HASHED_WORDS: usize = 8;
/// Less than one part in so many of a window may lie outside of long repeats.
const PART: usize = 16;
/// One place in so many is looked up before the window. The number shares no factor with the stride of [`Far`].
const FAR_STEP: usize = 3;

#[derive(Default)]
pub(crate) struct Recent {
    /// The places behind the last ones, for four, eight and many bytes. Zero means that there is none.
    last: [Vec<u32>; 3],
    /// The text before this place is not noted.
    start: usize,
}

/// The hashes of four and of eight bytes.
#[inline]
fn hashes(text: &[u8], place: usize) -> Option<[usize; 2]> {
    let bytes = u64::from_le_bytes(*text.get(place..)?.first_chunk()?);
    let hash = |bytes: u64| (bytes.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - BITS)) as usize;
    Some([hash(bytes << 32), hash(bytes)])
}

/// The hash of [`HASHED_WORDS`] words, which lie as far apart as fit into `most` bytes, or of those that there are.
#[inline]
fn hash_of(text: &[u8], place: usize, most: usize) -> usize {
    let bytes = text.get(place..(place + most).min(text.len())).unwrap_or_default();
    let words = bytes.as_chunks().0.iter().step_by(most / size_of::<u64>() / HASHED_WORDS);
    let hash = words.fold(0_u64, |hash, &word| {
        (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
    });
    (hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - BITS)) as usize
}

impl Recent {
    /// Begins with the places of a window.
    pub(crate) fn begin(&mut self, start: usize) {
        self.start = start;
        for last in &mut self.last {
            last.clear();
            last.resize(SIZE, 0);
        }
    }

    /// Whether nearly all of a window lies in long repeats with distances up to `distance_max`. Of other windows, this
    /// looks at little more than a sixteenth.
    pub(crate) fn is_repetitive(
        &mut self,
        text: &[u8],
        places: &Range<usize>,
        far: &Far,
        distance_max: usize,
    ) -> bool {
        self.begin(places.start);
        let (mut at, mut left) = (places.start, places.len() / PART);
        while at < places.end
            && let Some([_, hash]) = hashes(text, at)
        {
            let here = (at - self.start + 1) as u32;
            let [near, hashed] = [(1, hash), (2, hash_of(text, at, LONG_HASHED))].map(|(kind, hash)| {
                let before = std::mem::replace(&mut self.last[kind][hash], here);
                (before > 0).then(|| (here - before) as usize)
            });
            let far = || (at % FAR_STEP == 0).then(|| far.look_once(text, at)).flatten();
            let most = places.end - at;
            let repeat = |distance: Option<usize>, least: usize| {
                let distance = distance.filter(|&distance| distance <= distance_max)?;
                let len = shared(text, at, distance as u32 - 1, 0, most);
                // A repeat up to the end of the window goes on behind it.
                (len >= least.min(most)).then_some(len)
            };
            let (near, hashed) = (repeat(near, LONG), repeat(hashed, LONG_HASHED));
            if let Some(len) = near.max(hashed).max(repeat(far(), LONG)) {
                at += len;
            } else if left == 0 {
                return false;
            } else {
                at += 1;
                left -= 1;
            }
        }
        true
    }

    /// Puts the matches of the places of a batch into `items`. `bounds` says where those of each place begin and end.
    pub(crate) fn fill(
        &mut self,
        text: &[u8],
        batch: Range<usize>,
        mut far: impl FnMut(usize) -> Match,
        (len_max, dict_len): (usize, usize),
        items: &mut [Match],
        bounds: &mut [[u32; 2]; BATCH],
    ) {
        bounds.fill([0; 2]);
        let (mut pass_to, mut end) = (batch.start, 0);
        for (place, bound) in batch.zip(bounds.iter_mut()) {
            let from = end;
            if let Some(hashes) = hashes(text, place) {
                let here = (place - self.start + 1) as u32;
                let hashes = [hashes[0], hashes[1], hash_of(text, place, MANY)];
                let [short, long, many] = [0, 1, 2].map(|kind| {
                    let last = &mut self.last[kind][hashes[kind]];
                    std::mem::replace(last, here)
                });
                if place >= pass_to {
                    let most = len_max.min(text.len() - place);
                    let known = far(place);
                    items[end] = known;
                    end += usize::from(known.len > 0);
                    let [long, short] = [(long, many), (short, long)]
                        .map(|(last, longer)| if last == longer { 0 } else { last });
                    for last in [many, long, short] {
                        let distance = here - last;
                        if last == 0 || distance as usize > dict_len {
                            continue;
                        }
                        let len = shared(text, place, distance - 1, 0, most) as u32;
                        // Shorter matches are nearer.
                        while end > from && items[end - 1].len <= len {
                            end -= 1;
                        }
                        let is_nearer = items[from..end].last().is_none_or(|item| item.distance >= distance);
                        if len >= 2 && is_nearer {
                            items[end] = Match { len, distance: distance - 1 };
                            end += 1;
                        }
                    }
                    if items[from..end].first().is_some_and(|longest| longest.len as usize >= len_max) {
                        pass_to = place + len_max;
                    }
                }
            }
            *bound = [from as u32, end as u32];
        }
    }
}
