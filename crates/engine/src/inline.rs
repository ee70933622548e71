//! [`run_inline`]: a short stream, or a single unit of a longer stream, on the thread of the caller.
//!
//! To start a thread takes longer than to code a few KiB. So a short stream is fed completely, and then its jobs are
//! done one after another. This is right because a job waits only for the feeder or for a job before it, and both have
//! ended. The output of a job is taken from the line before the next job begins, so each job is the head of the line.
//!
//! A stream that has more jobs than the line has slots is not run here: the caller then starts a [`run`](super::run).

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;

use super::digest::Digest;
use super::emitter::OutputTasks;
use super::line::{Feed, Jobs, Line};
use super::source::Scratch;
use super::worker::code_job;
use super::{Coder, Feeder, Plan, Report};
use crate::error::{Error, Result};
use crate::io::RandomAccess;

/// How many jobs a short stream has at most. A line with so few slots costs little.
pub const INLINE_SLOTS: usize = 4;

/// Takes the output of a stream in order. An error of it ends the stream.
pub type Take<'a> = &'a mut dyn FnMut(&[u8]) -> Result<()>;

/// Runs a stream whose input is in memory or in a file. `take` gets its output, also all output before an error.
/// Nothing if the stream has more jobs than the plan has slots; `take` is not called then. The progress of the plan is
/// not used.
pub fn run_inline(
    mut plan: Plan,
    coder: &mut dyn Coder,
    place: Option<RandomAccess>,
    feeder: &mut dyn Feeder,
    take: Take,
) -> Option<Result<Report>> {
    plan.progress = None;
    let header = plan.header.clone();
    let line = Line::new(plan, 1);
    let jobs = Queue { line: &line, jobs: RefCell::default(), is_full: Cell::new(false) };
    let fed = feeder.feed(&Feed { line: &line, jobs: &jobs });
    if jobs.is_full.get() {
        return None;
    }
    line.end(fed);
    let sink = InlineSink { line: &line, take: RefCell::new(take) };
    sink.put(&header);
    let mut scratch = Scratch::for_trial();
    sink.deliver();
    for job in jobs.jobs.take() {
        if line.is_stopped() {
            break;
        }
        code_job(&line, place, job, coder, &mut scratch, &sink);
        sink.deliver();
    }
    Some(line.take_joiner().and_then(|mut joiner| {
        let trailer = joiner.trailer();
        if !trailer.is_empty() {
            (sink.take.borrow_mut())(&trailer)?;
        }
        Ok(joiner.total())
    }))
}

/// The jobs that the feeder has opened.
struct Queue<'a> {
    line: &'a Line,
    jobs: RefCell<VecDeque<u64>>,
    /// The feeder wanted more slots than there are. It was stopped, because it would have waited for ever.
    is_full: Cell<bool>,
}

impl Jobs for Queue<'_> {
    fn submit(&self, job: u64) {
        self.jobs.borrow_mut().push_back(job);
    }

    fn before_open(&self) -> Result<()> {
        if self.line.has_room() {
            return Ok(());
        }
        self.is_full.set(true);
        Err(Error::GivenUp)
    }
}

/// Takes the output of the jobs.
struct InlineSink<'a> {
    line: &'a Line,
    take: RefCell<Take<'a>>,
}

impl InlineSink<'_> {
    fn put(&self, bytes: &[u8]) {
        if !bytes.is_empty()
            && let Err(error) = (self.take.borrow_mut())(bytes)
        {
            self.line.stop(error);
        }
    }
}

impl OutputTasks for InlineSink<'_> {
    fn deliver(&self) {
        while let Some(delivery) = self.line.deliver() {
            self.put(&delivery.slice);
        }
    }

    /// Nobody else could help.
    fn offer(&self, _: &Arc<Digest>) {}
}
