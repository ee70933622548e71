//! The controller on pipes that are computed: workers, a sink with a limit, and a clock that tests move.
//!
//! A run is compared with runs at each fixed level on the same pipe. The speeds of the levels are not those that the
//! controller expects.

use std::time::Duration;

use super::controller::{Choice, Coded, Controller, Done, Flow};
use super::estimates::Estimates;

const MB: f64 = 1e6;
const STEP: Duration = Duration::from_millis(4);
const CHUNK_LEN: usize = 4 << 20;
/// The level to begin with.
const FIRST: i32 = 3;
/// What a pipe holds.
const PIPE_LEN: f64 = 1e6;
/// How many coded chunks wait at most.
const WAITING_MAX: usize = 4;

/// A pipe: what source and sink take in bytes per second, at a time and in all.
struct Pipe {
    workers: usize,
    source: fn(f64) -> f64,
    sink: fn(f64) -> f64,
    /// How much faster than usual each level is, from its number and the time.
    faster: fn(i32, f64) -> f64,
    /// How much longer than usual the output of each level is, from its number and that of the chunk.
    longer: fn(i32, usize) -> f64,
    /// How much longer than usual the output of this chunk is, and how much faster it comes, at all levels.
    data: fn(usize) -> (f64, f64),
    plain_len: f64,
}

/// Two workers between ends that are never in the way, with data of which the levels are other than expected.
const OTHER: Pipe = Pipe {
    workers: 2,
    source: endless,
    sink: endless,
    faster: other_data,
    longer: |_, _| 1.0,
    data: |_| (1.0, 1.0),
    plain_len: 3.6e9,
};

/// What came of a run.
#[derive(Debug)]
struct Ran {
    seconds: f64,
    coded: f64,
    levels: Vec<i32>,
}

/// The first level of a chunk that is coded at two levels.
#[derive(Clone, Copy)]
enum First {
    None,
    /// The chunk is coded at the first level now, and then at this one.
    Now(i32),
    Done(Done),
}

#[derive(Clone, Copy)]
enum Worker {
    Idle,
    /// It codes the chunk of this number at a level: the start, the plain bytes that are left, and the first level.
    Codes(usize, i32, Duration, f64, First),
    /// It waits for room for a coded chunk of this length.
    Waits(f64),
}

/// Levels with bytes per second of a worker, and with the coded length of a plain byte.
fn levels() -> Vec<(i32, f64, f64)> {
    let usual =
        [400.0, 320.0, 220.0, 180.0, 110.0, 85.0, 70.0, 60.0, 50.0, 40.0, 32.0, 26.0, 13.0, 10.0, 8.0, 5.0];
    let level = |(at, speed): (usize, &f64)| (at as i32 + 1, speed * MB, 0.36 * 0.985_f64.powi(at as i32));
    usual.iter().enumerate().map(level).collect()
}

