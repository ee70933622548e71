//! The functions of zlib.h.
//!
//! Each passes to zlib if all calls go there. Otherwise it turns the pointers of the caller into references, and
//! calls a method of the stream. What zlib returns for a NULL or a file of the other direction is returned here too.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};

use libc::off_t;

use crate::descriptor::Descriptor;
use crate::handle::{Handle, Stream};
use crate::memory::Room;
use crate::reading::Reading;
use crate::real::{Real, real};
use crate::writing::Writing;
use crate::zlib::STREAM_ERROR;

type File = *mut Handle;

/// Passes the call to zlib, if all calls go there.
macro_rules! pass {
    ($otherwise:expr, $name:ident($($argument:expr),*)) => {
        if let Some(Real { $name, .. }) = real() {
            // SAFETY: the caller has called our function of the same name and types.
            return $name.map_or($otherwise, |call| unsafe { call($($argument),*) });
        }
    };
}

fn set_errno(number: Option<c_int>) {
    if let Some(number) = number {
        // SAFETY: the variable of this thread.
        unsafe { *libc::__errno_location() = number };
    }
}

/// Calls the stream of a file.
///
/// # Safety
/// The file is NULL or open, and no other call uses it meanwhile.
unsafe fn any<R: Copy>(file: File, refused: R, work: impl FnOnce(&mut Stream) -> R) -> R {
    // SAFETY: the caller's promise.
    let Some(handle) = (unsafe { file.as_mut() }) else { return refused };
    let result = handle.call(refused, work);
    set_errno(handle.stream().base().noted.errno.take());
    result
}

/// As [`any`], for a file that is read.
///
/// # Safety
/// As for [`any`].
unsafe fn read<R: Copy>(file: File, refused: R, work: impl FnOnce(&mut Reading) -> R) -> R {
    let work = |stream: &mut Stream| match stream {
        Stream::Reading(reading) => work(reading),
        Stream::Writing(_) => refused,
    };
    // SAFETY: the caller's promise.
    unsafe { any(file, refused, work) }
}

/// As [`any`], for a file that is written.
///
/// # Safety
/// As for [`any`].
unsafe fn write<R: Copy>(file: File, refused: R, work: impl FnOnce(&mut Writing) -> R) -> R {
    let work = |stream: &mut Stream| match stream {
        Stream::Writing(writing) => work(writing),
        Stream::Reading(_) => refused,
    };
    // SAFETY: the caller's promise.
    unsafe { any(file, refused, work) }
}

/// Memory of the caller that is filled.
///
/// # Safety
/// The memory has room for `length` bytes, or the length is 0, and nothing else uses it meanwhile.
unsafe fn room<'a>(data: *mut c_void, length: usize) -> &'a mut Room {
    match data.is_null() || length > isize::MAX as usize {
        true => &mut [],
        // SAFETY: the caller's promise. The bytes of a room need no value.
        false => unsafe { std::slice::from_raw_parts_mut(data.cast(), length) },
    }
}

