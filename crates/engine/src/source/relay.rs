//! What a job gets from the jobs before it, and what it hands to the next job.
//!
//! Decoders of frames that several jobs share call these methods of [`Source`]. The values themselves are in
//! `pipeline/relay.rs`, and the line moves them (`line/handovers.rs`).
//!
//! A job may wait here for the jobs before it, and never for a later job. So the head of the line never waits.

use std::sync::Arc;

use super::Source;
use crate::digest::Digest;
use crate::error::Result;
use crate::line::PassedOn;
use crate::relay::{Baton, FrameHeader, Leg, RunningSum};

impl Source<'_> {
    /// The sum of this job's part of the stream, to be continued by the decoder.
    pub fn sum(&mut self) -> &mut RunningSum {
        &mut self.handover.sum
    }

    /// The sum from the start of the stream. If the stream began in a job before, waits until this job is certain.
    pub fn whole_sum(&self) -> Result<RunningSum> {
        let sum = self.handover.sum;
        if sum.start().is_some() { Ok(sum) } else { Ok(sum.behind(self.line.sum_before(self.job)?)) }
    }

    /// Adds the sum of more output to the sum of this job's part.
    pub fn add_sum(&mut self, sum: RunningSum) {
        self.handover.sum = sum.behind(self.handover.sum);
    }

    /// Offset at which the stream begins. If that is in a job before, waits until this job is certain.
    pub fn stream_start(&self) -> Result<u64> {
        Ok(self.whole_sum()?.start().unwrap_or(self.offset))
    }

    /// Hands on the header of a frame that continues in the next job.
    pub fn hand_on_header(&mut self, header: &[u8]) {
        self.handover.header = FrameHeader::new(header);
    }

    /// The header of the frame, which began in a job before. Waits until this job is certain.
    pub fn header(&self) -> Result<FrameHeader> {
        self.line.header_before(self.job)
    }

    /// Hands on the last output of a stream that continues in the next job. `is_all` says that the stream has no
    /// output before that.
    pub fn hand_on_window(&mut self, output: &[u8], is_all: bool) {
        if !self.handover.window.has_memory() {
            self.handover.window = self.line.spare_window();
        }
        self.handover.window.set(output, is_all);
    }

    /// Waits until this job is certain.
    pub fn wait_for_turn(&self) -> Result<()> {
        self.line.sum_before(self.job).map(drop)
    }

    /// The last output of the stream before this job. Waits until it is known.
    pub fn window(&self) -> Result<&[u8]> {
        if let Some((window, _)) = self.window.get() {
            return Ok(window.bytes());
        }
        let found = self.line.window_before(self.job)?;
        Ok(self.window.get_or_init(|| found).0.bytes())
    }

    /// Whether [`Self::window`] returns without waiting.
    pub fn has_window(&self) -> bool {
        self.is_alone() || self.window.get().is_some() || self.line.has_window(self.job)
    }

    /// Publishes the last output before all output has been put out. The job must end behind the next `read` bytes at
    /// hand, and the stream must continue there with this `context`. If that is not the end of the span, nothing is
    /// published. A published window cannot be taken back, so it must be right.
    pub fn publish_window(&self, read: usize, context: u8, output: &[u8]) {
        let is_end = self.range.is_empty() && read == self.bytes().len();
        if self.span == self.job && is_end {
            let mut window = self.line.spare_window();
            window.set(output, true);
            self.line.publish(self.job, context, window);
        }
    }

    /// Hands a baton to the next job. The frame must continue there, behind the next `read` bytes at hand, in this
    /// `context`. If that is the end of the span, and the start of this job is no guess, the next job gets the baton at
    /// once. Otherwise it gets it when this job is done, unless this job takes it back.
    pub fn hand_on(&mut self, leg: Leg, read: usize, context: u8, baton: Baton) -> Result<()> {
        let baton = if self.is_end(read)? {
            self.line.publish_baton(self.job, leg, context, baton)
        } else {
            Some(baton)
        };
        self.handover.batons[leg as usize] = baton;
        Ok(())
    }

    /// Leaves the rest of this job's work to the job that will have the baton of [`Leg::Decoded`] for this one, so that
    /// this worker can turn to another job. The frame must continue behind the next `read` bytes at hand, in this
    /// `context`, and the job must put out nothing itself. If that is not possible, the work is returned.
    pub fn leave(&self, read: usize, context: u8, work: Baton) -> Result<Option<Baton>> {
        let is_end = self.span == self.job && self.range.is_empty() && read == self.bytes().len();
        if is_end { self.line.leave(self.job, context, work) } else { Ok(Some(work)) }
    }

    /// Hands on the baton of [`Leg::Decoded`], as [`Self::hand_on`] does, or returns it with the work that the next job
    /// has left.
    pub fn pass_on(&mut self, read: usize, context: u8, baton: Baton) -> Result<Option<(Baton, Baton)>> {
        if self.is_alone() || !self.is_end(read)? {
            self.handover.batons[Leg::Decoded as usize] = Some(baton);
            return Ok(None);
        }
        match self.line.pass_on(self.reach, context, baton) {
            PassedOn::Work(work, baton) => {
                self.reach += 1;
                return Ok(Some((work, baton)));
            }
            PassedOn::Published => {}
            PassedOn::Kept(baton) => self.handover.batons[Leg::Decoded as usize] = Some(baton),
        }
        Ok(None)
    }

    /// Whether the job ends behind the next `read` bytes at hand.
    fn is_end(&self, read: usize) -> Result<bool> {
        let is_end = self.span == self.job && self.range.is_empty() && read == self.bytes().len();
        // The feeder closes the span when it has seen that nothing more belongs to it. That may be a moment after its
        // last byte has come.
        Ok(is_end && (self.span_ended || self.line.await_input(self.job, self.span)?))
    }

    /// Takes back a baton that the next job has not got, because this job continues the frame itself.
    pub fn take_back(&mut self, leg: Leg) -> Option<Baton> {
        self.handover.batons[leg as usize].take()
    }

    /// The baton of the job before. Waits for it. Nothing if that job is done and handed on none.
    pub fn baton(&self, leg: Leg) -> Result<Option<Baton>> {
        self.line.baton_before(self.job, leg)
    }

    /// Gives everything that this job hands on to the line, with the checksum of a frame that continues.
    pub fn hand_over(self, checksum: Option<Arc<Digest>>) {
        let Self { line, job, mut handover, window, .. } = self;
        handover.checksum = checksum;
        let mut inherited = window.into_inner();
        if let Some((window, true)) = &mut inherited {
            // This job has taken the window out of the joined handovers. So it joins its own window with that one
            // here.
            handover.window.follow(window);
        }
        line.hand_over(job, handover, inherited.map(|(window, _)| window));
    }
}