/// Runs a stream, for at most so many seconds. Without a fixed level, the controller chooses.
fn run(pipe: &Pipe, fixed: Option<i32>, most: f64) -> Ran {
    let levels = levels();
    let estimates = Estimates::new(levels.iter().map(|&(number, speed, _)| (number, speed)));
    let mut controller = Controller::new(estimates, FIRST, pipe.workers, CHUNK_LEN);
    let mut workers = vec![Worker::Idle; pipe.workers];
    let (mut now, mut flow) = (Duration::ZERO, Flow::default());
    let (mut left, mut at_hand, mut waiting, mut in_pipe) = (pipe.plain_len, 0.0, Vec::new(), 0.0);
    let (mut written, mut ran) = (0.0, Vec::new());
    loop {
        let seconds = now.as_secs_f64();
        // The source fills at most two chunks ahead.
        if at_hand < 2.0 * CHUNK_LEN as f64 && left > 0.0 {
            let read = ((pipe.source)(seconds) * STEP.as_secs_f64()).min(left);
            (at_hand, left) = (at_hand + read, left - read);
            flow.plain += read as u64;
            flow.source_busy += STEP.mul_f64(if (pipe.source)(seconds) > 1e9 { 0.05 } else { 1.0 });
        }
        for worker in &mut workers {
            if let Worker::Codes(chunk, level, begun, rest, first) = worker {
                let &(_, speed, ratio) = levels.iter().find(|&&(number, ..)| number == *level).unwrap();
                let (longer, faster) = (pipe.data)(*chunk);
                *rest -= speed * faster * (pipe.faster)(*level, seconds) * STEP.as_secs_f64();
                if *rest <= 0.0 {
                    let ratio = ratio * (pipe.longer)(*level, *chunk) * longer;
                    let coded_len = (CHUNK_LEN as f64 * ratio) as usize;
                    let time = now - *begun;
                    let done = Done { level: *level, coded_len, time, cpu: time };
                    *worker = match *first {
                        First::Now(level) => {
                            Worker::Codes(*chunk, level, now, CHUNK_LEN as f64, First::Done(done))
                        }
                        first => {
                            let first = if let First::Done(first) = first { Some(first) } else { None };
                            controller.record(Coded { plain_len: CHUNK_LEN, done, first });
                            let shorter = first.filter(|first| first.coded_len < coded_len);
                            ran[*chunk] = shorter.map_or(*level, |first| first.level);
                            Worker::Waits(shorter.map_or(coded_len, |first| first.coded_len) as f64)
                        }
                    };
                }
            }
            if let Worker::Waits(coded_len) = worker
                && waiting.len() < WAITING_MAX
            {
                waiting.push(*coded_len);
                *worker = Worker::Idle;
            }
            if matches!(worker, Worker::Idle) && at_hand >= CHUNK_LEN as f64 {
                at_hand -= CHUNK_LEN as f64;
                let Choice { level, first } = controller.begin(CHUNK_LEN, now, flow);
                let (level, first) = match (fixed, first) {
                    (None, Some(first)) => (first, First::Now(level)),
                    _ => (fixed.unwrap_or(level), First::None),
                };
                *worker = Worker::Codes(ran.len(), level, now, CHUNK_LEN as f64, first);
                ran.push(level);
            }
        }
        // The writer fills the pipe, and the sink empties it.
        let drained = f64::min((pipe.sink)(seconds) * STEP.as_secs_f64(), in_pipe);
        in_pipe -= drained;
        written += drained;
        while let Some(first) = waiting.first_mut() {
            let moved = f64::min(*first, PIPE_LEN - in_pipe);
            (in_pipe, *first) = (in_pipe + moved, *first - moved);
            flow.coded += moved as u64;
            if *first > 0.0 {
                flow.sink_busy += STEP;
                break;
            }
            waiting.remove(0);
        }
        now += STEP;
        let is_over = left <= 0.0
            && at_hand < CHUNK_LEN as f64
            && workers.iter().all(|worker| matches!(worker, Worker::Idle));
        if is_over && waiting.is_empty() && in_pipe <= 0.0 || seconds > most {
            return Ran { seconds: now.as_secs_f64(), coded: written, levels: ran };
        }
    }
}

/// Compares a run with those at fixed levels: the best of these is the smallest of those that are about the fastest.
#[track_caller]
fn compare(pipe: &Pipe) -> Ran {
    let adapted = run(pipe, None, f64::MAX);
    let fixed: Vec<Ran> =
        levels().iter().map(|&(number, ..)| run(pipe, Some(number), 1.2 * adapted.seconds)).collect();
    let fastest = fixed.iter().map(|ran| ran.seconds).fold(f64::MAX, f64::min);
    let best = fixed.iter().filter(|ran| ran.seconds <= 1.01 * fastest);
    let best = best.min_by(|one, other| one.coded.total_cmp(&other.coded)).unwrap();
    let (time, size) = (adapted.seconds / best.seconds, adapted.coded / best.coded);
    let counts: Vec<(i32, usize)> = levels()
        .iter()
        .map(|&(number, ..)| (number, adapted.levels.iter().filter(|&&level| level == number).count()))
        .collect();
    println!("best fixed level {}: time {time:.3}, size {size:.3}; {counts:?}", best.levels[0]);
    // Coding at the first level too costs a level or two.
    assert!(time <= 1.06 && size <= 1.06, "time {time:.3}, size {size:.3}");
    adapted
}

fn endless(_: f64) -> f64 {
    1e12
}

fn usual(_: i32, _: f64) -> f64 {
    1.0
}

