//! Reading gzip: finding members and parts of members, and decoding them in parallel.
//!
//! The feeder uses [`MemberWalker`] (`cuts.rs`), which finds members and cuts long ones into parts. `block_cuts.rs`
//! cuts at dynamic blocks. `header_fields.rs` reads headers.
//!
//! The workers use [`MemberDecoder`] (`decoder.rs`). `whole_members.rs` decodes two whole members at once. `part.rs`,
//! `part_state.rs` and `deferred.rs` decode parts without the window before them, and `window.rs` hands windows on.
//! `trailer.rs` compares the result with the trailer.
//!
//! For readers that begin inside a file, `scan.rs` finds restart points, and `restart.rs` decodes from one. `rescue.rs`
//! and `resync.rs` decode what is left of a damaged member.
//!
//! A cut is a guess. A part counts only if the part before ends exactly where it begins. The README of the folder above
//! has the whole story.

mod block_cuts;
mod cuts;
mod decoder;
mod deferred;
mod header_fields;
mod part;
mod part_state;
mod rescue;
mod restart;
mod resync;
mod scan;
mod trailer;
mod whole_members;
mod window;

pub(super) use cuts::MemberWalker;
pub(super) use decoder::MemberDecoder;
pub(super) use rescue::scan_member;
pub(super) use restart::decode_part;
pub(super) use resync::is_member_start;
pub(super) use scan::scan_members;
pub(crate) use whole_members::member_facts;
