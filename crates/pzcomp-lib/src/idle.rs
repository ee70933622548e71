//! [`Idle`]: workers that leave the machine to other programs.
//!
//! Each worker runs in the idle class of the scheduler and of the disks (`crates/system`), so it gets what no other
//! program wants. A worker that runs still costs others something: its data is in their caches. So while other programs
//! wait for a CPU, one worker after another begins no more tasks, down to one. When nobody waits any more, they come
//! back one after another.
//!
//! The engine asks on the threads of the workers. The thread of the caller keeps its class. Output does not change,
//! because it does not depend on the number of workers.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engine::Throttle;
use system::priority::{Pressure, enter_idle_class};

/// How often the pressure is read at most.
const INTERVAL: Duration = Duration::from_millis(100);

/// The part of the time in which other programs wait, above which there is one worker less.
const WAITING_MAX: f64 = 0.1;

/// The throttle of one stream.
pub(crate) struct Idle {
    workers: usize,
    /// How many workers may begin tasks.
    allowed: AtomicUsize,
    /// Absent for one worker, and on systems without counters of waiting. The class alone works there.
    watch: Option<Mutex<Watch>>,
}

struct Watch {
    pressure: Pressure,
    at: Instant,
}

impl Idle {
    /// The throttle for this number of workers, if it is wanted. One worker is never parked.
    pub(crate) fn throttle(is_wanted: bool, workers: usize) -> Option<Arc<dyn Throttle>> {
        is_wanted.then(|| {
            let pressure = if workers > 1 { Pressure::watch() } else { None };
            let watch = pressure.map(|pressure| Mutex::new(Watch { pressure, at: Instant::now() }));
            Arc::new(Self { workers, allowed: AtomicUsize::new(workers), watch }) as Arc<dyn Throttle>
        })
    }

    /// Looks at the pressure if that was not done for a while. One thread does; the others go on.
    fn look(&self) {
        let Some(Ok(mut watch)) = self.watch.as_ref().map(Mutex::try_lock) else { return };
        let now = Instant::now();
        let passed = now.saturating_duration_since(watch.at);
        if passed < INTERVAL {
            return;
        }
        watch.at = now;
        let Some(waiting) = watch.pressure.others_waited() else { return };
        let allowed = self.allowed.load(Relaxed);
        self.allowed
            .store(next(allowed, self.workers, waiting.as_secs_f64() / passed.as_secs_f64()), Relaxed);
    }
}

/// How many workers may work after other programs have waited for this part of the time.
fn next(allowed: usize, workers: usize, waiting: f64) -> usize {
    match waiting > WAITING_MAX {
        true => allowed.saturating_sub(1).max(1),
        false => (allowed + 1).min(workers),
    }
}

impl Throttle for Idle {
    fn begin(&self) {
        enter_idle_class();
    }

    fn may_work(&self, worker: usize) -> bool {
        self.look();
        worker < self.allowed.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_leave_one_by_one_and_come_back() {
        let steps = [0.5, 0.5, 0.5, 0.5, 0.0, 0.05, 0.2, 0.0, 0.0, 0.0];
        let allowed = steps.iter().scan(4, |allowed, &waiting| {
            *allowed = next(*allowed, 4, waiting);
            Some(*allowed)
        });
        assert_eq!(allowed.collect::<Vec<_>>(), [3, 2, 1, 1, 2, 3, 2, 3, 4, 4]);
    }
}
