//! [`Index`]: an index of a compressed file that is kept beside the file.
//!
//! ```text
//! coded file ─ build ─▶ Index ─ pzi, gzidx or gzi ─▶ index file ─▶ Index ─ Seekable::with_index ─▶ ranges
//! ```
//!
//! An index holds a [`Map`] and the windows that parts of gzip members need. `build.rs` makes it by decoding the file
//! once. `file.rs` reads and writes index files, and `pzi.rs` has the bytes of our own. `verify.rs` compares an index
//! with all of its file.
//!
//! An index may be damaged, or belong to another file. What can be checked without decoding is checked when it is
//! opened. The rest is checked when a span is decoded.

mod build;
mod file;
#[cfg(feature = "tar")]
mod list;
mod pzi;
mod verify;

/// Without the feature there are no lists.
#[cfg(not(feature = "tar"))]
mod list {
    use super::{Decode, ReadAt, Result, Walk};

    pub(super) fn records(_: &dyn ReadAt, _: u64, _: &Decode) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }

    pub(super) fn verify(_: &Walk, _: &dyn ReadAt, _: &dyn ReadAt, _: u64, _: &Decode) -> Result<()> {
        Ok(())
    }
}

use std::fmt;
use std::sync::Arc;

use pzcomp_deflate::inflate::WINDOW_LEN;

use super::Seekable;
use super::map::Map;
use crate::error::{Error, Result};
pub use crate::format::index_file::IndexFormat;
use crate::options::{Decode, Unknown};
use crate::tar_list::Walk;
use engine::io::{RandomAccess, ReadAt};
pub(super) use file::part_front;
use pzi::Front;

/// The plain bytes between two restart points of a gzip member, unless the caller asks for another distance.
pub const INDEX_INTERVAL: u64 = 4 << 20;

/// An index of a compressed file, which leads to places at which decoding can begin.
///
/// The output of gzip and bzip2 has no index, so a [`Seekable`] decodes it from its start. With an index it decodes
/// only the part that is read. [`Self::build`] makes the index, and [`Self::write_to`] writes it to a file, to be used
/// again.
///
/// ```
/// use std::io::Read;
/// use pzcomp::{Decode, Encode, Index, IndexFormat, Seekable};
///
/// let (plain, mut coded) = (vec![b'a'; 3_000_000], Vec::new());
/// pzcomp::Compress::new(&Encode::bzip2(9).build()?).run(&plain, &mut coded)?;
///
/// let index = Index::build(&coded, &Decode::default())?;
/// let mut file = Vec::new();
/// index.write_to(IndexFormat::Pzi, &mut file)?;
///
/// let seekable = Seekable::with_index(coded, Index::read_from(&file[..])?, &Decode::default())?;
/// let mut found = [0; 4];
/// seekable.read_at(&mut found, 2_999_996)?;
/// assert_eq!(&found, b"aaaa");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Index {
    format: IndexFormat,
    front: Front,
    /// The bytes in which the windows are, at the offsets of the map, and the list.
    pub(super) windows: Arc<dyn ReadAt>,
    /// The list of the members of a tar archive.
    list: Option<Walk>,
}

impl Index {
    /// Decodes the whole file, verifies it, and makes an index of it.
    ///
    /// In gzip data there is a restart point every [`INDEX_INTERVAL`] plain bytes. In other formats each frame or block
    /// is one. Data that states where its frames are is decoded with as many threads as the options say. Other gzip
    /// data is decoded by one thread. If the plain data is a tar archive, it is decoded once more, and the index lists
    /// the members ([`Seekable::members`]).
    ///
    /// It is an error if the file is damaged, if it has bytes that are copied
    /// ([`Unknown::Copy`](crate::Unknown::Copy)), or if it is long and has no place inside it at which decoding can
    /// begin, as a single frame of zstd.
    pub fn build(source: &dyn ReadAt, options: &Decode) -> Result<Self> {
        Self::build_with_interval(source, INDEX_INTERVAL, options)
    }

