//! What formats say of themselves.

use std::ops::RangeInclusive;

use crate::options::Check;

/// What there is to know about a format.
#[derive(Debug)]
pub(crate) struct Info {
    pub(crate) name: &'static str,
    /// Suffixes of coded files and what takes their place, the one for new files first.
    pub(crate) suffixes: &'static [(&'static str, &'static str)],
    pub(crate) levels: RangeInclusive<i32>,
    pub(crate) default_level: i32,
    /// Levels below the first, fastest last: what `--fast=N` means.
    pub(crate) fast: Option<RangeInclusive<i32>>,
    /// Sizes a chunk of plain data can have.
    pub(crate) chunk_len: RangeInclusive<usize>,
    /// What can be asked for beyond what every format has.
    pub(crate) extras: &'static [Extra],
}

/// What only some formats can do.
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
    Extreme,
    Lz4Blocks,
    Strategy,
    XzFilters,
    Zstd,
}

impl Extra {
    /// What is asked for, behind "cannot be written".
    pub(crate) fn how(self) -> &'static str {
        match self {
            Self::Single => "as a single frame",
            Self::Name => "with the name or the time of the file",
            Self::Bgzf => "as BGZF",
            Self::Pzstd => "as pzstd does",
            Self::Legacy => "in the legacy format of lz4",
            Self::Alone => "as .lzma",
            Self::Check(Check::None) => "without its check",
            Self::Check(Check::Crc32) => "with a choice of CRC32",
            Self::Check(Check::Crc64) => "with a choice of CRC64",
            Self::Check(Check::Sha256) => "with a choice of SHA-256",
            Self::Window => "with a window of another size",
            Self::Extreme => "in a more extreme way",
            Self::Lz4Blocks => "in blocks of lz4",
            Self::Strategy => "with a strategy of DEFLATE",
            Self::XzFilters => "with filters of xz",
            Self::Zstd => "with options of zstd",
        }
    }
}

impl Info {
    /// That of a format that is not written.
    pub(super) const fn read_only(
        name: &'static str,
        suffixes: &'static [(&'static str, &'static str)],
    ) -> Self {
        let (levels, chunk_len) = (RangeInclusive::new(0, -1), RangeInclusive::new(1, 0));
        Self { name, suffixes, levels, default_level: 0, fast: None, chunk_len, extras: &[] }
    }
}
