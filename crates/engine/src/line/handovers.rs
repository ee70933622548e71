//! The relay on the line: it joins what the jobs hand on, and gives it to the job that needs it.
//!
//! A job is *certain* when each job before it is done without an error, or cancelled: then it begins where their output
//! ends. The sums and checksums of done jobs are joined up to the certain job, with the lock held.
//!
//! A job that is not certain can wait until it is, or take a baton that the job before has published.
//! `source/relay.rs` calls these methods for the worker.

use std::sync::Arc;

use super::slot::{Slot, Tag};
use super::{Line, LineState};
use crate::digest::Digest;
use crate::error::{Error, Result};
use crate::relay::{Baton, Handover, HandoverStage, RunningSum};
use crate::sync::seeded;

/// What became of a baton and of the work of the next job.
pub(crate) enum PassedOn {
    /// The next job has left this work. This is the baton that is needed to do it.
    Work(Baton, Baton),
    /// The next job has the baton.
    Published,
    /// It is not certain that the next job needs the baton.
    Kept(Baton),
}

impl LineState {
    /// Passes the jobs that are done, and joins what they hand on. Returns true if another job is certain now.
    pub(super) fn pass_done_jobs(&mut self) -> bool {
        let before = self.certain;
        while self.certain < self.tail {
            let certain = self.certain;
            let slot = self.slot(certain);
            // Nothing of a cancelled job counts, so its end does not matter.
            if !slot.cancelled {
                if !matches!(slot.done, Some(Ok(_))) {
                    break;
                }
                if slot.left.take().is_some() {
                    // Its output would be missing. The head reports this when it comes here.
                    slot.done = Some(Err(Error::Internal("the work of a job was not done".into())));
                    break;
                }
                let mut handover = std::mem::take(&mut slot.handover);
                for (baton, published) in handover.batons.iter_mut().zip(&mut slot.batons) {
                    *baton = baton.take().or_else(|| published.take());
                }
                handover.follow(&mut self.relayed);
                self.relayed = handover;
            }
            self.certain += 1;
        }
        self.certain != before
    }

    /// Puts a baton of `job` where the next job finds it, or returns it.
    fn publish_baton(&mut self, job: u64, stage: HandoverStage, context: u8, baton: Baton) -> Option<Baton> {
        let is_certain = self.certain == job;
        let slot = self.slot(job);
        let is_end = slot.closed && slot.input.is_empty();
        let continues = slot.next == Tag { context, ..slot.tag };
        if slot.cancelled || !is_end || !continues || !(is_certain || slot.is_begun) {
            return Some(baton);
        }
        slot.batons[stage as usize] = Some(baton);
        slot.has_handed_on = true;
        None
    }
}

impl Line {
    /// Notes what a job hands on, before the job ends.
    pub(crate) fn hand_over(&self, job: u64, handover: Handover) {
        self.lock().slot(job).handover = handover;
    }

    /// The sum of all jobs before `job`. Waits until the job is certain.
    pub(crate) fn sum_before(&self, job: u64) -> Result<RunningSum> {
        self.wait_until(job, |state| (state.certain == job).then_some(state.relayed.sum))
    }

    /// Takes over the checksum of the frame that `job` continues. Waits until the job is certain. It does not wait
    /// until the output of the jobs before has left, because a slow reader of the output is no reason to wait.
    pub(crate) fn checksum_before(&self, job: u64) -> Result<Option<Arc<Digest>>> {
        self.wait_until(job, |state| (state.certain == job).then(|| state.relayed.checksum.take()))
    }

    /// Publishes a baton of `job` for the next job, before `job` is done. It must be certain that the next job needs
    /// it: `job` is certain or has taken a published baton itself, it is at the end of its span, and the next job
    /// begins there with this `context`. Then `job` and all jobs before it end where the next job begins, and none of
    /// them continues into a span behind `job`. Otherwise the baton is returned.
    pub(crate) fn publish_baton(
        &self,
        job: u64,
        stage: HandoverStage,
        context: u8,
        baton: Baton,
    ) -> Option<Baton> {
        let kept = self.lock().publish_baton(job, stage, context, baton);
        if kept.is_none() {
            // The next job may not be open yet. Then nobody waits for it.
            self.changed(job + 1).notify_all();
        }
        kept
    }

