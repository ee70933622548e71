//! Short payloads: a reused `Compressor` and `Decompressor` beside the libraries that programs use for them.
//!
//! Each pair codes the same payloads and is measured in turns: while one side is timed, the other side runs in between,
//! so a slow moment of the machine hits both. The line behind a pair has the ratio of the medians. Decoders get the
//! streams of the peer. No payload is like the one before, so that no decoder finds the tables of its last payload.
//! `cargo bench --bench payloads` runs all of it, and `cargo bench --bench payloads -- lz4` a part.

#![allow(clippy::unwrap_used)] // A benchmark that cannot go on fails.

#[path = "../../../src/bench/text.rs"]
mod text;

use std::hint::black_box;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use pzcomp::{BackgroundReader, Compressor, Decode, Decompressor, Dictionary, Encode, Reader, Writer};
use text::text;

/// How many payloads there are of each size.
const COUNT: usize = 16;

const SIZES: [(&str, usize); 3] = [("1 KiB", 1 << 10), ("64 KiB", 64 << 10), ("1 MiB", 1 << 20)];

/// Measures both sides in turns.
fn pair(
    group: &mut BenchmarkGroup<WallTime>,
    what: &str,
    peer: &str,
    mut ours: impl FnMut(),
    mut theirs: impl FnMut(),
) {
    let mut medians = [0.0; 2];
    let beside = format!("pzcomp beside {peer}");
    for (turn, name) in [&beside[..], peer].into_iter().enumerate() {
        let mut samples = Vec::new();
        group.bench_function(format!("{what}: {name}"), |bencher| {
            bencher.iter_custom(|count| {
                let (mut took, mut left) = (Duration::ZERO, count);
                while left > 0 {
                    let now = left.min(count.div_ceil(8));
                    for side in [turn, 1 - turn] {
                        let started = Instant::now();
                        for _ in 0..now {
                            if side == 0 { ours() } else { theirs() }
                        }
                        took += if side == turn { started.elapsed() } else { Duration::ZERO };
                    }
                    left -= now;
                }
                samples.push(took.as_secs_f64() / count as f64);
                took
            });
        });
        samples.sort_by(f64::total_cmp);
        medians[turn] = samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN);
    }
    let [ours, theirs] = medians.map(|seconds| seconds * 1e6);
    if ours.is_nan() || theirs.is_nan() {
        return; // One of the two was not asked for.
    }
    println!("ratio   {what}: {ours:.2} µs, {peer} {theirs:.2} µs: {:.2} x\n", ours / theirs);
}

/// Payloads of this length.
fn payloads_of(len: usize) -> Vec<Vec<u8>> {
    text(COUNT * len, 7).chunks(len).map(<[u8]>::to_vec).collect()
}

/// Gives one payload after another, and begins again.
fn in_turn<'a>(payloads: &'a [Vec<u8>]) -> impl FnMut() -> &'a [u8] {
    let mut all = payloads.iter().cycle();
    move || black_box(all.next().map_or(&[][..], Vec::as_slice))
}

/// Our side of both directions.
struct Contexts {
    compressor: Compressor,
    decompressor: Decompressor,
}

impl Contexts {
    fn new(options: &Encode, reading: &Decode) -> Self {
        let (compressor, decompressor) =
            (Compressor::new(options).unwrap(), Decompressor::new(reading).unwrap());
        Self { compressor, decompressor }
    }

    /// Measures both directions beside a peer, whose functions give vectors.
    fn beside(
        &mut self,
        group: &mut BenchmarkGroup<WallTime>,
        (size, peer): (&str, &str),
        plain: &[Vec<u8>],
        mut compress: impl FnMut(&[u8]) -> Vec<u8>,
        mut decompress: impl FnMut(&[u8]) -> Vec<u8>,
    ) {
        let coded: Vec<_> = plain.iter().map(|plain| compress(plain)).collect();
        for (plain, coded) in plain.iter().zip(&coded) {
            assert!(&self.decompressor.decompress(coded).unwrap() == plain && &decompress(coded) == plain);
        }
        let [mut ours, mut theirs] = [in_turn(plain), in_turn(plain)];
        let [mut our_coded, mut their_coded] = [in_turn(&coded), in_turn(&coded)];
        group.throughput(Throughput::Bytes(plain[0].len() as u64));
        pair(
            group,
            &format!("compress {size}"),
            peer,
            || drop(black_box(self.compressor.compress(ours()).unwrap())),
            || drop(black_box(compress(theirs()))),
        );
        pair(
            group,
            &format!("decompress {size}"),
            peer,
            || drop(black_box(self.decompressor.decompress(our_coded()).unwrap())),
            || drop(black_box(decompress(their_coded()))),
        );
    }
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .sample_size(15)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300));
    group
}

