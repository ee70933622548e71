//! The CPU time that other programs use during a measurement.
//!
//! `scaling` calls [`Others::watch`] before its measurements and [`Others::cores`] after them. The report has the
//! result, because the speed on two cores means little if other programs use them too. Only Linux tells the CPU time of
//! all programs (`/proc/stat`); elsewhere the result is unknown.

use std::fs;
use std::time::{Duration, Instant};

use rustix::param::clock_ticks_per_second;
use rustix::time::{ClockId, clock_gettime};

/// The start of the measurement.
pub struct Others {
    since: Instant,
    busy: Option<Duration>,
    own: Duration,
}

impl Others {
    pub fn watch() -> Self {
        Self { since: Instant::now(), busy: busy(), own: own() }
    }

    /// Cores that other programs kept busy since then, on average.
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

/// CPU time of all programs since the start of the machine: user, nice and system of `/proc/stat`.
fn busy() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let ticks: u64 =
        stat.lines().next()?.split_whitespace().skip(1).take(3).flat_map(str::parse::<u64>).sum();
    Some(Duration::from_secs_f64(ticks as f64 / clock_ticks_per_second() as f64))
}
