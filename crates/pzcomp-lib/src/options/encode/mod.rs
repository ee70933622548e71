//! [`Encode`]: how data is compressed, and [`EncodeBuilder`], which makes it.
//!
//! This file has the starts of a builder. `all.rs` has the options of all formats, and `formats.rs` those that only
//! some have. `compress/mod.rs` has the end of the builder, because only libzstd knows whether it accepts its
//! parameters.

mod all;
mod formats;

use std::time::Duration;

use super::{Adapt, Check, Layout, Lz4Blocks, Recovery, Strategy, Tar, XzFilter, ZstdWriting};
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

    /// zlib with a level of 0 to 12. The default is 6.
    ///
    /// ```
    /// use pzcomp::{Decode, Encode, Format};
    /// let coded = pzcomp::compress(b"three in the morning", &Encode::zlib(6).build()?)?;
    /// // zlib has no magic number, so the reader names it.
    /// let reading = Decode::builder().accept(&[Format::Zlib]).build()?;
    /// assert_eq!(pzcomp::decompress(&coded, &reading)?, b"three in the morning");
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
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
