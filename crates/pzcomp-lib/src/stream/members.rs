//! What streams of members share: [`Bytes`] are read in order, a [`Sink`] takes what is written, and [`Names`] knows
//! the members so far.
//!
//! A stream of members is an xbstream or a stream of mydumper. A compressed member has a name that ends with the suffix
//! of its format ([`coded`]).

use std::collections::BTreeSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::ops::Range;

use super::recode::CodedInput;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::printable::printable;
use engine::Progress;
use engine::io::OutputStream;

/// Data is read and passed on in pieces of at most this length.
pub(super) const STEP: usize = 1 << 20;

/// Fewer bytes than these are read through the buffer.
const DIRECT: usize = 64 << 10;

/// No more members can be in a stream. For each, a hash of its plain name is kept.
const MEMBERS_MAX: usize = 1 << 22;

/// The name without one of these suffixes, and the format of that suffix. Nothing if nothing else would be left.
pub(super) fn coded<'n>(name: &'n [u8], suffixes: &[&str]) -> Option<(&'n [u8], Format)> {
    suffixes.iter().find_map(|suffix| {
        let plain = name.strip_suffix(suffix.as_bytes())?;
        let format = Format::readable().find(|format| format.suffix() == *suffix)?;
        (plain.last().is_some_and(|&last| last != b'/')).then_some((plain, format))
    })
}

/// The plain names of members. A second file of the same name would take the place of the first.
#[derive(Default)]
pub(super) struct Names(BTreeSet<u64>);

impl Names {
    /// Adds the plain name of a member of this format that begins at `start`.
    pub(super) fn add(&mut self, plain: &[u8], format: &'static str, start: u64) -> Result<()> {
        if self.0.len() == MEMBERS_MAX {
            let what = format!("more than {MEMBERS_MAX} files are in it");
            return Err(Error::unsupported(format, start, what));
        }
        if !self.0.insert(BuildHasherDefault::<DefaultHasher>::default().hash_one(plain)) {
            let what = format!(
                "a second member with the plain name '{}' begins there; one of the two would be lost",
                printable(plain)
            );
            return Err(Error::unsupported(format, start, what));
        }
        Ok(())
    }

    /// The next members may have any names.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

/// An input that is read in order.
pub(super) struct Bytes<'i, 'a> {
    input: &'i mut CodedInput<'a>,
    progress: Progress,
    buffer: Vec<u8>,
    /// The unread part of the buffer.
    unread: Range<usize>,
    /// Offset of the next unread byte.
    offset: u64,
}

impl<'i, 'a> Bytes<'i, 'a> {
    pub(super) fn new(input: &'i mut CodedInput<'a>, progress: Progress) -> Self {
        Self { input, progress, buffer: vec![0; STEP], unread: 0..0, offset: 0 }
    }

    /// Offset of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// The unread bytes of the buffer. Empty only at the end of the input.
    pub(super) fn at_hand(&mut self) -> Result<&[u8]> {
        if self.unread.is_empty() {
            let mut buffer = std::mem::take(&mut self.buffer);
            let result = self.read_some(&mut buffer);
            self.buffer = buffer;
            self.unread = 0..result?;
        }
        Ok(&self.buffer[self.unread.clone()])
    }

    /// Takes the next bytes: at most `most`, and none only at the end of the input.
    pub(super) fn take(&mut self, most: u64) -> Result<&[u8]> {
        let have = self.at_hand()?.len();
        let len = usize::try_from(most).unwrap_or(have).min(have);
        let start = self.unread.start;
        self.unread.start += len;
        self.offset += len as u64;
        Ok(&self.buffer[start..start + len])
    }

    /// Fills `room`. Returns how many bytes there were before the end of the input.
    pub(super) fn fill(&mut self, room: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < room.len() {
            let rest = &mut room[filled..];
            let len = match self.unread.is_empty() && rest.len() >= DIRECT {
                true => {
                    let len = self.read_some(rest)?;
                    self.offset += len as u64;
                    len
                }
                false => {
                    let bytes = self.take(rest.len() as u64)?;
                    rest[..bytes.len()].copy_from_slice(bytes);
                    bytes.len()
                }
            };
            if len == 0 {
                break;
            }
            filled += len;
        }
        Ok(filled)
    }

    /// Reads from the input. Returns 0 at its end.
    fn read_some(&mut self, room: &mut [u8]) -> Result<usize> {
        loop {
            if self.progress.is_cancelled() {
                return Err(Error::Cancelled);
            }
            // Nothing if the input pauses.
            if let Some(len) = self.input.fill(room)? {
                self.progress.add_in(len as u64);
                self.progress.add_done(len as u64);
                return Ok(len);
            }
        }
    }
}

/// Where members are written.
pub(super) struct Sink<'a> {
    pub(super) stream: OutputStream<'a>,
    pub(super) progress: Progress,
    /// How many more bytes of the compressed members may be written.
    pub(super) room: Option<u64>,
}

impl Sink<'_> {
    /// How many of the next `len` bytes of a compressed member may be written.
    pub(super) fn admit(&mut self, len: usize) -> usize {
        let Some(room) = &mut self.room else { return len };
        let admitted = usize::try_from(*room).unwrap_or(len).min(len);
        *room -= admitted as u64;
        admitted
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.stream.write_all(bytes)?;
        self.progress.add_out(bytes.len() as u64);
        Ok(())
    }
}
