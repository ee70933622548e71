//! [`Seekable`]: reading a compressed file from any place, as if it were the plain file.
//!
//! ```text
//! file ─ find ─▶ Map of spans ─ reader looks up the spans of a range ─▶ decode ─▶ cache ─▶ caller
//! ```
//!
//! `find.rs` makes the [`Map`](map::Map) from what the file says of itself; an index beside the file (`index/`) gives
//! one too. `spans.rs` finds what a read needs, and `decode.rs` decodes the spans in parallel. A span that is read as a
//! whole goes into the memory of the caller (`room.rs`); the others go into a `Cache`, which keeps those that were
//! used last. Data that no span holds, and spans that are too long for memory, are decoded in order (`forward.rs`). If
//! the format has restart points, reads in any order note such points of that data (`random.rs`, `noted.rs`,
//! `points.rs`).
//!
//! `members.rs` has the members of a tar archive.
//! `reader.rs` has the traits of `std::io`. `part.rs` divides a file into stretches that can be decoded elsewhere.
//! `join.rs` makes a file of stretches that were compressed elsewhere.
//!
//! The lengths in a map are claims. Each span is compared with its lengths when it is decoded. A wrong length would
//! move all data behind it, so `lengths.rs` verifies those of all spans before the range that is read.

mod decode;
mod find;
mod forward;
mod index;
mod join;
mod lengths;
mod map;
#[cfg(feature = "tar")]
mod members;
mod noted;
mod part;
mod points;
mod random;
mod reader;
mod room;
mod spans;

use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use decode::{IdleDecoders, SpanDecoder};
use engine::io::{Input, Output, RandomAccess, ReadAt};
pub(crate) use find::find;
use forward::Forward;
pub use index::{INDEX_INTERVAL, Index, IndexFormat};
pub use join::{CodedPart, compress_part, joined_index};
use lengths::Verified;
pub use map::Frame;
use map::Map;
pub(crate) use map::spans_max;
#[cfg(feature = "tar")]
pub use members::Members;
use noted::Noted;
pub use part::Part;

use crate::decompress::decompress_io;
use crate::error::Result;
use crate::options::Decode;
use crate::tar_list::Walk;

/// The most plain bytes that the cache holds, and the most that a span in it may have.
const CACHE_LEN: usize = 64 << 20;

/// The plain data of a compressed file, which can be read from any place.
///
/// It implements [`Read`](io::Read), [`BufRead`](io::BufRead) and [`Seek`](io::Seek). [`Self::read_at`] needs no
/// exclusive access, so several threads can read at the same time.
///
/// Only the frames that a read needs are read and decoded, with as many threads as the options say. Where the frames
/// are is known from
///
/// - an index in the file: the seek tables of zstd, lz4 and gzip, and the Index of xz;
/// - the trailers of lzip members, and headers that state the lengths of frames;
/// - an index beside the file, with [`Self::with_index`].
///
/// A file may have none of these, such as the output of gzip or bzip2, or end with frames that state no length. That
/// part has no places to begin at, so it is decoded from its start. Reading on continues where the last read ended, but
/// going back begins at that start again. Up to two such places are kept for readers.
///
/// gzip data is an exception: reads that do not follow each other note restart points on their way, every 1 MiB of
/// plain data (up to 32 MiB in files of many GiB). The first such read decodes everything before it, and later reads
/// begin at the nearest point. The points are kept in memory, in up to 64 MiB. [`Self::noted_index`] gives them as an
/// index.
///
/// Lengths in indexes and headers are claims. Data is returned only from a frame that has the length that was claimed,
/// and that matches its check. The place of data also depends on the lengths of all frames before it, so these are
/// verified, once for each frame:
///
/// - a seek table is compared with the headers of its frames, and the Index of xz with its Blocks. That takes short
///   accesses;
/// - frames that state their lengths only once, as members of lzip, are decoded, unless all but the last state the same
///   length;
/// - gzip members without a seek table, as those of BGZF, are decoded, because decoding accepts members whose
///   stated size is wrong.
///
/// So the bytes at a place are those that [`decompress`](crate::decompress) gives there, or there is an error;
/// docs/index-format.md names the one forged file for which this does not hold. An index of [`Self::with_index`] saves
/// this work: it was made by decoding the file, and it is trusted.
///
/// Memory is bounded: a cache of 64 MiB of plain data, as much again for a long read, and the buffers of a
/// [decompression](crate::decompress). A frame with more plain data than the cache holds is decoded in order, too.
///
/// ```
/// use std::io::{Read, Seek, SeekFrom};
///
/// let plain: Vec<u8> = (0..500_000_u32).flat_map(u32::to_le_bytes).collect();
/// let mut coded = Vec::new();
/// pzcomp::Compress::new(&pzcomp::Encode::default()).run(&plain, &mut coded)?;
///
/// let mut seekable = pzcomp::Seekable::new(coded)?;
/// assert_eq!(seekable.len(), Some(2_000_000));
/// seekable.seek(SeekFrom::Start(1_600_000))?;
/// let mut number = [0; 4];
/// seekable.read_exact(&mut number)?;
/// assert_eq!(u32::from_le_bytes(number), 400_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Seekable<R> {
    core: Arc<Core<R>>,
    cache: Cache,
    /// Data that is decoded in order, for the next read.
    forwards: Mutex<Vec<Forward>>,
    /// Restart points of data that no span holds, after the first read that did not follow another one. Nothing if
    /// there can be none.
    noted: OnceLock<Option<Noted>>,
    /// The length of the plain data, after it was found by decoding.
    found_len: OnceLock<u64>,
    verified: Verified,
    position: u64,
    /// The block at the position, and the plain offset of its start.
    current: (u64, Block),
}

