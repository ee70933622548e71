//! [`ReadAt`]: bytes that can be read at any offset, such as a file, memory, or an object in a store.
//!
//! Callers implement it to give the library a source of their own. The workers read such a source through
//! [`RandomAccess`](super::RandomAccess), each at its own offset. [`ReadSeek`] turns anything that reads and seeks into
//! such a source.
//!
//! The length that the system states for a file is a claim: files of `/sys` state a page and have a few bytes, files of
//! `/proc` state nothing, and a file system may know an old length. [`seen_end`] asks reads where a file ends.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use system::facts::{Facts, Kind};

/// Bytes that several threads read at the same time, each at its own offset.
///
/// The bytes must not change while they are read. There is no current offset, so readers do not disturb each other.
///
/// ```
/// # use pzcomp_engine::io as pzcomp;
/// use pzcomp::ReadAt;
/// let mut found = [0; 2];
/// assert_eq!(ReadAt::read_at(&b"three"[..], &mut found, 3)?, 2);
/// assert_eq!(&found, b"ee");
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait ReadAt: Send + Sync {
    /// Reads bytes from `offset` on into `buffer`. Returns how many were read, which may be fewer than the buffer has
    /// room for. 0 if the buffer is empty or if `offset` is at the end or behind it.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// The number of bytes. The name is not `len`, because that would hide the `len` of memory behind a reference.
    fn size(&self) -> io::Result<u64>;
}

impl ReadAt for File {
    /// A read that a signal interrupts begins again.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        system::place::read_at(self, buffer, offset)
    }

    /// The end that reads show, of regular files and block devices.
    fn size(&self) -> io::Result<u64> {
        let facts = Facts::of(self)?;
        Ok(match facts.kind() {
            Kind::File | Kind::Disk => seen_end(self, facts.len()),
            _ => facts.len(),
        })
    }
}

/// The end of a file, as reads show it. `stated` is where they look first: two of them are enough if it is right.
///
/// A place that cannot be read is in the file. The reader of its bytes gets the error.
pub(super) fn seen_end(file: &File, stated: u64) -> u64 {
    let has_byte = |at: u64| ReadAt::read_at(file, &mut [0], at).map_or(at < stated, |read| read > 0);
    // There is a byte before `low`, and none at `high`.
    let (mut low, mut high);
    if stated > 0 && !has_byte(stated - 1) {
        (low, high) = (0, stated - 1);
    } else if !has_byte(stated) {
        return stated;
    } else {
        (low, high) = (stated + 1, stated.saturating_mul(2).max(4096));
        while high < OFFSET_MAX && has_byte(high) {
            (low, high) = (high + 1, high.saturating_mul(2).min(OFFSET_MAX));
        }
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if has_byte(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Offsets of the system have 63 bits.
const OFFSET_MAX: u64 = i64::MAX as u64;

impl ReadAt for [u8] {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..)).unwrap_or_default();
        let len = rest.len().min(buffer.len());
        buffer[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(<[u8]>::len(self) as u64)
    }
}

impl ReadAt for Vec<u8> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.as_slice().read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(Vec::len(self) as u64)
    }
}

impl<T: ReadAt + ?Sized> ReadAt for &T {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        (**self).read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        (**self).size()
    }
}

impl<T: ReadAt + ?Sized> ReadAt for Arc<T> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        (**self).read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        (**self).size()
    }
}

impl<T: ReadAt + ?Sized> ReadAt for Box<T> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        (**self).read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        (**self).size()
    }
}

/// A reader that seeks, as a [`ReadAt`]. Only one thread reads it at a time, so a source that implements `ReadAt`
/// itself is faster.
///
/// ```
/// # use pzcomp_engine::io as pzcomp;
/// use pzcomp::{ReadAt, ReadSeek};
/// let source = ReadSeek::new(std::io::Cursor::new("three"));
/// assert_eq!(source.size()?, 5);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ReadSeek<T>(Mutex<T>);

impl<T: Read + Seek + Send> ReadSeek<T> {
    /// All bytes of `inner`, from its start.
    pub fn new(inner: T) -> Self {
        Self(Mutex::new(inner))
    }

    /// The reader, at any offset.
    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Read + Seek + Send> ReadAt for ReadSeek<T> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        // Each call seeks first, so a reader that panicked before has left nothing that matters.
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.seek(SeekFrom::Start(offset))?;
        inner.read(buffer)
    }

    fn size(&self) -> io::Result<u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).seek(SeekFrom::End(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_ends_where_reads_say_whatever_is_stated() {
        for len in [0, 1, 2, 4095, 4096, 4097, 9000, 1 << 30] {
            let file = tempfile::tempfile().unwrap();
            file.set_len(len).unwrap();
            for stated in
                [0, 1, 2, 4095, 4096, 10_000, len - len.min(1), len, len + 1, 3 * len, i64::MAX as u64]
            {
                assert_eq!(seen_end(&file, stated), len, "{stated}");
            }
            assert_eq!(file.size().unwrap(), len);
        }
    }

    #[test]
    fn files_of_the_system_have_the_size_that_is_read() {
        // They state a page, and nothing.
        for name in ["/sys/devices/system/cpu/online", "/proc/version"] {
            let Ok(bytes) = std::fs::read(name) else { continue };
            let file = File::open(name).unwrap();
            assert_eq!(file.size().unwrap(), bytes.len() as u64, "{name}");
            assert!(matches!(super::super::Input::from(&file), super::super::Input::Fd(_)), "{name}");
        }
    }
}
