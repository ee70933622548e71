//! [`Options`]: everything a caller can ask for, for all formats and both directions.
//!
//! The public functions take `Options`. `format/settings.rs` checks them against the format and makes [`Settings`],
//! which the encoders use and do not check again. Values that only one format has stand in the types of `options/`.
//!
//! The same input, options and version give the same output, whatever `threads` and `memory` are. With `flush_interval`
//! the output also depends on when the input comes, and with `adapt` on how fast everything is.

mod adapt;
mod builder;
mod entry;
mod xz;
mod zstd;

use std::time::Duration;

use crate::format::id::Format;
use engine::Progress;

pub use adapt::Adapt;
pub(crate) use adapt::AdaptSettings;
pub use builder::OptionsBuilder;
pub use entry::{ArchiveEntry, EntryChoice};
pub use xz::{LzipOptions, XzArch, XzFilter, XzFinder, XzLzma, XzMode, XzOptions};
pub use zstd::{Dictionary, ZstdOptions, ZstdParameter};

/// The memory in bytes that a single frame may demand for its window or dictionary by default. The program zstd
/// has the same limit.
pub const WINDOW_LIMIT: u64 = 128 << 20;

/// How a stream is compressed or decompressed. An option that the format does not have is an error.
///
/// [`Options::default`] writes zstd and reads all formats, with a thread for each CPU. [`Options::builder`] changes
/// something of that and checks the result. Fields can be read and changed. Every function that takes options checks
/// them.
///
/// ```
/// use pzcomp::{Format, Options};
/// let mut options = Options::builder().format(Format::Gzip).level(9).threads(2).build()?;
/// options.index = false;
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The format to write. The format to read is recognised by its bytes.
    pub format: Format,
    /// The formats that are read. By default these are all formats but [`Format::Zlib`]. Frames of other formats are
    /// unknown bytes. [`Format::Lzma`] is recognised at the start of the input only. If [`Format::Zstd`] is named with it,
    /// it is recognised behind frames too.
    pub accept: Option<Vec<Format>>,
    /// What happens to bytes that begin no frame of an accepted format.
    pub unknown: Unknown,
    /// Which files of an archive are decoded. By default it is the first file.
    pub entry: EntryChoice,
    /// Whether to write the decoded part of a frame that the input cuts off, although no check has verified it. The
    /// result is an error all the same. Without this option such data is written only if the frame was too long to be
    /// held, so that a part of it had already left. It does not help with damage inside a frame.
    pub keep_cut_frames: bool,
    /// The level of the format. A negative level is faster than the first one. `None` is the format's default.
    pub level: Option<i32>,
    /// The number of worker threads. 0 means the number of CPUs that this process may use, by its affinity and the quota
    /// of its cgroup.
    pub threads: usize,
    /// The most bytes of plain data in a frame. The default depends on the format, and in some formats on the level.
    pub block_size: Option<usize>,
    /// The most bytes of memory for buffers and codecs. If that is little, there are fewer buffers and fewer workers. The
    /// output stays the same.
    pub memory: Option<u64>,
    /// Bytes of memory that the work aims at, if [`Self::memory`] is not given. If more would be needed, there are fewer
    /// buffers and fewer workers, but at least one worker. Unlike [`Self::memory`], this is never the cause of an error, and
    /// does not change which windows are accepted. A frame that demands a long window can take more.
    pub memory_aim: Option<u64>,
    /// The most bytes of memory that a single frame may demand for its window or dictionary. By default, if
    /// [`Self::memory`] is given, it is an equal share for each worker of the memory that the buffers leave. If not, it is
    /// [`WINDOW_LIMIT`].
    pub window_limit: Option<u64>,
    /// The most bytes of plain data that decompression puts out. A short input can hold data of any length, so a program
    /// that reads what others have sent sets this. Exactly as many bytes are allowed. If there is one more, the result is
    /// [`Error::OutputLimit`](crate::Error::OutputLimit); a stream has then put out all bytes that are allowed, and a
    /// function that returns a vector returns none. It counts the data of one call or one reader, of an xbstream that of
    /// all compressed files together. Compression ignores it, and so does [`Seekable`](crate::Seekable), whose callers say
    /// how many bytes they want. By default there is no limit.
    ///
    /// ```
    /// let zeros = pzcomp::compress(&[0; 1000], &pzcomp::Options::default())?;
    /// let few = pzcomp::Options::builder().max_output(999).build()?;
    /// let error = pzcomp::decompress(&zeros, &few).unwrap_err();
    /// assert!(matches!(error, pzcomp::Error::OutputLimit { allowed: 999, .. }));
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub max_output: Option<u64>,
    /// Whether the output ends with an index, if the format and the layout have one, and if there are at least 16 KiB of
    /// plain data. Shorter data is decoded as a whole before an index could help.
    pub index: bool,
    /// The structure of the output.
    pub layout: Layout,
    /// The check of the data. xz has all of them. zstd and lz4 have only [`Check::None`], which leaves their check out.
    /// `None` is the format's default.
    pub check: Option<Check>,
    /// zstd: the binary logarithm of the length of the window, 10 to 31. The encoder searches for matches as far back as
    /// the window reaches, and by default frames are at least as long as the window. To decompress a window of more than
    /// 27, the reader must raise its limit ([`Self::window_limit`]).
    pub window_log: Option<u32>,
    /// zstd and lz4: the length of the data in bytes, which the header of a single frame then states. The data must have
    /// that length. Other layouts state the length of each frame, and ignore this.
    pub plain_len: Option<u64>,
    /// xz: use more time for a little less output.
    pub extreme: bool,
    /// DEFLATE: which repetitions the encoder looks for.
    pub strategy: Strategy,
    /// lz4: the blocks of a frame.
    pub lz4: Lz4Blocks,
    /// Options of xz, and of lzip and `.lzma` for reading.
    pub xz: XzOptions,
    /// Options of lzip, for reading.
    pub lzip: LzipOptions,
    /// Options of zstd, for both directions.
    pub zstd: ZstdOptions,
    /// Whether frames end by their content and not at even distances. Equal parts of two versions of the input then have
    /// equal frames, except for a few frames behind a change. Tools such as rsync need not send equal frames again.
    /// Frames are then on average 0.6 times as long as without this option.
    pub rsyncable: bool,
    /// Let the level of each frame follow what the source and the sink take: of the levels with which the workers are 1.1
    /// times as fast, it is the one with the shortest output. [`Self::level`] is the level to begin with. Frames have at most 4 MiB unless
    /// [`Self::block_size`] says otherwise. The output depends on timing. It is an error for a single frame that one
    /// worker codes. [`Summary::levels`](crate::Summary::levels) says how much was compressed at each level.
    pub adapt: Option<Adapt>,
    /// How long a byte of input waits at most until its frame ends, for inputs that pause, such as the lines of a log. Then
    /// the bytes at hand leave as a frame, or as a flushed part of a single frame. This makes the output longer, and the
    /// output depends on when the input comes. Files and memory have no pauses. A [`Writer`](crate::Writer) looks at the
    /// time only when it is written to, and a reader of the caller only when it returns: call `flush` for the bytes
    /// before a pause of unknown length.
    pub flush_interval: Option<Duration>,
    /// The most bytes that are stored between a producer and a consumer that are fast at different times. Compression
    /// stores its output until it can be written. Decompression reads its input ahead; a file or memory is there already.
    /// The memory is taken as bytes come, and is part of [`Self::memory`]. `Writer`, `Reader` and `Seekable` have no such
    /// store. `None` and 0 mean none.
    pub buffer: Option<u64>,
    /// Decompression to a regular file: whether blocks of zeros become holes, which take no room on the disk. Only data
    /// behind the end of the file gets holes.
    pub sparse: bool,
    /// Whether the pages of regular files leave the page cache of the system behind the reads and the writes, so that other
    /// programs keep theirs. The output is then on the disk when the work is over. Only Linux has this.
    pub drop_cache: bool,
    /// Shows how far the stream is, and can cancel it.
    ///
    /// ```
    /// let progress = pzcomp::Progress::default();
    /// let mut options = pzcomp::Options::default();
    /// options.progress = Some(progress.clone());
    /// let mut coded = Vec::new();
    /// pzcomp::Compress::new(&options).run(b"three in the morning", &mut coded)?;
    /// assert_eq!((progress.bytes_in(), progress.bytes_out() > 0), (20, true));
    ///
    /// progress.cancel();
    /// let cancelled = pzcomp::Compress::new(&options).run(b"three in the morning", &mut coded);
    /// assert!(matches!(cancelled, Err(pzcomp::Error::Cancelled)));
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub progress: Option<Progress>,
}

