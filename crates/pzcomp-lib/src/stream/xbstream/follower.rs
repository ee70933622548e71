//! [`Follower`]: whether an xbstream that passes is whole.

use std::collections::BTreeMap;

use super::chunk::{ENTRY_LEN, FIXED_LEN, FORMAT, MAGIC, PATH_MAX, no_xbstream};
use crate::error::{Error, Result};
use crate::printable::printable;

/// Where a header has the kind of the chunk and the length of the path.
const KIND_AT: usize = 9;
const PATH_LEN_AT: usize = 10;

/// Behind the path: the length of the payload, its offset and its checksum.
const NUMBERS_LEN: usize = 20;
/// The number of entries of a sparse map stands in front of them.
const COUNT_LEN: usize = 4;

/// No more files can have begun and not ended.
const OPEN_MAX: usize = 1 << 16;

/// What the file of a backup begins with that is written last.
const INFO: [&[u8]; 2] = [b"xtrabackup_info", b"mariadb_backup_info"];

/// Follows the chunks of an xbstream, which comes in pieces of any length, and says whether each of its files has its
/// end. It reads headers only, and compares no checksum.
///
/// ```
/// let mut follower = pzcomp::xbstream::Follower::default();
/// follower.see(b"XBSTCK01\0E\x05\0\0")?;
/// assert!(follower.end().is_err());
/// follower.see(b"\0empty")?;
/// assert!(follower.end().is_ok());
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Follower {
    /// What has come of the header of the chunk. It has no byte of the payload.
    header: Vec<u8>,
    /// How much of the map and the payload of the chunk has not come.
    left: u64,
    /// The files that have begun and not ended, and where their first chunks begin.
    open: BTreeMap<Vec<u8>, u64>,
    offset: u64,
    /// Where the chunk begins.
    start: u64,
    has_info: bool,
}

impl Follower {
    /// Takes the next bytes. It is an error if no chunk begins where one must.
    pub fn see(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let passed = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
            self.left -= passed as u64;
            let mut read = passed;
            if passed == 0 {
                // As far as the length of the header is known.
                read = bytes.len().min(self.header_len()? - self.header.len());
                self.header.extend_from_slice(&bytes[..read]);
                if self.header.len() == self.header_len()? {
                    self.chunk()?;
                }
            }
            self.offset += read as u64;
            bytes = &bytes[read..];
            if self.header.is_empty() && self.left == 0 {
                self.start = self.offset;
            }
        }
        Ok(())
    }

    /// It is an error if the stream is not whole when it ends here.
    pub fn end(&self) -> Result<()> {
        let truncated = |frame| Error::Truncated { format: FORMAT, frame, offset: self.offset };
        match self.open.iter().map(|(path, &start)| (start, path)).min() {
            _ if self.offset == 0 => Err(Error::Empty),
            _ if self.start < self.offset => Err(truncated(self.start)),
            Some((start, path)) => Err(truncated(start).of_member(printable(path), start)),
            None => Ok(()),
        }
    }

    /// Whether the file has ended that mariadb-backup and xtrabackup write behind all tables and logs:
    /// `xtrabackup_info` or `mariadb_backup_info`, also with a suffix. A backup that was cut off between two files has
    /// none.
    pub fn has_info(&self) -> bool {
        self.has_info
    }

    /// How long the header of the chunk is, as far as what has come says.
    fn header_len(&self) -> Result<usize> {
        let header = &self.header[..];
        let same = header.len().min(MAGIC.len());
        let path_len = number(header, PATH_LEN_AT).map(|len| u32::from_le_bytes(len) as usize);
        if header[..same] != MAGIC[..same] || path_len.is_some_and(|len| len > PATH_MAX) {
            return Err(match self.start {
                0 => no_xbstream(&header[..same]),
                start => Error::corrupt(FORMAT, start, "no chunk begins there"),
            });
        }
        let Some(path_len) = path_len else { return Ok(FIXED_LEN) };
        let behind = match header[KIND_AT] {
            b'E' => 0,
            b'S' => COUNT_LEN + NUMBERS_LEN,
            _ => NUMBERS_LEN,
        };
        Ok(FIXED_LEN + path_len + behind)
    }

    /// Takes a whole header.
    fn chunk(&mut self) -> Result<()> {
        let header = std::mem::take(&mut self.header);
        let behind = match header[KIND_AT] {
            b'E' => {
                let path = &header[FIXED_LEN..];
                self.open.remove(path);
                self.has_info |= INFO.iter().any(|name| path.starts_with(name));
                return Ok(());
            }
            b'S' => COUNT_LEN + NUMBERS_LEN,
            _ => NUMBERS_LEN,
        };
        let path_end = header.len() - behind;
        let path = &header[FIXED_LEN..path_end];
        let entries = match behind {
            NUMBERS_LEN => 0,
            _ => number(&header, path_end).map(u32::from_le_bytes).unwrap_or_default(),
        };
        let len = number(&header, header.len() - NUMBERS_LEN).map(u64::from_le_bytes).unwrap_or_default();
        self.left = len.saturating_add(u64::from(entries) * ENTRY_LEN as u64);
        if !self.open.contains_key(path) {
            if self.open.len() == OPEN_MAX {
                let what = format!("more than {OPEN_MAX} files begin there before the others have ended");
                return Err(Error::unsupported(FORMAT, self.start, what));
            }
            self.open.insert(path.to_vec(), self.start);
        }
        Ok(())
    }
}

fn number<const N: usize>(header: &[u8], at: usize) -> Option<[u8; N]> {
    header.get(at..)?.first_chunk().copied()
}
