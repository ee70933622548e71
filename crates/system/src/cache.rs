//! The pages of a file in the page cache of the system: reading ahead, and dropping them.

use std::fs::File;
use std::io::Result;
use std::ops::Range;

/// Whether pages can be dropped here.
pub const DROPS: bool = cfg!(any(target_os = "linux", target_os = "freebsd"));

/// Says that a file is read in order, from `start` on. macOS notices that by itself.
pub fn will_be_read(file: &File, start: u64) {
    #[cfg(any(target_os = "linux", target_os = "freebsd"))]
    let _ = rustix::fs::fadvise(file, start, None, rustix::fs::Advice::Sequential);
    #[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
    let _ = (file, start);
}

/// Drops the pages of a range, of which `u64::MAX` is the end of the file. What was written must be on the disk first,
/// and it is an error if it cannot be brought there: the system tells of an error of the disk once.
///
/// A file system without a page cache of this kind keeps its pages, and so does a system without [`DROPS`].
#[cfg(any(target_os = "linux", target_os = "freebsd"))]
pub fn drop_pages(file: &File, range: Range<u64>, is_written: bool) -> Result<()> {
    use rustix::io::Errno;
    match if is_written { rustix::fs::fdatasync(file) } else { Ok(()) } {
        // There is no such call for this file. The pages stay.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::PERM) => return Ok(()),
        synced => synced?,
    }
    // Without a length, all pages up to the end of the file are meant.
    let len = if range.end == u64::MAX { None } else { std::num::NonZeroU64::new(range.end - range.start) };
    // A failure is no error: the pages stay, and the data is right.
    let _ = rustix::fs::fadvise(file, range.start, len, rustix::fs::Advice::DontNeed);
    Ok(())
}

/// Pages stay here.
#[cfg(not(any(target_os = "linux", target_os = "freebsd")))]
pub fn drop_pages(_: &File, _: Range<u64>, _: bool) -> Result<()> {
    Ok(())
}
