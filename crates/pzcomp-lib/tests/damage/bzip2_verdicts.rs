//! Whole bzip2 streams, made by hand or damaged, against libbz2-rs: the same verdict, and the same bytes.
//!
//! `blocks::Made` writes streams with blocks at any bit; `agreed` asks both for their verdict. To damage more of them:
//! `FUZZ_SECONDS=600 cargo test --release --test damage bzip2_verdicts`.

#[path = "../../../bzip2/tests/common/mod.rs"]
mod blocks;

use std::time::Instant;

use self::blocks::{Bits, Made, Random, by_library, compress_by_library, many_blocks, text};
use crate::common::{decoded, fuzz_end, is_exhaustive, places};
use pzcomp::{Decode, Error, Index, Seekable};
use pzcomp_bzip2::{BLOCK_MAGIC, END_MAGIC};

fn by_us(coded: &[u8], threads: usize) -> (Vec<u8>, Result<(), Error>) {
    let (plain, result) = decoded(coded, &decode!(Decode::builder(), threads));
    (plain, result.map(drop))
}

/// Asserts that pzcomp and libbz2 agree on `coded`. Returns the bytes, if it is right.
fn agreed(coded: &[u8], name: &str) -> Option<Vec<u8>> {
    let (plain, is_right) = decoded_alike(coded, name);
    is_right.then_some(plain)
}

/// The same, with the bytes that come before an error.
fn decoded_alike(coded: &[u8], name: &str) -> (Vec<u8>, bool) {
    let expected = by_library(coded);
    let (plain, error) = by_us(coded, 1);
    let several = by_us(coded, 3);
    assert!(plain == several.0, "{name}: threads differ");
    assert_eq!(format!("{error:?}"), format!("{:?}", several.1), "{name}");
    match &expected {
        Some(expected) => assert!(error.is_ok() && plain == *expected, "{name}: {error:?}"),
        None => assert!(error.is_err(), "{name}: no error"),
    }
    (plain, expected.is_some())
}

#[test]
fn blocks_at_any_bit_are_decoded_as_libbz2_does() {
    for seed in 0..8 {
        let (stream, plain) = many_blocks(150, seed);
        let coded = stream.finish();
        assert_eq!(agreed(&coded, "many blocks"), Some(plain.clone()));
        let twice = [&coded[..], &coded].concat();
        assert_eq!(agreed(&twice, "twice").map(|both| both.len()), Some(2 * plain.len()));
    }
}

#[test]
fn a_block_full_of_magic_numbers_takes_time_in_proportion_to_its_length() {
    // Each magic number may begin a job, and each end of a stream may be the place to try whether the block is
    // complete.
    let seconds = |count: usize| {
        let magics = [BLOCK_MAGIC, END_MAGIC].map(|magic| magic.to_be_bytes()[2..].to_vec()).concat();
        let mut stream = Made::new(9);
        stream.block(&magics.repeat(count), 1, false);
        let coded = stream.finish();
        let plain = by_library(&coded).unwrap();
        let runs = (0..3).map(|_| {
            let before = system::cpu::of_process();
            assert!(by_us(&coded, 2).0 == plain);
            (system::cpu::of_process() - before).as_secs_f64()
        });
        runs.fold(f64::INFINITY, f64::min)
    };
    let (short, long) = (seconds(6000), seconds(36_000));
    // In proportion it is 6, and 36 if each place costs a try of the whole block.
    assert!(long < 18.0 * short, "{short} s, and {long} s for six times as much");
}

