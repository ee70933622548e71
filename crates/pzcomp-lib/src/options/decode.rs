//! [`Decode`]: how data is decompressed, and [`DecodeBuilder`], which makes it.
//!
//! The methods of the builder stand in groups: those of all formats, and those of one format, which a stream in another
//! format ignores.

use super::{Dictionary, EntryChoice, setters};
use crate::error::Result;
use crate::format::id::Format;
use engine::Progress;

/// The memory in bytes that a single frame may demand for its window or dictionary by default. The program zstd
/// has the same limit.
pub const WINDOW_LIMIT: u64 = 128 << 20;

/// How data is decompressed. The formats are recognised by their bytes.
///
/// [`Decode::default`] reads all formats, with a thread for each CPU and without a limit for the output.
/// [`Decode::builder`] changes something of that.
///
/// ```
/// use pzcomp::{Decode, Error, Format};
///
/// // For data that others have sent.
/// let careful = Decode::builder().accept(&[Format::Gzip]).memory(64 << 20).max_output(1 << 20).build()?;
/// let error = pzcomp::decompress(b"BZh9", &careful).unwrap_err();
/// assert!(matches!(error, Error::NotCompressed { .. }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decode {
    pub(crate) accept: Option<Vec<Format>>,
    pub(crate) unknown: Unknown,
    pub(crate) entry: EntryChoice,
    pub(crate) keep_cut_frames: bool,
    pub(crate) expect_end: bool,
    pub(crate) threads: usize,
    pub(crate) memory: Option<u64>,
    pub(crate) memory_aim: Option<u64>,
    pub(crate) window_limit: Option<u64>,
    pub(crate) max_output: Option<u64>,
    pub(crate) dictionary: Option<Dictionary>,
    pub(crate) zstd_ignore_checksums: bool,
    pub(crate) xz: XzReading,
    pub(crate) lzip: LzipReading,
    pub(crate) buffer: Option<u64>,
    pub(crate) sparse: bool,
    pub(crate) drop_cache: bool,
    pub(crate) idle: bool,
    pub(crate) progress: Option<Progress>,
}

/// How xz and `.lzma` files are read. The methods of the builder with these names describe the fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct XzReading {
    pub(crate) decoder_memory: Option<u64>,
    pub(crate) one_format: bool,
    pub(crate) single_stream: bool,
    pub(crate) ignore_check: bool,
    pub(crate) unknown_check: bool,
}

/// How lzip files are read. The methods of the builder with these names describe the fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LzipReading {
    pub(crate) loose_trailing: bool,
    pub(crate) only_version_1: bool,
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
    /// Like `Ignore`, but a single byte behind the last frame is an error, as in gzip, if gzip is an accepted format.
    /// Magic numbers of gzip have two bytes, so the byte may be the start of a member that was cut off.
    IgnoreAsGzip,
    /// The bytes are copied to the output, also zeros, as gzip does if it is forced. An empty input gives an empty
    /// output.
    Copy,
    /// An input that begins with such bytes is copied to the output, also an empty input, as xz does if it is forced.
    /// Behind a frame such bytes are an error.
    CopyWhole,
}

impl Unknown {
    /// Whether such bytes are ignored behind a frame.
    pub(crate) fn ignores(self) -> bool {
        matches!(self, Self::Ignore | Self::IgnoreAsGzip)
    }

    /// Whether they are an error if they may be a frame that was cut off in its magic number.
    pub(crate) fn refuses_cut_start(self) -> bool {
        self == Self::IgnoreAsGzip
    }
}

/// Makes [`Decode`]. [`Decode::builder`] begins with the defaults, and [`DecodeBuilder::from`] with options that were
/// built.
///
/// ```
/// use pzcomp::{Decode, DecodeBuilder};
///
/// let usual = Decode::builder().threads(2).build()?;
/// let limited = DecodeBuilder::from(usual).max_output(1 << 20).build()?;
/// assert_eq!(limited.worker_count(), 2);
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "a builder makes options only when it is built"]
pub struct DecodeBuilder(pub(crate) Decode);

