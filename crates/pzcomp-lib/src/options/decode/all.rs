//! The methods of [`DecodeBuilder`] for options of all formats, and its end.

use super::{Decode, DecodeBuilder, Unknown};
use crate::error::Result;
use crate::format::id::Format;
use crate::options::EntryChoice;
use engine::Progress;

/// Options of all formats.
impl DecodeBuilder {
    /// The options. No options for reading contradict each other today, so this is never an error. Options of later
    /// versions may. How much memory is needed depends on the work, so that is checked when the work begins.
    ///
    /// ```
    /// use pzcomp::Decode;
    /// assert_eq!(Decode::builder().build()?, Decode::default());
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn build(self) -> Result<Decode> {
        Ok(self.0)
    }

    /// The formats that are read. By default these are all formats but [`Format::Zlib`]. Frames of other formats are
    /// unknown bytes. [`Format::Lzma`] is recognised at the start of the input only. If [`Format::Zstd`] is named with
    /// it, it is recognised behind frames too.
    pub fn accept(mut self, formats: &[Format]) -> Self {
        self.0.accept = Some(formats.to_vec());
        self
    }

    /// What happens to bytes that begin no frame of an accepted format. The default is an error.
    pub fn unknown(mut self, unknown: Unknown) -> Self {
        self.0.unknown = unknown;
        self
    }

    /// Which files of an archive are decoded. The default is the first file.
    pub fn entry(mut self, entry: EntryChoice) -> Self {
        self.0.entry = entry;
        self
    }

    /// Whether to write the decoded part of a frame that the input cuts off, although no check has verified it. The
    /// result is an error all the same. Without this option such data is written only if the frame was too long to be
    /// held, so that a part of it had already left. It does not help with damage inside a frame. The default is false.
    pub fn keep_cut_frames(mut self, keep: bool) -> Self {
        self.0.keep_cut_frames = keep;
        self
    }

    /// Whether the input must end with the index that pzcomp writes. An input that ends between two frames, because its
    /// sender was killed, is then an error ([`Error::NoEnd`](crate::Error::NoEnd)). So is one that has no index: of
    /// bzip2, lzip or Snappy, of a layout without an index, of less than 16 KiB of data without
    /// [`EncodeBuilder::short_index`](crate::EncodeBuilder::short_index), and of most other programs.
    /// The default is false.
    pub fn expect_end(mut self, expect: bool) -> Self {
        self.0.expect_end = expect;
        self
    }

    /// The number of worker threads. 0, the default, is the number of CPUs that this process may use, by its affinity
    /// and the quota of its cgroup.
    pub fn threads(mut self, threads: usize) -> Self {
        self.0.threads = threads;
        self
    }

    /// The most bytes of memory for buffers and codecs. If that is little, there are fewer buffers and fewer workers.
    /// The output stays the same. If it is too little for the work, that is an error when the work begins. By default
    /// there is no limit.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.0.memory = Some(bytes);
        self
    }

    /// Bytes of memory that the work aims at, if [`Self::memory`] is not given. If more would be needed, there are
    /// fewer buffers and fewer workers, but at least one worker. Unlike `memory`, this is never the cause of an error,
    /// and does not change which windows are accepted. A frame that demands a long window can take more.
    pub fn memory_aim(mut self, bytes: u64) -> Self {
        self.0.memory_aim = Some(bytes);
        self
    }

    /// The most bytes of memory that a single frame may demand for its window or dictionary. By default, if
    /// [`Self::memory`] is given, it is an equal share for each worker of the memory that the buffers leave. If not, it
    /// is [`WINDOW_LIMIT`](crate::WINDOW_LIMIT).
    pub fn window_limit(mut self, bytes: u64) -> Self {
        self.0.window_limit = Some(bytes);
        self
    }

    /// The most bytes of plain data that decompression puts out. A short input can hold data of any length, so a
    /// program that reads what others have sent sets this. Exactly as many bytes are allowed. If there is one more, the
    /// result is [`Error::OutputLimit`](crate::Error::OutputLimit); a stream has then put out all bytes that are
    /// allowed, and a function that returns a vector returns none. It counts the data of one call or one reader, of an
    /// xbstream that of all compressed files together. [`Seekable`](crate::Seekable) ignores it: its callers say how
    /// many bytes they want. By default there is no limit.
    pub fn max_output(mut self, bytes: u64) -> Self {
        self.0.max_output = Some(bytes);
        self
    }

    /// The most bytes of input that are read ahead, for a producer and a consumer that are fast at different times. A
    /// file or memory is there already. The memory is taken as bytes come, and is part of [`Self::memory`].
    /// [`Reader`](crate::Reader) and [`Seekable`](crate::Seekable) have no such store. 0, the default, is none.
    pub fn buffer(mut self, bytes: u64) -> Self {
        self.0.buffer = Some(bytes);
        self
    }

    /// Whether blocks of zeros become holes in a regular file, which take no room on the disk. Only data behind the end
    /// of the file gets holes. The default is false.
    pub fn sparse(mut self, sparse: bool) -> Self {
        self.0.sparse = sparse;
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
    /// the scheduler and of the disks. In a run ([`Decompress`](crate::Decompress)), workers also pause while other
    /// programs wait for a CPU; one worker goes on. The thread of the caller keeps its class. Threads of a
    /// [`Pool`](crate::Pool) keep the class that they have. The default is false.
    pub fn idle(mut self, idle: bool) -> Self {
        self.0.idle = idle;
        self
    }

    /// Shows how far the stream is, and can cancel it. The caller keeps a clone. A run has a method of its own for this
    /// ([`Decompress::progress`](crate::Decompress::progress)).
    pub fn progress(mut self, progress: Progress) -> Self {
        self.0.progress = Some(progress);
        self
    }
}
