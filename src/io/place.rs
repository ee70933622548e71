//! What is read at any offset, by many at once.

use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;

use crate::error::{Error, Result};

/// Bytes that are there as a whole: workers read them side by side, each from its own offset.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    /// A regular file.
    File(&'a File),
    /// Memory, which needs no reading.
    Memory(&'a [u8]),
}

impl Place<'_> {
    /// Fills `buffer` from `offset` on; the length read is shorter only at the end.
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

    /// Its length by now: a file that is being written to may have grown. `at` is for the error.
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
