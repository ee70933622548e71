//! Streams with random damage: no panic, no hang, no wrong byte, and the same verdict on one thread as on several.
//!
//! There is no peer: `rounds` damages a stream, decodes it on one thread and on three, and gives the outcome to a
//! check. For longer: `make fuzz`, or `FUZZ_SECONDS=600 cargo test --release --test damage mutate`.

use std::time::Instant;

use crate::common::plain::{self, Random};
use crate::common::{Dribble, compress, fuzz_end, is_exhaustive, pipe, small};
use pzcomp::{Decode, Decompress, Format, Input, Layout, Member};

/// What came of a stream: the output, and the error if there was one.
fn outcome(coded: &[u8], threads: usize, step: usize) -> (Vec<u8>, Option<String>) {
    let mut back = Vec::new();
    let options = decode!(Decode::builder(), threads);
    let result = Decompress::new(&options).run(Input::reader(Dribble::new(coded, step)), &mut back);
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
    let options = encode!(small(format), block_size: 5_000);
    let data = [plain::text(9_000), plain::random(4_000), vec![0; 6_000], plain::text(3_000)].concat();
    let coded = compress(&data, &options);
    rounds(&coded, 300, seed, |state, cut, back, error| {
        assert!(data.starts_with(back), "{format}, state {state}: wrong bytes");
        // Without an error all of it is there, unless it was cut between frames.
        let whole = error.is_some() || back.len() == data.len() || cut;
        assert!(whole, "{format}, state {state}: {} of {} bytes and no error", back.len(), data.len());
    });
}

/// Damages a stream so many times, or for as long as was asked for, and has the outcome checked: given are
/// the state of the random numbers, whether the stream was cut off, the output and the error.
fn rounds(coded: &[u8], count: usize, seed: u64, check: impl Fn(u64, bool, &[u8], Option<&str>)) {
    let end = fuzz_end();
    let mut random = Random(seed);
    let mut round = 0;
    while round < count || end.is_some_and(|end| Instant::now() < end) {
        round += 1;
        let state = random.0;
        let mut damaged = coded.to_vec();
        damage(&mut damaged, &mut random);
        if random.below(8) == 0 {
            damaged.truncate(random.below(damaged.len() as u64) as usize);
        }
        let (back, error) = outcome(&damaged, 1, usize::MAX);
        let several = outcome(&damaged, 3, 1 + random.below(3_000) as usize);
        assert_eq!(error, several.1, "state {state}: threads differ");
        assert!(back == several.0, "state {state}: {} bytes, {} on threads", back.len(), several.0.len());
        check(state, damaged.len() < coded.len(), &back, error.as_deref());
    }
}

#[test]
fn damaged_streams_of_every_format() {
    for (seed, format) in (1..).zip(Format::all()) {
        mutate(format, seed);
    }
}

#[test]
fn damaged_gzip_in_parts_of_a_member() {
    let options =
        encode!(small(Format::Gzip), block_size: 100_000, layout: Layout::Single(Member::default()));
    let data = [plain::text(600_000), plain::random(500_000), plain::text(600_000)].concat();
    let coded = compress(&data, &options);
    // What was decoded of a member before damage was seen may be wrong, as long as the verdict is not.
    rounds(&coded, 60, 6, |state, _, back, error| {
        assert!(error.is_some() || back == data, "state {state}: wrong bytes and no error");
    });
}

/// Streams of tools that state no lengths, so that their output leaves while it is decoded. Damage is found while
/// threads pause at random. The bytes before the error depend on the coded bytes only.
#[test]
fn bytes_before_an_error_do_not_depend_on_threads_or_time() {
    let plain = [plain::text(1_400_000), plain::random(300_000), plain::text(1_200_000)].concat();
    let short = plain::text(90_000);
    let zlib = |level, data: &[u8]| {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::new(level));
        std::io::Write::write_all(&mut encoder, data).unwrap();
        encoder.finish().unwrap()
    };
    let in_parts =
        encode!(small(Format::Gzip), block_size: 100_000, layout: Layout::Single(Member::default()));
    let streams: Vec<(&str, Vec<u8>)> = vec![
        ("gzip in independent parts", compress(&plain, &in_parts)),
        ("gzip", pipe("gzip -6", &plain)),
        ("gzip of several members", [pipe("gzip -1", &plain), pipe("gzip", &short)].concat().repeat(2)),
        (
            "gzip of one member, behind others",
            [pipe("gzip", &short).repeat(3), pipe("gzip", &plain)].concat(),
        ),
        ("zlib", zlib(6, &plain)),
        ("zstd", pipe("zstd -q -1 --no-check", &plain)),
        ("zstd with a check", pipe("zstd -q -3", &plain).repeat(2)),
        ("lz4 of linked blocks", pipe("lz4 -q -BD -B4", &plain)),
        ("lz4 of independent blocks", pipe("lz4 -q -B4", &plain).repeat(2)),
        ("xz", pipe("xz -1", &plain)),
        ("lzma", pipe("xz -1 --format=lzma", &plain)),
        ("lzip", pipe("lzip -1", &plain)),
        ("bzip2", pipe("bzip2 -2", &plain)),
    ];
    for (what, coded) in streams {
        let mut random = Random(coded.len() as u64);
        for _ in 0..if is_exhaustive() { 100 } else { 6 } {
            let state = random.0;
            let mut damaged = coded.clone();
            if random.below(4) == 0 {
                damaged.truncate(random.below(coded.len() as u64) as usize);
            } else {
                damage(&mut damaged, &mut random);
            }
            engine::pause_at_locks(0);
            let (back, error) = outcome(&damaged, 1, usize::MAX);
            engine::pause_at_locks(random.next() | 1);
            for threads in [1, 2, 3, 5] {
                let step = [usize::MAX, 70_000, 1 + random.below(9_000) as usize][random.below(3) as usize];
                let several = outcome(&damaged, threads, step);
                let context = format!("{what}, state {state}, steps of {step} on {threads}");
                assert_eq!(error, several.1, "{context}");
                assert!(back == several.0, "{context}: {} bytes, not {}", several.0.len(), back.len());
            }
        }
    }
}
