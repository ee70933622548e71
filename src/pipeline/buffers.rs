//! Recycled buffers that are the credits of the pipeline.
//!
//! A [`Buffers`] pool hands out at most a fixed number of *bytes*. Who finds none left waits, and so
//! a slow reader of the output slows the reader of the input, whatever lies between. Memory is
//! allocated when it is first needed, never cleared again, and comes back when the last reader of a
//! [`Slice`] drops it.
//!
//! Waiting must never stop the head of the line, the one job whose output everybody waits for:
//! part of the budget, the `reserve`, is for it alone.

use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::signal::{Guard, Lock, Signal};
use crate::error::{Error, Result};

type Memory = Arc<Box<[u8]>>;

/// A pool of buffers with a budget in bytes.
pub(crate) struct Buffers {
    state: Lock<State>,
    returned: Signal,
    closed: AtomicBool,
    budget: usize,
    reserve: usize,
}

struct State {
    free: Vec<Memory>,
    /// Bytes handed out.
    lent: usize,
    /// Bytes allocated, lent or free.
    allocated: usize,
}

impl Buffers {
    /// A pool that lends at most `budget` bytes, the last `reserve` of them only to the head of the line.
    pub(crate) fn new(budget: usize, reserve: usize) -> Arc<Self> {
        debug_assert!(reserve <= budget);
        let state = State { free: Vec::with_capacity(64), lent: 0, allocated: 0 };
        Arc::new(Self {
            state: Lock::new(state),
            returned: Signal::default(),
            closed: AtomicBool::new(false),
            budget,
            reserve,
        })
    }

    /// Waits for a buffer of `len` bytes; `urgent` says whether the caller is the head of the line.
    ///
    /// `len` must fit the budget, and the reserve where the caller may have to wait for others.
    pub(crate) fn lend(self: &Arc<Self>, len: usize, urgent: impl Fn() -> bool) -> Result<Lease> {
        debug_assert!(len <= self.budget, "{len} of {}", self.budget);
        let mut state = self.lock();
        loop {
            if self.closed.load(Ordering::Acquire) {
                return Err(Error::GivenUp);
            }
            let limit = if urgent() { self.budget } else { self.budget - self.reserve };
            if let Some(memory) = state.take(len, limit) {
                return Ok(Lease { memory: Some(memory), len, pool: Arc::clone(self) });
            }
            state = self.returned.wait(state);
        }
    }

    /// A buffer of `len` bytes, if there is one now that is not reserved.
    pub(crate) fn lend_spare(self: &Arc<Self>, len: usize) -> Option<Lease> {
        let memory = self.lock().take(len, self.budget - self.reserve)?;
        Some(Lease { memory: Some(memory), len, pool: Arc::clone(self) })
    }

    /// Wakes those who wait, to look again whether they have become urgent.
    pub(crate) fn wake_waiters(&self) {
        // Who looked before has begun to wait by then.
        drop(self.lock());
        self.returned.notify_all();
    }

    /// Ends all waiting, now and later, with [`Error::GivenUp`].
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.wake_waiters();
    }

    /// Bytes that are lent out; zero when a stream has ended well.
    pub(crate) fn lent(&self) -> usize {
        self.lock().lent
    }

    fn lock(&self) -> Guard<'_, State> {
        self.state.lock()
    }

    /// Takes one hold on `memory` back; the last one makes it free.
    fn give_back(&self, memory: Memory) {
        let mut state = self.lock();
        // All holds are dropped under this lock, so exactly one of them sees the count of one.
        if Arc::strong_count(&memory) == 1 {
            state.lent -= memory.len();
            state.free.push(memory);
            drop(state);
            self.returned.notify_all();
        } else {
            // Before the lock is, which a parameter would outlive.
            drop(memory);
        }
    }
}

impl State {
    /// Memory of at least `len` bytes, if no more than `limit` are lent then.
    fn take(&mut self, len: usize, limit: usize) -> Option<Memory> {
        if self.lent + len > limit { None } else { self.find(len, limit) }
    }

