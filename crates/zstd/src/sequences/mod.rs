//! The sequences section of a block (RFC 8878, section 3.1.1.3.2).

mod careful;
pub(crate) mod codes;
mod decode;
mod fast;
mod layout;
mod tables;

pub(crate) use decode::{Stage, WIDE, decode_one, decode_two, unpack};
pub(crate) use layout::SequencesLayout;
pub(crate) use tables::SequenceTables;
