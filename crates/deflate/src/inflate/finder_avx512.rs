//! The search of the block finder for processors with AVX-512, which [`is_there`] finds.
//!
//! `block_finder.rs` calls [`first`]. It examines 256 places together, and the precodes of eight candidates at a time.
//! The search in `block_finder.rs`, which every processor can do, says what is right.

use std::arch::x86_64::{
    __m256i, __m512i, _mm256_loadu_si256, _mm256_shrdi_epi64, _mm256_storeu_si256, _mm256_ternarylogic_epi64,
    _mm512_add_epi8, _mm512_adds_epu8, _mm512_and_si512, _mm512_avg_epu8, _mm512_cmpeq_epi64_mask,
    _mm512_loadu_si512, _mm512_maskz_compress_epi8, _mm512_multishift_epi64_epi8, _mm512_permutex2var_epi64,
    _mm512_permutexvar_epi8, _mm512_sad_epu8, _mm512_set1_epi8, _mm512_set1_epi64, _mm512_setzero_si512,
    _mm512_shrdi_epi64, _mm512_shuffle_epi8, _mm512_srli_epi16, _mm512_srlv_epi64, _mm512_storeu_si512,
};

use super::block_finder::COMPLETE;

/// How many places are examined together: as many as a byte can number.
const STEP: usize = 256;

/// The bytes that hold the first bits of a header at each of these places: 17 bits and 19 lengths. The loads end here.
const BLOCK_LEN: usize = 1 + 8 + 64;

/// Whether this processor has what the search needs.
pub(super) fn is_there() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("popcnt")
}

/// As [`super::block_finder::first`]. At least [`BLOCK_LEN`] bytes follow the places before `end`.
pub(super) fn first(coded: &[u8], end: usize, is_header: impl FnMut(usize) -> bool) -> Option<usize> {
    assert!(is_there());
    // SAFETY: the processor has all that the function uses.
    unsafe { first_of_steps(coded, end, is_header) }
}

/// The sums of 2^(7 - length) for two lengths of three bits. No sum is greater than [`COMPLETE`].
static TWO_LENS: [u8; 64] = {
    let mut sums = [0; 64];
    let mut lens = 0;
    while lens < sums.len() {
        sums[lens] = (weight(lens & 7) + weight(lens >> 3)) as u8;
        lens += 1;
    }
    sums
};

/// For each HCLEN, the bits of the HCLEN + 4 lengths.
static LENS_MASKS: [u64; 16] = {
    let mut masks = [0; 16];
    let mut count = 0;
    while count < masks.len() {
        masks[count] = (1 << (3 * (count + 4))) - 1;
        count += 1;
    }
    masks
};

/// The numbers of 64 places.
static PLACES: [u8; 64] = {
    let mut places = [0; 64];
    let mut place = 0;
    while place < places.len() {
        places[place] = place as u8;
        place += 1;
    }
    places
};

