//! Any bytes behind the magic number of lzop, Snappy or LZF: the same outcome on one thread and on several.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pzcomp::Format;
use pzcomp_fuzz::{Feed, by_us, compare_threads};

fuzz_target!(|data: &[u8]| {
    let Some((&kind, rest)) = data.split_first() else { return };
    let (accept, magic): (&'static [Format], &[u8]) = match kind % 3 {
        0 => (&[Format::Lzop], b"\x89LZO\0\r\n\x1a\n"),
        1 => (&[Format::Snappy], b"\xff\x06\0\0sNaPpY"),
        _ => (&[Format::Lzf], b"ZV"),
    };
    let coded = [magic, rest].concat();
    let feed = if kind < 128 { Feed::Memory } else { Feed::Steps(7) };
    let alone = by_us(&coded, accept, 1, feed);
    compare_threads(&coded, accept, feed, &alone);
});
