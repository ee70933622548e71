//! Units.

use super::{Source, WHOLE_CODED_MAX};
use crate::error::Result;
use crate::pipeline::SLABS_MIN;
use crate::pipeline::line::{Mark, OPEN_ENDED};

impl Source<'_> {
    /// The unit that the feeder marked here, or nothing where it marked none.
    ///
    /// A unit short enough to be gathered is reported with its length, after waiting for all of it.
    pub(crate) fn unit(&mut self) -> Result<Option<Mark>> {
        if self.span != self.job {
            return Ok(None);
        }
        let have = self.bytes().len() as u64 + (self.range.end - self.range.start);
        // Half the slabs: the feeder must not starve while a worker waits for the rest of a frame.
        let mark = self.line.unit(self.job, self.offset, have, WHOLE_CODED_MAX as u64, SLABS_MIN / 2)?;
        Ok(mark.map(|mark| Mark {
            coded_len: mark.coded_len.filter(|&len| len != OPEN_ENDED && len <= WHOLE_CODED_MAX as u64),
            ..mark
        }))
    }

    /// Notes the lengths of the units that begin here, all of one kind and at hand as a whole, that can be gathered
    /// together; how many there are.
    pub(crate) fn units(&self, lens: &mut [usize]) -> usize {
        if self.span != self.job {
            return 0;
        }
        self.line.units(self.job, self.offset, WHOLE_CODED_MAX as u64, lens)
    }

    /// The unit that the feeder marked here, if something of the job lies before it.
    pub(crate) fn unit_here(&self) -> Option<Mark> {
        self.line.unit_at(self.job, self.offset).filter(|_| self.span == self.job)
    }

    /// The unit that the feeder marked next behind this place, if it has by now, and whether the span is at hand to
    /// its end.
    pub(crate) fn next_unit(&self) -> (Option<Mark>, bool) {
        if self.span == self.job { self.line.next_unit(self.job, self.offset) } else { (None, false) }
    }
}
