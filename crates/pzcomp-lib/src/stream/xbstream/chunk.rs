//! The chunks of an xbstream: reading and writing their headers.
//!
//! ```text
//! XBSTCK01  flags(1)  kind(1)  path length(4)  path  [ payload length(8)  offset(8)  CRC-32(4)  payload ]
//! ```
//!
//! Numbers are little endian. The kind `P` is a payload at that offset of the file, and `E` is the end of the file,
//! which has nothing behind the path. A chunk of another kind can be passed on unread if bit 0 of its flags is set.
//!
//! The kind `S` is a payload with holes, which only xtrabackup writes and reads. Its path is followed by the number of
//! entries of a sparse map (4 bytes), and its CRC-32 by that map. An entry has two numbers of 4 bytes: the bytes of the
//! file to leave out, and then the bytes of the payload to write. The CRC-32 is that of the map and the payload.
//!
//! A [`ChunkReader`] gives headers and payloads. Lengths are claims: a payload is given out piece by piece.

use std::ops::Range;

use crate::error::{Error, Result, hex};
use crate::format::crc32;
use crate::printable::printable;
use crate::stream::members::Bytes;
use crate::stream::recode::CodedInput;
use engine::Progress;

/// The error of an input that begins with something else.
pub(super) fn no_xbstream(found: &[u8]) -> Error {
    let what = format!("the input is no xbstream: it begins with {}; take it as it is", hex(found));
    Error::unsupported(FORMAT, 0, what)
}

/// The name of the format in errors.
pub(super) const FORMAT: &str = "xbstream";
pub(super) const MAGIC: [u8; 8] = *b"XBSTCK01";
/// The magic number, the flags, the kind and the path length.
pub(super) const FIXED_LEN: usize = 14;
/// mbstream and xbstream accept no longer path.
pub(super) const PATH_MAX: usize = 511;
/// Bit 0 of the flags.
const IGNORABLE: u8 = 1;
/// The length of an entry of a sparse map.
pub(super) const ENTRY_LEN: usize = 8;
/// No sparse map has more entries: xtrabackup writes one entry for each page of at most 1 GiB that it reads at once.
const ENTRIES_MAX: u32 = 1 << 18;

/// What a chunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Payload,
    /// A payload with holes.
    Sparse,
    End,
    /// Unknown, but allowed to be ignored. It has the form of a payload.
    Ignorable,
}

/// The header of a chunk.
pub(super) struct ChunkHeader {
    /// Where the chunk begins.
    pub(super) start: u64,
    pub(super) kind: Kind,
    pub(super) path: Vec<u8>,
    /// The length of the payload, its offset in the file and its CRC-32. All are 0 at the end of a file.
    pub(super) len: u64,
    pub(super) offset: u64,
    pub(super) crc: u32,
    /// The length of all holes.
    pub(super) skipped: u64,
    /// The CRC-32 of the sparse map, with which the CRC-32 of the payload begins. 0 without a map.
    pub(super) map_crc: u32,
    /// The header as it came, with the sparse map.
    pub(super) bytes: Vec<u8>,
}

impl ChunkHeader {
    /// The path in messages, without characters that a terminal would obey.
    pub(super) fn name(&self) -> String {
        printable(&self.path)
    }
}

/// A chunk of a file with this payload, which has this offset in the file: its header. The payload follows it.
pub(super) fn payload_header(path: &[u8], offset: u64, payload: &[u8]) -> Vec<u8> {
    let mut header = begin(b'P', path);
    header.extend((payload.len() as u64).to_le_bytes());
    header.extend(offset.to_le_bytes());
    header.extend(crc32(0, payload).to_le_bytes());
    header
}

/// A chunk of a file with these parts of `plain`, which has this offset in the file: its header. The parts follow it.
/// They are in order, and what is between them and behind the last one is a hole.
pub(super) fn sparse_header(path: &[u8], offset: u64, plain: &[u8], parts: &[Range<usize>]) -> Vec<u8> {
    let (mut map, mut end, mut len) = (Vec::with_capacity((parts.len() + 1) * ENTRY_LEN), 0, 0);
    for part in parts.iter().cloned().chain(std::iter::once(plain.len()..plain.len())) {
        map.extend(((part.start - end) as u32).to_le_bytes());
        map.extend((part.len() as u32).to_le_bytes());
        len += part.len() as u64;
        end = part.end;
    }
    let crc = parts.iter().fold(crc32(0, &map), |crc, part| crc32(crc, &plain[part.clone()]));
    let mut header = begin(b'S', path);
    header.extend(((map.len() / ENTRY_LEN) as u32).to_le_bytes());
    header.extend(len.to_le_bytes());
    header.extend(offset.to_le_bytes());
    header.extend(crc.to_le_bytes());
    header.extend(map);
    header
}

/// The chunk at the end of a file.
pub(super) fn end_chunk(path: &[u8]) -> Vec<u8> {
    begin(b'E', path)
}

fn begin(kind: u8, path: &[u8]) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    header.extend([0, kind]);
    header.extend((path.len() as u32).to_le_bytes());
    header.extend(path);
    header
}

