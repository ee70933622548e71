//! The units that the feeder found in the input of a job.
//!
//! [`Units`] asks the line for the marks of units. It returns nothing if the job has continued into the span of another
//! job: those marks do not count any more.

use super::{Source, WHOLE_CODED_MAX};
use crate::line::Mark;

/// The units of the job of a source.
pub struct Units<'s, 'a>(pub(super) &'s Source<'a>);

impl Units<'_, '_> {
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
