//! The memory orderings of the atomics of the engine, by loom.
//!
//! Shuttle takes all atomics as sequentially consistent (`src/schedules/`). Loom tries each value that an atomic may
//! have by the rules of C11, in small models. This test compiles the files of the engine that rely on orderings once
//! more, with the types of loom in place of those of std. So what is tested is what ships, and the engine needs no flag
//! for it.

#![allow(
    clippy::unwrap_used,
    dead_code,
    missing_docs,
    reason = "a test, with parts of the engine that it does not use"
)]

#[path = "../src/digest.rs"]
mod digest;
#[path = "../src/signal.rs"]
mod signal;

/// As `src/sync/`, of loom.
mod sync {
    use std::time::Duration;

    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicUsize};
    pub(crate) use loom::sync::{Mutex, MutexGuard};

    /// The condition variable of loom, with a default.
    pub(crate) struct Condvar(loom::sync::Condvar);

    impl Default for Condvar {
        fn default() -> Self {
            Self(loom::sync::Condvar::new())
        }
    }

    impl std::ops::Deref for Condvar {
        type Target = loom::sync::Condvar;
        fn deref(&self) -> &Self::Target {
            &self.0
        }
    }

    pub(crate) fn wait_timeout<'a, T>(
        condvar: &Condvar,
        _lock: &'a Mutex<T>,
        guard: MutexGuard<'a, T>,
        _most: Duration,
    ) -> MutexGuard<'a, T> {
        condvar.wait(guard).unwrap()
    }

    macro_rules! thread_local_of_loom {
        ($(#[$attribute:meta])* static $name:ident: $type:ty = const { $value:expr };) => {
            loom::thread_local! { $(#[$attribute])* static $name: $type = $value; }
        };
    }
    pub(crate) use thread_local_of_loom as thread_local;

    macro_rules! seeded {
        ($fault:ident) => {
            false
        };
    }
    pub(crate) use seeded;
}

mod crew {
    pub(crate) struct Waiting;

    impl Waiting {
        pub(crate) fn new() -> Self {
            Self
        }
    }

    impl Drop for Waiting {
        fn drop(&mut self) {}
    }
}

mod waits {
    pub(crate) enum Activity {
        Waiting,
    }

    pub(crate) fn timed<T>(_: Activity, call: impl FnOnce() -> T) -> T {
        call()
    }
}

mod buffers {
    /// Bytes of a buffer.
    pub(crate) struct Slice(pub(crate) Vec<u8>);

    impl Slice {
        pub(crate) fn buffer_len(&self) -> usize {
            self.0.len()
        }
    }

    impl std::ops::Deref for Slice {
        type Target = [u8];
        fn deref(&self) -> &[u8] {
            &self.0
        }
    }
}

mod emitter {
    pub(crate) const PIECE_LEN: usize = 1;
}

use std::hash::Hasher;
use std::process::Command;
use std::sync::atomic::Ordering;

use buffers::Slice;
use digest::Digest;
use loom::sync::Arc;
use loom::thread;
use signal::{Lock, Signal};

/// Runs a model under all schedules with at most three switches of threads that could go on. Without a bound the models
/// would take hours.
fn explore(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

#[test]
fn a_thread_that_waits_for_a_change_is_woken_behind_the_lock() {
    explore(|| {
        let shared = Arc::new((Lock::new(0), Signal::default()));
        let waiter = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let mut count = shared.0.lock();
                while *count < 2 {
                    count = shared.1.wait(count);
                }
            })
        };
        let helper = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                *shared.0.lock() += 1;
                shared.1.notify_one();
            })
        };
        *shared.0.lock() += 1;
        shared.1.notify_all();
        waiter.join().unwrap();
        helper.join().unwrap();
        assert!(!shared.1.is_awaited());
    });
}

#[test]
fn all_threads_that_wait_are_woken() {
    explore(|| {
        let shared = Arc::new((Lock::new(false), Signal::default()));
        let wait = |shared: &Arc<(Lock<bool>, Signal)>| {
            let shared = Arc::clone(shared);
            move || {
                let mut is_open = shared.0.lock();
                while !*is_open {
                    is_open = shared.1.rest(is_open);
                }
            }
        };
        let waiters = [thread::spawn(wait(&shared)), thread::spawn(wait(&shared))];
        *shared.0.lock() = true;
        shared.1.notify_all();
        waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
    });
}

#[test]
fn loom_finds_that_a_change_without_the_lock_can_be_missed() {
    // A thread that waits for ever cannot be ended, so this takes a process of its own.
    let mut child = Command::new(std::env::current_exe().unwrap());
    let output =
        child.args(["--exact", "a_change_without_the_lock", "--ignored", "--nocapture"]).output().unwrap();
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("deadlock"));
}

/// What the rule of [`Signal`] forbids.
#[test]
#[ignore = "it fails, and the test before runs it"]
fn a_change_without_the_lock() {
    explore(|| {
        let shared = Arc::new((Lock::new(()), Signal::default(), loom::sync::atomic::AtomicBool::new(false)));
        let waiter = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let mut guard = shared.0.lock();
                while !shared.2.load(Ordering::Acquire) {
                    guard = shared.1.wait(guard);
                }
            })
        };
        shared.2.store(true, Ordering::Release);
        shared.1.notify_all();
        waiter.join().unwrap();
    });
}

/// A checksum that depends on the order.
struct Sum(u64);

impl Hasher for Sum {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |sum, &byte| sum * 31 + u64::from(byte));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[test]
fn a_checksum_has_each_piece_once_and_in_order_with_a_helper_or_without() {
    explore(|| {
        let digest = Arc::new(Digest::new(Box::new(Sum(0))));
        let mut helpers = Vec::new();
        for byte in 1..=2 {
            digest.push(Slice(vec![byte]));
            if digest.request_help() {
                let digest = Arc::clone(&digest);
                helpers.push(thread::spawn(move || digest.help()));
            }
        }
        assert_eq!(digest.finish(&[3]), (31 + 2) * 31 + 3);
        helpers.into_iter().for_each(|helper| helper.join().unwrap());
    });
}
