//! Any bytes as a DEFLATE stream: zlib's verdict and bytes, in any steps, and beside another stream.
//!
//! Input: the length of steps, of pieces, where the second stream begins, how both are decoded, and the stream.

#![no_main]

#[path = "../../crates/deflate/tests/compare/mod.rs"]
mod compare;

use compare::{assert_as_alone, compare_steps};
use libfuzzer_sys::fuzz_target;
use pzcomp_deflate::inflate::Inflate;

/// A length with as many short ones as long ones.
fn length(byte: u8) -> usize {
    match byte {
        0xff => 1 << 20,
        byte => usize::from(byte % 16 + 1) << (byte / 16),
    }
}

/// Asserts that two streams decoded at once come to the same as each alone.
fn pair(streams: [&[u8]; 2], steps: [usize; 2], pieces: [usize; 2]) {
    assert_as_alone(streams, steps, pieces, "two streams at once");
}

fuzz_target!(|data: &[u8]| {
    let Some((&[step, piece, split, how], coded)) = data.split_first_chunk() else { return };
    // Output is up to a thousand times as long as input: pieces are not so short then that it takes for ever.
    let (step, piece_len) = (length(step), length(piece).max(coded.len() / 64));
    let (first, second) = coded.split_at(coded.len() * usize::from(split) / 256);
    match how % 4 {
        0 => compare_steps(&mut Inflate::new(), coded, step, piece_len),
        // With room, where the loop for two streams runs, and in pieces.
        1 => pair([coded, second], [usize::MAX; 2], [64 << 10; 2]),
        2 => pair([second, coded], [step, usize::MAX], [piece_len, 3333]),
        _ => pair([first, second], [usize::MAX, step], [40_000, piece_len]),
    }
});
