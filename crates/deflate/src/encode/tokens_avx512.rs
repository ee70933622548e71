//! The writer of tokens for processors with AVX-512, which [`is_there`] finds.
//!
//! `block.rs` calls [`write`]. The output is that of `BlockWriter::write_one_by_one`. Here 16 tokens are looked up
//! together. The codes of two neighbours become one word of 64 bits, and the eight words are put where they belong
//! with one scatter:
//!
//! ```text
//! word 0   ┃▓▓▓▓▓▓▓▓┃▓▓▓▓▓▓▓▓┃▓▓▓     ┃
//! word 1                     ┃▓▓▓░░░░░┃░░░░░░░░┃░░      ┃      ▓ is the end of word 0, which word 1 repeats
//! ```

use std::arch::x86_64::{
    __m512i, _mm_cvtsi128_si64, _mm512_add_epi64, _mm512_alignr_epi64, _mm512_and_si512,
    _mm512_castsi512_si128, _mm512_cmpeq_epi64_mask, _mm512_cmpgt_epi64_mask, _mm512_i32gather_epi32,
    _mm512_i64scatter_epi64, _mm512_loadu_si512, _mm512_or_si512, _mm512_permutexvar_epi64,
    _mm512_set1_epi32, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_slli_epi64, _mm512_sllv_epi32,
    _mm512_sllv_epi64, _mm512_srli_epi32, _mm512_srli_epi64, _mm512_srlv_epi64, _mm512_sub_epi64,
};

use super::bits::{BitWriter, State};
use super::block::{CODE_SHIFT, COUNT_SHIFT};
use super::tokens::{HALVES, Token};

/// How many tokens are written together.
pub(super) const GROUP: usize = 16;
/// A word has room for this many bits behind those that share its first byte.
const WORD_MAX: i64 = 57;
/// A group takes at most so many bytes, with what is written behind its bits.
const GROUP_BYTES: usize = 8 * 8;

// In front of a word are bits of its first byte. The last of eight words begins behind seven of the longest.
const _: () = assert!(WORD_MAX + 7 <= 64 && 7 * WORD_MAX as usize + 7 + 64 <= 8 * GROUP_BYTES);

/// Whether this processor has what the writer needs.
pub(super) fn is_there() -> bool {
    is_x86_feature_detected!("avx512f")
}

/// Writes groups of tokens, up to the first with a word that is too long or ends in the byte in which it begins.
/// Returns the tokens that are left.
pub(super) fn write<'a>(
    tables: [&[u32; HALVES]; 2],
    bits: &mut BitWriter,
    tokens: &'a [Token],
) -> &'a [Token] {
    let state = bits.state();
    assert!(is_there() && state.2 < 8, "only bits of a byte that is not whole are open");
    // SAFETY: the processor has all that the function uses.
    let (done, state) = unsafe { write_groups(tables, bits.memory(), state, tokens) };
    bits.resume(state);
    &tokens[done..]
}

