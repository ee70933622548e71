//! The methods of [`EncodeBuilder`] for options of all formats, and for the structure of the output.
//!
//! `format/settings.rs` refuses a structure or a check that the format does not have.

use std::time::Duration;

use super::EncodeBuilder;
#[cfg(feature = "recovery")]
use crate::options::Recovery;
use crate::options::{Adapt, Check, Layout, Member, Tar};
use engine::Progress;

/// Options of all formats.
impl EncodeBuilder {
    /// The level of the format. A negative level is faster than the first one.
    pub fn level(mut self, level: i32) -> Self {
        self.0.level = Some(level);
        self
    }

    /// The number of worker threads. 0, the default, is the number of CPUs that this process may use, by its affinity
    /// and the quota of its cgroup.
    pub fn threads(mut self, threads: usize) -> Self {
        self.0.threads = threads;
        self
    }

    /// The most bytes of memory for buffers and codecs. If that is little, there are fewer buffers and fewer workers.
    /// The output stays the same. If it is too little for the work, that is an error when the work begins;
    /// [`Encode::compression_needs`](crate::Encode::compression_needs) tells it before. By default there is no limit.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.0.memory = Some(bytes);
        self
    }

    /// Bytes of memory that the work aims at, if [`Self::memory`] is not given. If more would be needed, there are
    /// fewer buffers and fewer workers, but at least one worker. Unlike `memory`, this is never the cause of an error.
    pub fn memory_aim(mut self, bytes: u64) -> Self {
        self.0.memory_aim = Some(bytes);
        self
    }

    /// The most bytes of plain data in a frame. The default depends on the format, and in some formats on the level.
    pub fn block_size(mut self, len: usize) -> Self {
        self.0.block_size = Some(len);
        self
    }

    /// Whether the output ends with an index, if the format and the layout have one, and if there are at least 16 KiB
    /// of plain data. Shorter data is decoded as a whole before an index could help. The default is true.
    pub fn index(mut self, index: bool) -> Self {
        self.0.no_index = !index;
        self
    }

    /// Whether less than 16 KiB of plain data have an index too, if [`Self::index`] is true. Then
    /// [`DecodeBuilder::expect_end`](crate::DecodeBuilder::expect_end) accepts them. It takes 25 bytes in zstd and lz4,
    /// and 93 in gzip. The default is false.
    pub fn short_index(mut self, short: bool) -> Self {
        self.0.short_index = short;
        self
    }

    /// Recovery records in the output, by which damage to it can be mended ([`Repair`](crate::recovery::Repair)). zstd,
    /// gzip and lz4 have them in the layout [`Layout::Frames`]. [`Compress`](crate::Compress) and
    /// [`Recode`](crate::Recode) write them. By default there are none.
    #[cfg(feature = "recovery")]
    #[cfg_attr(docsrs, doc(cfg(feature = "recovery")))]
    pub fn recovery(mut self, recovery: Recovery) -> Self {
        self.0.recovery = Some(recovery);
        self
    }

    /// Whether frames end by their content and not at even distances. Equal parts of two versions of the input then
    /// have equal frames, except for a few frames behind a change. Tools such as rsync need not send equal frames
    /// again. Frames are then on average 0.6 times as long as without this option. The default is false.
    pub fn rsyncable(mut self, rsyncable: bool) -> Self {
        self.0.rsyncable = rsyncable;
        self
    }

    /// Whether a frame ends behind the last line that fits into it, so that each frame has whole lines. A line that is
    /// longer than a frame is divided. The default is false.
    pub fn align_lines(mut self, align: bool) -> Self {
        self.0.align_lines = align;
        self
    }

    /// Whether the data is taken for a tar archive, whose members the output then lists. The default is [`Tar::Never`].
    /// [`Compress`](crate::Compress), [`Recode`](crate::Recode) and [`Writer`](crate::Writer) write lists.
    pub fn tar(mut self, tar: Tar) -> Self {
        self.0.tar = tar;
        self
    }

    /// Let the level of each frame follow what the source and the sink take: of the levels with which the workers are
    /// 1.1 times as fast, it is the one with the shortest output. [`Self::level`] is the level to begin with, and the
    /// lowest one unless [`Adapt::min`] is set. Frames have at most 4 MiB, or the length that they have at that level,
    /// unless [`Self::block_size`] says otherwise. The output depends on timing. It is an error for
    /// a single frame that one worker codes. [`Summary::levels`](crate::Summary::levels) says how much was compressed
    /// at each level. By default the level is fixed.
    pub fn adapt(mut self, adapt: Adapt) -> Self {
        self.0.adapt = Some(adapt);
        self
    }

    /// How long a byte of input waits at most until its frame ends, for inputs that pause, such as the lines of a log.
    /// Then the bytes at hand leave as a frame, or as a flushed part of a single frame. This makes the output longer,
    /// and the output depends on when the input comes. Files and memory have no pauses. A [`Writer`](crate::Writer)
    /// looks at the time only when it is written to, and a reader of the caller only when it returns: call `flush` for
    /// the bytes before a pause of unknown length. By default a byte waits until the frame is full.
    pub fn flush_interval(mut self, interval: Duration) -> Self {
        self.0.flush_interval = Some(interval);
        self
    }

    /// The most bytes of output that are stored until they can be written, for a producer and a consumer that are fast
    /// at different times. The memory is taken as bytes come, and is part of [`Self::memory`].
    /// [`Writer`](crate::Writer) has no such store. 0, the default, is none.
    pub fn buffer(mut self, bytes: u64) -> Self {
        self.0.buffer = Some(bytes);
        self
    }

    /// Whether the pages of regular files leave the page cache of the system behind the reads and the writes, so that
    /// other programs keep theirs. The output is then on the disk when the work is over. Only Linux has this. The
    /// default is false.
    pub fn drop_cache(mut self, drop: bool) -> Self {
        self.0.drop_cache = drop;
        self
    }

    /// Whether the threads of the workers take only what other programs leave: on Linux they run in the idle class of
    /// the scheduler and of the disks. In a run ([`Compress`](crate::Compress)), workers also pause while other
    /// programs wait for a CPU; one worker goes on. The thread of the caller keeps its class. Threads of a
    /// [`Pool`](crate::Pool) keep the class that they have. The output is the same. The default is false.
    pub fn idle(mut self, idle: bool) -> Self {
        self.0.idle = idle;
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
    pub fn single(self) -> Self {
        self.layout(Layout::Single(Member::new()))
    }

    /// A structure that is chosen at run time.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.0.layout = layout;
        self
    }

    /// The check of the data. xz has all of them. zstd and lz4 have only [`Check::None`], which leaves their check out.
    /// The default depends on the format.
    pub fn check(mut self, check: Check) -> Self {
        self.0.check = Some(check);
        self
    }

    /// zstd and lz4: the length of the data in bytes, which the header of a single frame then states. The data must
    /// have that length. Other layouts state the length of each frame, and ignore this.
    pub fn plain_len(mut self, len: u64) -> Self {
        self.0.plain_len = Some(len);
        self
    }
}
