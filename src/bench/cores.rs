//! What this machine gives: cores to stay on, and memory bandwidth.

use std::io;
use std::thread;
use std::time::Instant;

/// Does `what` on the first `count` of the cores that this process may use, with all threads that it
/// starts. An error where the system does not allow or know it.
#[cfg(target_os = "linux")]
pub fn on_cores<T>(count: usize, what: impl FnOnce() -> T) -> io::Result<T> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let before = sched_getaffinity(None)?;
    let mut few = CpuSet::new();
    (0..CpuSet::MAX_CPU).filter(|&core| before.is_set(core)).take(count).for_each(|core| few.set(core));
    sched_setaffinity(None, &few)?;
    let result = what();
    sched_setaffinity(None, &before)?;
    Ok(result)
}

/// Only Linux lets a thread choose its cores so.
#[cfg(not(target_os = "linux"))]
pub fn on_cores<T>(_: usize, _: impl FnOnce() -> T) -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Bytes of memory read and written in a second, both counted, by so many threads that copy `len` bytes
/// each from one place to another: the best of some passes.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
