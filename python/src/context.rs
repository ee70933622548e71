//! `Compressor` and `Decompressor`: one payload after another, without threads; and `Dictionary`, prepared once for
//! both.
//!
//! They are the contexts of the library. Bytes come in, and `bytes` go out. The work is done on the thread of the
//! caller. Short payloads are so quick that the lock of the interpreter is kept meanwhile. A context has no threads, so
//! a process that forks can use those of its parent, unless a thread of the parent was using them at that moment.

use std::process;
use std::sync::{Mutex, MutexGuard, TryLockError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pzcomp::Error;

use crate::errors::of_library;
use crate::memory::Buffer;
use crate::settings::{Reading, Writing};

/// Up to this many bytes are coded with the lock of the interpreter.
const SHORT: usize = 4 << 10;
/// The memory for results is kept from call to call up to this length.
const KEPT: usize = 1 << 20;

/// A context and memory for its results, while a thread has them.
type Held<'a, T> = MutexGuard<'a, (T, Vec<u8>)>;

/// A context, and memory for its results.
struct Shared<T> {
    state: Mutex<(T, Vec<u8>)>,
    /// The process that made it.
    process: u32,
}

impl<T: Send> Shared<T> {
    fn new(context: T) -> Self {
        Self { state: Mutex::new((context, Vec::new())), process: process::id() }
    }

    /// The `bytes` that `code` appends. It gets the context and no bytes. `len` is the length of its input.
    fn run<'py>(
        &self,
        py: Python<'py>,
        len: usize,
        code: impl Fn(&mut T, &mut Vec<u8>) -> Result<usize, Error> + Sync,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let result = |result: Result<usize, Error>, bytes: &[u8]| match result {
            Ok(_) => Ok(PyBytes::new(py, bytes)),
            Err(error) => Err(of_library(error)),
        };
        if len <= SHORT
            && let Some(mut state) = self.try_lock()?
        {
            let (context, bytes) = &mut *state;
            bytes.clear();
            let done = code(context, bytes);
            let done = result(done, bytes);
            bytes.shrink_to(KEPT);
            return done;
        }
        // Nobody who holds the lock waits for the interpreter.
        let (done, bytes) = py.detach(|| {
            let mut state = match self.try_lock()? {
                Some(state) => state,
                None => self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner()),
            };
            let mut bytes = Vec::new();
            PyResult::Ok((code(&mut state.0, &mut bytes), bytes))
        })?;
        result(done, &bytes)
    }

    /// The state, if no thread uses it. If a thread does that this process does not have, it is an error.
    fn try_lock(&self) -> PyResult<Option<Held<'_, T>>> {
        match self.state.try_lock() {
            Ok(state) => Ok(Some(state)),
            Err(TryLockError::Poisoned(poisoned)) => Ok(Some(poisoned.into_inner())),
            Err(TryLockError::WouldBlock) if self.process == process::id() => Ok(None),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "a thread of the parent process was using this object when the process forked; make a new one in each process",
            )),
        }
    }
}

/// Compresses payloads one after another.
#[pyclass(frozen, subclass, module = "pzcomp._pzcomp")]
pub(crate) struct Compressor(Shared<pzcomp::Compressor>);

#[pymethods]
impl Compressor {
    #[new]
    fn new(writing: Writing) -> PyResult<Self> {
        let context = pzcomp::Compressor::new(&writing.options()?).map_err(of_library)?;
        Ok(Self(Shared::new(context)))
    }

    fn compress<'py>(&self, py: Python<'py>, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let buffer = Buffer::of(data)?;
        let plain = buffer.bytes();
        self.0.run(py, plain.len(), |context, coded| context.compress_into(plain, coded))
    }
}

/// Decompresses payloads one after another.
#[pyclass(frozen, subclass, module = "pzcomp._pzcomp")]
pub(crate) struct Decompressor(Shared<pzcomp::Decompressor>);

#[pymethods]
impl Decompressor {
    #[new]
    fn new(reading: Reading) -> PyResult<Self> {
        let context = pzcomp::Decompressor::new(&reading.options()?).map_err(of_library)?;
        Ok(Self(Shared::new(context)))
    }

    fn decompress<'py>(&self, py: Python<'py>, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let buffer = Buffer::of(data)?;
        let coded = buffer.bytes();
        self.0.run(py, coded.len(), |context, plain| context.decompress_into(coded, plain))
    }
}

/// A dictionary of zstd, prepared once.
#[pyclass(frozen, from_py_object, module = "pzcomp")]
#[derive(Clone)]
pub(crate) struct Dictionary(pub(crate) pzcomp::Dictionary);

#[pymethods]
impl Dictionary {
    #[new]
    fn new(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let bytes = Buffer::of(data)?.bytes().to_vec();
        pzcomp::Dictionary::new(bytes).map(Self).map_err(of_library)
    }

    /// The number that frames name the dictionary by. 0 if it has none.
    #[getter]
    fn id(&self) -> u32 {
        self.0.id()
    }
}
