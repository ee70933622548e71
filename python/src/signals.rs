//! Signals such as Ctrl-C during long work.
//!
//! Python runs the handlers of signals on its main thread only, when that thread has the lock of the interpreter. A
//! handler may raise an exception, for example `KeyboardInterrupt`. [`run`] does long work on another thread, so that
//! this thread can let the handlers run; the work is cancelled by its `Progress`. [`Signals`] is for work that comes
//! back to this thread often.

use std::io;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pzcomp::Progress;

/// How often the handlers can run.
const INTERVAL: Duration = Duration::from_millis(50);

/// Does work on another thread, without the lock of the interpreter. If a handler raises an exception, the work is
/// cancelled, and this returns the exception after the work has ended.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: &Progress,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        std::thread::scope(|scope| {
            let (done, ended) = channel::<()>();
            let worker = Builder::new().name("pzcomp".into()).spawn_scoped(scope, move || {
                // Dropped when the work ends, also by a panic.
                let _done = done;
                work()
            })?;
            let mut raised = None;
            while raised.is_none() && ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                raised = Python::attach(|py| py.check_signals()).err();
            }
            if raised.is_some() {
                progress.cancel();
            }
            let result = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
            raised.map_or(Ok(result), Err)
        })
    })
}

/// Lets the handlers run now and then.
pub(crate) struct Signals(Instant);

impl Signals {
    pub(crate) fn new() -> Self {
        Self(Instant::now())
    }

    /// Lets the handlers run, if the last time is long ago. The exception of a handler is returned.
    pub(crate) fn look(&mut self) -> io::Result<()> {
        if self.0.elapsed() < INTERVAL {
            return Ok(());
        }
        self.0 = Instant::now();
        Ok(Python::attach(|py| py.check_signals())?)
    }
}
