//! Where coded bytes come from: a file of the system, or a file object of Python.
//!
//! A file of the system is read without the lock of the interpreter. The methods of a file object are called with it.
//! An exception of a file object travels through the library as an `io::Error`, and comes out as it was.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pzcomp::ReadAt;
use system::facts::Facts;
use system::{handle, pipe};

use crate::errors::of_io_behind;
use crate::memory::{Buffer, duplicate};

/// What a decoder reads.
#[derive(Clone)]
pub(crate) enum Source {
    /// A regular file, read at offsets.
    File(Arc<File>),
    /// A pipe or a device, read in order.
    Pipe(Arc<File>),
    Object(Arc<Object>),
}

/// A file object of Python.
pub(crate) struct Object {
    file: Py<PyAny>,
    /// Where the coded bytes begin in it.
    start: u64,
    /// Whether it can seek.
    seeks: bool,
    /// Held from a seek to the read behind it.
    position: Mutex<()>,
    /// The exception of a call that the library reports in other words.
    raised: Mutex<Option<PyErr>>,
}

impl Source {
    /// The source for a path or a file object. `file` is a `FileIO` of ours if `is_ours`.
    pub(crate) fn new(file: &Bound<'_, PyAny>, is_ours: bool) -> PyResult<Self> {
        if is_ours {
            let file = duplicate(file)?;
            // Files of pseudo file systems state a length of 0 and still have content.
            let facts = Facts::of(&file)?;
            let file = Arc::new(file);
            return Ok(match facts.is_file() && facts.len() > 0 {
                true => Self::File(file),
                false => Self::Pipe(file),
            });
        }
        let seeks = file.call_method0("seekable").is_ok_and(|seeks| seeks.is_truthy().unwrap_or(false));
        let start = match seeks {
            true => file.call_method0("tell").and_then(|start| start.extract()).ok(),
            false => None,
        };
        let (seeks, start) = (start.is_some(), start.unwrap_or(0));
        let file = file.clone().unbind();
        let (position, raised) = (Mutex::default(), Mutex::default());
        Ok(Self::Object(Arc::new(Object { file, start, seeks, position, raised })))
    }

    /// Whether any offset can be read.
    pub(crate) fn is_seekable(&self) -> bool {
        match self {
            Self::File(_) => true,
            Self::Pipe(_) => false,
            Self::Object(object) => object.seeks,
        }
    }

    /// The exception that a file object has raised, if there is one.
    fn raised(&self) -> Option<PyErr> {
        match self {
            Self::Object(object) => object.raised.lock().unwrap_or_else(PoisonError::into_inner).take(),
            Self::File(_) | Self::Pipe(_) => None,
        }
    }

    /// The exception for an error of work with this source, which begins `start` bytes behind the start of its file:
    /// that of the file object, if there is one.
    pub(crate) fn error(&self, error: io::Error, start: u64) -> PyErr {
        self.raised().unwrap_or_else(|| of_io_behind(error, start))
    }

    /// The bytes in order, from the start on.
    pub(crate) fn in_order(&self) -> io::Result<InOrder> {
        if let Self::Object(object) = self
            && object.seeks
        {
            object.call(|file| file.call_method1("seek", (object.start,)).map(drop))?;
        }
        Ok(InOrder { source: self.clone(), offset: 0 })
    }
}

impl Object {
    /// Calls the file object. Its exception is kept.
    fn call<T>(&self, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> io::Result<T> {
        Python::attach(|py| {
            call(self.file.bind(py)).map_err(|error| {
                let kept = error.clone_ref(py);
                *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
                io::Error::other(error)
            })
        })
    }

    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.call(|file| {
            let found = file.call_method1("read", (buffer.len(),))?;
            if found.is_none() {
                return Err(io::Error::from(io::ErrorKind::WouldBlock).into());
            }
            let bytes = Buffer::of(&found)?;
            let bytes = bytes.bytes();
            let Some(room) = buffer.get_mut(..bytes.len()) else {
                return Err(PyOSError::new_err(format!(
                    "read({}) of the file object returned {} bytes",
                    buffer.len(),
                    bytes.len()
                )));
            };
            room.copy_from_slice(bytes);
            Ok(bytes.len())
        })
    }
}

