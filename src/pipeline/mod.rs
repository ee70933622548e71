//! The pipeline: threads, order and memory of a stream, in both directions. It knows no format.
//!
//! ```text
//! feeder ──▶ line of jobs ──▶ workers (a Coder each) ──▶ line ──▶ sink
//! (reader)     in order         any order, stealing      in order   (writer, or the workers)
//! ```
//!
//! The feeder runs on the thread of the caller. It opens jobs on the [`line`] and pushes their input: chunks of plain
//! data, or spans of coded data. Workers code the input and emit pieces of output. The line hands the pieces to the
//! sink in the order of the stream. If the sink is a stream, a writer thread writes the pieces. If it is a regular
//! file, the workers write them, each piece at its own offset.
//!
//! This file has what `compress` and `decompress` give to [`run`]: a [`Feeder`], a [`Coder`] for each worker, a
//! [`Joiner`] and a [`Plan`]. `run.rs` starts the threads.

mod buffers;
mod crew;
mod digest;
mod emitter;
mod held_output;
mod inline;
mod line;
mod pool;
mod relay;
mod report;
mod run;
mod session;
mod signal;
mod source;
mod stats;
mod tap;
#[cfg(test)]
mod tests;
mod worker;

use std::io::Write;
use std::sync::Arc;

pub(crate) use buffers::{Buffers, Lease, Slice};
pub(crate) use crew::Crew;
pub(crate) use digest::Checksum;
pub(crate) use emitter::{Emitter, HELD_SPARE, PIECE_LEN};
pub(crate) use held_output::HeldOutput;
pub(crate) use inline::{INLINE_SLOTS, Take, run_inline};
pub(crate) use line::{Line, Mark, OPEN_ENDED, Segment, Tag};
pub(crate) use relay::{Baton, Leg, RELAYED_WINDOW_MAX, RunningSum};
pub use report::Trailing;
pub(crate) use report::{Facts, Report};
pub(crate) use run::run;
pub(crate) use session::{MakeCoder, Session, Turn};
pub(crate) use source::{Source, WHOLE_CODED_MAX};
pub use stats::CpuTimes;
pub(crate) use stats::thread_cpu;
pub use tap::{Tap, Taps};

use crate::error::Result;
use crate::io::{Output, PlacedFile, RandomAccess, SharedMemory, WriteAt};
use crate::progress::Progress;
use crate::waits::Waits;

/// Memory that every run needs besides its buffers: the program and the stacks of its threads.
pub(crate) const FIXED_MEMORY: u64 = 6 << 20;

/// How many slabs there are at least when coded input is read. [`Source::unit`] says why.
pub(crate) const SLABS_MIN: usize = 16;

/// Turns the input of a job into its output. Each worker has one coder, and uses it for job after job.
pub(crate) trait Coder: Send {
    fn code(&mut self, source: &mut Source, out: &mut Emitter) -> Result<Report>;
}

/// Opens jobs and pushes their input, on the thread of the caller.
pub(crate) trait Feeder {
    fn feed(&mut self, feed: &Feed) -> Result<()>;
}

/// Collects the reports in the order of the stream. The line calls it with its lock held, so it does no more than a
/// few additions.
pub(crate) trait Joiner: Send {
    fn join(&mut self, report: &Report);
    /// The bytes at the end of the output.
    fn trailer(&mut self) -> Vec<u8>;
    /// The sum of all reports.
    fn total(&self) -> Report;
    /// An index that has no place in the output.
    fn sidecar(&self) -> Option<Vec<u8>> {
        None
    }
}

