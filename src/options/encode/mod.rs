//! [`Encode`]: how data is compressed, and [`EncodeBuilder`], which makes it.
//!
//! This file has the options of all formats, and `formats.rs` those that only some have. `compress/mod.rs` has the end of
//! the builder, because only libzstd knows whether it accepts its parameters.

mod formats;

use std::time::Duration;

use super::{Adapt, Check, Layout, Lz4Blocks, Member, Recovery, Strategy, XzFilter, ZstdWriting};
use crate::format::id::Format;
use engine::Progress;

/// How data is compressed: the format, its level, and everything else.
///
/// A function for each format begins an [`EncodeBuilder`], whose method `build` checks all together. [`Encode::default`]
/// writes zstd at its default level, with a thread for each CPU.
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
    pub(crate) adapt: Option<Adapt>,
    pub(crate) flush_interval: Option<Duration>,
    pub(crate) buffer: Option<u64>,
    pub(crate) drop_cache: bool,
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

    /// zlib with a level of 0 to 12. The default is 6.
    pub fn zlib(level: i32) -> EncodeBuilder {
        Self::builder(Format::Zlib).level(level)
    }

    /// A zip archive of one file, with a level of 0 to 12. The default is 6.
    pub fn zip(level: i32) -> EncodeBuilder {
        Self::builder(Format::Zip).level(level)
    }

    /// A format that is chosen at run time, at its default level.
    ///
    /// ```
    /// use pzcomp::{Encode, Error, Format};
    ///
    /// let named: Format = "xz".parse().expect("xz is a format");
    /// assert_eq!(Encode::builder(named).build()?.level(), 6);
    ///
    /// let unwritten = Encode::builder(Format::Lzw).build();
    /// assert!(matches!(unwritten, Err(Error::NotWritten { .. })));
    /// # Ok::<(), Error>(())
    /// ```
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

/// Options of all formats.
impl EncodeBuilder {
    /// The level of the format. A negative level is faster than the first one.
    pub fn level(mut self, level: i32) -> Self {
        self.0.level = Some(level);
        self
    }

    /// The number of worker threads. 0, the default, is the number of CPUs that this process may use, by its affinity and
    /// the quota of its cgroup.
    pub fn threads(mut self, threads: usize) -> Self {
        self.0.threads = threads;
        self
    }

