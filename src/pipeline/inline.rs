//! [`run_inline`]: a short stream in memory, on the thread of the caller.
//!
//! To start a thread takes longer than to code a few KiB. So a short stream is fed completely, and then its jobs are
//! done one after another. This is right because a job waits for the feeder or for a job before it only, and both have
//! ended. The output of a job is taken from the line before the next job begins, so each job is the head of the line.
//!
//! A stream that has more jobs than the line has slots is not run here.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::sync::Arc;

use super::digest::Digest;
use super::emitter::OutputTasks;
use super::line::Line;
use super::source::Scratch;
use super::worker::code_job;
use super::{Coder, Feed, Feeder, Jobs, Plan, Report};
use crate::error::{Error, Result};

/// How many jobs a stream may have.
pub(crate) const INLINE_SLOTS: usize = 4;

/// Runs a stream whose input is in memory. Appends its output to `out`. All output before an error is appended too.
/// Nothing if the stream has too many jobs; `out` is as before then. `plan` must have [`INLINE_SLOTS`] slots. Its
/// sink and its progress are not used.
pub(crate) fn run_inline(plan: Plan, feeder: &mut dyn Feeder, out: &mut Vec<u8>) -> Option<Result<Report>> {
    let Plan { mut coders, place, joiner, header, guesses, slots, piece_len, slabs, pieces, .. } = plan;
    let line =
        Line::new(slots, guesses, slabs, pieces, piece_len, joiner, header.len() as u64).for_workers(1);
    let jobs = Queue { line: &line, jobs: RefCell::default(), is_full: Cell::new(false) };
    let fed = feeder.feed(&Feed { line: &line, jobs: &jobs });
    if jobs.is_full.get() {
        return None;
    }
    line.end(fed);
    out.extend_from_slice(&header);
    let sink = VecSink { line: &line, out: RefCell::new(out) };
    let mut scratch = Scratch::default();
    let coder: &mut dyn Coder = match coders.first_mut() {
        Some(coder) => &mut **coder,
        None => return Some(Err(Error::Internal("no coder".into()))),
    };
    sink.deliver();
    for job in jobs.jobs.take() {
        if line.is_stopped() {
            break;
        }
        code_job(&line, place, job, coder, &mut scratch, &sink);
        sink.deliver();
    }
    Some(line.take_joiner().map(|mut joiner| {
        sink.out.borrow_mut().extend_from_slice(&joiner.trailer());
        joiner.total()
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
struct VecSink<'a> {
    line: &'a Line,
    out: RefCell<&'a mut Vec<u8>>,
}

impl OutputTasks for VecSink<'_> {
    fn deliver(&self) {
        while let Some(delivery) = self.line.deliver() {
            self.out.borrow_mut().extend_from_slice(&delivery.slice);
        }
    }

    /// Nobody else could help.
    fn offer(&self, _: &Arc<Digest>) {}
}
