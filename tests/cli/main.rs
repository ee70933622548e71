//! The command as its users meet it: the real binary, real files, pipes, signals and terminals.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A test that cannot go on fails.

mod bench;
mod ending;
mod files;
mod filter;
mod flags;
mod folder;
mod generated;
mod harness;
mod limits;
mod listing;
mod messages;
mod pty;
mod terminal;
mod wrong_input;
