//! [`Info`]: the properties of a format, as a constant.
//!
//! Each format has one `Info`. `settings.rs` compares the options of a caller with it, and the command derives file
//! names, levels and help texts from it.

use std::ops::RangeInclusive;

use crate::options::Check;

/// The properties of a format.
#[derive(Debug)]
pub(crate) struct Info {
    pub(crate) name: &'static str,
    /// Suffixes of coded files, each with the suffix of the plain file. The first is for new files.
    pub(crate) suffixes: &'static [(&'static str, &'static str)],
    pub(crate) levels: RangeInclusive<i32>,
    pub(crate) default_level: i32,
    /// Levels below the first, as `--fast=N`. A greater N is faster.
    pub(crate) fast: Option<RangeInclusive<i32>>,
    /// The lengths that a chunk of plain data can have.
    pub(crate) chunk_len: RangeInclusive<usize>,
    pub(crate) extras: &'static [Extra],
}

/// An ability that only some formats have. An option of the caller asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extra {
    Single,
    Name,
    Bgzf,
    Pzstd,
    Legacy,
    Alone,
    Check(Check),
    Window,
    Recovery,
    Extreme,
    Lz4Blocks,
    Strategy,
    XzFilters,
    Zstd,
}

/// The words for something that a format does not have, and what the user can do.
macro_rules! lacks {
    ($what:literal) => {
        concat!($what, "; leave that option out or choose another format")
    };
}

/// The words for recovery records that cannot be in the output.
macro_rules! recovery_elsewhere {
    () => {
        "with recovery records; write it without them, and make records beside the file: pzcomp --protect FILE"
    };
}
pub(super) use recovery_elsewhere;

impl Extra {
    /// The words that follow "cannot be written" in an error, for a format that does not have the extra.
    pub(crate) fn how(self) -> &'static str {
        match self {
            Self::Single => lacks!("as a single frame"),
            Self::Name => lacks!("with a file name or a modification time"),
            Self::Bgzf => lacks!("as BGZF"),
            Self::Pzstd => lacks!("in the layout of pzstd"),
            Self::Legacy => lacks!("in the legacy format of lz4"),
            Self::Alone => lacks!("as .lzma"),
            Self::Check(Check::None) => lacks!("without a check"),
            Self::Check(Check::Crc32) => lacks!("with CRC32 as the check"),
            Self::Check(Check::Crc64) => lacks!("with CRC64 as the check"),
            Self::Check(Check::Sha256) => lacks!("with SHA-256 as the check"),
            Self::Window => lacks!("with a window of another size"),
            Self::Recovery => recovery_elsewhere!(),
            Self::Extreme => lacks!("with the extreme variant of a level"),
            Self::Lz4Blocks => lacks!("with options for the blocks of lz4"),
            Self::Strategy => lacks!("with a strategy of DEFLATE"),
            Self::XzFilters => lacks!("with filters of xz"),
            Self::Zstd => lacks!("with options of zstd"),
        }
    }
}

impl Info {
    /// The properties of a format that is only read: it has no levels and no chunk lengths.
    pub(super) const fn read_only(
        name: &'static str,
        suffixes: &'static [(&'static str, &'static str)],
    ) -> Self {
        let (levels, chunk_len) = (RangeInclusive::new(0, -1), RangeInclusive::new(1, 0));
        Self { name, suffixes, levels, default_level: 0, fast: None, chunk_len, extras: &[] }
    }
}
