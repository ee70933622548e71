//! The functions that write, and what `printf.c` calls.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use super::{File, bytes, pass, write};
use crate::real::{Real, real_for};
use crate::writing::Writing;
use crate::zlib::STREAM_ERROR;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzwrite(file: File, data: *const c_void, length: c_uint) -> c_int {
    pass!(real_for(file), 0, gzwrite(file, data, length));
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
    pass!(real_for(file), 0, gzfwrite(data, size, count, file));
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
    pass!(real_for(file), -1, gzputc(file, byte));
    // SAFETY: zlib.h says what the pointers are.
    unsafe { write(file, -1, |stream| stream.put_byte(byte)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzputs(file: File, text: *const c_char) -> c_int {
    pass!(real_for(file), -1, gzputs(file, text));
    if text.is_null() {
        return -1;
    }
    // SAFETY: zlib.h says what the pointers are.
    unsafe { write(file, -1, |writing| writing.put_text(CStr::from_ptr(text).to_bytes())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzflush(file: File, flush: c_int) -> c_int {
    pass!(real_for(file), STREAM_ERROR, gzflush(file, flush));
    // SAFETY: zlib.h says what the pointers are.
    unsafe { write(file, STREAM_ERROR, |stream| stream.flush(flush)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn gzsetparams(file: File, level: c_int, strategy: c_int) -> c_int {
    pass!(real_for(file), STREAM_ERROR, gzsetparams(file, level, strategy));
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

/// For gzvprintf: that of zlib, if all calls go there, or if the file is one of zlib.
#[unsafe(no_mangle)]
pub extern "C" fn pz_gz_real_vprintf(file: File) -> *mut c_void {
    let real = real_for(file).and_then(|real| real.gzvprintf);
    real.map_or(std::ptr::null_mut(), |call| call as *mut c_void)
}
