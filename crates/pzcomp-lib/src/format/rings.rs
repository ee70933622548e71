//! The rings that the workers of a stream share. zstd uses them (`zstd/execution.rs`).
//!
//! One worker may begin a frame and another one end it. So the rings belong to the stream, and a ring is used again as
//! soon as its frame has ended and what it has lent has come back. There is one for each worker, and one more for the
//! head, however many frames there are and however slowly the output is read.
//!
//! A wait for a ring must never stop the head of the line. What an earlier frame has lent comes back without the help
//! of this job, so it can be waited for. What a later frame has lent is written after the output of this job. So if
//! later frames have all the rings, the head gets one more.
//!
//! Some streams are decompressed in turns, and share a memory limit ([`Rings::share_with`]).

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pzcomp_zstd::{FrameHeader, Ring};

use crate::error::Result;
use engine::Emitter;

/// The rings of a stream.
#[derive(Debug, Default)]
pub(crate) struct Rings {
    /// How many there are if the head needs no other.
    most: usize,
    state: Mutex<State>,
    /// How much memory other streams take from each worker.
    taken: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    /// How many there are, in use or not.
    count: usize,
    /// How much those that are in use can take together.
    used: u64,
    /// Those that are not in use, and the jobs that their frames ended in. Bytes of them may still be lent. If a frame
    /// was given up, its ring counts as that of a later frame, so that the head does not wait for it.
    spare: Vec<(Ring, u64)>,
}

/// The choice of a job that needs a ring.
#[derive(Debug, PartialEq, Eq)]
enum Choice {
    /// Takes this spare ring.
    Spare(usize),
    New,
    Wait,
}

impl State {
    fn choose(&self, most: usize, job: u64, is_head: bool) -> Choice {
        let is_free = |(ring, _): &(Ring, u64)| !ring.is_lent();
        let is_earlier = |&(_, ended_in): &(Ring, u64)| ended_in <= job;
        let free = self.spare.iter().filter(|spare| is_free(spare)).count();
        // The head may have one more than the other jobs together.
        let may_have = is_head || self.count - free < most;
        match self.spare.iter().rposition(is_free) {
            Some(at) if may_have => Choice::Spare(at),
            None if self.count < most => Choice::New,
            None if is_head && !self.spare.iter().any(is_earlier) => Choice::New,
            _ => Choice::Wait,
        }
    }
}

impl Rings {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// Notes how much memory other streams take from each worker of this stream.
    pub(crate) fn share_with(&self, taken: u64) {
        self.taken.store(taken, Ordering::Relaxed);
    }

    /// How much memory other streams take from each worker of this stream.
    pub(crate) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Gives up the rings that no frame uses. Returns how much the others can take together.
    pub(crate) fn trim(&self) -> u64 {
        let mut state = self.lock();
        let before = state.spare.len();
        state.spare.retain(|(ring, _)| ring.is_lent());
        state.count -= before - state.spare.len();
        state.used
    }

    /// An empty ring for the frame with this header, which begins. Waits until there is one.
    pub(crate) fn lease(self: &Arc<Self>, header: &FrameHeader, out: &mut Emitter) -> Result<RingLease> {
        let (job, memory) = (out.standing().job(), Ring::memory_max(header));
        loop {
            let choose = |is_head| self.lock().choose(self.most, job, is_head);
            out.standing().wait_until(|is_head| choose(is_head) != Choice::Wait)?;
            let is_head = out.standing().is_head();
            let mut state = self.lock();
            let mut ring = match state.choose(self.most, job, is_head) {
                Choice::Spare(at) => state.spare.swap_remove(at).0,
                Choice::New => {
                    state.count += 1;
                    Ring::new()
                }
                // Another worker has taken it.
                Choice::Wait => continue,
            };
            state.used = state.used.saturating_add(memory);
            ring.clear();
            return Ok(RingLease { ring, memory, ended_in: u64::MAX, rings: Arc::clone(self) });
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A ring in use. It goes back when it is dropped.
pub(crate) struct RingLease {
    ring: Ring,
    /// The most memory that its frame can need.
    memory: u64,
    ended_in: u64,
    rings: Arc<Rings>,
}

impl RingLease {
    /// Gives back the ring of a frame that has ended in the job of `out`.
    pub(crate) fn give_back(mut self, out: &mut Emitter) {
        self.ended_in = out.standing().job();
        drop(self);
        out.standing().wake_waiters();
    }
}

impl Deref for RingLease {
    type Target = Ring;
    fn deref(&self) -> &Ring {
        &self.ring
    }
}

impl DerefMut for RingLease {
    fn deref_mut(&mut self) -> &mut Ring {
        &mut self.ring
    }
}

impl Drop for RingLease {
    fn drop(&mut self) {
        let ring = std::mem::take(&mut self.ring);
        let mut state = self.rings.lock();
        state.used = state.used.saturating_sub(self.memory);
        state.spare.push((ring, self.ended_in));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pzcomp_zstd::{Block, Executor, Format, FrameHeader, Lent};

    /// A ring that a block was decoded to, and the block.
    fn lent() -> (Ring, Lent) {
        // The magic number, no content size, a window of 1 KiB.
        let header =
            FrameHeader::parse(&[0x28, 0xB5, 0x2F, 0xFD, 0, 0, 1, 0, 0], Format::Magic).unwrap().unwrap();
        let mut ring = Ring::new();
        ring.run(&mut Executor::new(&header, None), Block::Raw(b"abc")).unwrap();
        let lent = ring.lend();
        (ring, lent)
    }

    #[test]
    fn a_ring_whose_bytes_are_back_is_used_again() {
        let ((ring, lent), (other, _other_lent)) = (lent(), lent());
        let state = State { count: 2, used: 0, spare: vec![(ring, 3), (other, 5)] };
        assert_eq!(state.choose(2, 4, false), Choice::Wait);
        drop(lent);
        assert_eq!(state.choose(2, 4, false), Choice::Spare(0));
        assert_eq!(state.choose(3, 4, false), Choice::Spare(0), "before a new one");
    }

    #[test]
    fn a_ring_of_the_head_is_kept_for_the_next_head() {
        // Two rings are in use by later frames, and the head has given back a third.
        let mut state = State { count: 3, used: 0, spare: vec![(Ring::new(), 1)] };
        assert_eq!(state.choose(2, 4, false), Choice::Wait);
        assert_eq!(state.choose(2, 1, true), Choice::Spare(0));
        state.spare.push((Ring::new(), 2));
        assert_eq!(state.choose(2, 4, false), Choice::Spare(1));
    }

    #[test]
    fn the_head_waits_for_earlier_frames_only() {
        let (ring, _lent) = lent();
        let mut state = State { count: 1, used: 0, spare: vec![(ring, 5)] };
        for (job, head) in [(4, Choice::New), (5, Choice::Wait), (6, Choice::Wait)] {
            assert_eq!(state.choose(1, job, true), head, "job {job}");
            assert_eq!(state.choose(1, job, false), Choice::Wait, "job {job}");
            assert_eq!(state.choose(2, job, false), Choice::New, "job {job}");
        }
        state.spare.clear();
        assert_eq!(
            state.choose(1, 7, true),
            Choice::New,
            "the ring is in use, and that may be a later frame"
        );
        assert_eq!(state.choose(1, 7, false), Choice::Wait);
    }
}
