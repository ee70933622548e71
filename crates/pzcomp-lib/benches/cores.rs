//! What the serial parts of the engine cost 16, 32 and 64 workers, on a machine with two cores.
//!
//! The codec of this benchmark sleeps for as long as the real one computes, chunk by chunk, and puts out as many bytes.
//! So any number of workers runs on two cores, and the feeder, the line and the writer have as much to do as with
//! that many cores. The feeder does what that of a compression does. Into a file and nowhere, it gives out ranges. The
//! workers do not read them, because many cores share that work. On a machine with other work only the CPU times mean
//! something.
//!
//! `cargo bench -p pzcomp-lib --bench cores [-- WORK [FILE]]` takes the times of the codecs from the start of a file,
//! or from made text. benches/results/more.md has the figures.

#![allow(clippy::unwrap_used)] // A benchmark that cannot go on fails.

#[path = "../../../src/bench/text.rs"]
mod text;

use std::fs::File;
use std::io::{PipeReader, Read, Write, copy, pipe};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use engine::io::{Output, RandomAccess};
use engine::waits::End;
use engine::{
    Buffers, Coder, CpuTimes, Emitter, Ends, Feed, Feeder, Outcome, Plan, Report, Result, Segment, Source,
    Tag, thread_cpu,
};
use pzcomp::{Compressor, Decode, Decompressor, Encode};

/// How long a run takes if no worker ever waits.
const IDEAL: Duration = Duration::from_millis(250);

/// What the real codec does with a chunk.
#[derive(Clone, Copy)]
struct Chunk {
    input: usize,
    output: usize,
    time: Duration,
}

/// Sleeps for the time of each chunk.
struct Sleeper {
    chunks: Arc<[Chunk]>,
    /// How many nanoseconds all workers slept.
    slept: Arc<AtomicU64>,
}

