//! Called xz, bzip2, lzip or as their relatives, the program is that tool: in other people's scripts, nothing
//! changes.
//!
//! Cases run twice, with our names first in `PATH` and with the system's tools (`make test` installs
//! them), so that what is demanded is what those do.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A test that cannot go on fails.

mod bzip2;
mod callers;
mod case;
#[path = "../common/harness.rs"]
#[allow(dead_code)] // Half of it is about the program by its own name.
mod harness;
mod lzip;
mod relatives;
mod xz;
mod xz_list;
