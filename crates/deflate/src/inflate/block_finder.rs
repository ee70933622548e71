//! The block finder: where in a stream a dynamic block begins.
//!
//! A block may begin at any bit, and the stream does not say where. But few bit strings look like the header of a
//! dynamic block: about 200 of 10^12 random ones (Knespel and Brunst, "Rapidgzip", 2023). [`BlockFinder::find`]
//! takes coded bytes from inside a stream and returns the first bit at which a valid header begins. It does not
//! look for stored and fixed blocks, nor for the last block. A decoder that begins at a found place must still
//! verify that the block before ends exactly there.

use super::bits::{Bits, Kept};
use super::code::{Codes, Precode};
use super::dynamic::{HeaderState, Lens};
#[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
use super::finder_avx512;

/// The greatest length of a block header, in bytes: 17 bits, 19 lengths of three bits, and 316 codes of seven
/// bits with seven extra bits.
pub const HEADER_MAX: usize = (17 + 19 * 3 + 316 * 14_usize).div_ceil(8);

/// How many places the finder examines together: those whose first 13 bits are in a word.
const STEP: usize = 48;

/// The first 17 bits of a header: what block it is, HLIT, HDIST and HCLEN.
const COUNTS_BITS: u32 = 17;

/// The sum of 2^(7 - length) over all lengths of a complete code of at most seven bits.
pub(super) const COMPLETE: u32 = 1 << 7;

/// The same sum for four code lengths of three bits.
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

/// Finds the places where dynamic blocks begin.
///
/// ```
/// use pzcomp_deflate::inflate::{BlockFinder, Boundary, Inflate};
///
/// # use pzcomp_deflate::encode::{Encoder, End, Search, coded_bound};
/// # let plain: Vec<u8> = (0..400_000_u32).flat_map(|number| number.to_string().into_bytes()).collect();
/// # let mut coded = vec![0; coded_bound(plain.len())];
/// # let len = Encoder::new(Search::Matches).encode(&plain, &mut coded, End::Final).unwrap();
/// # let coded = &coded[..len];
/// // `coded` is a stream of several blocks.
/// let bit = BlockFinder::default().find(&coded[1000..]).ok_or("no block begins behind that place")?;
/// let (boundary, next) = Boundary::at(&coded[1000..], bit);
/// // A decoder can begin there, with the bytes that follow.
/// let mut inflate = Inflate::<u8>::new();
/// inflate.reset_inside(boundary);
/// let input = &coded[1000 + next..];
/// # assert!(!input.is_empty());
/// # Ok::<(), &str>(())
/// ```
pub struct BlockFinder {
    lens: Lens,
    precode: Precode,
    codes: Box<Codes>,
}

impl Default for BlockFinder {
    fn default() -> Self {
        Self { lens: Lens::default(), precode: Precode::new(), codes: Box::new(Codes::new()) }
    }
}

impl BlockFinder {
    /// The number of the first bit at which a block begins, of those more than [`HEADER_MAX`] bytes before the end.
    pub fn find(&mut self, coded: &[u8]) -> Option<usize> {
        let end = 8 * coded.len().checked_sub(HEADER_MAX)?;
        let is_header = |place| self.is_header(coded, place);
        #[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
        if finder_avx512::is_there() {
            return finder_avx512::first(coded, end, is_header);
        }
        first(coded, end, is_header)
    }

    /// Whether there is a whole header of a dynamic block.
    fn is_header(&mut self, coded: &[u8], place: usize) -> bool {
        let mut bits = Bits::new(Kept::default(), &coded[place / 8..]);
        if bits.take((place % 8) as u32 + 3).is_none() {
            return false;
        }
        let read = self.lens.read(HeaderState::Counts, &mut bits, &mut self.precode);
        let (litlen, distance) = self.lens.both();
        read == Ok(None) && self.codes.set(litlen, distance).is_ok()
    }
}

/// The first place before the bit `end` that may begin a dynamic block, has a complete code of code lengths, and
/// `is_header`. A whole header follows the places.
pub(super) fn first(coded: &[u8], end: usize, mut is_header: impl FnMut(usize) -> bool) -> Option<usize> {
    // A header is longer than the two words, so they are there for all places before the end.
    let words = coded.windows(2 * size_of::<u64>()).step_by(STEP / 8);
    for (words, start) in words.zip((0..end).step_by(STEP)) {
        let words = words.first_chunk().map_or(0, |words| u128::from_le_bytes(*words));
        let mut places = candidates(words as u64);
        while places != 0 {
            let place = places.trailing_zeros();
            places &= places - 1;
            if has_precode(words, place) {
                let place = start + place as usize;
                if place < end && is_header(place) {
                    return Some(place);
                }
            }
        }
    }
    None
}

