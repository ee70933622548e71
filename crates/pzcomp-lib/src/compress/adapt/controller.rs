//! [`Controller`]: chooses the level for the next chunk.
//!
//! Measurements of chunks and of both ends of the stream go in, and a level comes out. There are no threads and no
//! clock here, so that tests can run hours of a stream in a moment (`simulation.rs`).
//!
//! Of the levels with which the workers are 1.1 times as fast as the source and the sink, it is the one with the
//! shortest output; 1.05 times is enough for a level that was tried. The shortest output is mostly that of the highest
//! level, but not on all data. To know it, some chunks are coded at a second level too, while the workers wait for the
//! pipe. Only the first level's output is used.
//!
//! An end that is busy all the time shows its speed: the bytes that it took, divided by the time. An end that waits for
//! the workers seems faster than it is, because a pipe takes bytes at once as long as it has room. So the last speed
//! that an end has shown counts, until the workers are faster than that.
//!
//! - If both ends wait for the workers, the level falls at once, by as much as the estimates say.
//! - If an end was busy for a second, the level rises by as much as the estimates allow.

use std::collections::VecDeque;
use std::time::Duration;

use super::estimates::{Estimates, Shown};

/// How much faster than the ends the workers are to be.
const MARGIN: f64 = 1.1;

/// The same for a level that was tried: its estimate is a measurement.
const MARGIN_TRIED: f64 = 1.05;

/// The same for a level that is only tried, with one chunk: estimates are that uncertain.
const MARGIN_OF_TRIAL: f64 = 0.6;

/// An end that is busy for this part of the time is the bottleneck.
const BUSY: f64 = 0.9;

/// An end that is busy for less than this part of the time has no limit.
const SHOWN: f64 = 0.02;

/// Another level is worth a change if its output is shorter than this part.
const SHORTER: f64 = 0.995;

/// The level falls after the ends waited for this long.
const FALL_AFTER: Duration = Duration::from_millis(200);

/// The level rises after an end was busy for this long.
const RISE_AFTER: Duration = Duration::from_secs(1);

/// A level that was not tried may be estimated to be this many times slower than the level before, and no more.
const STEP_MAX: f64 = 4.0;

/// While an end is busy, one chunk in so many is coded at a second level that was not tried yet. If all were tried, one
/// chunk in so many tries one of them again.
const TRIAL_INTERVALS: (u32, u32) = (8, 64);

/// Looks at the ends are at least this far apart.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// A chunk that does not shrink to this part of its length is incompressible.
const COMPRESSIBLE: f64 = 0.97;

/// After so many chunks that shrink hardly at all, or to almost nothing, they are what this data is.
const ODD_MAX: u32 = 8;

/// What went through the ends since the start of the stream, and how long they were busy.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flow {
    pub(super) plain: u64,
    pub(super) source_busy: Duration,
    pub(super) coded: u64,
    pub(super) sink_busy: Duration,
}

/// At which level to code a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) level: i32,
    /// A second level, at which the chunk is coded before that, to compare the two. That output is not used.
    pub(super) trial: Option<i32>,
}

/// A chunk that was coded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coded {
    pub(super) plain_len: usize,
    pub(super) done: Done,
    /// What came of it at the second level.
    pub(super) trial: Option<Done>,
}

/// A chunk that was coded at a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    pub(super) level: i32,
    pub(super) coded_len: usize,
    pub(super) time: Duration,
}

impl Done {
    fn shown(&self, plain_len: usize) -> Shown {
        let (plain_len, coded_len) = (plain_len as f64, self.coded_len as f64);
        Shown { speed: plain_len / self.time.as_secs_f64().max(1e-6), ratio: coded_len / plain_len }
    }
}

/// The speed of an end in a stretch of time, and the part of the time in which it was busy.
#[derive(Clone, Copy)]
struct Pace {
    /// Bytes per second while it was busy.
    speed: f64,
    /// Bytes per second.
    rate: f64,
    busy: f64,
}

impl Pace {
    fn new(bytes: u64, busy: Duration, passed: Duration) -> Self {
        let (bytes, busy, passed) = (bytes as f64, busy.as_secs_f64(), passed.as_secs_f64());
        let share = busy / passed;
        // An end that is hardly waited for shows nothing of its speed.
        let speed = if share < SHOWN { f64::INFINITY } else { bytes / busy };
        Self { speed, rate: bytes / passed, busy: share }
    }
}

/// What an end takes, in bytes per second.
#[derive(Clone, Copy)]
struct Limits {
    source: f64,
    sink: f64,
}

