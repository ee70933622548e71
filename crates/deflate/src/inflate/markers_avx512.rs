//! The replacement of markers for processors with AVX-512, which [`is_there`] finds.
//!
//! `markers.rs` calls [`resolve`]. The output is that of its loop without AVX-512. Here the low bytes of all symbols
//! are packed, which is right for literals. The markers among them are moved together, looked up 16 at a time, and put
//! where they belong. So a literal takes little time.

use std::arch::x86_64::{
    __m512i, _MM_HINT_T0, _mm_prefetch, _mm_storeu_si128, _mm256_loadu_si256, _mm512_cvtepi32_epi8,
    _mm512_cvtepu16_epi32, _mm512_i32gather_epi32, _mm512_loadu_si512, _mm512_mask_expand_epi8,
    _mm512_maskz_compress_epi16, _mm512_packus_epi16, _mm512_permutexvar_epi64, _mm512_set1_epi16,
    _mm512_setr_epi64, _mm512_storeu_si512, _mm512_test_epi16_mask,
};

use super::markers::{FIRST, Marked, Table};

/// How many symbols are replaced together.
const STEP: usize = 512;

/// How many symbols are in a register, and how many bytes.
const SYMBOLS: usize = 32;
const BYTES: usize = 64;

/// How many markers are looked up together.
const LOOKUPS: usize = 16;

/// So many symbols ahead are fetched from memory. Those of a long part are not in the nearer caches any more.
const AHEAD: usize = 2048;

/// Whether this processor has what the replacement needs.
pub(super) fn is_there() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("popcnt")
}

/// Writes the bytes of the symbols, in whole steps of [`STEP`]. The bytes are as many as the symbols. Returns for how
/// many symbols that was done.
pub(super) fn resolve(table: &Table, symbols: &[Marked], bytes: &mut [u8]) -> usize {
    assert!(is_there());
    // SAFETY: the processor has all that the function uses.
    unsafe { resolve_steps(table, symbols, bytes) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
fn resolve_steps(table: &Table, symbols: &[Marked], bytes: &mut [u8]) -> usize {
    let mut markers = [Marked::default(); STEP + SYMBOLS];
    let mut found = [0; STEP + BYTES];
    let mut done = 0;
    for (symbols, bytes) in symbols.as_chunks::<STEP>().0.iter().zip(bytes.as_chunks_mut::<STEP>().0) {
        let (places, count) = pack(symbols, bytes, &mut markers);
        if count > 0 {
            look_up(table, &markers, count, &mut found);
            put_in(&found, places, bytes);
        }
        done += STEP;
    }
    done
}

/// Writes the low bytes of all symbols, and the markers without gaps. Returns where the markers were, and how many.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
fn pack(
    symbols: &[Marked; STEP],
    bytes: &mut [u8; STEP],
    markers: &mut [Marked; STEP + SYMBOLS],
) -> ([u64; STEP / BYTES], usize) {
    let high = _mm512_set1_epi16(!(FIRST as i16 - 1));
    // A pack takes eight bytes of each register in turns.
    let order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    let (mut places, mut count) = ([0; STEP / BYTES], 0);
    let parts = symbols.as_chunks::<BYTES>().0.iter().zip(bytes.as_chunks_mut::<BYTES>().0);
    for ((symbols, bytes), place) in parts.zip(&mut places) {
        for line in [AHEAD, AHEAD + SYMBOLS] {
            _mm_prefetch::<_MM_HINT_T0>(symbols.as_ptr().wrapping_add(line).cast());
        }
        let (low, last) = (load(&symbols[..SYMBOLS]), load(&symbols[SYMBOLS..]));
        let packed = _mm512_permutexvar_epi64(order, _mm512_packus_epi16(low, last));
        // SAFETY: the array has 64 bytes.
        unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), packed) };
        for (half, symbols) in [low, last].into_iter().enumerate() {
            let are_markers = _mm512_test_epi16_mask(symbols, high);
            let room = &mut markers[count..count + SYMBOLS];
            // SAFETY: 32 symbols have 64 bytes.
            unsafe {
                _mm512_storeu_si512(
                    room.as_mut_ptr().cast(),
                    _mm512_maskz_compress_epi16(are_markers, symbols),
                );
            }
            count += are_markers.count_ones() as usize;
            *place |= u64::from(are_markers) << (SYMBOLS * half);
        }
    }
    (places, count)
}

/// Looks up the bytes of the first `count` markers, and of some behind them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn look_up(table: &Table, markers: &[Marked; STEP + SYMBOLS], count: usize, found: &mut [u8; STEP + BYTES]) {
    let groups = markers.as_chunks::<LOOKUPS>().0.iter().zip(found.as_chunks_mut::<LOOKUPS>().0);
    for (markers, found) in groups.take(count.div_ceil(LOOKUPS)) {
        // SAFETY: 16 symbols have 32 bytes, and the array has 16 bytes. A lookup reads four bytes from the place of a
        // symbol on. The table has an entry for every symbol, and three bytes more.
        unsafe {
            let markers = _mm512_cvtepu16_epi32(_mm256_loadu_si256(markers.as_ptr().cast()));
            let bytes = _mm512_i32gather_epi32::<1>(markers, table.as_ptr().cast());
            _mm_storeu_si128(found.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(bytes));
        }
    }
}

/// Puts the bytes in the places of the markers.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi2,popcnt")]
fn put_in(found: &[u8; STEP + BYTES], places: [u64; STEP / BYTES], bytes: &mut [u8; STEP]) {
    let mut at = 0;
    for (places, bytes) in places.into_iter().zip(bytes.as_chunks_mut::<BYTES>().0) {
        let next = &found[at..at + BYTES];
        // SAFETY: the slice and the array have 64 bytes.
        unsafe {
            let literals = _mm512_loadu_si512(bytes.as_ptr().cast());
            let all = _mm512_mask_expand_epi8(literals, places, _mm512_loadu_si512(next.as_ptr().cast()));
            _mm512_storeu_si512(bytes.as_mut_ptr().cast(), all);
        }
        at += places.count_ones() as usize;
    }
}

/// The first 32 symbols.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(symbols: &[Marked]) -> __m512i {
    let symbols = &symbols[..SYMBOLS];
    // SAFETY: 32 symbols have 64 bytes.
    unsafe { _mm512_loadu_si512(symbols.as_ptr().cast()) }
}
