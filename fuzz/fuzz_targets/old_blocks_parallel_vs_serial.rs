//! Any bytes behind the magic number of lzop, Snappy or LZF: the same outcome on one thread and on several.
//!
//! A job ends behind 64 blocks, however short they are. So a few KiB are several jobs, and longer input shows nothing
//! more.

#![cfg_attr(fuzzing, no_main)]

use libfuzzer_sys::fuzz_target;
use pzcomp::Format;
use pzcomp_fuzz::{compare_short, short_alone};

/// Longer input is passed over.
const LEN_MAX: usize = 8 << 10;

fuzz_target!(|data: &[u8]| {
    let Some((&kind, rest)) = data.split_first().filter(|(_, rest)| rest.len() <= LEN_MAX) else { return };
    let (accept, magic): (&'static [Format], &[u8]) = match kind % 3 {
        0 => (&[Format::Lzop], b"\x89LZO\0\r\n\x1a\n"),
        1 => (&[Format::Snappy], b"\xff\x06\0\0sNaPpY"),
        _ => (&[Format::Lzf], b"ZV"),
    };
    let coded = [magic, rest].concat();
    // The input pauses behind each step.
    let step = if kind < 128 { coded.len() } else { 1 + coded.len() / 8 };
    compare_short(&coded, accept, step, &short_alone(&coded, accept));
});
