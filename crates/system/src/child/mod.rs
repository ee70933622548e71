//! Programs that this process starts and ends.
//!
//! A program has a process group of its own, and all of the group is ended, if there is no terminal. At a terminal the
//! program stays in the group of this process. There a group in the background is stopped when it reads from the
//! terminal, as mysqldump does for a password. Ctrl-C and Ctrl-Z reach both anyway. A program that this process cannot
//! end, because SIGKILL has ended this process, gets SIGTERM from Linux. On Windows a program and all that it starts
//! are in a job, which ends with this process.

#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(windows), path = "unix.rs")]
mod platform;

pub use platform::{MORE, NOT_ALLOWED, NOT_FOUND, Running, describe, start};