/// Bytes of the caller.
///
/// # Safety
/// The memory has `length` bytes with values, or the length is 0, and they do not change meanwhile.
unsafe fn bytes<'a>(data: *const c_void, length: usize) -> &'a [u8] {
    match data.is_null() || length > isize::MAX as usize {
        true => &[],
        // SAFETY: the caller's promise.
        false => unsafe { std::slice::from_raw_parts(data.cast(), length) },
    }
}

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
    pass!(std::ptr::null_mut(), gzopen(path, mode));
    if path.is_null() || mode.is_null() {
        return std::ptr::null_mut();
    }
    // SAFETY: zlib.h wants texts.
    opened(unsafe { CStr::from_ptr(path) }, None, unsafe { CStr::from_ptr(mode) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzopen64(path: *const c_char, mode: *const c_char) -> File {
    pass!(std::ptr::null_mut(), gzopen64(path, mode));
    // SAFETY: the caller's promise.
    unsafe { gzopen(path, mode) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzdopen(descriptor: c_int, mode: *const c_char) -> File {
    pass!(std::ptr::null_mut(), gzdopen(descriptor, mode));
    let Some(given) = Descriptor::given(descriptor).filter(|_| !mode.is_null()) else {
        return std::ptr::null_mut();
    };
    let name = CString::new(format!("<fd:{descriptor}>")).unwrap_or_default();
    // SAFETY: zlib.h wants a text.
    opened(&name, Some(given), unsafe { CStr::from_ptr(mode) })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzbuffer(file: File, size: c_uint) -> c_int {
    pass!(-1, gzbuffer(file, size));
    // SAFETY: zlib.h says what the pointers are.
    unsafe { any(file, -1, |stream| stream.base().set_buffer(size)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzread(file: File, data: *mut c_void, length: c_uint) -> c_int {
    pass!(-1, gzread(file, data, length));
    let work = |reading: &mut Reading| match c_int::try_from(length) {
        // SAFETY: zlib.h says what the memory is.
        Ok(_) => reading.read_call(unsafe { room(data, length as usize) }),
        Err(_) => reading.refuse("request does not fit in an int", -1),
    };
    // SAFETY: zlib.h says what the pointer is.
    unsafe { read(file, -1, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzfread(data: *mut c_void, size: usize, count: usize, file: File) -> usize {
    pass!(0, gzfread(data, size, count, file));
    let work = |reading: &mut Reading| match size.checked_mul(count) {
        Some(0) => 0,
        // SAFETY: zlib.h says what the memory is.
        Some(length) => reading.read_items(unsafe { room(data, length) }) / size,
        None => reading.refuse("request does not fit in a size_t", 0),
    };
    // SAFETY: zlib.h says what the pointer is.
    unsafe { read(file, 0, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzgetc(file: File) -> c_int {
    pass!(-1, gzgetc(file));
    // SAFETY: zlib.h says what the pointers are.
    unsafe { read(file, -1, |stream| stream.next_byte()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzgetc_(file: File) -> c_int {
    pass!(-1, gzgetc_(file));
    // SAFETY: the caller's promise.
    unsafe { gzgetc(file) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzungetc(byte: c_int, file: File) -> c_int {
    pass!(-1, gzungetc(byte, file));
    // SAFETY: zlib.h says what the pointers are.
    unsafe { read(file, -1, |stream| stream.push_back(byte)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzgets(file: File, data: *mut c_char, length: c_int) -> *mut c_char {
    pass!(std::ptr::null_mut(), gzgets(file, data, length));
    let nothing = std::ptr::null_mut();
    let Some(length) = usize::try_from(length).ok().filter(|length| *length > 0 && !data.is_null()) else {
        return nothing;
    };
    // SAFETY: zlib.h says what the memory is.
    let work =
        |reading: &mut Reading| reading.line(unsafe { room(data.cast(), length) }).map_or(nothing, |()| data);
    // SAFETY: zlib.h says what the pointer is.
    unsafe { read(file, nothing, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzdirect(file: File) -> c_int {
    pass!(0, gzdirect(file));
    let work = |stream: &mut Stream| match stream {
        Stream::Reading(reading) => reading.is_plain().into(),
        Stream::Writing(writing) => writing.base.is_direct.into(),
    };
    // SAFETY: zlib.h says what the pointer is.
    unsafe { any(file, 0, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzrewind(file: File) -> c_int {
    pass!(-1, gzrewind(file));
    // SAFETY: zlib.h says what the pointers are.
    unsafe { read(file, -1, |stream| stream.rewind()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzseek64(file: File, offset: i64, whence: c_int) -> i64 {
    pass!(-1, gzseek64(file, offset, whence));
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
    pass!(-1, gzseek(file, offset, whence));
    // SAFETY: the caller's promise.
    off_t::try_from(unsafe { gzseek64(file, offset.into(), whence) }).unwrap_or(-1)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gztell64(file: File) -> i64 {
    pass!(-1, gztell64(file));
    // SAFETY: zlib.h says what the pointers are.
    unsafe { any(file, -1, |stream| stream.base().tell()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gztell(file: File) -> off_t {
    pass!(-1, gztell(file));
    // SAFETY: the caller's promise.
    off_t::try_from(unsafe { gztell64(file) }).unwrap_or(-1)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzoffset64(file: File) -> i64 {
    pass!(-1, gzoffset64(file));
    let work = |stream: &mut Stream| match stream {
        Stream::Reading(reading) => reading.offset(),
        Stream::Writing(writing) => writing.offset(),
    };
    // SAFETY: zlib.h says what the pointer is.
    unsafe { any(file, -1, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzoffset(file: File) -> off_t {
    pass!(-1, gzoffset(file));
    // SAFETY: the caller's promise.
    off_t::try_from(unsafe { gzoffset64(file) }).unwrap_or(-1)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzeof(file: File) -> c_int {
    pass!(0, gzeof(file));
    // SAFETY: zlib.h says what the pointers are.
    unsafe { read(file, 0, |stream| stream.is_past.into()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzerror(file: File, code: *mut c_int) -> *const c_char {
    pass!(std::ptr::null(), gzerror(file, code));
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
    pass!((), gzclearerr(file));
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
    pass!(STREAM_ERROR, gzclose(file));
    // SAFETY: the caller's promise.
    unsafe { close(file, |_| true) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzclose_r(file: File) -> c_int {
    pass!(STREAM_ERROR, gzclose_r(file));
    // SAFETY: the caller's promise.
    unsafe { close(file, |stream| matches!(stream, Stream::Reading(_))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzclose_w(file: File) -> c_int {
    pass!(STREAM_ERROR, gzclose_w(file));
    // SAFETY: the caller's promise.
    unsafe { close(file, |stream| matches!(stream, Stream::Writing(_))) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzwrite(file: File, data: *const c_void, length: c_uint) -> c_int {
    pass!(0, gzwrite(file, data, length));
    let work = |writing: &mut Writing| match c_int::try_from(length) {
        // SAFETY: zlib.h says what the memory is.
        Ok(_) => writing.write_call(unsafe { bytes(data, length as usize) }),
        Err(_) => {
            writing.refuse_write();
            0
        }
    };
    // SAFETY: zlib.h says what the pointer is.
    unsafe { write(file, 0, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzfwrite(data: *const c_void, size: usize, count: usize, file: File) -> usize {
    pass!(0, gzfwrite(data, size, count, file));
    let work = |writing: &mut Writing| match size.checked_mul(count) {
        // SAFETY: zlib.h says what the memory is.
        Some(length) => writing.write_items(unsafe { bytes(data, length) }).checked_div(size).unwrap_or(0),
        None => {
            writing.refuse_length(STREAM_ERROR, "request does not fit in a size_t");
            0
        }
    };
    // SAFETY: zlib.h says what the pointer is.
    unsafe { write(file, 0, work) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzputc(file: File, byte: c_int) -> c_int {
    pass!(-1, gzputc(file, byte));
    // SAFETY: zlib.h says what the pointers are.
    unsafe { write(file, -1, |stream| stream.put_byte(byte)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzputs(file: File, text: *const c_char) -> c_int {
    pass!(-1, gzputs(file, text));
    if text.is_null() {
        return -1;
    }
    // SAFETY: zlib.h says what the pointers are.
    unsafe { write(file, -1, |writing| writing.put_text(CStr::from_ptr(text).to_bytes())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzflush(file: File, flush: c_int) -> c_int {
    pass!(STREAM_ERROR, gzflush(file, flush));
    // SAFETY: zlib.h says what the pointers are.
    unsafe { write(file, STREAM_ERROR, |stream| stream.flush(flush)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzsetparams(file: File, level: c_int, strategy: c_int) -> c_int {
    pass!(STREAM_ERROR, gzsetparams(file, level, strategy));
    // SAFETY: zlib.h says what the pointers are.
    unsafe { write(file, STREAM_ERROR, |stream| stream.set(level, strategy)) }
}

/// For gzvprintf: its room for the text. printf.c is the only caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_gz_text_room(file: File, room: *mut *mut c_char, size: *mut c_uint) -> c_int {
    let work = |writing: &mut Writing| match writing.text_room() {
        Ok(text) => {
            // SAFETY: printf.c has places for both.
            unsafe { (*room, *size) = (text.as_mut_ptr().cast(), text.len() as c_uint) };
            0
        }
        Err(code) => code,
    };
    // SAFETY: printf.c passes the pointer of its caller.
    unsafe { write(file, STREAM_ERROR, work) }
}

/// For gzvprintf: the length of the text in the room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_gz_text_written(file: File, length: c_uint) -> c_int {
    // SAFETY: printf.c passes the pointer of its caller.
    unsafe { write(file, STREAM_ERROR, |writing| writing.text_written(length)) }
}

/// For gzvprintf: that of zlib, if all calls go there.
#[unsafe(no_mangle)]
pub extern "C" fn pz_gz_real_vprintf() -> *mut c_void {
    let real = real().and_then(|real| real.gzvprintf);
    real.map_or(std::ptr::null_mut(), |call| call as *mut c_void)
}
