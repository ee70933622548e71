//! Places before a window, by a hash of the bytes there.
//!
//! [`Far`] notes every eighth or every 13th place before a window in a table. `far_matches.rs` looks into the table
//! once for each place of the window, and finds long matches.

use std::ops::Range;

use super::prefetch::prefetch;

/// The bytes under a hash.
pub(crate) const HASHED: usize = 12;
/// Places before its turn at which a slot of the table is asked for while the table is filled.
const FILL_AHEAD: usize = 16;

#[derive(Default)]
pub(crate) struct Far {
    /// The last place of each hash, or zero. The low bits are those of the number of the place, and the others are bits
    /// of the hash.
    table: Vec<u32>,
    number_bits: u32,
    /// The places among which some are noted, and the distance of those.
    noted: Range<usize>,
    stride: usize,
}

impl Far {
    /// The slots for a number of bytes before a window.
    fn table_len(noted_len: usize, stride: usize) -> usize {
        noted_len.div_ceil(stride)
    }

    pub(crate) fn memory(noted_len: usize, stride: usize) -> usize {
        Self::table_len(noted_len, stride) * size_of::<u32>()
    }

    /// Notes every `stride`th place of `noted`, which never has more than `most`. If `is_same`, the text is that of the
    /// last call. Returns nothing if there is no memory.
    pub(crate) fn begin(
        &mut self,
        text: &[u8],
        noted: Range<usize>,
        (most, stride): (usize, usize),
        is_same: bool,
    ) -> Option<()> {
        let is_same = std::mem::replace(&mut self.stride, stride) == stride && is_same;
        let start = noted.start.next_multiple_of(stride);
        let noted = start..(noted.end / stride * stride).max(start);
        let known = std::mem::replace(&mut self.noted, noted.clone());
        let len = Self::table_len(most, stride);
        // Numbers of places that are twice as far away as any that is noted would look like others.
        self.number_bits = (2 * len).next_power_of_two().trailing_zeros();
        let goes_on = is_same && known.end <= noted.end && noted.end - known.start < 2 * len * stride;
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
        let (end, most) = ((end / self.stride) as u32, ((end - start.min(end)) / self.stride) as u32);
        for slot in &mut self.table {
            let is_kept = end.wrapping_sub(*slot) & mask <= most;
            *slot = if is_kept { *slot } else { 0 };
        }
    }

    fn note(&mut self, text: &[u8], places: Range<usize>) {
        let hash_at = |place: usize| text.get(place..).and_then(|rest| rest.first_chunk()).map_or(0, hash);
        let mut ahead = [0; FILL_AHEAD];
        for index in 0..places.len() / self.stride + FILL_AHEAD {
            let place = places.start + index * self.stride;
            let hash = if place < places.end { hash_at(place) } else { 0 };
            prefetch(&self.table, self.slot(hash));
            let before = std::mem::replace(&mut ahead[index % FILL_AHEAD], hash);
            if let Some(index) = index.checked_sub(FILL_AHEAD) {
                let word = self.word(before, (places.start / self.stride + index) as u32);
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

    pub(crate) fn is_empty(&self) -> bool {
        self.noted.len() < self.stride
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
        let back = ((self.noted.end / self.stride) as u32).wrapping_sub(slot) & self.mask();
        let is_noted = slot & self.mask() > 0 && self.word(hash, slot) == slot;
        let place = self.noted.end.checked_sub(back as usize * self.stride)?;
        (is_noted && self.noted.contains(&place)).then_some(place)
    }

    /// The hash of the bytes at a place. Asks for its slot.
    #[inline]
    pub(crate) fn ask(&self, text: &[u8], place: usize) -> Option<u64> {
        let hash = hash(text.get(place..)?.first_chunk()?);
        prefetch(&self.table, self.slot(hash));
        Some(hash)
    }

    /// The place before the window that may have the bytes with this hash. Asks for its text.
    #[inline]
    pub(crate) fn read(&self, text: &[u8], hash: u64) -> Option<usize> {
        let place = self.place(*self.table.get(self.slot(hash))?, hash)?;
        prefetch(text, place);
        Some(place)
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
    use super::super::far_matches::tests::noise;
    use super::*;

    /// Tables that are continued are those that are made anew.
    #[test]
    fn a_table_can_go_on_in_the_same_text() {
        let text = noise(3000).repeat(6);
        let dict_len = 2000;
        let mut far = Far::default();
        for (start, is_same) in [
            (0, false),
            (500, true),
            (2500, true),
            (2600, true),
            (9000, true),
            (9000, false),
            (1000, true),
            (1700, true),
        ] {
            let noted = start.max(dict_len) - dict_len..start;
            far.begin(&text, noted.clone(), (dict_len, 8), is_same).unwrap();
            let mut new = Far::default();
            new.begin(&text, noted, (dict_len, 8), false).unwrap();
            assert_eq!(far.table, new.table, "{start}, {is_same}");
        }
    }
}
