//! The line: numbered jobs, their input, their output, and the order in which the output leaves.
//!
//! The feeder opens jobs in the order of the stream and pushes input to the newest one. Workers take jobs in the same
//! order, read their input and emit pieces of output. Each job has its own pace. Pieces leave only from the *head* of
//! the line: the oldest job whose output has not left completely. So results and errors come out in the order of the
//! stream: first all bytes before an error, then the error.
//!
//! # Guesses
//! The *span* of a job is the stretch of input that the feeder gives to the job. The start of a span may be a guess:
//! the feeder took it from a size that a header claims, or found a magic number in the data. One rule makes every guess
//! safe: **the output of a job counts only if the job before it ended exactly where this job starts.**
//!
//! A worker may meet the end of the span in the middle of a frame. Then the guess at the start of the next span was
//! wrong. The worker waits until its own job is the head: from then on the start of this job is no guess any more. Then
//! the worker continues into the next span, and the job of that span is cancelled ([`Line::continue_into_next`]). The
//! worker reads the next span from its start. So as long as a job can be cancelled, the job keeps the input that its
//! own worker has already read.
//!
//! # Why the line always moves
//! The feeder waits for slots and slabs. A worker waits for input, for memory, for what the jobs before hand on, and to
//! become the head. The writer waits for the head. So all threads wait for the head, directly or not. The head itself
//! needs three things, and waits for no thread but the feeder to get them:
//!
//! 1. A worker. Workers take jobs in order, so a worker has taken the head. A job may have left the rest of its work to
//!    an earlier job (`relay.rs`): such a job is done, and the earlier job takes the work before it ends.
//! 2. Memory for its input. The feeder reads the input of the head before that of later jobs. While the feeder still
//!    feeds the head, there is no later job that could hold input memory.
//! 3. Memory for its output. Later jobs could hold all of it, but part of this memory is reserved for the head.

mod deliver;
mod driven;
mod feed;
mod handovers;
mod slot;
mod workers;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64 as PlainU64, Ordering};

pub(crate) use deliver::Delivery;
use driven::InputRequest;
pub use driven::{Turn, Wait};
pub use feed::Feed;
pub(crate) use feed::Jobs;
pub(crate) use handovers::PassedOn;
use slot::Slot;
pub use slot::{Mark, OPEN_ENDED, Segment, Tag};
pub(crate) use workers::SpanInput;

use super::Joiner;
use super::buffers::Buffers;
use super::inline::INLINE_SLOTS;
use super::plan::Plan;
use super::relay::Handover;
use super::signal::{Guard, Lock, Signal};
use super::sync::{AtomicBool, AtomicU64, seeded};
use super::tap::TapQueue;
use crate::Progress;
use crate::error::{Error, Result};
use crate::waits::Meter;

pub(crate) struct LineState {
    slots: Vec<Slot>,
    head: u64,
    tail: u64,
    /// Whether the feeder has ended, so that it opens no more jobs.
    ended: bool,
    /// Why the feeder ended early. This error is the result of the stream if all jobs on the line end without an error.
    feed_error: Option<Error>,
    /// Set if the head has read all spans up to that of this job, and waits for the span behind it, because its frame
    /// has not ended yet.
    waits_behind: Option<u64>,
    failure: Option<Error>,
    /// Bytes of output that have left the line, with the header of the stream.
    written: u64,
    /// Bytes of input of the jobs before the head.
    passed: u64,
    /// How many bytes of input are shown as done.
    shown: u64,
    /// The first job that is not done. All jobs before it are done without an error, or cancelled. So its start is no
    /// guess any more.
    certain: u64,
    /// The joined handovers of all jobs before the certain one.
    relayed: Handover,
    /// Absent after the line has ended and its result was taken.
    joiner: Option<Box<dyn Joiner>>,
    /// What the feeder and the owner of a session want of each other.
    request: InputRequest,
}

impl LineState {
    /// Whether the output of all jobs has left, and no more jobs come. The error of the feeder may be left.
    fn is_at_end(&self) -> bool {
        self.ended && self.head == self.tail
    }

    fn slot(&mut self, job: u64) -> &mut Slot {
        let count = self.slots.len() as u64;
        debug_assert!(job < self.tail && job + count >= self.tail);
        &mut self.slots[(job % count) as usize]
    }
}

/// The line of jobs. The documentation of this module says how it works.
pub(crate) struct Line {
    state: Lock<LineState>,
    /// The head may have something to deliver, a job was opened or reopened at the end of the line, or the feeder has
    /// ended.
    ready: Signal,
    /// A slot became free.
    room: Signal,
    /// The owner of a session has given input to the feeder, or the input pauses.
    supplied: Signal,
    /// The feeder wants input, or the inner reader may be tried again.
    asked: Signal,
    /// One for each slot. It is raised when input for the job arrived, when a baton for it was published, when the job
    /// became certain or the head, or when it was cancelled.
    changed: Vec<Signal>,
    /// The head, to be read without the lock.
    head: AtomicU64,
    /// One for each slot: how many bytes of input its job has used. No thread decides anything by it, so the models of
    /// the line need not know it.
    used: Vec<PlainU64>,
    stopped: AtomicBool,
    /// Whether the starts of jobs are guesses. If they are, a job keeps the input that it has read until its start is
    /// certain.
    guesses: bool,
    /// Whether there is only one worker.
    pub(crate) is_alone: bool,
    /// Counts the bytes for the caller.
    progress: Progress,
    /// Where the bytes of the input and the output go besides, in order.
    input_tap: Option<TapQueue>,
    output_tap: Option<TapQueue>,
    /// Memory for input.
    pub(crate) slabs: Arc<Buffers>,
    /// Memory for output.
    pub(crate) pieces: Arc<Buffers>,
    /// Length of a piece of output, unless the caller asks for more room.
    pub(crate) piece_len: usize,
    /// The most bytes of output.
    output_max: Option<u64>,
}

