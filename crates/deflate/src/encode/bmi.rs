//! The encoder compiled twice: for all processors, and for x86-64 processors with BMI2.
//!
//! With BMI2 a shift by a variable takes one instruction instead of three, which makes the encoder faster.
//! `Encoder::encode` calls [`encode`], which chooses. Both versions have the same source and the same output.

use super::{Encoder, End};

pub(super) fn encode(encoder: &mut Encoder, chunk: &[u8], coded: &mut [u8], end: End) -> Option<usize> {
    #[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
    if chunk.len() > super::SHORT
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
    {
        // SAFETY: the processor has the three features that the function needs.
        return unsafe { encode_bmi(encoder, chunk, coded, end) };
    }
    encoder.encode_anywhere(chunk, coded, end)
}

#[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
#[target_feature(enable = "bmi1,bmi2,lzcnt")]
fn encode_bmi(encoder: &mut Encoder, chunk: &[u8], coded: &mut [u8], end: End) -> Option<usize> {
    encoder.encode_anywhere(chunk, coded, end)
}
