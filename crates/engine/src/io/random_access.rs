//! [`RandomAccess`]: input that many workers read at the same time, each at its own offset.
//!
//! It is a regular file, memory, or a source of the caller. Workers, cursors and the readers of indexes use it. It has
//! no current offset, so that readers do not disturb each other.

use std::fs::File;
use std::io::ErrorKind;

use super::ReadAt;
use crate::error::{Error, Result};

/// Bytes that can be read at any offset.
#[derive(Clone, Copy)]
pub enum RandomAccess<'a> {
    /// A regular file.
    File(&'a File),
    /// Memory.
    Memory(&'a [u8]),
    /// A source of the caller.
    Source(&'a dyn ReadAt),
}

impl RandomAccess<'_> {
    /// Fills `buffer` with the bytes from `offset` on. Returns the length read, which is shorter only at the end.
    pub fn read_at(self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        match self {
            Self::File(file) => fill_at(file, buffer, offset),
            Self::Memory(memory) => fill_at(&memory, buffer, offset),
            Self::Source(source) => fill_at(source, buffer, offset),
        }
    }

    /// The current length. A file may grow while it is read. `at` is the offset for the error.
    pub fn len(self, at: u64) -> Result<u64> {
        let len = match self {
            Self::File(file) => file.size(),
            Self::Memory(memory) => Ok(memory.len() as u64),
            Self::Source(source) => source.size(),
        };
        len.map_err(|source| Error::Read { offset: at, source })
    }
}

fn fill_at(source: &dyn ReadAt, buffer: &mut [u8], offset: u64) -> Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        let room = &mut buffer[filled..];
        let (wanted, at) = (room.len(), offset.saturating_add(filled as u64));
        match source.read_at(room, at) {
            Ok(0) => break,
            // A source of the caller may claim more than there is room for.
            Ok(read) => filled += read.min(wanted),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(source) => return Err(Error::Read { offset: at, source }),
        }
    }
    Ok(filled)
}
