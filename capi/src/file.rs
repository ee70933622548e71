//! The plain data of a compressed file from any place, and what such a file holds.

use std::ffi::{c_char, c_int};
use std::fs::File;

use pzcomp::inspect::List;
use pzcomp::{Input, Seekable};
use system::name::from_bytes;

use crate::border::{Handle, give, put, room, shared, take, text};
use crate::errors::{Failure, length as length_of, object, quiet, status};
use crate::options::{Options, reading};

type Object = Handle<Seekable<File>>;

/// `pz_info` of the header.
#[repr(C)]
pub struct Info {
    size: usize,
    coded_length: u64,
    plain_length: u64,
    frames: u64,
    format: [u8; 16],
    check: [u8; 16],
    has_index: c_int,
}

/// Opens a path of the caller.
///
/// # Safety
/// The pointer is NULL or a text that ends with a zero byte.
unsafe fn open(path: *const c_char) -> Result<File, Failure> {
    // SAFETY: the caller's promise.
    let path = unsafe { text(path, "path")? };
    File::open(from_bytes(path.to_bytes()))
        .map_err(|error| Failure::from(error).about(&path.to_string_lossy()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_open(options: *const Options, path: *const c_char) -> *mut Object {
    object(|| {
        // SAFETY: the header says what the pointers are.
        let (options, file) = unsafe { (reading(options)?, open(path)?) };
        Ok(give(Seekable::with_options(file, &options)?))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_size(file: *const Object, size: *mut u64) -> c_int {
    // SAFETY: the header says what the pointers are.
    status(|| unsafe { put(size, shared(file, "file")?.measure()?, "place of the size") })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_pread(file: *const Object, data: *mut u8, length: usize, offset: u64) -> isize {
    length_of(|| {
        // SAFETY: the header says what the pointers are.
        let (file, room) = unsafe { (shared(file, "file")?, room(data, length)?) };
        Ok(file.read_at(room, offset)?)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_close(file: *mut Object) {
    quiet(|| {
        // SAFETY: the header says what the pointer is.
        drop(unsafe { take(file, "file")? });
        Ok(())
    });
}

/// A name with zero bytes behind it.
fn name(text: &str) -> [u8; 16] {
    let mut name = [0; 16];
    let len = text.len().min(15);
    name[..len].copy_from_slice(&text.as_bytes()[..len]);
    name
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pz_inspect(options: *const Options, path: *const c_char, info: *mut Info) -> c_int {
    status(|| {
        // SAFETY: the header says what the pointers are. The caller has set the size, and perhaps no other field, so no
        // reference to all of them is made.
        let (options, file, size) = unsafe {
            let size = (!info.is_null()).then(|| (&raw const (*info).size).read());
            (reading(options)?, open(path)?, size)
        };
        if size != Some(size_of::<Info>()) {
            return Err(Failure::invalid(
                "the field size of pz_info is not sizeof(pz_info), or the pointer is NULL",
            ));
        }
        let found = List::new(&options).run(Input::from_file(&file)?)?;
        let value = Info {
            size: size_of::<Info>(),
            coded_length: found.coded_len,
            plain_length: found.plain_len.unwrap_or(u64::MAX),
            frames: found.frames.unwrap_or(u64::MAX),
            format: name(found.formats.first().map_or("", |format| format.name())),
            check: name(found.check),
            has_index: found.is_indexed.into(),
        };
        // SAFETY: the pointer is not NULL, and the header says what it is.
        unsafe { put(info, value, "place of the information") }
    })
}
