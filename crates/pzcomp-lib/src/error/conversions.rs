//! Errors of the engine, and of [`std::io`]: what becomes of a variant on the way there and back.

use std::io;

use super::Error;

impl From<engine::Error> for Error {
    fn from(error: engine::Error) -> Self {
        match error {
            engine::Error::Read { offset, source } => Self::Read { offset, source },
            engine::Error::Write { offset, source } => Self::Write { offset, source },
            engine::Error::Shrank { expected, found } => Self::Shrank { expected, found },
            engine::Error::Threads { source } => Self::Threads { source },
            engine::Error::OutputLimit { allowed } => Self::OutputLimit { allowed },
            engine::Error::Cancelled => Self::Cancelled,
            engine::Error::GivenUp => Self::GivenUp,
            engine::Error::Internal(what) => Self::Internal(what),
            // The coders and feeders of this crate return no other error.
            engine::Error::Coder { error, .. } => {
                error.downcast().map_or_else(|error| Self::Internal(error.to_string()), |error| *error)
            }
            error => Self::Internal(error.to_string()),
        }
    }
}

impl From<Error> for engine::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Read { offset, source } => Self::Read { offset, source },
            Error::Write { offset, source } => Self::Write { offset, source },
            Error::Shrank { expected, found } => Self::Shrank { expected, found },
            Error::Threads { source } => Self::Threads { source },
            Error::OutputLimit { allowed } => Self::OutputLimit { allowed },
            Error::Cancelled => Self::Cancelled,
            Error::GivenUp => Self::GivenUp,
            Error::Internal(what) => Self::Internal(what),
            error => {
                let is_refusal = matches!(error, Error::Unavailable { .. });
                Self::Coder { error: Box::new(error), is_refusal }
            }
        }
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Read { source, .. } | Error::Write { source, .. } => source,
            Error::Truncated { .. } | Error::Unfinished { .. } | Error::NoEnd { .. } | Error::Empty => {
                Self::new(io::ErrorKind::UnexpectedEof, error)
            }
            Error::NeedsFile => Self::new(io::ErrorKind::NotSeekable, error),
            Error::Threads { .. } => Self::new(io::ErrorKind::ResourceBusy, error),
            Error::Memory { .. } | Error::NoMemory { .. } => Self::new(io::ErrorKind::OutOfMemory, error),
            Error::NotBuilt { .. } => Self::new(io::ErrorKind::Unsupported, error),
            Error::Level { .. }
            | Error::BlockSize { .. }
            | Error::NotWritten { .. }
            | Error::Unavailable { .. } => Self::new(io::ErrorKind::InvalidInput, error),
            Error::Internal(_) | Error::GivenUp | Error::Cancelled => Self::other(error),
            _ => Self::new(io::ErrorKind::InvalidData, error),
        }
    }
}
