//! Streams of all makers, whole, damaged and cut: the decoder has the verdicts and the bytes of zlib.
//!
//! To run it longer: `FUZZ_SECONDS=600 cargo test --release -p pzcomp-deflate --test inflate streams`.

use std::io::Write;
use std::time::{Duration, Instant};

use flate2::{Compress, Compression, FlushCompress};
use libdeflater::{CompressionLvl, Compressor};

use super::*;

/// Data of several kinds in a row.
fn plain(random: &mut Random) -> Vec<u8> {
    let mut plain = Vec::new();
    let longest = [100, 2_000, 60_000][random.below(3)];
    for _ in 0..1 + random.below(4) {
        let len = random.below(longest);
        let most = [2, 12, 60, 256][random.below(4)];
        let alphabet = 1 + random.below(most);
        match random.below(4) {
            0 => plain.extend((0..len).map(|_| random.below(alphabet) as u8)),
            // Literals of very different frequency, and so of codes from short to long.
            1 => plain.extend((0..len).map(|_| random.next().trailing_zeros() as u8 * 3)),
            2 => {
                let distance = 1 + random.below(300);
                let start = plain.len();
                plain.extend((0..distance.min(len)).map(|_| random.below(alphabet) as u8));
                (distance..len).for_each(|at| plain.push(plain[start + at - distance]));
            }
            _ => {
                while plain.len() < len {
                    let words = ["the ", "of ", "in the beginning ", "\n", "3.14159", "\t40.12"];
                    plain.write_all(words[random.below(words.len())].as_bytes()).unwrap();
                }
            }
        }
    }
    plain
}

/// A stream of zlib at any level, flushed at any places in any way.
fn by_zlib(plain: &[u8], random: &mut Random) -> Vec<u8> {
    let mut stream = Compress::new(Compression::new(random.below(10) as u32), false);
    let mut coded = Vec::new();
    let mut rest = plain;
    loop {
        let (part, next) = rest.split_at(rest.len().min(1 + random.below(30_000)));
        let modes = [FlushCompress::None, FlushCompress::Partial, FlushCompress::Sync, FlushCompress::Full];
        let mode = if next.is_empty() { FlushCompress::Finish } else { modes[random.below(modes.len())] };
        let before = stream.total_in();
        loop {
            coded.reserve(100_000);
            let read = (stream.total_in() - before) as usize;
            let room = coded.capacity() - coded.len();
            let written = stream.total_out();
            stream.compress_vec(&part[read..], &mut coded, mode).unwrap();
            if ((stream.total_out() - written) as usize) < room {
                break;
            }
        }
        if next.is_empty() {
            return coded;
        }
        rest = next;
    }
}

/// A stream of libdeflate at any level.
fn by_libdeflate(plain: &[u8], random: &mut Random) -> Vec<u8> {
    let mut coded = vec![0; plain.len() + plain.len() / 1000 + 100];
    let mut compressor = Compressor::new(CompressionLvl::new(random.below(13) as i32).unwrap());
    let len = compressor.deflate_compress(plain, &mut coded).unwrap();
    coded.truncate(len);
    coded
}

/// Lengths of a code that is complete, or nearly.
fn random_lens(count: usize, random: &mut Random) -> Vec<u8> {
    let mut lens = vec![0; count];
    let mut left = 1_usize << 15;
    let most = 1 + random.below(15);
    while left > 0 {
        let symbol = random.below(count);
        if lens[symbol] > 0 && random.below(50) > 0 {
            continue;
        }
        let len = (1 + random.below(most)).max(15 - left.ilog2() as usize);
        lens[symbol] = len as u8;
        left -= 1 << (15 - len);
    }
    lens
}

/// Dynamic blocks with codes that no compressor makes, and contents of random bits.
fn by_chance(random: &mut Random) -> Vec<u8> {
    let mut writer = writer::Writer::new().fixed(false).text(&[b'x'; 300]).end();
    let mut litlen = random_lens(257 + random.below(30), random);
    if litlen[256] == 0 {
        let used = litlen.iter().position(|&len| len > 0).unwrap_or(0);
        litlen.swap(used, 256);
    }
    let distance = match random.below(6) {
        0 => vec![0],
        1 => vec![0, 1],
        _ => random_lens(2 + random.below(29), random),
    };
    writer = writer.dynamic(random.below(2) == 0, &litlen, &distance);
    for _ in 0..random.below(200) {
        writer = writer.bits(random.next() as usize, 64);
    }
    writer.finish()
}

fn damage(coded: &mut Vec<u8>, random: &mut Random) {
    if coded.is_empty() {
        return;
    }
    match random.below(4) {
        0 => coded.truncate(random.below(coded.len())),
        1 => {
            // Headers are at the front, and where most can go wrong.
            let at = random.below(coded.len().min(100));
            coded[at] = random.next() as u8;
        }
        _ => {
            for _ in 0..1 + random.below(3) {
                let at = random.below(coded.len());
                coded[at] ^= 1 << random.below(8);
            }
        }
    }
}

#[test]
fn streams_of_all_makers_whole_and_damaged() {
    let seconds: Option<u64> = std::env::var("FUZZ_SECONDS").ok().map(|seconds| seconds.parse().unwrap());
    let until = Instant::now() + Duration::from_secs(seconds.unwrap_or(0));
    let mut random = Random(seconds.map_or(7, |_| u64::from(std::process::id())));
    let mut inflate = Inflate::new();
    let mut round = 0;
    while round < 300 || Instant::now() < until {
        round += 1;
        let state = random.0;
        let told = std::panic::AssertUnwindSafe(|| {
            let data = plain(&mut random);
            let mut coded = match random.below(3) {
                0 => by_zlib(&data, &mut random),
                1 => by_libdeflate(&data, &mut random),
                _ => by_chance(&mut random),
            };
            compare(&mut inflate, &coded);
            let step = 1 + random.below(coded.len().max(1));
            let piece_len = 1 + random.below(data.len().max(40_000));
            compare_steps(&mut inflate, &coded, step, piece_len);
            for _ in 0..10 {
                let mut worse = coded.clone();
                damage(&mut worse, &mut random);
                compare_steps(&mut inflate, &worse, step, piece_len);
            }
            coded.extend_from_slice(&[0; 300]);
            compare(&mut inflate, &coded);
        });
        if let Err(panic) = std::panic::catch_unwind(told) {
            eprintln!("state {state} of the numbers");
            std::panic::resume_unwind(panic);
        }
    }
}
