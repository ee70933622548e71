//! Memory for input (slabs) and output (pieces). The buffers are reused, and their number bounds the memory of a
//! stream.
//!
//! A [`Buffers`] lends at most a fixed number of *bytes*. A thread that finds none left waits. So if the output is read
//! slowly, the input is read slowly too, whatever lies between. Memory is allocated when it is first needed, and is
//! never cleared again. It comes back when the last reader of a [`Slice`] drops it.
//!
//! A wait for memory must never stop the head of the line, because everything waits for the head's output. So part of
//! the bytes, the `reserve`, is lent only to the head.

use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::signal::{Guard, Lock, Signal};
use super::sync::{AtomicBool, seeded};
use crate::error::{Error, Result};

type Memory = Arc<Box<[u8]>>;

/// Bytes that somebody else owns. They come back to the owner when the last reference is dropped.
pub(crate) type Foreign = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A pool of buffers with a budget in bytes.
pub struct Buffers {
    state: Lock<PoolState>,
    returned: Signal,
    closed: AtomicBool,
    /// Whether no other thread could return memory, so that nobody waits for it.
    is_lone: AtomicBool,
    is_spent: AtomicBool,
    budget: usize,
    reserve: usize,
}

struct PoolState {
    free: Vec<Memory>,
    /// Bytes that are lent.
    lent: usize,
    /// Bytes that are allocated, lent or free.
    allocated: usize,
}

impl Buffers {
    /// A pool that lends at most `budget` bytes, and the last `reserve` of them only to the head of the line.
    pub fn new(budget: usize, reserve: usize) -> Arc<Self> {
        debug_assert!(reserve <= budget);
        let state = PoolState { free: Vec::with_capacity(64), lent: 0, allocated: 0 };
        Arc::new(Self {
            state: Lock::new(state),
            returned: Signal::default(),
            closed: AtomicBool::new(false),
            is_lone: AtomicBool::new(false),
            is_spent: AtomicBool::new(false),
            budget,
            reserve,
        })
    }

    /// Waits for a buffer of `len` bytes. `urgent` says whether the caller is the head of the line.
    ///
    /// `len` must fit into the budget. It must fit into the reserve if the caller may have to wait for other jobs.
    pub fn lend(self: &Arc<Self>, len: usize, urgent: impl Fn() -> bool) -> Result<Lease> {
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
            if self.is_lone.load(Ordering::Relaxed) {
                self.is_spent.store(true, Ordering::Relaxed);
                return Err(Error::GivenUp);
            }
            state = self.returned.wait(state);
        }
    }

    /// Whether a lone thread was refused memory.
    pub(crate) fn is_spent(&self) -> bool {
        self.is_spent.load(Ordering::Relaxed)
    }

    /// Whether at least half the budget is lent.
    pub(crate) fn is_half_lent(&self) -> bool {
        self.lent() >= self.budget / 2
    }

    /// Says that there is one thread only. To lend more than there is then fails with [`Error::GivenUp`].
    pub fn be_lone(&self) {
        self.is_lone.store(true, Ordering::Relaxed);
    }

    /// A buffer of `len` bytes, if there is one now outside the reserve. Does not wait.
    pub fn lend_spare(self: &Arc<Self>, len: usize) -> Option<Lease> {
        let memory = self.lock().take(len, self.budget - self.reserve)?;
        Some(Lease { memory: Some(memory), len, pool: Arc::clone(self) })
    }

    /// Bytes of another owner, as a slice. They are not part of the budget. The owner can wait for their return with
    /// [`Self::wait_until`].
    pub fn slice_of(self: &Arc<Self>, bytes: Foreign) -> Slice {
        let range = 0..(*bytes).as_ref().len();
        Slice { backing: Some(Backing::Foreign(bytes)), pool: Arc::clone(self), range }
    }

    /// Waits until `is_true`, which is asked again whenever memory returns, also to other owners.
    pub fn wait_until(&self, is_true: impl Fn() -> bool) -> Result<()> {
        let mut state = self.lock();
        while !is_true() {
            if self.closed.load(Ordering::Acquire) {
                return Err(Error::GivenUp);
            }
            state = self.returned.wait(state);
        }
        Ok(())
    }

    /// Wakes the threads that wait for memory, so that they ask again whether they are urgent.
    pub fn wake_waiters(&self) {
        // A thread that asked before this lock has begun to wait when the lock is free, so the signal reaches it.
        if !seeded!(ClosedWithoutLock) {
            drop(self.lock());
        }
        self.returned.notify_all();
    }

    /// Ends all waiting, now and later, with [`Error::GivenUp`].
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.wake_waiters();
    }

    /// Frees the memory that is not lent. Returns how many bytes are lent.
    pub fn trim(&self) -> usize {
        let mut state = self.lock();
        state.allocated -= state.free.drain(..).map(|memory| memory.len()).sum::<usize>();
        state.lent
    }

    /// Bytes that are lent. Zero at the end of a stream without an error.
    pub fn lent(&self) -> usize {
        self.lock().lent
    }

    fn lock(&self) -> Guard<'_, PoolState> {
        self.state.lock()
    }

    /// Drops one reference to `memory`. With the last reference, the memory becomes free.
    fn give_back(&self, memory: Memory) {
        let mut state = self.lock();
        // All references are dropped with this lock held, so exactly one thread sees the count of one.
        if Arc::strong_count(&memory) == 1 || seeded!(ReturnedTwice) {
            state.lent -= memory.len();
            state.free.push(memory);
            drop(state);
            self.returned.notify_all();
        } else {
            // A parameter lives longer than the lock. So it is dropped here, with the lock held.
            drop(memory);
        }
    }
}

