//! Where a member is cut of which no part stands alone: where blocks begin.
//!
//! Each part then has to be decoded without knowing what is before ([`super::lane`]). What that costs depends on
//! how much comes of each coded byte: markers are replaced in the output, but it is the coded data whose decoding
//! is shared. Two workers gain by it where data is dense, and lose where it is not, so a member is tried now and then.

use super::walk::SEARCHED_LEN;
use crate::error::Result;
use crate::format::Cursor;
use crate::inflate::{Boundary, Finder, HEADER_MAX, Inflate, Marked, Output, without_window};

/// Parts that begin with any block are this long at the least.
const PART_LEN: u64 = 256 << 10;

/// What was found when a member was tried holds for so much of it.
const TRIED_LEN: u64 = 8 << 20;

/// So much is tried.
const TRIAL_LEN: usize = 16 << 10;

/// So much is looked through at once: most blocks are not much longer.
const LOOK_LEN: usize = 16 << 10;

/// Two workers share what becomes less than so many times as long, in quarters.
const RATIO_QUARTERS: usize = 11;

/// What cuts members.
pub(super) struct Sharing {
    finder: Finder,
    /// What was searched for the last cut.
    searched: u64,
    /// What tries whether to cut, if that is a question.
    trial: Option<Box<Trial>>,
}

impl Sharing {
    /// For so many workers; nothing if sharing is of no use to them.
    pub(super) fn among(workers: usize) -> Option<Self> {
        let trial = (workers == 2).then(Box::default);
        (workers > 1).then(|| Self { finder: Finder::default(), searched: 0, trial })
    }

    /// Passes part of a member, of which it may be the `first`; with what the next one begins, if there is one.
    pub(super) fn pass_part(&mut self, cursor: &mut dyn Cursor, is_first: bool) -> Result<Option<Boundary>> {
        match &mut self.trial {
            // Where blocks are long, so are the parts, or most of all would be searched.
            _ if !is_first => drop(cursor.take((3 * self.searched).clamp(PART_LEN, 2 * PART_LEN))?),
            Some(trial) => trial.until = 0,
            None => {}
        }
        loop {
            let start = cursor.offset();
            let Some(boundary) = self.pass_to_block(cursor, start + SEARCHED_LEN)? else { return Ok(None) };
            self.searched = cursor.offset() - start;
            let Some(trial) = &mut self.trial else { return Ok(Some(boundary)) };
            if trial.until <= cursor.offset() {
                trial.until = cursor.offset() + TRIED_LEN;
                trial.is_dense = trial.is_dense(cursor.peek(TRIAL_LEN)?, boundary);
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
    /// What it found last, and up to which offset that holds.
    is_dense: bool,
    until: u64,
}

impl Default for Trial {
    fn default() -> Self {
        let symbols = vec![Marked::default(); RATIO_QUARTERS * TRIAL_LEN / 4];
        Self { stream: Inflate::new(), marked: Inflate::new(), symbols, is_dense: false, until: 0 }
    }
}

impl Trial {
    /// Whether not much comes of what begins here.
    fn is_dense(&mut self, coded: &[u8], boundary: Boundary) -> bool {
        let coded = &coded[..coded.len().min(TRIAL_LEN)];
        self.stream.reset_inside(boundary);
        without_window(&mut self.marked, &mut self.stream);
        let mut output = Output::new(&mut self.symbols, 0);
        let read = self.marked.run(coded, &mut output).map_or(0, |progress| progress.read);
        4 * output.filled() < RATIO_QUARTERS * read
    }
}
