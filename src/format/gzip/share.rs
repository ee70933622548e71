//! Where a member is cut of which no part stands alone: where blocks begin.
//!
//! Each part then has to be decoded without knowing what is before ([`super::lane`]). What that costs depends on
//! how much comes of each coded byte: markers are replaced in the output, but it is the coded data whose decoding
//! is shared. Two workers gain by it where data is dense, and lose where it is not, so a member is tried now and then.

use pzcomp_deflate::inflate::{
    BlockFinder, Boundary, HEADER_MAX, Inflate, Marked, Output, Progress, continue_with_markers,
};

use super::walk::SEARCHED_LEN;
use crate::error::Result;
use crate::format::Cursor;

/// Parts that begin with any block are this long at the least.
pub(crate) const PART_LEN: u64 = 256 << 10;

/// What was found when a member was tried holds for so much of it.
const TRIED_LEN: u64 = 1 << 20;

/// So much is tried.
const TRIAL_LEN: usize = 16 << 10;

/// What becomes more than so many times as long counts as that: no run of zeros is to be remembered for long.
const RATIO_MAX: usize = 4;

/// So much is looked through at once: most blocks are not much longer.
const LOOK_LEN: usize = 16 << 10;

/// Two workers begin to share what becomes less than so many times as long, and go on up to the greater: where they
/// change often, one of them waits.
pub(crate) const RATIOS: [f32; 2] = [2.6, 2.8];

/// This is supposed in the beginning. What was before counts for [`BEFORE`] times what is found now, as the rows of a
/// table differ from those of the next, and pages from each other.
const SUPPOSED: f32 = 2.75;
const BEFORE: f32 = 7.0;

/// What cuts members.
pub(super) struct Sharing {
    finder: BlockFinder,
    /// What was searched for the last cut.
    searched: u64,
    /// What tries whether to cut, if that is a question.
    trial: Option<Box<Trial>>,
}

impl Sharing {
    /// For so many workers; nothing if sharing is of no use to them.
    pub(super) fn among(workers: usize) -> Option<Self> {
        let trial = (workers == 2).then(Box::default);
        (workers > 1).then(|| Self { finder: BlockFinder::default(), searched: 0, trial })
    }

    /// Passes part of a member, of which it may be the `first`; with what the next one begins, if there is one.
    pub(super) fn pass_part(&mut self, cursor: &mut dyn Cursor, is_first: bool) -> Result<Option<Boundary>> {
        match &mut self.trial {
            // Where blocks are long, so are the parts, or most of all would be searched.
            _ if !is_first => drop(cursor.take((3 * self.searched).clamp(PART_LEN, 2 * PART_LEN))?),
            Some(trial) => (trial.ratio, trial.is_dense, trial.until) = (SUPPOSED, false, 0),
            None => {}
        }
        loop {
            let start = cursor.offset();
            let Some(boundary) = self.pass_to_block(cursor, start + SEARCHED_LEN)? else { return Ok(None) };
            self.searched = cursor.offset() - start;
            let Some(trial) = &mut self.trial else { return Ok(Some(boundary)) };
            if trial.until <= cursor.offset() {
                trial.until = cursor.offset() + TRIED_LEN;
                trial.decode(cursor.peek(TRIAL_LEN)?, boundary);
            }
            if trial.is_dense {
                return Ok(Some(boundary));
            }
            // In steps, as what is passed at once may be copied at once.
            for _ in 0..TRIED_LEN / PART_LEN {
                if !cursor.take(PART_LEN)? {
                    return Ok(None);
                }
            }
        }
    }

    /// Passes all before a block that is found before the offset `end`; how it begins.
    fn pass_to_block(&mut self, cursor: &mut dyn Cursor, end: u64) -> Result<Option<Boundary>> {
        while cursor.offset() < end {
            let bytes = cursor.peek(LOOK_LEN)?;
            let bytes = &bytes[..bytes.len().min(LOOK_LEN)];
            if let Some(place) = self.finder.find(bytes) {
                let (boundary, len) = Boundary::at(bytes, place);
                cursor.take(len as u64)?;
                return Ok(Some(boundary));
            }
            // Some header may be cut off where they end.
            let searched = bytes.len().saturating_sub(HEADER_MAX) as u64;
            if searched == 0 {
                break;
            }
            cursor.take(searched)?;
        }
        Ok(None)
    }
}

/// A decoder of a little from a block on.
struct Trial {
    stream: Inflate,
    marked: Inflate<Marked>,
    symbols: Vec<Marked>,
    /// How many times as long what was tried becomes, whether that is little, and up to which offset it holds.
    ratio: f32,
    is_dense: bool,
    until: u64,
}

impl Default for Trial {
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

impl Trial {
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
        let mut trial = Trial::default();
        (0..2).for_each(|_| trial.decode(&dense, start));
        let before = trial.ratio;
        assert!(trial.is_dense, "{before}");
        trial.decode(&[0xff; 100], start);
        assert_eq!(trial.ratio, before, "no block begins so");
        for _ in 0..20 {
            trial.decode(&zeros, start);
        }
        assert!(!trial.is_dense);
        let count = (0..20)
            .take_while(|_| {
                trial.decode(&dense, start);
                !trial.is_dense
            })
            .count();
        assert!(count < 8, "{count}");
    }
}
