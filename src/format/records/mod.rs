//! Recovery records as formats and writers see them. The package `crates/recovery` makes them.
//!
//! Readers pass records in each build: the package `crates/records` has the bytes that mark a record. A build without the feature `recovery`
//! writes none: `absent.rs` stands in the place of the package, and no value of its types can be made.

#[cfg(not(feature = "recovery"))]
mod absent;

#[cfg(not(feature = "recovery"))]
pub(crate) use absent::{Planner, Recorder, Settings, settings};
pub(crate) use pzcomp_records::Envelope;
pub(super) use pzcomp_records::{SKIPPABLE_MAGIC, SUBFIELD};
#[cfg(feature = "recovery")]
pub(crate) use pzcomp_recovery::{Planner, Recorder, Settings, Share};

#[cfg(feature = "recovery")]
use crate::options::Recovery;

/// How records of a format with this envelope are made, if they are wanted so.
#[cfg(feature = "recovery")]
pub(super) fn settings(wanted: Recovery, envelope: Envelope) -> Settings {
    let share = Share::per_mille(wanted.per_mille.clamp(5, 1000)).unwrap_or(Share::DEFAULT);
    let span = usize::try_from(wanted.span).unwrap_or(usize::MAX);
    Settings { share, span, envelope }
}
