//! Threads, order and memory of a stream, for both directions; no format is known here.
//!
//! ```text
//!   feeder ──▶ line of jobs ──▶ workers (a Coder each) ──▶ line ──▶ sink
//!   (reader)     in order         any order, stealing      in order   (writer, or the workers)
//! ```
//!
//! The feeder runs on the calling thread. It opens jobs on the [`line`] and pushes their input:
//! chunks of plain data or spans of coded data. Workers code them and emit pieces. The line hands
//! the pieces to the sink in the order of the stream. A sink that is a stream has a writer thread; a
//! regular file is written by the workers, each at its own offset once that is known.

mod buffers;
mod digest;
mod emitter;
mod held_output;
mod line;
mod pool;
mod relay;
mod report;
mod signal;
mod source;
mod stats;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::thread::Builder;
use std::time::Duration;

use crossbeam_deque::Worker;

pub(crate) use buffers::{Buffers, Lease, Slice};
pub(crate) use digest::Checksum;
pub(crate) use emitter::{Emitter, HELD_SPARE, PIECE_LEN};
pub(crate) use held_output::HeldOutput;
pub(crate) use line::{Line, Mark, OPEN_ENDED, Segment, Tag};
pub(crate) use relay::{RELAYED_WINDOW_MAX, RunningSum};
pub use report::Trailing;
pub(crate) use report::{Facts, Report};
pub(crate) use source::{Source, WHOLE_CODED_MAX};
pub use stats::CpuTimes;
pub(crate) use stats::thread_cpu;

use crate::error::{Error, Result};
use crate::io::{Output, Place, SharedMemory, WriteAt};
use digest::Digest;
use emitter::Errands;
use line::Delivery;
use pool::{Pool, Task};
use source::Scratch;

/// Memory of the program itself and of its stacks, which any run needs besides its buffers.
pub(crate) const FIXED_MEMORY: u64 = 6 << 20;

/// Slabs that are lent at the least when coded input is read: see [`Source::unit`].
pub(crate) const SLABS_MIN: usize = 16;

/// Turns the input of a job into its output; one per worker, reused job after job.
pub(crate) trait Coder: Send {
    fn code(&mut self, source: &mut Source, out: &mut Emitter) -> Result<Report>;
}

/// Opens jobs and pushes their input, on the calling thread.
pub(crate) trait Feeder {
    fn feed(&mut self, feed: &Feed) -> Result<()>;
}

/// Collects the reports in stream order, under the lock of the line: a few additions, no work.
pub(crate) trait Joiner: Send {
    fn join(&mut self, report: &Report);
    /// What the output ends with.
    fn trailer(&mut self) -> Vec<u8>;
    /// The sum of all reports.
    fn total(&self) -> Report;
    /// An index that has no place in the output.
    fn sidecar(&self) -> Option<Vec<u8>> {
        None
    }
}

/// Where output goes.
pub(crate) enum Sink<'a> {
    /// Bytes in order, from a thread of their own.
    Stream(Box<dyn Write + Send + 'a>),
    /// A regular file from the offset on, written by the workers.
    File(&'a File, u64),
    /// Memory, written by the workers.
    Memory(SharedMemory<'a>),
    /// Nowhere: for tests of integrity.
    Nothing,
}

impl<'a> From<Output<'a>> for Sink<'a> {
    fn from(output: Output<'a>) -> Self {
        match output {
            Output::Writer(writer) => Self::Stream(writer),
            Output::File { file, start } => Self::File(file, start),
            Output::Memory(memory) => Self::Memory(SharedMemory::new(memory)),
            Output::Nothing => Self::Nothing,
        }
    }
}

/// Everything a run needs.
pub(crate) struct Plan<'a> {
    pub(crate) coders: Vec<Box<dyn Coder>>,
    /// What workers read ranges of, if the input is such.
    pub(crate) place: Option<Place<'a>>,
    pub(crate) sink: Sink<'a>,
    pub(crate) joiner: Box<dyn Joiner>,
    /// What the output begins with.
    pub(crate) header: Vec<u8>,
    /// Whether jobs begin at guessed places.
    pub(crate) guesses: bool,
    /// Jobs on the line at a time.
    pub(crate) slots: usize,
    /// Length of a piece of output, and of its memory.
    pub(crate) piece_len: usize,
    pub(crate) slabs: Arc<Buffers>,
    pub(crate) pieces: Arc<Buffers>,
}

/// What a run amounts to.
pub(crate) struct Outcome {
    pub(crate) total: Report,
    /// Bytes written.
    pub(crate) written: u64,
    pub(crate) cpu: CpuTimes,
    /// Workers there were.
    pub(crate) threads: usize,
    /// What the joiner has for a place beside the output.
    pub(crate) sidecar: Option<Vec<u8>>,
}

/// The feeder's handle on the line and the pool.
pub(crate) struct Feed<'a> {
    line: &'a Line,
    pool: &'a Pool,
}

