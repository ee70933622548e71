//! The codecs of all formats on one worker, from memory to memory.
//!
//! `make bench-codecs` runs all of it, and `cargo bench -- zstd` runs a part. `make bench` compares pzcomp with other
//! programs.

#![allow(clippy::unwrap_used)] // A benchmark that cannot go on fails.

#[path = "../../../src/bench/text.rs"]
mod text;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pzcomp::{Compress, Decode, Decompress, Encode, Format, Input, Output};
use text::text;

fn compress(data: &[u8], options: &Encode) -> Vec<u8> {
    let mut coded = Vec::with_capacity(data.len());
    if let Err(error) = Compress::new(options).run(Input::reader(data), &mut coded) {
        eprintln!("{error}");
    }
    coded
}

fn decompress(coded: &[u8], plain: &mut Vec<u8>, options: &Decode) {
    plain.clear();
    if let Err(error) = Decompress::new(options).run(Input::reader(coded), Output::writer(plain)) {
        eprintln!("{error}");
    }
}

fn codecs(criterion: &mut Criterion) {
    for format in Format::all() {
        let slow = [Format::Xz, Format::Bzip2, Format::Lzip].contains(&format);
        let data = text(if slow { 2 << 20 } else { 16 << 20 }, 7);
        let mut group = criterion.benchmark_group(format.name());
        group.throughput(Throughput::Bytes(data.len() as u64)).sample_size(10);
        // lz4 has level 1 as its default.
        for level in [1, format.default_level()].into_iter().collect::<std::collections::BTreeSet<i32>>() {
            let options = Encode::builder(format).level(level).threads(1).build().unwrap();
            group.bench_function(format!("compress -{level}"), |bencher| {
                bencher.iter(|| compress(black_box(&data), &options))
            });
        }
        let options = Encode::builder(format).threads(1).build().unwrap();
        let reading = Decode::builder().threads(1).build().unwrap();
        let (coded, mut plain) = (compress(&data, &options), Vec::with_capacity(data.len()));
        group.bench_function("decompress", |bencher| {
            bencher.iter(|| decompress(black_box(&coded), &mut plain, &reading))
        });
    }
}

/// Blocks of bzip2 that are hard to sort, beside text. No kind of data may take many times as long as text.
fn bzip2_blocks(criterion: &mut Criterion) {
    const LEN: usize = 1_799_962;
    let mut fibonacci = (vec![b'a'], b"ab".to_vec());
    while fibonacci.1.len() < LEN {
        let next = [&fibonacci.1[..], &fibonacci.0].concat();
        fibonacci = (fibonacci.1, next);
    }
    fibonacci.1.truncate(LEN);
    let page = text(4096, 7);
    let mut state = 1_u64;
    let random = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    });
    let kinds = [
        ("text", text(LEN, 7)),
        ("zeros", vec![0; LEN]),
        ("Fibonacci word", fibonacci.1),
        ("the same page", page.iter().cycle().take(LEN).copied().collect()),
        ("random", random.take(LEN).collect()),
    ];
    let mut group = criterion.benchmark_group("blocks of bzip2");
    group.throughput(Throughput::Bytes(LEN as u64)).sample_size(10);
    let options = Encode::bzip2(9).threads(1).build().unwrap();
    for (name, data) in kinds {
        group.bench_function(name, |bencher| bencher.iter(|| compress(black_box(&data), &options)));
    }
}

/// 256 bytes in memory, where the cost of a call counts, beside the codec itself with a context made for each call.
fn short_buffers(criterion: &mut Criterion) {
    let plain: Vec<u8> = (0..256_u32).map(|at| b"node id lat lon "[(at * 7 / 3) as usize % 16]).collect();
    let mut group = criterion.benchmark_group("256 bytes");
    for format in Format::all() {
        let options = Encode::builder(format).build().unwrap();
        let coded = pzcomp::compress(&plain, &options).unwrap();
        group.bench_function(format!("{format} compress"), |bencher| {
            bencher.iter(|| pzcomp::compress(&plain, &options).unwrap());
        });
        group.bench_function(format!("{format} decompress"), |bencher| {
            bencher.iter(|| pzcomp::decompress(&coded, &Decode::default()).unwrap());
        });
    }
    group.bench_function("libzstd compress", |bencher| {
        bencher.iter(|| {
            let mut coded = Vec::with_capacity(zstd_safe::compress_bound(plain.len()));
            zstd_safe::CCtx::create().compress(&mut coded, &plain, 3).unwrap();
            coded
        });
    });
    let coded = pzcomp::compress(&plain, &Encode::zstd(3).index(false).build().unwrap()).unwrap();
    group.bench_function("libzstd decompress", |bencher| {
        bencher.iter(|| {
            let mut plain = Vec::with_capacity(256);
            zstd_safe::DCtx::create().decompress(&mut plain, &coded).unwrap();
            plain
        });
    });
    group.finish();
}

criterion_group!(benches, codecs, bzip2_blocks, short_buffers);
criterion_main!(benches);
