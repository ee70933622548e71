//! The relay: the values that a job hands to the next job.
//!
//! Several jobs may decode parts of one frame or stream. A job then needs values that the jobs before it know. There
//! are three kinds of such values, and a [`Handover`] has all of them:
//!
//! - A [`RunningSum`] is needed at the end of the frame only, such as a checksum that can be combined. Each job makes
//!   the sum of its own part. As soon as a job and all jobs before it are done, the line joins their sums in the order
//!   of the jobs (`line/handovers.rs`). Joining must be associative: of three neighbours, the first two or the last two
//!   can be joined first, with the same result.
//! - A [`Digest`] is a checksum that cannot be combined, so there is one for the frame. It goes from job to job in
//!   order. A job waits for it when it has output to add, or at the end of the frame. `emitter/frame.rs` uses it.
//! - A [`Baton`] is needed while the next job works, such as a window, and only the format can read it. A job
//!   *publishes* it as soon as it has it. There are two, one for each [`HandoverStage`], because a job knows some
//!   values soon after it has seen its input, and the rest only after it has decoded it. A baton belongs to the next
//!   job only, and is never joined.
//!
//! A job that would have to wait for the second baton can *leave* the rest of its work on the line instead. The job
//! that has the baton takes that work, and puts out its output (`line/handovers.rs`).

use std::any::Any;
use std::sync::Arc;

use super::digest::Digest;

/// What the jobs before a place hand to the job that begins there. Each format fills in what it uses.
#[derive(Default)]
pub(crate) struct Handover {
    pub sum: RunningSum,
    /// The checksum of the frame that continues.
    pub(super) checksum: Option<Arc<Digest>>,
    /// What only the format knows, for each [`HandoverStage`].
    pub(super) batons: [Option<Baton>; 2],
}

/// A value that a job hands to the next job, and that only their format can read.
pub type Baton = Box<dyn Any + Send>;

/// When a job has a baton for the next job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandoverStage {
    /// When it has looked at its input.
    Seen,
    /// When it has decoded its input.
    Decoded,
}

impl Handover {
    /// Puts the handover of the jobs `before` in front of this one: `self` becomes the handover of both together. What
    /// is left in `before` has no meaning.
    pub(super) fn follow(&mut self, before: &mut Self) {
        if self.sum.start().is_some() {
            // The stream began in this job, so nothing before matters.
            return;
        }
        self.sum = self.sum.behind(before.sum);
        self.checksum = self.checksum.take().or_else(|| before.checksum.take());
    }
}

/// Joins the sums of two parts. `count` is that of the second part.
pub(crate) type Join = fn(before: u64, sum: u64, count: u64) -> u64;

/// A count and a sum along a stream, or along part of it.
///
/// The sum of a part does not depend on the parts before it. [`Self::behind`] joins the sums of two parts later.
#[derive(Clone, Copy, Debug)]
pub struct RunningSum {
    /// Offset in the coded input at which the stream begins, if it begins in this part.
    start: Option<u64>,
    /// The number of frames or bytes in the part.
    count: u64,
    sum: u64,
    join: Join,
}

impl RunningSum {
    /// The sum of an empty part.
    pub const NOTHING: Self = Self { start: None, count: 0, sum: 0, join: |before, _, _| before };

    /// The sum of a stream that begins at this offset, before its first part. `sum` is what the sums are joined to.
    pub const fn starting(offset: u64, sum: u64) -> Self {
        Self { start: Some(offset), sum, ..Self::NOTHING }
    }

    /// Adds the next part to this one. `count` and `sum` are those of the next part.
    pub fn push(&mut self, count: u64, sum: u64, join: Join) {
        *self = Self { start: None, count, sum, join }.behind(*self);
    }

    /// The sum of the part `before` and this part together.
    pub fn behind(self, before: Self) -> Self {
        if self.start.is_some() {
            return self;
        }
        if self.count == 0 {
            return before;
        }
        Self {
            start: before.start,
            count: before.count.wrapping_add(self.count),
            sum: (self.join)(before.sum, self.sum, self.count),
            join: self.join,
        }
    }

    /// Offset at which the stream begins. If it begins in this part, nothing before this part matters.
    pub fn start(self) -> Option<u64> {
        self.start
    }

    /// The number of frames or bytes.
    pub fn count(self) -> u64 {
        self.count
    }

    /// The joined sum.
    pub fn sum(self) -> u64 {
        self.sum
    }
}

impl Default for RunningSum {
    fn default() -> Self {
        Self::NOTHING
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_whole() {
        let values: Vec<u64> = (0..100_u32).map(|at| at.wrapping_mul(2_654_435_761).into()).collect();
        let join: Join = |before, sum, count| before.rotate_left((count % 64) as u32) ^ sum;
        let sum = |before: RunningSum, values: &[u64]| {
            let links = values.iter().map(|&sum| RunningSum { count: 1, sum, join, ..RunningSum::NOTHING });
            links.fold(before, |before, link| link.behind(before))
        };
        let parts = |sum: RunningSum| (sum.start, sum.count, sum.sum);
        let start = RunningSum::starting(7, 0);
        let whole = sum(start, &values);
        for cut in 0..=100 {
            let (first, second) = values.split_at(cut);
            assert_eq!(parts(sum(RunningSum::NOTHING, second).behind(sum(start, first))), parts(whole));
            assert_eq!(parts(sum(start, second).behind(whole)), parts(sum(start, second)));
        }
    }
}
