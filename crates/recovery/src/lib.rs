//! Recovery records: parity of bytes in groups of shards, by which damaged, missing and inserted bytes are mended.
//!
//! Writing: `geometry` divides a group into shards and records, `plan` divides a stream into groups, `code` computes
//! parity, and `write` makes the records. `group` and `copy` are its two kinds of
//! records. The package `pzcomp-records` has their container, and the bytes by which readers of a format skip them.
//!
//! `brief` sums up the records of an undamaged file by a few reads.
//!
//! Mending: `survey` finds all records in a source, `streams` sorts them, `find` finds the shards of a group, `solve` restores
//! others, and `mend` puts out the whole data.
//! Whatever a record claims, a shard counts only if its hash is right, and memory is bounded by a few groups and by the
//! length of the source.

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod brief;
mod code;
mod copy;
mod find;
mod geometry;
mod group;
mod hashes;
mod mend;
mod plan;
mod report;
mod solve;
mod streams;
mod survey;
mod write;

pub use brief::{Brief, brief};
pub use geometry::{GROUP_MAX, Geometry, SPAN_MIN, Share};
pub use mend::{Mend, Sink, mend};
pub use plan::{End, Planner, Run, Settings};
pub use pzcomp_records::Envelope;
pub use report::{DamagedGroup, LISTED_MAX, Report};
pub use write::{Protected, Recorder, Source, protect};
