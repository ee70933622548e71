//! [`Detached`]: a value with threads, which belongs to the process that made it.
//!
//! Its threads may call Python, so it ends without the lock of the interpreter. A process that forks has none of the
//! threads of its parent, and locks that they held are held for ever. So the value refuses to be used there, and is
//! left where it is instead of being dropped. `Decoder`, `Encoder` and the maps hold such values.

use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::process;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// A value that waits for its threads when it is dropped.
///
/// Such a thread may wait for the lock of the interpreter, to read a file object. If the thread that drops the value
/// had the lock, both would wait for ever. So the lock is given back for that time.
pub(crate) struct Detached<T: Send> {
    value: ManuallyDrop<Option<T>>,
    /// The process that has the threads.
    process: u32,
}

impl<T: Send> Detached<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { value: ManuallyDrop::new(Some(value)), process: process::id() }
    }

    /// Whether this process is a fork of the one that made the value.
    pub(crate) fn is_of_parent(&self) -> bool {
        self.process != process::id()
    }

    /// It is an error if the value is that of a parent. Each call of Python asks this before it takes a lock.
    pub(crate) fn check(&self) -> PyResult<()> {
        if !self.is_of_parent() {
            return Ok(());
        }
        let what = format!(
            "the file was opened by the process {}, before it forked to the process {}, which has no threads for it; open \
             the file again in each process that uses it",
            self.process,
            process::id()
        );
        Err(PyRuntimeError::new_err(what))
    }
}

impl<T: Send> Deref for Detached<T> {
    type Target = T;

    fn deref(&self) -> &T {
        #[allow(clippy::expect_used)] // Only `drop` takes the value.
        self.value.as_ref().expect("a value that was not dropped")
    }
}

impl<T: Send> Drop for Detached<T> {
    fn drop(&mut self) {
        if self.is_of_parent() {
            return;
        }
        // If the interpreter has ended, its threads never get the lock. Then nobody waits for them.
        Python::try_attach(|py| {
            let value = self.value.take();
            py.detach(|| drop(value));
        });
    }
}