impl Feed<'_> {
    /// Memory for input.
    pub(crate) fn slab(&self, len: usize) -> Result<Lease> {
        self.line.slabs.lend(len, || true)
    }

    /// Opens a job for the workers, whose input starts at offset `start`.
    pub(crate) fn open(&self, start: u64) -> Result<u64> {
        let (job, is_new) = self.line.open(start, None)?;
        if is_new {
            self.pool.submit(job);
        }
        Ok(job)
    }

    /// Opens a job for the workers that has all its input already.
    pub(crate) fn open_whole(&self, start: u64, input: Segment) -> Result<()> {
        let (job, _) = self.line.open(start, Some(input))?;
        self.pool.submit(job);
        Ok(())
    }

    /// Opens a job that no worker needs to see: its input yields nothing, or is known to be wrong. If
    /// the frame before goes on into it, that `result` does not count.
    pub(crate) fn open_done(&self, start: u64, result: Result<()>) -> Result<u64> {
        let (job, is_new) = self.line.open(start, None)?;
        if is_new {
            self.line.finish_unseen(job, result);
        }
        Ok(job)
    }

    pub(crate) fn line(&self) -> &Line {
        self.line
    }
}

/// What workers write to, each at its own offset.
#[derive(Clone, Copy)]
enum Positioned<'a> {
    /// A file, and the offset of the output's start in it.
    File(&'a File, u64),
    Memory(&'a dyn WriteAt),
    Nothing,
}

impl Positioned<'_> {
    /// Writes at an offset of the output.
    fn write_at(self, bytes: &[u8], at: u64) -> Result<()> {
        let wrote = match self {
            Self::File(file, base) => file.write_all_at(bytes, base + at),
            Self::Memory(memory) => memory.write_all_at(bytes, at),
            Self::Nothing => Ok(()),
        };
        wrote.map_err(|source| Error::Write { offset: at, source })
    }
}

/// Runs a stream from the first byte to the last. On an error all output before it has been written.
pub(crate) fn run(mut plan: Plan, feeder: &mut dyn Feeder) -> Result<Outcome> {
    let header_len = write_header(&mut plan)?;
    let Plan { coders, place, sink, joiner, guesses, slots, piece_len, slabs, pieces, .. } = plan;
    let line =
        Line::new(slots, guesses, slabs, pieces, piece_len, joiner, header_len).for_workers(coders.len());
    let (pool, deques) = Pool::new(coders.len());
    let shared;
    let (positioned, stream): (Option<Positioned>, _) = match sink {
        Sink::Stream(stream) => (None, Some(stream)),
        // A worker that is alone would have to write as well: the writer does that beside it.
        Sink::File(mut file, base) if coders.len() == 1 => {
            let moved = file.seek(SeekFrom::Start(base + header_len));
            moved.map_err(|source| Error::Write { offset: header_len, source })?;
            (None, Some(Box::new(file)))
        }
        Sink::File(file, base) => (Some(Positioned::File(file, base)), None),
        Sink::Memory(memory) => {
            shared = memory;
            (Some(Positioned::Memory(&shared)), None)
        }
        Sink::Nothing => (Some(Positioned::Nothing), None),
    };
    let reader_before = thread_cpu();
    let mut cpu = CpuTimes::default();
    let mut threads = 0;
    let stream = std::thread::scope(|scope| {
        let (line, pool) = (&line, &pool);
        let mut workers = Vec::with_capacity(coders.len());
        let mut refusal = None;
        for (coder, deque) in coders.into_iter().zip(deques) {
            let hand = Hand { line, pool, deque, place, positioned };
            match Builder::new().name("worker".into()).spawn_scoped(scope, move || hand.work(coder)) {
                Ok(worker) => workers.push(worker),
                // Where the system allows no more threads, those there are do the work.
                Err(error) => refusal = Some(error),
            }
        }
        threads = workers.len();
        let mut writer = None;
        if let Some(stream) = stream {
            let spawned = Builder::new()
                .name("writer".into())
                .spawn_scoped(scope, move || write_stream(line, pool, stream));
            writer = spawned.map_err(|error| refusal = Some(error)).ok();
        }
        if let Some(source) =
            refusal.filter(|_| workers.is_empty() || (writer.is_none() && positioned.is_none()))
        {
            line.stop(Error::Threads { source });
            pool.close();
        }
        let watch = StopOnPanic(line, pool);
        line.end(feeder.feed(&Feed { line, pool }));
        if let Some(positioned) = positioned {
            // What ends the line may come from no worker: an idle job, an error of the feeder.
            while let Some(delivery) = line.deliver() {
                write_delivery(line, pool, positioned, &delivery);
            }
            if line.is_over() {
                pool.close();
            }
        }
        drop(watch);
        cpu.reader = thread_cpu().saturating_sub(reader_before);
        // A panic has stopped the line already and is its failure.
        cpu.workers = workers.into_iter().map(|worker| worker.join().unwrap_or_default()).sum();
        let (stream, writer_cpu) = writer.and_then(|writer| writer.join().ok()).unzip();
        cpu.writer = writer_cpu.unwrap_or_default();
        stream
    });
    let (joiner, mut written) = line.into_result();
    let ending = joiner.map(|mut joiner| (joiner.trailer(), joiner.total(), joiner.sidecar()));
    let trailer = ending.as_ref().map_or(&[][..], |(trailer, ..)| trailer);
    if let Some(mut stream) = stream {
        let wrote = stream.write_all(trailer).and_then(|()| stream.flush());
        if ending.is_ok() {
            wrote.map_err(|source| Error::Write { offset: written, source })?;
        }
    }
    if let Some(positioned) = positioned {
        positioned.write_at(trailer, written)?;
    }
    written += trailer.len() as u64;
    if let Some(Positioned::File(mut file, base)) = positioned {
        // Who shares the open file goes on where the output ends, error or not.
        let moved = file.seek(SeekFrom::Start(base + written));
        moved.map_err(|source| Error::Write { offset: written, source })?;
    }
    let (_, total, sidecar) = ending?;
    Ok(Outcome { total, written, cpu, threads, sidecar })
}