/// Which of the lowest [`STEP`] bits may begin a dynamic block that is not the last. Its type decides, and that
/// HLIT and HDIST are below 30.
fn candidates(word: u64) -> u64 {
    let block = !word & !(word >> 1) & (word >> 2);
    let all = |first: u32| word >> first & word >> (first + 1) & word >> (first + 2) & word >> (first + 3);
    block & !all(4) & !all(9) & ((1 << STEP) - 1)
}

/// Whether the header at this bit of the words, one of the lowest [`STEP`], has a complete code of code lengths.
#[inline(always)]
fn has_precode(words: u128, place: u32) -> bool {
    let (low, high) = (words as u64, (words >> 64) as u64);
    let count = (low >> (place + 13) & 15) as u32 + 4;
    // The bits from `place + COUNTS_BITS` on. No shift is as long as a word. All lengths are looked up, whatever the
    // first ones add up to: that costs less than a branch that cannot be predicted.
    let lens = low >> (place + COUNTS_BITS - 1) >> 1 | high << (u64::BITS - COUNTS_BITS - place);
    let lens = lens & ((1 << (3 * count)) - 1);
    let sum = (0..5).map(|four| u32::from(FOUR_LENS[(lens >> (12 * four)) as usize & 0xfff])).sum::<u32>();
    sum == COMPLETE
}

#[cfg(all(test, target_arch = "x86_64", not(pzcomp_safe)))]
mod tests {
    use flate2::{Compress, Compression, FlushCompress};

    use super::*;

    fn noise(mut state: u64) -> impl FnMut() -> u64 {
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 56
        }
    }

    /// Numbers in decimal, as zlib codes them.
    fn stream() -> Vec<u8> {
        let mut next = noise(1);
        let plain: Vec<u8> = (0..200_000).flat_map(|_| (next() * next()).to_string().into_bytes()).collect();
        let mut coded = Vec::with_capacity(plain.len());
        let mut encoder = Compress::new(Compression::new(6), false);
        let ended = encoder.compress_vec(&plain, &mut coded, FlushCompress::Finish);
        assert!(matches!(ended, Ok(flate2::Status::StreamEnd)));
        coded
    }

    /// The same bits, but `shift` bits later.
    fn shifted(coded: &[u8], shift: u32) -> Vec<u8> {
        let before = [0].iter().chain(coded);
        before
            .zip(coded)
            .map(|(&before, &byte)| byte << shift | (u16::from(before) << shift >> 8) as u8)
            .collect()
    }

    /// Compares the places that both searches examine further. Returns how many there are.
    fn compare(coded: &[u8], what: &str) -> usize {
        let end = 8 * (coded.len() - HEADER_MAX);
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        let first_of_all = first(coded, end, |place| {
            expected.push(place);
            false
        });
        let first_found = finder_avx512::first(coded, end, |place| {
            found.push(place);
            false
        });
        assert_eq!(found, expected, "{what}");
        assert_eq!((first_of_all, first_found), (None, None), "{what}");
        for &place in expected.iter().step_by(50) {
            assert_eq!(finder_avx512::first(coded, end, |found| found >= place), Some(place), "{what}");
        }
        found.len()
    }

    #[test]
    fn every_search_finds_the_same_places() {
        if !finder_avx512::is_there() {
            return;
        }
        for len in (HEADER_MAX..HEADER_MAX + 100).chain([1 << 20]) {
            let mut next = noise(len as u64);
            let coded: Vec<u8> = (0..len).map(|_| next() as u8).collect();
            let places = compare(&coded, &format!("{len} bytes of noise"));
            assert!(len < 1 << 20 || places > 1000, "{places} places");
        }
        let coded = stream();
        for shift in 0..8 {
            let places = compare(&shifted(&coded, shift), &format!("a stream, {shift} bits later"));
            assert!(places > 100, "{places} places");
        }
        compare(&[0; 10_000], "zeros");
        compare(&[0xff; 10_000], "ones");
        // Every byte value, repeated: all candidates of a step, or none.
        (0..=u8::MAX).for_each(|byte| {
            compare(&[byte; 1000], &format!("bytes {byte}"));
        });
    }
}
