//! The error of a stream: zlib's code, the text for gzerror, and the number of the system for errno.

use std::error::Error as _;
use std::ffi::{CString, c_int};
use std::io;

use pzcomp::{Damage, Error};
use rustix::io::Errno;

use crate::zlib::{BUF_ERROR, DATA_ERROR, ERRNO, MEM_ERROR, OK, STREAM_ERROR};

/// Why a call failed.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) code: c_int,
    pub(crate) text: String,
    pub(crate) errno: Option<i32>,
}

impl Fault {
    pub(crate) fn new(code: c_int, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), errno: None }
    }

    pub(crate) fn memory() -> Self {
        Self::new(MEM_ERROR, "out of memory")
    }

    fn system(number: i32) -> Self {
        let text = io::Error::from_raw_os_error(number).to_string();
        // The words of strerror, as zlib has them.
        let text = text.rsplit_once(" (os error").map_or(text.as_str(), |(words, _)| words).to_owned();
        Self { code: ERRNO, text, errno: Some(number) }
    }
}

impl From<Errno> for Fault {
    fn from(error: Errno) -> Self {
        Self::system(error.raw_os_error())
    }
}

/// An error of a Reader or a Writer.
impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        if let Some(number) = error.raw_os_error() {
            return Self::system(number);
        }
        match Error::of(&error) {
            Some(error) => Self::from(error),
            None => Self::new(STREAM_ERROR, error.to_string()),
        }
    }
}

impl From<&Error> for Fault {
    fn from(error: &Error) -> Self {
        let mut cause = error.source();
        while let Some(inner) = cause {
            if let Some(number) = inner.downcast_ref().and_then(io::Error::raw_os_error) {
                return Self::system(number);
            }
            cause = inner.source();
        }
        match error {
            Error::Truncated { .. } | Error::Unfinished { .. } | Error::NoEnd { .. } => {
                Self::new(BUF_ERROR, "unexpected end of file")
            }
            Error::Corrupt { damage: Damage::Check, .. } => Self::new(DATA_ERROR, "incorrect data check"),
            Error::Corrupt { damage: Damage::Length, .. } => Self::new(DATA_ERROR, "incorrect length check"),
            Error::Memory { .. } | Error::NoMemory { .. } => Self::memory(),
            Error::Internal(_) | Error::Threads { .. } => Self::new(STREAM_ERROR, error.to_string()),
            _ => Self::new(DATA_ERROR, error.to_string()),
        }
    }
}

/// What gzerror says of a stream.
#[derive(Default)]
pub(crate) struct Noted {
    pub(crate) code: c_int,
    text: CString,
    /// For errno, when the call returns.
    pub(crate) errno: Option<i32>,
}

impl Noted {
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn note(&mut self, path: &[u8], fault: Fault) {
        let words = match fault.code {
            MEM_ERROR => fault.text.into_bytes(),
            _ => [path, b": ", fault.text.as_bytes()].concat(),
        };
        let words = words.into_iter().filter(|byte| *byte != 0).collect::<Vec<u8>>();
        self.text = CString::new(words).unwrap_or_default();
        (self.code, self.errno) = (fault.code, fault.errno);
    }

    pub(crate) fn text(&self) -> &CString {
        &self.text
    }

    /// Whether reading can go on: there is no error, or more input may come.
    pub(crate) fn allows_reading(&self) -> bool {
        matches!(self.code, OK | BUF_ERROR)
    }
}
