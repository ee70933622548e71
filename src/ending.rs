//! The end of the data to compress.
//!
//! A backup is complete only if its end says so: the program that made it has succeeded, and its last line or its last
//! blocks are there. So `coding` shows an [`Ending`] all bytes. If the answer is an error, the library does not
//! complete the output.

use std::collections::BTreeSet;
use std::mem;

use pzcomp_tar::Parser;

use super::producer::Producer;
use super::request::Expected;

/// How much of the end of the data is searched for a pattern.
const TAIL_MAX: usize = 4 << 10;

/// A chunk of an xbstream begins with the magic number, the flags, the kind and the length of the path. Behind the path
/// comes the number of entries of the sparse map, of 8 bytes each, if the kind is `S`; then the length of the payload,
/// its offset and its checksum.
const MAGIC: &[u8] = b"XBSTCK01";
const KIND_AT: usize = 9;
const PATH_LEN_AT: usize = 10;
const PATH_AT: usize = 14;
/// xbstream accepts no longer path.
const PATH_MAX: u32 = 511;
/// No more files can have begun and not ended.
const OPEN_MAX: usize = 1 << 16;

/// Watches the data up to its end.
pub(super) struct Ending<'a> {
    producer: Option<&'a Producer>,
    expected: Option<&'a Expected>,
    tail: Vec<u8>,
    tar: Parser,
    xbstream: Xbstream,
}

impl<'a> Ending<'a> {
    pub(super) fn new(producer: Option<&'a Producer>, expected: Option<&'a Expected>) -> Self {
        Self { producer, expected, tail: Vec::new(), tar: Parser::new(), xbstream: Xbstream::default() }
    }

    /// Takes the next bytes, or the end of the data. The error says why the data is not complete.
    pub(super) fn see(&mut self, bytes: Option<&[u8]>) -> Result<(), String> {
        let Some(bytes) = bytes else { return self.end() };
        match self.expected {
            None => {}
            Some(Expected::Tail(_)) => {
                let new = &bytes[bytes.len().saturating_sub(TAIL_MAX)..];
                self.tail.drain(..(self.tail.len() + new.len()).saturating_sub(TAIL_MAX));
                self.tail.extend_from_slice(new);
            }
            Some(Expected::Tar) => {
                let mut rest = bytes;
                while !rest.is_empty() {
                    let read = self
                        .tar
                        .feed(rest)
                        .map_err(|error| format!("the data is no tar archive: {error}"))?
                        .0;
                    rest = &rest[read..];
                }
            }
            Some(Expected::Xbstream) => self.xbstream.see(bytes)?,
        }
        Ok(())
    }

    fn end(&self) -> Result<(), String> {
        if let Some(failure) = self.producer.and_then(Producer::failure) {
            return Err(failure);
        }
        match self.expected {
            Some(Expected::Tail(pattern)) if !pattern.is_match(&self.tail) => {
                let searched = self.tail.len();
                Err(format!(
                    "the last {searched} bytes do not contain what is expected at the end: {pattern}"
                ))
            }
            Some(Expected::Tar) if !self.tar.has_end() => {
                let end = self.tar.offset();
                Err(format!(
                    "the tar archive is cut off at offset {end}: it does not end with two blocks of zeros"
                ))
            }
            Some(Expected::Xbstream) => self.xbstream.end(),
            _ => Ok(()),
        }
    }
}

/// The files of an xbstream that have begun and not ended.
#[derive(Default)]
struct Xbstream {
    /// What has come of the header of the chunk.
    header: Vec<u8>,
    /// How much of the map and the payload of the chunk has not come.
    left: u64,
    open: BTreeSet<Vec<u8>>,
    offset: u64,
}

impl Xbstream {
    fn see(&mut self, mut bytes: &[u8]) -> Result<(), String> {
        while !bytes.is_empty() {
            let passed = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
            self.left -= passed as u64;
            // The rest of the header, as far as its length is known. It never has more than that.
            let missing = if passed > 0 { 0 } else { self.header_len()? - self.header.len() };
            let read = passed.max(missing.min(bytes.len()));
            self.offset += read as u64;
            if passed == 0 {
                self.header.extend_from_slice(&bytes[..read]);
                if self.header_len()? == self.header.len() {
                    self.chunk()?;
                }
            }
            bytes = &bytes[read..];
        }
        Ok(())
    }

    /// How long the header of the chunk is, as far as what has come says.
    fn header_len(&self) -> Result<usize, String> {
        let header = &self.header[..];
        let same = header.len().min(MAGIC.len());
        let path_len = number(header, PATH_LEN_AT).map(u32::from_le_bytes);
        if header[..same] != MAGIC[..same] || path_len.is_some_and(|len| len > PATH_MAX) {
            let start = self.offset - header.len() as u64;
            return Err(format!("the data is no xbstream: no chunk begins at offset {start}"));
        }
        let Some(path_len) = path_len else { return Ok(PATH_AT) };
        let numbers = match header[KIND_AT] {
            b'E' => 0,
            b'S' => 24,
            _ => 20,
        };
        Ok(PATH_AT + path_len as usize + numbers)
    }

    /// Takes a whole header.
    fn chunk(&mut self) -> Result<(), String> {
        let header = mem::take(&mut self.header);
        let path_end =
            PATH_AT + number::<4>(&header, PATH_LEN_AT).map(u32::from_le_bytes).unwrap_or_default() as usize;
        let path = header[PATH_AT..path_end].to_vec();
        let kind = header[KIND_AT];
        if kind == b'E' {
            self.open.remove(&path);
            return Ok(());
        }
        let (entries, at) = match kind {
            b'S' => {
                (number::<4>(&header, path_end).map(u32::from_le_bytes).unwrap_or_default(), path_end + 4)
            }
            _ => (0, path_end),
        };
        let len = number::<8>(&header, at).map(u64::from_le_bytes).unwrap_or_default();
        self.left = len.saturating_add(u64::from(entries) * 8);
        if self.open.len() == OPEN_MAX && !self.open.contains(&path) {
            return Err(format!("more than {OPEN_MAX} files of the xbstream have begun and not ended"));
        }
        self.open.insert(path);
        Ok(())
    }

    fn end(&self) -> Result<(), String> {
        let end = self.offset;
        match self.open.iter().min() {
            _ if self.offset == 0 => Err("the data is no xbstream: it is empty".into()),
            _ if self.left > 0 || !self.header.is_empty() => {
                Err(format!("the xbstream is cut off: it ends inside a chunk, at offset {end}"))
            }
            Some(path) => {
                let path = pzcomp::printable(path);
                Err(format!(
                    "the xbstream is cut off: at its end, offset {end}, the file '{path}' has no end"
                ))
            }
            None => Ok(()),
        }
    }
}

fn number<const N: usize>(header: &[u8], at: usize) -> Option<[u8; N]> {
    header.get(at..)?.first_chunk().copied()
}
