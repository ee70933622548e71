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
mod run;
mod signal;
mod source;
mod stats;
#[cfg(test)]
mod tests;
mod worker;

use std::fs::File;
use std::io::Write;
use std::sync::Arc;

pub(crate) use buffers::{Buffers, Lease, Slice};
pub(crate) use digest::Checksum;
pub(crate) use emitter::{Emitter, HELD_SPARE, PIECE_LEN};
pub(crate) use held_output::HeldOutput;
pub(crate) use line::{Line, Mark, OPEN_ENDED, Segment, Tag};
pub(crate) use relay::{RELAYED_WINDOW_MAX, RunningSum};
pub use report::Trailing;
pub(crate) use report::{Facts, Report};
pub(crate) use run::run;
pub(crate) use source::{Source, WHOLE_CODED_MAX};
pub use stats::CpuTimes;
pub(crate) use stats::thread_cpu;

use crate::error::Result;
use crate::io::{Output, Place, SharedMemory};
use pool::Pool;

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
