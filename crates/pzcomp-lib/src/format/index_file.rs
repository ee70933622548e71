//! [`IndexFile`]: the forms in which other tools keep an index of a file beside it.
//!
//! `seekable/index/` asks the formats for them ([`Restarts::index_files`](super::restart::Restarts)), and makes a map
//! of the parts that such a file lists. All numbers are claims. Our own form, the `.pzi`, is for all formats, so it is
//! there.

use std::io::Write;
use std::ops::Range;

use super::restart::{RestartPart, StoredWindow};
use crate::error::{Error, Result};
use engine::io::RandomAccess;

/// The format of an index file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexFormat {
    /// `.pzi`: our own, for all formats. `docs/index-format.md` describes it.
    Pzi,
    /// `.gzidx`: that of Python's indexed_gzip, for gzip. It has no checksums.
    Gzidx,
    /// `.gzi`: that of bgzip, for BGZF files. It has no checksums. It is only read; [`bgzf::index`](crate::bgzf::index)
    /// makes it.
    Gzi,
}

impl IndexFormat {
    /// The suffix of index files, with its dot.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Pzi => ".pzi",
            Self::Gzidx => ".gzidx",
            Self::Gzi => ".gzi",
        }
    }
}

pub(crate) struct IndexedPart {
    pub(crate) coded: Range<u64>,
    /// Where its plain data begins.
    pub(crate) plain: u64,
    pub(crate) part: RestartPart,
}

/// What an index says besides its parts.
pub(crate) struct IndexEnds {
    /// The length of the coded file, if the index states it.
    pub(crate) coded_len: Option<u64>,
    /// Where the plain data of the last part ends.
    pub(crate) plain_len: u64,
    /// Where the coded data begins that is in no part.
    pub(crate) rest: Option<u64>,
}

/// An index that is to be written.
pub(crate) struct NewIndex {
    pub(crate) coded_len: u64,
    pub(crate) plain_len: u64,
    /// The distance between parts that was asked for.
    pub(crate) spacing: u64,
    pub(crate) parts: Vec<IndexedPart>,
}

/// Takes a part that was read.
pub(crate) type TakePart<'a> = &'a mut dyn FnMut(IndexedPart);

pub(crate) type ReadWindow<'a> = &'a mut dyn FnMut(StoredWindow) -> Result<Vec<u8>>;

/// A form of index files.
pub(crate) trait IndexFile: Sync {
    fn format(&self) -> IndexFormat;
    /// Whether a file of `len` bytes that begins with these bytes, at most eight, is such an index.
    fn sniff(&self, head: &[u8], len: u64) -> bool;
    /// Reads a file of `len` bytes, and gives its parts to `take` in order. Nothing if it has more than `most` places.
    fn read(&self, place: RandomAccess, len: u64, most: u64, take: TakePart) -> Result<Option<IndexEnds>>;
    /// Writes a file. `window` gives the window before a part.
    fn write(&self, index: &NewIndex, window: ReadWindow, out: &mut dyn Write) -> Result<()> {
        let _ = (index, window, out);
        Err(Error::index(format!("a {} is not made of another index", self.format().suffix())))
    }
}

/// Numbers in a slice that is long enough for them. Behind its end they are 0.
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl Fields<'_> {
    pub(crate) fn take<const LEN: usize>(&mut self) -> [u8; LEN] {
        match self.0.split_first_chunk() {
            Some((bytes, rest)) => {
                self.0 = rest;
                *bytes
            }
            None => [0; LEN],
        }
    }

    pub(crate) fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    pub(crate) fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    pub(crate) fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }
}
