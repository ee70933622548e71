//! Locks, and condition variables that know whether a thread waits.
//!
//! The line, the queues, the buffers and the digests use them. A thread is signalled only if it waits, and after the
//! lock is released. Debug builds check the second part of that.

#[cfg(debug_assertions)]
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
#[cfg(debug_assertions)]
use std::sync::OnceLock;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::crew::Waiting;
use crate::sync::{AtomicUsize, Condvar, Mutex, MutexGuard, wait_timeout};
use crate::waits::{Activity, timed};

/// A mutex. A panic in another thread does not damage the data, because the data is consistent between any two
/// statements.
pub(super) struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    pub(super) fn new(data: T) -> Self {
        Self(Mutex::new(data))
    }

    pub(super) fn lock(&self) -> Guard<'_, T> {
        #[cfg(debug_assertions)]
        pauses::pause();
        Guard { guard: self.0.lock().unwrap_or_else(PoisonError::into_inner), held: HeldLock::new(self) }
    }

    pub(super) fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// In debug builds, a test may have threads pause at random before they take a lock. Threads decide what they do next
/// with a lock held, so they then do it in orders that a quiet machine never shows.
#[cfg(debug_assertions)]
pub(super) mod pauses {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    /// 0 if no thread pauses.
    static STATE: AtomicU64 = AtomicU64::new(0);

    /// Threads of this process pause at random from now on. With 0 they pause no more.
    pub fn pause_at_locks(seed: u64) {
        STATE.store(seed, Ordering::Relaxed);
    }

    pub(super) fn pause() {
        if STATE.load(Ordering::Relaxed) == 0 {
            return;
        }
        // SplitMix64. The state is hardly ever 0 by chance, and then the pauses end.
        let mut random = STATE.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        random = (random ^ random >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        random = (random ^ random >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        match random >> 58 {
            0 => std::thread::sleep(Duration::from_micros(random % 512)),
            1..8 => std::thread::yield_now(),
            _ => {}
        }
    }
}

/// Access to the data of a [`Lock`], until it is dropped.
pub(super) struct Guard<'a, T> {
    guard: MutexGuard<'a, T>,
    held: HeldLock,
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

/// In debug builds, notes that this thread holds a lock.
struct HeldLock {
    #[cfg(debug_assertions)]
    address: usize,
}

#[cfg(debug_assertions)]
crate::sync::thread_local! {
    /// The addresses of the locks that this thread holds.
    static HELD: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

impl HeldLock {
    #[cfg(debug_assertions)]
    fn new<T>(lock: &Lock<T>) -> Self {
        let address = std::ptr::from_ref(lock).addr();
        HELD.with(|held| held.borrow_mut().push(address));
        Self { address }
    }

    #[cfg(not(debug_assertions))]
    fn new<T>(_: &Lock<T>) -> Self {
        Self {}
    }
}

#[cfg(debug_assertions)]
impl Drop for HeldLock {
    fn drop(&mut self) {
        HELD.with(|held| held.borrow_mut().retain(|&address| address != self.address));
    }
}

/// A condition variable of one [`Lock`].
///
/// A bare [`Condvar`] makes a system call even if no thread waits. For each chunk there are a dozen signals, and a
/// thread hardly ever waits. A thread that has changed the data signals after it has released the lock, so that the
/// thread that wakes up finds the lock free.
#[derive(Default)]
pub(super) struct Signal {
    condvar: Condvar,
    /// Written only with the lock held. So a thread that has held the lock since its change sees all threads that
    /// wait for the change.
    waiting: AtomicUsize,
    /// The address of the lock, after a thread has waited.
    #[cfg(debug_assertions)]
    lock: OnceLock<usize>,
}

impl Signal {
    /// Waits for a signal. May return without one. A thread of a crew lends its place to another thread meanwhile.
    pub(super) fn wait<'a, T>(&self, guard: Guard<'a, T>) -> Guard<'a, T> {
        let waiting = Waiting::new();
        let guard = timed(Activity::Waiting, || self.rest(guard));
        drop(waiting);
        guard
    }

    /// Like [`Self::wait`], for at most this time, for a thread that is in no crew. `guard` is that of `lock`.
    pub(super) fn wait_for<'a, T>(
        &self,
        lock: &'a Lock<T>,
        Guard { guard, held }: Guard<'a, T>,
        most: Duration,
    ) -> Guard<'a, T> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let guard = wait_timeout(&self.condvar, &lock.0, guard, most);
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        Guard { guard, held }
    }

    /// Like [`Self::wait`], for a thread that waits for something to do.
    pub(super) fn rest<'a, T>(&self, Guard { guard, held }: Guard<'a, T>) -> Guard<'a, T> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        #[cfg(debug_assertions)]
        let _ = self.lock.set(held.address);
        let guard = self.condvar.wait(guard).unwrap_or_else(PoisonError::into_inner);
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        Guard { guard, held }
    }

    /// Whether a thread waits. That may change at any moment.
    pub(super) fn is_awaited(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Wakes one thread that waits.
    pub(super) fn notify_one(&self) {
        self.check_lock();
        if self.is_awaited() {
            self.condvar.notify_one();
        }
    }

    /// In debug builds, checks that this thread does not hold the lock.
    fn check_lock(&self) {
        #[cfg(debug_assertions)]
        {
            let is_held = |held: &RefCell<Vec<usize>>| {
                self.lock.get().is_some_and(|address| held.borrow().contains(address))
            };
            assert!(!HELD.with(is_held), "signalled while the lock is held");
        }
    }

    /// Wakes all threads that wait.
    pub(super) fn notify_all(&self) {
        self.check_lock();
        if self.is_awaited() {
            self.condvar.notify_all();
        }
    }
}
