//! Both directions on generated text, beside libdeflate and zlib-rs: `cargo bench -p pzcomp-deflate`.
//!
//! All run on one thread and in memory. The decoders get the same stream, zlib's of level 6. `decode_pair` decodes
//! that stream twice at once, and its throughput counts both.

#[path = "../../../src/bench/text.rs"]
mod text;

use std::hint::black_box;

use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress};
use libdeflater::{CompressionLvl, Compressor, Decompressor};
use pzcomp_deflate::encode::{Encoder, End, Search, coded_bound};
use pzcomp_deflate::inflate::{Inflate, Output, Stream, decode_pair};

use text::text;

const LEN: usize = 4 << 20;

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Bytes(LEN as u64)).sample_size(20);
    group
}

fn by_zlib(plain: &[u8], coded: &mut Vec<u8>, level: u32) {
    coded.clear();
    let _ = Compress::new(Compression::new(level), false).compress_vec(plain, coded, FlushCompress::Finish);
}

fn encode(criterion: &mut Criterion) {
    let plain = text(LEN, 7);
    let mut coded = vec![0; coded_bound(LEN)];
    let mut group = group(criterion, "encode");
    for search in [Search::Quick, Search::Matches, Search::Thorough] {
        let mut encoder = Encoder::new(search);
        group.bench_function(format!("pzcomp-deflate, {search:?}"), |bencher| {
            bencher.iter(|| encoder.encode(black_box(&plain), &mut coded, End::Final))
        });
    }
    let mut compressor = Compressor::new(CompressionLvl::fastest());
    group.bench_function("libdeflate -1", |bencher| {
        bencher.iter(|| compressor.deflate_compress(black_box(&plain), &mut coded))
    });
    for level in [1, 3] {
        group.bench_function(format!("zlib-rs -{level}"), |bencher| {
            bencher.iter(|| by_zlib(black_box(&plain), &mut coded, level))
        });
    }
}

fn inflate(criterion: &mut Criterion) {
    let mut coded = Vec::with_capacity(2 * LEN);
    by_zlib(&text(LEN, 7), &mut coded, 6);
    let (mut plain, mut other_plain) = (vec![0; LEN], vec![0; LEN]);
    let (mut inflate, mut other) = (Inflate::new(), Inflate::new());
    let mut group = group(criterion, "inflate");
    group.bench_function("pzcomp-deflate", |bencher| {
        bencher.iter(|| {
            inflate.reset_whole();
            inflate.run(black_box(&coded), &mut Output::new(&mut plain, 0))
        })
    });
    let mut decompressor = Decompressor::new();
    group.bench_function("libdeflate", |bencher| {
        bencher.iter(|| decompressor.deflate_decompress(black_box(&coded), &mut plain))
    });
    group.bench_function("zlib-rs", |bencher| {
        let mut stream = Decompress::new(false);
        bencher.iter(|| {
            stream.reset(false);
            stream.decompress(black_box(&coded), &mut plain, FlushDecompress::Finish)
        })
    });
    group.throughput(Throughput::Bytes(2 * LEN as u64));
    group.bench_function("pzcomp-deflate, decode_pair", |bencher| {
        bencher.iter(|| {
            inflate.reset_whole();
            other.reset_whole();
            let mut output = Output::new(&mut plain, 0);
            let mut other_output = Output::new(&mut other_plain, 0);
            decode_pair(
                Stream { inflate: &mut inflate, input: black_box(&coded), output: &mut output },
                Stream { inflate: &mut other, input: black_box(&coded), output: &mut other_output },
            )
        })
    });
}

criterion_group!(benches, encode, inflate);
criterion_main!(benches);
