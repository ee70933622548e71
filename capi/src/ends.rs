//! The other end of a stream: a descriptor or a callback of the caller.

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io::{self, Read, Write};

use system::handle::{self, Handle};

use crate::errors::Failure;

/// Where a writer writes to.
pub(crate) trait Sink: Write {
    /// Ends it. What the library has opened is closed, and an error that the system tells then is an error.
    fn close(self: Box<Self>) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for File {
    fn close(self: Box<Self>) -> io::Result<()> {
        handle::close(*self)
    }
}

impl Sink for Descriptor {}
impl Sink for Callback<WriteCallback> {}

/// A descriptor that belongs to the caller, or the number of a handle on Windows.
pub(crate) struct Descriptor(Handle<'static>);

impl Descriptor {
    pub(crate) fn new(descriptor: c_int) -> Result<Self, Failure> {
        if descriptor < 0 {
            return Err(Failure::invalid(format!(
                "the descriptor is {descriptor}, but a descriptor is not negative"
            )));
        }
        // SAFETY: the header says that it stays open until the stream is closed.
        Ok(Self(unsafe { handle::borrowed(descriptor as isize)? }))
    }
}

impl Read for Descriptor {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        handle::read(self.0, buffer)
    }
}

impl Write for Descriptor {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        handle::write(self.0, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

// The header allows no exception to leave a callback. If one does, the process ends, and nothing worse happens.
pub(crate) type WriteCallback = extern "C-unwind" fn(*mut c_void, *const c_void, usize) -> isize;
pub(crate) type ReadCallback = extern "C-unwind" fn(*mut c_void, *mut c_void, usize) -> isize;

/// A callback of the caller, and its context. It is only called in calls of the stream.
pub(crate) struct Callback<F> {
    pub(crate) call: F,
    pub(crate) context: *mut c_void,
}

/// The length that a callback returned.
fn taken(returned: isize, most: usize) -> io::Result<usize> {
    match usize::try_from(returned) {
        Ok(len) if len <= most => Ok(len),
        Ok(len) => {
            Err(io::Error::other(format!("the callback returned {len}, but it was called for {most} bytes")))
        }
        Err(_) => Err(io::Error::other("the callback failed")),
    }
}

impl Read for Callback<ReadCallback> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        taken((self.call)(self.context, buffer.as_mut_ptr().cast(), buffer.len()), buffer.len())
    }
}

impl Write for Callback<WriteCallback> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        taken((self.call)(self.context, bytes.as_ptr().cast(), bytes.len()), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
