//! Codecs on one worker, and the pipeline on two, memory to memory: no processes, no pipes.
//!
//! `make bench-codecs`, or `cargo bench -- zstd` for part of it. For figures against other programs
//! see `make bench`.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pzcomp::{Format, Options};

/// Rows of a table, the same every time.
fn rows(len: usize) -> Vec<u8> {
    let mut data = Vec::with_capacity(len + 64);
    let mut state = 7_u64;
    let mut id = 0_u64;
    while data.len() < len {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        id += 1 + (state >> 60);
        let (lat, lon) = (state >> 33 & 0xf_ffff, state >> 13 & 0xf_ffff);
        data.extend(format!("{id}\t40.{lat:07}\t-3.{lon:07}\tuser_{}\n", state >> 57).bytes());
    }
    data.truncate(len);
    data
}

fn compress(data: &[u8], options: &Options) -> Vec<u8> {
    let mut coded = Vec::with_capacity(data.len());
    if let Err(error) = pzcomp::compress(data, &mut coded, options) {
        eprintln!("{error}");
    }
    coded
}

fn decompress(coded: &[u8], plain: &mut Vec<u8>, options: &Options) {
    plain.clear();
    if let Err(error) = pzcomp::decompress(coded, plain, options) {
        eprintln!("{error}");
    }
}

fn codecs(criterion: &mut Criterion) {
    for format in Format::all() {
        let slow = format == Format::XZ || format == Format::BZIP2;
        let data = rows(if slow { 2 << 20 } else { 16 << 20 });
        let mut group = criterion.benchmark_group(format.name());
        group.throughput(Throughput::Bytes(data.len() as u64)).sample_size(10);
        for level in [1, format.default_level()] {
            let options = Options { format, level: Some(level), threads: 1, ..Options::default() };
            group.bench_function(format!("compress -{level}"), |bencher| {
                bencher.iter(|| compress(black_box(&data), &options))
            });
        }
        let options = Options { format, threads: 1, ..Options::default() };
        let (coded, mut plain) = (compress(&data, &options), Vec::with_capacity(data.len()));
        group.bench_function("decompress", |bencher| {
            bencher.iter(|| decompress(black_box(&coded), &mut plain, &options))
        });
    }
}

/// What the pipeline costs by itself: a codec that hardly does anything, chunks from small to large.
fn pipeline(criterion: &mut Criterion) {
    let data = vec![0; 64 << 20];
    let mut group = criterion.benchmark_group("pipeline");
    group.throughput(Throughput::Bytes(data.len() as u64)).sample_size(10);
    for chunk in [64 << 10, 256 << 10, 1 << 20] {
        let format = Format::ZSTD;
        let options =
            Options { format, level: Some(-100), threads: 2, block_size: Some(chunk), ..Options::default() };
        let name = |what| format!("{what}, chunks of {} KiB", chunk >> 10);
        group.bench_function(name("compress"), |bencher| {
            bencher.iter(|| compress(black_box(&data), &options))
        });
        let (coded, mut plain) = (compress(&data, &options), Vec::with_capacity(data.len()));
        group.bench_function(name("decompress"), |bencher| {
            bencher.iter(|| decompress(black_box(&coded), &mut plain, &options))
        });
    }
}

criterion_group!(benches, codecs, pipeline);
criterion_main!(benches);
