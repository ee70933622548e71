//! Signals: those that end the process, one that asks how far it is, and those that the caller ignores. On Windows,
//! Ctrl-C and its kind.
//!
//! Before `main`, the runtime of Rust ignores SIGPIPE, which hides what the caller did: a caller that ignores SIGPIPE
//! expects an exit status, and not an end by a signal. So a program writes
//! [`record_before_main`](crate::record_before_main), and what the caller left is stored before the runtime starts.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicI32, compiler_fence};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(windows), path = "unix.rs")]
mod platform;

use platform::handle_endings;
pub use platform::*;

/// Why a [`Bell`] has woken its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// The user has asked, by SIGUSR1.
    Asked,
    /// The time is over.
    Time,
    /// The [`Rope`] is gone.
    Over,
}

/// The function that answers a signal which ends the process.
pub type Answer = fn(i32);

static ANSWER: OnceLock<Answer> = OnceLock::new();
/// A signal that came to a thread while this thread deferred signals.
static CAME: AtomicI32 = AtomicI32::new(0);

thread_local! {
    /// How many [`Deferred`] this thread has.
    static DEFERRED: Cell<u32> = const { Cell::new(0) };
}

/// While a thread has one, a signal that comes to it is answered later: when it has none any more.
struct Deferred(());

impl Deferred {
    fn new() -> Self {
        DEFERRED.set(DEFERRED.get() + 1);
        compiler_fence(SeqCst);
        Self(())
    }
}

impl Drop for Deferred {
    fn drop(&mut self) {
        compiler_fence(SeqCst);
        DEFERRED.set(DEFERRED.get() - 1);
        if DEFERRED.get() == 0 {
            match CAME.load(Relaxed) {
                0 => {}
                signal => on_signal(signal),
            }
        }
    }
}

/// What a mutex guards that the answer to a signal takes too. Signals that come to the thread are answered after the
/// mutex is released.
pub struct Locked<T: 'static> {
    guard: MutexGuard<'static, T>,
    _deferred: Deferred,
}

/// Locks a mutex that the answer to a signal takes too.
pub fn lock<T>(mutex: &'static Mutex<T>) -> Locked<T> {
    let deferred = Deferred::new();
    Locked { guard: mutex.lock().unwrap_or_else(PoisonError::into_inner), _deferred: deferred }
}

impl<T> Deref for Locked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for Locked<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

extern "C" fn on_signal(signal: i32) {
    if DEFERRED.get() > 0 {
        CAME.store(signal, Relaxed);
    } else if let Some(answer) = ANSWER.get() {
        answer(signal);
    }
}

/// Has `answer` answer the signals that users and systems end a process with. It runs wherever the thread is that gets
/// one, unless the thread has something [`Locked`]. So it must not allocate, or lock anything in another way. A signal
/// that the caller of the program ignores stays ignored: nohup and background jobs of scripts rely on that.
///
/// From then on a write beyond the limit for files fails, and does not end the process.
pub fn answer(answer: Answer) {
    if ANSWER.set(answer).is_ok() {
        handle_endings();
    }
}
