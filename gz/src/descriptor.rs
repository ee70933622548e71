//! The descriptor of a file: opened by gzopen, or given to gzdopen.
//!
//! A gzFile owns its descriptor and closes it. Threads get copies of it, so that they never use a number that was
//! closed.

use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};

use rustix::fs::{self, FileType, Mode as Bits, OFlags, SeekFrom};
use rustix::io::{self, Errno};

use crate::memory::Room;

pub(crate) struct Descriptor(RawFd);

impl Descriptor {
    pub(crate) fn open(path: &CStr, flags: OFlags) -> Result<Self, Errno> {
        use std::os::fd::IntoRawFd;
        Ok(Self(fs::open(path, flags, Bits::from_raw_mode(0o666))?.into_raw_fd()))
    }

    /// A descriptor that the caller gives away, if it is one.
    pub(crate) fn given(number: RawFd) -> Option<Self> {
        (number >= 0).then_some(Self(number))
    }

    /// Leaves the descriptor to the caller.
    pub(crate) fn leave(self) {}

    /// Closes it. An error is a number for errno.
    pub(crate) fn close(self) -> Result<(), i32> {
        // SAFETY: the descriptor belongs to this value, which ends here. If the caller closed it, the call fails.
        match unsafe { libc::close(self.0) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)),
        }
    }

    /// Reads until the room is full or the input ends. Returns the length, and whether the input has ended.
    pub(crate) fn load(&self, room: &mut Room) -> Result<(usize, bool), Errno> {
        let mut got = 0;
        while got < room.len() {
            match io::read(self, &mut room[got..])?.0.len() {
                0 => return Ok((got, true)),
                len => got += len,
            }
        }
        Ok((got, false))
    }

    pub(crate) fn write_all(&self, mut bytes: &[u8]) -> Result<(), Errno> {
        while !bytes.is_empty() {
            bytes = &bytes[io::write(self, bytes)?..];
        }
        Ok(())
    }

    /// The offset, if it has one.
    pub(crate) fn offset(&self) -> Result<u64, Errno> {
        fs::tell(self)
    }

    pub(crate) fn seek(&self, to: SeekFrom) -> Result<u64, Errno> {
        fs::seek(self, to)
    }

    /// The length of a regular file.
    pub(crate) fn regular_len(&self) -> Option<u64> {
        let stat = fs::fstat(self).ok()?;
        let is_regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        is_regular.then(|| u64::try_from(stat.st_size).unwrap_or(0))
    }

    /// Another descriptor of the same file.
    pub(crate) fn copy(&self) -> Result<OwnedFd, Errno> {
        io::fcntl_dupfd_cloexec(self, 3)
    }
}

impl AsFd for Descriptor {
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: the number is not -1. The caller leaves the descriptor to the gzFile until gzclose.
        unsafe { BorrowedFd::borrow_raw(self.0) }
    }
}
