//! Finite state entropy, the arithmetic code of zstd (RFC 8878, section 4.1).

mod counts;
pub(crate) mod table;

pub(crate) use counts::{Counts, read_counts};
