//! Where bytes come from.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::time::Duration;

use super::pipe;
use crate::error::{Error, Result};

/// While the input is idle, so often it is looked whether the output has failed meanwhile.
const LOOK_AROUND: Duration = Duration::from_millis(100);

/// So long bytes that have arrived wait for more to come with them.
const GATHER: Duration = Duration::from_millis(5);

/// Where bytes come from. Regular files are read by the workers, each at its own offset.
pub enum Input<'a> {
    /// Anything that reads.
    Reader(Box<dyn Read + 'a>),
    /// A pipe, socket or terminal.
    Fd(BorrowedFd<'a>),
    /// A regular file, from `start` to its end.
    File {
        /// The file, open for reading.
        file: &'a File,
        /// Offset of the first byte to read.
        start: u64,
        /// Length of the file.
        len: u64,
    },
}

impl<'a> Input<'a> {
    /// The best way to read this file from where it stands: by offsets if it is a regular one.
    pub fn from_file(file: &'a File) -> std::io::Result<Self> {
        let metadata = file.metadata()?;
        // Files of pseudo file systems say they are empty and are not.
        if metadata.is_file() && metadata.len() > 0 {
            let start = (&*file).stream_position()?;
            #[cfg(target_os = "linux")]
            let _ = rustix::fs::fadvise(file, start, None, rustix::fs::Advice::Sequential);
            return Ok(Self::File { file, start, len: metadata.len().max(start) });
        }
        pipe::grow(file.as_fd());
        Ok(Self::Fd(file.as_fd()))
    }

    /// Leaves the file offset behind what was read, as if it had been read in order.
    pub(crate) fn finish(&self, read: u64) {
        if let Self::File { file, start, .. } = self {
            // Only others who share the open file could notice; none of the data depends on it.
            let _ = (&**file).seek(SeekFrom::Start(start + read));
        }
    }
}

/// Input that can only be read in order.
pub(crate) struct Stream<'a> {
    kind: Kind<'a>,
    /// An error that came after bytes: they are used first.
    error: Option<std::io::Error>,
}

enum Kind<'a> {
    Reader(Box<dyn Read + 'a>),
    Fd(BorrowedFd<'a>),
}

impl<'a> Stream<'a> {
    pub(crate) fn reader(reader: Box<dyn Read + 'a>) -> Self {
        Self { kind: Kind::Reader(reader), error: None }
    }

    pub(crate) fn fd(fd: BorrowedFd<'a>) -> Self {
        Self { kind: Kind::Fd(fd), error: None }
    }

    /// Fills `buffer` as far as the input goes. With `eager`, returns what there is as soon as the
    /// input pauses. The length read, and whether the input has ended.
    pub(crate) fn fill(
        &mut self,
        buffer: &mut [u8],
        offset: u64,
        eager: bool,
        given_up: &dyn Fn() -> bool,
    ) -> Result<(usize, bool)> {
        if let Some(source) = self.error.take() {
            return Err(Error::Read { offset, source });
        }
        let mut filled = 0;
        let mut idle = true;
        while filled < buffer.len() {
            if let Kind::Fd(fd) = &self.kind
                && idle
            {
                if eager && filled > 0 && !pipe::readable(*fd, GATHER) {
                    break;
                }
                while !pipe::readable(*fd, LOOK_AROUND) {
                    if given_up() {
                        return Err(Error::GivenUp);
                    }
                }
            }
            let rest = &mut buffer[filled..];
            let wanted = rest.len();
            let read = match &mut self.kind {
                Kind::Reader(reader) => reader.read(rest),
                Kind::Fd(fd) => rustix::io::read(*fd, rest).map_err(Into::into),
            };
            match read {
                Ok(0) => return Ok((filled, true)),
                Ok(read) => {
                    filled += read;
                    // A full read says that more may be waiting already.
                    idle = read < wanted;
                }
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {
                    idle = true
                }
                Err(source) if filled == 0 => return Err(Error::Read { offset, source }),
                Err(source) => {
                    self.error = Some(source);
                    break;
                }
            }
        }
        Ok((filled, false))
    }
}

/// Fills `buffer` from `offset` of a file; the length read is shorter only at the end of the file.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> Result<usize> {
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
