//! The functions of zlib.h.
//!
//! Each passes to zlib if all calls go there, or if the file is one of zlib. Otherwise it turns the pointers of the
//! caller into references, and calls a method of the stream. What zlib returns for a NULL or a file of the other
//! direction is returned here too.

mod files;
mod read;
mod write;

use std::ffi::{c_int, c_void};

use crate::handle::{Handle, Stream};
use crate::memory::Room;
use crate::reading::Reading;
use crate::writing::Writing;

type File = *mut Handle;

/// Passes the call to zlib, if `real` has zlib's functions.
macro_rules! pass {
    ($real:expr, $otherwise:expr, $name:ident($($argument:expr),*)) => {
        if let Some(Real { $name, .. }) = $real {
            // SAFETY: the caller has called our function of the same name and types.
            return $name.map_or($otherwise, |call| unsafe { call($($argument),*) });
        }
    };
}
use pass;

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
