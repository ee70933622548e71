//! pzcomp compresses and decompresses streams on all cores.
//!
//! It writes zstd, gzip, lz4, xz, bzip2, lzip, snappy, zlib and zip, and reads these and eight older formats.
//! Compressed input is recognised by its bytes, may come from any program, and may have several formats in one stream.
//!
//! # Six tasks
//!
//! Bytes to bytes: [`compress`] and [`decompress`].
//!
//! ```
//! use pzcomp::{Decode, Encode};
//!
//! let options = Encode::gzip(6).build()?;
//! let coded = pzcomp::compress(b"three in the morning", &options)?;
//! assert_eq!(pzcomp::decompress(&coded, &Decode::default())?, b"three in the morning");
//! # Ok::<(), pzcomp::Error>(())
//! ```
//!
//! Files, or any reader and writer, with verification, progress and a way to stop: [`Compress`], [`Decompress`] and
//! [`Recode`].
//!
//! ```
//! use pzcomp::{Compress, Encode};
//!
//! # let (log, packed) = (tempfile::tempfile()?, tempfile::tempfile()?);
//! let summary = Compress::new(&Encode::default()).verify(true).run(&log, &packed)?;
//! println!("{} bytes", summary.coded_len);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Streams with the traits of [`std::io`]: [`Writer`] and [`Reader`]. Many of them share a [`Pool`].
//!
//! ```
//! use std::io::{Read, Write};
//! use pzcomp::{Decode, Encode, Reader, Writer};
//!
//! let mut writer = Writer::new(Vec::new(), Encode::default())?;
//! writer.write_all(b"three in the morning")?;
//! let (coded, _summary) = writer.finish()?;
//!
//! let mut plain = String::new();
//! Reader::new(&coded[..], Decode::default())?.read_to_string(&mut plain)?;
//! assert_eq!(plain, "three in the morning");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Many short payloads, without threads: [`Compressor`] and [`Decompressor`].
//!
//! ```
//! use pzcomp::{Compressor, Decode, Decompressor, Encode};
//!
//! // Payloads come from others, so their length is limited.
//! let reading = Decode::builder().max_output(1 << 20).build()?;
//! let mut compressor = Compressor::new(&Encode::zstd(3).build()?)?;
//! let mut decompressor = Decompressor::new(&reading)?;
//! for message in ["three", "four"] {
//!     let coded = compressor.compress(message.as_bytes())?;
//!     assert_eq!(decompressor.decompress(&coded)?, message.as_bytes());
//! }
//! # Ok::<(), pzcomp::Error>(())
//! ```
//!
//! Reading from any place of a file: [`Seekable`].
//!
//! ```
//! use pzcomp::{Encode, Seekable};
//!
//! let coded = pzcomp::compress(b"three in the morning", &Encode::default())?;
//! let mut word = [0; 7];
//! Seekable::new(coded)?.read_at(&mut word, 13)?;
//! assert_eq!(&word, b"morning");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What a file holds: [`inspect::List`].
//!
//! ```
//! let coded = pzcomp::compress(b"three in the morning", &pzcomp::Encode::default())?;
//! let listing = pzcomp::inspect::List::default().run(&coded)?;
//! assert_eq!((listing.formats, listing.plain_len), (vec![pzcomp::Format::Zstd], Some(20)));
//! # Ok::<(), pzcomp::Error>(())
//! ```
//!
//! # Further pages
//!
//! - [Features, from flate2, zstd, gzp and noodles-bgzf to pzcomp, and what stays the same between
//!   versions](guide::features)
#![cfg_attr(docsrs, feature(doc_cfg))]
// Formats share helpers. A build without some formats leaves some of their helpers without a caller.
#![cfg_attr(not(feature = "all-formats"), allow(dead_code, unused_imports))]

pub mod bgzf;
pub mod build_info;
mod compress;
mod decompress;
mod effort;
mod error;
mod format;
/// A page about using the library.
#[cfg(any(doc, doctest))]
pub mod guide {
    #[doc = include_str!("../README.md")]
    pub mod features {}
}
mod idle;
pub mod inspect;
mod options;
/// Files in parts, which different threads, processes or machines compress or decompress.
///
/// [`compress_part`](parts::compress_part) makes the frames of a part, and [`joined_index`](parts::joined_index) the
/// bytes behind the last part. The other way, [`Seekable::parts`](crate::Seekable::parts) divides a file.
pub mod parts {
    pub use crate::seekable::{CodedPart, Part, compress_part, joined_index};
}
mod bad_sectors;
mod payload;
mod printable;
#[cfg(feature = "recovery")]
#[cfg_attr(docsrs, doc(cfg(feature = "recovery")))]
pub mod recovery;
mod run;
pub mod salvage;
mod seekable;
mod side_by_side;
mod stream;
mod summary;
mod sweep;
mod tar_list;
/// The members of tar archives, as [`Seekable::members`] gives them.
#[cfg(feature = "tar")]
#[cfg_attr(docsrs, doc(cfg(feature = "tar")))]
pub mod tar {
    pub use pzcomp_tar::{Kind, Member};

    pub use crate::seekable::Members;
}
mod verify;

pub use compress::{CompressionNeeds, Compressor, compress};
pub use decompress::{Decompressor, decompress};
#[doc(inline)]
pub use engine::io::{BlockingWriter, Input, IsOver, Output, ReadAt, ReadSeek, Watch, WriteAt};
#[doc(inline)]
pub use engine::{Progress, Tap, Taps};
pub use error::{Damage, Error, Result, Size};
pub use format::{Format, UnknownFormat};
#[cfg(feature = "recovery")]
#[cfg_attr(docsrs, doc(cfg(feature = "recovery")))]
pub use options::Recovery;
pub use options::{
    Adapt, ArchiveEntry, Check, Decode, DecodeBuilder, Dictionary, Encode, EncodeBuilder, EntryChoice,
    Layout, Lz4Blocks, Member, Strategy, Tar, Unknown, WINDOW_LIMIT, XzArch, XzFilter, XzFinder, XzLzma,
    XzMode, ZstdParameter,
};

pub use printable::printable;
pub use run::{Compress, Decompress, Recode};
pub use seekable::{Frame, INDEX_INTERVAL, Index, IndexFormat, Seekable};
pub use stream::{BackgroundReader, Pool, Reader, Recoded, Writer, mydumper, xbstream};
pub use summary::{CpuTimes, LevelShare, Stage, Summary, Trailing, Waits};