/// The structure of the output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// A frame for each chunk. Frames state their sizes so that readers find them, and an index follows if the format
    /// has room for one.
    #[default]
    Frames,
    /// One frame for all data: a gzip member, a bzip2 stream, a zstd or lz4 frame, or an xz Block. Some readers stop
    /// after the first frame. Only xz then has an index. libzstd codes a zstd frame with its own threads. One worker codes
    /// lz4 and xz. zlib and zip have only this layout.
    Single(Member),
    /// gzip as bgzip writes it (SAM specification, section 4.1): members of at most 65,280 plain bytes, which state
    /// their length. The index is a `.gzi` in [`Summary::sidecar`](crate::Summary::sidecar).
    Bgzf,
    /// zstd as pzstd writes it: a skippable frame before each frame states the length of the frame.
    Pzstd,
    /// The legacy format of lz4, which Linux kernels use: blocks of 8 MiB without any check.
    Legacy,
    /// The format before xz: a `.lzma` file, as xz can write it. One worker codes it.
    Alone,
}

/// A check of plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Check {
    /// No check. Damage of the data is not noticed.
    None,
    /// CRC-32, of xz.
    Crc32,
    /// CRC-64, of xz.
    Crc64,
    /// SHA-256, of xz.
    Sha256,
}

/// Which properties of the data a DEFLATE encoder uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// All that the level uses.
    #[default]
    Usual,
    /// Only runs of one byte, for images and similar data. The level has no effect.
    Runs,
    /// No repetitions, only the frequencies of bytes. The level has no effect.
    Huffman,
}

