//! Blocks made by hand, damaged, and made by the encoder: the verdict and the bytes are those of libbz2.
//!
//! To damage more of them: `FUZZ_SECONDS=1 cargo test --release -p pzcomp-bzip2 --test blocks damaged`.

#![allow(clippy::unwrap_used)] // A test that cannot continue fails.

mod common;

use common::{Made, Random, by_blocks, by_library, compress_by_library, many_blocks, text};
use pzcomp_bzip2::decode::{BitReader, BlockDecoder};
use pzcomp_bzip2::encode::{BitWriter, BlockEncoder, BlockFill, block_len};
use pzcomp_bzip2::{BLOCK_MAGIC, END_MAGIC, Error, GROUP_LEN, LEVEL_LEN, MAGIC_BITS, join_crcs};

/// Asserts that libbz2 and this crate agree on `coded`. Returns the bytes, if it is right.
fn agreed(coded: &[u8], name: &str) -> Option<Vec<u8>> {
    let expected = by_library(coded);
    let (plain, result) = by_blocks(coded, usize::MAX);
    match &expected {
        Some(expected) => assert!(result.is_ok() && plain == *expected, "{name}: {result:?}"),
        None => assert!(result.is_err(), "{name}: no error"),
    }
    expected
}

#[test]
fn blocks_at_any_bit_are_decoded_as_libbz2_does() {
    let (stream, plain) = many_blocks(150, 1);
    let coded = stream.finish();
    assert_eq!(agreed(&coded, "many blocks"), Some(plain));
}

#[test]
fn a_permutation_of_several_rings_repeats_itself() {
    let mut random = Random(3);
    for len in [1, 2, 200, 400, 3_000, 90_000] {
        for _ in 0..4 {
            let mut stream = Made::new(9);
            let symbols = random.symbols(len);
            let origin = random.below(len.div_ceil(2) as u64) as u32;
            stream.block(&symbols, origin, false);
            assert!(agreed(&stream.finish(), &format!("{len}")).is_some());
        }
    }
}

#[test]
fn randomised_blocks_are_restored() {
    let mut random = Random(4);
    for len in [1, 617, 618, 619, 5_000, 100_000] {
        let mut stream = Made::new(9);
        let symbols: Vec<u8> = (0..len).map(|_| 2 + random.below(253) as u8).collect();
        stream.block(&symbols, random.below(len) as u32, true);
        stream.block(&symbols[..1], 0, false);
        assert!(agreed(&stream.finish(), &format!("{len}")).is_some());
    }
}

#[test]
fn levels_bound_what_a_block_holds() {
    let mut random = Random(11);
    let symbols: Vec<u8> = (0..100_001).map(|_| 2 + random.below(253) as u8).collect();
    for (level, len, is_right) in [(1, 100_000, true), (1, 100_001, false), (2, 100_001, true)] {
        let mut stream = Made::new(level);
        stream.block(&symbols[..len], 0, false);
        assert_eq!(agreed(&stream.finish(), &format!("{level} {len}")).is_some(), is_right);
    }
}

#[test]
fn damaged_blocks_are_refused_as_libbz2_does() {
    let rounds = if std::env::var_os("FUZZ_SECONDS").is_some() { 20_000 } else { 1_000 };
    let (stream, plain) = many_blocks(70, 7);
    let text = text();
    for (coded, plain) in [(stream.finish(), &plain), (compress_by_library(&text, 1), &text)] {
        let mut random = Random(8);
        for round in 0..rounds {
            let state = random.0;
            let damaged = random.damage(&coded);
            if damaged.starts_with(b"BZh") {
                agreed(&damaged, &format!("round {round}, state {state}"));
                assert!(
                    plain.starts_with(&by_blocks(&damaged, usize::MAX).0),
                    "round {round}, state {state}"
                );
            }
        }
    }
}

