//! Streams with random damage: no panic, no hang, no wrong byte, and the same verdict on one thread as
//! on several. For longer: `make fuzz`, or `FUZZ_SECONDS=600 cargo test --release --test mutate`.

#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

mod common;

use std::time::{Duration, Instant};

use common::plain::{self, Random};
use common::{Dribble, compress, small};
use pzcomp::{Format, Options};

/// What came of a stream: the output, and the error if there was one.
fn outcome(coded: &[u8], threads: usize, step: usize) -> (Vec<u8>, Option<String>) {
    let mut back = Vec::new();
    let options = Options { threads, ..Options::default() };
    let result = pzcomp::decompress(Dribble::new(coded, step), &mut back, &options);
    (back, result.err().map(|error| error.to_string()))
}

/// Changes a few bytes, some of them to values that matter.
fn damage(coded: &mut [u8], random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        let at = random.below(coded.len() as u64) as usize;
        let len = [1, 1, 2, 4, 8][random.below(5) as usize].min(coded.len() - at);
        let value = [0, u64::MAX, 1, random.next(), random.next()][random.below(5) as usize];
        coded[at..at + len].copy_from_slice(&value.to_le_bytes()[..len]);
    }
}

fn mutate(format: Format, seed: u64) {
    let options = Options { block_size: Some(5_000), ..small(format) };
    let data = [plain::text(9_000), plain::random(4_000), vec![0; 6_000], plain::text(3_000)].concat();
    let coded = compress(&data, &options);
    let seconds: Option<u64> = std::env::var("FUZZ_SECONDS").ok().map(|seconds| seconds.parse().unwrap());
    let until = Instant::now() + Duration::from_secs(seconds.unwrap_or(0));
    let mut random = Random(seed);
    let mut round = 0;
    while round < 300 || Instant::now() < until {
        round += 1;
        let state = random.0;
        let mut damaged = coded.clone();
        damage(&mut damaged, &mut random);
        if random.below(8) == 0 {
            damaged.truncate(random.below(damaged.len() as u64) as usize);
        }
        let (back, error) = outcome(&damaged, 1, usize::MAX);
        let several = outcome(&damaged, 3, 1 + random.below(3_000) as usize);
        assert_eq!((&back, &error), (&several.0, &several.1), "{format}, state {state}: threads differ");
        assert!(data.starts_with(&back), "{format}, state {state}: wrong bytes");
        // Without an error all of it is there, unless it was cut between frames.
        let whole = error.is_some() || back.len() == data.len() || damaged.len() < coded.len();
        assert!(whole, "{format}, state {state}: {} of {} bytes and no error", back.len(), data.len());
    }
}

#[test]
fn damaged_zstd() {
    mutate(Format::ZSTD, 1);
}

#[test]
fn damaged_gzip() {
    mutate(Format::GZIP, 2);
}

#[test]
fn damaged_lz4() {
    mutate(Format::LZ4, 3);
}

#[test]
fn damaged_xz() {
    mutate(Format::XZ, 4);
}

#[test]
fn damaged_bzip2() {
    mutate(Format::BZIP2, 5);
}
