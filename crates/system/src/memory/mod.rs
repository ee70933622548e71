//! The memory of the machine and of this process.

#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(windows), path = "unix.rs")]
mod platform;

#[cfg(not(windows))]
pub(crate) use platform::status;
pub use platform::{MORE, has, left_of_limits, limit_of, peak, total};

/// What of a process the caller may have limited.
#[derive(Clone, Copy, Debug)]
pub enum Limited {
    /// Its address space.
    AddressSpace,
    /// Its data.
    Data,
    /// How many files it may have open.
    Files,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_tells_the_memory() {
        let (total, peak) = (total().unwrap(), peak().unwrap());
        assert!(peak > 1 << 20 && total > peak, "{total} {peak}");
        assert!(has(4096) && !has(usize::MAX / 2));
    }
}
