//! [`OptionsBuilder`]: makes [`Options`], and checks them before they are used.
//!
//! The struct `Options` may get more fields, so other crates cannot write it as a literal. A builder has one method for
//! each field, with the name of the field. `compress/mod.rs` and `decompress/resources.rs` have the checks at the end,
//! because only they know what a format and a direction need.

use super::{
    Adapt, Check, EntryChoice, Layout, Lz4Blocks, LzipOptions, Options, Strategy, Unknown, XzOptions,
    ZstdOptions,
};
use std::time::Duration;

use crate::format::id::Format;
use engine::Progress;

/// Makes [`Options`]: one method for each field, and a check at the end. [`Options::builder`] begins with the defaults.
///
/// ```
/// use pzcomp::{Format, Options};
///
/// let options = Options::builder().format(Format::Gzip).level(9).threads(2).block_size(1 << 20).build()?;
/// assert_eq!((options.level, options.block_size), (Some(9), Some(1 << 20)));
///
/// let wrong = Options::builder().format(Format::Gzip).level(13).build();
/// assert_eq!(wrong.unwrap_err().to_string(), "gzip has no level 13; it has 0 to 12");
/// # Ok::<(), pzcomp::Error>(())
/// ```
///
/// There are three ends:
///
/// - [`Self::build`] checks options that are written with. They can also be read with.
/// - [`Self::build_for_reading`] checks only what decompression uses. The format need not be one that is written.
/// - [`Self::build_unchecked`] checks nothing, for callers that change fields afterwards.
///
/// Every function that takes options checks them again, because their fields can be changed.
///
/// A builder can also begin with other options:
///
/// ```
/// use pzcomp::{Options, OptionsBuilder};
///
/// let usual = Options::builder().threads(2).build()?;
/// let thorough = OptionsBuilder::from(usual.clone()).level(19).build()?;
/// assert_eq!((thorough.threads, thorough.level), (2, Some(19)));
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "a builder makes options only when it is built"]
pub struct OptionsBuilder(pub(crate) Options);

impl From<Options> for OptionsBuilder {
    fn from(options: Options) -> Self {
        Self(options)
    }
}

impl Options {
    /// A builder that begins with the defaults.
    pub fn builder() -> OptionsBuilder {
        OptionsBuilder::default()
    }
}

impl OptionsBuilder {
    /// The options as they are. The functions that use them check them.
    ///
    /// ```
    /// let mut options = pzcomp::Options::builder().threads(2).build_unchecked();
    /// options.level = std::env::var("LEVEL").ok().and_then(|level| level.parse().ok());
    /// assert_eq!(options.threads, 2);
    /// ```
    pub fn build_unchecked(self) -> Options {
        self.0
    }

    /// The format to write ([`Options::format`]). The default is [`Format::Zstd`].
    pub fn format(mut self, format: Format) -> Self {
        self.0.format = format;
        self
    }

    /// The formats that are read ([`Options::accept`]). The default is all of them except [`Format::Zlib`].
    ///
    /// ```
    /// use pzcomp::{Format, Options};
    ///
    /// let named: Vec<Format> = ["gzip", "zstd"].iter().filter_map(|name| name.parse().ok()).collect();
    /// let options = Options::builder().accept(&named).build()?;
    /// assert_eq!(options.accept, Some(vec![Format::Gzip, Format::Zstd]));
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn accept(mut self, formats: &[Format]) -> Self {
        self.0.accept = Some(formats.to_vec());
        self
    }

    /// Which files of an archive are decoded ([`Options::entry`]). The default is the first file.
    pub fn entry(mut self, entry: EntryChoice) -> Self {
        self.0.entry = entry;
        self
    }

    /// What happens to bytes that begin no frame ([`Options::unknown`]). The default is an error.
    pub fn unknown(mut self, unknown: Unknown) -> Self {
        self.0.unknown = unknown;
        self
    }

    /// Whether to write what can be decoded of a frame that is cut off ([`Options::keep_cut_frames`]). The default is
    /// false.
    pub fn keep_cut_frames(mut self, keep: bool) -> Self {
        self.0.keep_cut_frames = keep;
        self
    }

    /// The level ([`Options::level`]). The default depends on the format.
    pub fn level(mut self, level: i32) -> Self {
        self.0.level = Some(level);
        self
    }

    /// The number of worker threads ([`Options::threads`]). The default is 0, the number of available CPUs.
    pub fn threads(mut self, threads: usize) -> Self {
        self.0.threads = threads;
        self
    }

    /// The most bytes of plain data in a frame ([`Options::block_size`]). The default depends on the format and the level.
    pub fn block_size(mut self, len: usize) -> Self {
        self.0.block_size = Some(len);
        self
    }

