//! Properties of this machine: its cores, its memory bandwidth, and the time to wake a thread.
//!
//! `scaling` calls these functions. [`on_cores`] runs a measurement on some of the cores; the other two functions
//! measure. The affinity of the process must be the same before and after.

use std::io;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// Runs `work`, and all threads that it starts, on the first `count` cores that this process may use. Returns an error
/// if the system does not allow that.
#[cfg(target_os = "linux")]
pub fn on_cores<T>(count: usize, work: impl FnOnce() -> T) -> io::Result<T> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let before = sched_getaffinity(None)?;
    let mut few = CpuSet::new();
    (0..CpuSet::MAX_CPU).filter(|&core| before.is_set(core)).take(count).for_each(|core| few.set(core));
    sched_setaffinity(None, &few)?;
    let result = work();
    sched_setaffinity(None, &before)?;
    Ok(result)
}

/// Only Linux lets a thread choose its cores with this call.
#[cfg(not(target_os = "linux"))]
pub fn on_cores<T>(_: usize, _: impl FnOnce() -> T) -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Bytes of memory read and written in a second, both counted, by this many threads. Each copies `len` bytes from one
/// place to another. The best of some passes counts.
pub fn memory_bandwidth(threads: usize, len: usize) -> f64 {
    let mut memory: Vec<_> = (0..threads).map(|_| (vec![1_u8; len], vec![2_u8; len])).collect();
    let passes = (0..5).map(|_| {
        let started = Instant::now();
        thread::scope(|scope| {
            for (from, to) in &mut memory {
                scope.spawn(|| to.copy_from_slice(from));
            }
        });
        (2 * len * threads) as f64 / started.elapsed().as_secs_f64().max(1e-9)
    });
    passes.fold(0.0, f64::max)
}

/// Seconds from the signal for a waiting thread until that thread runs: the median of this many turns. In each turn two
/// threads wake each other once.
pub fn waking(turns: usize) -> f64 {
    let (turn, changed) = (Mutex::new(0_usize), Condvar::new());
    // Waits until the number of the turn has this parity, and takes the turn.
    let take = |parity: usize| {
        let turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = changed.wait_while(turn, |turn| *turn % 2 != parity);
        *waited.unwrap_or_else(PoisonError::into_inner) += 1;
        changed.notify_one();
    };
    let mut times: Vec<f64> = thread::scope(|scope| {
        scope.spawn(|| (0..=turns).for_each(|_| take(1)));
        take(0);
        let timed = (0..turns).map(|_| {
            let started = Instant::now();
            take(0);
            started.elapsed().as_secs_f64() / 2.0
        });
        timed.collect()
    });
    times.sort_by(f64::total_cmp);
    times.get(turns / 2).copied().unwrap_or(0.0)
}
