//! Compresses what the caller writes.

use std::ffi::{c_char, c_int, c_void};
use std::fs::File;
use std::io::Write;

use pzcomp::{Encode, Writer};
use system::name::from_bytes;

use crate::border::{Handle, bytes, exclusive, give, take, text};
use crate::ends::{Callback, Descriptor, Sink, WriteCallback};
use crate::errors::{Failure, object, quiet, status};
use crate::options::{Options, writing};

type Object = Handle<Writer<Box<dyn Sink>>>;

fn begin(options: Encode, sink: Box<dyn Sink>) -> Result<*mut Object, Failure> {
    Ok(give(Writer::new(sink, options)?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_writer_path(options: *const Options, path: *const c_char) -> *mut Object {
    object(|| {
        // SAFETY: the header says what the pointers are.
        let (options, path) = unsafe { (writing(options)?, text(path, "path")?) };
        let file = File::create(from_bytes(path.to_bytes()))
            .map_err(|error| Failure::from(error).about(&path.to_string_lossy()))?;
        begin(options, Box::new(file))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_writer_descriptor(options: *const Options, descriptor: c_int) -> *mut Object {
    // SAFETY: the header says what the pointer is.
    object(|| begin(unsafe { writing(options)? }, Box::new(Descriptor::new(descriptor)?)))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_writer_callback(
    options: *const Options,
    call: Option<WriteCallback>,
    context: *mut c_void,
) -> *mut Object {
    object(|| {
        // SAFETY: the header says what the pointer is.
        let options = unsafe { writing(options)? };
        let call = call.ok_or_else(|| Failure::invalid("the callback is NULL"))?;
        begin(options, Box::new(Callback { call, context }))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_write(writer: *mut Object, data: *const u8, length: usize) -> c_int {
    status(|| {
        // SAFETY: the header says what the pointers are.
        let (writer, data) = unsafe { (exclusive(writer, "writer")?, bytes(data, length)?) };
        Ok(writer.write_all(data)?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_flush(writer: *mut Object) -> c_int {
    // SAFETY: the header says what the pointer is.
    status(|| Ok(unsafe { exclusive(writer, "writer")? }.flush()?))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_writer_finish(writer: *mut Object) -> c_int {
    status(|| {
        // SAFETY: the header says what the pointer is.
        let writer = unsafe { take(writer, "writer")? };
        let (mut sink, _) = writer.finish()?;
        sink.flush()?;
        Ok(sink.close()?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_writer_abort(writer: *mut Object) {
    quiet(|| {
        // SAFETY: the header says what the pointer is.
        drop(unsafe { take(writer, "writer")? }.abort());
        Ok(())
    });
}
