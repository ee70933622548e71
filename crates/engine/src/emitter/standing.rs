//! [`Standing`]: where a job stands on the line, and waiting for that.
//!
//! A decoder asks for it that lends its own memory as output, or that may go on only as the head of the line.

use super::{Emitter, FrameChecksum};
use crate::error::Result;

/// The place of a job on the line.
pub struct Standing<'e, 'a>(pub(super) &'e mut Emitter<'a>);

impl Standing<'_, '_> {
    /// Wakes the jobs that wait in [`Self::wait_until`], so that they ask again.
    pub fn wake_waiters(&self) {
        self.0.line.pieces.wake_waiters();
    }

    /// The number of the job in the order of the stream.
    pub fn job(&self) -> u64 {
        self.0.job
    }

    /// Whether all output of the jobs before has left, so that the output of this one leaves at once.
    pub fn is_head(&self) -> bool {
        self.0.line.is_head(self.0.job)
    }

    /// Waits until `is_true`, which depends on output that has left, and on whether this job is the head. Everything is
    /// done for this output that the worker can do.
    pub fn wait_until(&mut self, is_true: impl Fn(bool) -> bool) -> Result<()> {
        if is_true(self.is_head()) {
            return Ok(());
        }
        self.0.sum_waiting()?;
        if let FrameChecksum::Here(digest) | FrameChecksum::Shared(digest) = &self.0.sum {
            digest.work();
        }
        self.0.must_deliver = false;
        self.0.tasks.deliver_all();
        let (line, job) = (self.0.line, self.0.job);
        line.pieces.wait_until(|| is_true(line.is_head(job)))
    }
}