    /// Takes over the baton of the job before `job`. Waits until it is published, or until `job` is certain.
    pub(crate) fn baton_before(&self, job: u64, stage: HandoverStage) -> Result<Option<Baton>> {
        self.wait_until(job, |state| {
            if state.certain == job {
                return Some(state.relayed.batons[stage as usize].take());
            }
            // The job before is not done, so it still has its slot.
            let baton = state.slot(job - 1).batons[stage as usize].take()?;
            state.slot(job).is_begun = true;
            Some(Some(baton))
        })
    }

    /// Whether [`Self::baton_before`] returns without waiting.
    pub(crate) fn has_baton(&self, job: u64, stage: HandoverStage) -> bool {
        let mut state = self.lock();
        state.certain == job || state.slot(job - 1).batons[stage as usize].is_some()
    }

    /// Leaves the rest of the work of `job` to the job that will hand it the baton of [`HandoverStage::Decoded`]: that
    /// job then does the work, and puts out the output of both, with [`Self::pass_on`]. It must be certain where `job`
    /// begins and ends. If the baton is there already, or may come too late, the work is returned.
    pub(crate) fn leave(&self, job: u64, context: u8, work: Baton) -> Result<Option<Baton>> {
        self.check()?;
        let mut state = self.lock();
        // The job before is not done if this one is not certain, so it still has its slot.
        let is_late =
            state.certain == job || state.slot(job - 1).batons[HandoverStage::Decoded as usize].is_some();
        // Jobs whose work is taken keep their slots until the job that takes it ends, and the feeder needs some.
        let is_far = job - state.head > state.slots.len() as u64 / 2;
        let slot = state.slot(job);
        let is_end = slot.closed && slot.input.is_empty();
        let continues = slot.next == Tag { context, ..slot.tag };
        let is_certain = slot.is_begun && slot.has_handed_on && is_end && continues;
        if is_late && !seeded!(LeftTooLate) || is_far || slot.cancelled || !is_certain {
            return Ok(Some(work));
        }
        slot.left = Some(work);
        // No earlier job continues into this span, so nobody reads the input again.
        let kept = std::mem::take(&mut slot.kept);
        drop(state);
        drop(kept);
        Ok(None)
    }

    /// Takes the work that the job behind `reach` has left, and returns the baton with it. If that job has left none,
    /// publishes the baton for it. `reach` is the job that calls, or the last job whose work it has taken. If the baton
    /// cannot be published, it is returned alone.
    pub(crate) fn pass_on(&self, reach: u64, context: u8, baton: Baton) -> PassedOn {
        let mut state = self.lock();
        let next = reach + 1;
        if next < state.tail
            && let Some(work) = state.slot(next).left.take()
        {
            return PassedOn::Work(work, baton);
        }
        if seeded!(PassedOnInTwoSteps) {
            drop(state);
            state = self.lock();
        }
        // With the lock held since: the next job leaves no work when the baton is there.
        let kept = state.publish_baton(reach, HandoverStage::Decoded, context, baton);
        drop(state);
        match kept {
            None => {
                self.changed(next).notify_all();
                PassedOn::Published
            }
            Some(baton) => PassedOn::Kept(baton),
        }
    }

    /// Waits until `found` returns a value.
    fn wait_until<T>(&self, job: u64, mut found: impl FnMut(&mut LineState) -> Option<T>) -> Result<T> {
        let mut state = self.lock();
        loop {
            self.check()?;
            if state.slot(job).cancelled {
                return Err(Error::GivenUp);
            }
            if let Some(found) = found(&mut state) {
                return Ok(found);
            }
            state = self.wait(self.changed(job), state)?;
        }
    }
}

impl Slot {
    /// Forgets what the job that had this slot before handed on.
    pub(super) fn reset_relay(&mut self) {
        self.handover = Handover::default();
        self.batons = [None, None];
        (self.has_handed_on, self.is_begun) = (false, false);
        self.left = None;
    }
}
