//! The output side of the line: pieces leave the head of the line in the order of the stream.
//!
//! The writer thread calls [`Line::deliver_or_wait`], and the owner of a session calls [`Line::turn`]: both run
//! [`Line::deliver_or`]. If the workers write, each worker calls [`Line::deliver`]. A piece leaves exactly once, and
//! its offset is the sum of the lengths of all pieces before it. When the head is done and all its pieces have left,
//! its report goes to the [`Joiner`](crate::Joiner), and the next job is the head. If the head has failed, or has more
//! output than is allowed, the line stops.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{Line, LineState, Turn};
use crate::buffers::Slice;
use crate::error::Error;
use crate::sync::seeded;
use crate::waits::End;

/// How often the owner of a session that feeds looks whether it has to do jobs itself. Nobody can wake it for that: the
/// thread that is refused another one waits itself, with the lock of its own stream.
const OWNER_INTERVAL: Duration = Duration::from_millis(100);

/// A piece that leaves the line, and its offset in the output.
pub(crate) struct Delivery {
    pub(crate) at: u64,
    pub(crate) slice: Slice,
}

/// What changed in the line during the search for a piece. Other threads must be notified of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Nothing,
    /// Another job is the head.
    Advanced,
    /// An error stopped the line.
    Stopped,
}

impl Line {
    /// The next piece in the order of the stream, if it is there.
    pub(crate) fn deliver(&self) -> Option<Delivery> {
        let mut state = self.lock();
        let (delivery, change) = self.next(&mut state);
        drop(state);
        self.notify(change);
        delivery
    }

    /// The next piece in the order of the stream. Waits for it. Nothing at the end of the stream or after a failure.
    pub(crate) fn deliver_or_wait(&self) -> Option<Delivery> {
        self.deliver_or(None, |_| None).ok()
    }

    /// The next piece if there is one. Otherwise waits until there is one, until `instead` finds something, or until
    /// the stream is over. `owner` is the end of the stream that this thread is, if it is that of an owner.
    pub(super) fn deliver_or(
        &self,
        owner: Option<End>,
        instead: impl Fn(&mut LineState) -> Option<Turn>,
    ) -> Result<Delivery, Turn> {
        let mut state = self.lock();
        loop {
            let (delivery, change) = self.next(&mut state);
            if change != Change::Nothing {
                drop(state);
                self.notify(change);
                state = self.lock();
            }
            if let Some(delivery) = delivery {
                return Ok(delivery);
            }
            if change != Change::Nothing && !(seeded!(EndSeenTooEarly) && state.is_at_end()) {
                // The feeder may have ended with an error since.
                continue;
            }
            if self.is_stopped() || state.is_at_end() {
                return Err(Turn::Over);
            }
            if let Some(found) = instead(&mut state) {
                return Err(found);
            }
            state = match owner {
                // While it waits, the system may refuse a thread: then it has to work itself.
                Some(End::Source) => self
                    .meter()
                    .without_owner(End::Source, || self.ready.wait_for(&self.state, state, OWNER_INTERVAL)),
                Some(End::Sink) => self.meter().without_owner(End::Sink, || self.ready.wait(state)),
                None => self.ready.wait(state),
            };
        }
    }

    /// Whether nothing more will be delivered.
    pub(crate) fn is_over(&self) -> bool {
        let state = self.lock();
        self.is_stopped() || state.is_at_end()
    }

    /// The next piece in the order of the stream, if it is there, and what changed during the search.
    pub(super) fn next(&self, state: &mut LineState) -> (Option<Delivery>, Change) {
        let mut change = Change::Nothing;
        if self.progress.is_cancelled() && !self.is_stopped() {
            return (None, self.fail(state, Error::Cancelled));
        }
        while state.head < state.tail && !self.is_stopped() {
            let head = state.head;
            let slot = state.slot(head);
            if slot.cancelled {
                slot.output.clear();
            }
            if let Some(slice) = slot.output.pop_front() {
                let at = state.written;
                let slice = match self.output_max.map(|max| (max, max.saturating_sub(at))) {
                    Some((max, 0)) if !slice.is_empty() => {
                        return (None, self.fail(state, Error::OutputLimit { allowed: max }));
                    }
                    // The next call finds the rest, and that no more is allowed.
                    Some((_, room)) if slice.len() as u64 > room => {
                        let room = room as usize;
                        state.slot(head).output.push_front(slice.range(room..slice.len()));
                        slice.range(0..room)
                    }
                    _ => slice,
                };
                state.written += slice.len() as u64;
                self.progress.add_out(slice.len() as u64);
                self.show(state, self.used(head).load(Ordering::Relaxed));
                if let Some(tap) = &self.output_tap {
                    tap.slice(&slice);
                }
                return (Some(Delivery { at, slice }), change);
            }
            let cancelled = slot.cancelled;
            match slot.done.take() {
                None => return (None, change),
                Some(_) if cancelled => {}
                Some(Ok(report)) => {
                    if let Some(joiner) = &mut state.joiner {
                        joiner.join(&report);
                    }
                }
                Some(Err(error)) => return (None, self.fail(state, error)),
            }
            self.advance(state);
            change = Change::Advanced;
        }
        if state.is_at_end()
            && let Some(error) = state.feed_error.take()
        {
            change = self.fail(state, error);
        }
        (None, change)
    }

    fn fail(&self, state: &mut LineState, error: Error) -> Change {
        state.failure.get_or_insert(error);
        self.stopped.store(true, Ordering::Release);
        Change::Stopped
    }

    /// Shows how much of the input is done: that of the jobs before the head, and `used` of that of the head.
    pub(super) fn show(&self, state: &mut LineState, used: u64) {
        let done = state.passed + used;
        if done > state.shown {
            self.progress.add_done(done - state.shown);
            state.shown = done;
        }
    }

    fn advance(&self, state: &mut LineState) {
        let head = state.head;
        let slot = state.slot(head);
        slot.input.clear();
        slot.kept.clear();
        let span_len = slot.span_len;
        state.passed += span_len;
        self.show(state, 0);
        state.head += 1;
        self.head.store(state.head, Ordering::Release);
        if state.head < state.tail {
            let next = state.head;
            state.slot(next).kept.clear();
        }
    }

    /// Wakes the threads that wait for such a change. The lock must be released.
    pub(super) fn notify(&self, change: Change) {
        match change {
            Change::Nothing => {}
            Change::Advanced => {
                self.room.notify_all();
                if seeded!(OneOfMany) {
                    self.ready.notify_one();
                } else {
                    self.ready.notify_all();
                }
                self.pieces.wake_waiters();
            }
            Change::Stopped => self.notify_stopped(),
        }
    }
}
