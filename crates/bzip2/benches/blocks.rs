//! One block in each direction, beside libbz2-rs: `cargo bench -p pzcomp-bzip2`.
//!
//! All run on one thread and in memory. libbz2-rs codes a stream of one block, because it has no function for a
//! block alone.

#[path = "../../../src/bench/text.rs"]
mod text;

use std::hint::black_box;

use bzip2::{Action, Compress, Compression, Decompress};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pzcomp_bzip2::Crc;
use pzcomp_bzip2::decode::{BitReader, BlockDecoder};
use pzcomp_bzip2::encode::{BitWriter, BlockEncoder, block_len};

use text::text;

const LEVEL: u8 = 9;

/// Length of the text. Its runs may take a few bytes more in the block.
fn text_len() -> usize {
    block_len(LEVEL) - 1000
}

fn encode(plain: &[u8], encoder: &mut BlockEncoder, coded: &mut [u8]) -> Option<usize> {
    let mut out = BitWriter::new(coded);
    encoder.write(plain, block_len(LEVEL), false, &mut out).ok()?;
    out.finish()
}

fn decode(coded: &[u8], decoder: &mut BlockDecoder, plain: &mut [u8]) -> Option<bool> {
    // The magic number takes six bytes.
    let mut bits = BitReader::new(coded.get(6..)?, 0);
    let claimed = decoder.decode(&mut bits, LEVEL).ok()?;
    let filled = decoder.runs().fill(plain).ok()?;
    let mut crc = Crc::new();
    crc.update(&plain[..filled]);
    Some(crc.value() == claimed)
}

fn blocks(criterion: &mut Criterion) {
    let plain = text(text_len(), 7);
    let (mut coded, mut back) = (vec![0; 2_000_000], vec![0; 1_000_000]);
    let mut group = criterion.benchmark_group("a block of text");
    group.throughput(Throughput::Bytes(plain.len() as u64)).sample_size(20);
    let (Ok(mut encoder), Ok(mut decoder)) = (BlockEncoder::new(LEVEL), BlockDecoder::new()) else {
        eprintln!("there is no memory");
        return;
    };
    group.bench_function("pzcomp-bzip2, encode", |bencher| {
        bencher.iter(|| encode(black_box(&plain), &mut encoder, &mut coded))
    });
    let len = encode(&plain, &mut encoder, &mut coded).unwrap_or_default();
    group.bench_function("pzcomp-bzip2, decode", |bencher| {
        bencher.iter(|| decode(black_box(&coded[..len]), &mut decoder, &mut back))
    });
    let mut stream = Vec::with_capacity(2_000_000);
    group.bench_function("libbz2-rs, encode", |bencher| {
        bencher.iter(|| {
            stream.clear();
            Compress::new(Compression::best(), 0).compress_vec(black_box(&plain), &mut stream, Action::Finish)
        })
    });
    group.bench_function("libbz2-rs, decode", |bencher| {
        bencher.iter(|| Decompress::new(false).decompress(black_box(&stream), &mut back))
    });
}

criterion_group!(benches, blocks);
criterion_main!(benches);
