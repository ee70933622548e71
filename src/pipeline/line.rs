//! The line: numbered jobs, their input, their output, and the order in which it leaves.
//!
//! The feeder opens jobs in stream order and pushes input to the newest. Workers take jobs in the
//! same order, read that input and emit pieces of output, each job at its own pace. Pieces leave
//! from the *head* of the line only, the oldest job that is not finished, so results and errors come
//! out in the order of the stream: all bytes before an error, then the error.
//!
//! # Guesses
//! Where a job begins may be a guess: a size claimed in a header, a magic number found in the data.
//! The rule that makes any guess safe: **output counts only if it starts exactly where the output
//! before it ended.** A worker that meets the end of its span in the middle of a frame waits until
//! its job is the head, hence certain, and goes on into the span of the next job, which is revoked
//! ([`Line::absorb`]). For this a job that is not yet certain keeps the input it has consumed.
//!
//! # Who may wait for whom
//! The feeder waits for slots and slabs, workers for input, for credit and to become head, the
//! writer for the head. The head waits for nobody but the feeder: it was started first, so a worker
//! has it; its input was read first; part of the credit is reserved for it. If it is still being fed
//! there is no later job that could hold the feeder's memory. So the line always moves.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::buffers::{Buffers, Slice};
use super::{Joiner, Report};
use crate::error::{Error, Result};

/// A stretch of input: bytes in memory, or a range of the input file that the worker reads itself.
pub(crate) enum Segment {
    Slice(Slice),
    Range(Range<u64>),
}

impl Segment {
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Slice(slice) => slice.len() as u64,
            Self::Range(range) => range.end - range.start,
        }
    }

    fn again(&self) -> Self {
        match self {
            Self::Slice(slice) => Self::Slice(slice.part(0..slice.len())),
            Self::Range(range) => Self::Range(range.clone()),
        }
    }
}

/// A unit of coded input that the feeder recognised: usually a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Offset of its first byte.
    pub(crate) start: u64,
    /// Its length, once the feeder has seen its end; [`OPEN_ENDED`] if it never will.
    pub(crate) coded_len: Option<u64>,
    /// What the feeder wants the worker to know; the line only carries it.
    pub(crate) tag: u16,
}

/// The length of a unit whose end only its decoder can find.
pub(crate) const OPEN_ENDED: u64 = u64::MAX;

struct Slot {
    start: u64,
    input: VecDeque<Segment>,
    input_len: u64,
    kept: Vec<Segment>,
    marks: VecDeque<Mark>,
    /// The feeder has pushed all there is.
    closed: bool,
    /// Its span belongs to the job before; nothing it emits counts.
    revoked: bool,
    output: VecDeque<Slice>,
    done: Option<Result<Report>>,
}

impl Slot {
    fn new() -> Self {
        Self {
            start: 0,
            input: VecDeque::with_capacity(32),
            input_len: 0,
            kept: Vec::with_capacity(32),
            marks: VecDeque::with_capacity(64),
            closed: false,
            revoked: false,
            output: VecDeque::with_capacity(32),
            done: None,
        }
    }

    fn reset(&mut self, start: u64) {
        debug_assert!(self.output.is_empty());
        self.start = start;
        self.input.clear();
        self.input_len = 0;
        self.kept.clear();
        self.marks.clear();
        self.closed = false;
        self.revoked = false;
        self.done = None;
    }
}

struct State {
    slots: Vec<Slot>,
    head: u64,
    tail: u64,
    /// No job will be opened any more.
    ended: bool,
    /// Why the feeder ended early; it comes after all that was fed.
    feed_error: Option<Error>,
    /// The span behind which the head of the line waits for more, in the middle of a frame.
    hungry: Option<u64>,
    failure: Option<Error>,
    written: u64,
    joiner: Box<dyn Joiner>,
}

impl State {
    fn slot(&mut self, job: u64) -> &mut Slot {
        let count = self.slots.len() as u64;
        debug_assert!(job < self.tail && job + count >= self.tail);
        &mut self.slots[(job % count) as usize]
    }
}

