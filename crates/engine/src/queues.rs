//! The queues of the workers of a run: they say which worker does what next.
//!
//! New jobs enter one queue, in the order of the stream. A piece to be written goes to the queue of the worker that
//! coded it, because the data is still in its cache; idle workers steal from these queues, the oldest task first. A
//! checksum goes to a third queue, for idle workers only. The thread of a worker (`worker.rs`) calls [`Queues::next`].
//!
//! A worker empties its own queue before it does anything that can make it wait. So a worker that waits keeps no task.

use std::sync::Arc;
use std::time::Duration;

use super::digest::Digest;
use super::line::{Delivery, Jobs};
use super::signal::{Guard, Lock, Signal};
use super::sync::{Injector, Steal, Stealer, Worker, seeded};

/// How long a worker that may not work waits before it asks again.
const PARKED: Duration = Duration::from_millis(20);

/// A task of a worker.
pub(crate) enum Task {
    /// Code a job of the line.
    Job(u64),
    /// Write a piece whose offset in the output is known.
    Write(Delivery),
    /// Help with a checksum.
    Digest(Arc<Digest>),
}

/// The queues, and the signal for which idle workers wait.
pub(crate) struct Queues {
    jobs: Injector<Task>,
    /// Tasks for idle workers only. If no worker is idle, the worker that queued the task does the work itself.
    optional: Injector<Task>,
    stealers: Vec<Stealer<Task>>,
    wakeups: Lock<Wakeups>,
    wake: Signal,
    /// For workers that leave the machine to other programs. Only the end of the run wakes them early.
    parked: Signal,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Wakeups {
    /// Counts submissions, so that a worker misses none between its search and its sleep.
    count: u64,
    closed: bool,
}

impl Queues {
    /// The queues, and the deques of its workers. Each thread takes one deque.
    pub(crate) fn new(workers: usize) -> (Self, Vec<Worker<Task>>) {
        let deques: Vec<Worker<Task>> = (0..workers).map(|_| Worker::new_fifo()).collect();
        let queues = Self {
            jobs: Injector::new(),
            optional: Injector::new(),
            stealers: deques.iter().map(Worker::stealer).collect(),
            wakeups: Lock::new(Wakeups { count: 0, closed: false }),
            wake: Signal::default(),
            parked: Signal::default(),
        };
        (queues, deques)
    }

    /// Offers a checksum to an idle worker.
    pub(crate) fn offer(&self, digest: &Arc<Digest>) {
        if digest.request_help() {
            self.optional.push(Task::Digest(Arc::clone(digest)));
            self.wake_one();
        }
    }

    /// Wakes an idle worker, so that it looks for a task.
    pub(crate) fn wake_one(&self) {
        self.wakeups().count += 1;
        self.wake.notify_one();
    }

    /// Whether a worker is idle.
    pub(crate) fn is_idle(&self) -> bool {
        self.wake.is_awaited()
    }

    /// Waits until the worker that owns `deque` may work, or until the queues are closed. A worker with tasks of its
    /// own does these first.
    pub(crate) fn park(&self, deque: &Worker<Task>, may_work: impl Fn() -> bool) {
        while deque.is_empty() && !may_work() {
            let wakeups = self.wakeups();
            if wakeups.closed {
                return;
            }
            drop(self.parked.wait_for(&self.wakeups, wakeups, PARKED));
        }
    }

    /// The next task for the worker that owns `deque`. Sleeps if there is none. Returns nothing after the queues were
    /// closed.
    pub(crate) fn next(&self, deque: &Worker<Task>) -> Option<Task> {
        loop {
            let before = *self.wakeups();
            if let Some(task) = self.find(deque) {
                return Some(task);
            }
            let mut wakeups = self.wakeups();
            while *wakeups == before || seeded!(WakeupsNotCounted) && wakeups.closed == before.closed {
                if wakeups.closed {
                    return None;
                }
                wakeups = self.wake.wait(wakeups);
            }
        }
    }

    fn find(&self, deque: &Worker<Task>) -> Option<Task> {
        if let Some(task) = deque.pop() {
            return Some(task);
        }
        loop {
            // One task at a time: a batch would keep jobs behind one another that other workers could begin.
            let stolen = self.stealers.iter().map(Stealer::steal).collect::<Steal<Task>>();
            match stolen.or_else(|| self.optional.steal()).or_else(|| self.jobs.steal()) {
                Steal::Success(task) => return Some(task),
                Steal::Empty => return None,
                Steal::Retry => {}
            }
        }
    }

    fn wakeups(&self) -> Guard<'_, Wakeups> {
        self.wakeups.lock()
    }
}

impl Jobs for Queues {
    fn submit(&self, job: u64) {
        self.jobs.push(Task::Job(job));
        self.wake_one();
    }
    /// Ends the wait of all workers. Queued tasks are still done.
    fn close(&self) {
        self.wakeups().closed = true;
        self.wake.notify_all();
        self.parked.notify_all();
    }
}