    /// Like [`Self::build`], with this many plain bytes between two restart points of a gzip member. Each point takes
    /// some 10 KiB in the index.
    pub fn build_with_interval(source: &dyn ReadAt, interval: u64, options: &Decode) -> Result<Self> {
        let place = RandomAccess::Source(source);
        let refusing;
        let options = match options.unknown {
            Unknown::Copy => {
                refusing = build::without_copies(source, options)?;
                &refusing
            }
            _ => options,
        };
        let (map, mut windows) = build::build(place, interval.max(WINDOW_LEN as u64), options)?;
        let (start, plain_len) = (windows.len() as u64, map.plain_end());
        windows.extend(list::records(source, plain_len, options)?);
        let list = Walk::in_records(RandomAccess::Memory(&windows), start..windows.len() as u64, plain_len)?;
        Ok(Self { list, ..Self::of_points(source, map, windows)? })
    }

    /// The index of a file with this map and these windows.
    pub(super) fn of_points(source: &dyn ReadAt, map: Map, windows: Vec<u8>) -> Result<Self> {
        let samples = pzi::samples(RandomAccess::Source(source), map.coded_len)?;
        let front = Front { map, samples, ..Front::default() };
        Ok(Self { format: IndexFormat::Pzi, front, windows: Arc::new(windows), list: None })
    }

    /// Compares the index with a coded file, as far as that is possible without decoding: its length, and samples of
    /// its bytes if the index has them.
    pub fn check(&self, source: &dyn ReadAt) -> Result<()> {
        let place = RandomAccess::Source(source);
        let (found, expected) = (place.len(0)?, self.front.map.coded_len);
        if self.front.map.lacks_len {
            return Ok(());
        }
        if found != expected {
            let what = format!("it is for a file of {expected} bytes, but the file has {found}");
            return Err(Error::index(what));
        }
        if self.format == IndexFormat::Pzi && pzi::samples(place, found)? != self.front.samples {
            return Err(Error::index("it is for a file with other content"));
        }
        Ok(())
    }

    /// Compares the index with all of a coded file. The file is decoded twice: in order, and from the places in the
    /// index. Both must give the same.
    pub fn verify(&self, source: &dyn ReadAt, options: &Decode) -> Result<()> {
        self.check(source)?;
        verify::verify(self, source, options)?;
        match &self.list {
            Some(list) => list::verify(list, &*self.windows, source, self.front.map.plain_end(), options),
            None => Ok(()),
        }
    }

    /// The map for a file of `coded_len` bytes, and the windows.
    pub(super) fn into_map(self, coded_len: u64) -> Result<(Map, Arc<dyn ReadAt>)> {
        let mut map = self.front.map;
        if map.lacks_len {
            let behind = map.spans.last().map_or(0, |span| span.coded_range().end).max(map.rest.unwrap_or(0));
            if behind > coded_len {
                return Err(Error::index("the file ends before the blocks that it lists"));
            }
            (map.coded_len, map.lacks_len) = (coded_len, false);
        }
        Ok((map, self.windows))
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Map { spans, coded_len, .. } = &self.front.map;
        f.debug_struct("Index")
            .field("format", &self.format)
            .field("coded_len", coded_len)
            .field("frames", &spans.len())
            .finish_non_exhaustive()
    }
}

impl<R: ReadAt + 'static> Seekable<R> {
    /// Reads the file by an index. It is an error if the index is not of this file, as far as [`Index::check`] tells.
    ///
    /// The index is trusted in what is not read. It states the length and the CRC-32 of each part of gzip members, and
    /// other frames carry checks of their own. So a part that is read is verified, except with an index of the formats
    /// [`IndexFormat::Gzidx`] and [`IndexFormat::Gzi`]. These have no checksums: use them only for the file that they
    /// were made of.
    pub fn with_index(source: R, index: Index, options: &Decode) -> Result<Self> {
        index.check(&source)?;
        let list = index.list.clone();
        let (map, windows) = index.into_map(RandomAccess::Source(&source).len(0)?)?;
        Ok(Self::with_map(source, map, windows, list, options))
    }
}
