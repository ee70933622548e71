//! [`Relay`]: a job's side of the relay, by which it gets values from the jobs before it and hands values to the next
//! job.
//!
//! Decoders of frames that several jobs share use the [`Relay`] of their [`Source`](super::Source). The values
//! themselves are in `relay.rs`, and the line moves them (`line/handovers.rs`).
//!
//! A job may wait here for the jobs before it, and never for a later job. So the head of the line never waits.

use std::any::Any;
use std::cell::OnceCell;
use std::sync::Arc;

use crate::digest::Digest;
use crate::error::Result;
use crate::line::{Line, PassedOn};
use crate::relay::{Baton, Handover, HandoverStage, RunningSum};

/// A job's side of the relay.
pub struct Relay<'a> {
    line: &'a Line,
    job: u64,
    /// Offset of the first byte of the job.
    start: u64,
    /// The last job whose work this job does: `job`, or a later one.
    reach: u64,
    /// What this job hands on when it is done.
    handover: Handover,
    /// The batons of the job before, after they were needed first.
    received: [OnceCell<Option<Baton>>; 2],
    /// Whether this job has published its baton for the next job.
    has_published: [bool; 2],
}

impl<'a> Relay<'a> {
    pub(crate) fn new(line: &'a Line, job: u64) -> Self {
        Self {
            line,
            job,
            start: line.start_of(job),
            reach: job,
            handover: Handover::default(),
            received: Default::default(),
            has_published: [false; 2],
        }
    }

    /// Offset of the first byte of this job.
    pub fn job_start(&self) -> u64 {
        self.start
    }

    /// Whether there is only one worker.
    pub fn is_alone(&self) -> bool {
        self.line.is_alone
    }

    /// Waits until this job is certain.
    pub fn wait_for_turn(&self) -> Result<()> {
        self.line.sum_before(self.job).map(drop)
    }

    /// The sum of this job's part of the stream, to be continued by the decoder.
    pub fn sum(&mut self) -> &mut RunningSum {
        &mut self.handover.sum
    }

    /// Adds the sum of more output to the sum of this job's part.
    pub fn add_sum(&mut self, sum: RunningSum) {
        self.handover.sum = sum.behind(self.handover.sum);
    }

    /// The sum from the start of the stream. If the stream began in a job before, waits until this job is certain.
    pub fn whole_sum(&self) -> Result<RunningSum> {
        let sum = self.handover.sum;
        if sum.start().is_some() { Ok(sum) } else { Ok(sum.behind(self.line.sum_before(self.job)?)) }
    }

    /// Offset at which the stream begins. If that is in a job before, waits until this job is certain.
    pub fn stream_start(&self) -> Result<u64> {
        Ok(self.whole_sum()?.start().unwrap_or(self.start))
    }

    /// The baton of the job before. Waits for it. Nothing if that job is done and handed on none.
    pub fn baton(&self, stage: HandoverStage) -> Result<Option<&(dyn Any + Send)>> {
        let received = &self.received[stage as usize];
        if received.get().is_none() {
            // The cell is empty, so it takes the baton.
            let _ = received.set(self.line.baton_before(self.job, stage)?);
        }
        Ok(received.get().and_then(Option::as_deref))
    }

    /// Like [`Self::baton`], and gives the baton away. It can be taken once, and only if it was not looked at.
    pub fn take_baton(&self, stage: HandoverStage) -> Result<Option<Baton>> {
        self.line.baton_before(self.job, stage)
    }

    /// Whether [`Self::baton`] returns without waiting.
    pub fn has_baton(&self, stage: HandoverStage) -> bool {
        self.is_alone()
            || self.received[stage as usize].get().is_some()
            || self.line.has_baton(self.job, stage)
    }

    /// Hands a baton to the next job. `ends` says that the job ends here ([`Source::ends_behind`](super::Source)); the
    /// frame must continue there, in this `context`. If the start of this job is no guess, the next job gets the baton
    /// at once. Otherwise it gets it when this job is done, unless this job takes it back. Nothing is done if the baton
    /// was published before.
    pub fn hand_on(&mut self, stage: HandoverStage, ends: bool, context: u8, baton: Baton) -> Result<()> {
        if !self.has_published[stage as usize] {
            let is_end = self.is_end(ends)?;
            self.handover.batons[stage as usize] = self.publish_if(is_end, stage, context, baton);
        }
        Ok(())
    }

    /// Hands on a baton before all output has been put out, if it is certain that the next job needs it. Otherwise
    /// returns the baton. It cannot be taken back, so it must be right.
    pub fn publish(&mut self, stage: HandoverStage, ends: bool, context: u8, baton: Baton) -> Option<Baton> {
        let ends = ends && !self.has_published[stage as usize];
        self.publish_if(ends, stage, context, baton)
    }

    fn publish_if(&mut self, ends: bool, stage: HandoverStage, context: u8, baton: Baton) -> Option<Baton> {
        if !ends {
            return Some(baton);
        }
        let kept = self.line.publish_baton(self.job, stage, context, baton);
        self.has_published[stage as usize] = kept.is_none();
        kept
    }

    /// Takes back a baton that the next job has not got, because this job continues the frame itself.
    pub fn take_back(&mut self, stage: HandoverStage) -> Option<Baton> {
        self.handover.batons[stage as usize].take()
    }

    /// Leaves the rest of this job's work to the job that will have the baton of [`HandoverStage::Decoded`] for this
    /// one, so that this worker can turn to another job. The frame must continue where the job `ends`, in this
    /// `context`, and the job must put out nothing itself. If that is not possible, the work is returned.
    pub fn leave(&self, ends: bool, context: u8, work: Baton) -> Result<Option<Baton>> {
        if ends { self.line.leave(self.job, context, work) } else { Ok(Some(work)) }
    }

    /// Hands on the baton of [`HandoverStage::Decoded`], as [`Self::hand_on`] does, or returns it with the work that
    /// the next job has left.
    pub fn pass_on(&mut self, ends: bool, context: u8, baton: Baton) -> Result<Option<(Baton, Baton)>> {
        if self.is_alone() || !self.is_end(ends)? {
            self.handover.batons[HandoverStage::Decoded as usize] = Some(baton);
            return Ok(None);
        }
        match self.line.pass_on(self.reach, context, baton) {
            PassedOn::Work(work, baton) => {
                self.reach += 1;
                return Ok(Some((work, baton)));
            }
            PassedOn::Published => {}
            PassedOn::Kept(baton) => self.handover.batons[HandoverStage::Decoded as usize] = Some(baton),
        }
        Ok(None)
    }

    /// Whether the job ends here. The feeder closes the span when it has seen that nothing more belongs to it. That may
    /// be a moment after its last byte has come.
    fn is_end(&self, ends: bool) -> Result<bool> {
        Ok(ends && self.line.await_input(self.job, self.job)?)
    }

    /// Gives everything that this job hands on to the line, with the checksum of a frame that continues.
    pub(crate) fn hand_over(mut self, checksum: Option<Arc<Digest>>) {
        self.handover.checksum = checksum;
        self.line.hand_over(self.job, self.handover);
    }
}
