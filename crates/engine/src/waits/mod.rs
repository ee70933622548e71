//! [`Waits`]: for what a stream waited, and which stage was the bottleneck.
//!
//! The pipeline measures it with a [`Meter`], which stands beside the byte counts in
//! [`Progress`](crate::Progress). So any thread can look at the numbers while the stream runs, and the summary of a
//! stream is the last look.

mod meter;

use std::time::Duration;

pub use meter::{Activity, End, Meter, Snapshot, timed};

/// A stage of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Where the input comes from: a disk, a network, or the program before a pipe.
    Source,
    /// The work on this machine: compressing or decompressing.
    Workers,
    /// Where the output goes: a disk, a network, or the program behind a pipe.
    Sink,
}

/// For what a stream waited, in wall time.
///
/// The stages work at the same time. So the three times `for_…` overlap, and their sum can be more than the time of the
/// stream. The stage for which the stream waited longest limits its speed ([`Self::bottleneck`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waits {
    /// How long the stream waited for the source: the time in which the input was being read. If the workers read it,
    /// this is their share of reading.
    pub for_source: Duration,
    /// How long the stream waited for its own work. If all workers are busy all the time, or if work that cannot be
    /// divided keeps one of them busy, this is about the time of the stream.
    pub for_workers: Duration,
    /// How long the stream waited for the sink: the time in which output was being written. If the workers write it,
    /// this is their share of writing.
    pub for_sink: Duration,
    /// How long input was not read because there was no room for it.
    pub source_idle: Duration,
    /// How long a worker had nothing to do, or waited inside its work, on average over the workers.
    pub workers_idle: Duration,
    /// How long no output was written because there was none.
    pub sink_idle: Duration,
}

impl Waits {
    /// The stage for which the stream waited longest. None if it waited for nothing.
    ///
    /// ```
    /// # use pzcomp_engine::waits as pzcomp;
    /// use std::time::Duration;
    /// let mut waits = pzcomp::Waits::default();
    /// (waits.for_source, waits.for_sink) = (Duration::from_secs(1), Duration::from_secs(2));
    /// assert_eq!(waits.bottleneck(), Some(pzcomp::Stage::Sink));
    /// ```
    pub fn bottleneck(&self) -> Option<Stage> {
        let times = [
            (Stage::Workers, self.for_workers),
            (Stage::Source, self.for_source),
            (Stage::Sink, self.for_sink),
        ];
        // Of equal times the first one counts.
        let (stage, most) = times.into_iter().rev().max_by_key(|&(_, time)| time)?;
        (!most.is_zero()).then_some(stage)
    }
}
