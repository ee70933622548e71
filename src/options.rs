//! What the caller wants, checked once.

use std::io::Read;

use crate::compress::Cut;
use crate::error::{Error, Result, Size};
use crate::format::{Extra, Format, Info, gzip};

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
    /// The formats that are read, if not all but [`Format::ZLIB`]: frames of others are unknown bytes then.
    pub accept: Option<&'static [Format]>,
    /// What becomes of bytes that begin no frame of an accepted format.
    pub unknown: Unknown,
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
    /// Whether to end the output with an index.
    pub index: bool,
    /// What frames are made of, and what is put around them; an error with formats that know no such way.
    pub layout: Layout,
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
    /// One frame around all of the data: a gzip member, for readers that stop after the first. It has no
    /// room for sizes, hence no index. zlib and zip know nothing else.
    Single(Member),
    /// gzip as `bgzip` writes it: members of at most 65,280 plain bytes, which say how long they are. The
    /// index is a `.gzi` in [`Summary::sidecar`](crate::Summary::sidecar).
    Bgzf,
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
}

/// What the header of a gzip member, or of the entry of a zip file, says of the data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// The name of the file that it was, without folders, in ISO 8859-1.
    pub name: Option<Vec<u8>>,
    /// When that was last modified, in seconds since 1970; 0 if that is not known.
    pub modified: u32,
}

impl Member {
    /// What the header says with which the data of `reader` begins, its name cut after 4096 bytes;
    /// nothing if that is no gzip data. More may be read than the header.
    ///
    /// ```
    /// let member = pzcomp::Member { name: Some(b"dump.sql".to_vec()), modified: 1_000_000_000 };
    /// let options = pzcomp::Options {
    ///     format: pzcomp::Format::GZIP,
    ///     member: Some(member.clone()),
    ///     ..Default::default()
    /// };
    /// let mut coded = Vec::new();
    /// pzcomp::compress(&b"three in the morning"[..], &mut coded, &options)?;
    /// assert_eq!(pzcomp::Member::read(&coded[..])?, Some(member));
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn read(reader: impl Read) -> Result<Option<Self>> {
        gzip::read_member(reader)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: Format::default(),
            accept: None,
            unknown: Unknown::default(),
            level: None,
            threads: 0,
            block_size: None,
            memory: None,
            index: true,
            layout: Layout::default(),
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

    /// Checks the options against the format.
    pub(crate) fn settings(&self) -> Result<Settings> {
        let codec = self.format.writing()?;
        let info = codec.info();
        let level = self.level.unwrap_or(info.default_level);
        let known =
            info.levels.contains(&level) || info.fast.as_ref().is_some_and(|fast| fast.contains(&-level));
        if !known {
            let lowest = info.fast.as_ref().map_or(*info.levels.start(), |fast| -fast.end());
            return Err(Error::Level { format: info.name, level, lowest, highest: *info.levels.end() });
        }
        self.check_extras(info)?;
        let chunk_len = self.block_size.unwrap_or_else(|| codec.chunk_len(level, &self.layout));
        if !info.chunk_len.contains(&chunk_len) {
            let size = |len: usize| Size(len as u64);
            let (lowest, highest) = (size(*info.chunk_len.start()), size(*info.chunk_len.end()));
            return Err(Error::BlockSize { format: info.name, asked: size(chunk_len), lowest, highest });
        }
        let cut = if self.rsyncable { Cut::by_content(chunk_len) } else { Cut::evenly(chunk_len) };
        Ok(Settings { level, chunk_len, cut, index: self.index, layout: self.layout.clone() })
    }

    /// Checks that the format has all that is asked for beyond what every format has.
    fn check_extras(&self, info: &Info) -> Result<()> {
        let layout = match &self.layout {
            Layout::Frames => None,
            Layout::Single(_) => Some(Extra::Single),
            Layout::Bgzf => Some(Extra::Bgzf),
        };
        let named = matches!(&self.layout, Layout::Single(member) if *member != Member::default());
        let asked = layout.into_iter().chain(named.then_some(Extra::Name));
        let refused = asked.into_iter().find(|extra| !info.extras.contains(extra));
        let refused = refused.map(|extra| extra.how());
        let fixed = self.layout == Layout::Bgzf && self.block_size.is_some();
        let refused =
            refused.or(fixed.then_some("as BGZF with blocks of another size: theirs is 65,280 bytes"));
        refused.map_or(Ok(()), |how| Err(Error::Unavailable { format: info.name, how }))
    }
}

/// The options of a format, known to be valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) level: i32,
    /// The greatest length of a chunk.
    pub(crate) chunk_len: usize,
    pub(crate) cut: Cut,
    pub(crate) index: bool,
    pub(crate) layout: Layout,
}
