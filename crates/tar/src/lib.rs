//! A parser of tar archives that is fed bytes in pieces of any size.
//!
//! ```text
//! bytes ─▶ Parser: header (a block), pax (records), sparse (a map) ─▶ Event: a member, its data, its end
//! ```
//!
//! The owner of a [`Parser`] gives it the bytes from [`Parser::offset`] on, and gets one [`Event`] after the other. It
//! may leave out the data of a member ([`Parser::skip_data`], [`Parser::skip`]). Nothing of this crate reads or writes
//! files.
//!
//! Archives are hostile: each number is checked before it is used, and memory is bounded by a few MiB, whatever headers
//! claim.
//!
//! ```
//! use pzcomp_tar::{Event, Parser};
//!
//! let mut archive = vec![0; 512];
//! archive[..5].copy_from_slice(b"a.txt");
//! archive[124..128].copy_from_slice(b"0005");
//! archive[156] = b'0';
//! let sum = archive.iter().map(|&byte| u32::from(byte)).sum::<u32>() + 8 * 32;
//! archive[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
//! archive.extend(b"three");
//! archive.resize(512 + 512 + 1024, 0);
//!
//! let (mut parser, mut at, mut found) = (Parser::new(), 0, Vec::<u8>::new());
//! while at < archive.len() {
//!     let (read, event) = parser.feed(&archive[at..])?;
//!     at += read;
//!     match event {
//!         Some(Event::Member(member)) => assert_eq!((&member.name[..], member.size), (&b"a.txt"[..], 5)),
//!         Some(Event::Data(bytes)) => found.extend(bytes),
//!         _ => {}
//!     }
//! }
//! assert_eq!(found, b"three");
//! assert!(parser.is_complete());
//! # Ok::<(), pzcomp_tar::Error>(())
//! ```

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod header;
mod member;
mod parser;
mod pax;
mod sparse;

pub use member::{Kind, Member};
pub use parser::{Event, Parser};

/// The length of a block: headers have this length, and data is filled up to it.
pub const BLOCK_LEN: usize = 512;

/// The longest name of a member or of the target of a link. Linux has paths of up to 4096 bytes.
pub const NAME_MAX: usize = 64 << 10;

/// Why an archive cannot be read further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error {
    /// Offset of the block that is wrong.
    pub offset: u64,
    /// What is wrong there.
    pub what: &'static str,
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (at offset {} of the tar archive)", self.what, self.offset)
    }
}

impl std::error::Error for Error {}
