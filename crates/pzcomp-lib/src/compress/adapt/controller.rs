//! [`Controller`]: chooses the level for the next chunk.
//!
//! Measurements of chunks and of both ends of the stream go in, and a level comes out. There are no threads and no
//! clock here, so that tests can run hours of a stream in a moment (`simulation.rs`).
//!
//! While an end is the bottleneck, a chunk of another level is coded at the first level too, and the shorter output
//! counts. So no chunk is longer than at the first level. Each such chunk also shows how the two levels compare on this
//! data. Of the levels with which the workers are 1.1 times as fast as the source and the sink, it is the one with the
//! shortest output; 1.05 times is enough for a level that was tried. The shortest output is mostly that of the highest
//! level, but not on all data. So other levels are tried with some chunks.
//!
//! Levels below the first one exist only if the caller has asked for them. They are used alone if both ends mostly
//! waited for the workers at the first level for a second. Then the controller is in a hurry, until the first level is
//! fast enough again.
//!
//! An end that is busy all the time shows its speed: the bytes that it took, divided by the time. An end that waits for
//! the workers seems faster than it is, because a pipe takes bytes at once as long as it has room. So the last speed
//! that an end has shown counts, until the workers are faster than that.
//!
//! - If both ends wait for the workers, the level falls at once, by as much as the estimates say.
//! - If an end was busy for a second, the level rises by as much as the estimates allow.

use std::collections::VecDeque;
use std::ops::Range;
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

/// A lower level than the first one is used after both ends were busy for less than this part of a second: what they
/// take then would be more than what the longer output adds.
const IDLE: f64 = 0.5;

/// Another level is worth a change if its output is shorter than this part. It must also be that much shorter than that
/// of the first level.
const SHORTER: f64 = 0.995;

/// The level falls after the ends waited for this long.
const FALL_AFTER: Duration = Duration::from_millis(200);

/// The level rises after an end was busy for this long.
const RISE_AFTER: Duration = Duration::from_secs(1);

/// A level that was not tried may be estimated to be this many times slower than the level before, and no more.
const STEP_MAX: f64 = 4.0;

/// While an end is busy, one chunk in so many tries a level that was not tried yet. If all were tried, one chunk in so
/// many tries one of them again.
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
    /// The first level, if the chunk is coded at that too. The shorter output is used.
    pub(super) first: Option<i32>,
}

/// A chunk that was coded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coded {
    pub(super) plain_len: usize,
    pub(super) done: Done,
    /// What came of it at the first level.
    pub(super) first: Option<Done>,
}

/// A chunk that was coded at a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    pub(super) level: i32,
    pub(super) coded_len: usize,
    pub(super) time: Duration,
    /// The CPU time. Another process that needs the CPU makes only `time` longer.
    pub(super) cpu: Duration,
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
    /// The place of the first level.
    home: usize,
    /// The place of the current level.
    place: usize,
    /// Whether the first level was too slow, so that faster levels are used.
    is_hurried: bool,
    /// Looks at the ends, since the level changed and for little more than [`RISE_AFTER`].
    looks: VecDeque<(Duration, Flow)>,
    /// What the ends have shown to take. Not a number if they were never busy.
    known: Limits,
    /// Chunks of this level that were coded since it was chosen.
    settled: u32,
    /// How many chunks of the start are still to be ignored: they wait for memory.
    unsettled: usize,
    /// How many chunks in a row were odd.
    odd: u32,
    /// Chunks since another level was tried, and the level that is tried again next.
    since_trial: u32,
    next_trial: usize,
    /// The chunks that are being coded: their levels, lengths and starts.
    begun: Vec<(usize, usize, Duration)>,
}

impl Controller {
    /// A controller that begins with the level `start`.
    pub(super) fn new(estimates: Estimates, start: i32, workers: usize, chunk_len: usize) -> Self {
        let home = estimates.place(start);
        Self {
            estimates,
            workers: workers as f64,
            chunk_len,
            home,
            place: home,
            is_hurried: false,
            looks: VecDeque::new(),
            known: Limits { source: f64::NAN, sink: f64::NAN },
            settled: 0,
            unsettled: workers,
            odd: 0,
            since_trial: 0,
            next_trial: 0,
            begun: Vec::with_capacity(workers),
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
            (self.place, self.settled) = (place, 0);
            self.looks.clear();
            self.look(now, flow);
        }
        let trial = self.trial().filter(|_| len >= self.chunk_len / 2);
        let place = trial.unwrap_or(place);
        self.begun.push((place, len, now));
        let is_alone = self.is_hurried && trial.is_none() && self.estimates.is_tried(place);
        let first = (place != self.home && !is_alone).then(|| self.estimates.number(self.home));
        Choice { level: self.estimates.number(place), first }
    }

