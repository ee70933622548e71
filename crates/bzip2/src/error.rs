//! Why a block cannot be coded or decoded.
//!
//! The decoder and the encoder return [`Error`]. It carries no offset, because a block does not know where in the
//! stream it is: the caller adds that.

use std::fmt;

/// Why a block cannot be coded or decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The input ends before the block does.
    Truncated,
    /// The block is not valid. The text continues the sentence "The block is damaged: …".
    Invalid(&'static str),
    /// There is not enough memory.
    OutOfMemory,
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Truncated => out.write_str("the input ends before the bzip2 block does"),
            Self::Invalid(what) => write!(out, "the bzip2 block is damaged: {what}"),
            Self::OutOfMemory => out.write_str("there is not enough memory for a bzip2 block"),
        }
    }
}

impl std::error::Error for Error {}