#[test]
fn magic_numbers_in_the_data_of_a_block_do_no_harm() {
    for (magic, count) in [(BLOCK_MAGIC, 48), (END_MAGIC, 48), (0x425a_6839, 32)] {
        for bit in 0..8 {
            let mut random = Random(magic ^ bit);
            let mut stream = Made::new(2);
            for round in 0..40 {
                let mut symbols = Bits::default();
                for _ in 0..1 + random.below(20) {
                    (0..random.below(60)).for_each(|_| symbols.put(8, 2 + random.below(250)));
                    symbols.put(8 + bit as u32, 0x55 << bit);
                    symbols.put(count, magic);
                    if count == 32 {
                        // The beginning of a stream.
                        symbols.put(48, if round % 2 == 0 { BLOCK_MAGIC } else { END_MAGIC });
                    }
                    symbols.put(16 - bit as u32, 0x5555);
                }
                let symbols: Vec<u8> = symbols.bytes.iter().map(|&byte| byte.clamp(2, 0xfe)).collect();
                stream.block(&symbols, 1, false);
            }
            let coded = stream.finish();
            assert!(coded.len() > 10_000);
            let name = format!("{magic:x} at {bit}");
            let plain = agreed(&coded, &name).unwrap();
            if count == 32 {
                continue;
            }
            // An index has no places inside of blocks.
            let index =
                Index::build(&coded, &Decode::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
            let reader = Seekable::with_index(coded, index, &Decode::default()).unwrap();
            for at in (0..plain.len()).step_by(plain.len() / 20) {
                let mut read = vec![0; 100.min(plain.len() - at)];
                assert_eq!(reader.read_at(&mut read, at as u64).unwrap(), read.len());
                assert!(plain[at..].starts_with(&read), "{name}: {at}");
            }
        }
    }
}

#[test]
fn a_stream_cut_anywhere_ends_with_its_last_whole_block() {
    for (blocks, step) in [(5, 1), (90, 31)] {
        let (stream, plain) = many_blocks(blocks, 5);
        let coded = stream.finish();
        for len in places(coded.len()).filter(|len| *len >= 10 && len % step == 0) {
            let (back, error) = by_us(&coded[..len], 2);
            assert!(plain.starts_with(&back), "{len}");
            let is_cut = matches!(error, Err(Error::Truncated { offset, .. }) if offset == len as u64);
            assert!(is_cut, "{len}: {error:?}");
        }
    }
}

#[test]
fn damage_is_reported_with_its_block_after_all_before_it() {
    let (stream, plain) = many_blocks(150, 6);
    let blocks = stream.blocks.clone();
    let coded = stream.finish();
    for (at, &start) in blocks.iter().enumerate().step_by(7) {
        let mut damaged = coded.clone();
        // The CRC it claims.
        damaged[start + 7] ^= 0x10;
        let (back, error) = by_us(&damaged, 2);
        assert!(back == many_blocks(at, 6).1, "all before block {at}, and nothing of it");
        let Err(Error::Corrupt { offset, what, .. }) = error else { panic!("{error:?}") };
        assert!(offset.abs_diff(start as u64) <= 1, "{offset} for {start}");
        assert!(what.starts_with(&format!("block {} of its stream", at + 1)), "{what}");
    }
    let mut damaged = coded;
    let last = damaged.len() - 2;
    damaged[last] ^= 4;
    let (back, error) = by_us(&damaged, 2);
    assert!(back == plain && matches!(error, Err(Error::Corrupt { .. })), "{error:?}");
}

/// Damages `coded` many times over, or for as long as was asked for, and compares verdicts.
fn damage(coded: &[u8], plain: &[u8], seed: u64) {
    let (end, least) = (fuzz_end(), if is_exhaustive() { 400 } else { 250 });
    let mut random = Random(seed);
    for round in 0.. {
        if round >= least && end.is_none_or(|end| Instant::now() >= end) {
            break;
        }
        let state = random.0;
        let damaged = random.damage(coded);
        if damaged.starts_with(b"BZh") {
            let name = format!("round {round}, state {state}");
            assert!(plain.starts_with(&decoded_alike(&damaged, &name).0), "{name}");
        }
    }
}

#[test]
fn damaged_blocks_are_refused_as_libbz2_does() {
    let (stream, plain) = many_blocks(70, 7);
    damage(&stream.finish(), &plain, 8);
    // Codes and selectors as an encoder makes them.
    let text = text();
    damage(&compress_by_library(&text, 1), &text, 10);
}

#[test]
fn long_runs_are_verified_before_they_are_put_out() {
    // Some 20 MiB in one block, of which only the last byte is other.
    let mut text = vec![b'r'; 20 << 20];
    text.push(b'.');
    let mut coded = compress_by_library(&text, 9);
    assert!(agreed(&coded, "runs") == Some(text));
    coded[11] ^= 1;
    let (back, error) = by_us(&coded, 2);
    assert!(back.is_empty() && error.is_err());
}
