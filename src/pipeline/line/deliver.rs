//! The side of the output: pieces leave the head of the line.

use std::sync::atomic::Ordering;

use super::{Line, State};
use crate::pipeline::buffers::Slice;

/// Something that leaves the line: bytes, and their offset in the output.
pub(crate) struct Delivery {
    pub(crate) at: u64,
    pub(crate) slice: Slice,
}

impl Line {
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

    pub(super) fn next(&self, state: &mut State) -> Option<Delivery> {
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
            let (revoked, chain) = (slot.revoked, slot.chain);
            let result = slot.done.take()?;
            let digest = slot.digest.take();
            match result {
                _ if revoked => {}
                Ok(report) => {
                    let mut window = std::mem::take(&mut slot.window);
                    state.window.go_on(&mut window);
                    state.slot(head).window = window;
                    state.chain = chain.behind(state.chain);
                    state.digest = digest.or_else(|| state.digest.take());
                    state.joiner.join(&report);
                }
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
}
