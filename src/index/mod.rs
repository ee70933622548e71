//! Indexes: which frames a file holds, without walking through it.

mod seek_table;

pub(crate) use seek_table::{Audit, FOOTER_LEN, SeekTable, parse_footer};