/// Higher levels are slower than expected, the lowest ones faster.
fn other_data(level: i32, _: f64) -> f64 {
    1.3 * 0.95_f64.powi(level)
}

#[test]
fn a_slow_sink_gets_the_highest_level_that_keeps_it_busy() {
    for faster in [usual, other_data] {
        for sink in [|_| 10.0 * MB, |_| 50.0 * MB, |_| 100.0 * MB] as [fn(f64) -> f64; 3] {
            let plain_len = 60.0 * sink(0.0) / 0.32;
            compare(&Pipe { sink, faster, plain_len, ..OTHER });
        }
    }
}

#[test]
fn many_workers_code_at_higher_levels() {
    for workers in [1, 8, 32] {
        let pipe = Pipe { workers, sink: |_| 50.0 * MB, plain_len: 9e9, ..OTHER };
        compare(&pipe);
    }
}

#[test]
fn a_slow_source_gets_the_highest_level_that_keeps_it_busy() {
    compare(&Pipe { source: |_| 60.0 * MB, ..OTHER });
}

#[test]
fn a_sink_that_becomes_faster_or_slower_is_followed() {
    for sink in [
        |at| if at < 30.0 { 10.0 * MB } else { 50.0 * MB },
        |at| if at < 30.0 { 100.0 * MB } else { 10.0 * MB },
        |at| if at < 30.0 { 50.0 * MB } else { 100.0 * MB },
    ] as [fn(f64) -> f64; 3]
    {
        let plain_len = 30.0 * (sink(0.0) + sink(31.0)) / 0.33;
        compare(&Pipe { sink, plain_len, ..OTHER });
    }
}

#[test]
fn data_that_becomes_harder_is_followed() {
    let faster = |level, at| other_data(level, at) * if at < 20.0 { 1.0 } else { 0.5 };
    let pipe = Pipe { sink: |_| 20.0 * MB, faster, ..OTHER };
    compare(&pipe);
}

#[test]
fn without_a_slow_end_the_fastest_level_is_used() {
    let pipe = Pipe { faster: usual, plain_len: 3e10, ..OTHER };
    let ran = run(&pipe, None, f64::MAX);
    let slow = ran.levels.iter().filter(|&&level| level > 1).count();
    assert!(slow * 50 < ran.levels.len(), "{slow} of {}", ran.levels.len());
}

#[test]
fn a_lower_level_with_a_shorter_output_is_preferred() {
    // As in tables of numbers: the fastest level finds the same matches, and higher levels waste their time.
    let longer = |level, _| if level == 1 { 0.85 } else { 1.0 };
    for sink in [|_| 50.0 * MB, |at| if at < 20.0 { 30.0 * MB } else { 200.0 * MB }] as [fn(f64) -> f64; 2] {
        compare(&Pipe { sink, faster: usual, longer, plain_len: 9e9, ..OTHER });
    }
}

#[test]
fn a_higher_level_is_found_although_the_levels_between_are_worse() {
    // As on other tables of numbers: level 1 is better than the levels from 2 to 7. Level 8 is better than level 1, and
    // faster than level 7.
    let longer = |level, _| match level {
        1 => 0.86,
        2..=7 => 1.0,
        _ => 0.93,
    };
    let faster = |level, _| if level >= 8 { 0.8 } else { 0.5 };
    for sink in [|_| 10.0 * MB, |_| 17.0 * MB, |_| 20.0 * MB, |_| 26.0 * MB] as [fn(f64) -> f64; 4] {
        let plain_len = 60.0 * sink(0.0) / 0.32;
        compare(&Pipe { sink, faster, longer, plain_len, ..OTHER });
    }
}

#[test]
fn data_that_changes_all_the_time_does_not_disturb_how_levels_compare() {
    // As in the backup of a database: tables, indexes, and files of zeros.
    let data = |chunk| match chunk / 6 % 8 {
        0 | 3 => (1.4, 0.8),
        1 | 4 => (0.7, 1.3),
        5 => (0.0003, 6.0),
        _ => (1.0, 1.0),
    };
    let sink = |_| 10.0 * MB;
    let plain_len = 2.5e9;
    compare(&Pipe { sink, data, plain_len, ..OTHER });
}

