//! The gz functions of zlib itself, for `PZCOMP_GZ=off` and for files that zlib has opened.
//!
//! They are the next ones behind ours in the order in which the dynamic linker searches.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use libc::off_t;

use crate::handle::{Handle, MARK};
use crate::settings::settings;

/// A gzFile of zlib.
type File = *mut Handle;

macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        pub(crate) struct Real {
            $(pub(crate) $name: Option<unsafe extern "C" fn($($argument),*) $(-> $result)?>,)*
        }

        impl Real {
            fn find() -> Self {
                // SAFETY: zlib.h declares the functions with these types, and a pointer to a function that exists is
                // not NULL, which is None.
                unsafe {
                    Self {
                        $($name: std::mem::transmute::<
                            *mut c_void,
                            Option<unsafe extern "C" fn($($argument),*) $(-> $result)?>,
                        >(next(concat!(stringify!($name), "\0").as_bytes())),)*
                    }
                }
            }
        }
    };
}

functions! {
    gzopen: fn(*const c_char, *const c_char) -> File;
    gzopen64: fn(*const c_char, *const c_char) -> File;
    gzdopen: fn(c_int, *const c_char) -> File;
    gzbuffer: fn(File, c_uint) -> c_int;
    gzread: fn(File, *mut c_void, c_uint) -> c_int;
    gzfread: fn(*mut c_void, usize, usize, File) -> usize;
    gzgetc: fn(File) -> c_int;
    gzgetc_: fn(File) -> c_int;
    gzungetc: fn(c_int, File) -> c_int;
    gzgets: fn(File, *mut c_char, c_int) -> *mut c_char;
    gzdirect: fn(File) -> c_int;
    gzrewind: fn(File) -> c_int;
    gzseek: fn(File, off_t, c_int) -> off_t;
    gzseek64: fn(File, i64, c_int) -> i64;
    gztell: fn(File) -> off_t;
    gztell64: fn(File) -> i64;
    gzoffset: fn(File) -> off_t;
    gzoffset64: fn(File) -> i64;
    gzeof: fn(File) -> c_int;
    gzerror: fn(File, *mut c_int) -> *const c_char;
    gzclearerr: fn(File);
    gzclose: fn(File) -> c_int;
    gzclose_r: fn(File) -> c_int;
    gzclose_w: fn(File) -> c_int;
    gzwrite: fn(File, *const c_void, c_uint) -> c_int;
    gzfwrite: fn(*const c_void, usize, usize, File) -> usize;
    gzputc: fn(File, c_int) -> c_int;
    gzputs: fn(File, *const c_char) -> c_int;
    gzvprintf: fn(File, *const c_char, *mut c_void) -> c_int;
    gzflush: fn(File, c_int) -> c_int;
    gzsetparams: fn(File, c_int, c_int) -> c_int;
}

fn next(name: &[u8]) -> *mut c_void {
    let name = CStr::from_bytes_with_nul(name).unwrap_or_default();
    // SAFETY: the name ends with a zero.
    unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }
}

fn zlib() -> &'static Real {
    static REAL: OnceLock<Real> = OnceLock::new();
    REAL.get_or_init(Real::find)
}

/// zlib's functions, if all calls go to them.
pub(crate) fn real() -> Option<&'static Real> {
    settings().is_off.then(zlib)
}

/// zlib's functions, if all calls go to them, or if zlib has opened the file. A program that loads zlib by itself gets
/// zlib's gzopen and gzclose, and gzclose calls gzclose_r or gzclose_w by name: these are ours then.
pub(crate) fn real_for(file: File) -> Option<&'static Real> {
    (settings().is_off || is_of_zlib(file)).then(zlib)
}

fn is_of_zlib(file: File) -> bool {
    // SAFETY: zlib.h demands that the file is NULL or open. An open file of ours has its mark there. One of zlib has
    // two numbers behind the public start: `gz_state` in gzguts.h, in all versions from 1.2.5 on.
    !file.is_null() && unsafe { (&raw const (*file).mark).read() } != MARK
}
