//! Offsets on POSIX systems: `pread` and `pwrite`, which leave the offset of the file alone.

use std::fs::{File, TryLockError};
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::FileExt;

use rustix::fs::{OFlags, fcntl_getfl};
use rustix::io::Errno;

/// Reads from an offset. 0 if the buffer is empty or the file has ended. A read that a signal interrupts begins again.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> Result<usize> {
    loop {
        match file.read_at(buffer, offset) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// Writes at an offset. A write that a signal interrupts begins again.
pub fn write_at(file: &File, bytes: &[u8], offset: u64) -> Result<usize> {
    loop {
        match file.write_at(bytes, offset) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            wrote => return wrote,
        }
    }
}

/// Locks the file for this process. False if another process has locked it. A file system without locks gives none.
pub fn lock(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Whether the file is open for appending. The system ignores the offsets of writes then.
pub fn appends(file: &File) -> Result<bool> {
    Ok(fcntl_getfl(file)?.contains(OFlags::APPEND))
}

/// Whether this file needs a second way to be read again.
pub fn is_only_written(file: &File) -> bool {
    !fcntl_getfl(file).is_ok_and(|flags| flags.contains(OFlags::RDWR))
}

/// A way to read a file that is open for writing. Nothing if the file is open for reading too. It is an error if the
/// process may not read the file, or if the system has no way ([`Unsupported`](ErrorKind::Unsupported)).
pub fn open_again(file: &File) -> Result<Option<File>> {
    if !is_only_written(file) {
        return Ok(None);
    }
    #[cfg(target_os = "linux")]
    return File::open(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(file))).map(Some);
    // The name may be that of another file by now.
    #[cfg(target_vendor = "apple")]
    {
        use std::os::unix::ffi::OsStrExt;
        let path = rustix::fs::getpath(file)?;
        let again = File::open(std::ffi::OsStr::from_bytes(path.as_bytes()))?;
        let identity = |file| crate::facts::Facts::of(file).map(|facts| facts.identity());
        if identity(file)? == identity(&again)? {
            Ok(Some(again))
        } else {
            Err(ErrorKind::Unsupported.into())
        }
    }
    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    return Err(ErrorKind::Unsupported.into());
}

/// Whether the error says that the medium cannot read a sector.
pub fn is_bad_sector(error: &Error) -> bool {
    error.raw_os_error() == Some(Errno::IO.raw_os_error())
}

/// The error of a sector that cannot be read.
pub fn refusal_of_sector() -> Error {
    Errno::IO.into()
}
