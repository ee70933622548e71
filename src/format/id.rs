//! Which format: a number, so that options and summaries can name a format without its code.
//!
//! The number is the place of the format in the table of codecs in `format/mod.rs`. What a format can do is found there.

/// A compressed format.
///
/// ```
/// let gzip: pzcomp::Format = "gzip".parse()?;
/// assert_eq!((gzip.name(), gzip.suffix()), ("gzip", ".gz"));
/// # Ok::<(), pzcomp::UnknownFormat>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Format(pub(crate) u8);

impl Format {
    /// Zstandard frames with a seek table (RFC 8878): the default.
    pub const ZSTD: Self = Self(0);
    /// Gzip members (RFC 1952) that carry their sizes.
    pub const GZIP: Self = Self(1);
    /// LZ4 frames.
    pub const LZ4: Self = Self(2);
    /// An xz stream of many blocks.
    pub const XZ: Self = Self(3);
    /// bzip2 streams.
    pub const BZIP2: Self = Self(4);
    /// lzip members.
    pub const LZIP: Self = Self(5);
    /// LZMA alone, as before xz; read only.
    pub const LZMA: Self = Self(6);
    /// A zlib stream (RFC 1950), read only if [`crate::Options::accept`] names it.
    pub const ZLIB: Self = Self(7);
    /// A zip archive with one entry; of those with more, the first is read.
    pub const ZIP: Self = Self(8);
    /// What compress writes; read only.
    pub const LZW: Self = Self(9);
    /// What pack writes; read only.
    pub const PACK: Self = Self(10);
    /// What compress -H of SCO writes; read only.
    pub const LZH: Self = Self(11);
}

impl Default for Format {
    fn default() -> Self {
        Self::ZSTD
    }
}
