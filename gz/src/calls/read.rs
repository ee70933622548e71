//! The functions that read.

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::{File, pass, read, room};
use crate::reading::Reading;
use crate::real::{Real, real_for};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzread(file: File, data: *mut c_void, length: c_uint) -> c_int {
    pass!(real_for(file), -1, gzread(file, data, length));
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
    pass!(real_for(file), 0, gzfread(data, size, count, file));
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
    pass!(real_for(file), -1, gzgetc(file));
    // SAFETY: zlib.h says what the pointers are.
    unsafe { read(file, -1, |stream| stream.next_byte()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzgetc_(file: File) -> c_int {
    pass!(real_for(file), -1, gzgetc_(file));
    // SAFETY: the caller's promise.
    unsafe { gzgetc(file) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzungetc(byte: c_int, file: File) -> c_int {
    pass!(real_for(file), -1, gzungetc(byte, file));
    // SAFETY: zlib.h says what the pointers are.
    unsafe { read(file, -1, |stream| stream.push_back(byte)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzgets(file: File, data: *mut c_char, length: c_int) -> *mut c_char {
    pass!(real_for(file), std::ptr::null_mut(), gzgets(file, data, length));
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
pub unsafe extern "C" fn gzrewind(file: File) -> c_int {
    pass!(real_for(file), -1, gzrewind(file));
    // SAFETY: zlib.h says what the pointers are.
    unsafe { read(file, -1, |stream| stream.rewind()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzeof(file: File) -> c_int {
    pass!(real_for(file), 0, gzeof(file));
    // SAFETY: zlib.h says what the pointers are.
    unsafe { read(file, 0, |stream| stream.is_past.into()) }
}
