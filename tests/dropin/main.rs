//! Called gzip, the program is gzip: in other people's scripts, nothing changes.
//!
//! Cases run twice, with our names first in `PATH` and with the system's tools, GNU gzip 1.12 or later
//! (`make test` installs it), so that what is demanded is what GNU gzip does.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A test that cannot go on fails.

mod callers;
mod case;
#[path = "../common/mod.rs"]
mod common;
mod decoding;
mod files;
#[path = "../common/harness.rs"]
#[allow(dead_code)] // Half of it is about the program by its own name.
mod harness;
mod header;
mod kill;
mod listing;
mod member;
mod metadata;
mod names;
mod options;
mod pigz;
#[path = "../common/pty.rs"]
mod pty;
mod side;
mod snapshot;
mod terminal;
