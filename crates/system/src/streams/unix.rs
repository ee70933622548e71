//! Standard streams of POSIX systems: descriptors.

use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsFd, FromRawFd, IntoRawFd};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use super::Stream;

static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

/// Stores which streams are closed, before the runtime of Rust opens `/dev/null` in their places.
pub(crate) fn record_closed() {
    for (number, closed) in (0..).zip(&CLOSED) {
        // SAFETY: asking for the flags of a descriptor is allowed whether or not it is open.
        let flags = unsafe { libc::fcntl(number, libc::F_GETFD) };
        // A system that denies the question has not closed the stream.
        let is_closed = flags == -1 && io::Error::last_os_error().raw_os_error() == Some(libc::EBADF);
        closed.store(is_closed, Relaxed);
    }
}

/// A standard stream, which stays open. Fails if the caller has closed it: the descriptor then belongs to `/dev/null`
/// or to another file.
pub fn file(stream: Stream) -> io::Result<&'static File> {
    static FILES: [OnceLock<ManuallyDrop<File>>; 3] = [const { OnceLock::new() }; 3];
    if CLOSED[stream as usize].load(Relaxed) {
        return Err(rustix::io::Errno::BADF.into());
    }
    // SAFETY: the runtime of Rust has seen to it that the descriptor is open, and nobody closes it.
    Ok(FILES[stream as usize].get_or_init(|| ManuallyDrop::new(unsafe { File::from_raw_fd(stream as i32) })))
}

/// Waits until the bytes of a file are on the disk.
pub fn sync(file: &File) -> io::Result<()> {
    let synced = file.sync_all();
    // On macOS that has the disk empty its own memory, which servers and FUSE do not know.
    #[cfg(target_vendor = "apple")]
    let synced = synced.or_else(|error| {
        use rustix::io::Errno;
        match Errno::from_io_error(&error) {
            Some(Errno::NOTSUP | Errno::NOTTY | Errno::INVAL) => Ok(rustix::fs::fsync(file)?),
            _ => Err(error),
        }
    });
    synced
}

/// Closes a copy of the descriptor of a file that is complete. File systems of other machines tell of a full disk only
/// then. So an error comes before the input is removed.
pub fn settle(file: &impl AsFd) -> io::Result<()> {
    let copy = file.as_fd().try_clone_to_owned()?.into_raw_fd();
    // SAFETY: the copy was made here, so nothing else owns it.
    match unsafe { libc::close(copy) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A copy of a descriptor that the caller has opened for this process. Descriptors that this process has opened itself
/// are closed for programs that it starts, so they do not count.
pub fn descriptor(number: i32) -> io::Result<File> {
    for stream in [Stream::Input, Stream::Output, Stream::Error] {
        if number == stream as i32 {
            file(stream)?;
        }
    }
    // SAFETY: the call asks for the flags of a descriptor, which is allowed whether or not it is open.
    match unsafe { libc::fcntl(number, libc::F_GETFD) } {
        -1 => return Err(io::Error::last_os_error()),
        flags if flags & libc::FD_CLOEXEC != 0 => return Err(rustix::io::Errno::BADF.into()),
        _ => {}
    }
    // SAFETY: the call copies a descriptor, which is allowed whether or not it is open.
    let copy = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 3) };
    if copy < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the copy was made here, so nothing else owns it.
    Ok(unsafe { File::from_raw_fd(copy) })
}
