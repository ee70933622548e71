//! [`WriteAt`]: an output that many workers write at the same time, each at its own offset.
//!
//! Callers implement it to give the library an output of their own. The sink of the pipeline uses [`SharedMemory`] if
//! the output is a slice. It behaves like a regular file of fixed length.

use std::io::{Error, ErrorKind, Result};
use std::sync::{Mutex, PoisonError};

/// The length of a part. Pieces of output have about this length, so two writers rarely need the same part.
const PART_LEN: usize = 1 << 20;

/// An output that several threads write at the same time, each at its own offset.
///
/// The calls come in any order, and no two of them write the same byte. When the function that writes returns without
/// an error, every byte of the output was written once.
pub trait WriteAt: Sync {
    /// Writes all of `bytes` at `offset`. If there is too little room, this fills the room and returns an error.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> Result<()>;
}

/// A slice in parts, each behind a lock of its own.
pub struct SharedMemory<'a>(Vec<Mutex<&'a mut [u8]>>);

impl<'a> SharedMemory<'a> {
    /// Divides the memory into parts.
    pub fn new(memory: &'a mut [u8]) -> Self {
        Self(memory.chunks_mut(PART_LEN).map(Mutex::new).collect())
    }
}

impl WriteAt for SharedMemory<'_> {
    fn write_all_at(&self, mut bytes: &[u8], offset: u64) -> Result<()> {
        let full = || Error::new(ErrorKind::WriteZero, "the memory for the output is full");
        let offset = usize::try_from(offset).map_err(|_| full())?;
        let (mut part, mut start) = (offset / PART_LEN, offset % PART_LEN);
        while !bytes.is_empty() {
            let mut memory =
                self.0.get(part).ok_or_else(full)?.lock().unwrap_or_else(PoisonError::into_inner);
            let room = memory.get_mut(start..).unwrap_or_default();
            let (now, later) = bytes.split_at(bytes.len().min(room.len()));
            if now.is_empty() {
                return Err(full());
            }
            room[..now.len()].copy_from_slice(now);
            (bytes, part, start) = (later, part + 1, 0);
        }
        Ok(())
    }
}
