//! The output of a salvage: it is written in order, on the thread of the caller.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;

use crate::error::{Error, Result};
use crate::io::{Output, WriteAt};

/// How many zeros are written at a time.
const ZEROS_LEN: usize = 64 << 10;

/// Where the plain data goes, and how much of it has been written.
pub(super) struct Sink<'a> {
    to: To<'a>,
    pub(super) written: u64,
}

enum To<'a> {
    Writer(Box<dyn Write + Send + 'a>),
    File(&'a File, u64),
    Memory(&'a mut [u8]),
    At(&'a dyn WriteAt),
    Nothing,
}

impl<'a> Sink<'a> {
    pub(super) fn new(output: Output<'a>) -> Self {
        let to = match output {
            Output::Writer(writer) => To::Writer(writer),
            Output::File { file, start } => To::File(file, start),
            Output::Memory(memory) => To::Memory(memory),
            Output::At(target) => To::At(target),
            Output::Nothing => To::Nothing,
        };
        Self { to, written: 0 }
    }

    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let done = match &mut self.to {
            To::Writer(writer) => writer.write_all(bytes),
            To::File(file, start) => file.write_all_at(bytes, *start + self.written),
            To::Memory(memory) => {
                let at = usize::try_from(self.written).unwrap_or(usize::MAX);
                match memory.get_mut(at..).and_then(|rest| rest.get_mut(..bytes.len())) {
                    Some(room) => {
                        room.copy_from_slice(bytes);
                        Ok(())
                    }
                    None => Err(std::io::ErrorKind::WriteZero.into()),
                }
            }
            To::At(target) => target.write_all_at(bytes, self.written),
            To::Nothing => Ok(()),
        };
        done.map_err(|source| Error::Write { offset: self.written, source })?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// Writes so many zeros.
    pub(super) fn put_zeros(&mut self, mut len: u64) -> Result<()> {
        if matches!(self.to, To::Nothing) {
            self.written += len;
            return Ok(());
        }
        let zeros = [0; ZEROS_LEN];
        while len > 0 {
            let step = usize::try_from(len).unwrap_or(ZEROS_LEN).min(ZEROS_LEN);
            self.put(&zeros[..step])?;
            len -= step as u64;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        match &mut self.to {
            To::Writer(writer) => {
                writer.flush().map_err(|source| Error::Write { offset: self.written, source })
            }
            To::File(..) | To::Memory(_) | To::At(_) | To::Nothing => Ok(()),
        }
    }
}
