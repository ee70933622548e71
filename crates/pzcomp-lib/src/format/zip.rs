//! zip: the first entry of an archive, as gzip reads it. PKWARE's APPNOTE is the specification. Section numbers are its
//! own.
//!
//! ```text
//! PK 03 04  version(2) flags(2) method(2) time(4) CRC-32(4) coded(4) plain(4) name(2) extra(2)   name extra
//! data   [ PK 07 08  CRC-32(4) coded(4 or 8) plain(4 or 8) ]   further entries and the directory
//! ```
//!
//! pzcomp reads stored and DEFLATE entries here; `joined/zip.rs` writes an archive. An entry that was written to a pipe
//! has its lengths behind the data, in a descriptor. They have eight bytes if no length was known before.
//!
//! An archive is recognised only at the start of the input. One worker decodes the entry, verifies its CRC-32 and
//! length. Behind it the worker looks for the start of a second entry, and passes the directory, which also tells of
//! entries that begin elsewhere.

use pzcomp_deflate::inflate::Inflate;

use super::deflated::inflate;
use super::ffi::deflate::crc32;
use super::joined::info;
use super::serial::{FrameErrors, RestWalker};
use super::{After, Codec, Decoder, Extra, Format, Info, Reading, Starts, Walker, WritingCodec};
use crate::error::{Damage, Error, Result};
use crate::options::Decode;
use engine::{Emitter, Source};

const NAME: &str = "zip";
const ENTRY: [u8; 4] = *b"PK\x03\x04";
/// Length of the header of an entry up to its name.
const HEADER_LEN: usize = 30;

/// Flags of section 4.4.4.
const ENCRYPTED: u16 = 1;
const HAS_DESCRIPTOR: u16 = 1 << 3;
/// Methods of section 4.4.5.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// The extra field with lengths of eight bytes. The lengths in the header have all bits set then (section 4.5.3).
const ZIP64: u16 = 1;

static INFO: Info = info(NAME, &[(".zip", "")], &[Extra::Single, Extra::Name, Extra::Strategy]);

pub(super) struct Zip;

impl Codec for Zip {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn sniff(&self, head: &[u8]) -> bool {
        head.starts_with(&ENTRY)
    }

    fn starts(&self) -> Starts {
        Starts::First
    }

    /// pigz goes on with the first entry of a zip file behind a gzip member.
    fn starts_behind(&self, named: &[Format]) -> bool {
        named.contains(&Format::Gzip) && named.contains(&Format::Zlib)
    }

    fn walker(&self, _: usize, _: &Reading) -> Box<dyn Walker> {
        Box::new(RestWalker { check: "CRC32" })
    }

    fn decoder(&self, _: &Reading, _: &Decode) -> Result<Box<dyn Decoder>> {
        Ok(Box::new(EntryDecoder { inflate: Inflate::new(), more: None }))
    }

    fn writing(&self) -> Option<&dyn WritingCodec> {
        Some(self)
    }
}

struct EntryDecoder {
    inflate: Inflate,
    /// Where the second entry begins, if there is one.
    more: Option<u64>,
}

impl Decoder for EntryDecoder {
    /// If the lengths of an entry are behind its data, its header states none.
    fn stated_len(&self, source: &mut Source, _: u8, _: Option<usize>) -> Result<Option<u64>> {
        let Some(header) = source.gather_inside(HEADER_LEN)?.first_chunk::<HEADER_LEN>() else {
            return Ok(None);
        };
        let [_, _, _, _, _, _, f0, f1, .., l0, l1, l2, l3, _, _, _, _] = *header;
        let states = u16::from_le_bytes([f0, f1]) & (HAS_DESCRIPTOR | ENCRYPTED) == 0;
        Ok(states.then(|| u32::from_le_bytes([l0, l1, l2, l3]).into()))
    }

