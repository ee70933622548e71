//! The threads of a crew, which many sessions share.
//!
//! A [`Crew`] has a queue of members, the *ring*. A member is a session with tasks that a thread can begin at once; it
//! stands in the ring once for each thread that it can use. A thread takes the first member and does one task of it. If
//! the member has more tasks, it goes to the end of the ring. So all sessions get equal numbers of turns.
//!
//! A task may have to wait, for example until more input arrives. A thread that waits inside a task lends its place:
//! the crew wakes or starts another thread for it, so that the other sessions go on. Every wait of the pipeline goes
//! through [`Signal::wait`](super::signal::Signal::wait), which tells the crew. So the number of threads is the size of
//! the crew, plus one for each task that waits.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::plan::Throttle;
use super::signal::{Guard, Lock, Signal};
use super::sync::{AtomicBool, seeded, spawn, thread_local};

/// A stream that has tasks for the threads of a crew.
pub(super) trait CrewStream: Send + Sync {
    /// Does one task. Returns the member if it has another task that can be begun at once.
    fn work(self: Arc<Self>) -> Option<Arc<dyn CrewStream>>;
    /// Says that the system refuses the thread that would do the tasks.
    fn be_refused(&self);
}

/// Threads that many streams share.
pub struct Crew {
    state: Lock<CrewState>,
    /// There is a member in the ring, or the crew was closed.
    work: Signal,
    /// How many threads work at the same time.
    size: usize,
    /// Is told of each thread. It is asked nothing, so no thread of a crew parks.
    throttle: Option<Arc<dyn Throttle>>,
    /// The system has refused a thread.
    is_short: AtomicBool,
}

struct CrewState {
    ring: VecDeque<Arc<dyn CrewStream>>,
    /// All threads of the crew.
    threads: usize,
    /// Threads that wait for a member.
    idle: usize,
    /// Threads that wait inside a task.
    blocked: usize,
    closed: bool,
}

thread_local! {
    /// The crew to which this thread belongs.
    static OWN: RefCell<Option<Arc<Crew>>> = const { RefCell::new(None) };
}

impl Crew {
    /// A crew that works with `size` threads. One of them is started at once, so that a system without threads is
    /// noticed here. The others start when there is work for them. `throttle` is told of each thread. If the system
    /// refuses threads, the crew takes those that it gets later.
    pub fn new(size: usize, throttle: Option<Arc<dyn Throttle>>) -> Arc<Self> {
        let state = CrewState { ring: VecDeque::new(), threads: 1, idle: 0, blocked: 0, closed: false };
        let (state, work, size) = (Lock::new(state), Signal::default(), size.max(1));
        let crew = Arc::new(Self { state, work, size, throttle, is_short: AtomicBool::new(false) });
        crew.start();
        crew
    }

    /// Whether the system has refused a thread. Then owners of sessions do tasks themselves before they wait, or a
    /// thread of the session does.
    pub fn is_short(&self) -> bool {
        self.is_short.load(Ordering::Relaxed)
    }

    /// How many threads work at the same time.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Ends the threads as soon as their tasks are done.
    pub fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        let members = std::mem::take(&mut state.ring);
        drop(state);
        self.work.notify_all();
        // A member may hold the last reference to its stream, so it is dropped without the lock.
        drop(members);
    }

    /// Puts a member into the ring.
    pub(super) fn submit(self: &Arc<Self>, member: Arc<dyn CrewStream>) {
        let mut state = self.state.lock();
        state.ring.push_back(member);
        self.call_thread(state);
    }

    /// Takes a stream that is over out of the ring, where it would stay if no thread comes.
    pub(super) fn forget(&self, stream: *const ()) {
        if self.is_short() {
            self.state.lock().ring.retain(|member| Arc::as_ptr(member).cast() != stream);
        }
    }

    /// Wakes or starts a thread for a member in the ring, unless as many threads work as may.
    fn call_thread(self: &Arc<Self>, mut state: Guard<'_, CrewState>) {
        if state.ring.is_empty() || state.closed {
            return;
        }
        if state.idle > 0 {
            drop(state);
            return self.work.notify_one();
        }
        if state.threads - state.blocked < self.size {
            state.threads += 1;
            drop(state);
            self.start();
        }
    }

    /// Starts a thread, which is counted already. If the system refuses it, the members in the ring wait until a thread
    /// is free, or do their tasks themselves.
    fn start(self: &Arc<Self>) {
        let crew = Arc::clone(self);
        if spawn("worker", move || crew.run()).is_err() {
            self.is_short.store(true, Ordering::Relaxed);
            let mut state = self.state.lock();
            state.threads -= 1;
            let members: Vec<_> = state.ring.iter().cloned().collect();
            drop(state);
            members.iter().for_each(|member| member.be_refused());
        }
    }

    /// Tells the throttle that a thread begins.
    pub(super) fn begin_thread(&self) {
        self.throttle.iter().for_each(|throttle| throttle.begin());
    }

    /// The life of a thread.
    fn run(self: Arc<Self>) {
        OWN.with(|own| own.replace(Some(Arc::clone(&self))));
        self.begin_thread();
        let mut again: Option<Arc<dyn CrewStream>> = None;
        loop {
            let mut state = self.state.lock();
            state.ring.extend(again.take());
            // More threads work than should if this one or another has waited inside a task.
            let is_spare = |state: &CrewState| state.threads - state.idle - state.blocked > self.size;
            // Enough threads wait for something to do already.
            let is_surplus = |state: &CrewState| state.ring.is_empty() && state.idle >= self.size;
            while state.ring.is_empty() && !state.closed && !is_spare(&state) && !is_surplus(&state) {
                state.idle += 1;
                state = self.work.rest(state);
                state.idle -= 1;
            }
            if is_spare(&state) || state.ring.is_empty() {
                state.threads -= 1;
                return;
            }
            let member = state.ring.pop_front();
            self.call_thread(state);
            // A task that panics has stopped its own stream. Other streams go on.
            again = member.and_then(|member| catch_unwind(AssertUnwindSafe(|| member.work())).ok().flatten());
        }
    }
}

/// Lends the place of this thread to another thread of its crew, until it is dropped. Other threads are not affected.
pub(super) struct Waiting(Option<Arc<Crew>>);

impl Waiting {
    pub(super) fn new() -> Self {
        let crew = OWN.with(|own| own.borrow().clone());
        if let Some(crew) = &crew {
            let mut state = crew.state.lock();
            state.blocked += 1;
            // If no thread can be started, the members wait until a thread is free.
            if !seeded!(PlaceNotLent) {
                crew.call_thread(state);
            }
        }
        Self(crew)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(crew) = &self.0 {
            crew.state.lock().blocked -= 1;
        }
    }
}
