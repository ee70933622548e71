//! CPU time by thread.
//!
//! `run.rs` and `worker.rs` ask for that of their threads. The [`Outcome`](super::Outcome) of a run has the
//! sums. They show which thread would limit the speed on many cores.

use std::time::Duration;

/// CPU time by role. It says how many cores the serial parts could keep busy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CpuTimes {
    /// The thread that reads the input and finds frames in it.
    pub reader: Duration,
    /// All workers together.
    pub workers: Duration,
    /// The thread that writes the output. Zero if the workers write at their own offsets.
    pub writer: Duration,
    /// The threads of [`Taps`](crate::Taps).
    pub taps: Duration,
}

impl CpuTimes {
    /// With this many cores, the reader or the writer would be busy all the time.
    pub fn cores_at_saturation(&self) -> f64 {
        self.workers.as_secs_f64() / self.reader.max(self.writer).as_secs_f64().max(1e-9)
    }
}
