//! Why a header cannot be parsed.

use std::fmt;

/// Why a header cannot be parsed. Offsets count from the start of the bytes that were parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The header is not valid. The text continues the sentence "The header …".
    Invalid {
        /// Where.
        offset: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// The header needs something that this crate does not know. The text continues the sentence "The header …".
    Unsupported {
        /// Where.
        offset: usize,
        /// What it needs.
        what: &'static str,
    },
    /// What the header lists needs more memory than the budget of the caller.
    Memory,
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Invalid { offset, what } | Self::Unsupported { offset, what } => {
                write!(out, "the header {what} (at byte {offset} of it)")
            }
            Self::Memory => out.write_str("the header lists more than the memory that is allowed can hold"),
        }
    }
}

impl std::error::Error for Error {}