impl Coder for Sleeper {
    fn code(&mut self, source: &mut Source, out: &mut Emitter) -> Result<Report> {
        // Jobs begin at the offsets 0, 1, 2, …
        let chunk = self.chunks[source.offset() as usize % self.chunks.len()];
        let len = source.gather(chunk.input)?.len();
        source.consume(len);
        let room = out.room(chunk.output)?;
        // So that the output has pages of its own.
        room[..chunk.output].iter_mut().step_by(4096).for_each(|byte| *byte = 1);
        let started = Instant::now();
        if !chunk.time.is_zero() {
            std::thread::sleep(chunk.time);
        }
        self.slept.fetch_add(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
        out.commit(chunk.output)?;
        Ok(Report { plain_len: len as u64, frames: 1, ..Report::default() })
    }
}

/// Opens a job for each chunk. It reads them from a pipe, or gives out ranges.
struct Chunks {
    chunks: Arc<[Chunk]>,
    jobs: usize,
    pipe: Option<PipeReader>,
}

impl Feeder for Chunks {
    fn feed(&mut self, feed: &Feed) -> Result<()> {
        for job in 0..self.jobs {
            let len = self.chunks[job % self.chunks.len()].input;
            let segment = match &mut self.pipe {
                Some(pipe) => {
                    let mut slab = feed.slab(longest(&self.chunks, |chunk| chunk.input))?;
                    let read = feed.meter().during(End::Source, || pipe.read_exact(&mut slab[..len]));
                    read.unwrap();
                    Segment::Slice(slab.freeze(0..len))
                }
                None => Segment::Range(0..len as u64),
            };
            feed.open_whole(job as u64, segment, Tag::default())?;
        }
        Ok(())
    }
}

fn longest(chunks: &[Chunk], len: impl Fn(&Chunk) -> usize) -> usize {
    chunks.iter().map(len).max().unwrap()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sink {
    Pipe,
    File,
    Nothing,
}

/// Runs so many jobs on so many workers. Returns the outcome, and how long each worker slept.
fn sleep_through(chunks: &Arc<[Chunk]>, workers: usize, jobs: usize, sink: Sink) -> (Outcome, Duration) {
    let slept = Arc::new(AtomicU64::new(0));
    let coder = || Box::new(Sleeper { chunks: Arc::clone(chunks), slept: Arc::clone(&slept) });
    let coders = (0..workers).map(|_| coder() as Box<dyn Coder>).collect();
    let (input, output) = (longest(chunks, |chunk| chunk.input), longest(chunks, |chunk| chunk.output));
    // As many buffers as a compression has.
    let buffers = workers + 1 + workers / 2 + 1;
    let plan = Plan {
        slots: 2 * (workers + buffers),
        pieces: Buffers::new(buffers * output, output),
        ..Plan::of_chunks(buffers, input, output)
    };
    let memory = vec![0; input];
    let file = tempfile::tempfile_in("/dev/shm").unwrap();
    let outcome = std::thread::scope(|scope| {
        let mut feeder = Chunks { chunks: Arc::clone(chunks), jobs, pipe: None };
        let output = match sink {
            Sink::Nothing => Output::Nothing,
            Sink::File => Output::File { file: &file, start: 0 },
            Sink::Pipe => {
                let (mut from_writer, to_drain) = pipe().unwrap();
                let (reader, mut to_feeder) = pipe().unwrap();
                [to_drain.as_fd(), to_feeder.as_fd()].into_iter().for_each(system::pipe::grow);
                // Until the feeder has all it wants, and drops its end.
                scope.spawn(move || while to_feeder.write_all(&[1; 1 << 16]).is_ok() {});
                scope.spawn(move || {
                    let mut null = File::options().write(true).open("/dev/null").unwrap();
                    copy(&mut from_writer, &mut null).unwrap()
                });
                feeder.pipe = Some(reader);
                Output::Writer(Box::new(to_drain))
            }
        };
        let ends = Ends { place: Some(RandomAccess::Memory(&memory)), ..Ends::to(output) };
        engine::run(plan, coders, ends, &mut feeder).unwrap()
    });
    (outcome, Duration::from_nanos(slept.load(Ordering::Relaxed) / workers as u64))
}

/// What a call does with an input: its lengths and its CPU time, the least of three calls.
fn chunk(input: &[u8], mut call: impl FnMut(&[u8]) -> Vec<u8>) -> (Chunk, Vec<u8>) {
    let mut timed = || {
        let before = thread_cpu();
        let output = call(input);
        (thread_cpu() - before, output)
    };
    let (time, output) = (0..3).map(|_| timed()).min_by_key(|(time, _)| *time).unwrap();
    (Chunk { input: input.len(), output: output.len(), time }, output)
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with('-'));
    let wanted = arguments.next().unwrap_or_default();
    let data = match arguments.next() {
        Some(file) => {
            let mut data = Vec::new();
            File::open(file).unwrap().take(16 << 20).read_to_end(&mut data).unwrap();
            data
        }
        None => text::text(16 << 20, 7),
    };
    println!("wall: × ideal. CPU time, in % of the ideal time: at 100, a serial step is the limit");
    println!("{:<24} workers  to       GB/s   wall   line  feeder  writer  each worker", "work");
    for (name, options) in [
        ("zstd -1", Encode::zstd(1)),
        ("zstd -3", Encode::zstd(3)),
        ("lz4 -1", Encode::lz4(1)),
        ("gzip -6", Encode::gzip(6)),
        ("bzip2 -9", Encode::bzip2(9)),
    ] {
        if !name.contains(&wanted) {
            continue;
        }
        let options = options.build().unwrap();
        let frame_len = options.compression_needs().unwrap().frame_len as usize;
        let mut encoder = Compressor::new(&options).unwrap();
        let mut decoder = Decompressor::new(&Decode::default()).unwrap();
        let (mut coding, mut decoding) = (Vec::new(), Vec::new());
        for plain in data.chunks_exact(frame_len.min(data.len())) {
            let (took, coded) = chunk(plain, |plain| encoder.compress(plain).unwrap());
            coding.push(took);
            decoding.push(chunk(&coded, |coded| decoder.decompress(coded).unwrap()).0);
        }
        measure(name, &coding.into());
        measure(&format!("{name}, decoding"), &decoding.into());
    }
}

fn measure(name: &str, chunks: &Arc<[Chunk]>) {
    let time = chunks.iter().map(|chunk| chunk.time).sum::<Duration>() / chunks.len() as u32;
    let empty: Arc<[Chunk]> = [Chunk { input: 1, output: 1, time: Duration::ZERO }].into();
    for workers in [16, 32, 64] {
        let jobs = workers * IDEAL.div_duration_f64(time).ceil() as usize;
        // Jobs that do nothing, with two workers, which wait for the line most of the time.
        let CpuTimes { reader, workers: two, .. } = sleep_through(&empty, 2, 20_000, Sink::Nothing).0.cpu;
        let line = (reader + two) / 20_000 * jobs as u32;
        for (sink, to) in [(Sink::Pipe, "pipe"), (Sink::File, "file"), (Sink::Nothing, "nowhere")] {
            let (Outcome { wall, cpu, .. }, ideal) = sleep_through(chunks, workers, jobs, sink);
            let lens = chunks.iter().map(|chunk| chunk.input.max(chunk.output));
            let plain_len = lens.sum::<usize>() as f64 / chunks.len() as f64 * jobs as f64;
            let percent = |part: Duration| 100.0 * part.div_duration_f64(ideal);
            println!(
                "{name:<24} {workers:>7}  {to:<7} {:>5.1}  {:>5.2}  {:>5.1}  {:>6.1}  {:>6.1}  {:>11.1}",
                plain_len / wall.as_secs_f64() / 1e9,
                wall.div_duration_f64(ideal),
                percent(line),
                percent(cpu.reader),
                percent(cpu.writer),
                percent(cpu.workers / workers as u32),
            );
        }
    }
}
