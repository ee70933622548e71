//! The CPU time of this thread and of this process.

#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(windows), path = "unix.rs")]
mod platform;

pub use platform::{of_process, of_thread};

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
