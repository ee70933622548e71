//! Any bytes as a DEFLATE stream: zlib's verdict and bytes, in any steps, and beside another stream.
//!
//! Input: the length of steps, of pieces, where the second stream begins, how both are decoded, and the stream.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pzcomp::fuzz::{inflate, inflate_pair};

/// A length with as many short ones as long ones.
fn length(byte: u8) -> usize {
    match byte {
        0xff => 1 << 20,
        byte => usize::from(byte % 16 + 1) << (byte / 16),
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&[step, piece, split, how], coded)) = data.split_first_chunk() else { return };
    // Output is up to a thousand times as long as input: pieces are not so short then that it takes for ever.
    let (step, piece_len) = (length(step), length(piece).max(coded.len() / 64));
    let (first, second) = coded.split_at(coded.len() * usize::from(split) / 256);
    match how % 4 {
        0 => inflate(coded, step, piece_len),
        // With room, where the loop for two runs, and in pieces.
        1 => inflate_pair([coded, second], [usize::MAX; 2], [64 << 10; 2]),
        2 => inflate_pair([second, coded], [step, usize::MAX], [piece_len, 3333]),
        _ => inflate_pair([first, second], [usize::MAX, step], [40_000, piece_len]),
    }
});
