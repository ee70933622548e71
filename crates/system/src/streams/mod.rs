//! Standard streams, and files that the caller has opened for this process.
//!
//! Before `main`, the runtime of Rust opens `/dev/null` in place of standard streams that are closed. Output to a
//! closed standard output would be lost without an error. So a program writes
//! [`record_before_main`](crate::record_before_main), and [`file`] knows what was closed.

#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(windows), path = "unix.rs")]
mod platform;

pub use platform::*;

/// A standard stream.
#[derive(Clone, Copy, Debug)]
pub enum Stream {
    /// Standard input.
    Input = 0,
    /// Standard output.
    Output = 1,
    /// Standard error.
    Error = 2,
}

/// A copy of a standard stream that can be closed. Fails as [`file`] does.
pub fn copy(stream: Stream) -> std::io::Result<std::fs::File> {
    file(stream)?.try_clone()
}