    fn stream(&mut self, source: &mut Source, out: &mut Emitter, _: u8) -> Result<()> {
        self.more = None;
        let frame = FrameErrors { format: NAME, unit: "entry", start: source.offset() };
        let header = EntryHeader::read(source, frame)?;
        let mut found = DataSums { crc: 0, plain_len: 0 };
        let mut see = |plain: &[u8]| {
            found.crc = crc32(found.crc, plain);
            found.plain_len += plain.len() as u64;
        };
        match header.method {
            DEFLATED => inflate(&mut self.inflate, frame, source, out, see)?,
            _ => copy(frame, source, out, header.coded_len, &mut see)?,
        }
        if header.has_descriptor {
            check_descriptor(source, frame, found).map_err(|error| match header {
                EntryHeader { method: STORED, coded_len: 0, .. } => {
                    frame.unsupported("is stored without a length in its header; use unzip")
                }
                _ => error,
            })?;
        } else if found != header.sums {
            return Err(found.mismatch(frame, header.sums));
        }
        self.more = match source.gather_inside(ENTRY.len())?.starts_with(&ENTRY) {
            true => Some(source.offset()),
            false => pass_directory(source)?,
        };
        Ok(())
    }

    fn after(&self) -> After {
        After::Closed { more: self.more }
    }
}

/// The CRC-32 and the length of an entry's data, as stated or as found.
#[derive(Clone, Copy, PartialEq, Eq)]
struct DataSums {
    crc: u32,
    plain_len: u64,
}

impl DataSums {
    /// The error if these values are not the stated ones.
    fn mismatch(self, frame: FrameErrors, stated: Self) -> Error {
        if self.crc != stated.crc {
            let what = format_args!("has the CRC-32 {:08x}, expected {:08x}", self.crc, stated.crc);
            let is_whole = self.plain_len == stated.plain_len;
            return frame.corrupt(what).by(if is_whole { Damage::Check } else { Damage::Both });
        }
        frame
            .corrupt(format_args!("is {} bytes long, expected {}", self.plain_len, stated.plain_len))
            .by(Damage::Length)
    }
}

/// The header of an entry that pzcomp can read.
struct EntryHeader {
    method: u16,
    has_descriptor: bool,
    /// As the header states it. It may be 0 if a descriptor follows the data.
    coded_len: u64,
    sums: DataSums,
}

impl EntryHeader {
    /// Reads the header with name and extra fields. It is an error if pzcomp cannot read such an entry.
    fn read(source: &mut Source, frame: FrameErrors) -> Result<Self> {
        let [_, _, _, _, _, _, f0, f1, m0, m1, _, _, _, _] = frame.bytes(source)?;
        let [crc, coded_len, plain_len] = [(); 3].map(|()| frame.bytes(source).map(u32::from_le_bytes));
        let [n0, n1, x0, x1] = frame.bytes(source)?;
        let (flags, method) = (u16::from_le_bytes([f0, f1]), u16::from_le_bytes([m0, m1]));
        let sums = DataSums { crc: crc?, plain_len: plain_len?.into() };
        let has_descriptor = flags & HAS_DESCRIPTOR != 0;
        let mut header = Self { method, has_descriptor, coded_len: coded_len?.into(), sums };
        if flags & ENCRYPTED != 0 {
            return Err(frame.unsupported("is encrypted; use unzip"));
        }
        if method != STORED && method != DEFLATED {
            return Err(frame.unsupported(format_args!("is compressed by method {method}; use unzip")));
        }
        if !source.skip(u16::from_le_bytes([n0, n1]).into())? {
            return Err(frame.truncated(source));
        }
        let mut extra = vec![0; u16::from_le_bytes([x0, x1]).into()];
        if !source.read_exact(&mut extra)? {
            return Err(frame.truncated(source));
        }
        header.expand(&extra);
        let (coded_len, plain_len) = (header.coded_len, header.sums.plain_len);
        if method == STORED && coded_len != plain_len {
            return Err(frame.corrupt(format_args!(
                "is stored in {coded_len} bytes, expected {plain_len}, its plain length"
            )));
        }
        Ok(header)
    }

