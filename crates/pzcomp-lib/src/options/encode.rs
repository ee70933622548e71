//! [`Encode`]: how data is compressed, and [`EncodeBuilder`], which makes it.
//!
//! The methods of the builder stand in groups: the documentation shows each `impl` block under its heading.
//! `format/settings.rs` refuses an option, a structure or a check that the format does not have. `compress/mod.rs` has
//! the end of the builder, because only libzstd knows whether it accepts its parameters.

use std::time::Duration;

use super::{
    Adapt, Check, Dictionary, Layout, Lz4Blocks, Member, Recovery, Strategy, Tar, XzFilter, ZstdParameter,
    ZstdWriting, setters,
};
use crate::format::id::Format;
use engine::Progress;

/// How data is compressed: the format, its level, and everything else.
///
/// A function for each format begins an [`EncodeBuilder`], whose method `build` checks all together.
/// [`Encode::default`] writes zstd at its default level, with a thread for each CPU.
///
/// ```
/// use pzcomp::Encode;
///
/// let options = Encode::gzip(9).threads(2).block_size(1 << 20).build()?;
/// let coded = pzcomp::compress(b"three in the morning", &options)?;
/// assert_eq!(coded[..2], [0x1f, 0x8b]);
///
/// let wrong = Encode::gzip(13).build();
/// assert_eq!(wrong.unwrap_err().to_string(), "gzip has no level 13; it has 0 to 12");
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encode {
    pub(crate) format: Format,
    /// `None` is the default of the format.
    pub(crate) level: Option<i32>,
    pub(crate) threads: usize,
    pub(crate) block_size: Option<usize>,
    pub(crate) memory: Option<u64>,
    pub(crate) memory_aim: Option<u64>,
    pub(crate) no_index: bool,
    pub(crate) short_index: bool,
    pub(crate) recovery: Option<Recovery>,
    pub(crate) layout: Layout,
    pub(crate) check: Option<Check>,
    pub(crate) window_log: Option<u32>,
    pub(crate) plain_len: Option<u64>,
    pub(crate) extreme: bool,
    pub(crate) strategy: Strategy,
    pub(crate) lz4: Lz4Blocks,
    pub(crate) xz_filters: Vec<XzFilter>,
    pub(crate) zstd: ZstdWriting,
    pub(crate) rsyncable: bool,
    pub(crate) align_lines: bool,
    pub(crate) tar: Tar,
    pub(crate) adapt: Option<Adapt>,
    pub(crate) flush_interval: Option<Duration>,
    pub(crate) buffer: Option<u64>,
    pub(crate) drop_cache: bool,
    pub(crate) idle: bool,
    pub(crate) progress: Option<Progress>,
}

/// Makes [`Encode`]. The functions of `Encode` begin one, and so do options that were built:
///
/// ```
/// use pzcomp::{Encode, EncodeBuilder};
///
/// let usual = Encode::zstd(3).threads(2).build()?;
/// let thorough = EncodeBuilder::from(usual).level(19).build()?;
/// assert_eq!((thorough.worker_count(), thorough.level()), (2, 19));
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a builder makes options only when it is built"]
pub struct EncodeBuilder(pub(crate) Encode);

impl From<Encode> for EncodeBuilder {
    fn from(options: Encode) -> Self {
        Self(options)
    }
}

/// The start: a format, and its level.
impl Encode {
    /// zstd with a level of 1 to 22, or a negative one, which is faster. The default is 3.
    pub fn zstd(level: i32) -> EncodeBuilder {
        Self::builder(Format::Zstd).level(level)
    }

    /// gzip with a level of 0 to 12. The default is 6.
    pub fn gzip(level: i32) -> EncodeBuilder {
        Self::builder(Format::Gzip).level(level)
    }

    /// lz4 with a level of 1 to 12, or a negative one, which is faster. The default is 1.
    pub fn lz4(level: i32) -> EncodeBuilder {
        Self::builder(Format::Lz4).level(level)
    }

