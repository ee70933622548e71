//! The pipeline on two workers, memory to memory: no processes, no pipes. `make bench-codecs` runs it.

use std::hint::black_box;
use std::io;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use model::ceiling::{Cost, Synthetic, synthetic};
use pzcomp::bench::text;
use pzcomp::{Input, Output};

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

criterion_group!(benches, pipeline);
criterion_main!(benches);
