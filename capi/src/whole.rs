//! Memory to memory.

use std::ffi::{c_char, c_int, c_void};

use pzcomp::{Compress, Decompress};

use crate::border::{bytes, put};
use crate::errors::{Failure, quiet, status};
use crate::options::{Options, reading, writing};

/// In front of each result: its capacity and its length, with which it is freed.
const FRONT: usize = 2 * size_of::<usize>();

#[unsafe(no_mangle)]
pub extern "C" fn pz_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_compress(
    options: *const Options,
    data: *const u8,
    length: usize,
    result: *mut *mut c_void,
    result_length: *mut usize,
) -> c_int {
    status(|| {
        // SAFETY: the header says what the pointers are.
        let (options, plain) = unsafe { (writing(options)?, bytes(data, length)?) };
        let mut coded = vec![0; FRONT];
        Compress::new(&options).run(plain, &mut coded)?;
        // SAFETY: the header says what the pointers are.
        unsafe { leave(coded, result, result_length) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_decompress(
    options: *const Options,
    data: *const u8,
    length: usize,
    result: *mut *mut c_void,
    result_length: *mut usize,
) -> c_int {
    status(|| {
        // SAFETY: the header says what the pointers are.
        let (options, coded) = unsafe { (reading(options)?, bytes(data, length)?) };
        let mut plain = vec![0; FRONT];
        Decompress::new(&options).run(coded, &mut plain)?;
        // SAFETY: the header says what the pointers are.
        unsafe { leave(plain, result, result_length) }
    })
}

/// Leaves a vector to the caller, without the bytes in its front.
///
/// # Safety
/// The pointers are NULL or have room for a value.
unsafe fn leave(vector: Vec<u8>, result: *mut *mut c_void, length: *mut usize) -> Result<(), Failure> {
    if result.is_null() || length.is_null() {
        return Err(Failure::invalid("the place of the result or of its length is NULL"));
    }
    let mut vector = std::mem::ManuallyDrop::new(vector);
    let (capacity, len) = (vector.capacity(), vector.len());
    let (of_capacity, of_len) = vector[..FRONT].split_at_mut(size_of::<usize>());
    of_capacity.copy_from_slice(&capacity.to_ne_bytes());
    of_len.copy_from_slice(&len.to_ne_bytes());
    // SAFETY: the vector has at least the bytes of its front, and the caller's promise.
    unsafe {
        put(result, vector.as_mut_ptr().add(FRONT).cast(), "place of the result")?;
        put(length, len - FRONT, "place of the length")
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_free(result: *mut c_void) {
    quiet(|| {
        if result.is_null() {
            return Ok(());
        }
        // SAFETY: the pointer comes from `leave`: in front of it are the capacity and the length of its vector, whose
        // memory begins there.
        unsafe {
            let start = result.cast::<u8>().sub(FRONT);
            let [capacity, len] = start.cast::<[usize; 2]>().read_unaligned();
            debug_assert!(FRONT <= len && len <= capacity, "the pointer is a result of this library");
            drop(Vec::from_raw_parts(start, len, capacity));
        }
        Ok(())
    });
}
