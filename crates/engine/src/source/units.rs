//! The units that the feeder found in the input of a job.
//!
//! The coder of `decompress` and the decoder of gzip call these methods of [`Source`]. They ask the line for the
//! marks of units, and return nothing if the job has continued into the span of another job: those marks do not count
//! any more.

use super::{Source, WHOLE_CODED_MAX};
use crate::SLABS_MIN;
use crate::error::Result;
use crate::line::{Mark, OPEN_ENDED};

impl Source<'_> {
    /// The unit that the feeder marked here. Nothing if it marked none.
    ///
    /// If the unit is short enough to be gathered, this waits for its end, and the mark has its length.
    pub fn unit(&mut self) -> Result<Option<Mark>> {
        if self.span != self.job {
            return Ok(None);
        }
        let have = self.bytes().len() as u64 + (self.range.end - self.range.start);
        // A worker waits for at most half the slabs. Otherwise the feeder could have none left while the worker waits
        // for the rest of a frame.
        let mark = self.line.unit(self.job, self.offset, have, WHOLE_CODED_MAX as u64, SLABS_MIN / 2)?;
        Ok(mark.map(|mark| Mark {
            coded_len: mark.coded_len.filter(|&len| len != OPEN_ENDED && len <= WHOLE_CODED_MAX as u64),
            ..mark
        }))
    }

    /// Fills in the lengths of the units that begin here, are of one kind, are at hand completely, and can be
    /// gathered together. Returns their number.
    pub fn units(&self, lens: &mut [usize]) -> usize {
        if self.span != self.job {
            return 0;
        }
        self.line.units(self.job, self.offset, WHOLE_CODED_MAX as u64, lens)
    }

    /// The unit that the feeder marked exactly here, if there is one by now. Does not wait.
    pub fn unit_here(&self) -> Option<Mark> {
        self.line.unit_at(self.job, self.offset).filter(|_| self.span == self.job)
    }

    /// The next unit behind this offset that the feeder has marked by now, and whether the span is at hand to its
    /// end.
    pub fn next_unit(&self) -> (Option<Mark>, bool) {
        if self.span == self.job { self.line.next_unit(self.job, self.offset) } else { (None, false) }
    }
}
