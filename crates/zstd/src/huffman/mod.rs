//! Huffman coded literals (RFC 8878, section 4.2).

mod fast;
mod streams;
mod table;
pub(crate) mod weights;

pub(crate) use streams::{decode_four, decode_one};
pub(crate) use table::HuffmanTable;
