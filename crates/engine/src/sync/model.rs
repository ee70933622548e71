//! What a model runs with: shuttle, and queues and timeouts of our own on top of it.
//!
//! Shuttle decides before each step of a lock, condition variable, atomic or thread which thread goes on. It takes all
//! atomics as sequentially consistent. It does not see inside crossbeam, so the queues here are lists behind a lock,
//! whose operations are single steps. Its waits do not time out, so those here do ([`Timeouts`]).

use std::cell::Cell;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

pub(crate) use crossbeam_deque::Steal;
pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
pub(crate) use shuttle::sync::mpsc::{Receiver, Sender, channel as unbounded};
pub(crate) use shuttle::sync::{Condvar, Mutex, MutexGuard};
pub(crate) use shuttle::thread::{JoinHandle, Scope, ScopedJoinHandle, scope};
pub(crate) use shuttle::thread_local;

/// What a timed wait does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timeouts {
    /// It ends at any moment, whether it was notified or not.
    AtAnyMoment,
    /// It ends only when it is notified. So a notice that a timeout would make up for is missed.
    #[cfg_attr(not(test), allow(dead_code, reason = "models choose it"))]
    Never,
}

std::thread_local! {
    // Shuttle runs all threads of a model on one thread of the system.
    static TIMEOUTS: Cell<Timeouts> = const { Cell::new(Timeouts::AtAnyMoment) };
    static THREADS_LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
}

#[cfg(test)]
impl Timeouts {
    /// Timed waits of the models of this thread do this from now on.
    pub(crate) fn set(self) {
        TIMEOUTS.set(self);
    }
}

/// The system starts only so many threads more for the models of this thread.
#[cfg(test)]
pub(crate) fn set_threads_left(threads: usize) {
    THREADS_LEFT.set(threads);
}

/// Waits for a notice, or as [`Timeouts`] says. `guard` is that of `lock`.
pub(crate) fn wait_timeout<'a, T>(
    condvar: &Condvar,
    lock: &'a Mutex<T>,
    guard: MutexGuard<'a, T>,
    _most: Duration,
) -> MutexGuard<'a, T> {
    match TIMEOUTS.get() {
        Timeouts::Never => condvar.wait(guard).unwrap_or_else(PoisonError::into_inner),
        Timeouts::AtAnyMoment => {
            drop(guard);
            shuttle::thread::yield_now();
            lock.lock().unwrap_or_else(PoisonError::into_inner)
        }
    }
}

/// Waits as long as the condition holds, or as [`Timeouts`] says. `guard` is that of `lock`.
pub(crate) fn wait_timeout_while<'a, T>(
    condvar: &Condvar,
    lock: &'a Mutex<T>,
    mut guard: MutexGuard<'a, T>,
    most: Duration,
    mut condition: impl FnMut(&mut T) -> bool,
) -> MutexGuard<'a, T> {
    while condition(&mut guard) {
        guard = wait_timeout(condvar, lock, guard, most);
        if TIMEOUTS.get() == Timeouts::AtAnyMoment {
            break;
        }
    }
    guard
}

/// Starts a thread.
pub(crate) fn spawn<T: Send + 'static>(
    name: &str,
    life: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    take_thread()?;
    shuttle::thread::Builder::new().name(name.into()).spawn(life)
}

/// Starts a thread that may borrow what lives as long as the scope.
pub(crate) fn spawn_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    _name: &str,
    life: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    take_thread()?;
    Ok(scope.spawn(life))
}

/// Whether the system has refused a thread, or would.
#[cfg(test)]
pub(crate) fn has_no_threads_left() -> bool {
    THREADS_LEFT.get() == 0
}

fn take_thread() -> io::Result<()> {
    let left = THREADS_LEFT.get().checked_sub(1).ok_or(io::ErrorKind::WouldBlock)?;
    THREADS_LEFT.set(left);
    Ok(())
}

/// A queue whose operations are single steps, for one owner and others that steal.
pub(crate) struct Worker<T>(Arc<Mutex<VecDeque<T>>>);

/// Steals from a [`Worker`].
pub(crate) struct Stealer<T>(Arc<Mutex<VecDeque<T>>>);

/// A queue whose operations are single steps, for all.
pub(crate) struct Injector<T>(Mutex<VecDeque<T>>);

fn locked<T>(queue: &Mutex<VecDeque<T>>) -> MutexGuard<'_, VecDeque<T>> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

fn steal<T>(queue: &Mutex<VecDeque<T>>) -> Steal<T> {
    // Crossbeam may say so at any time if others steal too.
    if shuttle::rand::Rng::gen_ratio(&mut shuttle::rand::thread_rng(), 1, 8) {
        return Steal::Retry;
    }
    locked(queue).pop_front().map_or(Steal::Empty, Steal::Success)
}

impl<T> Worker<T> {
    pub(crate) fn new_fifo() -> Self {
        Self(Arc::new(Mutex::new(VecDeque::new())))
    }

    pub(crate) fn stealer(&self) -> Stealer<T> {
        Stealer(Arc::clone(&self.0))
    }

    pub(crate) fn push(&self, task: T) {
        locked(&self.0).push_back(task);
    }

    pub(crate) fn pop(&self) -> Option<T> {
        locked(&self.0).pop_front()
    }

    pub(crate) fn is_empty(&self) -> bool {
        locked(&self.0).is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        locked(&self.0).len()
    }
}

impl<T> Stealer<T> {
    pub(crate) fn steal(&self) -> Steal<T> {
        steal(&self.0)
    }
}

impl<T> Injector<T> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(VecDeque::new()))
    }

    pub(crate) fn push(&self, task: T) {
        locked(&self.0).push_back(task);
    }

    pub(crate) fn steal(&self) -> Steal<T> {
        steal(&self.0)
    }
}
