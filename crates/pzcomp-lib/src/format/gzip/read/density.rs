//! Whether two workers gain by sharing a member: only if its data is dense.
//!
//! To replace markers takes time for each byte of output. To decode coded bytes is the work that two workers share.
//! So two workers gain if the output is not much longer than the input, and lose if it is. [`Density`] decodes a
//! little of every MiB on trial, and keeps a running average of the ratio. `block_cuts.rs` calls it.
//!
//! The answer depends on the bytes of the member only.

use pzcomp_deflate::inflate::{Boundary, Inflate, Marked, Output, Progress, continue_with_markers};

use crate::error::Result;
use crate::format::Cursor;

/// The result of a trial holds for this many bytes.
pub(super) const TRIED_LEN: u64 = 1 << 20;

/// How many bytes are decoded in a trial.
const TRIAL_LEN: usize = 16 << 10;

/// A greater ratio counts as this ratio, so that a run of zeros is not remembered for long.
const RATIO_MAX: usize = 6;

/// Two workers begin to share a member below the first ratio, and stop above the second. To change often is slower
/// than either, because one worker waits while the other decodes a long part alone.
pub(super) const RATIOS: [f32; 2] = [4.6, 5.0];

/// The ratio at the start of a member, which the first trial moves to one side of the first limit, and how many times
/// the average so far counts in comparison with a new trial. The average is slow because the rows of one table differ
/// from those of the next, and pages from each other.
const SUPPOSED: f32 = 4.5;
const BEFORE: f32 = 7.0;

/// Decodes the start of blocks on trial, and averages the ratio of output to input.
pub(super) struct Density {
    stream: Inflate,
    marked: Inflate<Marked>,
    symbols: Vec<Marked>,
    /// The average ratio, whether that is dense, and the offset up to which the last trial holds.
    ratio: f32,
    is_dense: bool,
    until: u64,
}

impl Default for Density {
    fn default() -> Self {
        let symbols = vec![Marked::default(); RATIO_MAX * TRIAL_LEN];
        Self {
            stream: Inflate::new(),
            marked: Inflate::new(),
            symbols,
            ratio: SUPPOSED,
            is_dense: false,
            until: 0,
        }
    }
}

impl Density {
    /// Forgets everything, because a member begins.
    pub(super) fn forget(&mut self) {
        (self.ratio, self.is_dense, self.until) = (SUPPOSED, false, 0);
    }

    /// Whether the data is dense here, where a block begins. The result of a trial holds for [`TRIED_LEN`] bytes.
    pub(super) fn is_dense(&mut self, cursor: &mut dyn Cursor, boundary: Boundary) -> Result<bool> {
        if self.until <= cursor.offset() {
            self.until = cursor.offset() + TRIED_LEN;
            self.decode(cursor.glance(TRIAL_LEN)?, boundary);
        }
        Ok(self.is_dense)
    }

    /// Decodes the first bytes of the block that begins here.
    fn decode(&mut self, coded: &[u8], boundary: Boundary) {
        let coded = &coded[..coded.len().min(TRIAL_LEN)];
        self.stream.reset_inside(boundary);
        continue_with_markers(&mut self.marked, &mut self.stream);
        let mut output = Output::new(&mut self.symbols, 0);
        let Ok(Progress { read, .. }) = self.marked.run(coded, &mut output) else { return };
        let found = (output.filled() as f32 / read.max(1) as f32).min(RATIO_MAX as f32);
        self.ratio = (BEFORE * self.ratio + found) / (BEFORE + 1.0);
        self.is_dense = self.ratio < RATIOS[usize::from(self.is_dense)];
    }
}

#[cfg(test)]
mod tests {
    use flate2::{Compress, Compression, FlushCompress};

    use super::*;

    fn deflated(data: &[u8]) -> Vec<u8> {
        let mut coded = Vec::with_capacity(data.len() + 1000);
        let mut encoder = Compress::new(Compression::new(6), false);
        encoder.compress_vec(data, &mut coded, FlushCompress::Finish).unwrap();
        coded
    }

    #[test]
    fn what_is_remembered_of_zeros_and_damage_is_soon_forgotten() {
        let next = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        let dense: Vec<u8> =
            std::iter::successors(Some(1_u32), next).map(|state| (state >> 27) as u8).take(1 << 16).collect();
        let (zeros, dense) = (deflated(&vec![0; 1 << 20]), deflated(&dense));
        let start = Boundary::WHOLE_BYTE;
        let mut density = Density::default();
        (0..2).for_each(|_| density.decode(&dense, start));
        let before = density.ratio;
        assert!(density.is_dense, "{before}");
        density.decode(&[0xff; 100], start);
        assert_eq!(density.ratio, before, "no block begins so");
        for _ in 0..20 {
            density.decode(&zeros, start);
        }
        assert!(!density.is_dense);
        let count = (0..20)
            .take_while(|_| {
                density.decode(&dense, start);
                !density.is_dense
            })
            .count();
        assert!(count < 8, "{count}");
    }
}
