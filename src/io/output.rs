//! Where bytes go.

use std::fs::File;
use std::io::{Seek, Write};
use std::os::fd::AsFd;

use super::pipe;

/// Where bytes go. Regular files and memory are written by the workers, each at its own offset.
pub enum Output<'a> {
    /// Anything that writes, in order, from a thread of its own.
    Writer(Box<dyn Write + Send + 'a>),
    /// A regular file, from `start` on.
    File {
        /// The file, open for writing and not for appending.
        file: &'a File,
        /// Offset of the first byte to write.
        start: u64,
    },
    /// Memory, filled by the workers; output that is longer is an error.
    Memory(&'a mut [u8]),
    /// Nowhere: the data is only checked.
    Nothing,
}

impl<'a> Output<'a> {
    /// The best way to write to this file from where it stands: by offsets if it is a regular one.
    pub fn from_file(file: &'a File) -> std::io::Result<Self> {
        // A file that is open for appending ignores offsets.
        let appends = rustix::fs::fcntl_getfl(file)?.contains(rustix::fs::OFlags::APPEND);
        if file.metadata()?.is_file() && !appends {
            return Ok(Self::File { file, start: (&*file).stream_position()? });
        }
        pipe::grow(file.as_fd());
        Ok(Self::Writer(Box::new(file)))
    }
}
