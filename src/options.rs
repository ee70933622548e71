//! [`Options`]: everything a caller can ask for, for all formats and both directions.
//!
//! The public functions take `Options`. `format/settings.rs` checks them against the format and makes [`Settings`],
//! which the encoders use and do not check again. Values that only one format has stand in the types of `options/`.
//!
//! The output depends on the input and the options only, and never on the number of threads.

mod xz;
mod zstd;

use crate::format::id::Format;

pub use xz::{LzipOptions, XzArch, XzFilter, XzFinder, XzLzma, XzMode, XzOptions};
pub use zstd::{Dictionary, ZstdOptions, ZstdParameter};

/// The memory in bytes that a single frame may demand for its window or dictionary by default. The tool `zstd` has the
/// same limit.
pub const WINDOW_LIMIT: u64 = 128 << 20;

/// How a stream is compressed or decompressed. An option that the format does not have is an error.
///
/// ```
/// use pzcomp::{Format, Options};
/// let options = Options { format: Format::GZIP, level: Some(9), threads: 2, ..Options::default() };
/// assert!(options.index);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The format to write. The format to read is recognised by its bytes.
    pub format: Format,
    /// The formats that are read. By default these are all formats but [`Format::ZLIB`]. Frames of other formats are
    /// unknown bytes. LZMA alone is recognised at the start of the input only, unless [`Format::ZSTD`] is named beside
    /// it.
    pub accept: Option<&'static [Format]>,
    /// What happens to bytes that begin no frame of an accepted format.
    pub unknown: Unknown,
    /// Write the output of a frame that ends too early, although no check has verified it. Otherwise it is written only
    /// if a large part of the frame's output has been written before.
    pub salvage: bool,
    /// The level of the format. A negative level is faster than the first one. `None` is the format's default.
    pub level: Option<i32>,
    /// The number of worker threads. 0 means the number of CPUs that this process may use, by its affinity and the quota
    /// of its cgroup.
    pub threads: usize,
    /// The most bytes of plain data in a frame. By default it grows with the level.
    pub block_size: Option<usize>,
    /// The most bytes of memory for buffers and codecs. It reduces the number of buffers and workers. It never changes a
    /// byte of the output.
    pub memory: Option<u64>,
    /// The most bytes of memory that a single frame may demand for its window or dictionary. By default it is what
    /// [`Self::memory`] leaves, or [`WINDOW_LIMIT`].
    pub window_limit: Option<u64>,
    /// Whether the output ends with an index.
    pub index: bool,
    /// The structure of the output.
    pub layout: Layout,
    /// xz: the check of the data. zstd and lz4: [`Check::None`] leaves the check out. `None` is the format's default.
    pub check: Option<Check>,
    /// zstd: the binary logarithm of the window, 10 to 31. Matches are searched that far away, and by default frames are
    /// at least as long as the window. To decompress more than 27, the limit must be raised.
    pub window_log: Option<u32>,
    /// zstd and lz4: the length of the data in bytes, which the header of a single frame then states. It must be right.
    pub plain_len: Option<u64>,
    /// xz: use more time for a little less output, as `xz -e`.
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
    /// Frames are 0.6 times as long on average.
    pub rsyncable: bool,
}

/// The structure of the output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// A frame for each chunk. Frames state their sizes so that readers find them, and an index follows if the format
    /// has room for one.
    #[default]
    Frames,
    /// One frame for all data: a gzip member, a bzip2 stream, a zstd or lz4 frame, or an xz Block. Some readers stop
    /// after the first frame. There is no room for sizes, so there is no index. libzstd codes a zstd frame with its own
    /// threads. One worker codes lz4 and xz. zlib and zip have only this layout.
    Single(Member),
    /// gzip as `bgzip` writes it (SAM specification, section 4.1): members of at most 65,280 plain bytes, which state
    /// their length. The index is a `.gzi` in [`Summary::sidecar`](crate::Summary::sidecar).
    Bgzf,
    /// zstd as `pzstd` writes it: a skippable frame before each frame states the length of the frame.
    Pzstd,
    /// The legacy format of lz4, which Linux kernels use: blocks of 8 MiB without any check.
    Legacy,
    /// The format before xz: a `.lzma` file, as `xz --format=lzma` writes it. One worker codes it.
    Alone,
}

/// A check of plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lz4Blocks {
    /// The number of the greatest block length: 4 is 64 KiB, 5 is 256 KiB, 6 is 1 MiB and 7 is 4 MiB. `None` is the
    /// shortest length that holds the frame, or the longest.
    pub id: Option<u8>,
    /// Whether blocks refer to the blocks before them. Small blocks become smaller by that.
    pub linked: bool,
    /// Whether each block has a checksum.
    pub checksums: bool,
}

/// What happens to bytes that begin no frame of an accepted format, and to all bytes behind them.
///
/// Zeros behind the last frame, as tapes have them, are never an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unknown {
    /// These bytes are an error.
    #[default]
    Refuse,
    /// Bytes behind a frame are ignored, and [`crate::Trailing`] says where they begin. At the start of the input they
    /// are an error. Entries of an archive behind the first entry are ignored too.
    Ignore,
    /// The bytes are copied to the output, also zeros, as `gzip -cdf` does. An empty input gives an empty output.
    Copy,
    /// An input that begins with such bytes is copied to the output, also an empty input, as `xz -dcf` does. Behind a
    /// frame such bytes are an error.
    CopyWhole,
}

/// What the header of a gzip member or a zip entry states about the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// The name of the original file, without folders, in ISO 8859-1.
    pub name: Option<Vec<u8>>,
    /// When the file was last modified, in seconds since 1970. 0 means that it is not known.
    pub modified: u32,
    /// A comment, in ISO 8859-1.
    pub comment: Option<Vec<u8>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: Format::default(),
            accept: None,
            unknown: Unknown::default(),
            salvage: false,
            level: None,
            threads: 0,
            block_size: None,
            memory: None,
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
        }
    }
}

impl Options {
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
    /// The most bytes in a chunk after its runs are shortened, if that decides where the chunk ends.
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
}
