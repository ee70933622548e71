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
    ///
    /// ```
    /// use pzcomp::{Decode, Format};
    ///
    /// let named: Vec<Format> = ["gzip", "zstd"].iter().filter_map(|name| name.parse().ok()).collect();
    /// let options = Decode::builder().accept(&named).build()?;
    /// assert!(pzcomp::decompress(b"BZh9", &options).is_err());
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn accept(mut self, formats: &[Format]) -> Self {
        self.0.accept = Some(formats.to_vec());
        self
    }

    /// What happens to bytes that begin no frame of an accepted format. The default is an error.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Unknown};
    /// let mut coded = pzcomp::compress(b"three in the morning", &Encode::default())?;
    /// coded.extend(b"and a signature");
    /// let ignoring = Decode::builder().unknown(Unknown::Ignore).build()?;
    /// assert_eq!(pzcomp::decompress(&coded, &ignoring)?, b"three in the morning");
    /// assert!(pzcomp::decompress(&coded, &Decode::default()).is_err());
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn unknown(mut self, unknown: Unknown) -> Self {
        self.0.unknown = unknown;
        self
    }

    /// Which files of an archive are decoded. The default is the first file.
    ///
    /// ```
    /// use pzcomp::{Decode, EntryChoice};
    /// # let archive = b"qpress10\t\0\0\0\0\0\0\0F\x01\0\0\0a\0NEWBNEWB\0\0\0\0\0\0\0\0j\x02\xe7\x08D\x08\x05three\
    /// #     ENDSENDS\0\0\0\0\0\0\0\0F\x01\0\0\0b\0NEWBNEWB\0\0\0\0\0\0\0\0\x0c\x02b\x06D\x07\x04four\
    /// #     ENDSENDS\0\0\0\0\0\0\0\0";
    /// // An archive of qpress with the files `a` and `b`.
    /// let second = Decode::builder().entry(EntryChoice::named("b")).build()?;
    /// assert_eq!(pzcomp::decompress(archive, &second)?, b"four");
    /// assert_eq!(pzcomp::decompress(archive, &Decode::default())?, b"three");
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn entry(mut self, entry: EntryChoice) -> Self {
        self.0.entry = entry;
        self
    }

    /// Whether to write the decoded part of a frame that the input cuts off, although no check has verified it. The
    /// result is an error all the same. Without this option such data is written only if the frame was too long to be
    /// held, so that a part of it had already left. It does not help with damage inside a frame. The default is false.
    ///
    /// ```
    /// use pzcomp::{Decode, Decompress, Encode};
    /// let (mut coded, mut kept) = (pzcomp::compress(b"three in the morning", &Encode::gzip(6).build()?)?, Vec::new());
    /// coded.truncate(coded.len() - 1);
    /// let keeping = Decode::builder().keep_cut_frames(true).build()?;
    /// assert!(Decompress::new(&keeping).run(&coded, &mut kept).is_err());
    /// assert_eq!(kept, b"three in the morning");
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn keep_cut_frames(mut self, keep: bool) -> Self {
        self.0.keep_cut_frames = keep;
        self
    }

    /// Whether the input must end with the index that pzcomp writes. An input that ends between two frames, because its
    /// sender was killed, is then an error ([`Error::NoEnd`](crate::Error::NoEnd)). So is one that has no index: of
    /// bzip2, lzip or Snappy, of a layout without an index, of less than 16 KiB of data, and of most other programs.
    /// The default is false.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Error};
    /// let coded = pzcomp::compress(&[7; 20_000], &Encode::default())?;
    /// let expecting = Decode::builder().expect_end(true).build()?;
    /// assert_eq!(pzcomp::decompress(&coded, &expecting)?, [7; 20_000]);
    /// let unindexed = pzcomp::compress(&[7; 20_000], &Encode::builder(pzcomp::Format::Zstd).index(false).build()?)?;
    /// assert!(matches!(pzcomp::decompress(&unindexed, &expecting), Err(Error::NoEnd { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn expect_end(mut self, expect: bool) -> Self {
        self.0.expect_end = expect;
        self
    }

    /// The number of worker threads. 0, the default, is the number of CPUs that this process may use, by its affinity
    /// and the quota of its cgroup.
    ///
    /// ```
    /// assert_eq!(pzcomp::Decode::builder().threads(3).build()?.worker_count(), 3);
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn threads(mut self, threads: usize) -> Self {
        self.0.threads = threads;
        self
    }

    /// The most bytes of memory for buffers and codecs. If that is little, there are fewer buffers and fewer workers.
    /// The output stays the same. If it is too little for the work, that is an error when the work begins. By default
    /// there is no limit.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Error};
    ///
    /// let coded = pzcomp::compress(b"three in the morning", &Encode::default())?;
    /// let little = Decode::builder().memory(1000).build()?;
    /// assert!(matches!(pzcomp::decompress(&coded, &little), Err(Error::Memory { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn memory(mut self, bytes: u64) -> Self {
        self.0.memory = Some(bytes);
        self
    }

    /// Bytes of memory that the work aims at, if [`Self::memory`] is not given. If more would be needed, there are
    /// fewer buffers and fewer workers, but at least one worker. Unlike `memory`, this is never the cause of an error,
    /// and does not change which windows are accepted. A frame that demands a long window can take more.
    ///
    /// ```
    /// use pzcomp::{Decode, Decompress, Encode};
    /// let coded = pzcomp::compress(&[7; 300_000], &Encode::zstd(3).block_size(16 << 10).build()?)?;
    /// let modest = Decode::builder().threads(4).memory_aim(1 << 20).build()?;
    /// assert_eq!(Decompress::new(&modest).run(&coded, &mut Vec::new())?.threads, 1);
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn memory_aim(mut self, bytes: u64) -> Self {
        self.0.memory_aim = Some(bytes);
        self
    }

    /// The most bytes of memory that a single frame may demand for its window or dictionary. By default, if
    /// [`Self::memory`] is given, it is an equal share for each worker of the memory that the buffers leave. If not, it
    /// is [`WINDOW_LIMIT`](crate::WINDOW_LIMIT).
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Error};
    /// // The dictionary is as long as the data.
    /// let coded = pzcomp::compress(&[7; 1 << 20], &Encode::xz(6).build()?)?;
    /// let short = Decode::builder().window_limit(1000).build()?;
    /// assert!(matches!(pzcomp::decompress(&coded, &short), Err(Error::Memory { .. })));
    /// # Ok::<(), Error>(())
    /// ```
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
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Error};
    ///
    /// let zeros = pzcomp::compress(&[0; 1000], &Encode::default())?;
    /// let few = Decode::builder().max_output(999).build()?;
    /// assert!(matches!(pzcomp::decompress(&zeros, &few), Err(Error::OutputLimit { allowed: 999, .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn max_output(mut self, bytes: u64) -> Self {
        self.0.max_output = Some(bytes);
        self
    }

    /// The most bytes of input that are read ahead, for a producer and a consumer that are fast at different times. A
    /// file or memory is there already. The memory is taken as bytes come, and is part of [`Self::memory`].
    /// [`Reader`](crate::Reader) and [`Seekable`](crate::Seekable) have no such store. 0, the default, is none.
    ///
    /// ```
    /// use pzcomp::{Decode, Decompress, Encode, Error, Input};
    /// let coded = pzcomp::compress(b"three in the morning", &Encode::default())?;
    /// let ahead = Decode::builder().buffer(1 << 30);
    /// // The memory has no room for the buffer.
    /// let little = ahead.memory(1 << 29).build()?;
    /// let refused = Decompress::new(&little).run(Input::reader(&coded[..]), &mut Vec::new());
    /// assert!(matches!(refused, Err(Error::Memory { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn buffer(mut self, bytes: u64) -> Self {
        self.0.buffer = Some(bytes);
        self
    }

    /// Whether blocks of zeros become holes in a regular file, which take no room on the disk. Only data behind the end
    /// of the file gets holes. The default is false.
    ///
    /// ```
    /// use std::os::unix::fs::MetadataExt;
    /// use pzcomp::{Decode, Decompress, Encode};
    /// let (coded, file) = (pzcomp::compress(&[0; 1 << 20], &Encode::default())?, tempfile::tempfile()?);
    /// Decompress::new(&Decode::builder().sparse(true).build()?).run(&coded, &file)?;
    /// assert_eq!(file.metadata()?.len(), 1 << 20);
    /// assert!(file.metadata()?.blocks() * 512 < 1 << 20);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sparse(mut self, sparse: bool) -> Self {
        self.0.sparse = sparse;
        self
    }

    /// Whether the pages of regular files leave the page cache of the system behind the reads and the writes, so that
    /// other programs keep theirs. The output is then on the disk when the work is over. Only Linux has this. The
    /// default is false.
    ///
    /// ```
    /// use pzcomp::{Decode, Decompress, Encode};
    /// let (coded, file) = (pzcomp::compress(b"three in the morning", &Encode::default())?, tempfile::tempfile()?);
    /// Decompress::new(&Decode::builder().drop_cache(true).build()?).run(&coded, &file)?;
    /// assert_eq!(file.metadata()?.len(), 20);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn drop_cache(mut self, drop: bool) -> Self {
        self.0.drop_cache = drop;
        self
    }

    /// Whether the threads of the workers take only what other programs leave: on Linux they run in the idle class of
    /// the scheduler and of the disks. In a run ([`Decompress`](crate::Decompress)), workers also pause while other
    /// programs wait for a CPU; one worker goes on. The thread of the caller keeps its class. Threads of a
    /// [`Pool`](crate::Pool) keep the class that they have. The default is false.
    ///
    /// ```
    /// use pzcomp::{Decode, Decompress, compress};
    ///
    /// let coded = compress(b"three in the morning", &Default::default())?;
    /// let mut plain = Vec::new();
    /// Decompress::new(&Decode::builder().idle(true).build()?).run(&coded, &mut plain)?;
    /// assert_eq!(plain, b"three in the morning");
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn idle(mut self, idle: bool) -> Self {
        self.0.idle = idle;
        self
    }

    /// Shows how far the stream is, and can cancel it. The caller keeps a clone. A run has a method of its own for this
    /// ([`Decompress::progress`](crate::Decompress::progress)).
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Progress};
    /// let (coded, progress) = (pzcomp::compress(b"three in the morning", &Encode::default())?, Progress::default());
    /// pzcomp::decompress(&coded, &Decode::builder().progress(progress.clone()).build()?)?;
    /// assert_eq!(progress.bytes_out(), 20);
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn progress(mut self, progress: Progress) -> Self {
        self.0.progress = Some(progress);
        self
    }
}
