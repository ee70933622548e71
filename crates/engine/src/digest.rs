//! Checksums of long frames, computed while the frame is decoded.
//!
//! The output of a frame that is decoded as a stream leaves in pieces. Its checksum is sequential too, but it can lag
//! one piece behind: while the worker decodes the next piece, an idle worker adds the last piece to the checksum. If
//! no worker is idle, the worker adds it itself, at the latest when the frame ends. The emitter (`emitter/`) pushes the
//! pieces.
//!
//! If several jobs share a frame, its checksum goes from job to job, in order. Each job waits for the checksum when
//! it has filled a piece, and adds the piece itself, because the piece is still in the cache.
//!
//! The pieces are always added in the order in which they were pushed, and only one thread at a time adds them.

use std::collections::VecDeque;
use std::hash::Hasher;
use std::sync::atomic::Ordering;

use super::buffers::Slice;
use super::emitter::PIECE_LEN;
use super::signal::{Lock, Signal};
use super::sync::{AtomicBool, seeded};

/// A checksum in progress.
pub type Checksum = Box<dyn Hasher + Send>;

/// At most this many bytes of memory wait for their checksum, however few of them are filled. Decoding could use the
/// memory. Also, the head of the line must have enough of its reserve left for a piece, because perhaps no worker
/// comes to help.
const WAITING_LEN_MAX: usize = 2 * PIECE_LEN;

/// The checksum of one frame, and the pieces that are not in it yet.
pub(crate) struct Digest {
    state: Lock<DigestState>,
    released: Signal,
    /// A worker has been asked for help and has not begun.
    is_help_requested: AtomicBool,
}

struct DigestState {
    /// Absent while a thread adds to it.
    checksum: Option<Checksum>,
    waiting: VecDeque<Slice>,
}

impl Digest {
    pub(super) fn new(checksum: Checksum) -> Self {
        let state = DigestState { checksum: Some(checksum), waiting: VecDeque::new() };
        Self {
            state: Lock::new(state),
            released: Signal::default(),
            is_help_requested: AtomicBool::new(false),
        }
    }

    /// Adds a piece to those that wait. Returns true if so many wait that the caller should add them itself.
    pub(super) fn push(&self, piece: Slice) -> bool {
        let mut state = self.state.lock();
        state.waiting.push_back(piece);
        state.waiting.iter().map(Slice::buffer_len).sum::<usize>() > WAITING_LEN_MAX
    }

    /// Whether to ask an idle worker for help: true if none has been asked already.
    pub(super) fn request_help(&self) -> bool {
        !self.is_help_requested.swap(true, Ordering::AcqRel)
    }

    /// Helps. An idle worker calls this after it was asked.
    pub(super) fn help(&self) {
        self.is_help_requested.store(false, Ordering::Release);
        self.work();
    }

    /// Adds pieces until none waits. Returns at once if another thread does that.
    pub(super) fn work(&self) {
        let mut state = self.state.lock();
        while let Some(mut checksum) = state.checksum.take() {
            let Some(piece) = state.waiting.pop_front() else {
                state.checksum = Some(checksum);
                return;
            };
            drop(state);
            checksum.write(&piece);
            drop(piece);
            state = self.state.lock();
            state.checksum = Some(checksum);
            if self.released.is_awaited() && !seeded!(SumWithoutNotice) {
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
                checksum.write(rest);
                return checksum.finish();
            }
            if state.checksum.is_none() {
                drop(self.released.wait(state));
            }
        }
    }
}
