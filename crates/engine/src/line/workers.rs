//! The workers' side of the line: a worker takes the input of a job and gives its output.
//!
//! [`Source`](crate::Source) and [`Emitter`](crate::Emitter) call these methods. A call that waits
//! or emits fails with [`Error::GivenUp`] if the line was stopped or the job was cancelled, so that its worker turns to
//! another job.

use super::Line;
use super::slot::{Mark, OPEN_ENDED, Segment, Tag};
use crate::Report;
use crate::buffers::Slice;
use crate::error::{Error, Result};
use crate::sync::seeded;

/// The answer to a worker that asks for input.
pub(crate) enum SpanInput {
    Segment(Segment),
    /// The span ends here. This is the tag of what the feeder believes to begin behind it.
    SpanEnd(Tag),
}

impl Line {
    /// Offset at which the input of `job` starts.
    pub(crate) fn start_of(&self, job: u64) -> u64 {
        self.lock().slot(job).start
    }

    /// The next input of the span of job `at`, for `job`. Waits for the feeder.
    pub(crate) fn input(&self, job: u64, at: u64) -> Result<SpanInput> {
        let mut state = self.lock();
        loop {
            self.check()?;
            if state.slot(job).cancelled {
                return Err(Error::GivenUp);
            }
            let certain = !self.guesses || state.head == job;
            let slot = state.slot(at);
            if let Some(segment) = slot.input.pop_front() {
                slot.input_len -= segment.len();
                if !certain && !slot.kept.last_mut().is_some_and(|last| last.take_in(&segment)) {
                    slot.kept.push(segment.again());
                }
                return Ok(SpanInput::Segment(segment));
            }
            if slot.closed {
                return Ok(SpanInput::SpanEnd(slot.next));
            }
            state = self.starve(at, state)?;
        }
    }

    /// The tag of what follows the span of job `at`, if `job` has taken all input of the span. Does not wait.
    pub(crate) fn span_end(&self, job: u64, at: u64) -> Result<Option<Tag>> {
        self.check()?;
        let mut state = self.lock();
        if state.slot(job).cancelled {
            return Err(Error::GivenUp);
        }
        let slot = state.slot(at);
        Ok((slot.closed && slot.input.is_empty()).then_some(slot.next))
    }

    /// Waits for input of the span of job `at`, for `job`. Returns false if the input pauses.
    pub(crate) fn await_input(&self, job: u64, at: u64) -> Result<bool> {
        let mut state = self.lock();
        loop {
            self.check()?;
            if state.slot(job).cancelled {
                return Err(Error::GivenUp);
            }
            let slot = state.slot(at);
            if !slot.input.is_empty() || slot.closed {
                return Ok(true);
            }
            if state.request.is_last_resort() {
                return Ok(false);
            }
            state = self.starve(at, state)?;
        }
    }

    /// Whether `job` can get input without waiting. If a unit at `offset` is marked, its length must be known too.
    pub(crate) fn is_ready(&self, job: u64, offset: u64) -> bool {
        let mut state = self.lock();
        let slot = state.slot(job);
        let is_coming = slot.marks.iter().any(|mark| mark.start == offset && mark.coded_len.is_none());
        slot.closed || !slot.input.is_empty() && !is_coming
    }

    /// The mark of the unit that starts at `offset`. Waits until its length is known, or until the unit is clearly
    /// too long to wait for: more than `most` bytes. `have` bytes of it have been taken already. If the owner of a
    /// session is about to wait for input, it does not wait either, because the bytes at hand may be all that come for
    /// a long time. The second value is true if the call ended because there are more than `most_segments` segments.
    pub(crate) fn unit(
        &self,
        job: u64,
        offset: u64,
        have: u64,
        most: u64,
        most_segments: usize,
    ) -> Result<(Option<Mark>, bool)> {
        let mut state = self.lock();
        loop {
            self.check()?;
            let must_go_on = state.request.is_last_resort();
            let slot = state.slot(job);
            if slot.cancelled {
                return Err(Error::GivenUp);
            }
            while slot.marks.front().is_some_and(|mark| mark.start < offset) {
                slot.marks.pop_front();
            }
            let long = have + slot.input_len > most;
            match slot.marks.front() {
                Some(mark) if mark.start > offset => return Ok((None, false)),
                Some(mark) if mark.coded_len.is_some() || long || slot.closed || must_go_on => {
                    return Ok((Some(*mark), false));
                }
                Some(_) if slot.input.len() > most_segments => return Ok((None, true)),
                None if slot.closed || have > 0 || !slot.input.is_empty() => return Ok((None, false)),
                _ => {}
            }
            state = self.starve(job, state)?;
        }
    }

