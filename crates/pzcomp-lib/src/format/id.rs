//! [`Format`]: an identifier for each format, so that options and summaries can name a format without importing its
//! code.
//!
//! The order of the formats is the order of the table of codecs (`format/mod.rs`). That table says what a format can
//! do. Every part of the library uses the enum.

/// Makes the enum, and the list of its variants. The definition below is not indented: `tests/layers` reads it.
macro_rules! formats {
    ($(#[$of_enum:meta])* pub enum $name:ident { $($(#[$of_variant:meta])* $variant:ident,)* }) => {
        $(#[$of_enum])*
        pub enum $name {
            $($(#[$of_variant])* $variant,)*
        }

        impl $name {
            /// All formats, in their order.
            pub(crate) const EVERY: [Self; [$(stringify!($variant)),*].len()] = [$(Self::$variant),*];
        }
    };
}

formats! {
/// A compressed format. The default is [`Self::Zstd`].
///
/// Their order is that of the documentation.
///
/// ```
/// let gzip: pzcomp::Format = "gzip".parse()?;
/// assert_eq!((gzip, gzip.suffix()), (pzcomp::Format::Gzip, ".gz"));
/// # Ok::<(), pzcomp::UnknownFormat>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Format {
    /// Zstandard frames with a seek table (RFC 8878).
    #[default]
    Zstd,
    /// gzip members (RFC 1952) that state their sizes.
    Gzip,
    /// LZ4 frames (`doc/lz4_Frame_format.md` of the lz4 project).
    Lz4,
    /// An xz Stream of many Blocks (`doc/xz-file-format.txt` of the xz project).
    Xz,
    /// bzip2 streams, as the program `bzip2` describes them.
    Bzip2,
    /// lzip members (chapter "File format" of lzip's manual).
    Lzip,
    /// LZMA alone, the `.lzma` format that is older than xz. [`Self::Xz`] with [`crate::Layout::Alone`] writes
    /// it.
    Lzma,
    /// A zlib stream (RFC 1950), read only if [`crate::DecodeBuilder::accept`] names it.
    Zlib,
    /// A zip archive with one entry (PKWARE's APPNOTE). Of an archive with more entries only the first is read.
    Zip,
    /// The `.Z` format of `compress`; read only.
    Lzw,
    /// The `.z` format of `pack`; read only.
    Pack,
    /// LZH, the format that the program `compress` of SCO also writes; read only.
    Lzh,
    /// The `.qp` archives of qpress, which xtrabackup and mariadb-backup write with `--compress`; read only.
    Qpress,
    /// Snappy's framing format (`framing_format.txt` of the snappy project).
    Snappy,
    /// The files of lzop; read only.
    Lzop,
    /// The files of liblzf's program `lzf`; read only. They have no checksum.
    Lzf,
}
}

impl Format {
    /// A list of this format alone.
    pub(crate) fn alone(self) -> &'static [Self] {
        const EVERY: &[Format] = &Format::EVERY;
        &EVERY[self.index()..=self.index()]
    }

    /// The position of the format in [`Self::EVERY`] and in the table of codecs.
    pub(crate) fn index(self) -> usize {
        self as usize
    }
}