    /// The most bytes of memory for buffers and codecs ([`Options::memory`]). By default there is no limit.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.0.memory = Some(bytes);
        self
    }

    /// Bytes of memory that the work aims at ([`Options::memory_aim`]). By default there is no aim.
    pub fn memory_aim(mut self, bytes: u64) -> Self {
        self.0.memory_aim = Some(bytes);
        self
    }

    /// The most bytes of memory for the window of a frame that is read ([`Options::window_limit`]). The default is
    /// [`WINDOW_LIMIT`](crate::WINDOW_LIMIT).
    pub fn window_limit(mut self, bytes: u64) -> Self {
        self.0.window_limit = Some(bytes);
        self
    }

    /// The most bytes of plain data that decompression puts out ([`Options::max_output`]). By default there is no limit.
    pub fn max_output(mut self, bytes: u64) -> Self {
        self.0.max_output = Some(bytes);
        self
    }

    /// Whether the output ends with an index ([`Options::index`]). The default is true.
    pub fn index(mut self, index: bool) -> Self {
        self.0.index = index;
        self
    }

    /// The structure of the output ([`Options::layout`]). The default is [`Layout::Frames`].
    pub fn layout(mut self, layout: Layout) -> Self {
        self.0.layout = layout;
        self
    }

    /// The check of the data ([`Options::check`]). The default depends on the format.
    pub fn check(mut self, check: Check) -> Self {
        self.0.check = Some(check);
        self
    }

    /// zstd: the binary logarithm of the length of the window ([`Options::window_log`]). The default depends on the level.
    pub fn window_log(mut self, log: u32) -> Self {
        self.0.window_log = Some(log);
        self
    }

    /// zstd and lz4: the length of the data, for the header of a single frame ([`Options::plain_len`]). By default it is
    /// not stated.
    pub fn plain_len(mut self, len: u64) -> Self {
        self.0.plain_len = Some(len);
        self
    }

    /// xz: more time for a little less output ([`Options::extreme`]). The default is false.
    pub fn extreme(mut self, extreme: bool) -> Self {
        self.0.extreme = extreme;
        self
    }

    /// DEFLATE: which repetitions the encoder looks for ([`Options::strategy`]). The default is that of the level.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.0.strategy = strategy;
        self
    }

    /// lz4: the blocks of a frame ([`Options::lz4`]).
    pub fn lz4(mut self, blocks: Lz4Blocks) -> Self {
        self.0.lz4 = blocks;
        self
    }

    /// Options of xz ([`Options::xz`]).
    pub fn xz(mut self, options: XzOptions) -> Self {
        self.0.xz = options;
        self
    }

    /// Options of lzip ([`Options::lzip`]).
    pub fn lzip(mut self, options: LzipOptions) -> Self {
        self.0.lzip = options;
        self
    }

    /// Options of zstd ([`Options::zstd`]).
    pub fn zstd(mut self, options: ZstdOptions) -> Self {
        self.0.zstd = options;
        self
    }

    /// Whether frames end by their content ([`Options::rsyncable`]). The default is false.
    pub fn rsyncable(mut self, rsyncable: bool) -> Self {
        self.0.rsyncable = rsyncable;
        self
    }

    /// Let the level of each frame follow what the source and the sink take ([`Options::adapt`]). By default the level is
    /// fixed.
    pub fn adapt(mut self, adapt: Adapt) -> Self {
        self.0.adapt = Some(adapt);
        self
    }

    /// How long a byte of input waits at most until its frame ends ([`Options::flush_interval`]). By default it waits until
    /// the frame is full.
    pub fn flush_interval(mut self, interval: Duration) -> Self {
        self.0.flush_interval = Some(interval);
        self
    }

    /// The most bytes that are stored between a producer and a consumer ([`Options::buffer`]). By default there is no such
    /// store.
    pub fn buffer(mut self, bytes: u64) -> Self {
        self.0.buffer = Some(bytes);
        self
    }

    /// Whether decompression makes holes of zeros in regular files ([`Options::sparse`]). The default is false.
    pub fn sparse(mut self, sparse: bool) -> Self {
        self.0.sparse = sparse;
        self
    }

    /// Whether files leave the page cache behind the work ([`Options::drop_cache`]). The default is false.
    pub fn drop_cache(mut self, drop: bool) -> Self {
        self.0.drop_cache = drop;
        self
    }

    /// Shows how far the stream is, and can cancel it ([`Options::progress`]). The caller keeps a clone.
    pub fn progress(mut self, progress: Progress) -> Self {
        self.0.progress = Some(progress);
        self
    }
}