    /// Takes the lengths from the extra field, if the header refers to it.
    fn expand(&mut self, mut extra: &[u8]) {
        const IN_EXTRA_FIELD: u64 = u32::MAX as u64;
        while let Some((&[i0, i1, l0, l1], rest)) = extra.split_first_chunk::<4>() {
            let len = usize::from(u16::from_le_bytes([l0, l1]));
            let Some((field, rest)) = rest.split_at_checked(len) else { break };
            if u16::from_le_bytes([i0, i1]) == ZIP64
                && (self.sums.plain_len, self.coded_len) == (IN_EXTRA_FIELD, IN_EXTRA_FIELD)
                && let Some((plain_len, field)) = field.split_first_chunk::<8>()
                && let Some(coded_len) = field.first_chunk::<8>()
            {
                self.sums.plain_len = u64::from_le_bytes(*plain_len);
                self.coded_len = u64::from_le_bytes(*coded_len);
            }
            extra = rest;
        }
    }
}

/// Passes the directory and the end of the archive (sections 4.3.12 to 4.3.16). Returns where a second entry begins, if
/// the directory lists one. Bytes that are neither are left.
fn pass_directory(source: &mut Source) -> Result<Option<u64>> {
    /// The longest fixed part: that of an entry of the directory.
    const FIXED: usize = 46;
    let mut entries = 0;
    let mut second = None;
    loop {
        let head = source.gather_inside(FIXED)?;
        let number = |at: usize, len: usize| {
            let bytes = head.get(at..at + len).unwrap_or_default();
            bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
        };
        let (len, is_end) = match head {
            [b'P', b'K', 1, 2, ..] => {
                entries += 1;
                if entries == 2 {
                    second = Some(number(42, 4));
                }
                (46 + number(28, 2) + number(30, 2) + number(32, 2), false)
            }
            [b'P', b'K', 6, 6, ..] => (number(4, 8).saturating_add(12), false),
            [b'P', b'K', 6, 7, ..] => (20, false),
            [b'P', b'K', 5, 6, ..] => (22 + number(20, 2), true),
            _ => return Ok(second),
        };
        // A directory that is cut off tells nothing more.
        if !source.skip(len)? || is_end {
            return Ok(second);
        }
    }
}

/// Puts out `len` bytes of stored data. `see` gets them too.
fn copy(
    frame: FrameErrors,
    source: &mut Source,
    out: &mut Emitter,
    mut len: u64,
    see: &mut dyn FnMut(&[u8]),
) -> Result<()> {
    while len > 0 {
        let bytes = source.inside()?;
        let bytes = &bytes[..usize::try_from(len).unwrap_or(bytes.len()).min(bytes.len())];
        if bytes.is_empty() {
            return Err(frame.truncated(source));
        }
        see(bytes);
        out.write(bytes)?;
        let here = bytes.len();
        source.consume(here);
        len -= here as u64;
    }
    Ok(())
}

/// Passes the descriptor behind the data and compares it with the values found.
///
/// No field states how long a descriptor is (section 4.3.9): its signature may be absent, and its lengths have four or
/// eight bytes. So each form is tried, and the form that agrees with the values found is taken. This is safe, because
/// only the check depends on the form.
fn check_descriptor(source: &mut Source, frame: FrameErrors, found: DataSums) -> Result<()> {
    let mut stated = None;
    // The lengths of an empty entry are zeros in both forms. Behind lengths of four bytes, the directory begins.
    for (signature, len_len) in [(4, 8), (4, 4), (0, 8), (0, 4)] {
        let len = signature + 4 + 2 * len_len;
        let Some(bytes) = source.gather_inside(len)?.get(signature..len) else { continue };
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
        let here = DataSums { crc: number(&bytes[..4]) as u32, plain_len: number(&bytes[4 + len_len..]) };
        // Lengths of four bytes are stated modulo 2^32.
        let plain_len = found.plain_len & (u64::MAX >> (64 - 8 * len_len));
        if here == (DataSums { plain_len, ..found }) {
            source.consume(len);
            return Ok(());
        }
        stated = stated.or(Some(here).filter(|_| (signature, len_len) == (4, 4)));
    }
    if let Some(stated) = stated {
        return Err(found.mismatch(frame, stated));
    }
    while let len @ 1.. = source.inside()?.len() {
        source.consume(len);
    }
    Err(frame.truncated(source))
}
