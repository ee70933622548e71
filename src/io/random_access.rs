//! [`RandomAccess`]: input that many workers read at the same time, each at its own offset.
//!
//! It is a regular file or memory. Workers, cursors and the readers of indexes use it. It has no current offset, so that
//! readers do not disturb each other.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;

use crate::error::{Error, Result};

/// Bytes that can be read at any offset.
#[derive(Clone, Copy)]
pub(crate) enum RandomAccess<'a> {
    /// A regular file.
    File(&'a File),
    /// Memory.
    Memory(&'a [u8]),
}

impl RandomAccess<'_> {
    /// Fills `buffer` with the bytes from `offset` on. Returns the length read, which is shorter only at the end.
    pub(crate) fn read_at(self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        match self {
            Self::File(file) => read_file_at(file, buffer, offset),
            Self::Memory(memory) => {
                let rest = usize::try_from(offset).ok().and_then(|offset| memory.get(offset..));
                let rest = rest.unwrap_or_default();
                let len = rest.len().min(buffer.len());
                buffer[..len].copy_from_slice(&rest[..len]);
                Ok(len)
            }
        }
    }

    /// The current length. A file may grow while it is read. `at` is the offset for the error.
    pub(crate) fn len(self, at: u64) -> Result<u64> {
        match self {
            Self::File(file) => {
                Ok(file.metadata().map_err(|source| Error::Read { offset: at, source })?.len())
            }
            Self::Memory(memory) => Ok(memory.len() as u64),
        }
    }
}

fn read_file_at(file: &File, buffer: &mut [u8], offset: u64) -> Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(source) => {
                return Err(Error::Read { offset: offset + filled as u64, source });
            }
        }
    }
    Ok(filled)
}
