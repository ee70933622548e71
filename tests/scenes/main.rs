//! Scenes: one script is played twice, by the original tools and by pzcomp under their names, and both times the same
//! must come of it: exit status, standard output, and every file with its mode, links, inode, time, owner and content.
//!
//! The originals are those of Debian 12; `make test` installs them. To add a case, add a row to `same` in the file of
//! the tool: what it is about, what is given, what is run; standard error is compared then, too. `said` is for
//! originals that say more than we, and `check` for scenes with something special, such as a terminal. A scene that a
//! newer or older original plays otherwise states the expected outcome with `ours`, and is played by pzcomp only.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A test that cannot go on fails.

mod bgzip;
mod bzip2;
mod callers;
mod files;
mod gzip;
#[path = "../common/harness.rs"]
#[allow(dead_code)] // Part of it is about pzcomp under its own name.
mod harness;
mod igzip;
mod layouts;
mod links;
mod lz4;
mod lzip;
mod relatives;
mod scene;
mod sparse;
mod statuses;
mod xz;
mod zstd;
