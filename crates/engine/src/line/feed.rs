//! The feeder's side of the line: it opens jobs in order and gives them their input.
//!
//! Only the newest job is open: input and marks go to it, until it is closed. A [`Mark`] says which unit begins at a
//! place of the input. A unit is marked before its bytes are pushed, so that a worker that has the bytes also sees the
//! mark.

use std::sync::atomic::Ordering;

use super::Line;
use super::slot::{Mark, Segment, Tag};
use crate::Report;
use crate::buffers::Lease;
use crate::error::{Error, Result};
use crate::sync::seeded;
use crate::waits::Meter;

/// The feeder's access to the line and the workers: it opens jobs and gives them their input.
pub struct Feed<'a> {
    pub(crate) line: &'a Line,
    pub(crate) jobs: &'a dyn Jobs,
}

/// Takes the jobs that the feeder has opened.
pub(crate) trait Jobs {
    /// Gives a job to the workers, behind the jobs before it.
    fn submit(&self, job: u64);
    /// Called before a job is opened. An error ends the feeder.
    fn before_open(&self) -> Result<()> {
        Ok(())
    }
    /// Called with input before it is given to a job that may have to wait for more. Returns the same bytes, perhaps
    /// in another place.
    fn put_away(&self, segment: Segment) -> Segment {
        segment
    }
    /// No more jobs are wanted.
    fn close(&self) {}
}

impl Feed<'_> {
    /// Memory for input, of `len` bytes. Waits until there is some.
    pub fn slab(&self, len: usize) -> Result<Lease> {
        self.line.slabs.lend(len, || true)
    }

    /// Opens a job whose input starts at offset `start`, and gives it to the workers. Returns its number.
    ///
    /// If jobs are guesses, the first bytes of the job follow without a wait for input. A worker whose frame continues
    /// into a job without any bytes would wait there, and keep output that it could let leave.
    pub fn open(&self, start: u64) -> Result<u64> {
        let (job, is_new) = self.begin_job(start, None)?;
        if is_new {
            self.jobs.submit(job);
        }
        Ok(job)
    }

    /// Opens a job that has all its input already, and gives it to the workers. `next` is the tag of what follows.
    pub fn open_whole(&self, start: u64, input: Segment, next: Tag) -> Result<()> {
        let (job, _) = self.begin_job(start, Some((input, next)))?;
        self.jobs.submit(job);
        Ok(())
    }

    /// Opens a job that no worker needs to see, because its input has no output or is known to be wrong. If the frame
    /// before continues into this job, `result` does not count.
    pub fn open_done(&self, start: u64, result: Result<()>) -> Result<u64> {
        let (job, is_new) = self.begin_job(start, None)?;
        if is_new {
            self.line.finish_unseen(job, result);
        }
        Ok(job)
    }

    fn begin_job(&self, start: u64, whole: Option<(Segment, Tag)>) -> Result<(u64, bool)> {
        self.jobs.before_open()?;
        let opened = self.line.open(start, whole);
        self.line.meter().add_feeder();
        opened
    }

    /// Adds input to the open job.
    pub fn push(&self, job: u64, segment: Segment) {
        self.line.pass(&segment);
        let segment = self.jobs.put_away(segment);
        let mut state = self.line.lock();
        state.request.input_came();
        if job < state.head {
            state.passed += segment.len();
            return self.line.show(&mut state, 0);
        }
        let slot = state.slot(job);
        slot.starves = false;
        slot.input_len += segment.len();
        slot.span_len += segment.len();
        if !slot.input.back_mut().is_some_and(|last| last.take_in(&segment)) {
            slot.input.push_back(segment);
        }
        drop(state);
        self.line.changed(job).notify_all();
    }

    /// Notes where a unit starts. Called before its bytes are pushed.
    pub fn mark(&self, job: u64, mark: Mark) {
        let mut state = self.line.lock();
        let slot = state.slot(job);
        slot.starves = false;
        slot.tag = mark.tag;
        slot.marks.push_back(mark);
        drop(state);
        self.line.changed(job).notify_all();
    }

    /// Notes the length of the unit that was marked last.
    pub fn mark_len(&self, job: u64, coded_len: u64) {
        let mut state = self.line.lock();
        let slot = state.slot(job);
        slot.starves = false;
        if let Some(mark) = slot.marks.back_mut() {
            mark.coded_len = Some(coded_len);
        }
        drop(state);
        self.line.changed(job).notify_all();
    }

    /// Notes that the open job has all its input. `next` is the tag of what is believed to begin behind it.
    pub fn close(&self, job: u64, next: Tag) {
        let mut state = self.line.lock();
        let slot = state.slot(job);
        (slot.closed, slot.next, slot.starves) = (true, next, false);
        drop(state);
        self.line.changed(job).notify_all();
    }

    /// Whether the stream was stopped because of an error, or the caller wants it to stop.
    pub fn is_unwanted(&self) -> bool {
        self.line.is_unwanted()
    }

    /// The times of the stream. The feeder tells them when it reads.
    pub fn meter(&self) -> &Meter {
        self.line.meter()
    }

    /// Says that the input pauses. The workers then put out all that the input so far allows.
    pub fn input_pauses(&self) {
        self.line.make_last_effort();
    }

    /// Asks the owner of a session for a slab of `len` bytes with input, and waits for it. Returns the slab and how
    /// much of it is filled: 0 at the end of the input. Nothing if the input pauses, and it `may_pause`.
    pub fn ask(&self, len: usize, may_pause: bool) -> Result<Option<(Lease, usize)>> {
        self.line.ask(|| self.slab(len), may_pause)
    }
}

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
            // With the lock held: a line that was stopped before has no notice left for this thread.
            if !seeded!(OpenedWithoutLook) {
                self.check()?;
            }
            let last = state.tail - 1;
            if state.waits_behind == Some(last) {
                debug_assert!(whole.is_none(), "a job that may be opened again gets its input later");
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
        self.used(job).store(0, Ordering::Relaxed);
        if let Some((segment, next)) = whole {
            (slot.input_len, slot.span_len) = (segment.len(), segment.len());
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

    /// Notes that no more jobs come. If `result` is an error of the feeder, it counts after all jobs.
    pub(crate) fn end(&self, result: Result<()>) {
        let mut state = self.lock();
        state.feed_error = result.err();
        state.ended = true;
        drop(state);
        self.ready.notify_all();
    }

    /// Closes the newest job, if a feeder that has failed has left it open. Nobody else would, so a lone thread would
    /// wait for its input for ever.
    pub(crate) fn close_newest(&self) {
        let mut state = self.lock();
        if let Some(newest) = state.tail.checked_sub(1).filter(|&newest| newest >= state.head) {
            state.slot(newest).closed = true;
        }
    }
}