impl Line {
    /// The line of a stream with this many workers.
    pub(crate) fn new(plan: Plan, workers: usize) -> Self {
        let Plan { joiner, header, guesses, slots, piece_len, slabs, pieces, progress, output_max, .. } =
            plan;
        // In the steady state nothing is allocated. A stream with few jobs has none.
        let room = if slots > INLINE_SLOTS { 32 } else { 0 };
        let state = LineState {
            slots: (0..slots).map(|_| Slot::new(room)).collect(),
            head: 0,
            tail: 0,
            ended: false,
            feed_error: None,
            waits_behind: None,
            failure: None,
            written: header.len() as u64,
            passed: 0,
            shown: 0,
            certain: 0,
            relayed: Handover::default(),
            joiner: Some(joiner),
            request: InputRequest::default(),
        };
        Self {
            state: Lock::new(state),
            ready: Signal::default(),
            room: Signal::default(),
            supplied: Signal::default(),
            asked: Signal::default(),
            changed: (0..slots).map(|_| Signal::default()).collect(),
            head: AtomicU64::new(0),
            used: (0..slots).map(|_| Default::default()).collect(),
            stopped: AtomicBool::new(false),
            guesses,
            is_alone: workers == 1,
            progress: progress.unwrap_or_default(),
            input_tap: None,
            output_tap: None,
            slabs,
            pieces,
            piece_len,
            output_max,
        }
    }

    /// The same line, with these queues for taps.
    pub(crate) fn with_taps(self, input: Option<TapQueue>, output: Option<TapQueue>) -> Self {
        Self { input_tap: input, output_tap: output, ..self }
    }

    /// Ends the queues for taps, after the last byte.
    pub(crate) fn end_taps(&self) {
        [&self.input_tap, &self.output_tap].into_iter().flatten().for_each(TapQueue::end);
    }

    /// Whether the starts of jobs are guesses.
    pub(crate) fn guesses(&self) -> bool {
        self.guesses
    }

    /// The times of the stream.
    pub(crate) fn meter(&self) -> &Meter {
        self.progress.meter()
    }

    /// Whether the stream was stopped because of an error, or the caller wants it to stop.
    pub(crate) fn is_unwanted(&self) -> bool {
        self.is_stopped() || self.progress.is_cancelled()
    }

    fn lock(&self) -> Guard<'_, LineState> {
        self.state.lock()
    }

    fn wait<'a>(&self, on: &Signal, state: Guard<'a, LineState>) -> Result<Guard<'a, LineState>> {
        let state = on.wait(state);
        self.check().map(|()| state)
    }

    fn check(&self) -> Result<()> {
        if self.is_stopped() { Err(Error::GivenUp) } else { Ok(()) }
    }

    /// Whether the line was stopped because of an error.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    fn changed(&self, job: u64) -> &Signal {
        &self.changed[(job % self.changed.len() as u64) as usize]
    }

    /// How many bytes of input the job has used. They are done when the job is the head and its output leaves.
    pub(crate) fn used(&self, job: u64) -> &PlainU64 {
        &self.used[(job % self.used.len() as u64) as usize]
    }

    /// Whether `job` is the head of the line, so that its start is certain.
    pub(crate) fn is_head(&self, job: u64) -> bool {
        self.head.load(Ordering::Acquire) == job
    }

    /// Stops the line because of an `error` that comes from no job: an output that fails, or a panic.
    pub(crate) fn stop(&self, error: Error) {
        let mut state = self.lock();
        state.failure.get_or_insert(error);
        let stop = || self.stopped.store(true, Ordering::Release);
        if seeded!(StoppedWithoutLock) {
            drop(state);
            stop();
        } else {
            stop();
            drop(state);
        }
        self.notify_stopped();
    }

    /// Ends all waiting, after `stopped` was set with the lock held. A thread checks `stopped` and begins to wait
    /// without giving up the lock in between. So a thread that checked before the stop waits already, and is woken
    /// here.
    fn notify_stopped(&self) {
        self.slabs.close();
        self.pieces.close();
        self.room.notify_all();
        self.ready.notify_all();
        self.supplied.notify_all();
        self.asked.notify_all();
        self.changed.iter().for_each(Signal::notify_all);
    }

    /// Ends the line. Returns the joiner, or the first error of the stream, and the length of the output.
    pub(crate) fn into_result(self) -> (Result<Box<dyn Joiner>>, u64) {
        let joiner = self.take_joiner();
        let mut state = self.state.into_inner();
        state.slots.clear();
        if joiner.is_ok() {
            debug_assert_eq!(state.head, state.tail, "all jobs were delivered");
            debug_assert_eq!((self.slabs.lent(), self.pieces.lent()), (0, 0), "all buffers came back");
        }
        (joiner, state.written)
    }

    /// The joiner after the end of the stream, or the first error of the stream. It can be taken once.
    pub(crate) fn take_joiner(&self) -> Result<Box<dyn Joiner>> {
        let mut state = self.lock();
        match state.failure.take() {
            Some(error) => Err(error),
            None => state.joiner.take().ok_or(Error::GivenUp),
        }
    }
}
