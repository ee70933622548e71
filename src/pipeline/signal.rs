//! A condition variable that knows whether anybody waits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, MutexGuard, PoisonError};

/// Waking nobody is a system call all the same with a bare [`Condvar`]; there are a dozen occasions to
/// wake somebody for each chunk, and hardly ever does anybody wait.
///
/// It belongs to one mutex. Who has changed what others wait for notifies them after that, with the
/// lock or, better, when it has been dropped, so that who wakes up finds it free.
#[derive(Default)]
pub(super) struct Signal {
    condvar: Condvar,
    /// Written with the lock held only, so who has held it since sees all who wait for what it changed.
    waiting: AtomicUsize,
}

impl Signal {
    /// Waits for a notice; there may have been none.
    pub(super) fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let guard = self.condvar.wait(guard).unwrap_or_else(PoisonError::into_inner);
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        guard
    }

    /// Whether anybody waits; a moment later that may have changed.
    pub(super) fn is_awaited(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Wakes one who waits.
    pub(super) fn notify_one(&self) {
        if self.is_awaited() {
            self.condvar.notify_one();
        }
    }

    /// Wakes all who wait.
    pub(super) fn notify_all(&self) {
        if self.is_awaited() {
            self.condvar.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn no_notice_is_missed_though_the_lock_is_dropped_before_it() {
        const TURNS: u32 = 20_000;
        let (turn, changed) = (Mutex::new(0), Signal::default());
        let take_turns = |parity: u32| {
            loop {
                let mut turn = turn.lock().unwrap();
                while *turn < TURNS && *turn % 2 != parity {
                    turn = changed.wait(turn);
                }
                if *turn >= TURNS {
                    return;
                }
                *turn += 1;
                drop(turn);
                changed.notify_all();
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| take_turns(0));
            take_turns(1);
        });
        assert_eq!((*turn.lock().unwrap(), changed.waiting.load(Ordering::Relaxed)), (TURNS, 0));
    }
}
