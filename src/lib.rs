//! pzcomp: streams compressed and decompressed on all cores.
//!
//! Bytes come in, are cut into chunks that need nothing from each other, are coded on a work-stealing
//! pool, and leave in order with an index; and back again.
//!
//! ```text
//! compress:    input ─ splitter ─▶ pool(encoder) ─▶ line ─▶ framing ─▶ output
//! decompress:  input ─ walker ───▶ pool(decoder) ─▶ line ────────────▶ output
//! ```
//!
//! [`compress`] and [`decompress`] do whole streams; [`Writer`] and [`Reader`] fit where [`std::io`]
//! traits are wanted. What is read may be in any of the formats, also several in one stream, whoever
//! wrote it.
//!
//! ```
//! use std::io::{Read, Write};
//!
//! let mut writer = pzcomp::Writer::new(Vec::new(), pzcomp::Options::default());
//! writer.write_all(b"three in the morning")?;
//! let (coded, _summary) = writer.finish()?;
//!
//! let mut plain = String::new();
//! pzcomp::Reader::new(std::io::Cursor::new(coded), pzcomp::Options::default()).read_to_string(&mut plain)?;
//! assert_eq!(plain, "three in the morning");
//! # Ok::<(), std::io::Error>(())
//! ```

#[cfg(feature = "bench")]
pub mod bench;
mod bgzf;
mod compress;
mod decompress;
mod error;
mod format;
mod index;
#[cfg(feature = "model")]
#[doc(hidden)]
pub mod internals;
mod io;
mod list;
mod options;
mod pipeline;
mod stream;
mod summary;

pub use bgzf::{bgzf_index, read_range};
pub use compress::{compress, compress_io};
pub use decompress::{decompress, decompress_io};
pub use error::{Damage, Error, Result, Size};
pub use format::{Format, UnknownFormat, XzBlock, XzStream, xz_streams};
pub use io::{Input, Output};
pub use list::{Listing, list, list_with};
pub use options::{
    Check, Dictionary, Layout, Lz4Blocks, LzipOptions, Member, Options, Strategy, Unknown, WINDOW_LIMIT,
    XzArch, XzFilter, XzFinder, XzLzma, XzMode, XzOptions, ZstdOptions, ZstdParameter,
};
pub use stream::{Reader, Writer};
pub use summary::{CpuTimes, Summary, Trailing};
