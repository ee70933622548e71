//! Models: small streams of the engine, run by shuttle under many schedules of their threads.
//!
//! A model is a function that runs a stream once and asserts what must hold whatever the order of the threads: no
//! thread waits for ever, all output is there and in order, or all bytes before the first error in the order of the
//! stream, and all buffers come back. [`explore`] runs it under random schedules, and under schedules with few switches
//! (PCT), which find other bugs. A model also draws its shape with [`pick`]: cuts, threads, lengths, the place of an
//! error.
//!
//! `make schedules` explores much, and `make test` a little. `faults.rs` has the bugs that the models must find. If a
//! model fails, shuttle prints the schedule, and `PZCOMP_REPLAY` with this text runs it again.

#![allow(clippy::expect_used, reason = "a model that fails panics")]

mod coders;
mod faults;
mod line;
mod pool;
mod relay;
mod ring;
mod session;
mod store;

use std::sync::Arc;

use shuttle::rand::{Rng, thread_rng};
use shuttle::scheduler::{PctScheduler, RandomScheduler, ReplayScheduler};
use shuttle::{Config, MaxSteps, Runner};

use super::buffers::Buffers;
use super::sync::{Timeouts, set_threads_left};

/// How many schedules of each kind a model runs under if `PZCOMP_SCHEDULES` does not say it.
const SCHEDULES: usize = 1000;

/// PCT switches threads at most this often where they do not wait.
const SWITCHES: usize = 3;

/// The schedules are the same in each run. `SHUTTLE_RANDOM_SEED` has another seed.
const SEED: u64 = 32;

fn schedules() -> usize {
    let wanted = std::env::var("PZCOMP_SCHEDULES").ok();
    wanted.map_or(SCHEDULES, |wanted| wanted.parse().expect("PZCOMP_SCHEDULES is a number"))
}

fn config() -> Config {
    // As models expect it that do not choose.
    Timeouts::AtAnyMoment.set();
    set_threads_left(usize::MAX);
    let mut config = Config::new();
    config.stack_size = 256 << 10;
    // A stream takes some thousand steps. A model that takes more waits for ever, and does not sleep.
    config.max_steps = MaxSteps::FailAfter(200_000);
    config.silence_warnings = true;
    config.ungraceful_shutdown_config.immediately_return_on_panic = true;
    config
}

/// Runs a model under schedules of both kinds.
fn explore(model: fn()) {
    if let Ok(schedule) = std::env::var("PZCOMP_REPLAY") {
        Runner::new(ReplayScheduler::new_from_encoded(&schedule), config()).run(model);
        return;
    }
    let count = schedules();
    Runner::new(RandomScheduler::new_from_seed(SEED, count), config()).run(model);
    Runner::new(PctScheduler::new_from_seed(SEED, SWITCHES, count), config()).run(model);
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    println!("{name}: {count} random schedules and {count} of PCT");
}

/// A number below `count`, which the schedule chooses.
fn pick(count: usize) -> usize {
    thread_rng().gen_range(0..count)
}

/// Whether an event happens that has this chance.
fn one_in(count: usize) -> bool {
    pick(count) == 0
}

/// Bytes that say where they belong.
fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 37 + 11) as u8).collect()
}

/// The two pools of a stream.
struct Pools {
    slabs: Arc<Buffers>,
    pieces: Arc<Buffers>,
}

impl Pools {
    fn new(slabs: usize, pieces: usize, reserve: usize) -> Self {
        Self { slabs: Buffers::new(slabs, 0), pieces: Buffers::new(pieces, reserve) }
    }

    /// Asserts that all buffers have come back.
    fn assert_whole(&self) {
        assert_eq!((self.slabs.lent(), self.pieces.lent()), (0, 0), "all buffers came back");
    }

    /// Waits until no thread uses the pools any more, and asserts that all buffers have come back.
    fn assert_whole_at_the_end(&self) {
        let is_used = || Arc::strong_count(&self.slabs) > 1 || Arc::strong_count(&self.pieces) > 1;
        for _ in 0..20_000 {
            if !is_used() {
                return self.assert_whole();
            }
            shuttle::thread::yield_now();
        }
        // A thread waits for ever. Now all do, and shuttle reports the deadlock with the places of all threads.
        shuttle::thread::park();
    }
}
