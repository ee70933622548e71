//! [`Detached`]: a value whose threads may call Python, and which therefore ends without the lock of the interpreter.

use std::ops::Deref;

use pyo3::prelude::*;

/// A value that waits for its threads when it is dropped.
///
/// Such a thread may wait for the lock of the interpreter, to read a file object. If the thread that drops the value had
/// the lock, both would wait for ever. So the lock is given back for that time.
pub(crate) struct Detached<T: Send>(Option<T>);

impl<T: Send> Detached<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Some(value))
    }
}

impl<T: Send> Deref for Detached<T> {
    type Target = T;

    fn deref(&self) -> &T {
        #[allow(clippy::expect_used)] // Only `drop` takes the value.
        self.0.as_ref().expect("a value that was not dropped")
    }
}

impl<T: Send> Drop for Detached<T> {
    fn drop(&mut self) {
        let value = self.0.take();
        // If the interpreter has ended, its threads never get the lock. Then nobody waits for them.
        let mut value = std::mem::ManuallyDrop::new(value);
        Python::try_attach(|py| {
            let value = value.take();
            py.detach(|| drop(value));
        });
    }
}