fn write_header(plan: &mut Plan) -> Result<u64> {
    match &mut plan.sink {
        Sink::Stream(stream) => {
            stream.write_all(&plan.header).map_err(|source| Error::Write { offset: 0, source })?
        }
        Sink::File(file, base) => Positioned::File(file, *base).write_at(&plan.header, 0)?,
        Sink::Memory(memory) => Positioned::Memory(memory).write_at(&plan.header, 0)?,
        Sink::Nothing => {}
    }
    Ok(plan.header.len() as u64)
}

/// Writes a piece at its own offset.
fn write_delivery(line: &Line, pool: &Pool, positioned: Positioned, Delivery { at, slice }: &Delivery) {
    if let Err(error) = positioned.write_at(slice, *at) {
        line.stop(error);
        pool.close();
    }
}

/// The writer thread: nothing per byte but the system call.
fn write_stream<'a>(
    line: &Line,
    pool: &Pool,
    mut stream: Box<dyn Write + Send + 'a>,
) -> (Box<dyn Write + Send + 'a>, Duration) {
    let _watch = StopOnPanic(line, pool);
    while let Some(Delivery { at, slice }) = line.deliver_or_wait() {
        if let Err(source) = stream.write_all(&slice) {
            line.stop(Error::Write { offset: at, source });
        }
    }
    pool.close();
    (stream, thread_cpu())
}

/// Stops the line if the thread that holds it panics, so that nobody waits for that thread for ever.
struct StopOnPanic<'a>(&'a Line, &'a Pool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop(Error::Internal("a thread panicked".into()));
            self.1.close();
        }
    }
}

/// A worker thread's hold on everything it needs.
struct Hand<'a> {
    line: &'a Line,
    pool: &'a Pool,
    deque: Worker<Task>,
    /// What to read ranges of.
    place: Option<Place<'a>>,
    positioned: Option<Positioned<'a>>,
}

impl Hand<'_> {
    fn work(&self, mut coder: Box<dyn Coder>) -> Duration {
        let _watch = StopOnPanic(self.line, self.pool);
        let mut scratch = Scratch::default();
        while let Some(task) = self.pool.next(&self.deque) {
            match task {
                Task::Job(job) => self.run(job, &mut *coder, &mut scratch),
                Task::Write(delivery) => self.write(&delivery),
                Task::Digest(digest) => digest.help(),
            }
        }
        thread_cpu()
    }

    fn run(&self, job: u64, coder: &mut dyn Coder, scratch: &mut Scratch) {
        let mut source = Source::new(self.line, self.place, scratch, job);
        let mut out = Emitter::new(self.line, job, self);
        let result = coder.code(&mut source, &mut out);
        source.hand_over(out.leave_checksum());
        // What came before an error is output too.
        self.line.finish(job, out.into_rest(), result);
        self.deliver();
    }

    fn write(&self, delivery: &Delivery) {
        if let Some(positioned) = self.positioned {
            write_delivery(self.line, self.pool, positioned, delivery);
        }
    }
}

impl Errands for Hand<'_> {
    /// Writes what is certain, where the workers write: the places are given out here, in order, the
    /// writing itself can be stolen.
    fn deliver(&self) {
        if self.positioned.is_none() {
            return;
        }
        // One piece is left to who has nothing else to do, so that a long frame is decoded on one core and
        // written by another. Not more: pieces that wait here are missing for decoding.
        let mut left = 0;
        while let Some(delivery) = self.line.deliver() {
            self.deque.push(Task::Write(delivery));
            left = usize::from(self.pool.is_idle());
            if self.deque.len() + left > 1 {
                self.pool.ring();
            }
        }
        while self.deque.len() > left
            && let Some(task) = self.deque.pop()
        {
            if let Task::Write(delivery) = task {
                self.write(&delivery);
            }
        }
        if self.line.is_over() {
            self.pool.close();
        }
    }

    fn ask(&self, digest: &Arc<Digest>) {
        self.pool.offer(digest);
    }
}
