//! Recovery records: parity of bytes in groups of shards, by which damaged, missing and inserted bytes are mended.
//!
//! Writing: `geometry` divides a group into shards and records, and `plan` divides a stream into groups. `code` and
//! `sum` compute parity, by the numbers of `field`, which has `loops` for some processors. `recorder` makes the records
//! of a stream, and `write` those of a file beside it. `group` and `copy` are the two kinds of records. The package
//! `pzcomp-records` has their container, and the bytes by which readers of a format skip them.
//!
//! `brief` sums up the records of an undamaged file by a few reads, and [`more_follows`] tells a stream that lacks its
//! end.
//!
//! Mending: `survey` finds all records in a source, `streams` sorts them, `find` finds the shards of a group, `solve`
//! restores others, and `mend` puts out the whole data. Whatever a record claims, a shard counts only if its hash is
//! right, and memory is bounded by a few groups and by the length of the source.

#![deny(unsafe_code)]
#![cfg_attr(pzcomp_safe, forbid(unsafe_code), allow(dropping_copy_types))]
#![warn(unreachable_pub)]

#[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
#[allow(unsafe_code)] // Instructions that not every processor has. Each block has its argument.
mod avx2;
mod brief;
mod code;
mod copy;
mod field;
mod find;
mod geometry;
#[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
#[allow(unsafe_code)] // As in avx2.rs.
mod gfni;
mod group;
mod hashes;
#[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
mod loops;
mod mend;
mod plan;
mod recorder;
mod report;
mod solve;
mod streams;
mod sum;
mod survey;
#[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
mod table;
mod write;

pub use brief::{Brief, brief};
pub use geometry::{GROUP_MAX, Geometry, SPAN_MIN, Share};
pub use group::more_follows;
pub use mend::{Mend, Sink, mend};
pub use plan::{End, Planner, Run, Settings};
pub use pzcomp_records::Envelope;
pub use recorder::Recorder;
pub use report::{DamagedGroup, LISTED_MAX, Report};
pub use write::{Protected, Source, protect};
