//! `Encoder`: the raw end of a file object that is written.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pzcomp::{Progress, Writer};

use crate::detached::Detached;
use crate::errors::{of_io, of_library};
use crate::memory::Buffer;
use crate::settings::Writing;
use crate::signals;
use crate::source::Target;

struct State {
    /// Absent after the stream was ended or given up.
    writer: Option<Writer<Target>>,
    /// Plain bytes that were written.
    position: u64,
}

/// A call takes at most this many bytes, so that Python can handle signals between calls.
const WRITE_MAX: usize = 1 << 20;

/// Compresses what is written to it.
#[pyclass(frozen, module = "pzcomp._pzcomp")]
pub(crate) struct Encoder {
    state: Detached<Mutex<State>>,
    progress: Progress,
    /// Whether a file of the system is written. Any thread can do that.
    is_file: bool,
}

impl Encoder {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does work without the lock of the interpreter.
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Writer<Target>) -> io::Result<T> + Send,
    ) -> PyResult<T> {
        self.state.check()?;
        py.detach(|| self.work_detached(work))
    }

    /// The same, on a thread that does not have the lock.
    fn work_detached<T>(&self, work: impl FnOnce(&mut Writer<Target>) -> io::Result<T>) -> PyResult<T> {
        let mut state = self.lock();
        let Some(writer) = &mut state.writer else {
            return Err(PyValueError::new_err("write to a file that is closed"));
        };
        work(writer).map_err(|error| {
            let raised = writer.get_mut().raised();
            raised.unwrap_or_else(|| of_io(error))
        })
    }

    /// Does work that waits for all that was written. A signal can end it; then the stream is given up.
    fn work_long<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Writer<Target>) -> io::Result<T> + Send,
    ) -> PyResult<T> {
        self.state.check()?;
        match self.is_file {
            true => signals::run(py, &self.progress, || self.work_detached(work))?,
            // Signals are handled when the file object is called, or when a pipe is written to.
            false => self.work(py, work),
        }
    }
}

#[pymethods]
impl Encoder {
    #[new]
    fn new(py: Python<'_>, file: &Bound<'_, PyAny>, is_ours: bool, writing: Writing) -> PyResult<Self> {
        let (target, progress) = (Target::new(file, is_ours)?, Progress::default());
        let (options, is_file) = (writing.cancelled_by(&progress)?, matches!(target, Target::File(_)));
        let writer = py.detach(|| Writer::new(target, options)).map_err(of_library)?;
        let state = Detached::new(Mutex::new(State { writer: Some(writer), position: 0 }));
        Ok(Self { state, progress, is_file })
    }

    /// Takes the first bytes of `data`, and returns how many.
    fn write(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<usize> {
        let buffer = Buffer::of(data)?;
        let bytes = buffer.bytes();
        let bytes = &bytes[..bytes.len().min(WRITE_MAX)];
        self.work(py, |writer| writer.write_all(bytes))?;
        py.detach(|| self.lock().position += bytes.len() as u64);
        Ok(bytes.len())
    }

    /// Writes everything so far, so that it can be read.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        self.work_long(py, Write::flush)
    }

    fn tell(&self, py: Python<'_>) -> PyResult<u64> {
        self.state.check()?;
        Ok(py.detach(|| self.lock().position))
    }

    /// Whether the stream is that of a process from which this one was forked.
    fn is_of_parent(&self) -> bool {
        self.state.is_of_parent()
    }

    /// Ends the stream. Nothing happens if it has ended.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.state.check()?;
        if py.detach(|| self.lock().writer.is_none()) {
            return Ok(());
        }
        let done = self.work_long(py, |writer| writer.try_finish().map(drop));
        // A writer that has not ended leaves an output that is refused.
        drop(py.detach(|| self.lock().writer.take()));
        done
    }

    /// Gives the stream up. Readers refuse the output as incomplete. In a fork nothing happens: the stream is the
    /// parent's.
    fn abort(&self, py: Python<'_>) {
        if self.state.is_of_parent() {
            return;
        }
        py.detach(|| {
            let writer = self.lock().writer.take();
            drop(writer.map(Writer::abort));
        });
    }
}
