//! Reading members.

mod bgzf;
mod block_cuts;
mod cuts;
mod decoder;
mod density;
mod header_fields;
mod part;
mod part_state;
mod trailer;
mod whole_members;

pub(crate) use bgzf::block_size;
#[cfg(feature = "model")]
pub(crate) use block_cuts::PART_LEN;
pub(super) use cuts::MemberWalker;
pub(super) use decoder::MemberDecoder;
#[cfg(feature = "model")]
pub(crate) use density::RATIOS;
#[cfg(feature = "model")]
pub(crate) use part::{STEP, SYMBOLS_MAX};
pub(crate) use whole_members::member_facts;
