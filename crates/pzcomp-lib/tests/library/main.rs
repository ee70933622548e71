//! The library by its public API: what every format must do, what is refused, and what `list` and dictionaries say.
//!
//! There is no peer here: data that is compressed must come back, whatever the threads and the pieces that it comes in.
//! `contract` runs over the table of formats, so a new format is tested as soon as it is in the table. What only one
//! format has belongs in `tests/formats/`, lies and damage in `tests/damage/`, the command line in `tests/cli/`.
//! `common` has the helpers: `small` for options with small chunks, `compress`, `decompress`, and `Dribble` for input
//! in small pieces.

#![allow(clippy::unwrap_used, clippy::expect_used)] // A test that cannot go on fails.

#[macro_use]
#[path = "../../../../tests/common/mod.rs"]
mod common;

mod behind;
mod contexts;
mod contexts_hostile;
mod contract;
mod dictionary;
mod facts;
mod index;
mod layouts;
mod max_output;
mod noted;
mod pairs;
mod recode;
mod seekable;
mod stream;
mod taps;
mod unknown;
mod waits;
mod write_at;