    /// xz with a level of 0 to 9. The default is 6.
    pub fn xz(level: i32) -> EncodeBuilder {
        Self::builder(Format::Xz).level(level)
    }

    /// bzip2 with a level of 1 to 9. The default is 9.
    pub fn bzip2(level: i32) -> EncodeBuilder {
        Self::builder(Format::Bzip2).level(level)
    }

    /// lzip with a level of 0 to 9. The default is 6.
    pub fn lzip(level: i32) -> EncodeBuilder {
        Self::builder(Format::Lzip).level(level)
    }

    /// Snappy, in its framing format. It has one level.
    pub fn snappy() -> EncodeBuilder {
        Self::builder(Format::Snappy)
    }

    /// zlib with a level of 0 to 12. The default is 6. It has no magic number, so the reader names it
    /// ([`DecodeBuilder::accept`](crate::DecodeBuilder::accept)).
    pub fn zlib(level: i32) -> EncodeBuilder {
        Self::builder(Format::Zlib).level(level)
    }

    /// A zip archive of one file, with a level of 0 to 12. The default is 6.
    pub fn zip(level: i32) -> EncodeBuilder {
        Self::builder(Format::Zip).level(level)
    }

    /// A format that is chosen at run time, at its default level.
    pub fn builder(format: Format) -> EncodeBuilder {
        EncodeBuilder(Self { format, ..Self::default() })
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The level. With [`EncodeBuilder::adapt`] it is the level to begin with.
    pub fn level(&self) -> i32 {
        self.level.unwrap_or_else(|| self.format.default_level())
    }

    /// The structure of the output.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

setters! {
/// Options of all formats.
impl EncodeBuilder {
    /// The level of the format. A negative level is faster than the first one.
    pub fn level(level: i32) { level = Some(level) }

    /// The number of worker threads. 0, the default, is the number of CPUs that this process may use, by its affinity
    /// and the quota of its cgroup.
    pub fn threads(threads: usize) { threads = threads }

    /// The most bytes of memory for buffers and codecs. If that is little, there are fewer buffers and fewer workers.
    /// The output stays the same. If it is too little for the work, that is an error when the work begins;
    /// [`Encode::compression_needs`](crate::Encode::compression_needs) tells it before. By default there is no limit.
    pub fn memory(bytes: u64) { memory = Some(bytes) }

    /// Bytes of memory that the work aims at, if [`Self::memory`] is not given. If more would be needed, there are
    /// fewer buffers and fewer workers, but at least one worker. Unlike `memory`, this is never the cause of an error.
    pub fn memory_aim(bytes: u64) { memory_aim = Some(bytes) }

    /// The most bytes of plain data in a frame. The default depends on the format, and in some formats on the level.
    pub fn block_size(len: usize) { block_size = Some(len) }

    /// Whether the output ends with an index, if the format and the layout have one, and if there are at least 16 KiB
    /// of plain data. Shorter data is decoded as a whole before an index could help. The default is true.
    pub fn index(index: bool) { no_index = !index }

    /// Whether less than 16 KiB of plain data have an index too, if [`Self::index`] is true. Then
    /// [`DecodeBuilder::expect_end`](crate::DecodeBuilder::expect_end) accepts them. It takes 25 bytes in zstd and lz4,
    /// and 93 in gzip. The default is false.
    pub fn short_index(short: bool) { short_index = short }

    /// Recovery records in the output, by which damage to it can be mended ([`Repair`](crate::recovery::Repair)). zstd,
    /// gzip and lz4 have them in the layout [`Layout::Frames`]. [`Compress`](crate::Compress) and
    /// [`Recode`](crate::Recode) write them. By default there are none.
    #[cfg(feature = "recovery")]
    #[cfg_attr(docsrs, doc(cfg(feature = "recovery")))]
    pub fn recovery(recovery: Recovery) { recovery = Some(recovery) }

    /// Whether frames end by their content and not at even distances. Equal parts of two versions of the input then
    /// have equal frames, except for a few frames behind a change. Tools such as rsync need not send equal frames
    /// again. Frames are then on average 0.6 times as long as without this option. The default is false.
    pub fn rsyncable(rsyncable: bool) { rsyncable = rsyncable }

    /// Whether a frame ends behind the last line that fits into it, so that each frame has whole lines. A line that is
    /// longer than a frame is divided. The default is false.
    pub fn align_lines(align: bool) { align_lines = align }

    /// Whether the data is taken for a tar archive, whose members the output then lists. The default is [`Tar::Never`].
    /// [`Compress`](crate::Compress), [`Recode`](crate::Recode) and [`Writer`](crate::Writer) write lists.
    pub fn tar(tar: Tar) { tar = tar }

    /// Let the level of each frame follow what the source and the sink take: of the levels with which the workers are
    /// 1.1 times as fast, it is the one with the shortest output. [`Self::level`] is the level to begin with, and the
    /// lowest one unless [`Adapt::min`] is set. Frames have at most 4 MiB, or the length that they have at that level,
    /// unless [`Self::block_size`] says otherwise. The output depends on timing. It is an error for
    /// a single frame that one worker codes. [`Summary::levels`](crate::Summary::levels) says how much was compressed
    /// at each level. By default the level is fixed.
    pub fn adapt(adapt: Adapt) { adapt = Some(adapt) }

    /// How long a byte of input waits at most until its frame ends, for inputs that pause, such as the lines of a log.
    /// Then the bytes at hand leave as a frame, or as a flushed part of a single frame. This makes the output longer,
    /// and the output depends on when the input comes. Files and memory have no pauses. A [`Writer`](crate::Writer)
    /// looks at the time only when it is written to, and a reader of the caller only when it returns: call `flush` for
    /// the bytes before a pause of unknown length. By default a byte waits until the frame is full.
    pub fn flush_interval(interval: Duration) { flush_interval = Some(interval) }

    /// The most bytes of output that are stored until they can be written, for a producer and a consumer that are fast
    /// at different times. The memory is taken as bytes come, and is part of [`Self::memory`].
    /// [`Writer`](crate::Writer) has no such store. 0, the default, is none.
    pub fn buffer(bytes: u64) { buffer = Some(bytes) }

    /// Whether the pages of regular files leave the page cache of the system behind the reads and the writes, so that
    /// other programs keep theirs. The output is then on the disk when the work is over. Linux and FreeBSD have this.
    /// The default is false.
    pub fn drop_cache(drop: bool) { drop_cache = drop }

    /// Whether the threads of the workers take only what other programs leave: they run in the idle class of the
    /// scheduler and of the disks, which FreeBSD lacks. On Linux, in a run ([`Compress`](crate::Compress)), workers
    /// also pause while other programs wait for a CPU; one worker goes on. The thread of the caller keeps its class.
    /// Threads of a [`Pool`](crate::Pool) keep the class that they have. The output is the same. The default is false.
    pub fn idle(idle: bool) { idle = idle }

    /// Shows how far the stream is, and can cancel it. The caller keeps a clone. A run has a method of its own for this
    /// ([`Compress::progress`](crate::Compress::progress)).
    pub fn progress(progress: Progress) { progress = Some(progress) }
}
}

setters! {
/// The structure of the output. The default is [`Layout::Frames`].
impl EncodeBuilder {
    /// A structure that is chosen at run time.
    pub fn layout(layout: Layout) { layout = layout }

    /// The check of the data. xz has all of them. zstd and lz4 have only [`Check::None`], which leaves their check out.
    /// The default depends on the format.
    pub fn check(check: Check) { check = Some(check) }

    /// zstd and lz4: the length of the data in bytes, which the header of a single frame then states. The data must
    /// have that length. Other layouts state the length of each frame, and ignore this.
    pub fn plain_len(len: u64) { plain_len = Some(len) }
}
}

impl EncodeBuilder {
    /// One frame for all data ([`Layout::Single`]): gzip, zstd, lz4, xz and bzip2. zlib and zip always have one.
    pub fn single(self) -> Self {
        self.layout(Layout::Single(Member::new()))
    }
}

setters! {
/// Options of zstd.
impl EncodeBuilder {
    /// The binary logarithm of the length of the window, 10 to 31, or 10 to 30 on machines of 32 bits. The encoder
    /// searches for matches as far back as the window reaches, and by default frames are at least as long as the
    /// window. To decompress a window of more than 27, the reader must raise its limit
    /// ([`DecodeBuilder::window_limit`](crate::DecodeBuilder::window_limit)). The default depends on the level.
    pub fn window_log(log: u32) { window_log = Some(log) }

    /// A dictionary: frames can refer to its bytes as if these came before the data. The same dictionary is needed to
    /// decompress the frames ([`DecodeBuilder::dictionary`](crate::DecodeBuilder::dictionary)).
    pub fn dictionary(dictionary: Dictionary) { zstd.dictionary = Some(dictionary) }

    /// Whether frames do not state the id of the dictionary. The default is false.
    pub fn hide_dictionary_id(hide: bool) { zstd.hide_dictionary_id = hide }

    /// Whether frames do not state the length of their data. The default is false.
    pub fn hide_content_size(hide: bool) { zstd.hide_content_size = hide }

    /// Parameters of the encoder, in place of those of the level. The value 0 is that of the level.
    pub fn parameters(parameters: impl Into<Vec<(ZstdParameter, u32)>>) { zstd.parameters = parameters.into() }

    /// Whether libzstd's parameters of the level are used for all data. The default is false: at the levels 2 to 4,
    /// chunks of more than 256 KiB with tables of numbers or with records have parameters of their own, which are
    /// faster and give shorter frames. A dictionary, a window and [`parameters`](Self::parameters) have the same effect
    /// as true.
    pub fn fixed_parameters(only: bool) { zstd.fixed_parameters = only }
}
}

impl EncodeBuilder {
    /// The frames of pzstd ([`Layout::Pzstd`]).
    pub fn pzstd(self) -> Self {
        self.layout(Layout::Pzstd)
    }
}

setters! {
/// Options of gzip, and of zlib and zip where they have them.
impl EncodeBuilder {
    /// Which repetitions the encoder looks for. The default is that of the level.
    pub fn strategy(strategy: Strategy) { strategy = strategy }
}
}

impl EncodeBuilder {
    /// The members of bgzip ([`Layout::Bgzf`]).
    pub fn bgzf(self) -> Self {
        self.layout(Layout::Bgzf)
    }

    /// One gzip member or zip entry with this header, as [`Self::single`].
    pub fn member(self, member: Member) -> Self {
        self.layout(Layout::Single(member))
    }
}

setters! {
/// Options of lz4.
impl EncodeBuilder {
    /// The blocks of a frame.
    pub fn lz4_blocks(blocks: Lz4Blocks) { lz4 = blocks }
}
}

impl EncodeBuilder {
    /// The legacy format of lz4 ([`Layout::Legacy`]).
    pub fn legacy(self) -> Self {
        self.layout(Layout::Legacy)
    }
}

setters! {
/// Options of xz.
impl EncodeBuilder {
    /// More time for a little less output. The default is false.
    pub fn extreme(extreme: bool) { extreme = extreme }

    /// The filters in the order in which the data passes through them. The last is [`XzFilter::Lzma`]. Without filters
    /// the level decides.
    pub fn filters(filters: impl Into<Vec<XzFilter>>) { xz_filters = filters.into() }
}
}

impl EncodeBuilder {
    /// The format before xz: a `.lzma` file ([`Layout::Alone`]).
    pub fn alone(self) -> Self {
        self.layout(Layout::Alone)
    }
}
