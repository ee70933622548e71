//! Files without a name, named pipes, and what file systems and folders of the system cannot do.

#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(windows), path = "unix.rs")]
mod platform;

#[cfg(not(windows))]
pub(crate) use platform::unnamed_at;
#[cfg(windows)]
pub(crate) use platform::unnamed_in;
pub use platform::{NULL, has_own_descriptors, is_of_fuse, is_of_system, unnamed};
#[cfg(not(windows))]
pub(crate) use platform::{make_fifo, mode, umask};
