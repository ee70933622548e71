//! [`Throttle`]: how the threads of workers share the machine with other programs.
//!
//! A plan may have one. `worker.rs` asks it before each task, `crew.rs` tells it of each thread. The engine knows no
//! class of threads and no pressure: the caller does.

/// What the threads of workers do for other programs. The engine calls it on these threads.
pub trait Throttle: Send + Sync {
    /// The thread begins.
    fn begin(&self);
    /// Whether this worker may begin another task. Workers are numbered from 0, and number 0 always may. A worker that
    /// may not is asked again after some milliseconds. Meanwhile it holds no task, so no other worker waits for it.
    fn may_work(&self, worker: usize) -> bool;
}
