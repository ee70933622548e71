//! The border to C: pointers of the caller become references, and objects become pointers.
//!
//! A NULL where an object is needed is an error in words. That a pointer that is not NULL points to what the header
//! says is the promise of the caller. Nothing can check it.

use std::ffi::{CStr, c_char};
use std::process;

use crate::errors::{Code, Failure};

/// An object of the library, and the process that made it.
pub(crate) struct Handle<T> {
    process: u32,
    value: T,
}

/// An object as the pointer that the caller gets.
pub(crate) fn give<T>(value: T) -> *mut Handle<T> {
    Box::into_raw(Box::new(Handle { process: process::id(), value }))
}

fn own<T>(handle: &Handle<T>) -> Result<(), Failure> {
    match handle.process == process::id() {
        true => Ok(()),
        false => Err(Failure::new(
            Code::Forked,
            "this object belongs to the parent of this process; a forked child makes objects of its own",
        )),
    }
}

fn null(what: &str) -> Failure {
    Failure::new(Code::Invalid, format!("the pointer to the {what} is NULL"))
}

/// The object behind a pointer.
///
/// # Safety
/// The pointer is NULL or comes from [`give`], and the object is not freed meanwhile.
pub(crate) unsafe fn shared<'a, T>(pointer: *const Handle<T>, what: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller's promise.
    let handle = unsafe { pointer.as_ref() }.ok_or_else(|| null(what))?;
    own(handle)?;
    Ok(&handle.value)
}

/// The object behind a pointer, for this call alone.
///
/// # Safety
/// As for [`shared`], and no other call uses the object meanwhile.
pub(crate) unsafe fn exclusive<'a, T>(pointer: *mut Handle<T>, what: &str) -> Result<&'a mut T, Failure> {
    // SAFETY: the caller's promise.
    let handle = unsafe { pointer.as_mut() }.ok_or_else(|| null(what))?;
    own(handle)?;
    Ok(&mut handle.value)
}

/// Takes an object back. In a forked child, the object of the parent is left as it is, because its threads do not exist
/// there. A NULL is nothing.
///
/// # Safety
/// As for [`exclusive`], and the pointer is not used again.
pub(crate) unsafe fn take<T>(pointer: *mut Handle<T>, what: &str) -> Result<T, Failure> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: the caller's promise. The object came from a box.
    let handle = unsafe { Box::from_raw(pointer) };
    match own(&handle) {
        Ok(()) => Ok(handle.value),
        Err(failure) => {
            std::mem::forget(handle);
            Err(failure)
        }
    }
}

/// No object is longer than this.
const LENGTH_MAX: usize = isize::MAX as usize;

fn too_long(length: usize) -> Failure {
    Failure::invalid(format!("the length {length} is above {LENGTH_MAX}, the longest that memory can be"))
}

/// Bytes of the caller.
///
/// # Safety
/// The memory has `length` initialised bytes, which do not change meanwhile.
pub(crate) unsafe fn bytes<'a>(data: *const u8, length: usize) -> Result<&'a [u8], Failure> {
    match (data.is_null(), length) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(null("memory")),
        (_, LENGTH_MAX..) => Err(too_long(length)),
        // SAFETY: the caller's promise, and the length was checked.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(data, length) }),
    }
}

/// Memory of the caller that is filled.
///
/// # Safety
/// The memory has room for `length` bytes, and nothing else uses it meanwhile.
pub(crate) unsafe fn room<'a>(data: *mut u8, length: usize) -> Result<&'a mut [u8], Failure> {
    match (data.is_null(), length) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err(null("memory")),
        (_, LENGTH_MAX..) => Err(too_long(length)),
        (false, _) => {
            // The library takes a slice of bytes that have values, so they get some. SAFETY: the caller's promise.
            unsafe { data.write_bytes(0, length) };
            // SAFETY: the caller's promise, and the bytes have values.
            Ok(unsafe { std::slice::from_raw_parts_mut(data, length) })
        }
    }
}

/// A place of the caller for one result.
///
/// # Safety
/// The pointer is NULL or has room for the value, and nothing else uses it meanwhile.
pub(crate) unsafe fn put<T>(place: *mut T, value: T, what: &str) -> Result<(), Failure> {
    match place.is_null() {
        true => Err(null(what)),
        false => {
            // SAFETY: the caller's promise. The old value has no destructor, because C wrote it.
            unsafe { place.write(value) };
            Ok(())
        }
    }
}

/// A text of the caller.
///
/// # Safety
/// The pointer is NULL, or a text that ends with a zero byte and does not change meanwhile.
pub(crate) unsafe fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a CStr, Failure> {
    match pointer.is_null() {
        true => Err(null(what)),
        // SAFETY: the caller's promise.
        false => Ok(unsafe { CStr::from_ptr(pointer) }),
    }
}
