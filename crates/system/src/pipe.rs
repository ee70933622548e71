//! Pipes: their size, what is in them, and how to wait for two of them.

pub use platform::{LINE_MAX, grow, left_at_end, open_now, wait_unless};

#[cfg(not(windows))]
mod platform {
    use std::fs::File;
    use std::io::Result;
    use std::path::Path;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::{Mode, OFlags};

    use crate::handle::{AsHandle, Handle};

    /// A pipe that has room takes a line up to this length in one piece and at once. Linux has 4096, others 512.
    pub const LINE_MAX: usize = rustix::pipe::PIPE_BUF;

    /// Gives a pipe room for 1 MiB. That makes it two to three times as fast as with the usual 64 KiB. Other handles,
    /// and pipes that may not be larger, stay as they are. Only Linux lets programs choose.
    #[cfg(target_os = "linux")]
    pub fn grow(pipe: Handle) {
        const LEN: usize = 1 << 20;
        // The system refuses sizes beyond the limit of the user (pipe-user-pages-soft). It may still grant half of it.
        for len in [LEN, LEN / 2, LEN / 4] {
            match rustix::pipe::fcntl_getpipe_size(pipe) {
                Ok(now) if now < len => {}
                _ => return,
            }
            if rustix::pipe::fcntl_setpipe_size(pipe, len).is_ok() {
                return;
            }
        }
    }

    /// Pipes have the size that the system gives them.
    #[cfg(not(target_os = "linux"))]
    pub fn grow(_: Handle) {}

    /// How many bytes are left in a pipe that nobody writes to any more. `None` if somebody does, or if the system does
    /// not tell.
    pub fn left_at_end(pipe: &File) -> Option<usize> {
        let mut look = [PollFd::new(pipe, PollFlags::IN)];
        poll(&mut look, Some(&Timespec::default())).ok()?;
        let has_ended = look[0].revents().contains(PollFlags::HUP);
        let left = has_ended.then(|| rustix::io::ioctl_fionread(pipe).ok()).flatten()?;
        usize::try_from(left).ok()
    }

    /// Waits until a pipe can be read, or has ended. False if that of an alarm can be read, or has ended.
    pub fn wait_unless(alarm: &impl AsHandle, pipe: &File) -> Result<bool> {
        loop {
            let mut wanted = [PollFd::new(pipe, PollFlags::IN), PollFd::new(alarm, PollFlags::IN)];
            match poll(&mut wanted, None) {
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
                Ok(_) => return Ok(wanted[1].revents().is_empty()),
            }
        }
    }

    /// Opens a file to read it, and waits for nobody: to open a pipe would wait for its writer.
    pub fn open_now(path: &Path) -> Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
    }
}

/// Pipes of Windows have no names among the files.
#[cfg(windows)]
mod platform {
    use std::fs::File;
    use std::io::{ErrorKind, Result};
    use std::path::Path;

    use crate::handle::{AsHandle, Handle};

    /// A pipe takes a line up to this length in one piece, if it has room.
    pub const LINE_MAX: usize = 4096;

    /// Pipes have the size that they were made with.
    pub fn grow(_: Handle) {}

    /// The system does not tell whether a pipe has a writer before all of it is read.
    pub fn left_at_end(_: &File) -> Option<usize> {
        None
    }

    /// No path leads to a pipe that a program could wait for.
    pub fn wait_unless(_: &impl AsHandle, _: &File) -> Result<bool> {
        Err(ErrorKind::Unsupported.into())
    }

    /// Opens a file to read it, which waits for nobody.
    pub fn open_now(path: &Path) -> Result<File> {
        File::open(path)
    }
}
