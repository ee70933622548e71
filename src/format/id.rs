//! [`Format`]: a number for each format, so that options and summaries can name a format without importing its code.
//!
//! The number is the position of the format in the table of codecs (`format/mod.rs`). That table says what a format can
//! do. Every part of the library uses the number.

/// A compressed format. The default is [`Self::ZSTD`].
///
/// ```
/// let gzip: pzcomp::Format = "gzip".parse()?;
/// assert_eq!((gzip.name(), gzip.suffix()), ("gzip", ".gz"));
/// # Ok::<(), pzcomp::UnknownFormat>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Format(pub(crate) u8);

impl Format {
    /// Zstandard frames with a seek table (RFC 8878).
    pub const ZSTD: Self = Self(0);
    /// gzip members (RFC 1952) that state their sizes.
    pub const GZIP: Self = Self(1);
    /// LZ4 frames (`doc/lz4_Frame_format.md` of the lz4 project).
    pub const LZ4: Self = Self(2);
    /// An xz Stream of many Blocks (`doc/xz-file-format.txt` of the xz project).
    pub const XZ: Self = Self(3);
    /// bzip2 streams, as the program `bzip2` describes them.
    pub const BZIP2: Self = Self(4);
    /// lzip members (chapter "File format" of lzip's manual).
    pub const LZIP: Self = Self(5);
    /// LZMA alone, the `.lzma` format that is older than xz; read only.
    pub const LZMA: Self = Self(6);
    /// A zlib stream (RFC 1950), read only if [`crate::Options::accept`] names it.
    pub const ZLIB: Self = Self(7);
    /// A zip archive with one entry (PKWARE's APPNOTE). Of an archive with more entries only the first is read.
    pub const ZIP: Self = Self(8);
    /// The `.Z` format of `compress`; read only.
    pub const LZW: Self = Self(9);
    /// The `.z` format of `pack`; read only.
    pub const PACK: Self = Self(10);
    /// The format of `compress -H` of SCO; read only.
    pub const LZH: Self = Self(11);
}

impl Default for Format {
    fn default() -> Self {
        Self::ZSTD
    }
}
