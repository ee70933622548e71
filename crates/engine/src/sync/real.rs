//! What a program runs with: std and crossbeam.

use std::io;
use std::sync::PoisonError;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
use std::thread::Builder;
pub(crate) use std::thread::{JoinHandle, Scope, ScopedJoinHandle, scope};
pub(crate) use std::thread_local;
use std::time::Duration;

pub(crate) use crossbeam_channel::{Receiver, Sender, unbounded};
pub(crate) use crossbeam_deque::{Injector, Steal, Stealer, Worker};

/// Starts a thread.
pub(crate) fn spawn<T: Send + 'static>(
    name: &str,
    life: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    Builder::new().name(name.into()).spawn(life)
}

/// Starts a thread that may borrow what lives as long as the scope.
pub(crate) fn spawn_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    life: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    Builder::new().name(name.into()).spawn_scoped(scope, life)
}

/// Waits for a notice, or for this time. `guard` is that of `_lock`, which only models need.
pub(crate) fn wait_timeout<'a, T>(
    condvar: &Condvar,
    _lock: &'a Mutex<T>,
    guard: MutexGuard<'a, T>,
    most: Duration,
) -> MutexGuard<'a, T> {
    condvar.wait_timeout(guard, most).unwrap_or_else(PoisonError::into_inner).0
}

/// Waits as long as the condition holds, for this time at most.
pub(crate) fn wait_timeout_while<'a, T>(
    condvar: &Condvar,
    _lock: &'a Mutex<T>,
    guard: MutexGuard<'a, T>,
    most: Duration,
    condition: impl FnMut(&mut T) -> bool,
) -> MutexGuard<'a, T> {
    condvar.wait_timeout_while(guard, most, condition).unwrap_or_else(PoisonError::into_inner).0
}