#[test]
fn a_block_cut_anywhere_is_truncated() {
    let coded = compress_by_library(&text(), 9);
    let mut decoder = BlockDecoder::new().unwrap();
    // The end of the stream takes ten bytes, or eleven with the last bits of the block.
    for len in 10..coded.len() - 11 {
        let mut bits = BitReader::new(&coded[10..len], 0);
        assert_eq!(decoder.decode(&mut bits, 9), Err(Error::Truncated), "{len}");
    }
}

/// Codes `plain` as one stream.
fn stream(plain: &[u8], level: u8, limit: usize, whole_bytes: bool) -> Vec<u8> {
    let mut coded = vec![0; plain.len() * 5 / 4 + 10_000];
    let mut out = BitWriter::new(&mut coded);
    b"BZh".iter().chain(&[b'0' + level]).for_each(|&byte| out.put(8, byte.into()));
    let mut encoder = BlockEncoder::new(level).unwrap();
    let (mut rest, mut sum) = (plain, 0);
    while !rest.is_empty() {
        let start = out.position();
        let written = encoder.write(rest, limit, whole_bytes, &mut out).unwrap();
        assert!(!whole_bytes || (out.position() - start).is_multiple_of(8));
        let mut fill = BlockFill::new(limit.min(block_len(level)));
        assert_eq!(fill.find(rest).unwrap_or(rest.len()), written.plain_len);
        rest = &rest[written.plain_len..];
        sum = join_crcs(sum, written.crc, 1);
    }
    out.put(MAGIC_BITS, END_MAGIC);
    out.put(32, sum.into());
    let len = out.finish().unwrap();
    coded.truncate(len);
    coded
}

#[test]
fn what_the_encoder_writes_is_read_by_libbz2() {
    let mut random = Random(5);
    let noise: Vec<u8> = (0..230_000).map(|_| random.next() as u8).collect();
    let runs: Vec<u8> = (0..400_000_u32).map(|at| (at / 259) as u8).collect();
    for (name, plain) in [("noise", noise), ("runs", runs), ("text", text()), ("a byte", vec![7])] {
        for level in [1, 2, 9] {
            let whole = block_len(level) - 8 * GROUP_LEN;
            for (limit, whole_bytes) in [(block_len(level), false), (usize::MAX, false), (whole, true)] {
                let coded = stream(&plain, level, limit, whole_bytes);
                let name = format!("{name} -{level}, at most {limit}");
                assert!(agreed(&coded, &name) == Some(plain.clone()), "{name}");
            }
        }
        if plain.len() < 10_000 {
            for limit in [1, 2, 3, 4, 5, 6, 50] {
                let coded = stream(&plain[..plain.len().min(300)], 1, limit, false);
                assert!(agreed(&coded, &format!("{name}, at most {limit}")).is_some());
            }
        }
    }
}

/// Also without optimisation: `cargo test -p pzcomp-bzip2 --config profile.dev.package.pzcomp-bzip2.opt-level=0 stack`.
#[test]
fn little_stack_is_needed() {
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(|| {
        let coded = stream(b"little stack", 9, usize::MAX, false);
        by_blocks(&coded, usize::MAX).0
    });
    assert_eq!(thread.unwrap().join().unwrap(), b"little stack");
}

#[test]
fn nothing_is_written_of_nothing() {
    let mut coded = [0; 100];
    let mut out = BitWriter::new(&mut coded);
    let mut encoder = BlockEncoder::new(1).unwrap();
    for (plain, limit) in [(&b""[..], 100), (&b"abc"[..], 0)] {
        assert_eq!(encoder.write(plain, limit, false, &mut out).unwrap().plain_len, 0);
    }
    assert_eq!(out.finish(), Some(0));
}

#[test]
fn a_level_that_does_not_exist_is_the_nearest() {
    assert_eq!((block_len(0), block_len(200)), (LEVEL_LEN - 19, 9 * LEVEL_LEN - 19));
    let coded = stream(b"level", 9, usize::MAX, false);
    let mut bits = BitReader::new(&coded[4..], 0);
    assert_eq!(u64::from(bits.take(24)) << 24 | u64::from(bits.take(24)), BLOCK_MAGIC);
    assert!(BlockDecoder::new().unwrap().decode(&mut bits, 0).is_ok());
}
