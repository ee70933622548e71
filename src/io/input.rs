//! Where bytes come from.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use super::{Place, pipe};
use crate::error::{Error, Result};

/// While the input is idle, so often it is looked whether the output has failed meanwhile.
const LOOK_AROUND: Duration = Duration::from_millis(100);

/// So long bytes that have arrived wait for more to come with them.
const GATHER: Duration = Duration::from_millis(5);

/// Where bytes come from. Regular files are read by the workers, each at its own offset; memory is not
/// even copied.
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
    /// All of the input, in memory.
    Memory(&'a [u8]),
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

    /// What workers read by themselves, and the range of it that is input; nothing if the input can only
    /// be read in order.
    pub(crate) fn place(&self) -> Option<(Place<'a>, Range<u64>)> {
        match *self {
            Self::File { file, start, len } => Some((Place::File(file), start..len.max(start))),
            Self::Memory(memory) => Some((Place::Memory(memory), 0..memory.len() as u64)),
            Self::Reader(_) | Self::Fd(_) => None,
        }
    }

    /// What is read in order; nothing for what has a place.
    pub(crate) fn into_stream(self) -> Option<Stream<'a>> {
        let kind = match self {
            Self::Reader(reader) => Kind::Reader(reader),
            Self::Fd(fd) => Kind::Fd(fd),
            Self::File { .. } | Self::Memory(_) => return None,
        };
        Some(Stream { kind, error: None })
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

impl Stream<'_> {
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