/// Chooses levels.
pub(super) struct Controller {
    estimates: Estimates,
    workers: f64,
    /// The greatest length of a chunk.
    chunk_len: usize,
    /// The place of the current level.
    place: usize,
    /// Looks at the ends, since the level changed and for little more than [`RISE_AFTER`].
    looks: VecDeque<(Duration, Flow)>,
    /// What the ends have shown to take. Not a number if they were never busy.
    known: Limits,
    /// Chunks of this level that were coded since it was chosen.
    settled: u32,
    /// How many of the first chunks are still to be ignored: they wait for memory.
    first: usize,
    /// How many chunks in a row were odd.
    odd: u32,
    /// Chunks since another level was tried, and the level that is tried again next.
    since_trial: u32,
    next_trial: usize,
    /// The place of the level before the current one.
    before: usize,
    /// The chunks that are being coded at one level: these levels, lengths and starts.
    begun: Vec<(usize, usize, Duration)>,
    /// The levels that are being tried.
    trying: Vec<usize>,
}

impl Controller {
    /// A controller that begins with the level `start`.
    pub(super) fn new(estimates: Estimates, start: i32, workers: usize, chunk_len: usize) -> Self {
        let place = estimates.place(start);
        Self {
            estimates,
            workers: workers as f64,
            chunk_len,
            place,
            looks: VecDeque::new(),
            known: Limits { source: f64::NAN, sink: f64::NAN },
            settled: 0,
            first: workers,
            odd: 0,
            since_trial: 0,
            next_trial: 0,
            before: place,
            begun: Vec::with_capacity(workers),
            trying: Vec::with_capacity(workers),
        }
    }

    /// The level for a chunk of `len` bytes that is begun now.
    pub(super) fn begin(&mut self, len: usize, now: Duration, flow: Flow) -> Choice {
        let Self { begun, estimates, .. } = self;
        for &(place, len, start) in begun.iter() {
            let passed = now.saturating_sub(start).as_secs_f64();
            estimates.limit(place, len as f64 / passed.max(1e-6));
        }
        self.look(now, flow);
        let place = self.choose();
        if place != self.place {
            (self.before, self.place, self.settled) = (self.place, place, 0);
            self.looks.clear();
            self.look(now, flow);
        }
        let trial = self.trial().filter(|_| len >= self.chunk_len / 2);
        match trial {
            Some(trial) => self.trying.push(trial),
            None => self.begun.push((place, len, now)),
        }
        Choice { level: self.estimates.number(place), trial: trial.map(|place| self.estimates.number(place)) }
    }

    /// The place of the level with which the current one is to be compared, if it is time for that.
    fn trial(&mut self) -> Option<usize> {
        self.since_trial += 1;
        // A level that is used for the first time is compared with the level before it.
        if self.first == 0 && self.place != self.before && !self.estimates.is_tried(self.place) {
            return Some(self.before);
        }
        let (source, sink) = self.paces(FALL_AFTER).filter(|_| self.first == 0)?;
        if !self.estimates.is_tried(self.place) {
            return None;
        }
        let is_busy = source.busy.max(sink.busy) >= BUSY;
        let limits = Limits { source: source.speed, sink: sink.speed };
        // While the workers are the bottleneck, a slow trial would cost time.
        let is_useful = |place: &usize| match self.estimates.is_tried(*place) {
            _ if *place == self.place => false,
            true => is_busy && self.is_candidate(*place, limits),
            false => *place < self.place || is_busy && self.is_near(*place, limits),
        };
        let is_untried = |place: &usize| !self.estimates.is_tried(*place) && !self.trying.contains(place);
        let untried = (0..self.estimates.count()).rev().filter(is_useful).find(is_untried);
        let (first, again) = TRIAL_INTERVALS;
        if self.since_trial < if untried.is_some() { first } else { again } {
            return None;
        }
        let count = self.estimates.count();
        let place =
            untried.or_else(|| (1..=count).map(|step| (self.next_trial + step) % count).find(is_useful))?;
        (self.since_trial, self.next_trial) = (0, place);
        Some(place)
    }

    /// Records a chunk that was begun.
    pub(super) fn record(&mut self, chunk: Coded) {
        let Coded { plain_len, done, trial } = chunk;
        let place = self.estimates.place(done.level);
        let trial = trial.map(|trial| (self.estimates.place(trial.level), trial.shown(plain_len)));
        let (begun, trying) = (&mut self.begun, &mut self.trying);
        // Of several such chunks the oldest is taken for this one.
        if let Some((other, _)) = trial {
            trying.iter().position(|&place| place == other).map(|at| trying.swap_remove(at));
        } else if let Some(at) = begun.iter().position(|&(begun, len, _)| (begun, len) == (place, plain_len))
        {
            begun.remove(at);
        }
        if place == self.place {
            self.settled += 1;
        }
        if self.first > 0 {
            self.first -= 1;
            return;
        }
        // The last chunk, and chunks that were flushed, say nothing of the others.
        if plain_len < self.chunk_len / 2 {
            return;
        }
        let shown = done.shown(plain_len);
        let is_odd = shown.ratio > COMPRESSIBLE || self.estimates.shrinks_oddly(place, shown.ratio);
        self.odd = if is_odd { self.odd + 1 } else { 0 };
        if is_odd && self.odd <= ODD_MAX {
            return;
        }
        let is_new = !self.estimates.is_tried(place);
        if let Some((other, of_other)) = trial.filter(|_| is_new && !is_odd) {
            self.estimates.compare((other, of_other), (place, shown));
        }
        self.estimates.record(place, shown);
        if let Some(trial) = trial.filter(|_| !is_new && !is_odd) {
            self.estimates.compare((place, shown), trial);
        }
    }

