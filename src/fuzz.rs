//! What fuzz/ needs of what is not public. It is no part of the API, and may change at any time.

use crate::inflate::Inflate;
use crate::inflate::compare::{compare_steps, is_as_alone};

/// Asserts that we make of a DEFLATE stream what zlib makes of it, also when the input comes in steps and the
/// output goes into pieces of these lengths, which must not be 0.
pub fn inflate(coded: &[u8], step: usize, piece_len: usize) {
    compare_steps(&mut Inflate::new(), coded, step, piece_len);
}

/// Asserts that two DEFLATE streams decoded at once, in steps and pieces likewise, come to what they come to
/// alone.
pub fn inflate_pair(streams: [&[u8]; 2], steps: [usize; 2], pieces: [usize; 2]) {
    is_as_alone(streams, steps, pieces, "two streams at once");
}
