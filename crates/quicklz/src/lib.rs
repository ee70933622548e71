//! Decodes the packets of QuickLZ 1.5, levels 1, 2 and 3.
//!
//! QuickLZ codes a buffer into one packet, which states its own length and that of the plain data. Packets do not refer
//! to each other, so a program can decode many at once. This crate decodes one packet: it takes slices and gives
//! slices, opens no files and starts no threads. A packet has no checksum. The file formats around it have one.
//!
//! - [`Header::parse`] reads what a packet states.
//! - [`Decoder::decode`] decodes a packet into room of exactly the stated length.
//!
//! ```
//! use pzcomp_quicklz::{Decoder, Header};
//!
//! // A packet of level 1: flags, both lengths, a control word, and five literals.
//! let packet = [0x45, 12, 5, 0, 0, 0, 0x80, b'h', b'e', b'l', b'l', b'o'];
//! let header = Header::parse(&packet)?.ok_or("the header is not complete")?;
//! assert_eq!((header.coded_len, header.plain_len, header.level), (12, 5, 1));
//! let mut plain = vec![0; header.plain_len as usize];
//! Decoder::new().decode(&packet, &mut plain)?;
//! assert_eq!(plain, b"hello");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Packets of the streaming mode of QuickLZ refer to the packets before them. They are refused.

mod copy;
mod decode;
mod header;
mod levels;

use std::fmt;

pub use decode::Decoder;
pub use header::{HEADER_MAX, HEADER_MIN, Header};

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

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
