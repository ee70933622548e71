//! The sequences section of a block (RFC 8878, section 3.1.1.3.2).

mod careful;
pub(crate) mod codes;
mod decode;
pub(crate) mod fast;
mod layout;
pub(crate) mod offsets;
mod resolve;
mod tables;

pub(crate) use decode::{Lane, Stage, WIDE, decode_one, decode_two, pack, unpack};
pub(crate) use layout::SequencesLayout;
pub(crate) use resolve::resolve;
pub(crate) use tables::SequenceTables;
