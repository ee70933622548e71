//! [`Index`]: an index of a compressed file that is kept beside the file.
//!
//! ```text
//! coded file ─ build ─▶ Index ─ pzi, gzidx or gzi ─▶ index file ─▶ Index ─ Seekable::with_index ─▶ ranges
//! ```
//!
//! An index holds a [`Map`] and the windows that parts of gzip members need. `build.rs` makes it by decoding the file
//! once. `pzi.rs` and `gzidx.rs` have the bytes of index files. `verify.rs` compares an index with all of its file.
//!
//! An index may be damaged, or belong to another file. What can be checked without decoding is checked when it is
//! opened. The rest is checked when a span is decoded.

#[cfg(not(feature = "tar"))]
mod absent;
mod build;
mod gzidx;
#[cfg(feature = "tar")]
mod list;
mod pzi;
mod verify;

use std::fmt;
use std::io::{Read, Write};
use std::ops::Range;
use std::sync::Arc;

use pzcomp_deflate::inflate::WINDOW_LEN;

use super::Seekable;
use super::decode::stored_window;
use super::map::{Map, RestartPart, Span, SpanKind, spans_max, too_many_spans};
use crate::error::{Error, Result};
use crate::format::gzip;
use crate::index::Gzi;
use crate::options::{Decode, Unknown};
use crate::tar_list::Walk;
#[cfg(not(feature = "tar"))]
use absent as list;
use engine::io::{RandomAccess, ReadAt};
use pzi::Front;

/// The plain bytes between two restart points of a gzip member, unless the caller asks for another distance.
pub const INDEX_INTERVAL: u64 = 4 << 20;

/// Length of the entry of a block in a `.gzi`.
const GZI_ENTRY_LEN: u64 = 16;

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
    ///
    /// ```
    /// assert_eq!(pzcomp::IndexFormat::Pzi.suffix(), ".pzi");
    /// ```
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Pzi => ".pzi",
            Self::Gzidx => ".gzidx",
            Self::Gzi => ".gzi",
        }
    }
}