/// The blocks of an lz4 frame.
///
/// ```
/// use pzcomp::{Format, Lz4Blocks, Options};
/// let blocks = Lz4Blocks::new().with_id(5).with_linked(true);
/// let options = Options::builder().format(Format::Lz4).lz4(blocks).build()?;
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lz4Blocks {
    /// The greatest length of a block, as a number: 4 is 64 KiB, 5 is 256 KiB, 6 is 1 MiB and 7 is 4 MiB. With `None` it
    /// is the shortest of these that holds all data of the frame, or 4 MiB if the frame has more data.
    pub id: Option<u8>,
    /// Whether blocks refer to the blocks before them. This improves the ratio of small blocks.
    pub linked: bool,
    /// Whether each block has a checksum.
    pub checksums: bool,
}

/// What happens to bytes that begin no frame of an accepted format, and to all bytes behind them.
///
/// Zeros behind the last frame, as tapes have them, are never an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unknown {
    /// These bytes are an error.
    #[default]
    Refuse,
    /// Bytes behind a frame are ignored, and [`crate::Trailing`] says where they begin. At the start of the input they
    /// are an error. Entries of an archive behind the first entry are ignored too.
    Ignore,
    /// Like `Ignore`, but a single byte behind the last frame is an error, as in gzip. Magic numbers of gzip have two
    /// bytes, so it may be the start of a member that was cut off.
    IgnoreAsGzip,
    /// The bytes are copied to the output, also zeros, as gzip does if it is forced. An empty input gives an empty output.
    Copy,
    /// An input that begins with such bytes is copied to the output, also an empty input, as xz does if it is forced. Behind a
    /// frame such bytes are an error.
    CopyWhole,
}

/// What the header of a gzip member or a zip entry states about the file.
///
/// ```
/// use pzcomp::{Format, Layout, Member, Options};
/// let member = Member::new().with_name("notes.txt").with_modified(1_700_000_000);
/// let options = Options::builder().format(Format::Gzip).layout(Layout::Single(member)).build()?;
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// The name of the original file, without folders, in ISO 8859-1.
    pub name: Option<Vec<u8>>,
    /// When the file was last modified, in seconds since 1970. 0 means that it is not known.
    pub modified: u32,
    /// A comment, in ISO 8859-1.
    pub comment: Option<Vec<u8>>,
}

impl Lz4Blocks {
    /// The default: independent blocks without checksums, whose length follows from the data.
    pub const fn new() -> Self {
        Self { id: None, linked: false, checksums: false }
    }

