//! Coded data that is damaged or lies: no panic, no hang, no wrong byte, and one verdict on any number of threads.
//!
//! The peer of bzip2 is libbz2-rs, whose verdict must be ours; the other formats are compared with themselves on one
//! thread. Damage is made with `common::plain::Random`, whose state is in each message, so that a failure can be
//! repeated. For longer: `make fuzz`, which runs for `FUZZ_SECONDS`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A test that cannot go on fails.

#[macro_use]
#[path = "../../../../tests/common/mod.rs"]
mod common;

mod bzip2_verdicts;
mod cut;
mod held;
mod lengths;
mod lies;
mod mutate;
mod old_formats;
mod salvage;
mod salvage_blocks;
mod salvage_bounds;
mod salvage_claims;
mod salvage_heads;
mod salvage_trial;
mod unreadable;