/// An index of a compressed file, which leads to places at which decoding can begin.
///
/// The output of gzip and bzip2 has no index, so a [`Seekable`] decodes it from its start. With an index it decodes only
/// the part that is read. [`Self::build`] makes the index, and [`Self::write_to`] writes it to a file, to be used again.
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
    /// In gzip data there is a restart point every [`INDEX_INTERVAL`] plain bytes. In other formats each frame or block is
    /// one. Data that states where its frames are is decoded with as many threads as the options say. Other gzip data
    /// is decoded by one thread. If the plain data is a tar archive, it is decoded once more, and the index lists the
    /// members ([`Seekable::members`]).
    ///
    /// It is an error if the file is damaged, if it has bytes that are copied ([`Unknown::Copy`](crate::Unknown::Copy)), or
    /// if it is long and has no place inside it at which decoding can begin, as a single frame of zstd.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Index, Seekable};
    /// let coded = pzcomp::compress(b"three in the morning", &Encode::gzip(6).single().build()?)?;
    /// let index = Index::build(&coded, &Decode::default())?;
    /// assert_eq!(Seekable::with_index(coded, index, &Decode::default())?.len(), Some(20));
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn build(source: &dyn ReadAt, options: &Decode) -> Result<Self> {
        Self::build_with_interval(source, INDEX_INTERVAL, options)
    }

    /// Like [`Self::build`], with this many plain bytes between two restart points of a gzip member. Each point takes
    /// some 10 KiB in the index.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Index, Seekable};
    /// let coded = pzcomp::compress(&pzcomp::bench::text(400_000, 1), &Encode::gzip(1).single().build()?)?;
    /// let index = Index::build_with_interval(&coded, 100_000, &Decode::default())?;
    /// assert!(Seekable::with_index(coded, index, &Decode::default())?.frames().count() > 1);
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
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
        let list = Walk::find(RandomAccess::Memory(&windows), start, windows.len() as u64, plain_len)?;
        Ok(Self { list, ..Self::of_points(source, map, windows)? })
    }

    /// The index of a file with this map and these windows.
    pub(super) fn of_points(source: &dyn ReadAt, map: Map, windows: Vec<u8>) -> Result<Self> {
        let samples = pzi::samples(RandomAccess::Source(source), map.coded_len)?;
        let front = Front { map, samples, ..Front::default() };
        Ok(Self { format: IndexFormat::Pzi, front, windows: Arc::new(windows), list: None })
    }

    /// Reads an index file into memory. The first bytes tell its format.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Index, IndexFormat};
    /// let (coded, mut file) = (pzcomp::compress(b"three in the morning", &Encode::bzip2(9).build()?)?, Vec::new());
    /// Index::build(&coded, &Decode::default())?.write_to(IndexFormat::Pzi, &mut file)?;
    /// assert!(Index::read_from(&file[..])?.check(&coded).is_ok());
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn read_from(mut reader: impl Read) -> Result<Self> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).map_err(|source| Error::Read { offset: 0, source })?;
        Self::open(Arc::new(bytes))
    }

    /// Opens an index file. Its windows are read when they are needed.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pzcomp::{Decode, Encode, Index, IndexFormat};
    /// let coded = pzcomp::compress(b"three in the morning", &Encode::bzip2(9).build()?)?;
    /// let file = tempfile::tempfile()?;
    /// Index::build(&coded, &Decode::default())?.write_to(IndexFormat::Pzi, &file)?;
    /// assert!(Index::open(Arc::new(file))?.check(&coded).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(file: Arc<dyn ReadAt>) -> Result<Self> {
        Self::open_with(file, &Decode::default())
    }

    /// Like [`Self::open`], within the memory of `options`. It is an error if the index has too many places for it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pzcomp::{Decode, Error, Index};
    /// // A `.gzi` of 1,000 places.
    /// let file = Arc::new([&1000_u64.to_le_bytes()[..], &[0; 16_000]].concat());
    /// let little = Decode::builder().memory(100_000).build()?;
    /// assert!(matches!(Index::open_with(file, &little), Err(Error::Memory { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn open_with(file: Arc<dyn ReadAt>, options: &Decode) -> Result<Self> {
        let place = RandomAccess::Source(&*file);
        let len = place.len(0)?;
        let mut head = [0; pzi::MAGIC.len()];
        let read = place.read_at(&mut head, 0)?;
        let mut list = None;
        let (format, front) = if head == pzi::MAGIC {
            let mut front = pzi::parse(place, len, options)?;
            let windows_at = front.len();
            for window in front.map.parts.iter_mut().filter_map(|part| part.window.as_mut()) {
                window.offset += windows_at;
            }
            if front.list_len > 0 {
                let found = Walk::find(place, len - front.list_len, len, front.map.plain_end())?;
                if cfg!(feature = "tar") && found.is_none() {
                    return Err(Error::index("the list of members in it is damaged"));
                }
                list = found;
            }
            (IndexFormat::Pzi, front)
        } else if head.starts_with(&gzidx::MAGIC) {
            (IndexFormat::Gzidx, Front { map: gzidx::parse(place, len, options)?, ..Front::default() })
        } else if read == head.len() {
            if len / GZI_ENTRY_LEN > spans_max(options) as u64 {
                return Err(too_many_spans(options));
            }
            let mut bytes = vec![0; len as usize];
            let read = place.read_at(&mut bytes, 0)?;
            let gzi = Gzi::parse(&bytes[..read]).ok_or_else(|| Error::index("it is in no known format"))?;
            (IndexFormat::Gzi, Front { map: map_of_gzi(&gzi)?, ..Front::default() })
        } else {
            return Err(Error::index("it is in no known format"));
        };
        Ok(Self { format, front, windows: file, list })
    }

    /// The format of the file that it was read from. An index that was built is a [`IndexFormat::Pzi`].
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Index, IndexFormat};
    /// let coded = pzcomp::compress(b"three in the morning", &Encode::bzip2(9).build()?)?;
    /// assert_eq!(Index::build(&coded, &Decode::default())?.format(), IndexFormat::Pzi);
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn format(&self) -> IndexFormat {
        self.format
    }

    /// Writes an index file. It is an error if the format cannot hold the index.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Index, IndexFormat};
    /// let coded = pzcomp::compress(b"three in the morning", &Encode::gzip(6).single().build()?)?;
    /// let (index, mut file) = (Index::build(&coded, &Decode::default())?, Vec::new());
    /// index.write_to(IndexFormat::Gzidx, &mut file)?;
    /// assert_eq!(file[..5], *b"GZIDX");
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn write_to(&self, format: IndexFormat, mut writer: impl Write) -> Result<()> {
        let map = &self.front.map;
        let place = RandomAccess::Source(&*self.windows);
        match format {
            IndexFormat::Gzidx => {
                let window = |stored| stored_window(place, stored).ok_or_else(wrong_window);
                gzidx::write(map, INDEX_INTERVAL, window, &mut writer)
            }
            IndexFormat::Pzi if self.format == IndexFormat::Pzi => self.write_pzi(&mut writer),
            IndexFormat::Pzi => Err(Error::index("a .pzi cannot be made of an index in another format")),
            IndexFormat::Gzi => Err(Error::index("a .gzi is made by bgzf::index")),
        }
    }

    /// Writes a `.pzi`: its front, its windows behind each other, and its list.
    fn write_pzi(&self, out: &mut dyn Write) -> Result<()> {
        let failed = |source| Error::Write { offset: 0, source };
        let Front { map, samples, .. } = &self.front;
        let stored = || map.parts.iter().filter_map(|part| part.window);
        let windows_len = stored().map(|window| u64::from(window.len)).sum();
        let mut end = 0;
        let records = self.list.as_ref().map_or(&[][..], Walk::records);
        let list_len = records.iter().map(|&(_, len)| u64::from(len)).sum();
        let front = pzi::encode(map, samples, (windows_len, list_len), |window| {
            end += u64::from(window.len);
            end - u64::from(window.len)
        })?;
        out.write_all(&front).map_err(failed)?;
        let mut bytes = Vec::new();
        let windows = stored().map(|window| (window.offset, window.len));
        for (offset, len) in windows.chain(records.iter().copied()) {
            bytes.resize(len as usize, 0);
            let read = RandomAccess::Source(&*self.windows).read_at(&mut bytes, offset)?;
            if read < bytes.len() {
                return Err(wrong_window());
            }
            out.write_all(&bytes).map_err(failed)?;
        }
        Ok(())
    }

    /// Compares the index with a coded file, as far as that is possible without decoding: its length, and samples of its
    /// bytes if the index has them.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Index};
    /// let mut coded = pzcomp::compress(b"three in the morning", &Encode::bzip2(9).build()?)?;
    /// let index = Index::build(&coded, &Decode::default())?;
    /// assert!(index.check(&coded).is_ok());
    /// coded.push(0);
    /// assert!(index.check(&coded).is_err());
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn check(&self, source: &dyn ReadAt) -> Result<()> {
        let place = RandomAccess::Source(source);
        let (found, expected) = (place.len(0)?, self.front.map.coded_len);
        if self.format == IndexFormat::Gzi {
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
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Index};
    /// let mut coded = pzcomp::compress(b"three in the morning", &Encode::bzip2(9).build()?)?;
    /// let index = Index::build(&coded, &Decode::default())?;
    /// assert!(index.verify(&coded, &Decode::default()).is_ok());
    /// coded[20] ^= 1;
    /// assert!(index.verify(&coded, &Decode::default()).is_err());
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
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
        if self.format == IndexFormat::Gzi {
            // A .gzi does not state where the last block ends.
            let behind = map.spans.last().map_or(0, |span| span.coded_range().end).max(map.rest.unwrap_or(0));
            if behind > coded_len {
                return Err(Error::index("the file ends before the blocks that it lists"));
            }
            map.coded_len = coded_len;
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
    /// [`IndexFormat::Gzidx`] and [`IndexFormat::Gzi`]. These have no checksums: use them only for the file that they were
    /// made of.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Index, Seekable, compress};
    /// let options = Encode::gzip(6).single().build()?;
    /// let (coded, other) = (compress(b"three in the morning", &options)?, compress(b"four", &options)?);
    /// let index = Index::build(&coded, &Decode::default())?;
    /// assert_eq!(Seekable::with_index(coded, index.clone(), &Decode::default())?.len(), Some(20));
    /// assert!(Seekable::with_index(other, index, &Decode::default()).is_err());
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn with_index(source: R, index: Index, options: &Decode) -> Result<Self> {
        index.check(&source)?;
        let list = index.list.clone();
        let (map, windows) = index.into_map(RandomAccess::Source(&source).len(0)?)?;
        Ok(Self::with_map(source, map, windows, list, options))
    }
}

/// The front of a `.pzi` for a map of a part of a file, without samples; and where its windows are. Their offsets in the
/// front count from the start of that range.
pub(super) fn part_front(map: &Map) -> Result<(Vec<u8>, Range<u64>)> {
    let stored = || map.parts.iter().filter_map(|part| part.window);
    if stored().any(|window| window.crc.is_none()) {
        let what = "a .gzidx has no checksums, so its parts cannot be read elsewhere; make a .pzi with pzcomp --index";
        return Err(Error::index(what));
    }
    let start = stored().map(|window| window.offset).min().unwrap_or(0);
    let end = stored().map(|window| window.offset + u64::from(window.len)).max().unwrap_or(start);
    let front = pzi::encode(map, &Default::default(), (end - start, 0), |window| window.offset - start)?;
    Ok((front, start..end))
}

fn wrong_window() -> Error {
    Error::index("a window in it is not valid")
}

/// The blocks of a `.gzi`. Only decoding tells the length of the last one.
fn map_of_gzi(gzi: &Gzi) -> Result<Map> {
    let mut map = Map::default();
    for pair in gzi.starts().windows(2) {
        let [start, end] = pair else { continue };
        let number = u32::try_from(map.parts.len()).unwrap_or(u32::MAX);
        let kind = SpanKind::Part { format: gzip::FORMAT, number };
        map.parts.push(RestartPart { header_len: 1, ..RestartPart::default() });
        if !map.push(start.coded..end.coded, end.plain - start.plain, kind) {
            return Err(Error::index("a place in it is not valid"));
        }
    }
    map.rest = gzi.starts().last().map(|last| last.coded);
    Ok(map)
}

/// Checks that the spans follow each other, fills in their plain lengths, and drops those without data. `ends` has the
/// plain end of each span.
fn check_spans(map: &mut Map, ends: &[u64]) -> Result<()> {
    let wrong = || Error::index("the places in it do not follow each other");
    let mut before = Span {
        coded: 0,
        coded_len: 0,
        plain: 0,
        plain_len: 0,
        kind: SpanKind::Part { format: gzip::FORMAT, number: 0 },
    };
    for (span, &end) in map.spans.iter_mut().zip(ends) {
        span.plain_len = end.checked_sub(span.plain).filter(|_| end <= i64::MAX as u64).ok_or_else(wrong)?;
        let coded_end = span.coded.checked_add(span.coded_len).filter(|&end| end <= map.coded_len);
        let follows = span.plain == before.plain + before.plain_len && span.coded >= before.coded;
        let is_nothing = span.coded_len == 0 && span.plain_len > 0;
        if coded_end.is_none() || !follows || is_nothing {
            return Err(wrong());
        }
        before = *span;
    }
    // No windows, no data, and nothing to read.
    if map.spans.is_empty() && ends.iter().any(|&end| end > 0) {
        return Err(wrong());
    }
    map.spans.retain(|span| span.plain_len > 0);
    Ok(())
}
