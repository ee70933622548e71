//! Why a packet cannot be decoded.
//!
//! The decoder returns [`Error`]. It carries no offset, because a packet does not know where in a file it is: the
//! caller adds that.

use std::fmt;

/// Why a packet cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The packet is not valid. The text continues the sentence "The packet …".
    Invalid(&'static str),
    /// The packet is of the streaming mode, which refers to the packets before it.
    Streaming,
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Invalid(what) => write!(out, "the QuickLZ packet {what}"),
            Self::Streaming => {
                out.write_str("the QuickLZ packet is of the streaming mode, which this decoder does not know")
            }
        }
    }
}

impl std::error::Error for Error {}
