//! What the caller wants, checked once.

mod xz;
mod zstd;

use crate::format::id::Format;

pub use xz::{LzipOptions, XzArch, XzFilter, XzFinder, XzLzma, XzMode, XzOptions};
pub use zstd::{Dictionary, ZstdOptions, ZstdParameter};

/// Memory that a single frame may demand for its window or dictionary, unless told otherwise; the
/// limit of the `zstd` tool as well.
pub const WINDOW_LIMIT: u64 = 128 << 20;

/// How a stream is compressed or decompressed.
///
/// ```
/// use pzcomp::{Format, Options};
/// let options = Options { format: Format::GZIP, level: Some(9), threads: 2, ..Options::default() };
/// assert!(options.index);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The format to write; what is read is recognised by its bytes.
    pub format: Format,
    /// The formats that are read, if not all but [`Format::ZLIB`]: frames of others are unknown bytes then. LZMA alone
    /// is recognised at the start of the input only, unless [`Format::ZSTD`] is named beside it.
    pub accept: Option<&'static [Format]>,
    /// What becomes of bytes that begin no frame of an accepted format.
    pub unknown: Unknown,
    /// Write what could be decoded of a frame that ends too early, although nothing vouches for it. Else
    /// it is written only where so much of the frame has left before that the rest is no worse.
    pub salvage: bool,
    /// Level of the format, negative ones being faster than the first; its default if not given.
    pub level: Option<i32>,
    /// Number of worker threads; 0 means the CPUs that this process may use, by its affinity and its
    /// cgroup's quota.
    pub threads: usize,
    /// Bytes of plain data in a frame, at most; by default it grows with the level.
    pub block_size: Option<usize>,
    /// Ceiling for the memory of buffers and codecs, in bytes; it makes for fewer buffers and
    /// workers and never changes a byte of the output.
    pub memory: Option<u64>,
    /// What a single frame may demand for its window or dictionary, if that is not what
    /// [`Self::memory`] leaves, or [`WINDOW_LIMIT`].
    pub window_limit: Option<u64>,
    /// Whether to end the output with an index.
    pub index: bool,
    /// What the output is made of; an error with formats that know no such way, as all that follows.
    pub layout: Layout,
    /// The check that xz computes of the data, and whether zstd and lz4 compute theirs; the format's own
    /// if nothing is said.
    pub check: Option<Check>,
    /// zstd: the binary logarithm of the window, 10 to 31, with a search for matches that far away; by
    /// default frames are at least as long then. More than 27 must be allowed when decompressing.
    pub window_log: Option<u32>,
    /// zstd and lz4: the length of the data, which the header of a single frame says then. It must be right.
    pub plain_len: Option<u64>,
    /// xz: more time for a little less output, as `xz -e`.
    pub extreme: bool,
    /// DEFLATE: what repetitions are looked for.
    pub strategy: Strategy,
    /// lz4: what frames are made of.
    pub lz4: Lz4Blocks,
    /// xz, and its relatives where they are read.
    pub xz: XzOptions,
    /// How lzip is read.
    pub lzip: LzipOptions,
    /// What only zstd can be told, for both directions.
    pub zstd: ZstdOptions,
    /// Whether frames end where the content says so, and not at even distances: then what is the same in
    /// another version of the input has the same frames, but for the first few behind a change, and tools
    /// such as rsync need not send them again. They are 0.6 times as long on average.
    pub rsyncable: bool,
}

/// What the coded stream is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// A frame for each chunk, with what lets readers find them, and an index where there is room for one.
    #[default]
    Frames,
    /// One frame around all of the data: a gzip member or a bzip2 stream, for readers that stop after the
    /// first, a zstd or lz4 frame, an xz Block. It has no room for sizes, hence no index. A zstd frame is
    /// coded by libzstd's own threads; lz4 and xz are coded by one worker from the first byte to the last.
    /// zlib and zip know nothing else.
    Single(Member),
    /// gzip as `bgzip` writes it: members of at most 65,280 plain bytes, which say how long they are. The
    /// index is a `.gzi` in [`Summary::sidecar`](crate::Summary::sidecar).
    Bgzf,
    /// zstd as `pzstd` writes it: before each frame a skippable one that says how long it is.
    Pzstd,
    /// lz4's legacy format, which Linux kernels are packed in: blocks of 8 MiB without any check.
    Legacy,
    /// What came before xz: a `.lzma` file, as `xz --format=lzma` writes it, coded by one worker.
    Alone,
}

/// A check of plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// None: nobody will notice if the data is damaged.
    None,
    /// CRC-32, of xz.
    Crc32,
    /// CRC-64, of xz.
    Crc64,
    /// SHA-256, of xz.
    Sha256,
}

/// What an encoder of DEFLATE makes use of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// All there is, as far as the level says.
    #[default]
    Usual,
    /// Of repetitions only those of the byte before, for images and the like; the level does not matter.
    Runs,
    /// No repetitions, only that some bytes are more frequent than others; the level does not matter.
    Huffman,
}

/// What an lz4 frame is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lz4Blocks {
    /// The greatest length of a block, by its number in the format: 4 to 7 for 64 KiB, 256 KiB, 1 MiB
    /// and 4 MiB; what fits the frame if nothing is said.
    pub id: Option<u8>,
    /// Whether blocks refer to those before them, which makes small ones smaller.
    pub linked: bool,
    /// Whether each block has a checksum of its own.
    pub checksums: bool,
}

/// What becomes of bytes that begin no frame of an accepted format, and of all that follow them.
///
/// Zeros behind the last frame, as tapes leave them, are no error in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unknown {
    /// They are an error.
    #[default]
    Refuse,
    /// Behind a frame they are passed over; [`crate::Trailing`] says where they began. At the start of
    /// the input they are an error. Entries of an archive behind its first are passed over as well.
    Ignore,
    /// They are output as they are, zeros as well: `gzip -cdf` does so. An empty input is an empty
    /// output.
    Copy,
    /// An input that begins with them is output as it is, an empty one as well: `xz -dcf` does so. Behind
    /// a frame they are an error.
    CopyWhole,
}

/// What the header of a gzip member, or of the entry of a zip file, says of the data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// The name of the file that it was, without folders, in ISO 8859-1.
    pub name: Option<Vec<u8>>,
    /// When that was last modified, in seconds since 1970; 0 if that is not known.
    pub modified: u32,
    /// A comment on it, in ISO 8859-1.
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
    /// The number of workers that [`Self::threads`] stands for.
    pub fn worker_count(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }
}

/// The options of a format, known to be valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) level: i32,
    /// The greatest length of a chunk.
    pub(crate) chunk_len: usize,
    /// What a chunk may take with its runs shortened, if that says where it ends.
    pub(crate) chunk_room: Option<usize>,
    /// Whether one worker codes all chunks, one after another.
    pub(crate) is_serial: bool,
    pub(crate) index: bool,
    pub(crate) layout: Layout,
    pub(crate) check: Option<Check>,
    pub(crate) window_log: Option<u32>,
    pub(crate) plain_len: Option<u64>,
    pub(crate) rsyncable: bool,
    /// For serial encoders that have threads of their own.
    pub(crate) threads: usize,
    pub(crate) extreme: bool,
    pub(crate) strategy: Strategy,
    pub(crate) lz4: Lz4Blocks,
    /// Empty if the level chooses.
    pub(crate) xz_filters: Vec<XzFilter>,
    pub(crate) zstd: ZstdOptions,
}
