//! The command as its users meet it: the real binary, real files, pipes, signals and terminals.
//!
//! Here pzcomp has its own name, and no original to compare with: each test says what must come of it. A test takes a
//! `Folder` of `harness`, runs a command line in it with `run` or `pipe`, and judges the outcome with `fine`, `says` or
//! `died_by`. Under the names of other tools it is compared with them in `tests/scenes/`.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A test that cannot go on fails.

#[macro_use]
#[path = "../common/mod.rs"]
mod common;

mod archives;
mod bench;
#[cfg(target_os = "linux")]
mod cache;
mod changing;
mod ending;
mod fifos;
mod files;
mod filter;
mod flags;
mod folder;
mod generated;
#[path = "../common/harness.rs"]
mod harness;
mod hashes;
#[cfg(target_os = "linux")]
mod idle;
mod limits;
mod listing;
mod many;
#[cfg(target_os = "linux")]
mod memory;
mod messages;
mod nonblocking;
mod old_formats;
mod outputs;
mod places;
mod producer;
mod progress;
mod recode;
mod record;
mod recovery;
mod salvage;
#[cfg(target_os = "linux")]
mod sandbox;
mod sevenz;
mod side_files;
mod slow_pipe;
mod sparse;
#[cfg(target_os = "linux")]
mod starved;
mod taken;
mod tar;
mod tar_members;
mod terminal;
mod train;
mod verify;
mod wrong_input;
