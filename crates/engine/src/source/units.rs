//! The units that the feeder found in the input of a job.
//!
//! [`Units`] asks the line for the marks of units. It returns nothing if the job has continued into the span of another
//! job: those marks do not count any more.

use super::{Source, WHOLE_CODED_MAX};
use crate::SLABS_MIN;
use crate::error::Result;
use crate::line::{Mark, OPEN_ENDED};

/// The units of the job of a source.
pub struct Units<'s, 'a>(pub(super) &'s Source<'a>);

impl Units<'_, '_> {
    /// The unit that the feeder marked here. Nothing if it marked none.
    ///
    /// If the unit is short enough to be gathered, this waits for its end, and the mark has its length.
    pub fn here(&self) -> Result<Option<Mark>> {
        if self.0.span != self.0.job {
            return Ok(None);
        }
        let have = self.0.bytes().len() as u64 + (self.0.range.end - self.0.range.start);
        // A worker waits for at most half the slabs. Otherwise the feeder could have none left while the worker waits
        // for the rest of a frame.
        let mark =
            self.0.line.unit(self.0.job, self.0.offset, have, WHOLE_CODED_MAX as u64, SLABS_MIN / 2)?;
        Ok(mark.map(|mark| Mark {
            coded_len: mark.coded_len.filter(|&len| len != OPEN_ENDED && len <= WHOLE_CODED_MAX as u64),
            ..mark
        }))
    }

    /// Fills in the lengths of the units that begin here, are of one kind, are at hand completely, and can be
    /// gathered together. Returns their number.
    pub fn whole(&self, lens: &mut [usize]) -> usize {
        if self.0.span != self.0.job {
            return 0;
        }
        self.0.line.units(self.0.job, self.0.offset, WHOLE_CODED_MAX as u64, lens)
    }

    /// The unit that the feeder marked exactly here, if there is one by now. Does not wait.
    pub fn marked_here(&self) -> Option<Mark> {
        self.0.line.unit_at(self.0.job, self.0.offset).filter(|_| self.0.span == self.0.job)
    }

    /// The next unit behind this offset that the feeder has marked by now, and whether the span is at hand to its
    /// end.
    pub fn next(&self) -> (Option<Mark>, bool) {
        if self.0.span == self.0.job {
            self.0.line.next_unit(self.0.job, self.0.offset)
        } else {
            (None, false)
        }
    }
}
