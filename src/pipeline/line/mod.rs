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
//! its job is the head, hence certain, and goes on into the span of the next job, which is cancelled
//! ([`Line::continue_into_next`]). For this a job that is not yet certain keeps the input it has consumed.
//!
//! # Who may wait for whom
//! The feeder waits for slots and slabs, workers for input, for credit, for what the jobs before hand on and to become
//! head, the writer for the head. The head waits for nobody but the feeder: it was started first, so a worker
//! has it; its input was read first; part of the credit is reserved for it. If it is still being fed
//! there is no later job that could hold the feeder's memory. So the line always moves.

mod deliver;
mod feed;
mod handovers;
mod slot;
mod workers;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub(crate) use deliver::Delivery;
use slot::Slot;
pub(crate) use slot::{Mark, OPEN_ENDED, Segment, Tag};
pub(crate) use workers::SpanInput;

use super::Joiner;
use super::buffers::Buffers;
use super::relay::{Handover, Window};
use super::signal::{Guard, Lock, Signal};
use crate::error::{Error, Result};

struct State {
    slots: Vec<Slot>,
    head: u64,
    tail: u64,
    /// No job will be opened any more.
    ended: bool,
    /// Why the feeder ended early; it comes after all that was fed.
    feed_error: Option<Error>,
    /// The span behind which the head of the line waits for more, in the middle of a frame.
    waits_behind: Option<u64>,
    failure: Option<Error>,
    written: u64,
    /// The first job of which it is not certain that it is done. All before it are done without an error, or cancelled.
    certain: u64,
    /// What all jobs before that one hand on together.
    relayed: Handover,
    /// Memory of windows that nobody uses.
    spare_windows: Vec<Window>,
    joiner: Box<dyn Joiner>,
}

impl State {
    fn slot(&mut self, job: u64) -> &mut Slot {
        let count = self.slots.len() as u64;
        debug_assert!(job < self.tail && job + count >= self.tail);
        &mut self.slots[(job % count) as usize]
    }
}

/// See the module's documentation.
pub(crate) struct Line {
    state: Lock<State>,
    /// The head of the line may have something to deliver, or the line has changed at its end.
    ready: Signal,
    /// A slot became free.
    room: Signal,
    /// Per slot: input arrived, the window came, the job became head, or it was cancelled.
    changed: Vec<Signal>,
    /// The head, to be read without the lock.
    head: AtomicU64,
    stopped: AtomicBool,
    /// Whether the starts of jobs are guesses, so that consumed input is kept until they are certain.
    guesses: bool,
    /// Whether there is but one worker.
    pub(crate) is_alone: bool,
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
            waits_behind: None,
            failure: None,
            written,
            certain: 0,
            relayed: Handover::default(),
            spare_windows: Vec::with_capacity(4 * slots),
            joiner,
        };
        Self {
            state: Lock::new(state),
            ready: Signal::default(),
            room: Signal::default(),
            changed: (0..slots).map(|_| Signal::default()).collect(),
            head: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
            guesses,
            is_alone: false,
            slabs,
            pieces,
            piece_len,
        }
    }

    /// The same for so many workers.
    pub(crate) fn for_workers(self, count: usize) -> Self {
        Self { is_alone: count == 1, ..self }
    }

    fn lock(&self) -> Guard<'_, State> {
        self.state.lock()
    }

    fn wait<'a>(&self, on: &Signal, state: Guard<'a, State>) -> Result<Guard<'a, State>> {
        let state = on.wait(state);
        self.check().map(|()| state)
    }

    fn check(&self) -> Result<()> {
        if self.is_stopped() { Err(Error::GivenUp) } else { Ok(()) }
    }

    /// Whether everything is being given up because of an error.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    fn changed(&self, job: u64) -> &Signal {
        &self.changed[(job % self.changed.len() as u64) as usize]
    }

    /// Whether `job` is the head of the line, so that its start is certain.
    pub(crate) fn is_head(&self, job: u64) -> bool {
        self.head.load(Ordering::Acquire) == job
    }

    /// Stops everything because of `error`, which comes from no job: an output that fails, a panic.
    pub(crate) fn stop(&self, error: Error) {
        let mut state = self.lock();
        state.failure.get_or_insert(error);
        self.stopped.store(true, Ordering::Release);
        drop(state);
        self.notify_stopped();
    }

    /// Ends all waiting, once the line was stopped with the lock held: no thread looks before that and waits after it.
    fn notify_stopped(&self) {
        self.slabs.close();
        self.pieces.close();
        self.room.notify_all();
        self.ready.notify_all();
        self.changed.iter().for_each(Signal::notify_all);
    }

    /// Ends the line: the joiner, or the first error of the stream, and the length of the output.
    pub(crate) fn into_result(self) -> (Result<Box<dyn Joiner>>, u64) {
        let mut state = self.state.into_inner();
        state.slots.clear();
        if let Some(error) = state.failure {
            return (Err(error), state.written);
        }
        debug_assert_eq!(state.head, state.tail, "all jobs were delivered");
        debug_assert_eq!((self.slabs.lent(), self.pieces.lent()), (0, 0), "all buffers came back");
        (Ok(state.joiner), state.written)
    }
}
