//! Recovery records as formats and writers see them. The package `crates/recovery` makes them.
//!
//! Readers pass records in each build, so the bytes that mark a record stand here too. A build without the feature
//! `recovery` writes none: `absent.rs` stands in the place of the package, and no value of its types can be made.

#[cfg(not(feature = "recovery"))]
mod absent;

#[cfg(not(feature = "recovery"))]
pub(crate) use absent::{Planner, Recorder, Settings, more_follows, more_follows_behind, settings};
#[cfg(any(feature = "recovery", feature = "tar"))]
pub(crate) use pzcomp_records::Envelope;
#[cfg(feature = "recovery")]
pub(crate) use pzcomp_recovery::{Planner, Recorder, Settings, Share, more_follows};

#[cfg(feature = "recovery")]
use super::Cursor;
#[cfg(feature = "recovery")]
use crate::error::Result;
#[cfg(feature = "recovery")]
use crate::options::Recovery;

/// The magic number of a skippable frame that holds a record.
pub(super) const SKIPPABLE_MAGIC: [u8; 4] = 0x184D_2A5B_u32.to_le_bytes();

/// The subfield of the extra field of a gzip member that holds a record.
pub(super) const SUBFIELD: [u8; 2] = *b"PR";

/// `crates/records` writes what this file reads.
#[cfg(any(feature = "recovery", feature = "tar"))]
const _: () = {
    assert!(u32::from_le_bytes(SKIPPABLE_MAGIC) == u32::from_le_bytes(pzcomp_records::SKIPPABLE_MAGIC));
    assert!(u16::from_le_bytes(SUBFIELD) == u16::from_le_bytes(pzcomp_records::SUBFIELD));
};

/// Where the records of a stream would be. Nothing writes any.
#[cfg(not(any(feature = "recovery", feature = "tar")))]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Envelope {
    Skippable,
    GzipMember,
}

/// Whether more of its stream follows behind the record that begins `before` bytes behind the cursor, if it says so.
#[cfg(feature = "recovery")]
pub(super) fn more_follows_behind(cursor: &mut dyn Cursor, before: usize) -> Result<Option<bool>> {
    let start = cursor.peek(before + pzcomp_records::HEADER_LEN)?.get(before..).unwrap_or_default();
    let Some(end) = pzcomp_records::Record::head_end(start) else { return Ok(None) };
    Ok(cursor.peek(before + end)?.get(before..).and_then(more_follows))
}

/// How records of a format with this envelope are made, if they are wanted so.
#[cfg(feature = "recovery")]
pub(super) fn settings(wanted: Recovery, envelope: Envelope) -> Settings {
    let share = Share::per_mille(wanted.per_mille.clamp(5, 1000)).unwrap_or(Share::DEFAULT);
    let span = usize::try_from(wanted.span).unwrap_or(usize::MAX);
    Settings { share, span, envelope }
}