impl From<Decode> for DecodeBuilder {
    fn from(options: Decode) -> Self {
        Self(options)
    }
}

impl Decode {
    /// A builder that begins with the defaults.
    pub fn builder() -> DecodeBuilder {
        DecodeBuilder::default()
    }
}

setters! {
/// Options of all formats.
impl DecodeBuilder {
    /// The formats that are read. By default these are all formats but [`Format::Zlib`]. Frames of other formats are
    /// unknown bytes. [`Format::Lzma`] is recognised at the start of the input only. If [`Format::Zstd`] is named with
    /// it, it is recognised behind frames too.
    pub fn accept(formats: &[Format]) { accept = Some(formats.to_vec()) }

    /// What happens to bytes that begin no frame of an accepted format. The default is an error.
    pub fn unknown(unknown: Unknown) { unknown = unknown }

    /// Which files of an archive are decoded. The default is the first file.
    pub fn entry(entry: EntryChoice) { entry = entry }

    /// Whether to write the decoded part of a frame that the input cuts off, although no check has verified it. The
    /// result is an error all the same. Without this option such data is written only if the frame was too long to be
    /// held, so that a part of it had already left. It does not help with damage inside a frame. The default is false.
    pub fn keep_cut_frames(keep: bool) { keep_cut_frames = keep }

    /// Whether the input must end with the index that pzcomp writes. An input that ends between two frames, because its
    /// sender was killed, is then an error ([`Error::NoEnd`](crate::Error::NoEnd)). So is one that has no index: of
    /// bzip2, lzip or Snappy, of a layout without an index, of less than 16 KiB of data without
    /// [`EncodeBuilder::short_index`](crate::EncodeBuilder::short_index), and of most other programs.
    /// The default is false.
    pub fn expect_end(expect: bool) { expect_end = expect }

    /// The number of worker threads. 0, the default, is the number of CPUs that this process may use, by its affinity
    /// and the quota of its cgroup.
    pub fn threads(threads: usize) { threads = threads }

    /// The most bytes of memory for buffers and codecs. If that is little, there are fewer buffers and fewer workers.
    /// The output stays the same. If it is too little for the work, that is an error when the work begins. By default
    /// there is no limit.
    pub fn memory(bytes: u64) { memory = Some(bytes) }

    /// Bytes of memory that the work aims at, if [`Self::memory`] is not given. If more would be needed, there are
    /// fewer buffers and fewer workers, but at least one worker. Unlike `memory`, this is never the cause of an error,
    /// and does not change which windows are accepted. A frame that demands a long window can take more.
    pub fn memory_aim(bytes: u64) { memory_aim = Some(bytes) }

    /// The most bytes of memory that a single frame may demand for its window or dictionary. By default, if
    /// [`Self::memory`] is given, it is an equal share for each worker of the memory that the buffers leave. If not, it
    /// is [`WINDOW_LIMIT`](crate::WINDOW_LIMIT).
    pub fn window_limit(bytes: u64) { window_limit = Some(bytes) }

    /// The most bytes of plain data that decompression puts out. A short input can hold data of any length, so a
    /// program that reads what others have sent sets this. Exactly as many bytes are allowed. If there is one more, the
    /// result is [`Error::OutputLimit`](crate::Error::OutputLimit); a stream has then put out all bytes that are
    /// allowed, and a function that returns a vector returns none. It counts the data of one call or one reader, of an
    /// xbstream that of all compressed files together. [`Seekable`](crate::Seekable) ignores it: its callers say how
    /// many bytes they want. By default there is no limit.
    pub fn max_output(bytes: u64) { max_output = Some(bytes) }

    /// The most bytes of input that are read ahead, for a producer and a consumer that are fast at different times. A
    /// file or memory is there already. The memory is taken as bytes come, and is part of [`Self::memory`].
    /// [`Reader`](crate::Reader) and [`Seekable`](crate::Seekable) have no such store. 0, the default, is none.
    pub fn buffer(bytes: u64) { buffer = Some(bytes) }

    /// Whether blocks of zeros become holes in a regular file, which take no room on the disk. Only data behind the end
    /// of the file gets holes. The default is false.
    pub fn sparse(sparse: bool) { sparse = sparse }

    /// Whether the pages of regular files leave the page cache of the system behind the reads and the writes, so that
    /// other programs keep theirs. The output is then on the disk when the work is over. Linux and FreeBSD have this.
    /// The default is false.
    pub fn drop_cache(drop: bool) { drop_cache = drop }

    /// Whether the threads of the workers take only what other programs leave: they run in the idle class of the
    /// scheduler and of the disks, which FreeBSD lacks. On Linux, in a run ([`Decompress`](crate::Decompress)), workers
    /// also pause while other programs wait for a CPU; one worker goes on. The thread of the caller keeps its class.
    /// Threads of a [`Pool`](crate::Pool) keep the class that they have. The default is false.
    pub fn idle(idle: bool) { idle = idle }

    /// Shows how far the stream is, and can cancel it. The caller keeps a clone. A run has a method of its own for this
    /// ([`Decompress::progress`](crate::Decompress::progress)).
    pub fn progress(progress: Progress) { progress = Some(progress) }
}
}

