//! Measurements of the machine: cores, memory, threads that wake each other, and pipes.
//!
//! The figures differ from machine to machine. So the tests ask only whether they are plausible, and whether everything
//! is afterwards as it was before.

use std::thread;

use model::ceiling::{Cost, Synthetic};
use model::cores::{memory_bandwidth, on_cores, waking};
use model::pipes::{Through, through_pipes};
use pzcomp::Result;

#[test]
fn on_one_core_there_is_one_and_afterwards_there_are_all() {
    let cores = || thread::available_parallelism().map_or(0, usize::from);
    let before = cores();
    // A sandbox may forbid it; then nothing has changed.
    if let Ok(during) = on_cores(1, cores) {
        assert_eq!(during, 1);
    }
    assert_eq!(cores(), before);
}

#[test]
fn copies_are_counted() {
    assert!(memory_bandwidth(2, 100_000) > 0.0);
}

#[test]
fn threads_wake_each_other() {
    assert!(waking(10) > 0.0);
}

#[test]
fn all_bytes_arrive_in_each_way_through_pipes() -> Result<()> {
    let what = Synthetic { cost: Cost::Nothing, threads: 2, chunk_len: 100_000 };
    for through in [Through::OnePipe, Through::Loop(256 << 10), Through::Pipeline(what)] {
        // A loss would be an error.
        through_pipes(3_000_001, through)?;
    }
    Ok(())
}