    /// The most bytes of memory for buffers and codecs. If that is little, there are fewer buffers and fewer workers. The
    /// output stays the same. If it is too little for the work, that is an error when the work begins;
    /// [`Encode::compression_needs`] tells it before. By default there is no limit.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.0.memory = Some(bytes);
        self
    }

    /// Bytes of memory that the work aims at, if [`Self::memory`] is not given. If more would be needed, there are fewer
    /// buffers and fewer workers, but at least one worker. Unlike `memory`, this is never the cause of an error.
    pub fn memory_aim(mut self, bytes: u64) -> Self {
        self.0.memory_aim = Some(bytes);
        self
    }

    /// The most bytes of plain data in a frame. The default depends on the format, and in some formats on the level.
    pub fn block_size(mut self, len: usize) -> Self {
        self.0.block_size = Some(len);
        self
    }

    /// Whether the output ends with an index, if the format and the layout have one, and if there are at least 16 KiB of
    /// plain data. Shorter data is decoded as a whole before an index could help. The default is true.
    ///
    /// ```
    /// use pzcomp::{Encode, compress};
    /// let (with, without) = (Encode::zstd(3).build()?, Encode::zstd(3).index(false).build()?);
    /// assert!(compress(&[7; 20_000], &with)?.len() > compress(&[7; 20_000], &without)?.len());
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn index(mut self, index: bool) -> Self {
        self.0.no_index = !index;
        self
    }

    /// Recovery records in the output, by which damage to it can be mended ([`Repair`](crate::recovery::Repair)). zstd, gzip
    /// and lz4 have them in the layout [`Layout::Frames`]. [`Compress`](crate::Compress) and [`Recode`](crate::Recode) write
    /// them. By default there are none.
    ///
    /// ```
    /// use pzcomp::{Compress, Encode, Recovery};
    /// use pzcomp::recovery::Repair;
    ///
    /// let options = Encode::zstd(3).recovery(Recovery::default()).build()?;
    /// let mut coded = Vec::new();
    /// Compress::new(&options).run(b"three in the morning", &mut coded)?;
    ///
    /// let (mut damaged, mut mended) = (coded.clone(), Vec::new());
    /// damaged[10] ^= 1;
    /// Repair::new(&Default::default()).run(&damaged, &mut mended)?;
    /// assert_eq!(mended, coded);
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    #[cfg(feature = "recovery")]
    #[cfg_attr(docsrs, doc(cfg(feature = "recovery")))]
    pub fn recovery(mut self, recovery: Recovery) -> Self {
        self.0.recovery = Some(recovery);
        self
    }

    /// Whether frames end by their content and not at even distances. Equal parts of two versions of the input then have
    /// equal frames, except for a few frames behind a change. Tools such as rsync need not send equal frames again.
    /// Frames are then on average 0.6 times as long as without this option. The default is false.
    pub fn rsyncable(mut self, rsyncable: bool) -> Self {
        self.0.rsyncable = rsyncable;
        self
    }

    /// Let the level of each frame follow what the source and the sink take: of the levels with which the workers are
    /// 1.1 times as fast, it is the one with the shortest output. [`Self::level`] is the level to begin with. Frames
    /// have at most 4 MiB unless [`Self::block_size`] says otherwise. The output depends on timing. It is an error for
    /// a single frame that one worker codes. [`Summary::levels`](crate::Summary::levels) says how much was compressed
    /// at each level. By default the level is fixed.
    pub fn adapt(mut self, adapt: Adapt) -> Self {
        self.0.adapt = Some(adapt);
        self
    }

    /// How long a byte of input waits at most until its frame ends, for inputs that pause, such as the lines of a log. Then
    /// the bytes at hand leave as a frame, or as a flushed part of a single frame. This makes the output longer, and the
    /// output depends on when the input comes. Files and memory have no pauses. A [`Writer`](crate::Writer) looks at the
    /// time only when it is written to, and a reader of the caller only when it returns: call `flush` for the bytes
    /// before a pause of unknown length. By default a byte waits until the frame is full.
    ///
    /// ```
    /// use std::time::Duration;
    /// let options = pzcomp::Encode::zstd(3).flush_interval(Duration::from_millis(100)).build()?;
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn flush_interval(mut self, interval: Duration) -> Self {
        self.0.flush_interval = Some(interval);
        self
    }

    /// The most bytes of output that are stored until they can be written, for a producer and a consumer that are fast at
    /// different times. The memory is taken as bytes come, and is part of [`Self::memory`]. [`Writer`](crate::Writer) has no
    /// such store. 0, the default, is none.
    pub fn buffer(mut self, bytes: u64) -> Self {
        self.0.buffer = Some(bytes);
        self
    }

    /// Whether the pages of regular files leave the page cache of the system behind the reads and the writes, so that other
    /// programs keep theirs. The output is then on the disk when the work is over. Only Linux has this. The default is
    /// false.
    pub fn drop_cache(mut self, drop: bool) -> Self {
        self.0.drop_cache = drop;
        self
    }

    /// Shows how far the stream is, and can cancel it. The caller keeps a clone. A run has a method of its own for this
    /// ([`Compress::progress`](crate::Compress::progress)).
    pub fn progress(mut self, progress: Progress) -> Self {
        self.0.progress = Some(progress);
        self
    }
}

/// The structure of the output. The default is [`Layout::Frames`].
impl EncodeBuilder {
    /// One frame for all data ([`Layout::Single`]): gzip, zstd, lz4, xz and bzip2. zlib and zip always have one.
    ///
    /// ```
    /// use pzcomp::{Compress, Encode};
    /// let options = Encode::gzip(6).single().build()?;
    /// let summary = Compress::new(&options).run(&[7; 3_000_000], &mut Vec::new())?;
    /// assert_eq!(summary.frames, 1);
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn single(self) -> Self {
        self.layout(Layout::Single(Member::new()))
    }

    /// A structure that is chosen at run time.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.0.layout = layout;
        self
    }

    /// The check of the data. xz has all of them. zstd and lz4 have only [`Check::None`], which leaves their check out. The
    /// default depends on the format.
    ///
    /// ```
    /// use pzcomp::{Check, Encode};
    /// assert!(Encode::xz(6).check(Check::Sha256).build().is_ok());
    /// assert!(Encode::zstd(3).check(Check::Sha256).build().is_err());
    /// ```
    pub fn check(mut self, check: Check) -> Self {
        self.0.check = Some(check);
        self
    }

    /// zstd and lz4: the length of the data in bytes, which the header of a single frame then states. The data must have
    /// that length. Other layouts state the length of each frame, and ignore this.
    pub fn plain_len(mut self, len: u64) -> Self {
        self.0.plain_len = Some(len);
        self
    }
}