fn zstd_payloads(criterion: &mut Criterion) {
    let mut group = group(criterion, "zstd");
    let mut contexts = Contexts::new(&Encode::zstd(3).build().unwrap(), &Decode::default());
    let mut compressor = zstd::bulk::Compressor::new(3).unwrap();
    // As pzcomp writes it, and as the program zstd does.
    compressor.set_parameter(zstd_safe::CParameter::ChecksumFlag(true)).unwrap();
    let mut decompressor = zstd::bulk::Decompressor::new().unwrap();
    for (size, len) in SIZES {
        contexts.beside(
            &mut group,
            (size, "zstd::bulk"),
            &payloads_of(len),
            |plain| compressor.compress(plain).unwrap(),
            |coded| decompressor.decompress(coded, len).unwrap(),
        );
    }

    let all = text((32 + COUNT) << 10, 7);
    let (dictionary, plain) = all.split_at(32 << 10);
    let plain: Vec<_> = plain.chunks(1 << 10).map(<[u8]>::to_vec).collect();
    let prepared = Dictionary::new(dictionary.to_vec()).unwrap();
    let mut contexts = Contexts::new(
        &Encode::zstd(3).dictionary(prepared.clone()).build().unwrap(),
        &Decode::builder().dictionary(prepared).build().unwrap(),
    );
    let prepared = zstd::dict::EncoderDictionary::copy(dictionary, 3);
    let mut compressor = zstd::bulk::Compressor::with_prepared_dictionary(&prepared).unwrap();
    compressor.set_parameter(zstd_safe::CParameter::ChecksumFlag(true)).unwrap();
    let prepared = zstd::dict::DecoderDictionary::copy(dictionary);
    let mut decompressor = zstd::bulk::Decompressor::with_prepared_dictionary(&prepared).unwrap();
    contexts.beside(
        &mut group,
        ("1 KiB with a dictionary", "zstd::bulk"),
        &plain,
        |plain| compressor.compress(plain).unwrap(),
        |coded| decompressor.decompress(coded, 1 << 10).unwrap(),
    );
}

fn gzip_payloads(criterion: &mut Criterion) {
    let mut group = group(criterion, "gzip");
    let options = Encode::gzip(6).build().unwrap();
    let mut contexts = Contexts::new(&options, &Decode::default());
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::new(6).unwrap());
    let mut decompressor = libdeflater::Decompressor::new();
    for (size, len) in SIZES {
        let plain = payloads_of(len);
        let compress = |plain: &[u8]| {
            let mut coded = vec![0; compressor.gzip_compress_bound(plain.len())];
            let len = compressor.gzip_compress(plain, &mut coded).unwrap();
            coded.truncate(len);
            coded
        };
        contexts.beside(&mut group, (size, "libdeflater"), &plain, compress, |coded| {
            let mut plain = vec![0; len];
            decompressor.gzip_decompress(coded, &mut plain).unwrap();
            plain
        });
        let compress = |plain: &[u8]| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
            encoder.write_all(plain).unwrap();
            encoder.finish().unwrap()
        };
        contexts.beside(&mut group, (size, "flate2"), &plain, compress, |coded| {
            let mut plain = Vec::with_capacity(len);
            flate2::bufread::MultiGzDecoder::new(coded).read_to_end(&mut plain).unwrap();
            plain
        });
    }
}

