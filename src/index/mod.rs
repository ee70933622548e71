//! Indexes: which frames a file holds, without walking through it.

mod gzi;
mod plain_lens;
mod seek_table;
mod xz_index;

pub(crate) use gzi::{Gzi, GziBuilder};
pub(crate) use plain_lens::PlainLens;
pub(crate) use seek_table::{Audit, FOOTER_LEN, SeekTable, parse_footer};
pub(crate) use xz_index::{Records, VLI_MAX, XzIndex, parse_vli};