/// What decoding needs. The threads that decode in order share it.
struct Core<R> {
    source: R,
    map: Map,
    /// The file of the index, with its windows and its list.
    windows: Arc<dyn ReadAt>,
    /// The list of the members of a tar archive in the index.
    #[cfg_attr(not(feature = "tar"), allow(dead_code))]
    list: Option<Walk>,
    options: Decode,
    idle: IdleDecoders,
}

impl<R: ReadAt> Core<R> {
    fn decoder(&self) -> SpanDecoder<'_> {
        let (place, parts) = (RandomAccess::Source(&self.source), &self.map.parts);
        SpanDecoder { place, parts, windows: &*self.windows, options: &self.options, idle: &self.idle }
    }

    /// Decodes everything behind the last span.
    fn rest(&self, output: Output) -> Result<u64> {
        let Some(start) = self.map.rest else { return Ok(0) };
        let input = Input::At { source: &self.source, start, end: self.map.coded_len };
        let decoded = decompress_io(input, output, &self.options);
        decoded.map(|summary| summary.plain_len).map_err(|error| error.behind(start))
    }
}

impl<R: ReadAt + 'static> Seekable<R> {
    /// Finds the frames of the file, with default options. [`Self::with_options`] says more.
    pub fn new(source: R) -> Result<Self> {
        Self::with_options(source, &Decode::default())
    }

    /// Finds the frames of the file.
    ///
    /// Of a file with an index, the index is read. Otherwise the headers of the frames are read, up to the first frame
    /// that does not state its length. Nothing is decoded.
    ///
    /// Of `options`, the number of threads, the memory and the accepted formats are used, as by
    /// [`decompress`](crate::decompress). It is an error if the source cannot be read or is empty.
    pub fn with_options(source: R, options: &Decode) -> Result<Self> {
        let place = RandomAccess::Source(&source);
        let map = find(place, place.len(0)?, options)?;
        Ok(Self::with_map(source, map, Arc::new(Vec::new()), None, options))
    }

    fn with_map(source: R, map: Map, windows: Arc<dyn ReadAt>, list: Option<Walk>, options: &Decode) -> Self {
        let cache_len = match options.memory {
            Some(memory) => usize::try_from(memory / 4).unwrap_or(CACHE_LEN).min(CACHE_LEN),
            None => CACHE_LEN,
        };
        // The callers of each read say how many bytes they want.
        let options = Decode { max_output: None, ..options.clone() };
        let core = Core { source, map, windows, list, options, idle: IdleDecoders::default() };
        Self {
            core: Arc::new(core),
            cache: Cache::new(cache_len),
            forwards: Mutex::default(),
            noted: OnceLock::new(),
            found_len: OnceLock::new(),
            verified: Verified::default(),
            position: 0,
            current: (0, Block::default()),
        }
    }

    /// The coded file.
    pub fn get_ref(&self) -> &R {
        &self.core.source
    }

    /// The length of the plain data, if the index or the headers state it, or if it was found by decoding. `None` if
    /// only decoding tells: [`Self::measure`] does that.
    pub fn len(&self) -> Option<u64> {
        match self.core.map.rest {
            None => Some(self.core.map.plain_end()),
            Some(_) => self.found_len.get().copied(),
        }
    }

    /// Whether the plain data is empty, as far as [`Self::len`] knows.
    pub fn is_empty(&self) -> Option<bool> {
        self.len().map(|len| len == 0)
    }

    /// The length of the plain data. If it is not known, this decodes everything that states no length, to its end.
    pub fn measure(&self) -> Result<u64> {
        if let Some(len) = self.len() {
            return Ok(len);
        }
        let len = self.core.map.plain_end() + self.core.rest(Output::Nothing)?;
        Ok(*self.found_len.get_or_init(|| len))
    }

    /// The frames of the file in their order, and restart points inside frames if an index states them.
    pub fn frames(&self) -> impl Iterator<Item = Frame> + '_ {
        self.core.map.frames()
    }

    /// Fills `buffer` with the plain data from `offset` on. Returns the length read. It is shorter than the buffer only
    /// at the end of the data, or before an error, which the next call returns.
    ///
    /// Several threads may call it at the same time. It does not move the position of [`Read`](io::Read).
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let at = offset.saturating_add(filled as u64);
            match self.read_once(&mut buffer[filled..], at) {
                Ok(0) => break,
                Ok(len) => filled += len,
                Err(_) if filled > 0 => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(filled)
    }
}

impl<R> std::fmt::Debug for Seekable<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let spans = self.core.map.spans.len();
        f.debug_struct("Seekable")
            .field("frames", &spans)
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}

/// The plain data of a span.
type Block = Arc<Vec<u8>>;

/// Blocks with the numbers of their spans. The block that was used last is at the end.
struct Cache {
    blocks: Mutex<Vec<(usize, Block)>>,
    most: usize,
}

impl Cache {
    /// A cache that holds at most this many bytes.
    fn new(most: usize) -> Self {
        Self { blocks: Mutex::default(), most }
    }

    /// The most bytes that it holds.
    fn most(&self) -> usize {
        self.most
    }

    fn get(&self, span: usize) -> Option<Block> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let at = blocks.iter().rposition(|(of, _)| *of == span)?;
        let used = blocks.remove(at);
        let block = used.1.clone();
        blocks.push(used);
        Some(block)
    }

    /// Keeps a block, and drops those that were not used for the longest time.
    fn put(&self, span: usize, block: &Block) {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.retain(|(of, _)| *of != span);
        blocks.push((span, block.clone()));
        let mut len: usize = blocks.iter().map(|(_, block)| block.len()).sum();
        let mut dropped = 0;
        while len > self.most && dropped + 1 < blocks.len() {
            len -= blocks[dropped].1.len();
            dropped += 1;
        }
        blocks.drain(..dropped);
    }
}
