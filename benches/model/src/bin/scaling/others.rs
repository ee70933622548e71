//! How much of the machine others used meanwhile: without it a figure of two cores means little.

use std::fs;
use std::time::{Duration, Instant};

use rustix::param::clock_ticks_per_second;
use rustix::time::{ClockId, clock_gettime};

/// A moment from which on others are watched.
pub struct Others {
    since: Instant,
    busy: Option<Duration>,
    own: Duration,
}

impl Others {
    pub fn watch() -> Self {
        Self { since: Instant::now(), busy: busy(), own: own() }
    }

    /// Cores that others kept busy since then, on the average.
    pub fn cores(&self) -> Option<f64> {
        let busy = busy()?.checked_sub(self.busy?)?;
        let others = busy.saturating_sub(own() - self.own);
        Some(others.as_secs_f64() / self.since.elapsed().as_secs_f64().max(1e-9))
    }
}

/// CPU time of this process.
fn own() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
}

/// CPU time of everybody since the start of the machine: user, nice and system of `/proc/stat`.
fn busy() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let ticks: u64 =
        stat.lines().next()?.split_whitespace().skip(1).take(3).flat_map(str::parse::<u64>).sum();
    Some(Duration::from_secs_f64(ticks as f64 / clock_ticks_per_second() as f64))
}
