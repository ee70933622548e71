//! Memory of Python that is used without the lock of the interpreter: buffers of callers, and `bytes` that are being
//! made.
//!
//! This is the only file of the package with `unsafe`. A [`Buffer`] is the memory of an object with the buffer
//! protocol. [`Growing`] is a `bytes` object that nobody else has yet. Workers write to it, each at its own offset, and
//! it is enlarged when they need more room.

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyBufferError, PyMemoryError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pzcomp::WriteAt;
use system::handle;

/// The memory of an object with the buffer protocol, such as `bytes`, `bytearray`, `memoryview` or an array of numpy.
///
/// The object cannot be resized or freed while this value lives. Another thread of the program may write to it in that
/// time. Then the bytes that are read or left there are arbitrary, as with the modules of the standard library.
pub(crate) struct Buffer(PyBuffer<u8>);

impl Buffer {
    /// The memory of `object`, whatever the type of its items is.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let bytes = match PyBuffer::<u8>::get(object) {
            Ok(buffer) => buffer,
            Err(error) => {
                // Items that are no bytes are seen as bytes.
                let view = object.py().import("builtins")?.getattr("memoryview")?.call1((object,));
                let view = view.map_err(|_| error)?.call_method1("cast", ("B",))?;
                PyBuffer::<u8>::get(&view)?
            }
        };
        if !bytes.is_c_contiguous() {
            return Err(PyBufferError::new_err("the memory must be contiguous"));
        }
        Ok(Self(bytes))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        if self.0.len_bytes() == 0 {
            return &[];
        }
        // SAFETY: the view is contiguous, not empty, and holds the memory until it is released, which is when `self` is
        // dropped. Every bit pattern is a valid u8.
        unsafe { std::slice::from_raw_parts(self.0.buf_ptr().cast(), self.0.len_bytes()) }
    }

    /// The same, to be written to.
    pub(crate) fn bytes_mut(&mut self) -> PyResult<&mut [u8]> {
        if self.0.readonly() {
            return Err(PyBufferError::new_err("the memory is read-only"));
        }
        if self.0.len_bytes() == 0 {
            return Ok(&mut []);
        }
        // SAFETY: as in `bytes`, and the exporter allows writing.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.0.buf_ptr().cast(), self.0.len_bytes()) })
    }
}

/// The file behind a `FileIO`, with a descriptor or a handle of its own.
pub(crate) fn duplicate(file: &Bound<'_, PyAny>) -> PyResult<File> {
    let mut number = file.call_method0("fileno")?;
    // The descriptors of Windows belong to the C library of the interpreter.
    if cfg!(windows) {
        number = file.py().import("msvcrt")?.call_method1("get_osfhandle", (number,))?;
    }
    // SAFETY: it is borrowed for this call only. The caller holds the lock of the interpreter and the file object,
    // of which `fileno` is open. If it were closed, the copy would be an error.
    let own = unsafe { handle::borrowed(number.extract()?) }.and_then(|open| open.try_clone_to_owned())?;
    Ok(own.into())
}

/// A `bytes` object that is being made.
pub(crate) struct Growing {
    room: RwLock<Room>,
    /// The end of the bytes that were written.
    end: AtomicUsize,
}

/// The memory of an object that only [`Growing`] has.
struct Room {
    /// Owned. Null after the object was taken or lost.
    object: *mut ffi::PyObject,
    start: *mut u8,
    len: usize,
}

// SAFETY: the object has one owner, and is touched only with the lock of the interpreter. Its memory is plain bytes.
unsafe impl Send for Room {}
// SAFETY: a shared `Room` gives only copies of its fields. `Growing` says who writes where.
unsafe impl Sync for Room {}

/// If there is not enough memory for a longer object, it begins with this length.
const LARGE: usize = 4 << 20;
/// How much [`Growing::fill`] reads at a time.
const FILL_STEP: usize = 16 << 20;
/// The shortest object.
const SHORTEST: usize = 64 << 10;

impl Growing {
    /// An object with room for `len` bytes, or for fewer if there is not so much memory. Memory that is not written to
    /// takes no room.
    pub(crate) fn new(py: Python<'_>, len: usize) -> PyResult<Self> {
        let room = match Room::new(py, len.max(SHORTEST)) {
            Err(_) if len > LARGE => Room::new(py, LARGE),
            room => room,
        };
        Ok(Self { room: RwLock::new(room?), end: AtomicUsize::new(0) })
    }

    /// The object, with the bytes up to the last one that was written.
    pub(crate) fn finish(self, py: Python<'_>) -> PyResult<Bound<'_, PyBytes>> {
        let len = self.end.into_inner();
        let mut room = self.room.into_inner().unwrap_or_else(PoisonError::into_inner);
        if room.len != len {
            room.resize(py, len)?;
        }
        let object = std::mem::replace(&mut room.object, std::ptr::null_mut());
        // SAFETY: `object` is an owned reference to a `bytes` object, or null after an error that Python has noted.
        let object = unsafe { Bound::from_owned_ptr_or_err(py, object) }?;
        Ok(object.cast_into::<PyBytes>()?)
    }

    /// Appends to what was written.
    pub(crate) fn append(&self, bytes: &[u8]) -> io::Result<()> {
        self.write_all_at(bytes, self.end.load(Ordering::Relaxed) as u64)
    }
}

impl WriteAt for Growing {
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let end = usize::try_from(offset).ok().and_then(|offset| offset.checked_add(bytes.len()));
        let end = end.filter(|&end| end <= isize::MAX as usize).ok_or(io::ErrorKind::OutOfMemory)?;
        let mut room = self.room.read().unwrap_or_else(PoisonError::into_inner);
        while room.len < end {
            drop(room);
            self.grow(end)?;
            room = self.room.read().unwrap_or_else(PoisonError::into_inner);
        }
        debug_assert!(end <= room.len && !room.start.is_null());
        // SAFETY: the range `offset..end` is inside the memory of the object, which cannot move while the lock is held
        // for reading. No two calls write the same bytes, as `WriteAt` says, and nobody reads them before `finish`.
        // `bytes` is memory of the library, so it does not overlap.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), room.start.add(end - bytes.len()), bytes.len())
        };
        self.end.fetch_max(end, Ordering::Relaxed);
        Ok(())
    }
}

