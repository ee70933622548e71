//! Parses the headers of 7z archives. `7zFormat.txt` in the source of 7-Zip describes them.
//!
//! ```text
//! signature header(32)   packed streams   header
//! ```
//!
//! The crate takes slices and gives values: it opens no files and unpacks nothing. [`SignatureHeader`] says where the
//! header is. [`NextHeader::parse`] gives a [`Directory`], or the [`Folder`] in which the directory is packed. The
//! caller unpacks that folder and parses again.
//!
//! All offsets and lengths in the values are claims of the archive.

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod bytes;
mod crc;
mod directory;
mod error;
mod files;
mod folders;
mod method;
mod signature;

pub use crc::crc32;
pub use directory::{Directory, NextHeader};
pub use error::Error;
pub use files::File;
pub use folders::{Coder, Folder, Stream};
pub use method::Method;
pub use signature::{SIGNATURE, SIGNATURE_HEADER_LEN, SignatureHeader};
