//! What differs between the levels: how a match names the place that it copies from.
//!
//! At level 3 a match states its distance. At levels 1 and 2 it states the hash of its first three bytes, and both
//! sides keep a table of the places at which a hash occurred. So the decoder hashes all places that the encoder has
//! hashed: each literal, and the first byte of each match. Level 1 remembers the last place of each hash, level 2 the
//! last four.
//!
//! `decode.rs` calls the [`Level`] of a packet. An entry of a table that no place has been written to is [`ABSENT`],
//! which is behind every place, so the decoder refuses a match that names it.

use std::ops::Range;

/// An entry that was not written yet. Packets are shorter.
pub(crate) const ABSENT: u32 = u32::MAX;

const TABLE_LEN_1: usize = 1 << 12;
const HASHES_2: usize = 1 << 11;
const PLACES_2: usize = 4;

/// A match, as its coded form states it.
pub(crate) struct Match {
    /// The place that it copies from. It is behind `at` if there is no such place.
    pub(crate) from: usize,
    pub(crate) len: usize,
    /// The length of its coded form.
    pub(crate) coded_len: usize,
}

/// The part of a decoder that depends on the level.
pub(crate) trait Level {
    /// The match at the place `at` whose coded form begins with these four bytes.
    fn read(&self, bytes: u32, at: usize) -> Match;
    /// Notes these places. The two bytes behind the last of them are known too.
    fn note(&mut self, plain: &[u8], places: Range<usize>);
}

/// Calls `hash` with the three bytes at each of these places and their number, in order. The fourth byte has any value.
#[inline(always)]
fn each(plain: &[u8], places: Range<usize>, mut note: impl FnMut(u32, u32)) {
    let first = places.start;
    let Some(bytes) = plain.get(first..places.end + 2) else { return };
    // The places of a run follow each other, so a window of three bytes moves along.
    for (place, window) in (first as u32..).zip(bytes.windows(3)) {
        let &[a, b, c] = window else { return };
        note(u32::from_le_bytes([a, b, c, 0]), place);
    }
}

/// Level 1: 4096 hashes with one place each.
pub(crate) struct Level1<'t>(pub(crate) &'t mut [u32; TABLE_LEN_1]);

impl Level for Level1<'_> {
    #[inline(always)]
    fn read(&self, bytes: u32, _: usize) -> Match {
        let from = self.0[(bytes >> 4) as usize % TABLE_LEN_1] as usize;
        match bytes & 0xf {
            0 => Match { from, len: (bytes >> 16 & 0xff) as usize, coded_len: 3 },
            short => Match { from, len: short as usize + 2, coded_len: 2 },
        }
    }

    #[inline(always)]
    fn note(&mut self, plain: &[u8], places: Range<usize>) {
        each(plain, places, |bytes, place| {
            self.0[(bytes >> 12 ^ bytes) as usize % TABLE_LEN_1] = place;
        });
    }
}

/// Level 2: 2048 hashes with four places each, written in turns.
pub(crate) struct Level2<'t> {
    pub(crate) places: &'t mut [[u32; PLACES_2]; HASHES_2],
    /// How many places were noted for each hash, modulo 256.
    pub(crate) counts: &'t mut [u8; HASHES_2],
}

impl Level for Level2<'_> {
    #[inline(always)]
    fn read(&self, bytes: u32, _: usize) -> Match {
        let from = self.places[(bytes >> 5) as usize % HASHES_2][bytes as usize % PLACES_2] as usize;
        match bytes >> 2 & 7 {
            0 => Match { from, len: (bytes >> 16 & 0xff) as usize, coded_len: 3 },
            short => Match { from, len: short as usize + 2, coded_len: 2 },
        }
    }

    #[inline(always)]
    fn note(&mut self, plain: &[u8], places: Range<usize>) {
        each(plain, places, |bytes, place| {
            let hash = (bytes >> 9 ^ bytes >> 13 ^ bytes) as usize % HASHES_2;
            let count = &mut self.counts[hash];
            self.places[hash][usize::from(*count) % PLACES_2] = place;
            *count = count.wrapping_add(1);
        });
    }
}

/// Level 3: the match states its distance, in one of five forms.
pub(crate) struct Level3;

impl Level for Level3 {
    #[inline(always)]
    fn read(&self, bytes: u32, at: usize) -> Match {
        let (distance, len, coded_len) = match bytes & 3 {
            0 => (bytes >> 2 & 0x3f, 3, 1),
            1 => (bytes >> 2 & 0x3fff, 3, 2),
            2 => (bytes >> 6 & 0x3ff, (bytes >> 2 & 0xf) + 3, 2),
            _ if bytes & 0x7f != 3 => (bytes >> 7 & 0x1_ffff, (bytes >> 2 & 0x1f) + 2, 3),
            _ => (bytes >> 15, (bytes >> 7 & 0xff) + 3, 4),
        };
        let from = at.checked_sub(distance as usize).unwrap_or(ABSENT as usize);
        Match { from, len: len as usize, coded_len }
    }

    #[inline(always)]
    fn note(&mut self, _: &[u8], _: Range<usize>) {}
}

/// The tables of levels 1 and 2. They are used for packet after packet.
pub(crate) struct Tables {
    level_1: Box<[u32; TABLE_LEN_1]>,
    places_2: Box<[[u32; PLACES_2]; HASHES_2]>,
    counts_2: Box<[u8; HASHES_2]>,
}

impl Tables {
    pub(crate) fn new() -> Self {
        Self {
            level_1: Box::new([ABSENT; TABLE_LEN_1]),
            places_2: Box::new([[ABSENT; PLACES_2]; HASHES_2]),
            counts_2: Box::new([0; HASHES_2]),
        }
    }

    /// Level 1 at the start of a packet.
    pub(crate) fn level_1(&mut self) -> Level1<'_> {
        self.level_1.fill(ABSENT);
        Level1(&mut self.level_1)
    }

    /// Level 2 at the start of a packet.
    pub(crate) fn level_2(&mut self) -> Level2<'_> {
        self.places_2.fill([ABSENT; PLACES_2]);
        self.counts_2.fill(0);
        Level2 { places: &mut self.places_2, counts: &mut self.counts_2 }
    }
}
