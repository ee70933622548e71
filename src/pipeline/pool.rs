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
    aside: Injector<Task>,
    stealers: Vec<Stealer<Task>>,
    bell: Lock<Bell>,
    rung: Signal,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Bell {
    /// Counts submissions, so that none is missed between looking and sleeping.
    rings: u64,
    closed: bool,
}

impl Pool {
    /// A pool with the deques of its workers, one to be taken by each thread.
    pub(crate) fn new(workers: usize) -> (Self, Vec<Worker<Task>>) {
        let deques: Vec<Worker<Task>> = (0..workers).map(|_| Worker::new_fifo()).collect();
        let pool = Self {
            jobs: Injector::new(),
            aside: Injector::new(),
            stealers: deques.iter().map(Worker::stealer).collect(),
            bell: Lock::new(Bell { rings: 0, closed: false }),
            rung: Signal::default(),
        };
        (pool, deques)
    }

    /// Queues a job behind those before it.
    pub(crate) fn submit(&self, job: u64) {
        self.jobs.push(Task::Job(job));
        self.ring();
    }

    /// Offers a checksum to whoever is idle.
    pub(crate) fn offer(&self, digest: &Arc<Digest>) {
        if digest.ask() {
            self.aside.push(Task::Digest(Arc::clone(digest)));
            self.ring();
        }
    }

    /// Lets an idle worker look for work it could steal.
    pub(crate) fn ring(&self) {
        self.bell().rings += 1;
        self.rung.notify_one();
    }

    /// Whether a worker has nothing to do.
    pub(crate) fn is_idle(&self) -> bool {
        self.rung.is_awaited()
    }

    /// Ends the wait of all workers; what is queued is still done.
    pub(crate) fn close(&self) {
        self.bell().closed = true;
        self.rung.notify_all();
    }

    /// The next task for the worker that owns `deque`; sleeps if there is none. Nothing after the close.
    pub(crate) fn next(&self, deque: &Worker<Task>) -> Option<Task> {
        loop {
            let before = *self.bell();
            if let Some(task) = self.find(deque) {
                return Some(task);
            }
            let mut bell = self.bell();
            while *bell == before {
                if bell.closed {
                    return None;
                }
                bell = self.rung.wait(bell);
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
            match stolen.or_else(|| self.aside.steal()).or_else(|| self.jobs.steal()) {
                Steal::Success(task) => return Some(task),
                Steal::Empty => return None,
                Steal::Retry => {}
            }
        }
    }

    fn bell(&self) -> Guard<'_, Bell> {
        self.bell.lock()
    }
}