    /// The estimate of bytes per second of one worker at a level.
    #[cfg(test)]
    pub(super) fn speed_of(&self, level: i32) -> f64 {
        self.estimates.speed(self.estimates.place(level))
    }

    fn look(&mut self, now: Duration, flow: Flow) {
        if self.looks.back().is_none_or(|&(last, _)| now >= last + LOOK_INTERVAL) {
            self.looks.push_back((now, flow));
        }
        while self.looks.get(1).is_some_and(|&(second, _)| second + RISE_AFTER <= now) {
            self.looks.pop_front();
        }
    }

    /// The paces of source and sink in the last time of this length. Nothing if the level is newer than that.
    fn paces(&self, length: Duration) -> Option<(Pace, Pace)> {
        let &(now, flow) = self.looks.back()?;
        let &(start, before) = self.looks.iter().rev().find(|&&(at, _)| at + length <= now)?;
        let passed = now - start;
        let busy = |now: Duration, before: Duration| now.saturating_sub(before);
        let source = Pace::new(flow.plain - before.plain, busy(flow.source_busy, before.source_busy), passed);
        let sink = Pace::new(flow.coded - before.coded, busy(flow.sink_busy, before.sink_busy), passed);
        Some((source, sink))
    }

    /// The place of the level for the next chunk.
    fn choose(&mut self) -> usize {
        if self.first > 0 || !self.estimates.is_tried(self.place) {
            return self.place;
        }
        let (long, short) = (self.paces(RISE_AFTER), self.paces(FALL_AFTER));
        if let Some((source, sink)) = long
            && source.busy.max(sink.busy) >= BUSY
        {
            let shown = |known: &mut f64, pace: Pace| {
                if pace.busy >= BUSY {
                    *known = pace.speed;
                }
            };
            shown(&mut self.known.source, source);
            shown(&mut self.known.sink, sink);
            let limits = Limits { source: source.speed, sink: sink.speed };
            return self.unless_as_good(self.best(limits), limits);
        }
        let Some((source, sink)) = short.filter(|_| self.settled > 0) else { return self.place };
        if source.busy.max(sink.busy) >= BUSY {
            return self.place;
        }
        // The workers are the bottleneck. An end that takes more than it has ever shown has become faster.
        let limit = |known: f64, pace: Pace| match pace.rate <= 1.05 * known {
            true => known,
            false => pace.speed,
        };
        let limits = Limits { source: limit(self.known.source, source), sink: limit(self.known.sink, sink) };
        let place = self.best(limits).min(self.place);
        // If the estimates see no reason, they are wrong after a second of that.
        if place == self.place && long.is_some() { place.saturating_sub(1) } else { place }
    }

    /// The level with the shortest output of those that are fast enough for these ends.
    fn best(&self, limits: Limits) -> usize {
        let ratio = |place: &usize| self.estimates.ratio(*place);
        let places = (0..self.estimates.count()).filter(|&place| self.is_candidate(place, limits));
        places.min_by(|one, other| ratio(one).total_cmp(&ratio(other))).unwrap_or(0)
    }

    /// Whether a level is fast enough for these ends, by its estimate.
    fn is_candidate(&self, place: usize, limits: Limits) -> bool {
        match self.estimates.is_tried(place) {
            true => self.is_fast_enough(place, limits, MARGIN_TRIED),
            false => self.is_near(place, limits) && self.is_fast_enough(place, limits, MARGIN),
        }
    }

    /// Whether a level that was not tried may be fast enough. The estimate of a level that is far slower than all that
    /// were tried says nothing.
    fn is_near(&self, place: usize, limits: Limits) -> bool {
        let slowest = self.estimates.slowest_tried().unwrap_or(f64::INFINITY);
        self.estimates.speed(place) * STEP_MAX >= slowest
            && self.is_fast_enough(place, limits, MARGIN_OF_TRIAL)
    }

    /// The place `other`, unless the current level is just fast enough and its output is not longer.
    fn unless_as_good(&self, other: usize, limits: Limits) -> usize {
        let is_shorter = self.estimates.ratio(other) < SHORTER * self.estimates.ratio(self.place);
        if is_shorter || !self.is_fast_enough(self.place, limits, 1.0) { other } else { self.place }
    }

    /// Whether the workers are `margin` times as fast as the ends at this level.
    fn is_fast_enough(&self, place: usize, limits: Limits, margin: f64) -> bool {
        let taken = limits.source.min(limits.sink / self.estimates.ratio(place).max(1e-6));
        self.workers * self.estimates.speed(place) >= margin * taken
    }
}
