//! Whether two workers gain by sharing a member.

use pzcomp_deflate::inflate::{Boundary, Inflate, Marked, Output, Progress, continue_with_markers};

use crate::error::Result;
use crate::format::Cursor;

/// What was found when a member was tried holds for so much of it.
pub(super) const TRIED_LEN: u64 = 1 << 20;

/// So much is tried.
const TRIAL_LEN: usize = 16 << 10;

/// What becomes more than so many times as long counts as that: no run of zeros is to be remembered for long.
const RATIO_MAX: usize = 4;

/// Two workers begin to share what becomes less than so many times as long, and go on up to the greater: where they
/// change often, one of them waits.
pub(crate) const RATIOS: [f32; 2] = [2.6, 2.8];

/// This is supposed in the beginning. What was before counts for [`BEFORE`] times what is found now, as the rows of a
/// table differ from those of the next, and pages from each other.
const SUPPOSED: f32 = 2.75;
const BEFORE: f32 = 7.0;

/// A decoder of a little from a block on.
pub(super) struct Density {
    stream: Inflate,
    marked: Inflate<Marked>,
    symbols: Vec<Marked>,
    /// How many times as long what was tried becomes, whether that is little, and up to which offset it holds.
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
    /// Begins a member: nothing is known of it.
    pub(super) fn forget(&mut self) {
        (self.ratio, self.is_dense, self.until) = (SUPPOSED, false, 0);
    }

    /// Whether the data is dense here, where a block begins. What was found before holds for [`TRIED_LEN`] bytes.
    pub(super) fn is_dense(&mut self, cursor: &mut dyn Cursor, boundary: Boundary) -> Result<bool> {
        if self.until <= cursor.offset() {
            self.until = cursor.offset() + TRIED_LEN;
            self.decode(cursor.peek(TRIAL_LEN)?, boundary);
        }
        Ok(self.is_dense)
    }

    /// Decodes a little of what begins here.
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
