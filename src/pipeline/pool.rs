//! The work-stealing pool's queues: which worker does what next.
//!
//! New jobs enter through an injector, in stream order. What a worker's own result still needs goes
//! to the worker's own deque while the data is hot in its cache; idle workers steal it, oldest first.
//! A worker empties its own deque before anything that can make it wait, so no task is ever held by
//! someone who waits.

use std::sync::Arc;

use crossbeam_deque::{Injector, Steal, Stealer, Worker};

use super::digest::Digest;
use super::line::Delivery;
use super::signal::{Guard, Lock, Signal};

/// Something a worker can do.
pub(crate) enum Task {
    /// Code a job of the line.
    Job(u64),
    /// Write a piece whose place in the output file is known.
    Write(Delivery),
    /// Help with a checksum.
    Digest(Arc<Digest>),
}

/// The queues and the place where idle workers sleep.
pub(crate) struct Pool {
    jobs: Injector<Task>,
    /// What only somebody idle should do; its owner does it itself if nobody is.
    optional: Injector<Task>,
    stealers: Vec<Stealer<Task>>,
    wakeups: Lock<Wakeups>,
    wake: Signal,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Wakeups {
    /// Counts submissions, so that none is missed between looking and sleeping.
    count: u64,
    closed: bool,
}

impl Pool {
    /// A pool with the deques of its workers, one to be taken by each thread.
    pub(crate) fn new(workers: usize) -> (Self, Vec<Worker<Task>>) {
        let deques: Vec<Worker<Task>> = (0..workers).map(|_| Worker::new_fifo()).collect();
        let pool = Self {
            jobs: Injector::new(),
            optional: Injector::new(),
            stealers: deques.iter().map(Worker::stealer).collect(),
            wakeups: Lock::new(Wakeups { count: 0, closed: false }),
            wake: Signal::default(),
        };
        (pool, deques)
    }

    /// Queues a job behind those before it.
    pub(crate) fn submit(&self, job: u64) {
        self.jobs.push(Task::Job(job));
        self.wake_one();
    }

    /// Offers a checksum to whoever is idle.
    pub(crate) fn offer(&self, digest: &Arc<Digest>) {
        if digest.request_help() {
            self.optional.push(Task::Digest(Arc::clone(digest)));
            self.wake_one();
        }
    }

    /// Lets an idle worker look for work it could steal.
    pub(crate) fn wake_one(&self) {
        self.wakeups().count += 1;
        self.wake.notify_one();
    }

    /// Whether a worker has nothing to do.
    pub(crate) fn is_idle(&self) -> bool {
        self.wake.is_awaited()
    }

    /// Ends the wait of all workers; what is queued is still done.
    pub(crate) fn close(&self) {
        self.wakeups().closed = true;
        self.wake.notify_all();
    }

    /// The next task for the worker that owns `deque`; sleeps if there is none. Nothing after the close.
    pub(crate) fn next(&self, deque: &Worker<Task>) -> Option<Task> {
        loop {
            let before = *self.wakeups();
            if let Some(task) = self.find(deque) {
                return Some(task);
            }
            let mut wakeups = self.wakeups();
            while *wakeups == before {
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
            // One at a time: a batch would put jobs behind each other that others could begin.
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