impl PoolState {
    /// Memory of at least `len` bytes, unless more than `limit` bytes are lent with it.
    fn take(&mut self, len: usize, limit: usize) -> Option<Memory> {
        if self.lent + len > limit { None } else { self.find(len, limit) }
    }

    /// Finds free memory that is long enough, or allocates memory. If there is no budget for that, free memory that
    /// is too short is given up first.
    fn find(&mut self, len: usize, limit: usize) -> Option<Memory> {
        // The buffer that was used last is still in the cache.
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
        // The system clears each page when it is first touched, so pages that are never used cost nothing.
        Some(Arc::new(vec![0; len].into_boxed_slice()))
    }
}

/// A buffer with one owner, to be filled. It has the length that was asked for.
pub struct Lease {
    memory: Option<Memory>,
    len: usize,
    pool: Arc<Buffers>,
}

impl Lease {
    /// Ends the filling. Many threads can now read the bytes of `range`.
    pub fn freeze(mut self, range: Range<usize>) -> Slice {
        Slice { backing: self.memory.take().map(Backing::Own), pool: Arc::clone(&self.pool), range }
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
        // A lease has the only reference to its memory, so `get_mut` always succeeds.
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

/// Bytes of a buffer that many threads can read. The buffer returns to the pool when the last slice is dropped.
pub struct Slice {
    backing: Option<Backing>,
    pool: Arc<Buffers>,
    range: Range<usize>,
}

/// What a slice is a part of.
#[derive(Clone)]
enum Backing {
    Own(Memory),
    Foreign(Foreign),
}

impl Backing {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Own(memory) => memory,
            Self::Foreign(bytes) => (**bytes).as_ref(),
        }
    }
}

impl Slice {
    /// Length of the whole buffer, which does not return to the pool before this slice is dropped.
    pub fn buffer_len(&self) -> usize {
        self.backing.as_ref().map_or(0, |backing| backing.bytes().len())
    }

    /// Part of the same bytes, without copying them.
    pub fn range(&self, range: Range<usize>) -> Self {
        debug_assert!(range.end <= self.len());
        let start = self.range.start;
        Self {
            backing: self.backing.clone(),
            pool: Arc::clone(&self.pool),
            range: start + range.start..start + range.end,
        }
    }
}

impl Deref for Slice {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.backing.as_ref().map_or(&[], |backing| &backing.bytes()[self.range.clone()])
    }
}

impl Drop for Slice {
    fn drop(&mut self) {
        match self.backing.take() {
            Some(Backing::Own(memory)) => self.pool.give_back(memory),
            Some(Backing::Foreign(bytes)) => {
                // With the lock, so that a thread that has found the bytes missing waits when it is notified.
                let state = (!seeded!(LentBackWithoutLock)).then(|| self.pool.lock());
                drop(bytes);
                drop(state);
                self.pool.returned.notify_all();
            }
            None => {}
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
        let range = slice.range(1..3);
        drop(slice);
        assert_eq!((&range[..], pool.lent()), (&b"bc"[..], 100));
        drop(range);
        assert_eq!(pool.lent(), 0);
        assert_eq!(pool.lend(50, || false).unwrap().as_ptr(), address, "not a new allocation");
    }

    #[test]
    fn a_buffer_returns_whoever_drops_its_last_slice() {
        let pool = Buffers::new(10, 0);
        for _ in 0..5_000 {
            let slice = pool.lend(10, || true).unwrap().freeze(0..10);
            let other = slice.range(0..5);
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
