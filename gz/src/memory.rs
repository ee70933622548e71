//! Memory that gets bytes: that of the caller, and our own.
//!
//! `calls/` makes rooms of pointers of the caller, and the readers fill them. A room may have bytes without a value, so
//! nothing reads it.

use std::mem::MaybeUninit;

pub(crate) type Room = [MaybeUninit<u8>];

/// Calls `fill` with memory of our own as a room. It returns how many bytes have got a value.
pub(crate) fn fill<R>(bytes: &mut [u8], fill: impl FnOnce(&mut Room) -> R) -> R {
    // SAFETY: both types have the same layout. The safe code that gets the room could only make bytes lose their
    // values by writing MaybeUninit::uninit, and the functions of this package write bytes that have values.
    fill(unsafe { &mut *(std::ptr::from_mut(bytes) as *mut Room) })
}

/// Copies bytes to the start of a room, as many as fit. Returns their number.
pub(crate) fn put(room: &mut Room, bytes: &[u8]) -> usize {
    let len = bytes.len().min(room.len());
    // SAFETY: both have at least `len` bytes, and a room is borrowed alone, so they do not overlap.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), room.as_mut_ptr().cast(), len) };
    len
}

/// The place of a byte.
pub(crate) fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    // SAFETY: the pointer and the length are those of a slice.
    let found = unsafe { libc::memchr(bytes.as_ptr().cast(), byte.into(), bytes.len()) };
    (!found.is_null()).then(|| found.addr() - bytes.as_ptr().addr())
}