impl ReadAt for Source {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Self::File(file) | Self::Pipe(file) => ReadAt::read_at(&**file, buffer, offset),
            Self::Object(object) => {
                let _alone = object.position.lock().unwrap_or_else(PoisonError::into_inner);
                object.call(|file| file.call_method1("seek", (object.start + offset,)).map(drop))?;
                object.read(buffer)
            }
        }
    }

    fn size(&self) -> io::Result<u64> {
        match self {
            Self::File(file) | Self::Pipe(file) => Facts::of(file).map(|facts| facts.len()),
            Self::Object(object) => {
                let _alone = object.position.lock().unwrap_or_else(PoisonError::into_inner);
                let end: u64 = object.call(|file| file.call_method1("seek", (0, 2))?.extract())?;
                Ok(end.saturating_sub(object.start))
            }
        }
    }
}

/// A source that is read in order.
pub(crate) struct InOrder {
    source: Source,
    offset: u64,
}

impl Read for InOrder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &self.source {
            Source::File(file) => ReadAt::read_at(&**file, buffer, self.offset)?,
            Source::Pipe(file) => read_soon(file, buffer)?,
            Source::Object(object) => object.read(buffer)?,
        };
        self.offset += read as u64;
        Ok(read)
    }
}

/// How long a read of a pipe waits.
const PIPE_WAIT: Duration = Duration::from_millis(100);

/// Reads a pipe. If nothing comes for some time, this is an error of the kind `TimedOut`. Then signals can be handled,
/// and the next call goes on.
fn read_soon(mut file: &File, buffer: &mut [u8]) -> io::Result<usize> {
    if !handle::is_readable(handle::of(file), PIPE_WAIT) {
        return Err(io::ErrorKind::TimedOut.into());
    }
    file.read(buffer)
}

/// Writes to a pipe, and lets signals be handled while it is full. A signal that comes just before the system waits
/// would not end the waiting. So no more is written at a time than a pipe with room takes without waiting.
fn write_soon(mut file: &File, bytes: &[u8], raised: &mut Option<PyErr>) -> io::Result<usize> {
    while !handle::has_room(handle::of(file), PIPE_WAIT) {
        if let Err(exception) = Python::attach(|py| py.check_signals()) {
            *raised = Some(exception);
            return Err(io::Error::other("a signal ended the write"));
        }
    }
    file.write(&bytes[..bytes.len().min(pipe::LINE_MAX)])
}

/// Where an encoder writes.
pub(crate) enum Target {
    File(File),
    /// A pipe or a device, which may be full for long. The exception is that of the handler of a signal.
    Pipe {
        file: File,
        raised: Option<PyErr>,
    },
    Object {
        file: Py<PyAny>,
        raised: Option<PyErr>,
    },
}

impl Target {
    pub(crate) fn new(file: &Bound<'_, PyAny>, is_ours: bool) -> PyResult<Self> {
        if is_ours {
            let file = duplicate(file)?;
            return Ok(match Facts::of(&file)?.is_file() {
                true => Self::File(file),
                false => Self::Pipe { file, raised: None },
            });
        }
        Ok(Self::Object { file: file.clone().unbind(), raised: None })
    }

    /// The exception that a file object has raised, if there is one.
    pub(crate) fn raised(&mut self) -> Option<PyErr> {
        match self {
            Self::Object { raised, .. } | Self::Pipe { raised, .. } => raised.take(),
            Self::File(_) => None,
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Pipe { file, raised } => write_soon(file, bytes, raised),
            Self::Object { file, raised } => Python::attach(|py| {
                let wrote = || {
                    let written = file.bind(py).call_method1("write", (PyBytes::new(py, bytes),))?;
                    // File objects that are no files often return nothing.
                    let len = if written.is_none() { bytes.len() } else { written.extract::<usize>()? };
                    if len > bytes.len() {
                        return Err(PyOSError::new_err(format!(
                            "write() of the file object returned {len}, but it got {} bytes",
                            bytes.len()
                        )));
                    }
                    Ok(len)
                };
                wrote().map_err(|error: PyErr| {
                    *raised = Some(error.clone_ref(py));
                    io::Error::other(error)
                })
            }),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
