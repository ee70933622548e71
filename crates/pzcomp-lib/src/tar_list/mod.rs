//! Lists of the members of tar archives: made while an archive is compressed, kept in records, and read again.
//!
//! ```text
//! plain bytes ─ Scan ─▶ Listing: blocks of members ─▶ records ─▶ the compressed file, or a .pzi
//!                                                       └───▶ Walk ─▶ members
//! ```
//!
//! [`Scan`] is fed by the feeder of a compression. It also says where chunks may end so that a member begins with a
//! frame. [`Listing`] is shared with the joiner, which asks for the records at the end of the stream. `block.rs` has
//! the bytes of a block, `record.rs` those of its record, [`Walk`] reads records of either kind of file,
//! and `damage.rs` knows damaged ones.
//! `docs/recovery-format.md` describes the bytes.
//!
//! A list is a claim, as each index is. [`Seekable`](crate::Seekable) compares a member with its header in the data
//! when its data is read.

#[cfg(not(feature = "tar"))]
mod absent;
#[cfg(feature = "tar")]
mod block;
#[cfg(feature = "tar")]
mod damage;
#[cfg(feature = "tar")]
mod listing;
#[cfg(feature = "tar")]
mod record;
#[cfg(feature = "tar")]
mod scan;
#[cfg(feature = "tar")]
mod walk;

#[cfg(not(feature = "tar"))]
pub(crate) use absent::{Listing, Scan, Walk, begin};
#[cfg(feature = "tar")]
pub(crate) use listing::Listing;
#[cfg(feature = "tar")]
pub(crate) use scan::{Scan, begin};
#[cfg(feature = "tar")]
pub(crate) use walk::Walk;
