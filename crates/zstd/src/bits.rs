//! Reading bits, safely and at any position. The fast loops have their own readers; these serve the few bits at the
//! ends.
//!
//! A bit position counts from the least significant bit of the first byte of a block. Streams of zstd are written
//! forwards and read backwards: a reader begins at the final 1 bit of its last byte and comes down to the stream's
//! start.

/// Up to 56 bits, from bit `at` upwards. Bits behind the end of `bytes` are zeros.
pub(crate) fn bits_at(bytes: &[u8], at: usize, count: u32) -> u64 {
    debug_assert!(count <= 56);
    let from = at / 8;
    let word = match bytes.get(from..from + 8) {
        Some(eight) => u64::from_le_bytes(eight.try_into().unwrap_or_default()),
        None => {
            let rest = bytes.get(from..).unwrap_or_default();
            rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
        }
    };
    word >> (at % 8) & ((1 << count) - 1)
}

/// The position of the final 1 bit of the stream that ends with `bytes`: where its reader begins. None if the last
/// byte is zero or there is none.
pub(crate) fn stream_top(bytes: &[u8]) -> Option<usize> {
    let last = *bytes.last()?;
    (last != 0).then(|| bytes.len() * 8 - 1 - last.leading_zeros() as usize)
}

/// The `count` bits below bit `at`, of a stream whose first bit is `start`. Bits before the start are zeros, so a code
/// that ends at the start can be looked up in a table that is wider than the code.
pub(crate) fn bits_below(bytes: &[u8], start: usize, at: usize, count: u32) -> u64 {
    let there = at.saturating_sub(start);
    if there >= count as usize {
        bits_at(bytes, at - count as usize, count)
    } else {
        bits_at(bytes, start, there as u32) << (count as usize - there)
    }
}
