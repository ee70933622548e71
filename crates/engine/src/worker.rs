//! The thread of a worker: it takes tasks from the queues and does them.
//!
//! A task is a job to be coded, a piece to be written, or a checksum to be helped with. `run.rs` starts a
//! [`WorkerThread`] for each coder. The input of a job comes through a [`Source`], and its output leaves through an
//! [`Emitter`].
//!
//! A worker empties its own queue before it does anything that can make it wait. So no task waits for a worker that
//! waits.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::digest::Digest;
use super::emitter::{Emitter, OutputTasks};
use super::line::{Delivery, Jobs, Line};
use super::plan::Throttle;
use super::queues::{Queues, Task};
use super::signal::{Guard, Lock};
use super::source::{Scratch, Source};
use super::sync::{AtomicBool, Worker};
use super::{Coder, thread_cpu};
use crate::error::{Error, Result};
use crate::io::{PlacedFile, RandomAccess, WriteAt, write_at};
use crate::waits::{Activity, End, timed};

/// What workers write to, each piece at its own offset.
#[derive(Clone, Copy)]
pub(super) enum Positioned<'a> {
    File(PlacedFile<'a>),
    Shared(&'a dyn WriteAt),
    Nothing,
}

impl Positioned<'_> {
    /// Writes at an offset of the output.
    pub(super) fn write_at(self, bytes: &[u8], at: u64) -> Result<()> {
        let wrote = match self {
            Self::File(file) => timed(Activity::Writing, || file.write_all_at(bytes, at)),
            Self::Shared(target) => timed(Activity::Writing, || target.write_all_at(bytes, at)),
            Self::Nothing => Ok(()),
        };
        wrote.map_err(|source| Error::Write { offset: at, source })
    }
}

/// Writes a piece at its own offset. If that fails, the line stops.
pub(super) fn write_delivery(
    line: &Line,
    queues: &Queues,
    positioned: Positioned,
    Delivery { at, slice }: &Delivery,
) {
    if let Err(error) = positioned.write_at(slice, *at) {
        line.stop(error);
        queues.close();
    }
}

/// The stream that a writer thread writes. If the system does not start that thread, the other threads write the
/// stream.
pub(super) struct InOrder<'a> {
    stream: Lock<Option<Box<dyn Write + Send + 'a>>>,
    /// Whether there is no writer thread. Set before the first job is opened.
    is_shared: AtomicBool,
}

impl<'a> InOrder<'a> {
    pub(super) fn new(stream: Option<Box<dyn Write + Send + 'a>>) -> Self {
        Self { stream: Lock::new(stream), is_shared: AtomicBool::new(false) }
    }

    /// The stream, at the end.
    pub(super) fn take(&self) -> Option<Box<dyn Write + Send + 'a>> {
        self.stream.lock().take()
    }

    /// The stream, as long as it is written.
    pub(super) fn stream(&self) -> Guard<'_, Option<Box<dyn Write + Send + 'a>>> {
        self.stream.lock()
    }

    pub(super) fn share(&self) {
        self.is_shared.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_shared(&self) -> bool {
        self.is_shared.load(Ordering::Relaxed)
    }

    /// Writes what is certain. The lock is held until it is written, so the pieces are written in order.
    pub(super) fn deliver(&self, line: &Line, queues: &Queues) {
        if let Some(stream) = &mut *self.stream.lock() {
            while let Some(Delivery { at, slice }) = line.deliver() {
                if let Err(error) = line.meter().during(End::Sink, || write_at(&mut **stream, &slice, at)) {
                    line.stop(error);
                }
            }
        }
        if line.is_over() {
            queues.close();
        }
    }
}

/// Stops the line if the thread that owns this value panics, so that no other thread waits for it for ever.
pub(super) struct StopOnPanic<'a>(pub(super) &'a Line, pub(super) &'a dyn Jobs);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop(Error::Internal("a thread panicked".into()));
            self.1.close();
        }
    }
}

/// What the thread of a worker works with.
pub(super) struct WorkerThread<'a, 's> {
    pub(super) line: &'a Line,
    pub(super) queues: &'a Queues,
    pub(super) deque: Worker<Task>,
    /// Workers are numbered from 0.
    pub(super) number: usize,
    pub(super) throttle: Option<&'a dyn Throttle>,
    /// Where ranges of the input are read from.
    pub(super) place: Option<RandomAccess<'a>>,
    pub(super) positioned: Option<Positioned<'a>>,
    pub(super) in_order: &'a InOrder<'s>,
}

impl WorkerThread<'_, '_> {
    pub(super) fn work(&self, mut coder: Box<dyn Coder>) -> Duration {
        let _watch = StopOnPanic(self.line, self.queues);
        let mut scratch = Scratch::default();
        if let Some(throttle) = self.throttle {
            throttle.begin();
        }
        while let Some(task) = self.next() {
            self.line.meter().task(|| match task {
                Task::Job(job) => self.run(job, &mut *coder, &mut scratch),
                Task::Write(delivery) => self.write(&delivery),
                Task::Digest(digest) => digest.help(),
            });
        }
        thread_cpu() + coder.helpers_cpu()
    }

    fn next(&self) -> Option<Task> {
        if let Some(throttle) = self.throttle {
            self.queues.park(&self.deque, || throttle.may_work(self.number));
        }
        self.queues.next(&self.deque)
    }

    fn run(&self, job: u64, coder: &mut dyn Coder, scratch: &mut Scratch) {
        code_job(self.line, self.place, job, coder, scratch, self);
        self.deliver();
    }

    fn write(&self, delivery: &Delivery) {
        if let Some(positioned) = self.positioned {
            write_delivery(self.line, self.queues, positioned, delivery);
        }
    }
}

/// Codes a job whose input comes through the line and whose output goes to the line.
pub(super) fn code_job(
    line: &Line,
    place: Option<RandomAccess>,
    job: u64,
    coder: &mut dyn Coder,
    scratch: &mut Scratch,
    tasks: &dyn OutputTasks,
) {
    let mut source = Source::new(line, place, scratch, job);
    let mut out = Emitter::new(line, job, tasks);
    let result = coder.code(&mut source, &mut out);
    source.relay.hand_over(out.leave_checksum());
    // Output before an error counts too.
    line.finish(job, out.into_rest(), result);
}

impl OutputTasks for WorkerThread<'_, '_> {
    /// If the workers write, takes the pieces that are certain from the line, in order, and writes them. The pieces
    /// get their offsets here. The writing itself can be stolen by idle workers.
    fn deliver(&self) {
        if self.positioned.is_none() {
            if self.in_order.is_shared() {
                self.in_order.deliver(self.line, self.queues);
            }
            return;
        }
        // One piece is left for a worker that is idle, so that one core decodes a long frame while another core
        // writes it. Only one is left, because the memory of pieces that wait here is missing for decoding.
        let mut left = 0;
        while let Some(delivery) = self.line.deliver() {
            self.deque.push(Task::Write(delivery));
            left = usize::from(self.queues.is_idle());
            if self.deque.len() + left > 1 {
                self.queues.wake_one();
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
            self.queues.close();
        }
    }

    fn deliver_all(&self) {
        self.deliver();
        while let Some(task) = self.deque.pop() {
            if let Task::Write(delivery) = task {
                self.write(&delivery);
            }
        }
    }

    fn offer(&self, digest: &Arc<Digest>) {
        self.queues.offer(digest);
    }
}
