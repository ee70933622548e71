//! Pipes: how to write to them, and how to wait for their bytes.
//!
//! [`Input`](super::Input) and [`Output`](super::Output) call it for descriptors that are no regular files.

use std::io::Write;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// Writes to a descriptor as if it blocked. The owner of a pipe, a socket or a terminal may have made it non-blocking,
/// for all processes that share it. Then a write fails while there is no room, and this waits for room.
///
/// ```
/// use std::io::Write;
/// use std::os::fd::AsFd;
/// let file = tempfile::tempfile()?;
/// # use pzcomp_engine::io as pzcomp;
/// pzcomp::BlockingWriter::new(file.as_fd()).write_all(b"three")?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BlockingWriter<'a>(BorrowedFd<'a>);

impl<'a> BlockingWriter<'a> {
    /// A writer to this descriptor.
    pub fn new(fd: BorrowedFd<'a>) -> Self {
        Self(fd)
    }
}

impl Write for BlockingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        loop {
            match rustix::io::write(self.0, bytes) {
                Err(Errno::AGAIN) => {}
                wrote => return Ok(wrote?),
            }
            match poll(&mut [PollFd::from_borrowed_fd(self.0, PollFlags::OUT)], None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Whether a read would return at once, now or within `patience`.
pub(super) fn readable(fd: BorrowedFd, patience: Duration) -> bool {
    let timeout = Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: i64::from(patience.subsec_nanos()) };
    match poll(&mut [PollFd::from_borrowed_fd(fd, PollFlags::IN)], Some(&timeout)) {
        Ok(ready) => ready > 0,
        // A signal came. The read could wait for ever.
        Err(Errno::INTR) => false,
        // The read that follows reports the error.
        Err(_) => true,
    }
}