const fn weight(len: usize) -> u32 {
    if len == 0 { 0 } else { COMPLETE >> len }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn first_of_steps(coded: &[u8], end: usize, mut is_header: impl FnMut(usize) -> bool) -> Option<usize> {
    let precodes = Precodes::new();
    let mut places = [0; STEP + 64];
    let steps = coded.windows(BLOCK_LEN).step_by(STEP / 8);
    for (bytes, start) in steps.zip((0..end).step_by(STEP)) {
        let bytes = bytes.first_chunk()?;
        let count = numbers(candidates(bytes), &mut places);
        let lens = Lens::of(bytes);
        for from in (0..count).step_by(8) {
            let eight = &places[from..from + 8];
            let mut complete = precodes.complete(&lens, eight.first_chunk()?) & low_bits(count - from);
            while complete != 0 {
                let place = start + usize::from(eight[complete.trailing_zeros() as usize]);
                complete &= complete - 1;
                if place < end && is_header(place) {
                    return Some(place);
                }
            }
        }
    }
    None
}

/// Which of the 256 places may begin a dynamic block that is not the last: its type decides, and that HLIT and HDIST
/// are below 30.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512vbmi2")]
fn candidates(bytes: &[u8; BLOCK_LEN]) -> [u64; STEP / 64] {
    let (words, next) = (load_32(bytes, 0), load_32(bytes, 8));
    // Each lane of 64 bits from its bit `N` on.
    macro_rules! from {
        ($bit:literal) => {
            _mm256_shrdi_epi64::<$bit>(words, next)
        };
    }
    // The numbers of `_mm256_ternarylogic_epi64` are truth tables: 0x80 is the conjunction of three.
    let block = _mm256_ternarylogic_epi64::<0x02>(words, from!(1), from!(2));
    let litlen = _mm256_ternarylogic_epi64::<0x80>(from!(4), from!(5), from!(6));
    let distance = _mm256_ternarylogic_epi64::<0x80>(from!(9), from!(10), from!(11));
    let block = _mm256_ternarylogic_epi64::<0x70>(block, litlen, from!(7));
    let block = _mm256_ternarylogic_epi64::<0x70>(block, distance, from!(12));
    let mut places = [0; STEP / 64];
    // SAFETY: the array has 32 bytes.
    unsafe { _mm256_storeu_si256(places.as_mut_ptr().cast(), block) };
    places
}

/// Writes the numbers of the ones, in ascending order. Returns how many there are.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
fn numbers(ones: [u64; STEP / 64], numbers: &mut [u8; STEP + 64]) -> usize {
    let mut count = 0;
    // SAFETY: the array has 64 bytes.
    let mut all = unsafe { _mm512_loadu_si512(PLACES.as_ptr().cast()) };
    for ones in ones {
        let place = &mut numbers[count..count + 64];
        // SAFETY: the slice has 64 bytes.
        unsafe { _mm512_storeu_si512(place.as_mut_ptr().cast(), _mm512_maskz_compress_epi8(ones, all)) };
        count += ones.count_ones() as usize;
        all = _mm512_add_epi8(all, _mm512_set1_epi8(64));
    }
    count
}

/// The bytes in which the code lengths of all candidates are, and those in which their numbers are, four bits further
/// on.
struct Lens {
    lens: __m512i,
    counts: __m512i,
}

impl Lens {
    #[inline]
    #[target_feature(enable = "avx512f,avx512vbmi2")]
    fn of(bytes: &[u8; BLOCK_LEN]) -> Self {
        let counts = _mm512_shrdi_epi64::<4>(load_64(bytes, 1), load_64(bytes, 9));
        Self { lens: load_64(bytes, 2), counts }
    }
}

/// What the examination of precodes needs in registers.
struct Precodes {
    spread: __m512i,
    ascending: __m512i,
    first_pairs: __m512i,
    last_pairs: __m512i,
    masks: [__m512i; 2],
    sums: __m512i,
}

impl Precodes {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn new() -> Self {
        let bytes = |bytes: [u8; 8]| _mm512_set1_epi64(i64::from_le_bytes(bytes));
        let spread: [u64; 8] = std::array::from_fn(|at| 0x0101_0101_0101_0101 * at as u64);
        // SAFETY: both arrays have 64 bytes, and the two halves of the masks too.
        let (spread, sums, masks) = unsafe {
            let low = _mm512_loadu_si512(LENS_MASKS.as_ptr().cast());
            let high = _mm512_loadu_si512(LENS_MASKS[8..].as_ptr().cast());
            (
                _mm512_loadu_si512(spread.as_ptr().cast()),
                _mm512_loadu_si512(TWO_LENS.as_ptr().cast()),
                [low, high],
            )
        };
        Self {
            spread,
            ascending: bytes([0, 1, 2, 3, 4, 5, 6, 7]),
            first_pairs: bytes([0, 6, 12, 18, 24, 30, 36, 42]),
            // The bits from 57 on are zeros.
            last_pairs: bytes([48, 54, 58, 58, 58, 58, 58, 58]),
            masks,
            sums,
        }
    }

    /// Which of the eight candidates have a complete code of code lengths.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn complete(&self, all: &Lens, places: &[u8; 8]) -> u8 {
        // Each of the eight lanes has the number of its place in each byte.
        let place = _mm512_shuffle_epi8(_mm512_set1_epi64(i64::from_le_bytes(*places)), self.spread);
        // The lengths begin 17 bits behind the place, which is one bit behind it in the bytes from the third one on.
        // The place and 1 may not fit into a byte, but the rounded mean of the place and 0 is half of that sum. A
        // lookup takes the lowest six bits of an index.
        let half = _mm512_avg_epu8(place, _mm512_setzero_si512());
        let index = _mm512_add_epi8(_mm512_srli_epi16::<2>(half), self.ascending);
        let shift = _mm512_and_si512(_mm512_add_epi8(place, _mm512_set1_epi64(1)), _mm512_set1_epi64(7));
        let lens = _mm512_srlv_epi64(_mm512_permutexvar_epi8(index, all.lens), shift);
        // This lookup takes the lowest four bits of an index, which are HCLEN.
        let count = _mm512_srlv_epi64(_mm512_permutexvar_epi8(index, all.counts), shift);
        let lens = _mm512_and_si512(lens, _mm512_permutex2var_epi64(self.masks[0], count, self.masks[1]));
        let first = _mm512_permutexvar_epi8(_mm512_multishift_epi64_epi8(self.first_pairs, lens), self.sums);
        let last = _mm512_permutexvar_epi8(_mm512_multishift_epi64_epi8(self.last_pairs, lens), self.sums);
        // A sum that does not fit becomes 255, which is too much too.
        let sum = _mm512_sad_epu8(_mm512_adds_epu8(first, last), _mm512_setzero_si512());
        _mm512_cmpeq_epi64_mask(sum, _mm512_set1_epi64(COMPLETE.into()))
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_32(bytes: &[u8; BLOCK_LEN], at: usize) -> __m256i {
    let bytes = &bytes[at..at + 32];
    // SAFETY: the slice has 32 bytes.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_64(bytes: &[u8; BLOCK_LEN], at: usize) -> __m512i {
    let bytes = &bytes[at..at + 64];
    // SAFETY: the slice has 64 bytes.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// A mask of the lowest `count` bits, or of all eight.
fn low_bits(count: usize) -> u8 {
    if count < 8 { (1 << count) - 1 } else { u8::MAX }
}
