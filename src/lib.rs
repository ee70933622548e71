//! pzcomp compresses and decompresses streams on all cores.
//!
//! The input is cut into chunks that do not depend on each other. The workers of a work-stealing pool code the chunks,
//! and the results leave in order, followed by an index. Decompression does the reverse with frames.
//!
//! ```text
//! compress:    input ─ Splitter ─▶ pool (Encoder) ─▶ line ─▶ Joiner ─▶ output
//! decompress:  input ─ Walk ─────▶ pool (Decoder) ─▶ line ───────────▶ output
//! ```
//!
//! [`compress`] and [`decompress`] work on whole streams. [`Writer`] and [`Reader`] have the traits of [`std::io`].
//! Compressed input may be in any of the formats, may come from any program, and may have several formats in one
//! stream.
//!
//! ```
//! use std::io::{Read, Write};
//!
//! let mut writer = pzcomp::Writer::new(Vec::new(), pzcomp::Options::default())?;
//! writer.write_all(b"three in the morning")?;
//! let (coded, _summary) = writer.finish()?;
//!
//! let mut plain = String::new();
//! pzcomp::Reader::new(&coded[..], pzcomp::Options::default())?.read_to_string(&mut plain)?;
//! assert_eq!(plain, "three in the morning");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! [`Options::builder`] chooses the format, the level and the threads. [`Seekable`] reads a file from any place, and
//! [`list`] says what a file holds.
//!
//! Further pages:
//!
//! - [From flate2, zstd, gzp and noodles-bgzf to pzcomp](guide::from_other_crates)
//! - [What stays the same between versions](guide::semver)
//! - [From development versions to 0.1](guide::migrating)
//!
#![doc = include_str!("../docs/features.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Formats share helpers. A build without some formats leaves some of their helpers without a caller.
#![cfg_attr(not(feature = "all-formats"), allow(dead_code, unused_imports))]

mod about;
#[cfg(feature = "bench")]
#[cfg_attr(docsrs, doc(cfg(feature = "bench")))]
pub mod bench;
mod bgzf;
mod compress;
mod decompress;
mod effort;
mod error;
mod format;
/// Pages about using the library.
#[cfg(any(doc, doctest))]
pub mod guide {
    #[doc = include_str!("../docs/from-other-crates.md")]
    pub mod from_other_crates {}
    #[doc = include_str!("../docs/semver.md")]
    pub mod semver {}
    #[doc = include_str!("../docs/migrating.md")]
    pub mod migrating {}
}
mod index;
#[cfg(feature = "model")]
#[doc(hidden)]
pub mod internals;
mod list;
mod options;
mod printable;
mod run;
mod salvage;
mod seekable;
mod stream;
mod summary;
mod sweep;
mod verify;

pub use about::{cpu_features, libraries};
pub use bgzf::{bgzf_index, read_range};
pub use compress::{CompressionNeeds, Compressor, compress};
pub use decompress::{Decompressor, decompress};
#[doc(inline)]
pub use engine::io::{AtEnd, BlockingWriter, Input, IsOver, Output, ReadAt, ReadSeek, TAIL_MAX, WriteAt};
#[doc(inline)]
pub use engine::{Progress, Tap, Taps};
pub use error::{Damage, Error, Result, Size};
pub use format::{Format, UnknownFormat, ZstdFrame, zstd_frames};
#[cfg(feature = "lzip")]
#[cfg_attr(docsrs, doc(cfg(feature = "lzip")))]
pub use format::{LzipMember, lzip_members};
#[cfg(feature = "xz")]
#[cfg_attr(docsrs, doc(cfg(feature = "xz")))]
pub use format::{XzBlock, XzStream, xz_streams};
pub use list::{Listing, list, list_with};
pub use options::{
    Adapt, ArchiveEntry, Check, Dictionary, EntryChoice, Layout, Lz4Blocks, LzipOptions, Member, Options,
    OptionsBuilder, Strategy, Unknown, WINDOW_LIMIT, XzArch, XzFilter, XzFinder, XzLzma, XzMode, XzOptions,
    ZstdOptions, ZstdParameter,
};

pub use printable::printable;
pub use run::{Compress, Decompress, Recode};
pub use salvage::{
    Fill, LostRange, SalvageOptions, SalvageReport, SalvagedRange, salvage, salvage_with_summary,
};
#[doc(hidden)]
pub use salvage::{SalvageEffort, salvage_with_effort};
pub use seekable::{
    CodedPart, Frame, INDEX_INTERVAL, Index, IndexFormat, Part, Seekable, compress_part, joined_index,
};
pub use stream::{BackgroundReader, Pool, Reader, Recoded, Writer, decompress_xbstream};
pub use summary::{CpuTimes, LevelShare, Stage, Summary, Trailing, Waits};
