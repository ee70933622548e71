//! CPU time of POSIX systems.

use std::time::Duration;

use rustix::time::{ClockId, DynamicClockId, clock_gettime_dynamic};

/// CPU time of the thread that calls, since it started. Zero if the system does not tell.
pub fn of_thread() -> Duration {
    now(ClockId::ThreadCPUTime)
}

/// CPU time of all threads of this process. Zero if the system does not tell.
pub fn of_process() -> Duration {
    now(ClockId::ProcessCPUTime)
}

fn now(clock: ClockId) -> Duration {
    // `clock_gettime` panics if the call is denied.
    clock_gettime_dynamic(DynamicClockId::Known(clock)).map_or(Duration::ZERO, |now| {
        Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
    })
}
