//! Errors as codes, each with a sentence for the thread that called.

use std::cell::RefCell;
use std::error::Error as _;
use std::ffi::{CString, c_char, c_int};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pzcomp::Error;

/// The codes of the header.
#[derive(Clone, Copy)]
#[repr(i32)]
pub(crate) enum Code {
    Ok = 0,
    Invalid = 1,
    System = 2,
    Damaged = 3,
    Unsupported = 4,
    Memory = 5,
    Limit = 6,
    Forked = 7,
    Internal = 8,
}

/// An error for the caller.
pub(crate) struct Failure {
    code: Code,
    message: String,
}

impl Failure {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The same error, of this file.
    pub(crate) fn about(self, path: &str) -> Self {
        Self { message: format!("{path}: {}", self.message), ..self }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::Invalid, message)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let code = match error {
            Error::Read { .. } | Error::Write { .. } | Error::Shrank { .. } | Error::Threads { .. } => {
                Code::System
            }
            Error::Unsupported { .. } | Error::NotBuilt { .. } | Error::Dictionary { .. } => {
                Code::Unsupported
            }
            Error::Memory { .. } | Error::NoMemory { .. } => Code::Memory,
            Error::OutputLimit { .. } => Code::Limit,
            Error::Level { .. }
            | Error::BlockSize { .. }
            | Error::NotWritten { .. }
            | Error::Unavailable { .. }
            | Error::NeedsFile => Code::Invalid,
            Error::Internal(_) | Error::NotVerified { .. } => Code::Internal,
            _ => Code::Damaged,
        };
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            message.push_str(&format!(": {error}"));
            cause = error.source();
        }
        Self { code, message }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match Error::of(&error) {
            Some(error) => Self::from(error),
            None => Self::new(Code::System, error.to_string()),
        }
    }
}

thread_local! {
    /// The last error of the thread. A destructor of the caller may make calls when the thread has none any more: an
    /// error has no words then.
    static LAST: RefCell<(Code, CString)> = RefCell::new((Code::Ok, CString::default()));
}

fn remember(failure: Failure) -> Code {
    let Failure { code, message } = failure;
    let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
    let _ = LAST.try_with(|last| *last.borrow_mut() = (code, message));
    code
}

/// Does the work of a call. An error or a panic is remembered for the thread, and its code is returned.
fn guarded<R>(work: impl FnOnce() -> Result<R, Failure>) -> Result<R, Code> {
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let message =
            "internal error: the library panicked, and its message is on standard error; please report this";
        Err(Failure::new(Code::Internal, message))
    });
    result.map_err(remember)
}

/// The result of a call that returns a code.
pub(crate) fn status(work: impl FnOnce() -> Result<(), Failure>) -> c_int {
    match guarded(work) {
        Ok(()) => Code::Ok as c_int,
        Err(code) => code as c_int,
    }
}

/// The result of a call that returns a pointer.
pub(crate) fn object<T>(work: impl FnOnce() -> Result<*mut T, Failure>) -> *mut T {
    guarded(work).unwrap_or(std::ptr::null_mut())
}

/// The result of a call that returns a length.
pub(crate) fn length(work: impl FnOnce() -> Result<usize, Failure>) -> isize {
    guarded(work).map_or(-1, usize::cast_signed)
}

/// A call without a result.
pub(crate) fn quiet(work: impl FnOnce() -> Result<(), Failure>) {
    let _ = catch_unwind(AssertUnwindSafe(work));
}

#[unsafe(no_mangle)]
pub extern "C" fn pz_error_code() -> c_int {
    LAST.try_with(|last| last.borrow().0 as c_int).unwrap_or(Code::Ok as c_int)
}

#[unsafe(no_mangle)]
pub extern "C" fn pz_error_message() -> *const c_char {
    LAST.try_with(|last| last.borrow().1.as_ptr()).unwrap_or(c"".as_ptr())
}
