//! The formats: one file or folder, and one line of [`FORMATS`], for each.
//!
//! A format is a [`Codec`]. It says how its streams are recognised, how they are divided into units ([`Walker`]), and
//! how its frames are decoded ([`Decoder`]). If pzcomp writes the format, it also codes chunks into frames
//! ([`Encoder`]). This file has the table of formats, and the methods of [`Format`] that look into the table. All areas
//! above call them. Each format with a feature of its own has two lines there: without the feature, [`missing`] stands
//! in its place.
//!
//! Order, threads and memory are left to the pipeline. No format imports another.

mod accepted;
pub(crate) mod blocks;
#[cfg(feature = "bzip2")]
pub(crate) mod bzip2;
pub(crate) mod chain;
mod codec;
mod cut;
mod decoder;
mod deflated;
pub(crate) mod ffi;
mod framed;
pub(crate) mod gzip;
pub(crate) mod id;
pub(crate) mod index_file;
mod info;
mod joined;
#[cfg(any(feature = "lzip", feature = "lzma", feature = "xz"))]
mod liblzma;
#[cfg(feature = "lz4")]
mod lz4;
#[cfg(feature = "lzf")]
mod lzf;
mod lzh;
#[cfg(feature = "lzip")]
pub(crate) mod lzip;
#[cfg(feature = "lzma")]
mod lzma;
#[cfg(feature = "lzop")]
mod lzop;
mod lzw;
#[cfg(not(feature = "all-formats"))]
mod missing;
mod pack;
pub(crate) mod places;
mod plain_lens;
pub(crate) mod probe;
#[cfg(feature = "qpress")]
pub(crate) mod qpress;
mod reading;
pub(crate) mod records;
pub(crate) mod restart;
pub(crate) mod rings;
pub(crate) mod seek_table;
mod serial;
mod settings;
pub(crate) mod skippable;
#[cfg(feature = "snappy")]
mod snappy;
mod walker;
#[cfg(feature = "xz")]
pub(crate) mod xz;
mod zip;
mod zlib;
mod zstd;

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

pub(crate) use accepted::{Accepted, Starts};
#[cfg(feature = "bzip2")]
pub(crate) use bzip2::BlockFill;
use codec::SERIAL_CHUNK_LEN;
pub(crate) use codec::{Codec, Encoder, SerialEncoder, TAIL_LEN, Then, WritingCodec};
pub(crate) use cut::{Cut, last_line};
pub(crate) use decoder::{After, Decoder, WHOLES_MAX, Whole};
pub(crate) use framed::INDEX_MIN;
pub use id::Format;
pub(crate) use info::{Extra, Info};
#[cfg(not(feature = "bzip2"))]
pub(crate) use missing::BlockFill;
pub(crate) use reading::Reading;
pub(crate) use walker::{Cursor, Unit, UnitKind, Walker};

use crate::error::{Error, Result};
pub(crate) use ffi::deflate::crc32;
#[cfg(feature = "lzip")]
pub use lzip::{LzipMember, lzip_members};
#[cfg(feature = "xz")]
pub use xz::{XzBlock, XzStream, xz_streams};
pub use zstd::{ZstdFrame, zstd_frames};

/// All formats, in the order in which help and documentation name them. [`Format::EVERY`] has the same order.
static FORMATS: [&dyn Codec; Format::EVERY.len()] = [
    &zstd::Zstd,
    &gzip::Gzip,
    #[cfg(feature = "lz4")]
    &lz4::Lz4,
    #[cfg(not(feature = "lz4"))]
    &missing::LZ4,
    #[cfg(feature = "xz")]
    &xz::Xz,
    #[cfg(not(feature = "xz"))]
    &missing::XZ,
    #[cfg(feature = "bzip2")]
    &bzip2::Bzip2,
    #[cfg(not(feature = "bzip2"))]
    &missing::BZIP2,
    #[cfg(feature = "lzip")]
    &lzip::Lzip,
    #[cfg(not(feature = "lzip"))]
    &missing::LZIP,
    #[cfg(feature = "lzma")]
    &lzma::Lzma,
    #[cfg(not(feature = "lzma"))]
    &missing::LZMA,
    &zlib::Zlib,
    &zip::Zip,
    &lzw::LZW,
    &pack::PACK,
    &lzh::LZH,
    #[cfg(feature = "qpress")]
    &qpress::Qpress,
    #[cfg(not(feature = "qpress"))]
    &missing::QPRESS,
    #[cfg(feature = "snappy")]
    &snappy::Snappy,
    #[cfg(not(feature = "snappy"))]
    &missing::SNAPPY,
    #[cfg(feature = "lzop")]
    &lzop::Lzop,
    #[cfg(not(feature = "lzop"))]
    &missing::LZOP,
    #[cfg(feature = "lzf")]
    &lzf::Lzf,
    #[cfg(not(feature = "lzf"))]
    &missing::LZF,
];

