//! The pipeline without a codec, on two workers: `make bench-codecs` runs it.
//!
//! The input is 64 MiB of text in memory, and the output is dropped. A synthetic codec copies each chunk. The chunks
//! are small, medium and large, so that the cost of a chunk shows beside the cost of a byte.

use std::hint::black_box;
use std::io;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use model::ceiling::{Cost, Synthetic, synthetic};
use pzcomp::bench::text;
use pzcomp::{Input, Output};

/// Measures the pipeline with a codec that only copies.
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

criterion_group!(benches, pipeline);
criterion_main!(benches);