impl DecodeBuilder {
    /// The options. No options for reading contradict each other today, so this is never an error. Options of later
    /// versions may. How much memory is needed depends on the work, so that is checked when the work begins.
    pub fn build(self) -> Result<Decode> {
        Ok(self.0)
    }
}

setters! {
/// Options of zstd.
impl DecodeBuilder {
    /// The dictionary that frames were coded with ([`EncodeBuilder::dictionary`](crate::EncodeBuilder::dictionary)).
    pub fn dictionary(dictionary: Dictionary) { dictionary = Some(dictionary) }

    /// Whether checksums are ignored, so that damaged data may be accepted. The default is false.
    pub fn zstd_ignore_checksums(ignore: bool) { zstd_ignore_checksums = ignore }
}
}

setters! {
/// Options of xz, and of `.lzma` and lzip where they have them.
impl DecodeBuilder {
    /// The memory that all decoders may use together, counted as xz counts it: dictionaries count, buffers do not. A
    /// frame that needs more than its worker's share waits until no other frame is decoded. Without this figure
    /// [`Self::window_limit`] applies to each frame.
    pub fn xz_decoder_memory(bytes: u64) { xz.decoder_memory = Some(bytes) }

    /// Whether that which follows the first frame is treated as xz does: only frames of the same format may follow.
    /// Behind lzip members other bytes are ignored. Behind `.lzma` data every byte is an error. The default is false.
    pub fn xz_one_format(one_format: bool) { xz.one_format = one_format }

    /// Whether decompression stops behind the first Stream or member, and ignores all that follows. The default is
    /// false.
    pub fn xz_single_stream(single_stream: bool) { xz.single_stream = single_stream }

    /// Whether the checks of the data are not verified. Headers and lengths are still verified. The default is false.
    pub fn xz_ignore_check(ignore: bool) { xz.ignore_check = ignore }

    /// Whether Streams whose Check is of an unknown kind are decoded, although nothing can be verified.
    /// [`Summary::unverified`](crate::Summary::unverified) then reports that. By default they are an error.
    pub fn xz_unknown_check(unknown_check: bool) { xz.unknown_check = unknown_check }
}
}

setters! {
/// Options of lzip.
impl DecodeBuilder {
    /// Whether bytes behind a member are ignored even if they look like a damaged header. By default such bytes are an
    /// error.
    pub fn lzip_loose_trailing(loose: bool) { lzip.loose_trailing = loose }

    /// Whether members of version 0 are refused, as lzip does. The default is false.
    pub fn lzip_only_version_1(only: bool) { lzip.only_version_1 = only }
}
}