/// Where the output goes.
pub(crate) enum Sink<'a> {
    /// To a stream. A thread of its own writes the bytes in order.
    Stream(Box<dyn Write + Send + 'a>),
    /// To a regular file. The workers write it.
    File(PlacedFile<'a>),
    /// To memory. The workers write it.
    Memory(SharedMemory<'a>),
    /// To a value of the caller. The workers write it.
    At(&'a dyn WriteAt),
    /// Nowhere: the data is only checked.
    Nothing,
}

impl Sink<'_> {
    /// The same. If it is a file, zeros become holes if they are `wanted`.
    pub(crate) fn with_holes(self, wanted: bool) -> Self {
        match self {
            Self::File(file) => Self::File(file.with_holes(wanted)),
            sink => sink,
        }
    }
}

impl<'a> From<Output<'a>> for Sink<'a> {
    fn from(output: Output<'a>) -> Self {
        match output {
            Output::Writer(writer) => Self::Stream(writer),
            Output::File { file, start } => Self::File(PlacedFile::new(file, start)),
            Output::Memory(memory) => Self::Memory(SharedMemory::new(memory)),
            Output::At(target) => Self::At(target),
            Output::Nothing => Self::Nothing,
        }
    }
}

/// Everything that a run needs.
pub(crate) struct Plan<'a> {
    pub(crate) coders: Vec<Box<dyn Coder>>,
    /// The input itself, if it is a file or memory. A job then holds ranges of the input, and its worker reads them from
    /// here.
    pub(crate) place: Option<RandomAccess<'a>>,
    pub(crate) sink: Sink<'a>,
    /// Takes the report of each job in order, and makes the trailer and the index from all of them.
    pub(crate) joiner: Box<dyn Joiner>,
    /// The bytes at the start of the output.
    pub(crate) header: Vec<u8>,
    /// Whether the places where jobs begin are guesses, as in decompression. Then a job keeps the input that it has
    /// read until its start is certain, because the job before it may need that input.
    pub(crate) guesses: bool,
    /// How many jobs are on the line at a time. The line has a slot for each of them.
    pub(crate) slots: usize,
    /// The length of a piece of output.
    pub(crate) piece_len: usize,
    pub(crate) slabs: Arc<Buffers>,
    pub(crate) pieces: Arc<Buffers>,
    pub(crate) progress: Option<Progress>,
    pub(crate) taps: Taps<'a>,
    pub(crate) unfinished: Unfinished,
}

/// Bytes behind an output that an error has ended, by which readers see that it is not complete.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unfinished {
    /// If nothing was written before.
    pub(crate) at_start: &'static [u8],
    /// If something was.
    pub(crate) later: &'static [u8],
}

/// The result of a run.
pub(crate) struct Outcome {
    pub(crate) total: Report,
    /// Length of the output.
    pub(crate) written: u64,
    pub(crate) cpu: CpuTimes,
    pub(crate) waits: Waits,
    /// How many workers there were.
    pub(crate) threads: usize,
    /// An index from the joiner, for a place beside the output.
    pub(crate) sidecar: Option<Vec<u8>>,
}

/// The feeder's access to the line and the workers.
pub(crate) struct Feed<'a> {
    line: &'a Line,
    jobs: &'a dyn Jobs,
}

/// Takes the jobs that the feeder has opened.
trait Jobs {
    /// Gives a job to the workers, behind the jobs before it.
    fn submit(&self, job: u64);
    /// Called before a job is opened. An error ends the feeder.
    fn before_open(&self) -> Result<()> {
        Ok(())
    }
}

impl Feed<'_> {
    /// Memory for input. Waits until there is some.
    pub(crate) fn slab(&self, len: usize) -> Result<Lease> {
        self.line.slabs.lend(len, || true)
    }

    /// Opens a job whose input starts at offset `start`, and gives it to the workers. Returns its number.
    pub(crate) fn open(&self, start: u64) -> Result<u64> {
        let (job, is_new) = self.begin_job(start, None)?;
        if is_new {
            self.jobs.submit(job);
        }
        Ok(job)
    }

    /// Opens a job that has all its input already, and gives it to the workers. `next` is the tag of what follows.
    pub(crate) fn open_whole(&self, start: u64, input: Segment, next: Tag) -> Result<()> {
        let (job, _) = self.begin_job(start, Some((input, next)))?;
        self.jobs.submit(job);
        Ok(())
    }

    /// Opens a job that no worker needs to see, because its input has no output or is known to be wrong. If the frame
    /// before continues into this job, `result` does not count.
    pub(crate) fn open_done(&self, start: u64, result: Result<()>) -> Result<u64> {
        let (job, is_new) = self.begin_job(start, None)?;
        if is_new {
            self.line.finish_unseen(job, result);
        }
        Ok(job)
    }

    fn begin_job(&self, start: u64, whole: Option<(Segment, Tag)>) -> Result<(u64, bool)> {
        self.jobs.before_open()?;
        let opened = self.line.open(start, whole);
        self.line.meter().add_feeder();
        opened
    }

    pub(crate) fn line(&self) -> &Line {
        self.line
    }
}
