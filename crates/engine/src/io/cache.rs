//! [`CachedFile`]: the pages of a file in the page cache of the system, and how to drop them.
//!
//! The system keeps the pages of files that were read or written, and for that gives up pages that a database on the
//! same machine needs. A caller drops the pages behind the reads and the writes. Only Linux has these calls. A file
//! system without a page cache of this kind ignores them.
//!
//! Pages that were written must be on the disk first. Linux tells of an error of the disk once, so the error that shows
//! here shows nowhere else.

use std::fs::File;
use std::io::Result;

/// Pages before the place that was reached last are dropped once more: workers may have read them later, or a
/// verification may have read them again.
#[cfg(target_os = "linux")]
const MARGIN: u64 = 64 << 20;

/// A file that is read or written from `start` on.
pub struct CachedFile<'a> {
    file: &'a File,
    start: u64,
    is_written: bool,
    /// How far the pages were dropped.
    done: u64,
}

impl<'a> CachedFile<'a> {
    /// A file that is read or written from `start` on.
    pub fn new(file: &'a File, start: u64, is_written: bool) -> Self {
        Self { file, start, is_written, done: 0 }
    }

    /// Drops the pages up to this number of bytes, if there are `least` new ones. Fails if what was written is not on
    /// the disk.
    pub fn drop_up_to(&mut self, reached: u64, least: u64) -> Result<()> {
        if reached.saturating_sub(self.done) < least {
            return Ok(());
        }
        let from = self.done.saturating_sub(Self::margin());
        self.done = reached;
        self.forget(from..reached)
    }

    /// Drops all pages at the end of the work. Fails if what was written is not on the disk.
    pub fn drop_all(&mut self) -> Result<()> {
        self.forget(0..u64::MAX)
    }

    #[cfg(target_os = "linux")]
    fn margin() -> u64 {
        MARGIN
    }

    #[cfg(target_os = "linux")]
    fn forget(&self, range: std::ops::Range<u64>) -> Result<()> {
        use rustix::io::Errno;
        // Pages that are not on the disk yet cannot be dropped.
        match if self.is_written { rustix::fs::fdatasync(self.file) } else { Ok(()) } {
            // There is no such call for this file. The pages stay.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::PERM) => return Ok(()),
            synced => synced?,
        }
        // Without a length, all pages up to the end of the file are meant.
        let len =
            if range.end == u64::MAX { None } else { std::num::NonZeroU64::new(range.end - range.start) };
        let advice = rustix::fs::Advice::DontNeed;
        // A failure is no error: the pages stay, and the data is right.
        let _ = rustix::fs::fadvise(self.file, self.start + range.start, len, advice);
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    fn margin() -> u64 {
        0
    }

    #[cfg(not(target_os = "linux"))]
    fn forget(&self, _: std::ops::Range<u64>) -> Result<()> {
        let _ = (self.file, self.start, self.is_written);
        Ok(())
    }
}
