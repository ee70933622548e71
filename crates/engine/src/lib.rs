//! The pipeline: threads, order and memory of a stream, in both directions. It knows no format.
//!
//! ```text
//! feeder ──▶ line of jobs ──▶ workers (a Coder each) ──▶ line ──▶ sink
//! (reader)     in order         any order, stealing      in order   (writer, or the workers)
//! ```
//!
//! The feeder runs on the thread of the caller. It opens jobs on the [`line`] and pushes their input: chunks of plain
//! data, or spans of coded data. Workers code the input and emit pieces of output. The line hands the pieces to the
//! sink in the order of the stream. If the sink is a stream, a writer thread writes the pieces. If the sink is a
//! regular file, the workers write them, each piece at its own offset; a single worker leaves this to a writer thread.
//!
//! A caller gives four things to [`run`]: a [`Plan`], a [`Coder`] for each worker, the two [`Ends`] and a [`Feeder`].
//! The plan has a [`Joiner`], which adds up the reports of the jobs. This file has the three traits. `run.rs` starts
//! the threads.

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]
mod buffers;
mod crew;
mod digest;
mod emitter;
mod error;
mod inline;
pub mod io;
mod line;
mod plan;
mod progress;
mod queues;
mod relay;
mod report;
mod run;
#[cfg(all(test, feature = "schedules"))]
mod schedules;
mod session;
mod signal;
mod source;
mod sync;
mod tap;
#[cfg(test)]
mod tests;
pub mod waits;
mod worker;

use std::time::Duration;

pub use buffers::{Buffers, Lease, Slice};
pub use crew::Crew;
pub use digest::Checksum;
pub use emitter::{EarlyOutput, Emitter, FrameOutput, FrameSum, HELD_SPARE, PIECE_LEN, Standing};
pub use inline::{INLINE_SLOTS, Take, run_inline};
pub use line::{Feed, Mark, OPEN_ENDED, Segment, Tag, Turn, Wait};
pub use plan::{CpuTimes, Ends, Outcome, Plan, Sink, Throttle, Unfinished};
pub use relay::{Baton, HandoverStage, RunningSum};
pub use report::Trailing;
pub use report::{Facts, Report, Total};
pub use run::run;
pub use session::{MakeCoder, Session};
#[cfg(debug_assertions)]
#[doc(hidden)]
pub use signal::pauses::pause_at_locks;
pub use source::{Relay, Source, Units, WHOLE_CODED_MAX};
pub use system::cpu::of_thread as thread_cpu;
pub use tap::{Tap, Taps};

pub use crate::error::{CoderError, Error, Result};
pub use crate::progress::Progress;

/// Memory that every run needs besides its buffers: the program and the stacks of its threads.
pub const FIXED_MEMORY: u64 = 6 << 20;

/// How many slabs there are at least when coded input is read. [`Source::unit`] says why.
pub const SLABS_MIN: usize = 16;

/// Turns the input of a job into its output. Each worker has one coder, and uses it for job after job.
pub trait Coder: Send {
    /// Codes one job. Its input comes from `source`, and its output goes to `out`. Output that was committed before an
    /// error is written.
    fn code(&mut self, source: &mut Source, out: &mut Emitter) -> Result<Report>;
    /// CPU time of threads that this coder has started and that have ended. It counts as that of the worker.
    fn helpers_cpu(&self) -> Duration {
        Duration::ZERO
    }
}

/// Opens jobs and pushes their input, on the thread of the caller.
pub trait Feeder {
    /// Feeds the whole stream. An error counts behind the output of all jobs that were opened. The feeder closes each
    /// job that it has opened, also before it returns an error: a worker waits for the end of its span.
    fn feed(&mut self, feed: &Feed) -> Result<()>;
}

/// Collects the reports in the order of the stream. The line calls it with its lock held, so it does no more than a
/// few additions.
pub trait Joiner: Send {
    /// Takes the report of the next job.
    fn join(&mut self, report: &Report);
    /// The bytes at the end of the output.
    fn trailer(&mut self) -> Vec<u8> {
        Vec::new()
    }
    /// The sum of all reports.
    fn total(&self) -> Report;
    /// An index that has no place in the output.
    fn sidecar(&self) -> Option<Vec<u8>> {
        None
    }
}
