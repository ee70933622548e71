//! [`run_inline`]: a short stream, or a single unit of a longer stream, on the thread of the caller.
//!
//! To start a thread takes longer than to code a few KiB. So a short stream is fed completely, and then its jobs are
//! done one after another. This is right because a job waits only for the feeder or for a job before it, and both have
//! ended. The output of a job is taken from the line before the next job begins, so each job is the head of the line.
//!
//! A stream that has more jobs than the line has slots is not run here: the caller then starts a [`run`](super::run).

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::VecDeque;
use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use super::digest::Digest;
use super::emitter::OutputTasks;
use super::line::{Feed, Jobs, Line, Segment};
use super::queues::Queues;
use super::signal::Lock;
use super::source::Scratch;
use super::tap::TapEnd;
use super::worker::{InOrder, Positioned, code_job, write_delivery};
use super::{Coder, Feeder, Plan, Report, Tap};
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

/// What [`run_alone`] works with.
pub(super) struct Alone<'a, 's> {
    pub(super) line: &'a Line,
    pub(super) queues: &'a Queues,
    pub(super) place: Option<RandomAccess<'a>>,
    pub(super) positioned: Option<Positioned<'a>>,
    pub(super) in_order: &'a InOrder<'s>,
    /// Whether a tap has a thread.
    pub(super) has_tap_threads: bool,
    /// The taps that have no thread.
    pub(super) taps: &'a [Lock<Option<(TapEnd, Tap<'s>)>>],
}

/// Runs a stream of any length on the thread of the caller, because the system starts no thread.
///
/// A job that needs no other job is done when the next one is opened. If jobs are guesses, a job may continue into the
/// next span. So all jobs are opened first, and the line grows. That takes little memory if the input is a file or in
/// memory. Of other input, what does not fit into half the slabs waits in a file without a name. If that fails, the
/// error has that and `refusal`, with which the system has refused a thread.
pub(super) fn run_alone(
    alone: Alone,
    coder: &mut dyn Coder,
    feeder: &mut dyn Feeder,
    refusal: std::io::Error,
) {
    let line = alone.line;
    // The thread of a tap gives memory back.
    if !alone.has_tap_threads {
        line.slabs.be_lone();
        line.pieces.be_lone();
    }
    let done = LoneJobs {
        alone,
        coder: RefCell::new(coder),
        scratch: RefCell::default(),
        jobs: RefCell::default(),
        spool: OnceCell::new(),
        spooled: Cell::new(0),
        refusal,
    };
    let fed = feeder.feed(&Feed { line, jobs: &done });
    let is_too_much = fed.is_err() && !line.is_unwanted() && line.slabs.is_spent();
    if fed.is_err() {
        line.close_newest();
    }
    let refusal =
        || Error::Threads { source: std::io::Error::new(done.refusal.kind(), done.refusal.to_string()) };
    line.end(if is_too_much { Err(refusal()) } else { fed });
    done.run();
    done.alone.deliver();
}

/// The jobs of a stream without other threads.
struct LoneJobs<'a, 's, 'c> {
    alone: Alone<'a, 's>,
    coder: RefCell<&'c mut dyn Coder>,
    scratch: RefCell<Scratch>,
    jobs: RefCell<VecDeque<u64>>,
    /// Input that waits on the disk, and its length.
    spool: OnceCell<File>,
    spooled: Cell<u64>,
    refusal: std::io::Error,
}

impl LoneJobs<'_, '_, '_> {
    /// Writes bytes to the file of input that waits. Returns where they are.
    fn spool(&self, bytes: &[u8]) -> std::io::Result<Range<u64>> {
        if self.spool.get().is_none() {
            let _ = self.spool.set(system::file::unnamed()?);
        }
        let at = self.spooled.get();
        self.spool.get().map_or(Ok(()), |file| system::place::write_all_at(file, bytes, at))?;
        self.spooled.set(at + bytes.len() as u64);
        Ok(at..self.spooled.get())
    }

    fn run(&self) {
        let line = self.alone.line;
        let place = self.alone.place.or_else(|| self.spool.get().map(RandomAccess::File));
        for job in self.jobs.take() {
            if line.is_stopped() {
                break;
            }
            self.alone.deliver();
            code_job(
                line,
                place,
                job,
                &mut **self.coder.borrow_mut(),
                &mut self.scratch.borrow_mut(),
                &self.alone,
            );
            self.alone.deliver();
        }
    }
}

impl Jobs for LoneJobs<'_, '_, '_> {
    fn submit(&self, job: u64) {
        self.alone.show_taps();
        self.jobs.borrow_mut().push_back(job);
    }

    fn put_away(&self, segment: Segment) -> Segment {
        let line = self.alone.line;
        self.alone.show_taps();
        match &segment {
            Segment::Slice(slice) if line.guesses() && line.slabs.is_half_lent() => match self.spool(slice) {
                Ok(range) => Segment::Range(range),
                Err(error) => {
                    let what = format!(
                        "{}, and the input cannot wait in a temporary file instead: {error}",
                        self.refusal
                    );
                    line.stop(Error::Threads { source: std::io::Error::new(error.kind(), what) });
                    segment
                }
            },
            _ => segment,
        }
    }

    fn before_open(&self) -> Result<()> {
        if !self.alone.line.guesses() {
            self.run();
            self.alone.deliver();
        } else if !self.alone.line.has_room() {
            self.alone.line.grow();
        }
        Ok(())
    }
}

impl Alone<'_, '_> {
    /// Shows the taps what has come. The pieces of memory are then free again.
    fn show_taps(&self) {
        for tap in self.taps {
            if let Some((end, tap)) = &mut *tap.lock() {
                end.show_ready(self.place, tap);
            }
        }
    }
}

impl OutputTasks for Alone<'_, '_> {
    fn deliver(&self) {
        match self.positioned {
            None => self.in_order.deliver(self.line, self.queues),
            Some(positioned) => {
                while let Some(delivery) = self.line.deliver() {
                    write_delivery(self.line, self.queues, positioned, &delivery);
                }
            }
        }
        self.show_taps();
    }

    /// Nobody else could help.
    fn offer(&self, _: &Arc<Digest>) {}
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
