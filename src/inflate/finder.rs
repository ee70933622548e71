//! Where blocks begin, in a stream that is not read from its beginning.
//!
//! Nothing says where a block begins, which may be at any bit. But the header of a dynamic block is so
//! particular that hardly anything else looks like one: of 10^12 random places some 200 do (Knespel and
//! Brunst, "Rapidgzip", 2023). Blocks that are stored, fixed or the last are not looked for.

use super::bits::{Bits, Kept};
use super::code::{Codes, Precode};
use super::dynamic::{self, Lens};

/// The longest header of a block, in bytes: 17 bits, 19 lengths of three bits, and 316 codes of seven bits
/// with seven extra bits.
pub(crate) const HEADER_MAX: usize = (17 + 19 * 3 + 316 * 14_usize).div_ceil(8);

/// So many places are looked at together: those whose first 13 bits are in a word.
const STEP: usize = 48;

/// The first 17 bits of a header: what block it is, HLIT, HDIST and HCLEN.
const COUNTS_BITS: usize = 17;

/// What the lengths of a code of at most seven bits fill of the space of all codes when it is complete.
const COMPLETE: u32 = 1 << 7;

/// What four code lengths of three bits fill together.
static FOUR_LENS: [u16; 1 << 12] = {
    let mut sums = [0; 1 << 12];
    let mut lens = 0;
    while lens < sums.len() {
        let mut shift = 0;
        while shift < 12 {
            let len = lens >> shift & 7;
            sums[lens] += if len == 0 { 0 } else { (COMPLETE >> len) as u16 };
            shift += 3;
        }
        lens += 1;
    }
    sums
};

/// Looks for blocks.
pub(crate) struct Finder {
    lens: Lens,
    precode: Precode,
    codes: Box<Codes>,
}

impl Default for Finder {
    fn default() -> Self {
        Self { lens: Lens::default(), precode: Precode::new(), codes: Box::new(Codes::new()) }
    }
}

impl Finder {
    /// The first bit of a block that begins in these bytes, and more than [`HEADER_MAX`] before their end.
    pub(crate) fn find(&mut self, coded: &[u8]) -> Option<usize> {
        let end = 8 * coded.len().checked_sub(HEADER_MAX)?;
        let words = coded.windows(size_of::<u64>()).step_by(STEP / 8);
        for (word, start) in words.zip((0..end).step_by(STEP)) {
            let word = word.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
            let mut places = candidates(word);
            while places != 0 {
                let place = start + places.trailing_zeros() as usize;
                places &= places - 1;
                if place < end && has_precode(coded, place) && self.is_header(coded, place) {
                    return Some(place);
                }
            }
        }
        None
    }

    /// Whether there is a whole header of a dynamic block.
    fn is_header(&mut self, coded: &[u8], place: usize) -> bool {
        let mut bits = Bits::new(Kept::default(), &coded[place / 8..]);
        if bits.take((place % 8) as u32 + 3).is_none() {
            return false;
        }
        let read = self.lens.read(dynamic::At::Counts, &mut bits, &mut self.precode);
        let (litlen, distance) = self.lens.both();
        read == Ok(None) && self.codes.set(litlen, distance).is_ok()
    }
}

/// Which of the lowest [`STEP`] bits may begin a dynamic block that is not the last, by what it is and by
/// HLIT and HDIST, which are below 30.
fn candidates(word: u64) -> u64 {
    let block = !word & !(word >> 1) & (word >> 2);
    let all = |first: u32| word >> first & word >> (first + 1) & word >> (first + 2) & word >> (first + 3);
    block & !all(4) & !all(9) & ((1 << STEP) - 1)
}

/// Whether the code of code lengths is complete that the header here has.
fn has_precode(coded: &[u8], place: usize) -> bool {
    let word = |bit: usize| {
        let bytes = coded.get(bit / 8..).and_then(|rest| rest.first_chunk());
        bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes)) >> (bit % 8)
    };
    let count = (word(place) >> 13 & 15) as usize + 4;
    // 57 bits at the most, which a word has from any bit on. All of them are looked up whatever comes of the first:
    // that is less than one branch without a pattern.
    let lens = word(place + COUNTS_BITS) & ((1 << (3 * count)) - 1);
    let sum = (0..5).map(|four| u32::from(FOUR_LENS[(lens >> (12 * four)) as usize & 0xfff])).sum::<u32>();
    sum == COMPLETE
}
