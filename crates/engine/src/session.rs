//! [`Session`]: a stream whose input and output are calls of its owner.
//!
//! [`run`](super::run) returns when a stream has ended, so it can use threads that borrow. A session outlives each call
//! of its owner. It owns all its memory, and its jobs are done by the threads of a [`Crew`], which other sessions may
//! share. The owner is a value such as the `Reader` or the `Writer` of pzcomp, which wraps an inner reader or writer.
//! Only the owner touches these, inside its own calls. So a session that is leaked or dropped never uses anything that
//! its owner has borrowed. The exception is a reader that the owner gives away ([`Session::start_reader`]): a thread of
//! its own reads it.
//!
//! The owner takes output from the line ([`Session::turn`]) and says what it can do instead of waiting: open another
//! job, or give input to the feeder.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::crew::{Crew, CrewStream};
use super::digest::Digest;
use super::emitter::OutputTasks;
use super::line::{Feed, Jobs, Line, LineState, Turn, Wait};
use super::queues::Task;
use super::signal::{Lock, Signal};
use super::source::Scratch;
use super::sync::{seeded, spawn};
use super::worker::{StopOnPanic, code_job};
use super::{Coder, CpuTimes, Lease, Outcome, Plan};
use crate::error::{Error, Result};
use crate::io::is_pause;
use crate::waits::{End, Meter, Snapshot, Waits};

/// Makes a coder for one thread.
pub type MakeCoder = Box<dyn Fn() -> Result<Box<dyn Coder>> + Send + Sync>;

/// A stream that is driven by its owner.
pub struct Session {
    stream: Arc<Shared>,
    /// The times of the progress before this stream, and whether the stream has ended.
    times_before: Snapshot,
    has_ended: AtomicBool,
    started: Instant,
}

/// What the owner and the threads of the crew share.
struct Shared {
    line: Line,
    crew: Arc<Crew>,
    tasks: Lock<Tasks>,
    make_coder: MakeCoder,
    /// How many jobs are coded at the same time.
    most: usize,
    /// Of `tasks`: there is a task that a thread of the session itself may do, or the session is over.
    refused: Signal,
}

struct Tasks {
    queue: VecDeque<Task>,
    /// Coders that no thread uses.
    coders: Vec<(Box<dyn Coder>, Scratch)>,
    /// How often the stream stands in the ring of the crew, and how many threads work for it, together.
    turns: usize,
    /// How many threads code a job.
    coding: usize,
}

impl Session {
    /// A session. Its owner writes the header of the plan. At most `most` threads of the crew code jobs at the same
    /// time, each with a coder from `make_coder`.
    pub fn new(plan: Plan, crew: Arc<Crew>, most: usize, make_coder: MakeCoder) -> Self {
        let tasks = Tasks { queue: VecDeque::new(), coders: Vec::new(), turns: 0, coding: 0 };
        let line = Line::new(plan, most);
        let times_before = line.meter().begin(most.min(crew.size()));
        let (tasks, refused) = (Lock::new(tasks), Signal::default());
        let stream = Arc::new(Shared { line, crew, tasks, make_coder, most, refused });
        Self { stream, times_before, has_ended: AtomicBool::new(false), started: Instant::now() }
    }

    /// Starts a thread that does the tasks of this session if the system refuses the crew a thread, and sleeps till
    /// then. A session that shares its crew with others needs it, unless its owner does the jobs: all threads of the
    /// crew may wait inside jobs of other sessions, for input that comes later.
    pub fn start_worker(&self) -> Result<()> {
        let stream = Arc::clone(&self.stream);
        let thread = spawn("worker", move || {
            stream.crew.begin_thread();
            let watch = StopOnPanic(&stream.line, &stream);
            while let Some(task) = stream.refused_task() {
                stream.work_on(task);
            }
            drop(watch);
        });
        thread.map(drop).map_err(|source| Error::Threads { source })
    }

    /// Starts a thread for the feeder. It asks the owner for input ([`Turn::Proceed`]).
    pub fn start_feeder(&self, feed: impl FnOnce(&Feed) -> Result<()> + Send + 'static) -> Result<()> {
        let stream = Arc::clone(&self.stream);
        let thread = spawn("reader", move || {
            let watch = StopOnPanic(&stream.line, &stream);
            stream.line.end(feed(&Feed { line: &stream.line, jobs: &stream }));
            drop(watch);
        });
        thread.map(drop).map_err(|cause| Error::Threads { source: cause })
    }

