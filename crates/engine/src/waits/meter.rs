//! [`Meter`]: adds up the times of the threads of a stream.
//!
//! Two kinds of threads are measured:
//!
//! - The feeder and the writer thread wait for the outside. They tell the meter when a read or write begins and ends.
//!   The meter also adds up the time in which neither of them reads or writes: then the stream waits for its own work.
//! - Workers add the time of each task when it ends: all of it, and how much of it they waited, read and wrote. A
//!   worker reads and writes itself if the input or the output has offsets. While a task runs, its thread adds up these
//!   parts in a [`Times`] of its own.
//!
//! The clock is read where a thread really waits, twice for each read and write, and twice for each task.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Waits;

/// What a thread does besides its work.
#[derive(Clone, Copy)]
pub enum Activity {
    /// It waits for another thread.
    Waiting,
    /// It reads from a place with offsets.
    Reading,
    /// It writes to a place with offsets.
    Writing,
}

/// How long a thread did something besides its work.
#[derive(Clone, Copy, Default)]
struct Times {
    waited: Duration,
    read: Duration,
    written: Duration,
}

thread_local! {
    static TIMES: Cell<Times> = const {
        Cell::new(Times { waited: Duration::ZERO, read: Duration::ZERO, written: Duration::ZERO })
    };
}

/// Makes a call, and adds its time to the times of this thread.
pub fn timed<T>(activity: Activity, call: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let result = call();
    let mut times = TIMES.get();
    let sum = match activity {
        Activity::Waiting => &mut times.waited,
        Activity::Reading => &mut times.read,
        Activity::Writing => &mut times.written,
    };
    *sum += started.elapsed();
    TIMES.set(times);
    result
}

/// The times of a stream while it runs.
#[derive(Debug, Default)]
pub struct Meter {
    ends: Mutex<EndState>,
    workers: AtomicUsize,
    /// Nanoseconds of all tasks of all workers, and how much of that they waited, read and wrote.
    tasks: AtomicU64,
    waited: AtomicU64,
    read: AtomicU64,
    written: AtomicU64,
    /// Nanoseconds in which the feeder waited for room, and in which it read from a place with offsets.
    feeder_waited: AtomicU64,
    feeder_read: AtomicU64,
}

/// The two ends of a stream.
#[derive(Debug, Default)]
struct EndState {
    /// When the times below were brought up to date. None if no stream runs.
    at: Option<Instant>,
    /// How many streams run.
    running: usize,
    reading: usize,
    writing: usize,
    sums: EndTimes,
}

#[derive(Clone, Copy, Debug, Default)]
struct EndTimes {
    wall: Duration,
    reading: Duration,
    writing: Duration,
    /// Neither reading nor writing.
    neither: Duration,
}

impl EndState {
    fn update(&mut self, now: Instant) {
        let Some(at) = self.at.replace(now) else { return };
        let passed = now.saturating_duration_since(at);
        self.sums.wall += passed;
        if self.reading > 0 {
            self.sums.reading += passed;
        }
        if self.writing > 0 {
            self.sums.writing += passed;
        }
        if self.reading == 0 && self.writing == 0 {
            self.sums.neither += passed;
        }
    }
}

/// An end of a stream, for [`Meter::enter`] and [`Meter::leave`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Where the input comes from.
    Source,
    /// Where the output goes.
    Sink,
}

impl End {
    const fn other(self) -> Self {
        match self {
            Self::Source => Self::Sink,
            Self::Sink => Self::Source,
        }
    }
}

impl Meter {
    /// A stream begins, with this many workers. Returns the times before it.
    pub fn begin(&self, workers: usize) -> Snapshot {
        take_times();
        self.workers.store(workers.max(1), Ordering::Relaxed);
        let mut ends = self.ends();
        if ends.running == 0 {
            (ends.reading, ends.writing) = (0, 0);
        }
        ends.update(Instant::now());
        ends.running += 1;
        let sums = ends.sums;
        drop(ends);
        self.with_ends(sums)
    }

