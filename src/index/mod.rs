//! Indexes: lists of the frames of a file, so that a reader need not walk through it.
//!
//! This folder has the data structures and their bytes. The formats embed an index in the file, and read it for others
//! (`format/places.rs`); only a `.gzi` is a file of its own, which `bgzf.rs` and `seekable/index/` read. No index is
//! needed to decompress.

mod gzi;
mod plain_lens;
mod seek_table;
mod xz_index;

pub(crate) use gzi::{Gzi, GziBuilder};
pub(crate) use plain_lens::PlainLens;
pub(crate) use seek_table::{Audit, FOOTER_LEN, SeekTable, parse_footer};
pub(crate) use xz_index::{Records, VLI_MAX, XzIndex, parse_vli};