/// Rates of sinks in MB/s, behind a buffer of the system that takes some megabytes at once.
const RATES: [f64; 6] = [1.0, 2.0, 3.0, 5.0, 8.0, 20.0];

/// Data of which no level is the shortest for long: at some levels it is longer than at the first one.
fn unruly(level: i32, chunk: usize) -> f64 {
    match chunk / 7 % 5 {
        0 => 1.0,
        1 if level == 1 => 0.8,
        2 if level > 3 => 1.3,
        3 if level % 2 == 0 => 1.1,
        _ => 1.0 + f64::from((chunk as i32 * 7 + level * 5) % 11) / 50.0,
    }
}

#[test]
fn no_slow_sink_gets_more_than_at_the_first_level() {
    let sinks: [fn(f64) -> f64; 6] = [
        |at| if at < 0.3 { 1e9 } else { RATES[0] * MB },
        |at| if at < 0.3 { 1e9 } else { RATES[1] * MB },
        |at| if at < 0.3 { 1e9 } else { RATES[2] * MB },
        |at| if at % 2.0 < 0.2 { 5.0 * RATES[3] * MB } else { RATES[3] * MB },
        |at| if at < 0.3 { 1e9 } else { RATES[4] * MB },
        |at| if at < 0.3 { 1e9 } else { RATES[5] * MB },
    ];
    let data = |chunk| if chunk / 40 % 2 == 0 { (1.0, 1.0) } else { (1.4, 0.6) };
    for (sink, rate) in sinks.into_iter().zip(RATES) {
        let calm = (OTHER.longer, usual as fn(i32, f64) -> f64);
        let wild = (unruly as fn(i32, usize) -> f64, other_data as fn(i32, f64) -> f64);
        for (seconds, kinds) in [(10.0, &[calm, wild][..]), (60.0, &[calm, wild]), (3600.0, &[wild])] {
            for &(longer, faster) in kinds {
                let plain_len = seconds * rate * MB / 0.34;
                let pipe = Pipe { sink, faster, longer, data, plain_len, ..OTHER };
                let (adapted, first) = (run(&pipe, None, f64::MAX), run(&pipe, Some(FIRST), f64::MAX));
                let (time, size) = (adapted.seconds / first.seconds, adapted.coded / first.coded);
                println!("{rate} MB/s, {seconds} s: time {time:.3}, size {size:.4}");
                assert!(
                    size <= 1.001 && time <= 1.05,
                    "{rate} MB/s, {seconds} s: time {time:.3}, size {size:.4}"
                );
            }
        }
    }
}

#[test]
fn the_level_falls_by_several_levels_at_once() {
    let sink = |at| if at < 20.0 { 5.0 * MB } else { 80.0 * MB };
    let pipe = Pipe { sink, faster: usual, plain_len: 4e9, ..OTHER };
    let ran = run(&pipe, None, f64::MAX);
    let deepest = ran.levels.windows(2).map(|pair| pair[0] - pair[1]).max();
    assert!(deepest >= Some(5), "{deepest:?}");
}

#[test]
fn incompressible_chunks_and_short_ones_do_not_count() {
    let controller = || {
        let estimates = Estimates::new(levels().into_iter().map(|(number, speed, _)| (number, speed)));
        Controller::new(estimates, 5, 1, CHUNK_LEN)
    };
    let coded = |plain_len: usize, part: usize, ms| {
        let done = Done {
            level: 5,
            coded_len: plain_len / 100 * part,
            time: Duration::from_millis(ms),
            cpu: Duration::ZERO,
        };
        Coded { plain_len, done, first: None }
    };
    let ordinary = coded(CHUNK_LEN, 30, 40);
    for odd in [coded(CHUNK_LEN, 100, 1), coded(CHUNK_LEN / 4, 5, 1000)] {
        let (mut with, mut without) = (controller(), controller());
        for at in 0..20 {
            with.record(ordinary);
            without.record(ordinary);
            if at % 3 == 0 {
                with.record(odd);
            }
        }
        assert_eq!(with.speed_of(5), without.speed_of(5));
    }
    // If all data is like that, it counts.
    let mut controller = controller();
    (0..30).for_each(|_| controller.record(coded(CHUNK_LEN, 100, 4)));
    assert!(controller.speed_of(5) > 900.0 * MB);
}