    /// A stream ends. Returns for what it waited, if these are the times before it.
    pub fn end(&self, before: &Snapshot) -> Waits {
        let mut ends = self.ends();
        ends.update(Instant::now());
        ends.running = ends.running.saturating_sub(1);
        if ends.running == 0 {
            ends.at = None;
        }
        let sums = ends.sums;
        drop(ends);
        self.with_ends(sums).since(before).waits()
    }

    /// Waiting for an end begins.
    pub fn enter(&self, end: End) {
        let mut ends = self.ends();
        ends.update(Instant::now());
        *ends.count(end) += 1;
    }

    /// Waiting for an end is over.
    pub fn leave(&self, end: End) {
        let mut ends = self.ends();
        ends.update(Instant::now());
        let count = ends.count(end);
        *count = count.saturating_sub(1);
    }

    /// Makes a call during which the stream waits for an end.
    pub fn during<T>(&self, end: End, call: impl FnOnce() -> T) -> T {
        self.enter(end);
        let result = call();
        self.leave(end);
        result
    }

    /// Makes a call during which the stream waits for this end, and not for its owner. The owner is the other end.
    pub fn during_instead<T>(&self, end: End, call: impl FnOnce() -> T) -> T {
        self.leave(end.other());
        let result = self.during(end, call);
        self.enter(end.other());
        result
    }

    /// Makes a call during which the owner of a stream, who is this end, waits for the stream.
    pub fn without_owner<T>(&self, owner: End, call: impl FnOnce() -> T) -> T {
        self.leave(owner);
        let result = call();
        self.enter(owner);
        result
    }

    /// Adds the time of a task of a worker, which this makes.
    pub fn task<T>(&self, task: impl FnOnce() -> T) -> T {
        take_times();
        let started = Instant::now();
        let result = task();
        add(&self.tasks, started.elapsed());
        let times = take_times();
        add(&self.waited, times.waited);
        add(&self.read, times.read);
        add(&self.written, times.written);
        result
    }

    /// Adds the times of the feeder, whose thread this is, since the last call.
    pub fn add_feeder(&self) {
        let times = take_times();
        add(&self.feeder_waited, times.waited);
        add(&self.feeder_read, times.read);
    }

    /// The times until now.
    pub fn snapshot(&self) -> Snapshot {
        let mut ends = self.ends();
        if ends.at.is_some() {
            ends.update(Instant::now());
        }
        let sums = ends.sums;
        drop(ends);
        self.with_ends(sums)
    }

    fn with_ends(&self, ends: EndTimes) -> Snapshot {
        let load = |nanos: &AtomicU64| Duration::from_nanos(nanos.load(Ordering::Relaxed));
        Snapshot {
            ends,
            workers: self.workers.load(Ordering::Relaxed),
            tasks: load(&self.tasks),
            waited: load(&self.waited),
            read: load(&self.read),
            written: load(&self.written),
            feeder_waited: load(&self.feeder_waited),
            feeder_read: load(&self.feeder_read),
        }
    }

    fn ends(&self) -> MutexGuard<'_, EndState> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EndState {
    fn count(&mut self, end: End) -> &mut usize {
        match end {
            End::Source => &mut self.reading,
            End::Sink => &mut self.writing,
        }
    }
}

