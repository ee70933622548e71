//! Any bytes behind the magic number of a format: the same outcome on one thread and on several.
//!
//! gzip and zstd have targets of their own. A job of lzop, Snappy and LZF ends behind 64 blocks, however short they
//! are. So a few KiB are several jobs, and longer input shows nothing more.

#![cfg_attr(fuzzing, no_main)]

use libfuzzer_sys::fuzz_target;
use pzcomp::Format;
use pzcomp_fuzz::{compare_short, short_alone};

/// Longer input is passed over.
const LEN_MAX: usize = 8 << 10;

/// The formats, each with the bytes that its input begins with. The seeds count them.
const KINDS: [(&[Format], &[u8]); 14] = [
    (&[Format::Lzop], b"\x89LZO\0\r\n\x1a\n"),
    (&[Format::Snappy], b"\xff\x06\0\0sNaPpY"),
    (&[Format::Lzf], b"ZV"),
    (&[Format::Xz], b"\xfd7zXZ\0"),
    (&[Format::Lzip], b"LZIP\x01"),
    (&[Format::Lzma], b"\x5d\0\0"),
    (&[Format::Lz4], b"\x04\x22\x4d\x18"),
    (&[Format::Zlib], b"\x78"),
    (&[Format::Zip], b"PK\x03\x04"),
    (&[Format::Lzw], b"\x1f\x9d"),
    (&[Format::Pack], b"\x1f\x1e"),
    (&[Format::Lzh], b"\x1f\xa0"),
    (&[Format::Qpress], b"qpress10"),
    (&[Format::Bzip2], b"BZh"),
];

fuzz_target!(|data: &[u8]| {
    let Some((&kind, rest)) = data.split_first().filter(|(_, rest)| rest.len() <= LEN_MAX) else { return };
    let (accept, magic) = KINDS[usize::from(kind & 127) % KINDS.len()];
    let coded = [magic, rest].concat();
    // The input pauses behind each step.
    let step = if kind < 128 { coded.len() } else { 1 + coded.len() / 8 };
    compare_short(&coded, accept, step, &short_alone(&coded, accept));
});
