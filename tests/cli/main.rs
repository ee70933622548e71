//! The command as its users meet it: the real binary, real files, pipes, signals and terminals.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A test that cannot go on fails.

mod bench;
#[path = "../common/mod.rs"]
mod common;
mod ending;
mod files;
mod filter;
mod flags;
mod folder;
mod generated;
#[path = "../common/harness.rs"]
mod harness;
mod limits;
mod listing;
#[cfg(target_os = "linux")]
mod memory;
mod messages;
#[path = "../common/pty.rs"]
mod pty;
mod terminal;
mod wrong_input;