    /// The place of a level to try with the next chunk, if it is time for that.
    fn trial(&mut self) -> Option<usize> {
        self.since_trial += 1;
        let (source, sink) = self.paces(FALL_AFTER).filter(|_| self.unsettled == 0)?;
        // While the workers are the bottleneck, a trial would cost time.
        if source.busy.max(sink.busy) < BUSY || !self.estimates.is_tried(self.place) {
            return None;
        }
        let limits = Limits { source: source.speed, sink: sink.speed };
        let is_useful = |&place: &usize| {
            place != self.home
                && (place != self.place || self.is_hurried)
                && match self.estimates.is_tried(place) {
                    true => self.is_candidate(place, limits),
                    false => self.is_near(place, limits),
                }
        };
        let is_untried = |&place: &usize| {
            !self.estimates.is_tried(place) && !self.begun.iter().any(|&(begun, ..)| begun == place)
        };
        let places = self.places();
        let untried = places.clone().rev().filter(is_useful).find(is_untried);
        let (first, again) = TRIAL_INTERVALS;
        if self.since_trial < if untried.is_some() { first } else { again } {
            return None;
        }
        let count = places.len();
        let place =
            untried.or_else(|| (1..=count).map(|step| (self.next_trial + step) % count).find(is_useful))?;
        (self.since_trial, self.next_trial) = (0, place);
        Some(place)
    }

    /// Records a chunk that was begun.
    pub(super) fn record(&mut self, chunk: Coded) {
        let Coded { plain_len, done, first } = chunk;
        let place = self.estimates.place(done.level);
        // Of several such chunks the oldest is taken for this one.
        if let Some(at) = self.begun.iter().position(|&(begun, len, _)| (begun, len) == (place, plain_len)) {
            self.begun.remove(at);
        }
        if place == self.place {
            self.settled += 1;
        }
        if self.unsettled > 0 {
            self.unsettled -= 1;
            return;
        }
        // The last chunk, and chunks that were flushed, say nothing of the others.
        if plain_len < self.chunk_len / 2 {
            return;
        }
        let base = if first.is_some() { self.home } else { place };
        let shown = first.unwrap_or(done).shown(plain_len);
        let is_odd = shown.ratio > COMPRESSIBLE || self.estimates.shrinks_oddly(base, shown.ratio);
        self.odd = if is_odd { self.odd + 1 } else { 0 };
        if is_odd && self.odd <= ODD_MAX {
            return;
        }
        self.estimates.record(base, shown);
        if first.is_some() {
            self.estimates.compare((base, shown), (place, done.shown(plain_len)));
        }
    }

    /// What a chunk would be at the first level: what came of it there, or an estimate.
    pub(super) fn at_first(&self, chunk: &Coded) -> Done {
        let Self { estimates, home, .. } = self;
        let Done { level, coded_len, time, cpu } = chunk.done;
        chunk.first.unwrap_or_else(|| {
            let place = estimates.place(level);
            let (slower, longer) = (
                estimates.speed(place) / estimates.speed(*home),
                estimates.ratio(*home) / estimates.ratio(place),
            );
            Done {
                level: estimates.number(*home),
                coded_len: (coded_len as f64 * longer) as usize,
                time: time.mul_f64(slower),
                cpu: cpu.mul_f64(slower),
            }
        })
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

    /// The places of the levels that may be used now.
    fn places(&self) -> Range<usize> {
        0..if self.is_hurried { self.home + 1 } else { self.estimates.count() }
    }

    /// The place of the level for the next chunk.
    fn choose(&mut self) -> usize {
        if self.unsettled > 0 || !self.estimates.is_tried(self.place) {
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
            self.is_hurried &= !self.is_candidate(self.home, limits);
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
        let is_idle = |(source, sink): (Pace, Pace)| source.busy.max(sink.busy) < IDLE;
        self.is_hurried |= self.place <= self.home && long.is_some_and(is_idle);
        let lowest = if self.is_hurried { 0 } else { self.home.min(self.place) };
        let place = self.best(limits).clamp(lowest, self.place);
        // If the estimates see no reason, they are wrong after a second of that.
        if place == self.place && long.is_some() { lowest.max(place.saturating_sub(1)) } else { place }
    }

    /// The level with the shortest output of those that are fast enough for these ends. If none is, the first level, or
    /// the fastest one in a hurry.
    fn best(&self, limits: Limits) -> usize {
        let ratio = |place: &usize| self.estimates.ratio(*place);
        let is_worth_it = |place: &usize| self.is_hurried || ratio(place) < SHORTER * ratio(&self.home);
        let places = self.places().filter(|&place| self.is_candidate(place, limits)).filter(is_worth_it);
        let otherwise = if self.is_hurried { 0 } else { self.home };
        places.min_by(|one, other| ratio(one).total_cmp(&ratio(other))).unwrap_or(otherwise)
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
        let ratio = |place| self.estimates.ratio(place);
        let is_shorter = ratio(other) < SHORTER * ratio(self.place);
        let is_useless = !self.is_hurried && ratio(self.place) >= SHORTER * ratio(self.home);
        match is_shorter || is_useless || !self.is_fast_enough(self.place, limits, 1.0) {
            true => other,
            false => self.place,
        }
    }

    /// Whether the workers are `margin` times as fast as the ends at this level.
    fn is_fast_enough(&self, place: usize, limits: Limits, margin: f64) -> bool {
        let taken = limits.source.min(limits.sink / self.estimates.ratio(place).max(1e-6));
        let speed = self.estimates.speed(place);
        let speed = match self.is_hurried || place == self.home {
            true => speed,
            // The chunk is coded at the first level too.
            false => 1.0 / (1.0 / speed + 1.0 / self.estimates.speed(self.home)),
        };
        self.workers * speed >= margin * taken
    }
}
