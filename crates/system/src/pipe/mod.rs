//! Pipes: their size, what is in them, and how to wait for two of them.

#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(windows), path = "unix.rs")]
mod platform;

pub use platform::{LINE_MAX, grow, left_at_end, open_now, wait_unless};
