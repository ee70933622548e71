//! Checksums of long frames, computed beside their decoding by whoever has time.
//!
//! A frame that is decoded as a stream leaves piece by piece. Its checksum is sequential too, but one
//! step behind: while the worker decodes the next piece an idle one takes the last into the checksum.
//! If nobody is idle the worker does it itself, at the latest when the frame ends.
//!
//! Where several jobs share a frame its checksum goes from one to the next, in order. Each waits for its turn when it
//! has filled a piece, and sees to that itself: what has just been decoded is in the cache.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use super::buffers::Slice;
use super::emitter::PIECE_LEN;
use super::signal::{Lock, Signal};

/// A checksum in progress.
pub(crate) trait Checksum: Send {
    fn update(&mut self, bytes: &[u8]);
    fn value(&self) -> u64;
}

/// So many bytes of memory may wait for their checksum, however few of them are filled. Decoding could use them, and
/// they must leave the head of the line enough of its reserve for a piece: nobody may come to help.
const WAITING_LEN_MAX: usize = 2 * PIECE_LEN;

/// The checksum of one frame, and the pieces that are not in it yet.
pub(crate) struct Digest {
    state: Lock<State>,
    released: Signal,
    /// Somebody has been asked to work on it and has not begun.
    is_help_requested: AtomicBool,
}

struct State {
    /// Away while somebody works on it.
    checksum: Option<Box<dyn Checksum>>,
    waiting: VecDeque<Slice>,
}

impl Digest {
    pub(super) fn new(checksum: Box<dyn Checksum>) -> Self {
        let state = State { checksum: Some(checksum), waiting: VecDeque::new() };
        Self {
            state: Lock::new(state),
            released: Signal::default(),
            is_help_requested: AtomicBool::new(false),
        }
    }

    /// Adds a piece to those that wait; true if so many wait that the caller should see to them.
    pub(super) fn push(&self, piece: Slice) -> bool {
        let mut state = self.state.lock();
        state.waiting.push_back(piece);
        state.waiting.iter().map(Slice::held_len).sum::<usize>() > WAITING_LEN_MAX
    }

    /// Whether somebody is to be asked for help, who has not been asked already.
    pub(super) fn request_help(&self) -> bool {
        !self.is_help_requested.swap(true, Ordering::AcqRel)
    }

    /// Works as one who was asked.
    pub(super) fn help(&self) {
        self.is_help_requested.store(false, Ordering::Release);
        self.work();
    }

    /// Works until no piece waits; returns at once if somebody else does.
    pub(super) fn work(&self) {
        let mut state = self.state.lock();
        while let Some(mut checksum) = state.checksum.take() {
            let Some(piece) = state.waiting.pop_front() else {
                state.checksum = Some(checksum);
                return;
            };
            drop(state);
            checksum.update(&piece);
            drop(piece);
            state = self.state.lock();
            state.checksum = Some(checksum);
            if self.released.is_awaited() {
                drop(state);
                self.released.notify_all();
                state = self.state.lock();
            }
        }
    }

    /// The checksum of all pieces and of `rest`, which follows them.
    pub(super) fn finish(&self, rest: &[u8]) -> u64 {
        loop {
            self.work();
            let mut state = self.state.lock();
            if state.waiting.is_empty()
                && let Some(checksum) = &mut state.checksum
            {
                checksum.update(rest);
                return checksum.value();
            }
            if state.checksum.is_none() {
                drop(self.released.wait(state));
            }
        }
    }
}