/// This many bytes are enough for the formats whose frames may be shorter than [`SNIFF_LEN`].
pub(crate) const SNIFF_MIN: usize = 4;

/// This many bytes at the start of a stream are enough to tell its format.
pub(crate) const SNIFF_LEN: usize = 12;

impl Format {
    /// How many formats there are.
    pub(crate) const COUNT: usize = FORMATS.len();

    /// All formats that are written and read as streams, and whose frames can follow each other.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::readable().filter(|format| {
            format.codec().writing().is_some() && format.codec().starts() == Starts::Anywhere
        })
    }

    /// All formats that this build reads.
    pub fn readable() -> impl Iterator<Item = Self> {
        Self::EVERY.into_iter().filter(|format| format.codec().refusal().is_none())
    }

    /// The format of the stream that begins with these bytes. Nothing if no format is recognised, or only one that
    /// must be named.
    ///
    /// ```
    /// use pzcomp::Format;
    /// assert_eq!(Format::sniff(&[0x1f, 0x8b, 8, 0]), Some(Format::Gzip));
    /// assert_eq!(Format::sniff(b"three in the morning"), None);
    /// ```
    pub fn sniff(head: &[u8]) -> Option<Self> {
        Accepted::default().sniff(head, 0)
    }

    /// Whether its files are archives of files, of which [`EntryChoice`](crate::EntryChoice) takes one.
    pub fn has_entries(self) -> bool {
        self.codec().has_entries()
    }

    pub(crate) fn codec(self) -> &'static dyn Codec {
        FORMATS[self.index()]
    }

    pub(crate) fn writing(self) -> Result<&'static dyn WritingCodec> {
        let codec = self.codec();
        codec.writing().ok_or_else(|| codec.refusal().unwrap_or(Error::NotWritten { format: self.name() }))
    }

    /// The name, such as `gzip`. [`str::parse`] is the reverse.
    pub fn name(self) -> &'static str {
        self.codec().info().name
    }

    /// The suffix of compressed files, with its dot.
    pub fn suffix(self) -> &'static str {
        self.codec().info().suffixes[0].0
    }

    /// All suffixes of compressed files, and the suffixes that replace them after decompression.
    pub fn suffixes(self) -> &'static [(&'static str, &'static str)] {
        self.codec().info().suffixes
    }

    /// The levels, from fast to small. Empty if the format is not written.
    pub fn levels(self) -> RangeInclusive<i32> {
        self.codec().info().levels.clone()
    }

    /// The level that is used if none is asked for.
    pub fn default_level(self) -> i32 {
        self.codec().info().default_level
    }

    /// The levels below the first one, as positive numbers: 5 stands for the level −5. `None` if the format has none.
    pub fn fast_levels(self) -> Option<RangeInclusive<i32>> {
        self.codec().info().fast.clone()
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name of a format that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown format '{0}': the formats are {formats}", formats = Format::readable().map(Format::name).collect::<Vec<_>>().join(", "))]
pub struct UnknownFormat(String);

impl FromStr for Format {
    type Err = UnknownFormat;
    /// Finds a format by its name, as [`Format::name`] returns it, or by its suffix without the dot: `zstd` or `zst`.
    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let named = |format: &Self| format.name() == name || format.suffix().strip_prefix('.') == Some(name);
        Self::EVERY.into_iter().find(named).ok_or_else(|| UnknownFormat(name.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_places_in_the_table() {
        let named = [
            (Format::Zstd, "zstd"),
            (Format::Gzip, "gzip"),
            (Format::Lz4, "lz4"),
            (Format::Xz, "xz"),
            (Format::Bzip2, "bzip2"),
            (Format::Lzip, "lzip"),
            (Format::Lzma, "lzma"),
            (Format::Zlib, "zlib"),
            (Format::Zip, "zip"),
            (Format::Lzw, "lzw"),
            (Format::Pack, "pack"),
            (Format::Lzh, "lzh"),
            (Format::Qpress, "qpress"),
            (Format::Snappy, "snappy"),
            (Format::Lzop, "lzop"),
            (Format::Lzf, "lzf"),
        ];
        for (format, name) in named {
            assert_eq!(format.name(), name);
        }
    }
}