impl Growing {
    /// Appends what `read` gives, up to `length` bytes or until it gives nothing. `read` gets room, and the number of
    /// bytes before it.
    pub(crate) fn fill(
        &self,
        length: usize,
        mut read: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
    ) -> io::Result<()> {
        loop {
            let filled = self.end.load(Ordering::Relaxed);
            let step = length.saturating_sub(filled).min(FILL_STEP);
            if step == 0 {
                return Ok(());
            }
            if self.room.read().unwrap_or_else(PoisonError::into_inner).len < filled + step {
                self.grow(filled + step)?;
            }
            let room = self.room.write().unwrap_or_else(PoisonError::into_inner);
            debug_assert!(filled + step <= room.len && !room.start.is_null());
            // SAFETY: the range is inside the memory of the object, nobody else uses the memory while the lock is held
            // for writing, and the bytes are set before a slice of them is made.
            let slice = unsafe {
                let start = room.start.add(filled);
                start.write_bytes(0, step);
                std::slice::from_raw_parts_mut(start, step)
            };
            let done = read(slice, filled as u64)?;
            self.end.store(filled + done, Ordering::Relaxed);
            if done == 0 {
                return Ok(());
            }
        }
    }

    /// Makes room up to `end`.
    fn grow(&self, end: usize) -> io::Result<()> {
        // The lock of the interpreter comes first: a thread that has it does not wait for the other one, because all
        // that hold the other one here have it too, or copy only.
        Python::attach(|py| {
            let mut room = self.room.write().unwrap_or_else(PoisonError::into_inner);
            if room.len >= end {
                return Ok(());
            }
            let len = end.max(room.len + room.len / 2);
            room.resize(py, len).map_err(io::Error::from)
        })
    }
}

impl Room {
    fn new(py: Python<'_>, len: usize) -> PyResult<Self> {
        let size = ffi::Py_ssize_t::try_from(len).map_err(|_| PyMemoryError::new_err(()))?;
        // SAFETY: the lock of the interpreter is held. A null pointer as content makes an object whose bytes are not
        // set.
        let object = unsafe { ffi::PyBytes_FromStringAndSize(std::ptr::null(), size) };
        if object.is_null() {
            return Err(PyErr::fetch(py));
        }
        let mut room = Self { object, start: std::ptr::null_mut(), len };
        room.found();
        Ok(room)
    }

    /// Changes the length. The bytes stay.
    fn resize(&mut self, py: Python<'_>, len: usize) -> PyResult<()> {
        let size = ffi::Py_ssize_t::try_from(len).map_err(|_| PyMemoryError::new_err(()))?;
        if self.object.is_null() {
            return Err(PyMemoryError::new_err("the result was lost"));
        }
        let Some(resize) = bytes_resize() else { return self.replace(py, len) };
        // SAFETY: nobody else has a reference to the object, and the lock of the interpreter is held. After an error
        // the object is freed and the pointer is null.
        if unsafe { resize(&mut self.object, size) } != 0 {
            (self.start, self.len) = (std::ptr::null_mut(), 0);
            return Err(PyErr::take(py).unwrap_or_else(|| PyMemoryError::new_err("the result was lost")));
        }
        self.len = len;
        self.found();
        Ok(())
    }

    /// Takes another object of this length, and copies the bytes to it.
    fn replace(&mut self, py: Python<'_>, len: usize) -> PyResult<()> {
        let other = Self::new(py, len)?;
        debug_assert!(!self.start.is_null() && self.start != other.start);
        // SAFETY: both ranges are inside their objects, which are different ones.
        unsafe { std::ptr::copy_nonoverlapping(self.start, other.start, self.len.min(len)) };
        *self = other;
        Ok(())
    }

    /// Notes where the memory is. Large pages are not asked for: where a virtual machine gives its free large pages
    /// back to its host, the first write to them takes four times as long as to small ones. What the system is set to
    /// do is done.
    fn found(&mut self) {
        // SAFETY: the object is a `bytes` object.
        self.start = unsafe { ffi::PyBytes_AsString(self.object) }.cast();
    }
}

type Resize = unsafe extern "C" fn(*mut *mut ffi::PyObject, ffi::Py_ssize_t) -> c_int;

/// `_PyBytes_Resize`, which enlarges memory without a copy. CPython has it in every version, but it is not in the
/// stable interface. So it is looked up when the program runs, and there is another way without it.
fn bytes_resize() -> Option<Resize> {
    let found = system::symbol::find(c"_PyBytes_Resize")?;
    // SAFETY: if there is a function with this name, it is the one of CPython.
    Some(unsafe { std::mem::transmute::<*mut c_void, Resize>(found.as_ptr()) })
}

impl Drop for Room {
    fn drop(&mut self) {
        if !self.object.is_null() {
            let object = self.object;
            // SAFETY: the reference is owned, and the lock of the interpreter is held.
            Python::attach(|_| unsafe { ffi::Py_DECREF(object) });
        }
    }
}