    /// The same, made if need be in place of free ones that are too small.
    fn find(&mut self, len: usize, limit: usize) -> Option<Memory> {
        // The one used last is warm in the cache.
        let fits = |memory: &Memory| memory.len() >= len && self.lent + memory.len() <= limit;
        if let Some(at) = self.free.iter().rposition(fits) {
            let memory = self.free.swap_remove(at);
            self.lent += memory.len();
            return Some(memory);
        }
        while self.allocated + len > limit {
            let given_up = self.free.pop()?;
            self.allocated -= given_up.len();
        }
        self.allocated += len;
        self.lent += len;
        // Zeroed by the system page by page on first touch: pages never used cost nothing.
        Some(Arc::new(vec![0; len].into_boxed_slice()))
    }
}

/// A buffer with one owner, to be filled: as much of the memory as was asked for.
pub(crate) struct Lease {
    memory: Option<Memory>,
    len: usize,
    pool: Arc<Buffers>,
}

impl Lease {
    /// Ends the filling: the bytes of `range` can now be read by many.
    pub(crate) fn freeze(mut self, range: Range<usize>) -> Slice {
        Slice { memory: self.memory.take(), pool: Arc::clone(&self.pool), range }
    }
}

impl Deref for Lease {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.memory.as_ref().map_or(&[], |memory| &memory[..self.len])
    }
}

impl DerefMut for Lease {
    fn deref_mut(&mut self) -> &mut [u8] {
        // A lease is the only hold on its memory, so the mutable view is always granted.
        self.memory.as_mut().and_then(Arc::get_mut).map_or(&mut [], |memory| &mut memory[..self.len])
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            self.pool.give_back(memory);
        }
    }
}

/// Bytes of a buffer that can be read by many; the buffer returns when the last slice is dropped.
pub(crate) struct Slice {
    memory: Option<Memory>,
    pool: Arc<Buffers>,
    range: Range<usize>,
}

impl Slice {
    /// Bytes of the whole buffer, which does not return before this does.
    pub(crate) fn held_len(&self) -> usize {
        self.memory.as_ref().map_or(0, |memory| memory.len())
    }

    /// The same bytes again, or part of them.
    pub(crate) fn part(&self, range: Range<usize>) -> Self {
        debug_assert!(range.end <= self.len());
        let start = self.range.start;
        Self {
            memory: self.memory.clone(),
            pool: Arc::clone(&self.pool),
            range: start + range.start..start + range.end,
        }
    }
}

impl Deref for Slice {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.memory.as_ref().map_or(&[], |memory| &memory[self.range.clone()])
    }
}

impl Drop for Slice {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            self.pool.give_back(memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_returns_with_its_last_slice_and_is_used_again() {
        let pool = Buffers::new(100, 0);
        let mut lease = pool.lend(100, || false).unwrap();
        lease[..3].copy_from_slice(b"abc");
        let address = lease.as_ptr();
        let slice = lease.freeze(0..3);
        let part = slice.part(1..3);
        drop(slice);
        assert_eq!((&part[..], pool.lent()), (&b"bc"[..], 100));
        drop(part);
        assert_eq!(pool.lent(), 0);
        assert_eq!(pool.lend(50, || false).unwrap().as_ptr(), address, "not a new allocation");
    }

    #[test]
    fn a_buffer_returns_whoever_drops_its_last_slice() {
        let pool = Buffers::new(10, 0);
        for _ in 0..5_000 {
            let slice = pool.lend(10, || true).unwrap().freeze(0..10);
            let other = slice.part(0..5);
            std::thread::scope(|scope| {
                scope.spawn(move || drop(other));
                drop(slice);
            });
            assert_eq!(pool.lent(), 0);
        }
    }

    #[test]
    fn small_free_buffers_make_room_for_a_large_one_within_the_budget() {
        let pool = Buffers::new(100, 0);
        let small: Vec<Lease> = (0..4).map(|_| pool.lend(25, || false).unwrap()).collect();
        drop(small);
        let large = pool.lend(90, || false).unwrap();
        assert_eq!(large.len(), 90);
        assert!(pool.lock().allocated <= 100);
    }

    #[test]
    fn the_reserve_is_kept_for_the_head_of_the_line() {
        let pool = Buffers::new(100, 40);
        let _first = pool.lend(60, || false).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| pool.lend(40, || false).map(drop));
            let head = pool.lend(40, || true).unwrap();
            assert_eq!(head.len(), 40);
            pool.close();
            assert!(matches!(waiting.join().unwrap(), Err(Error::GivenUp)));
        });
    }
}