/// Something that leaves the line: bytes, and their offset in the output.
pub(crate) struct Delivery {
    pub(crate) at: u64,
    pub(crate) slice: Slice,
}

/// What a worker gets when it asks for input.
pub(crate) enum Input {
    Segment(Segment),
    /// The span of this job ends here.
    SpanEnd,
}

/// See the module's documentation.
pub(crate) struct Line {
    state: Mutex<State>,
    /// The head of the line may have something to deliver, or the line has changed at its end.
    ready: Condvar,
    /// A slot became free.
    room: Condvar,
    /// Per slot: input arrived, the job became head, or it was revoked.
    changed: Vec<Condvar>,
    /// The head, to be read without the lock.
    head: AtomicU64,
    stopped: AtomicBool,
    /// Whether the starts of jobs are guesses, so that consumed input is kept until they are certain.
    guesses: bool,
    /// Memory for input.
    pub(crate) slabs: Arc<Buffers>,
    /// Memory for output.
    pub(crate) pieces: Arc<Buffers>,
    /// Length of a piece of output, where nothing asks for a longer one.
    pub(crate) piece_len: usize,
}

impl Line {
    pub(crate) fn new(
        slots: usize,
        guesses: bool,
        slabs: Arc<Buffers>,
        pieces: Arc<Buffers>,
        piece_len: usize,
        joiner: Box<dyn Joiner>,
        written: u64,
    ) -> Self {
        let state = State {
            slots: (0..slots).map(|_| Slot::new()).collect(),
            head: 0,
            tail: 0,
            ended: false,
            feed_error: None,
            hungry: None,
            failure: None,
            written,
            joiner,
        };
        Self {
            state: Mutex::new(state),
            ready: Condvar::new(),
            room: Condvar::new(),
            changed: (0..slots).map(|_| Condvar::new()).collect(),
            head: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            guesses,
            slabs,
            pieces,
            piece_len,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, on: &Condvar, state: MutexGuard<'a, State>) -> Result<MutexGuard<'a, State>> {
        let state = on.wait(state).unwrap_or_else(PoisonError::into_inner);
        self.check().map(|()| state)
    }

    fn check(&self) -> Result<()> {
        if self.is_stopped() { Err(Error::GivenUp) } else { Ok(()) }
    }

    /// Whether everything is being given up because of an error.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    fn changed(&self, job: u64) -> &Condvar {
        &self.changed[(job % self.changed.len() as u64) as usize]
    }

    /// Whether `job` is the head of the line, so that its start is certain.
    pub(crate) fn is_head(&self, job: u64) -> bool {
        self.head.load(Ordering::Acquire) == job
    }

    // ---- The feeder's side ----

    /// Opens the next job, whose input starts at `start`; waits for a free slot.
    ///
    /// If the head of the line has absorbed all jobs there can be and its frame still goes on, the
    /// last of them is opened again: then the second value is false.
    pub(crate) fn open(&self, start: u64) -> Result<(u64, bool)> {
        self.check()?;
        let mut state = self.lock();
        while state.tail - state.head == state.slots.len() as u64 {
            let last = state.tail - 1;
            if state.hungry == Some(last) {
                state.hungry = None;
                let slot = state.slot(last);
                slot.closed = false;
                slot.marks.clear();
                self.ready.notify_all();
                return Ok((last, false));
            }
            state = self.wait(&self.room, state)?;
        }
        let job = state.tail;
        state.tail += 1;
        state.slot(job).reset(start);
        // Somebody may wait to absorb it.
        self.ready.notify_all();
        Ok((job, true))
    }

    /// Adds input to the open job.
    pub(crate) fn push(&self, job: u64, segment: Segment) {
        let mut state = self.lock();
        let slot = state.slot(job);
        slot.input_len += segment.len();
        slot.input.push_back(segment);
        self.changed(job).notify_all();
    }

    /// Notes where a unit starts, before its bytes are pushed.
    pub(crate) fn mark(&self, job: u64, mark: Mark) {
        self.lock().slot(job).marks.push_back(mark);
        self.changed(job).notify_all();
    }

    /// Notes the length of the unit marked last.
    pub(crate) fn mark_len(&self, job: u64, coded_len: u64) {
        if let Some(mark) = self.lock().slot(job).marks.back_mut() {
            mark.coded_len = Some(coded_len);
        }
        self.changed(job).notify_all();
    }

    /// Says that the open job has all its input.
    pub(crate) fn close(&self, job: u64) {
        self.lock().slot(job).closed = true;
        self.changed(job).notify_all();
    }

    /// Says that no more jobs come; `result` is the feeder's own, and an error takes its place in line.
    pub(crate) fn end(&self, result: Result<()>) {
        let mut state = self.lock();
        state.feed_error = result.err();
        state.ended = true;
        self.ready.notify_all();
    }

    // ---- The workers' side ----

    /// Offset at which the input of `job` starts.
    pub(crate) fn start_of(&self, job: u64) -> u64 {
        self.lock().slot(job).start
    }

    /// The next input of the span of job `at`, on behalf of `job`; waits for the feeder.
    pub(crate) fn input(&self, job: u64, at: u64) -> Result<Input> {
        let mut state = self.lock();
        loop {
            self.check()?;
            if state.slot(job).revoked {
                return Err(Error::GivenUp);
            }
            let certain = !self.guesses || state.head == job;
            let slot = state.slot(at);
            if let Some(segment) = slot.input.pop_front() {
                slot.input_len -= segment.len();
                if !certain {
                    slot.kept.push(segment.again());
                }
                return Ok(Input::Segment(segment));
            }
            if slot.closed {
                return Ok(Input::SpanEnd);
            }
            state = self.wait(self.changed(at), state)?;
        }
    }

    /// Whether input of `job` can be had without waiting.
    pub(crate) fn has_input(&self, job: u64) -> bool {
        let mut state = self.lock();
        let slot = state.slot(job);
        slot.closed || !slot.input.is_empty()
    }

    /// The mark of the unit that starts at `offset`, once its length is known, or as soon as it is
    /// clear that it is too long to wait for: more than `most` bytes, or in more than
    /// `most_segments`. `have` bytes of it have been taken already.
    pub(crate) fn unit(
        &self,
        job: u64,
        offset: u64,
        have: u64,
        most: u64,
        most_segments: usize,
    ) -> Result<Option<Mark>> {
        let mut state = self.lock();
        loop {
            self.check()?;
            let slot = state.slot(job);
            if slot.revoked {
                return Err(Error::GivenUp);
            }
            while slot.marks.front().is_some_and(|mark| mark.start < offset) {
                slot.marks.pop_front();
            }
            let long = have + slot.input_len > most || slot.input.len() > most_segments;
            match slot.marks.front() {
                Some(mark) if mark.start > offset => return Ok(None),
                Some(mark) if mark.coded_len.is_some() || long || slot.closed => {
                    return Ok(Some(*mark));
                }
                None if slot.closed || have > 0 || !slot.input.is_empty() => return Ok(None),
                _ => {}
            }
            state = self.wait(self.changed(job), state)?;
        }
    }

    /// Goes on from the span of job `at` into the one behind it, on behalf of `job`, whose frame was
    /// not finished there. Returns the job whose input is to be read now, or nothing at the true end.
    pub(crate) fn absorb(&self, job: u64, at: u64) -> Result<Option<u64>> {
        let mut state = self.lock();
        loop {
            self.check()?;
            if state.slot(job).revoked {
                return Err(Error::GivenUp);
            }
            let next = at + 1;
            if state.head == job && next < state.tail {
                let slot = state.slot(next);
                slot.revoked = true;
                slot.marks.clear();
                slot.output.clear();
                let rest = std::mem::take(&mut slot.input);
                slot.input.extend(slot.kept.drain(..).chain(rest));
                slot.input_len = slot.input.iter().map(Segment::len).sum();
                self.changed(next).notify_all();
                self.pieces.nudge();
                return Ok(Some(next));
            }
            if state.head == job && state.ended {
                // The feeder's own error, such as one of reading, is why there is no more input.
                return state.feed_error.take().map_or(Ok(None), Err);
            }
            if state.head == job {
                state.hungry = Some(at);
                self.room.notify_all();
            }
            state = self.wait(&self.ready, state)?;
            if state.head == job && state.hungry.take().is_none() {
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
        if slot.revoked {
            return Err(Error::GivenUp);
        }
        slot.output.push_back(piece);
        if is_head {
            self.ready.notify_all();
        }
        Ok(())
    }

    /// Ends a job with its result.
    pub(crate) fn finish(&self, job: u64, result: Result<Report>) {
        let mut state = self.lock();
        let is_head = state.head == job;
        state.slot(job).done = Some(result);
        if is_head {
            self.ready.notify_all();
        }
    }

    // ---- The side of the output ----

    /// The next piece in stream order, if it is there.
    pub(crate) fn deliver(&self) -> Option<Delivery> {
        self.next(&mut self.lock())
    }

    /// The next piece in stream order; waits for it. Nothing at the end of the stream or after a failure.
    pub(crate) fn deliver_or_wait(&self) -> Option<Delivery> {
        let mut state = self.lock();
        loop {
            if let Some(delivery) = self.next(&mut state) {
                return Some(delivery);
            }
            if self.is_stopped() || (state.ended && state.head == state.tail) {
                return None;
            }
            state = self.wait(&self.ready, state).ok()?;
        }
    }

    /// Whether everything has been delivered, or never will be.
    pub(crate) fn is_over(&self) -> bool {
        let state = self.lock();
        self.is_stopped() || (state.ended && state.head == state.tail)
    }

    fn next(&self, state: &mut State) -> Option<Delivery> {
        while state.head < state.tail && !self.is_stopped() {
            let head = state.head;
            let slot = state.slot(head);
            if slot.revoked {
                slot.output.clear();
            }
            if let Some(slice) = slot.output.pop_front() {
                let at = state.written;
                state.written += slice.len() as u64;
                return Some(Delivery { at, slice });
            }
            let revoked = slot.revoked;
            match slot.done.take()? {
                _ if revoked => {}
                Ok(report) => state.joiner.join(&report),
                Err(error) => {
                    state.failure.get_or_insert(error);
                    self.stop_all();
                    return None;
                }
            }
            self.advance(state);
        }
        if state.ended
            && state.head == state.tail
            && let Some(error) = state.feed_error.take()
        {
            state.failure.get_or_insert(error);
            self.stop_all();
        }
        None
    }

    fn advance(&self, state: &mut State) {
        let head = state.head;
        let slot = state.slot(head);
        slot.input.clear();
        slot.kept.clear();
        state.head += 1;
        self.head.store(state.head, Ordering::Release);
        if state.head < state.tail {
            let next = state.head;
            state.slot(next).kept.clear();
            self.changed(next).notify_all();
        }
        self.room.notify_all();
        self.ready.notify_all();
        self.pieces.nudge();
    }

    /// Stops everything because of `error`, which comes from no job: an output that fails, a panic.
    pub(crate) fn stop(&self, error: Error) {
        let mut state = self.lock();
        state.failure.get_or_insert(error);
        self.stop_all();
    }

    /// With the lock held, so that nobody misses the notice between looking and waiting.
    fn stop_all(&self) {
        self.stopped.store(true, Ordering::Release);
        self.slabs.close();
        self.pieces.close();
        self.room.notify_all();
        self.ready.notify_all();
        self.changed.iter().for_each(Condvar::notify_all);
    }

    /// Ends the line: the joiner, or the first error of the stream, and the length of the output.
    pub(crate) fn into_result(self) -> (Result<Box<dyn Joiner>>, u64) {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.slots.clear();
        if let Some(error) = state.failure {
            return (Err(error), state.written);
        }
        debug_assert_eq!(state.head, state.tail, "all jobs were delivered");
        debug_assert_eq!((self.slabs.lent(), self.pieces.lent()), (0, 0), "all buffers came back");
        (Ok(state.joiner), state.written)
    }
}
