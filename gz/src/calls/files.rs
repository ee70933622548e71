//! The functions for files of both directions: opening and closing them, their position, and their errors.

use std::ffi::{CStr, CString, c_char, c_int, c_uint};

use libc::off_t;

use super::{File, any, pass, set_errno};
use crate::descriptor::Descriptor;
use crate::handle::{Handle, Stream};
use crate::real::{Real, real, real_for};
use crate::zlib::STREAM_ERROR;

fn opened(path: &CStr, given: Option<Descriptor>, mode: &CStr) -> File {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| Handle::open(path, given, mode))) {
        Ok(Ok(handle)) => Box::into_raw(handle),
        Ok(Err(number)) => {
            set_errno(number);
            std::ptr::null_mut()
        }
        Err(_) => std::ptr::null_mut(),
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzopen(path: *const c_char, mode: *const c_char) -> File {
    pass!(real(), std::ptr::null_mut(), gzopen(path, mode));
    if path.is_null() || mode.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: zlib.h wants texts.
    opened(unsafe { CStr::from_ptr(path) }, None, unsafe { CStr::from_ptr(mode) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzopen64(path: *const c_char, mode: *const c_char) -> File {
    pass!(real(), std::ptr::null_mut(), gzopen64(path, mode));
    // SAFETY: the caller's promise.
    unsafe { gzopen(path, mode) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzdopen(descriptor: c_int, mode: *const c_char) -> File {
    pass!(real(), std::ptr::null_mut(), gzdopen(descriptor, mode));
    let Some(given) = Descriptor::given(descriptor).filter(|_| !mode.is_null()) else {
        return std::ptr::null_mut();
    };
    let name = CString::new(format!("<fd:{descriptor}>")).unwrap_or_default();
    // SAFETY: zlib.h wants a text.
    opened(&name, Some(given), unsafe { CStr::from_ptr(mode) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzbuffer(file: File, size: c_uint) -> c_int {
    pass!(real_for(file), -1, gzbuffer(file, size));
    // SAFETY: zlib.h says what the pointers are.
    unsafe { any(file, -1, |stream| stream.base().set_buffer(size)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzdirect(file: File) -> c_int {
    pass!(real_for(file), 0, gzdirect(file));
    let work = |stream: &mut Stream| match stream {
        Stream::Reading(reading) => reading.is_plain().into(),
        Stream::Writing(writing) => writing.base.is_direct.into(),
    };
    // SAFETY: zlib.h says what the pointer is.
    unsafe { any(file, 0, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzseek64(file: File, offset: i64, whence: c_int) -> i64 {
    pass!(real_for(file), -1, gzseek64(file, offset, whence));
    let is_relative = match whence {
        libc::SEEK_SET => false,
        libc::SEEK_CUR => true,
        _ => return -1,
    };
    let work = |stream: &mut Stream| match stream {
        Stream::Reading(reading) => reading.seek(offset, is_relative),
        Stream::Writing(writing) => writing.seek(offset, is_relative),
    };
    // SAFETY: zlib.h says what the pointer is.
    unsafe { any(file, -1, work) }
}

// off_t has 32 bits on some machines.
#[allow(clippy::useless_conversion)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzseek(file: File, offset: off_t, whence: c_int) -> off_t {
    pass!(real_for(file), -1, gzseek(file, offset, whence));
    // SAFETY: the caller's promise.
    off_t::try_from(unsafe { gzseek64(file, offset.into(), whence) }).unwrap_or(-1)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gztell64(file: File) -> i64 {
    pass!(real_for(file), -1, gztell64(file));
    // SAFETY: zlib.h says what the pointers are.
    unsafe { any(file, -1, |stream| stream.base().tell()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gztell(file: File) -> off_t {
    pass!(real_for(file), -1, gztell(file));
    // SAFETY: the caller's promise.
    off_t::try_from(unsafe { gztell64(file) }).unwrap_or(-1)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzoffset64(file: File) -> i64 {
    pass!(real_for(file), -1, gzoffset64(file));
    let work = |stream: &mut Stream| match stream {
        Stream::Reading(reading) => reading.offset(),
        Stream::Writing(writing) => writing.offset(),
    };
    // SAFETY: zlib.h says what the pointer is.
    unsafe { any(file, -1, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzoffset(file: File) -> off_t {
    pass!(real_for(file), -1, gzoffset(file));
    // SAFETY: the caller's promise.
    off_t::try_from(unsafe { gzoffset64(file) }).unwrap_or(-1)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzerror(file: File, code: *mut c_int) -> *const c_char {
    pass!(real_for(file), std::ptr::null(), gzerror(file, code));
    let nothing = std::ptr::null();
    let work = |stream: &mut Stream| {
        let noted = &stream.base().noted;
        if !code.is_null() {
            // SAFETY: the place is NULL or one for a code.
            unsafe { code.write(noted.code) };
        }
        noted.text().as_ptr()
    };
    // SAFETY: zlib.h says what the pointer is. The text lasts until the next error or gzclose.
    unsafe { any(file, nothing, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzclearerr(file: File) {
    pass!(real_for(file), (), gzclearerr(file));
    let work = |stream: &mut Stream| match stream {
        Stream::Reading(reading) => reading.clear(),
        Stream::Writing(writing) => writing.base.noted.clear(),
    };
    // SAFETY: zlib.h says what the pointer is.
    unsafe { any(file, (), work) }
}

/// Closes a file. `is_wanted` says whether its direction is the right one.
///
/// # Safety
/// As for [`any`], and the file is not used again if it is closed.
unsafe fn close(file: File, is_wanted: impl FnOnce(&Stream) -> bool) -> c_int {
    // SAFETY: the caller's promise.
    let Some(handle) = (unsafe { file.as_mut() }) else { return STREAM_ERROR };
    if !is_wanted(handle.stream()) {
        return STREAM_ERROR;
    }
    // SAFETY: the file came from Box::into_raw, and the caller does not use it again.
    let handle = *unsafe { Box::from_raw(file) };
    let closed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match handle.into_stream() {
        Stream::Reading(reading) => reading.close(),
        Stream::Writing(writing) => writing.close(),
    }));
    let (code, number) = closed.unwrap_or((STREAM_ERROR, None));
    set_errno(number);
    code
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzclose(file: File) -> c_int {
    pass!(real_for(file), STREAM_ERROR, gzclose(file));
    // SAFETY: the caller's promise.
    unsafe { close(file, |_| true) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzclose_r(file: File) -> c_int {
    pass!(real_for(file), STREAM_ERROR, gzclose_r(file));
    // SAFETY: the caller's promise.
    unsafe { close(file, |stream| matches!(stream, Stream::Reading(_))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzclose_w(file: File) -> c_int {
    pass!(real_for(file), STREAM_ERROR, gzclose_w(file));
    // SAFETY: the caller's promise.
    unsafe { close(file, |stream| matches!(stream, Stream::Writing(_))) }
}
