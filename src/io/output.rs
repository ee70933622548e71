//! [`Output`]: where the bytes of a stream go.
//!
//! A caller gives an `Output` to the library, and the sink of the pipeline writes to it. If the output has offsets, as a
//! file or memory, the workers write to it themselves.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::os::fd::AsFd;

use super::pipe;
use crate::error::{Error, Result};

/// Where bytes go. Workers write regular files and memory themselves, each at its own offset.
///
/// ```
/// use pzcomp::Output;
///
/// let file = tempfile::tempfile()?;
/// assert!(matches!(Output::from_file(&file)?, Output::File { start: 0, .. }));
///
/// let mut coded = Vec::new();
/// let _ = Output::Writer(Box::new(&mut coded));
/// # Ok::<(), std::io::Error>(())
/// ```
#[non_exhaustive]
pub enum Output<'a> {
    /// Any writer. A thread of its own writes to it in order.
    Writer(Box<dyn Write + Send + 'a>),
    /// A regular file, from `start` on.
    File {
        /// The file, open for writing and not for appending.
        file: &'a File,
        /// Offset of the first byte to write.
        start: u64,
    },
    /// Memory. The workers fill it. It is an error if the output is longer.
    Memory(&'a mut [u8]),
    /// Nowhere. The data is only checked.
    Nothing,
}

impl<'a> Output<'a> {
    /// The fastest way to write to this file from its current offset: at offsets if it is a regular file, and in order
    /// otherwise. An error of the system is returned.
    pub fn from_file(file: &'a File) -> std::io::Result<Self> {
        // The system ignores offsets if a file is open for appending.
        let appends = rustix::fs::fcntl_getfl(file)?.contains(rustix::fs::OFlags::APPEND);
        if file.metadata()?.is_file() && !appends {
            return Ok(Self::File { file, start: (&*file).stream_position()? });
        }
        pipe::grow(file.as_fd());
        Ok(Self::Writer(Box::new(file)))
    }

    /// The same output, which one thread writes in order if it is a file.
    pub(crate) fn in_order(self) -> Result<Self> {
        let Self::File { mut file, start } = self else { return Ok(self) };
        file.seek(SeekFrom::Start(start)).map_err(|source| Error::Write { offset: 0, source })?;
        Ok(Self::Writer(Box::new(file)))
    }
}
