//! [`Decode`]: how data is decompressed, and [`DecodeBuilder`], which makes it.
//!
//! `all.rs` has the options of all formats, and `formats.rs` those that only one has, or a few.

mod all;
mod formats;

use super::{Dictionary, EntryChoice};
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