    /// Starts a thread that reads `reader` whenever the feeder wants input. Returns the reader if the system refuses
    /// the thread.
    pub fn start_reader<R: Read + Send + 'static>(&self, reader: R) -> Option<R> {
        let stream = Arc::clone(&self.stream);
        let reader = Arc::new(Lock::new(Some(reader)));
        let taken = Arc::clone(&reader);
        let thread = spawn("input", move || {
            let line = &stream.line;
            let watch = StopOnPanic(line, &stream);
            let mut reader = taken.lock().take();
            let mut offset = 0;
            while let Some(reader) = &mut reader
                && let Ok(mut slab) = line.wait_for_request()
            {
                match line.meter().during(End::Source, || reader.read(&mut slab)) {
                    Ok(len) => {
                        offset += len as u64;
                        line.supply(Ok((slab, len)));
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => line.return_request(slab),
                    Err(error) if is_pause(&error) => line.interrupt(error, slab),
                    Err(source) => line.supply(Err(Error::Read { offset, source })),
                }
            }
            drop(watch);
        });
        thread.err().and_then(|_| reader.lock().take())
    }

    /// For an owner that is the feeder itself.
    pub fn feed(&self) -> Feed<'_> {
        Feed { line: &self.stream.line, jobs: &self.stream }
    }

    /// For an owner that feeds: the next output, or what it waits for. If the system has refused threads, this thread
    /// does the job of the head while it waits, unless another thread does. All jobs must have been opened with all
    /// their input.
    pub fn turn(&self, wait: Wait) -> Turn {
        let Shared { line, .. } = &*self.stream;
        loop {
            let may_proceed = |state: &mut LineState| state.grants(wait) || self.stream.has_task_of_head();
            match line.turn(End::Source, may_proceed) {
                Turn::Proceed if line.grants(wait) => return Turn::Proceed,
                Turn::Proceed => {
                    if let Some(task) = self.stream.task_of_head() {
                        self.stream.work_on(task);
                    }
                }
                turn => return turn,
            }
        }
    }

    /// For an owner that takes: the next output, or the request for input ([`Turn::Proceed`]). With `read_ahead`, input
    /// that the feeder wants comes before output that is ready. Otherwise all output that the input so far allows comes
    /// first. `reads_itself` says that [`Self::start_reader`] was called, so no request comes.
    pub fn turn_to_take(&self, read_ahead: bool, reads_itself: bool) -> Turn {
        self.stream.line.turn_to_take(read_ahead, reads_itself)
    }

    /// Whether another job can be opened without waiting.
    pub fn has_room(&self) -> bool {
        self.stream.line.has_room()
    }

    /// The slab that the feeder wants to be filled.
    pub fn take_request(&self) -> Option<Lease> {
        self.stream.line.take_request()
    }

    /// Gives the feeder a slab and how many bytes of it are filled: 0 at the end of the input.
    pub fn supply(&self, supply: Result<(Lease, usize)>) {
        self.stream.line.supply(supply);
    }

    /// Puts the slab back, because there is no input yet.
    pub fn return_request(&self, slab: Lease) {
        self.stream.line.return_request(slab);
    }

    /// Notes that the owner opens no more jobs.
    pub fn end(&self) {
        self.stream.line.end(Ok(()));
    }

    /// The bytes at the end of the output and the outcome, or the first error of the stream. The stream must be over
    /// ([`Turn::Over`]). `written` is the length of the output before these bytes.
    pub fn ending(&self, written: u64) -> Result<(Vec<u8>, Outcome)> {
        let mut joiner = self.stream.line.take_joiner()?;
        let trailer = joiner.trailer();
        let outcome = Outcome {
            total: joiner.total(),
            written: written + trailer.len() as u64,
            wall: self.started.elapsed(),
            cpu: CpuTimes::default(),
            waits: self.end_times(),
            threads: self.stream.most.min(self.stream.crew.size()),
            sidecar: joiner.sidecar(),
        };
        Ok((trailer, outcome))
    }

    /// The times of the stream. The owner tells them when it waits for the source and the sink.
    pub fn meter(&self) -> &Meter {
        self.stream.line.meter()
    }

    /// For what the stream waited.
    fn end_times(&self) -> Waits {
        self.has_ended.store(true, Ordering::Relaxed);
        self.meter().end(&self.times_before)
    }

    /// Frees the buffers and the coders that no job uses. Returns how many bytes of buffers are left.
    pub fn trim(&self) -> usize {
        self.stream.tasks.lock().coders.clear();
        self.stream.line.slabs.trim() + self.stream.line.pieces.trim()
    }
}

