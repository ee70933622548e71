//! The side of the output: pieces leave the head of the line.

use std::sync::atomic::Ordering;

use super::{Line, State};
use crate::error::Error;
use crate::pipeline::buffers::Slice;

/// Something that leaves the line: bytes, and their offset in the output.
pub(crate) struct Delivery {
    pub(crate) at: u64,
    pub(crate) slice: Slice,
}

/// What has changed in the line when a piece was looked for, of which other threads are to be told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    Nothing,
    /// Another job is the head.
    Advanced,
    /// The line was stopped by an error.
    Stopped,
}

impl Line {
    /// The next piece in stream order, if it is there.
    pub(crate) fn deliver(&self) -> Option<Delivery> {
        let mut state = self.lock();
        let (delivery, progress) = self.next(&mut state);
        drop(state);
        self.tell(progress);
        delivery
    }

    /// The next piece in stream order; waits for it. Nothing at the end of the stream or after a failure.
    pub(crate) fn deliver_or_wait(&self) -> Option<Delivery> {
        let mut state = self.lock();
        loop {
            let (delivery, progress) = self.next(&mut state);
            if progress != Progress::Nothing {
                drop(state);
                self.tell(progress);
                state = self.lock();
            }
            if delivery.is_some() {
                return delivery;
            }
            if self.is_stopped() || (state.ended && state.head == state.tail) {
                return None;
            }
            if progress == Progress::Nothing {
                state = self.wait(&self.ready, state).ok()?;
            }
        }
    }

    /// Whether everything has been delivered, or never will be.
    pub(crate) fn is_over(&self) -> bool {
        let state = self.lock();
        self.is_stopped() || (state.ended && state.head == state.tail)
    }

    /// The next piece in stream order, if it is there, and what has changed on the way to it.
    pub(super) fn next(&self, state: &mut State) -> (Option<Delivery>, Progress) {
        let mut progress = Progress::Nothing;
        while state.head < state.tail && !self.is_stopped() {
            let head = state.head;
            let slot = state.slot(head);
            if slot.revoked {
                slot.output.clear();
            }
            if let Some(slice) = slot.output.pop_front() {
                let at = state.written;
                state.written += slice.len() as u64;
                return (Some(Delivery { at, slice }), progress);
            }
            let revoked = slot.revoked;
            match slot.done.take() {
                None => return (None, progress),
                Some(_) if revoked => {}
                Some(Ok(report)) => state.joiner.join(&report),
                Some(Err(error)) => return (None, self.fail(state, error)),
            }
            self.advance(state);
            progress = Progress::Advanced;
        }
        if state.ended
            && state.head == state.tail
            && let Some(error) = state.feed_error.take()
        {
            progress = self.fail(state, error);
        }
        (None, progress)
    }

    fn fail(&self, state: &mut State, error: Error) -> Progress {
        state.failure.get_or_insert(error);
        self.stopped.store(true, Ordering::Release);
        Progress::Stopped
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
        }
    }

    /// Wakes the threads that wait for what has changed, with the lock released.
    pub(super) fn tell(&self, progress: Progress) {
        match progress {
            Progress::Nothing => {}
            Progress::Advanced => {
                self.room.notify_all();
                self.ready.notify_all();
                self.pieces.nudge();
            }
            Progress::Stopped => self.tell_stopped(),
        }
    }
}
