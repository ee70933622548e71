//! Handles of POSIX systems: descriptors.

use std::fs::File;
use std::io;
pub use std::os::fd::{AsFd as AsHandle, BorrowedFd as Handle, OwnedFd as OwnedHandle};
use std::os::fd::{IntoRawFd, RawFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// The handle of something that is open.
pub fn of(open: &impl AsHandle) -> Handle<'_> {
    open.as_fd()
}

/// What has this number, which came from a program of another language. It is an error if it cannot be one.
///
/// # Safety
/// It stays open as long as the handle is used.
pub unsafe fn borrowed<'a>(number: isize) -> io::Result<Handle<'a>> {
    match RawFd::try_from(number) {
        // SAFETY: the caller's promise, and the number is not -1.
        Ok(number @ 0..) => Ok(unsafe { Handle::borrow_raw(number) }),
        _ => Err(Errno::BADF.into()),
    }
}

/// Reads once. Fails with `WouldBlock` if there is nothing to read now and the handle is set not to wait.
pub fn read(handle: Handle, buffer: &mut [u8]) -> io::Result<usize> {
    Ok(rustix::io::read(handle, buffer)?)
}

/// Writes once, and waits for room.
pub fn write(handle: Handle, bytes: &[u8]) -> io::Result<usize> {
    loop {
        match rustix::io::write(handle, bytes) {
            Err(Errno::AGAIN) => {}
            wrote => return Ok(wrote?),
        }
        match poll(&mut [PollFd::from_borrowed_fd(handle, PollFlags::OUT)], None) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether a read would return at once, now or within `patience`. A signal ends the patience.
pub fn is_readable(handle: Handle, patience: Duration) -> bool {
    is_ready(handle, PollFlags::IN, patience)
}

/// Whether a write would take something at once, now or within `patience`. A signal ends the patience.
pub fn has_room(handle: Handle, patience: Duration) -> bool {
    is_ready(handle, PollFlags::OUT, patience)
}

fn is_ready(handle: Handle, flags: PollFlags, patience: Duration) -> bool {
    let timeout = Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: i64::from(patience.subsec_nanos()) };
    match poll(&mut [PollFd::from_borrowed_fd(handle, flags)], Some(&timeout)) {
        Ok(ready) => ready > 0,
        // A signal came. The call that follows could wait for ever.
        Err(Errno::INTR) => false,
        // The call that follows reports the error.
        Err(_) => true,
    }
}

/// Closes a file, and tells of an error that the system has kept until then.
pub fn close(file: File) -> io::Result<()> {
    // SAFETY: the descriptor belonged to this file, and is used by nobody any more.
    match unsafe { libc::close(file.into_raw_fd()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
