//! [`Error`]: why a stream ended early.
//!
//! The engine makes the errors of reading, writing and threads itself. A coder or a feeder puts an error of its own
//! into [`Error::Coder`], and the engine hands it to the caller of the stream as it is.

use std::io;

/// The result of a function of this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a coder or a feeder.
pub type CoderError = Box<dyn std::error::Error + Send + Sync>;

/// Why a stream ended early. All output before the error has been written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input could not be read.
    #[error("cannot read at offset {offset}")]
    Read {
        /// Offset of the first byte that was not read.
        offset: u64,
        /// The error of the system.
        source: io::Error,
    },
    /// The output could not be written.
    #[error("cannot write after {offset} bytes")]
    Write {
        /// Bytes of output before the failing write.
        offset: u64,
        /// The error of the system.
        source: io::Error,
    },
    /// A regular file became shorter while it was read.
    #[error("the file became shorter while it was read: expected {expected} bytes, but it ends at {found}")]
    Shrank {
        /// The end of the bytes that were to be read.
        expected: u64,
        /// Offset at which the file ends now.
        found: u64,
    },
    /// The system does not allow more threads.
    #[error("cannot start a thread")]
    Threads {
        /// The error of the system.
        source: io::Error,
    },
    /// There is more output than is allowed. All output up to there has left.
    #[error("the output is longer than the {allowed} bytes that are allowed")]
    OutputLimit {
        /// Bytes allowed.
        allowed: u64,
    },
    /// [`Progress::cancel`](crate::Progress::cancel) was called.
    #[error("cancelled by the program")]
    Cancelled,
    /// A coder or a feeder failed. The engine does not look at the error.
    #[error("{error}")]
    Coder {
        /// What the coder or the feeder has returned.
        error: CoderError,
        /// The caller asked for what the coder cannot do. If nothing was written before, the output stays empty.
        is_refusal: bool,
    },
    /// A thread panicked, or a rule of the engine was broken.
    #[error("internal error: {0}")]
    Internal(String),
    /// The work was stopped after another error. A coder that gets it returns it.
    #[error("the work was stopped after an earlier error")]
    GivenUp,
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Read { source, .. } | Error::Write { source, .. } => source,
            error => Self::other(error),
        }
    }
}

impl Error {
    /// The error of a coder or a feeder.
    pub fn coder(error: impl Into<CoderError>) -> Self {
        Self::Coder { error: error.into(), is_refusal: false }
    }
}