fn add(sum: &AtomicU64, time: Duration) {
    if !time.is_zero() {
        sum.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

fn take_times() -> Times {
    TIMES.replace(Times::default())
}

/// The times of a [`Meter`] at a moment, or between two moments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Snapshot {
    ends: EndTimes,
    workers: usize,
    tasks: Duration,
    waited: Duration,
    read: Duration,
    written: Duration,
    feeder_waited: Duration,
    feeder_read: Duration,
}

impl Snapshot {
    /// The times after `before`.
    fn since(&self, before: &Self) -> Self {
        let (ends, old) = (&self.ends, &before.ends);
        Self {
            ends: EndTimes {
                wall: ends.wall.saturating_sub(old.wall),
                reading: ends.reading.saturating_sub(old.reading),
                writing: ends.writing.saturating_sub(old.writing),
                neither: ends.neither.saturating_sub(old.neither),
            },
            workers: self.workers,
            tasks: self.tasks.saturating_sub(before.tasks),
            waited: self.waited.saturating_sub(before.waited),
            read: self.read.saturating_sub(before.read),
            written: self.written.saturating_sub(before.written),
            feeder_waited: self.feeder_waited.saturating_sub(before.feeder_waited),
            feeder_read: self.feeder_read.saturating_sub(before.feeder_read),
        }
    }

    /// For what the stream waited.
    pub fn waits(&self) -> Waits {
        let EndTimes { wall, reading, writing, neither } = self.ends;
        let workers = u32::try_from(self.workers).unwrap_or(u32::MAX).max(1);
        // The workers were busy for this long, on average. If work cannot be divided, one of many workers is busy. Then
        // the average is low, but nobody reads or writes outside of the workers.
        let busy = self.tasks.saturating_sub(self.waited);
        let average = (busy / workers).min(wall);
        let own = average.max(neither.saturating_sub(self.feeder_read));
        // Workers that read and write themselves do so in the same time.
        let share = |part: Duration| own.mul_f64(part.div_duration_f64(busy.max(part)).min(1.0));
        let coding = busy.saturating_sub(self.read + self.written);
        let (read, coded, written) = match busy.is_zero() {
            true => (Duration::ZERO, own, Duration::ZERO),
            false => (share(self.read), share(coding), share(self.written)),
        };
        let for_sink = writing.max(written);
        Waits {
            for_source: reading.max(self.feeder_read.min(wall)).max(read),
            for_workers: coded,
            for_sink,
            source_idle: self.feeder_waited.min(wall),
            workers_idle: wall.saturating_sub(average),
            sink_idle: wall.saturating_sub(for_sink),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Stage;
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Two workers for 100 ms, which are busy for this long together.
    fn stream(tasks: u64, ends: EndTimes) -> Snapshot {
        let ends = EndTimes { wall: ms(100), ..ends };
        Snapshot { ends, workers: 2, tasks: ms(tasks), ..Snapshot::default() }
    }

    #[test]
    fn the_bottleneck_is_the_end_that_is_always_busy() {
        let ends = EndTimes { reading: ms(95), writing: ms(20), neither: ms(5), ..EndTimes::default() };
        assert_eq!(stream(60, ends).waits().bottleneck(), Some(Stage::Source));
        let ends = EndTimes { reading: ms(20), writing: ms(95), neither: ms(5), ..EndTimes::default() };
        assert_eq!(stream(60, ends).waits().bottleneck(), Some(Stage::Sink));
    }

    #[test]
    fn workers_that_are_always_busy_are_the_bottleneck_though_others_read_and_write_meanwhile() {
        let ends = EndTimes { reading: ms(60), writing: ms(60), neither: ms(15), ..EndTimes::default() };
        let waits = stream(195, ends).waits();
        assert_eq!(waits.bottleneck(), Some(Stage::Workers));
        assert!(waits.workers_idle < ms(5));
    }

    #[test]
    fn one_busy_worker_of_many_is_the_bottleneck_if_nobody_reads_or_writes() {
        let ends = EndTimes { reading: ms(5), writing: ms(5), neither: ms(90), ..EndTimes::default() };
        let snapshot = Snapshot { workers: 64, ..stream(90, ends) };
        assert_eq!(snapshot.waits().bottleneck(), Some(Stage::Workers));
    }

    #[test]
    fn workers_that_read_and_write_share_their_time() {
        let ends = EndTimes { neither: ms(100), ..EndTimes::default() };
        let waits = Snapshot { read: ms(150), written: ms(20), ..stream(200, ends) }.waits();
        assert_eq!((waits.for_source, waits.for_workers, waits.for_sink), (ms(75), ms(15), ms(10)));
        assert_eq!(waits.bottleneck(), Some(Stage::Source));
    }

    #[test]
    fn a_read_that_goes_on_is_counted_already() {
        let meter = Meter::default();
        let before = meter.begin(1);
        meter.enter(End::Source);
        let first = meter.snapshot().since(&before).waits().for_source;
        let second = loop {
            let now = meter.snapshot().since(&before).waits().for_source;
            if now > first {
                break now;
            }
        };
        meter.leave(End::Source);
        assert!(meter.end(&before).for_source >= second);
    }
}