/// Reads chunks.
pub(super) struct ChunkReader<'i, 'a>(Bytes<'i, 'a>);

impl<'i, 'a> ChunkReader<'i, 'a> {
    pub(super) fn new(input: &'i mut CodedInput<'a>, progress: Progress) -> Self {
        Self(Bytes::new(input, progress))
    }

    /// Offset of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.0.offset()
    }

    /// Reads the header of the next chunk. `None` at the end of the stream.
    pub(super) fn header(&mut self) -> Result<Option<ChunkHeader>> {
        let start = self.offset();
        if self.0.at_hand()?.is_empty() {
            return Ok(None);
        }
        let mut bytes = vec![0; FIXED_LEN];
        self.read_exact(&mut bytes, start)?;
        if !bytes.starts_with(&MAGIC) {
            let found = &bytes[..MAGIC.len()];
            if start == 0 {
                return Err(no_xbstream(found));
            }
            let found = hex(found);
            return Err(Error::corrupt(FORMAT, start, format!("no chunk begins there, but {found}")));
        }
        let &[.., flags, kind, l0, l1, l2, l3] = bytes.as_slice() else {
            return Err(Error::Internal("a chunk header of another length".into()));
        };
        let path_len = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        if path_len == 0 || path_len > PATH_MAX {
            let what = format!("the chunk there states a path of {path_len} bytes, expected 1 to {PATH_MAX}");
            return Err(Error::corrupt(FORMAT, start, what));
        }
        bytes.resize(FIXED_LEN + path_len, 0);
        self.read_exact(&mut bytes[FIXED_LEN..], start)?;
        let path = bytes[FIXED_LEN..].to_vec();
        let kind = match kind {
            b'P' => Kind::Payload,
            b'S' => Kind::Sparse,
            b'E' => Kind::End,
            _ if flags & IGNORABLE != 0 => Kind::Ignorable,
            other => {
                let what = format!(
                    "the chunk of '{}' there is of the kind 0x{other:02x}, which pzcomp does not know; extract the \
                     stream with the program that made it",
                    printable(&path)
                );
                return Err(Error::unsupported(FORMAT, start, what));
            }
        };
        let mut header =
            ChunkHeader { start, kind, path, len: 0, offset: 0, crc: 0, skipped: 0, map_crc: 0, bytes };
        if kind == Kind::End {
            return Ok(Some(header));
        }
        let entries = match kind {
            Kind::Sparse => Some(u32::from_le_bytes(self.next(&mut header)?)),
            _ => None,
        };
        header.len = u64::from_le_bytes(self.next(&mut header)?);
        header.offset = u64::from_le_bytes(self.next(&mut header)?);
        header.crc = u32::from_le_bytes(self.next(&mut header)?);
        if let Some(entries) = entries {
            self.sparse_map(&mut header, entries)?;
        }
        Ok(Some(header))
    }

    /// Reads a sparse map of so many entries.
    fn sparse_map(&mut self, header: &mut ChunkHeader, entries: u32) -> Result<()> {
        let (at, mut len) = (header.bytes.len(), 0);
        let wrong = |header: &ChunkHeader, what: String| {
            let what = format!("the sparse map of '{}' in the chunk there {what}", header.name());
            Err(Error::corrupt(FORMAT, header.start, what))
        };
        if entries == 0 || entries > ENTRIES_MAX {
            return wrong(header, format!("states {entries} entries, expected 1 to {ENTRIES_MAX}"));
        }
        for _ in 0..entries {
            header.skipped += u64::from(u32::from_le_bytes(self.next(header)?));
            len += u64::from(u32::from_le_bytes(self.next(header)?));
        }
        if len != header.len {
            return wrong(header, format!("writes {len} bytes, expected the {} of the payload", header.len));
        }
        header.map_crc = crc32(0, &header.bytes[at..]);
        Ok(())
    }

    /// The next bytes of a header.
    fn next<const N: usize>(&mut self, header: &mut ChunkHeader) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.read_exact(&mut bytes, header.start)?;
        header.bytes.extend(bytes);
        Ok(bytes)
    }

    /// The next bytes of the payload of this chunk: at least one, and at most `most`.
    pub(super) fn payload(&mut self, most: u64, header: &ChunkHeader) -> Result<&[u8]> {
        if self.0.at_hand()?.is_empty() {
            return Err(self.cut_off(header.start));
        }
        self.0.take(most)
    }

    /// Fills `room` with the payload of this chunk.
    pub(super) fn fill(&mut self, room: &mut [u8], header: &ChunkHeader) -> Result<()> {
        self.read_exact(room, header.start)
    }

    fn cut_off(&self, start: u64) -> Error {
        Error::Truncated { format: FORMAT, frame: start, offset: self.offset() }
    }

    /// Fills `room` with bytes of the chunk that begins at `start`.
    fn read_exact(&mut self, room: &mut [u8], start: u64) -> Result<()> {
        let filled = self.0.fill(room)?;
        if filled < room.len() { Err(self.cut_off(start)) } else { Ok(()) }
    }
}
