//! Called zstd, lz4 or bgzip, the program is that: in other people's scripts, nothing changes.
//!
//! Each case runs with our names first in `PATH` and with the system's tools (`make test` installs them), so
//! that what is demanded is what those do.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A test that cannot go on fails.

mod bgzip;
mod case;
#[path = "../common/harness.rs"]
#[allow(dead_code)] // Half of it is about the program by its own name.
mod harness;
mod layouts;
mod lz4;
mod zstd;
