//! Facts of POSIX systems: those of the standard library.

use std::fs::{File, Metadata};
use std::io::Result;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use super::{Kind, Time};

/// What the system tells of a file.
#[derive(Clone, Debug)]
pub struct Facts(Metadata);

/// Two files that are there at the same time are the same if their identities are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity(u64, u64);

impl Facts {
    /// Of a file that is open, which may be a pipe or a device.
    pub fn of(file: &File) -> Result<Self> {
        file.metadata().map(Self)
    }

    /// Of the file at this path, behind all links.
    pub fn at(path: &Path) -> Result<Self> {
        path.metadata().map(Self)
    }

    /// Of what has this path, which may be a link.
    pub fn of_link(path: &Path) -> Result<Self> {
        path.symlink_metadata().map(Self)
    }

    /// What kind of file it is.
    pub fn kind(&self) -> Kind {
        match self.0.file_type() {
            kind if kind.is_file() => Kind::File,
            kind if kind.is_dir() => Kind::Folder,
            kind if kind.is_symlink() => Kind::Link,
            kind if kind.is_fifo() => Kind::Pipe,
            kind if kind.is_socket() => Kind::Socket,
            kind if kind.is_char_device() => Kind::Device,
            kind if kind.is_block_device() => Kind::Disk,
            _ => Kind::Other,
        }
    }

    /// The length that the system states. Reads may show another one.
    #[allow(clippy::len_without_is_empty, reason = "a length of 0 says nothing of most kinds")]
    pub fn len(&self) -> u64 {
        self.0.len()
    }

    /// What tells it from all other files.
    pub fn identity(&self) -> Identity {
        Identity(self.0.dev(), self.0.ino())
    }

    /// How many names it has.
    pub fn links(&self) -> u64 {
        self.0.nlink()
    }

    /// When its bytes changed last.
    pub fn modified(&self) -> Time {
        Time { seconds: self.0.mtime(), nanoseconds: self.0.mtime_nsec() as u32 }
    }

    /// When its bytes, its names or its rights changed last.
    pub fn changed(&self) -> Time {
        Time { seconds: self.0.ctime(), nanoseconds: self.0.ctime_nsec() as u32 }
    }
}