#[target_feature(enable = "avx512f")]
fn write_groups(
    [first, second]: [&[u32; HALVES]; 2],
    out: &mut [u8],
    (mut at, bits, count): State,
    tokens: &[Token],
) -> (usize, State) {
    let zero = _mm512_setzero_si512();
    let seven = _mm512_set1_epi64(7);
    // Bits of the last word that are not whole bytes, in the last lane, and how many there are, in all lanes.
    let mut open = _mm512_set1_epi64(bits as i64);
    let mut open_count = _mm512_set1_epi64(i64::from(count));
    let mut done = 0;
    for group in tokens.as_chunks::<GROUP>().0 {
        let (words, counts) = codes(first, second, group);
        // Sums of the lanes up to each.
        let mut sums = _mm512_add_epi64(counts, _mm512_alignr_epi64::<7>(counts, zero));
        sums = _mm512_add_epi64(sums, _mm512_alignr_epi64::<6>(sums, zero));
        sums = _mm512_add_epi64(sums, _mm512_alignr_epi64::<4>(sums, zero));
        let ends = _mm512_add_epi64(sums, open_count);
        let starts = _mm512_sub_epi64(ends, counts);
        let (start_bytes, end_bytes) = (_mm512_srli_epi64::<3>(starts), _mm512_srli_epi64::<3>(ends));
        let too_long = _mm512_cmpgt_epi64_mask(counts, _mm512_set1_epi64(WORD_MAX));
        let too_short = _mm512_cmpeq_epi64_mask(start_bytes, end_bytes);
        if (too_long | too_short) != 0 || out.len().saturating_sub(at) < GROUP_BYTES {
            break;
        }
        let words = _mm512_sllv_epi64(words, _mm512_and_si512(starts, seven));
        let whole = _mm512_slli_epi64::<3>(_mm512_sub_epi64(end_bytes, start_bytes));
        // The bits of each word that lie in the byte in which the next word begins. A shift by 64 gives zero.
        let tails = _mm512_srlv_epi64(words, whole);
        let words = _mm512_or_si512(words, _mm512_alignr_epi64::<7>(tails, open));
        // SAFETY: the first word begins at `at`, and the last at most 7 × 57 + 7 bits later, of which fewer than eight
        // bits were open. Eight bytes from there on are in the slice, because `GROUP_BYTES` are. Words that overlap are
        // written in their order.
        unsafe { _mm512_i64scatter_epi64::<1>(out.as_mut_ptr().add(at).cast(), start_bytes, words) };
        open = tails;
        let all = _mm512_permutexvar_epi64(seven, ends);
        open_count = _mm512_and_si512(all, seven);
        at += (lowest(all) >> 3) as usize;
        done += GROUP;
    }
    let bits = lowest(_mm512_permutexvar_epi64(seven, open)) as u64;
    (done, (at, bits, lowest(open_count) as u32))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn lowest(lanes: __m512i) -> i64 {
    _mm_cvtsi128_si64(_mm512_castsi512_si128(lanes))
}

/// The bits of two tokens in each lane of 64 bits, and how many they are.
#[inline]
#[target_feature(enable = "avx512f")]
fn codes(first: &[u32; HALVES], second: &[u32; HALVES], group: &[Token; GROUP]) -> (__m512i, __m512i) {
    let half = _mm512_set1_epi32(HALVES as i32 - 1);
    let low_24 = _mm512_set1_epi32((1 << COUNT_SHIFT) - 1);
    // SAFETY: 16 tokens have 64 bytes. Each index is less than `HALVES`.
    let (tokens, first, second) = unsafe {
        let tokens = _mm512_loadu_si512(group.as_ptr().cast());
        let places = [tokens, _mm512_srli_epi32::<{ Token::HALF_BITS }>(tokens)];
        let [first_places, second_places] = places.map(|place| _mm512_and_si512(place, half));
        let first = _mm512_i32gather_epi32::<4>(first_places, first.as_ptr().cast());
        (tokens, first, _mm512_i32gather_epi32::<4>(second_places, second.as_ptr().cast()))
    };
    let first_count = _mm512_srli_epi32::<COUNT_SHIFT>(first);
    let low = _mm512_and_si512(first, low_24);
    let extra = _mm512_srli_epi32::<{ 2 * Token::HALF_BITS }>(tokens);
    let extra_shift = _mm512_and_si512(_mm512_srli_epi32::<CODE_SHIFT>(second), _mm512_set1_epi32(15));
    let code = _mm512_and_si512(second, _mm512_set1_epi32((1 << CODE_SHIFT) - 1));
    let high = _mm512_or_si512(code, _mm512_sllv_epi32(extra, extra_shift));
    let second_count = _mm512_srli_epi32::<COUNT_SHIFT>(second);
    // Now the two tokens of each lane.
    let even = _mm512_set1_epi64(0xffff_ffff);
    let both = |lanes| (_mm512_and_si512(lanes, even), _mm512_srli_epi64::<32>(lanes));
    let ((low, next_low), (high, next_high)) = (both(low), both(high));
    let ((first_count, next_first), (second_count, next_second)) = (both(first_count), both(second_count));
    let count = _mm512_add_epi64(first_count, second_count);
    let word = _mm512_or_si512(low, _mm512_sllv_epi64(high, first_count));
    let next = _mm512_or_si512(next_low, _mm512_sllv_epi64(next_high, next_first));
    let next_count = _mm512_add_epi64(next_first, next_second);
    (_mm512_or_si512(word, _mm512_sllv_epi64(next, count)), _mm512_add_epi64(count, next_count))
}
