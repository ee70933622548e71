//! The cost of the engine alone: short chunks, and a codec that only copies them.
//!
//! `cargo bench -p pzcomp-engine` runs it. The workers read ranges of memory. The output goes nowhere, where the
//! workers hand it on, or to a writer thread that drops it. What is measured is the time for each chunk: to open a job,
//! to wake a worker, to take the job, and to hand on its output in order.

use std::hint::black_box;
use std::io::sink;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pzcomp_engine::io::RandomAccess;
use pzcomp_engine::{
    Coder, Emitter, Ends, Feed, Feeder, Plan, Report, Result, Segment, Sink, Source, Tag, Taps, Unfinished,
    run,
};

const INPUT_LEN: usize = 32 << 20;

/// Copies a chunk.
struct Copy(usize);

impl Coder for Copy {
    fn code(&mut self, source: &mut Source, out: &mut Emitter) -> Result<Report> {
        let chunk = source.gather(self.0)?;
        let len = chunk.len();
        out.room(len)?[..len].copy_from_slice(chunk);
        source.consume(len);
        out.commit(len)?;
        Ok(Report { plain_len: len as u64, coded_len: len as u64, frames: 1, ..Report::default() })
    }
}

/// Makes a job of each chunk of the input.
struct Ranges(u64);

impl Feeder for Ranges {
    fn feed(&mut self, feed: &Feed) -> Result<()> {
        for start in (0..INPUT_LEN as u64).step_by(self.0 as usize) {
            feed.open_whole(start, Segment::Range(start..start + self.0), Tag::default())?;
        }
        Ok(())
    }
}

fn copy(input: &[u8], chunk_len: usize, workers: usize, to_stream: bool) {
    let coders = (0..workers).map(|_| Box::new(Copy(chunk_len)) as Box<dyn Coder>).collect();
    let sink = if to_stream { Sink::Stream(Box::new(sink())) } else { Sink::Nothing };
    let (taps, unfinished) = (Taps::default(), Unfinished::default());
    let ends = Ends { place: Some(RandomAccess::Memory(input)), sink, taps, unfinished };
    let plan = Plan::of_chunks(8 * workers, chunk_len, chunk_len);
    let outcome = run(plan, coders, ends, &mut Ranges(chunk_len as u64));
    assert_eq!(outcome.map_or(0, |outcome| outcome.written), input.len() as u64);
}

fn chunks(criterion: &mut Criterion) {
    let input = vec![7; INPUT_LEN];
    for (name, to_stream) in [("into nowhere", false), ("to a stream", true)] {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        for chunk_len in [4 << 10, 16 << 10, 64 << 10] {
            group.throughput(Throughput::Elements((INPUT_LEN / chunk_len) as u64));
            for workers in [1, 2] {
                let id = BenchmarkId::new(format!("{} KiB", chunk_len >> 10), workers);
                group.bench_function(id, |bencher| {
                    bencher.iter(|| copy(black_box(&input), chunk_len, workers, to_stream))
                });
            }
        }
    }
}

criterion_group!(benches, chunks);
criterion_main!(benches);
