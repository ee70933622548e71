//! The CPU time of this thread and of this process.

pub use platform::{of_process, of_thread};

#[cfg(not(windows))]
mod platform {
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
}

/// Windows counts in steps of 15 ms.
#[cfg(windows)]
mod platform {
    use std::time::Duration;

    use windows_sys::Win32::Foundation::{FILETIME, HANDLE};
    use windows_sys::Win32::System::Threading::{
        GetCurrentProcess, GetCurrentThread, GetProcessTimes, GetThreadTimes,
    };
    use windows_sys::core::BOOL;

    /// CPU time of the thread that calls, since it started. Zero if the system does not tell.
    pub fn of_thread() -> Duration {
        // SAFETY: the call has no condition.
        told(unsafe { GetCurrentThread() }, GetThreadTimes)
    }

    /// CPU time of all threads of this process. Zero if the system does not tell.
    pub fn of_process() -> Duration {
        // SAFETY: the call has no condition.
        told(unsafe { GetCurrentProcess() }, GetProcessTimes)
    }

    type Ask =
        unsafe extern "system" fn(HANDLE, *mut FILETIME, *mut FILETIME, *mut FILETIME, *mut FILETIME) -> BOOL;

    fn told(handle: HANDLE, ask: Ask) -> Duration {
        let [mut start, mut end, mut system, mut user] = [FILETIME::default(); 4];
        // SAFETY: both questions are about what calls, and write to the four structures.
        let is_told =
            unsafe { ask(handle, &raw mut start, &raw mut end, &raw mut system, &raw mut user) != 0 };
        let steps = |time: FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
        if is_told { Duration::from_nanos((steps(system) + steps(user)) * 100) } else { Duration::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn work_takes_time_of_its_thread_and_of_the_process() {
        let start = Instant::now();
        // Windows counts in steps of 15 ms.
        while of_thread() < Duration::from_millis(30) && start.elapsed() < Duration::from_secs(60) {
            std::hint::spin_loop();
        }
        let thread = of_thread();
        assert!(thread >= Duration::from_millis(30) && thread <= start.elapsed() + Duration::from_secs(1));
        assert!(of_process() >= Duration::from_millis(30));
    }
}