fn lz4_payloads(criterion: &mut Criterion) {
    let mut group = group(criterion, "lz4");
    let options = Encode::lz4(1).build().unwrap();
    let mut contexts = Contexts::new(&options, &Decode::default());
    for (size, len) in SIZES {
        let plain = payloads_of(len);
        // What pzcomp writes: independent blocks, the length, and a checksum.
        let info = lz4_flex::frame::FrameInfo::new().content_checksum(true).content_size(Some(len as u64));
        let compress = |plain: &[u8]| {
            let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info.clone(), Vec::new());
            encoder.write_all(plain).unwrap();
            encoder.finish().unwrap()
        };
        contexts.beside(&mut group, (size, "lz4_flex frames"), &plain, compress, |coded| {
            let mut plain = Vec::with_capacity(len);
            lz4_flex::frame::FrameDecoder::new(coded).read_to_end(&mut plain).unwrap();
            plain
        });
        // Blocks have no header and no checksum.
        let (mut compressor, mut decompressor) =
            (Compressor::new(&options).unwrap(), Decompressor::new(&Decode::default()).unwrap());
        let coded: Vec<_> = plain.iter().map(|plain| compressor.compress(plain).unwrap()).collect();
        let blocks: Vec<_> = plain.iter().map(|plain| lz4_flex::block::compress(plain)).collect();
        let [mut ours, mut theirs] = [in_turn(&plain), in_turn(&plain)];
        let [mut frame, mut block] = [in_turn(&coded), in_turn(&blocks)];
        pair(
            &mut group,
            &format!("compress {size}, beside a block"),
            "lz4_flex",
            || drop(black_box(compressor.compress(ours()).unwrap())),
            || drop(black_box(lz4_flex::block::compress(theirs()))),
        );
        pair(
            &mut group,
            &format!("decompress {size}, beside a block"),
            "lz4_flex",
            || drop(black_box(decompressor.decompress(frame()).unwrap())),
            || drop(black_box(lz4_flex::block::decompress(block(), len).unwrap())),
        );
    }
}

/// Lines of a log, of 93 bytes each.
fn log() -> Vec<u8> {
    let line = |at: u32| {
        let id = at.wrapping_mul(2_654_435_761);
        let (millis, code, took) = (at * 37 % 1000, [200, 200, 200, 304, 404][id as usize % 5], id >> 22);
        let start = format!("2026-11-24T15:{:02}:{:02}.{millis:03}Z INFO", at / 60 % 60, at % 60);
        let line = format!(
            "{start} GET /items/{:06} {code} {took:4} ms id={id:08x} from=10.0.{}",
            id % 999_983,
            id % 256
        );
        format!("{line:<92.92}\n").into_bytes()
    };
    (0..700).flat_map(line).collect()
}

/// Records of 93 bytes over a socket, each with a flush: the time until the other end has the record. The peer of
/// `BackgroundReader` is `Reader`.
fn records(criterion: &mut Criterion) {
    const RECORD: usize = 93;
    let mut group = group(criterion, "records");
    for (name, options) in [("frames", Encode::zstd(3)), ("one frame", Encode::zstd(3).single())] {
        let options = options.threads(1).build().unwrap();
        let reading = || Decode::builder().threads(1).build().unwrap();
        let plain = log();
        let sending = |mut reader: Box<dyn Read>, socket: UnixStream| {
            let mut writer = Writer::new(socket, options.clone()).unwrap();
            let (mut record, mut at) = ([0; RECORD], 0);
            let plain = plain.clone();
            move || {
                at = (at + RECORD) % (plain.len() - RECORD);
                writer.write_all(&plain[at..at + RECORD]).unwrap();
                writer.flush().unwrap();
                reader.read_exact(&mut record).unwrap();
                assert!(record == plain[at..at + RECORD]);
            }
        };
        let mut writer = Writer::new(Vec::new(), options.clone()).unwrap();
        for record in plain.chunks_exact(RECORD) {
            writer.write_all(record).unwrap();
            writer.flush().unwrap();
        }
        let (coded, summary) = writer.finish().unwrap();
        println!("size    {name}: {:.0} % of plain", 100.0 * coded.len() as f64 / summary.plain_len as f64);
        let (here, there) = UnixStream::pair().unwrap();
        let background = sending(Box::new(BackgroundReader::new(there, reading()).unwrap()), here);
        let (here, there) = UnixStream::pair().unwrap();
        let foreground = sending(Box::new(Reader::new(there, reading()).unwrap()), here);
        pair(&mut group, &format!("BackgroundReader, {name}"), "Reader", background, foreground);
    }
}

criterion_group!(payloads, zstd_payloads, gzip_payloads, lz4_payloads, records);
criterion_main!(payloads);
