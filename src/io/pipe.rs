//! What is particular to pipes. Growing them is Linux's own; elsewhere it does nothing.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Makes a pipe hold 1 MiB, which doubles or trebles its throughput over the usual 64 KiB. What is no
/// pipe, or may not be larger, stays as it is.
#[cfg(target_os = "linux")]
pub(crate) fn grow(fd: BorrowedFd) {
    const LEN: usize = 1 << 20;
    // Refused beyond the user's limit (pipe-user-pages-soft): half as much may be granted still.
    for len in [LEN, LEN / 2, LEN / 4] {
        match rustix::pipe::fcntl_getpipe_size(fd) {
            Ok(now) if now < len => {}
            _ => return,
        }
        if rustix::pipe::fcntl_setpipe_size(fd, len).is_ok() {
            return;
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn grow(_: BorrowedFd) {}

/// Whether reading would not wait, or stops waiting within `patience`.
pub(crate) fn readable(fd: BorrowedFd, patience: Duration) -> bool {
    let timeout = Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: i64::from(patience.subsec_nanos()) };
    // On an error the read that follows says what it is.
    poll(&mut [PollFd::from_borrowed_fd(fd, PollFlags::IN)], Some(&timeout)).map_or(true, |ready| ready > 0)
}
