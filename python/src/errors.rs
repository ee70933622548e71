//! Errors of the library and of the system as exceptions of Python.
//!
//! The classes are in `pzcomp/_errors.py`. The sentence of an error stays as the library says it.

use std::io;

use pyo3::exceptions::{PyMemoryError, PyOSError, PyValueError};
use pyo3::import_exception;
use pyo3::prelude::*;
use pzcomp::Error;

import_exception!(pzcomp._errors, PzcompError);
import_exception!(pzcomp._errors, DamagedError);
import_exception!(pzcomp._errors, TruncatedError);
import_exception!(pzcomp._errors, FormatError);
import_exception!(pzcomp._errors, LimitError);

/// The exception of an error in data that begins `start` bytes behind the start of its file.
pub(crate) fn of_io_behind(error: io::Error, start: u64) -> PyErr {
    match error.downcast::<Error>() {
        Ok(error) => by_kind(&error.behind(start)),
        Err(error) => of_io(error),
    }
}

/// The exception of an error of the library.
pub(crate) fn of_library(error: Error) -> PyErr {
    match error {
        Error::Read { source, .. } | Error::Write { source, .. } => of_system(source),
        error => by_kind(&error),
    }
}

/// The exception of an error that may come from the library or from the system.
pub(crate) fn of_io(error: io::Error) -> PyErr {
    match Error::of(&error) {
        Some(error) => by_kind(error),
        None => of_system(error),
    }
}

fn of_system(error: io::Error) -> PyErr {
    // An error without a number is not one of the system. It must be an OSError all the same.
    match error.get_ref().is_some_and(|inner| inner.is::<PyErr>()) || error.raw_os_error().is_some() {
        true => PyErr::from(error),
        false => PyOSError::new_err(error.to_string()),
    }
}

fn by_kind(error: &Error) -> PyErr {
    let what = error.to_string();
    match error {
        Error::Truncated { .. } | Error::Unfinished { .. } | Error::NoEnd { .. } | Error::Empty => {
            TruncatedError::new_err(what)
        }
        Error::Corrupt { .. } | Error::TrailingGarbage { .. } => DamagedError::new_err(what),
        Error::NotCompressed { .. }
        | Error::Unsupported { .. }
        | Error::NotBuilt { .. }
        | Error::Dictionary { .. } => FormatError::new_err(what),
        Error::OutputLimit { .. } => LimitError::new_err(what),
        Error::Level { .. }
        | Error::BlockSize { .. }
        | Error::NotWritten { .. }
        | Error::Unavailable { .. } => PyValueError::new_err(what),
        Error::Memory { .. } | Error::NoMemory { .. } => PyMemoryError::new_err(what),
        Error::Read { source, .. } | Error::Write { source, .. } => match source.raw_os_error() {
            Some(number) => PyErr::from(io::Error::from_raw_os_error(number)),
            None => PyOSError::new_err(source.to_string()),
        },
        _ => PzcompError::new_err(what),
    }
}
