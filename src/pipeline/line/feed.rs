//! The feeder's side of the line: it opens jobs in order and gives them their input.
//!
//! The feeder calls these methods through [`Feed`](crate::pipeline::Feed). Only the newest job is open: input and
//! marks go to it, until it is closed. A unit is marked before its bytes are pushed, so that a worker that has the
//! bytes also sees the mark.

use super::Line;
use super::slot::{Mark, Segment, Tag};
use crate::error::{Error, Result};
use crate::pipeline::Report;

impl Line {
    /// Opens the next job, whose input starts at `start`. Waits for a free slot. If all input is at hand, it is
    /// `whole`, and the job is closed at once with the tag of what follows.
    ///
    /// The head of the line may have continued into all jobs that fit on the line while its frame still does not end.
    /// Then the last of those jobs is opened again, and the second value is false.
    pub(crate) fn open(&self, start: u64, whole: Option<(Segment, Tag)>) -> Result<(u64, bool)> {
        self.check()?;
        if self.progress.is_cancelled() {
            return Err(Error::Cancelled);
        }
        if let Some((segment, _)) = &whole {
            self.pass(segment);
        }
        let mut state = self.lock();
        while state.tail - state.head == state.slots.len() as u64 {
            let last = state.tail - 1;
            if state.waits_behind == Some(last) {
                state.waits_behind = None;
                let slot = state.slot(last);
                slot.closed = false;
                slot.marks.clear();
                drop(state);
                self.ready.notify_all();
                return Ok((last, false));
            }
            state = self.wait(&self.room, state)?;
        }
        let job = state.tail;
        state.tail += 1;
        let slot = state.slot(job);
        slot.reset(start);
        if let Some((segment, next)) = whole {
            slot.input_len = segment.len();
            slot.input.push_back(segment);
            (slot.closed, slot.next) = (true, next);
        }
        let is_awaited = state.waits_behind.is_some();
        drop(state);
        if is_awaited {
            // The head of the line waits to continue into this job.
            self.ready.notify_all();
        }
        Ok((job, true))
    }

    /// Counts input that the feeder passes on, and shows it to the tap.
    fn pass(&self, segment: &Segment) {
        self.progress.add_in(segment.len());
        if let Some(tap) = &self.input_tap {
            tap.segment(segment);
        }
    }

    /// Adds input to the open job.
    pub(crate) fn push(&self, job: u64, segment: Segment) {
        self.pass(&segment);
        let mut state = self.lock();
        state.request.input_came();
        if job < state.head {
            return;
        }
        let slot = state.slot(job);
        slot.starves = false;
        slot.input_len += segment.len();
        if !slot.input.back_mut().is_some_and(|last| last.take_in(&segment)) {
            slot.input.push_back(segment);
        }
        drop(state);
        self.changed(job).notify_all();
    }

    /// Ends the newest job before it has its input, because it has no output. It stays on the line, because an
    /// earlier job may continue into it. If no job is left before it, it is passed at once and its input is dropped,
    /// because there is no memory for input of any length.
    pub(crate) fn finish_unseen(&self, job: u64, result: Result<()>) {
        self.finish(job, None, result.map(|()| Report::default()));
        let mut state = self.lock();
        if state.head == job {
            let (delivery, change) = self.next(&mut state);
            debug_assert!(delivery.is_none());
            drop(state);
            self.notify(change);
        }
    }

    /// Notes where a unit starts. Called before its bytes are pushed.
    pub(crate) fn mark(&self, job: u64, mark: Mark) {
        let mut state = self.lock();
        let slot = state.slot(job);
        slot.starves = false;
        slot.tag = mark.tag;
        slot.marks.push_back(mark);
        drop(state);
        self.changed(job).notify_all();
    }

    /// Notes the length of the unit that was marked last.
    pub(crate) fn mark_len(&self, job: u64, coded_len: u64) {
        let mut state = self.lock();
        let slot = state.slot(job);
        slot.starves = false;
        if let Some(mark) = slot.marks.back_mut() {
            mark.coded_len = Some(coded_len);
        }
        drop(state);
        self.changed(job).notify_all();
    }

    /// Notes that the open job has all its input. `next` is the tag of what is believed to begin behind it.
    pub(crate) fn close(&self, job: u64, next: Tag) {
        let mut state = self.lock();
        let slot = state.slot(job);
        (slot.closed, slot.next, slot.starves) = (true, next, false);
        drop(state);
        self.changed(job).notify_all();
    }

    /// Notes that no more jobs come. If `result` is an error of the feeder, it counts after all jobs.
    pub(crate) fn end(&self, result: Result<()>) {
        let mut state = self.lock();
        state.feed_error = result.err();
        state.ended = true;
        drop(state);
        self.ready.notify_all();
    }
}