    /// Fills in the lengths of the units from `offset` on that have the same tag, are at hand completely, and have at
    /// most `most` bytes together. Returns their number.
    pub(crate) fn units(&self, job: u64, offset: u64, most: u64, lens: &mut [usize]) -> usize {
        let mut state = self.lock();
        let marks = state.slot(job).marks.iter().skip_while(|mark| mark.start < offset);
        let (mut end, mut tag, mut count) = (offset, None, 0);
        for (mark, place) in marks.zip(lens) {
            let Some(len) = mark.coded_len.filter(|&len| len != OPEN_ENDED && end + len - offset <= most)
            else {
                break;
            };
            if mark.start != end || *tag.get_or_insert(mark.tag) != mark.tag {
                break;
            }
            *place = len as usize;
            (end, count) = (end + len, count + 1);
        }
        count
    }

    /// The mark of the unit that starts at `offset`, if there is one by now.
    pub(crate) fn unit_at(&self, job: u64, offset: u64) -> Option<Mark> {
        let mut state = self.lock();
        state.slot(job).marks.iter().copied().find(|mark| mark.start == offset)
    }

    /// The mark of the next unit behind `offset`, if there is one by now, and whether the job has all its input.
    pub(crate) fn next_unit(&self, job: u64, offset: u64) -> (Option<Mark>, bool) {
        let mut state = self.lock();
        let slot = state.slot(job);
        (slot.marks.iter().copied().find(|mark| mark.start > offset), slot.closed)
    }

    /// Continues from the span of job `at` into the next span, for `job`, whose frame does not end there. The job of
    /// the next span is cancelled: its output is dropped, and its input is read again from the start. Returns the job
    /// whose input is to be read now, or nothing at the end of the whole input.
    pub(crate) fn continue_into_next(&self, job: u64, at: u64) -> Result<Option<u64>> {
        let mut state = self.lock();
        loop {
            self.check()?;
            if state.slot(job).cancelled {
                return Err(Error::GivenUp);
            }
            let next = at + 1;
            if (state.head == job || seeded!(GuessContinued)) && next < state.tail {
                state.waits_behind = None;
                debug_assert!(
                    !state.slot(job).has_handed_on,
                    "a job that has published a baton does not continue into the next span"
                );
                let slot = state.slot(next);
                slot.cancelled = true;
                // The worker that waited for input gives up. If this job waits now, the owner of a session must know.
                if !seeded!(StarvingTwice) {
                    slot.starves = false;
                }
                slot.marks.clear();
                slot.output.clear();
                if seeded!(KeptInputLost) {
                    slot.kept.clear();
                }
                let rest = std::mem::take(&mut slot.input);
                slot.input.extend(slot.kept.drain(..).chain(rest));
                slot.input_len = slot.input.iter().map(Segment::len).sum();
                drop(state);
                self.changed(next).notify_all();
                self.pieces.wake_waiters();
                return Ok(Some(next));
            }
            if state.head == job && state.ended {
                // If the feeder ended with an error, such as one of reading, that error is why there is no more input.
                return state.feed_error.take().map_or(Ok(None), Err);
            }
            if state.head == job && state.waits_behind != Some(at) {
                // The feeder may wait for a slot of a full line. It can open the last job again ([`Self::open`]). The
                // owner of a session may wait for output, which cannot come before it gives input.
                state.waits_behind = Some(at);
                let owner_waits = state.request.is_pending() && self.ready.is_awaited();
                if self.room.is_awaited() || owner_waits {
                    drop(state);
                    self.room.notify_all();
                    if owner_waits {
                        self.ready.notify_all();
                    }
                    state = self.lock();
                    if state.head == job && state.waits_behind.is_none() {
                        // Meanwhile the last job was opened again.
                        return Ok(Some(at));
                    }
                    continue;
                }
            }
            state = self.wait(&self.ready, state)?;
            // The feeder clears `waits_behind` when it has opened the last job again.
            if state.head == job && state.waits_behind.take().is_none() {
                return Ok(Some(at));
            }
        }
    }

    /// Adds a piece to the output of `job`.
    pub(crate) fn emit(&self, job: u64, piece: Slice) -> Result<()> {
        self.check()?;
        let mut state = self.lock();
        let is_head = state.head == job;
        let slot = state.slot(job);
        if slot.cancelled {
            return Err(Error::GivenUp);
        }
        slot.output.push_back(piece);
        drop(state);
        if is_head && !seeded!(PieceWithoutNotice) {
            self.ready.notify_all();
        }
        Ok(())
    }

    /// Ends a job with the last piece of its output and its result.
    pub(crate) fn finish(&self, job: u64, last: Option<Slice>, result: Result<Report>) {
        let mut state = self.lock();
        let is_head = state.head == job;
        let slot = state.slot(job);
        if !slot.cancelled {
            slot.output.extend(last);
        }
        slot.done = Some(result);
        let certain = state.pass_done_jobs().then_some(state.certain);
        drop(state);
        if is_head {
            self.ready.notify_all();
        }
        if let Some(certain) = certain
            && !seeded!(CertainWithoutNotice)
        {
            self.changed(certain).notify_all();
        }
    }
}
