//! Codecs on one worker, and the pipeline on two, memory to memory: no processes, no pipes.
//!
//! `make bench-codecs`, or `cargo bench -- zstd` for part of it. For figures against other programs
//! see `make bench`.

use std::hint::black_box;
use std::io;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pzcomp::bench::{Cost, Synthetic, synthetic, text};
use pzcomp::{Format, Input, Options, Output};

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
        let data = text(if slow { 2 << 20 } else { 16 << 20 }, 7);
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

/// What the pipeline costs by itself: a codec that only copies, chunks from small to large.
fn pipeline(criterion: &mut Criterion) {
    let data = text(64 << 20, 7);
    let mut group = criterion.benchmark_group("pipeline");
    group.throughput(Throughput::Bytes(data.len() as u64)).sample_size(10);
    for chunk_len in [64 << 10, 256 << 10, 1 << 20] {
        let what = Synthetic { cost: Cost::Nothing, threads: 2, chunk_len };
        group.bench_function(format!("chunks of {} KiB", chunk_len >> 10), |bencher| {
            bencher.iter(|| {
                let input = Input::Reader(Box::new(black_box(&data[..])));
                synthetic(input, Output::Writer(Box::new(io::sink())), &what)
            })
        });
    }
}

criterion_group!(benches, codecs, pipeline);
criterion_main!(benches);
