//! Decodes generated text beside libzstd: `cargo bench -p pzcomp-zstd`.
//!
//! All run on one thread and in memory, on frames of libzstd's encoder.

#[path = "../../../src/bench/text.rs"]
mod text;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pzcomp_zstd::FrameDecoder;
use zstd_safe::DCtx;

use text::text;

const LEN: usize = 4 << 20;

fn decode(criterion: &mut Criterion) {
    let plain = text(LEN, 7);
    for level in [1, 3, 9, 19] {
        let mut frame = Vec::with_capacity(zstd_safe::compress_bound(LEN));
        let _ = zstd_safe::compress(&mut frame, &plain, level);
        let mut group = criterion.benchmark_group(format!("decode -{level}"));
        let mut output = vec![0; LEN];
        let (mut decoder, mut theirs) = (FrameDecoder::new(), DCtx::create());
        group.throughput(Throughput::Bytes(LEN as u64)).sample_size(20);
        group.bench_function("pzcomp-zstd", |bencher| {
            bencher.iter(|| decoder.decode(black_box(&frame), &mut output))
        });
        group.bench_function("libzstd", |bencher| {
            bencher.iter(|| theirs.decompress(&mut output[..], black_box(&frame)))
        });
        group.finish();
    }
}

criterion_group!(benches, decode);
criterion_main!(benches);
