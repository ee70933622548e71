//! Any bytes as a DEFLATE stream: the verdict and the bytes of zlib, in steps of any length, and beside another stream.
//!
//! The input has four bytes and a stream. The bytes say how long the steps and the pieces are, where the second stream
//! begins, and how both are decoded.

#![cfg_attr(fuzzing, no_main)]

#[path = "../../crates/deflate/tests/compare/mod.rs"]
mod compare;

use compare::{assert_as_alone, compare_steps};
use libfuzzer_sys::fuzz_target;
use pzcomp_deflate::inflate::Inflate;

/// A length. Short and long lengths are equally likely.
fn length(byte: u8) -> usize {
    match byte {
        0xff => 1 << 20,
        byte => usize::from(byte % 16 + 1) << (byte / 16),
    }
}

/// Asserts that two streams decoded at once have the same outcome as each alone.
fn pair(streams: [&[u8]; 2], steps: [usize; 2], pieces: [usize; 2]) {
    assert_as_alone(streams, steps, pieces, "two streams at once");
}

fuzz_target!(|data: &[u8]| {
    let Some((&[step, piece, split, how], coded)) = data.split_first_chunk() else { return };
    // The output is up to a thousand times as long as the input. Very short pieces would take too long.
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
