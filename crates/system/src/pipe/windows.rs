//! Pipes of Windows, which have no names among the files.

use std::fs::File;
use std::io::{ErrorKind, Result};
use std::path::Path;

use crate::handle::{AsHandle, Handle};

/// A pipe takes a line up to this length in one piece, if it has room.
pub const LINE_MAX: usize = 4096;

/// Pipes have the size that they were made with.
pub fn grow(_: Handle) {}

/// The system does not tell whether a pipe has a writer before all of it is read.
pub fn left_at_end(_: &File) -> Option<usize> {
    None
}

/// No path leads to a pipe that a program could wait for.
pub fn wait_unless(_: &impl AsHandle, _: &File) -> Result<bool> {
    Err(ErrorKind::Unsupported.into())
}

/// Opens a file to read it, which waits for nobody.
pub fn open_now(path: &Path) -> Result<File> {
    File::open(path)
}
