//! Any bytes as the arguments of any name: no panic, and an exit status that the tool has.
//!
//! The arguments are read and not carried out. The command is no library, so its sources are compiled here once more.

#![no_main]

#[path = "../../src/cli/mod.rs"]
#[allow(dead_code)]
mod cli;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| cli::arguments::read(bytes));
