//! Relay.

use std::sync::Arc;

use super::Source;
use crate::error::Result;
use crate::pipeline::digest::Digest;
use crate::pipeline::relay::{FrameHeader, RunningSum};

impl Source<'_> {
    /// The sum of this job's part of the stream, to be continued.
    pub(crate) fn sum(&mut self) -> &mut RunningSum {
        &mut self.handover.sum
    }

    /// The sum from the start of the stream. It waits for the jobs before if the stream began in one of them.
    pub(crate) fn whole_sum(&self) -> Result<RunningSum> {
        let sum = self.handover.sum;
        if sum.start().is_some() { Ok(sum) } else { Ok(sum.behind(self.line.sum_before(self.job)?)) }
    }

    /// Hands the header of a frame on, which goes on in the next job.
    pub(crate) fn hand_on_header(&mut self, header: &[u8]) {
        self.handover.header = FrameHeader::new(header);
    }

    /// The header of the frame that began in a job before; waits for that job.
    pub(crate) fn header(&self) -> Result<FrameHeader> {
        self.line.header_before(self.job)
    }

    /// Hands the last output of a stream on, which goes on in the next job; `is_all` says that there was no more of it.
    pub(crate) fn hand_on_window(&mut self, output: &[u8], is_all: bool) {
        if !self.handover.window.has_memory() {
            self.handover.window = self.line.spare_window();
        }
        self.handover.window.set(output, is_all);
    }

    /// Waits until this job is certain: all jobs before it are done.
    pub(crate) fn wait_for_turn(&self) -> Result<()> {
        self.line.sum_before(self.job).map(drop)
    }

    /// The last output of the stream before this job; waits until it is certain.
    pub(crate) fn window(&self) -> Result<&[u8]> {
        if let Some((window, _)) = self.window.get() {
            return Ok(window.bytes());
        }
        let found = self.line.window_before(self.job)?;
        Ok(self.window.get_or_init(|| found).0.bytes())
    }

    /// Whether [`Self::window`] need not wait.
    pub(crate) fn has_window(&self) -> bool {
        self.is_alone() || self.window.get().is_some() || self.line.has_window(self.job)
    }

    /// Publishes the last output before the job has put out all of it, where the span ends behind the `read` bytes at
    /// hand, and the stream goes on with this `context`. Once it is published it must come true.
    pub(crate) fn publish_window(&self, read: usize, context: u8, output: &[u8]) {
        let is_end = self.range.is_empty() && read == self.bytes().len();
        if self.span == self.job && is_end {
            let mut window = self.line.spare_window();
            window.set(output, true);
            self.line.publish(self.job, context, window);
        }
    }

    /// Hands on what this job has for the next one, with the checksum of a frame that goes on.
    pub(in crate::pipeline) fn hand_over(self, checksum: Option<Arc<Digest>>) {
        let Self { line, job, mut handover, window, .. } = self;
        handover.checksum = checksum;
        let mut inherited = window.into_inner();
        if let Some((window, true)) = &mut inherited {
            // The line has no window any more to put this one behind.
            handover.window.follow(window);
        }
        line.hand_over(job, handover, inherited.map(|(window, _)| window));
    }
}
