//! [`Progress`]: how far a stream is, and a way to stop it.
//!
//! A caller gives a `Progress` to the library in the options and keeps a clone of it. The line of the pipeline counts
//! the bytes, in both directions and for all formats, and the threads tell the [`Meter`] when they wait. Any thread can
//! look at the numbers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::sync::AtomicBool;
use crate::waits::{Meter, Waits};

/// The progress of a stream, and a way to cancel it. Clones show the same stream.
///
/// ```
/// # use pzcomp_engine as pzcomp;
/// let progress = pzcomp::Progress::default();
/// let other = progress.clone();
/// std::thread::spawn(move || other.cancel()).join().unwrap();
/// assert!(progress.is_cancelled());
/// assert_eq!((progress.bytes_in(), progress.bytes_out()), (0, 0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
    bytes_done: AtomicU64,
    is_cancelled: AtomicBool,
    meter: Meter,
}

impl Progress {
    /// Bytes of input that have been read.
    pub fn bytes_in(&self) -> u64 {
        self.0.bytes_in.load(Ordering::Relaxed)
    }

    /// Bytes of input that are done: all output of them has been written or is being written. The input is read ahead
    /// of that.
    pub fn bytes_done(&self) -> u64 {
        self.0.bytes_done.load(Ordering::Relaxed)
    }

    /// Bytes of output that have been written or are being written. The header and the index are not counted.
    pub fn bytes_out(&self) -> u64 {
        self.0.bytes_out.load(Ordering::Relaxed)
    }

    /// For what the stream has waited until now. A read or write that goes on is counted up to now; the work of a
    /// worker is counted when the worker has done a job.
    pub fn waits(&self) -> Waits {
        self.0.meter.snapshot().waits()
    }

    /// Stops the stream with [`Error::Cancelled`](crate::Error::Cancelled) at the next frame or piece of output. A
    /// stream that waits for input from a descriptor stops within 0.1 seconds; one that waits in a reader of the caller
    /// stops when the reader returns.
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::Release);
    }

    /// Whether the stream was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::Acquire)
    }

    /// Measures for what the stream waits.
    #[doc(hidden)]
    pub fn meter(&self) -> &Meter {
        &self.0.meter
    }

    /// Counts bytes of input.
    #[doc(hidden)]
    pub fn add_in(&self, len: u64) {
        self.0.bytes_in.fetch_add(len, Ordering::Relaxed);
    }

    /// Counts bytes of input that are done.
    #[doc(hidden)]
    pub fn add_done(&self, len: u64) {
        self.0.bytes_done.fetch_add(len, Ordering::Relaxed);
    }

    /// Counts bytes of output.
    #[doc(hidden)]
    pub fn add_out(&self, len: u64) {
        self.0.bytes_out.fetch_add(len, Ordering::Relaxed);
    }
}

/// Two values are equal if they show the same stream.
impl PartialEq for Progress {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Progress {}
