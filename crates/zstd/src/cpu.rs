//! Which instructions the processor has.

/// Whether the loops that are compiled for BMI2 and AVX2 may run.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_bmi2() -> bool {
    // The macro asks the processor once and remembers the answer.
    is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("avx2")
}