    /// The same with this greatest length of a block ([`Self::id`]).
    #[must_use]
    pub const fn with_id(mut self, id: u8) -> Self {
        self.id = Some(id);
        self
    }

    /// The same with blocks that refer to the blocks before them, or not ([`Self::linked`]).
    #[must_use]
    pub const fn with_linked(mut self, linked: bool) -> Self {
        self.linked = linked;
        self
    }

    /// The same with a checksum for each block, or without ([`Self::checksums`]).
    #[must_use]
    pub const fn with_checksums(mut self, checksums: bool) -> Self {
        self.checksums = checksums;
        self
    }
}

impl Member {
    /// A header that states nothing.
    pub const fn new() -> Self {
        Self { name: None, modified: 0, comment: None }
    }

    /// The same with this name ([`Self::name`]).
    #[must_use]
    pub fn with_name(mut self, name: impl Into<Vec<u8>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The same with this time ([`Self::modified`]).
    #[must_use]
    pub fn with_modified(mut self, seconds: u32) -> Self {
        self.modified = seconds;
        self
    }

    /// The same with this comment ([`Self::comment`]).
    #[must_use]
    pub fn with_comment(mut self, comment: impl Into<Vec<u8>>) -> Self {
        self.comment = Some(comment.into());
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: Format::default(),
            accept: None,
            unknown: Unknown::default(),
            entry: EntryChoice::default(),
            keep_cut_frames: false,
            level: None,
            threads: 0,
            block_size: None,
            memory: None,
            memory_aim: None,
            max_output: None,
            index: true,
            layout: Layout::default(),
            check: None,
            window_limit: None,
            window_log: None,
            plain_len: None,
            extreme: false,
            strategy: Strategy::default(),
            lz4: Lz4Blocks::default(),
            xz: XzOptions::default(),
            lzip: LzipOptions::default(),
            zstd: ZstdOptions::default(),
            rsyncable: false,
            adapt: None,
            flush_interval: None,
            buffer: None,
            sparse: false,
            drop_cache: false,
            progress: None,
        }
    }
}

impl Options {
    /// The most bytes of the store between producer and consumer, if there is one.
    pub(crate) fn store_len(&self) -> Option<usize> {
        /// A shorter one would slow the stream down.
        const SHORTEST: usize = 64 << 10;
        let len = self.buffer.filter(|&len| len > 0)?;
        Some(usize::try_from(len).unwrap_or(usize::MAX).max(SHORTEST))
    }

    /// The number of workers. If [`Self::threads`] is 0, this is the number of available CPUs.
    pub fn worker_count(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }
}

/// Options that are valid for a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) level: i32,
    /// The greatest length of a chunk.
    pub(crate) chunk_len: usize,
    /// bzip2: the most bytes that a chunk may have after its runs are shortened. `None` if `chunk_len` alone decides where
    /// a chunk ends.
    pub(crate) chunk_room: Option<usize>,
    /// Whether one worker codes all chunks, one after another.
    pub(crate) is_serial: bool,
    pub(crate) index: bool,
    pub(crate) layout: Layout,
    pub(crate) check: Option<Check>,
    pub(crate) window_log: Option<u32>,
    pub(crate) plain_len: Option<u64>,
    pub(crate) rsyncable: bool,
    /// The number of threads for a serial encoder that has threads of its own.
    pub(crate) threads: usize,
    pub(crate) extreme: bool,
    pub(crate) strategy: Strategy,
    pub(crate) lz4: Lz4Blocks,
    /// Empty if the level decides.
    pub(crate) xz_filters: Vec<XzFilter>,
    pub(crate) zstd: ZstdOptions,
    /// The levels, if they adapt themselves. `level` is the highest of them then.
    pub(crate) adapt: Option<AdaptSettings>,
}

impl Settings {
    /// The settings to begin with.
    pub(crate) fn at_start(&self) -> Self {
        Self { level: self.adapt.as_ref().map_or(self.level, |adapt| adapt.start), ..self.clone() }
    }

    /// The most of a need at all levels.
    pub(crate) fn most<T: Ord>(&self, need: impl Fn(&Self) -> T) -> T {
        let levels = self.adapt.iter().flat_map(|adapt| &adapt.levels);
        let needs = levels.map(|&(level, _)| need(&Self { level, ..self.clone() }));
        needs.fold(need(self), T::max)
    }
}