/// The jobs that are queued are dropped. A thread that codes a job ends it, and its output is dropped.
impl Drop for Session {
    fn drop(&mut self) {
        if !*self.has_ended.get_mut() {
            self.end_times();
        }
        if !seeded!(DroppedWithoutStop) {
            self.stream.line.stop(Error::GivenUp);
        }
        self.stream.tasks.lock().queue.clear();
        self.stream.refused.notify_all();
        self.stream.crew.forget(Arc::as_ptr(&self.stream).cast());
    }
}

impl Shared {
    /// Queues a task, and asks the crew for a thread if one more may work for this stream.
    fn queue(self: &Arc<Self>, task: Task) {
        let mut tasks = self.tasks.lock();
        tasks.queue.push_back(task);
        let takes_turn = tasks.turns < self.most;
        tasks.turns += usize::from(takes_turn);
        drop(tasks);
        if takes_turn {
            self.crew.submit(Arc::clone(self) as _);
        } else if self.crew.is_short() {
            self.refused.notify_one();
        }
    }

    /// Waits for a task that the thread of the session does. Nothing if the session is over.
    fn refused_task(&self) -> Option<Task> {
        let mut tasks = self.tasks.lock();
        while !self.line.is_stopped() {
            if self.crew.is_short()
                && tasks.coding < self.most
                && let Some(task) = tasks.queue.pop_front()
            {
                return Some(task);
            }
            tasks = self.refused.rest(tasks);
        }
        None
    }

    /// Whether there is a task that the owner may do: the job of the head, for which there is always memory.
    fn has_task_of_head(&self) -> bool {
        self.crew.is_short() && self.is_of_head(self.tasks.lock().queue.front())
    }

    /// Takes such a task.
    fn task_of_head(&self) -> Option<Task> {
        let mut tasks = self.tasks.lock();
        if self.is_of_head(tasks.queue.front()) { tasks.queue.pop_front() } else { None }
    }

    fn is_of_head(&self, task: Option<&Task>) -> bool {
        task.is_some_and(|task| !matches!(task, Task::Job(job) if !self.line.is_head(*job)))
    }

    fn work_on(self: &Arc<Self>, task: Task) {
        match task {
            Task::Job(job) if !self.line.is_stopped() => self.line.meter().task(|| self.code(job)),
            Task::Digest(digest) => self.line.meter().task(|| digest.help()),
            // Output of a session is written by its owner.
            Task::Job(_) | Task::Write(_) => {}
        }
    }

    fn code(self: &Arc<Self>, job: u64) {
        let mut tasks = self.tasks.lock();
        tasks.coding += 1;
        let idle = tasks.coders.pop();
        drop(tasks);
        let coder = idle.map_or_else(|| (self.make_coder)().map(|coder| (coder, Scratch::default())), Ok);
        match coder {
            Ok((mut coder, mut scratch)) => {
                code_job(&self.line, None, job, &mut *coder, &mut scratch, self);
                let mut tasks = self.tasks.lock();
                tasks.coders.push((coder, scratch));
                tasks.coding -= 1;
            }
            Err(error) => {
                self.tasks.lock().coding -= 1;
                self.line.finish(job, None, Err(error));
            }
        }
    }
}

impl Jobs for Arc<Shared> {
    fn submit(&self, job: u64) {
        self.queue(Task::Job(job));
    }
}

impl OutputTasks for Arc<Shared> {
    /// The owner takes the output from the line.
    fn deliver(&self) {}

    fn offer(&self, digest: &Arc<Digest>) {
        let is_free = {
            let tasks = self.tasks.lock();
            tasks.queue.is_empty() && tasks.turns < self.most
        };
        if is_free && digest.request_help() {
            self.queue(Task::Digest(Arc::clone(digest)));
        }
    }
}

impl CrewStream for Shared {
    fn work(self: Arc<Self>) -> Option<Arc<dyn CrewStream>> {
        let watch = StopOnPanic(&self.line, &self);
        let task = self.tasks.lock().queue.pop_front();
        if let Some(task) = task {
            self.work_on(task);
        }
        drop(watch);
        let mut tasks = self.tasks.lock();
        if tasks.queue.is_empty() {
            if seeded!(TurnEndedInTwoSteps) {
                drop(tasks);
                tasks = self.tasks.lock();
            }
            tasks.turns -= 1;
            return None;
        }
        drop(tasks);
        Some(self)
    }

    fn be_refused(&self) {
        // A thread that has looked for a task before waits by now.
        drop(self.tasks.lock());
        self.refused.notify_all();
    }
}
