//! Decompresses what the caller reads.

use std::ffi::{c_char, c_int, c_void};
use std::fs::File;
use std::io::Read;

use pzcomp::{Decode, Reader};
use system::name::from_bytes;

use crate::border::{Handle, exclusive, give, room, take, text};
use crate::ends::{Callback, Descriptor, ReadCallback};
use crate::errors::{Failure, length as length_of, object, quiet};
use crate::options::{Options, reading};

type Object = Handle<Reader<Box<dyn Read>>>;

fn begin(options: Decode, source: Box<dyn Read>) -> Result<*mut Object, Failure> {
    Ok(give(Reader::new(source, options)?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_reader_path(options: *const Options, path: *const c_char) -> *mut Object {
    object(|| {
        // SAFETY: the header says what the pointers are.
        let (options, path) = unsafe { (reading(options)?, text(path, "path")?) };
        let file = File::open(from_bytes(path.to_bytes()))
            .map_err(|error| Failure::from(error).about(&path.to_string_lossy()))?;
        begin(options, Box::new(file))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_reader_descriptor(options: *const Options, descriptor: c_int) -> *mut Object {
    // SAFETY: the header says what the pointer is.
    object(|| begin(unsafe { reading(options)? }, Box::new(Descriptor::new(descriptor)?)))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_reader_callback(
    options: *const Options,
    call: Option<ReadCallback>,
    context: *mut c_void,
) -> *mut Object {
    object(|| {
        // SAFETY: the header says what the pointer is.
        let options = unsafe { reading(options)? };
        let call = call.ok_or_else(|| Failure::invalid("the callback is NULL"))?;
        begin(options, Box::new(Callback { call, context }))
    })
}

/// A call gives at most a buffer of the library, so more room would only be filled with zeros.
const READ_MAX: usize = 8 << 20;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_read(reader: *mut Object, data: *mut u8, length: usize) -> isize {
    length_of(|| {
        // SAFETY: the header says what the pointers are.
        let (reader, room) = unsafe { (exclusive(reader, "reader")?, room(data, length.min(READ_MAX))?) };
        Ok(reader.read(room)?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_reader_close(reader: *mut Object) {
    quiet(|| {
        // SAFETY: the header says what the pointer is.
        drop(unsafe { take(reader, "reader")? });
        Ok(())
    });
}
