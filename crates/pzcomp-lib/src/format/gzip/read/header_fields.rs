//! Reads all fields of the header of a member: name, comment and time.
//!
//! The decoder calls [`read_header`] at the start of each member that it decodes as a stream. [`Member::read`] is for
//! callers of the library. The fields come one byte at a time from a function that the caller gives, so a header may
//! be cut anywhere in the input. The CRC-16 of a header is verified if there is one.

use std::io::{BufReader, ErrorKind, Read};

use super::super::header::{DEFLATE, FCOMMENT, FEXTRA, FHCRC, FIXED_LEN, FNAME};
use super::super::{MAGIC, NAME, is_member};
use crate::error::{Error, Result};
use crate::format::ffi::deflate::crc32;
use crate::options::Member;

/// Flags to which RFC 1952 gives no meaning.
const RESERVED: u8 = 0xe0;

/// The longest name and comment that are kept. Linux has no longer names.
const TEXT_MAX: usize = 4096;

/// Reads the header of the member at `offset`. Nothing if the input ends inside. `fill` fills memory with the next
/// bytes, and returns whether there were enough.
pub(super) fn read_header(
    mut fill: impl FnMut(&mut [u8]) -> Result<bool>,
    offset: u64,
) -> Result<Option<Member>> {
    let mut crc = 0;
    let mut read = |bytes: &mut [u8]| {
        let whole = fill(bytes)?;
        crc = crc32(crc, bytes);
        Ok::<bool, Error>(whole)
    };
    let mut fixed = [0; FIXED_LEN];
    if !read(&mut fixed)? {
        return Ok(None);
    }
    let [_, _, method, flags, m0, m1, m2, m3, ..] = fixed;
    if method != DEFLATE {
        let what = format!(
            "the member that begins there is compressed by method {method}, but gzip has method 8 only; fetch the file again or restore it from another copy"
        );
        return Err(Error::unsupported(NAME, offset, what));
    }
    if flags & RESERVED != 0 {
        let what = format!(
            "the member's header has reserved flags set ({flags:#04x}), so it is damaged or of a newer gzip; fetch the file again or restore it from another copy"
        );
        return Err(Error::unsupported(NAME, offset, what));
    }
    let mut byte = [0];
    if flags & FEXTRA != 0 {
        let mut xlen = [0; 2];
        if !read(&mut xlen)? {
            return Ok(None);
        }
        for _ in 0..u16::from_le_bytes(xlen) {
            if !read(&mut byte)? {
                return Ok(None);
            }
        }
    }
    let mut texts = [const { None }; 2];
    for (text, flag) in texts.iter_mut().zip([FNAME, FCOMMENT]) {
        if flags & flag == 0 {
            continue;
        }
        let text = text.insert(Vec::new());
        loop {
            if !read(&mut byte)? {
                return Ok(None);
            }
            if byte == [0] {
                break;
            }
            if text.len() < TEXT_MAX {
                text.extend(byte);
            }
        }
    }
    if flags & FHCRC != 0 {
        let found = crc as u16;
        let mut stated = [0; 2];
        if !fill(&mut stated)? {
            return Ok(None);
        }
        let stated = u16::from_le_bytes(stated);
        if stated != found {
            let what = format!(
                "the header of the member that begins there has the CRC-16 {found:04x}, expected {stated:04x}"
            );
            return Err(Error::corrupt(NAME, offset, what));
        }
    }
    let [name, comment] = texts;
    Ok(Some(Member { name, modified: u32::from_le_bytes([m0, m1, m2, m3]), comment }))
}

impl Member {
    /// The fields of the header at the start of the data of `reader`. Name and comment are cut after 4096 bytes.
    /// Nothing if that is no gzip data. More may be read than the header.
    pub fn read(mut reader: impl Read) -> Result<Option<Self>> {
        let mut offset = 0;
        let mut magic = Vec::new();
        let read = reader.by_ref().take(MAGIC.len() as u64).read_to_end(&mut magic);
        read.map_err(|source| Error::Read { offset, source })?;
        if !is_member(&magic) {
            return Ok(None);
        }
        let mut reader = BufReader::new(magic.chain(reader));
        let fill = |mut bytes: &mut [u8]| {
            while !bytes.is_empty() {
                match reader.read(bytes) {
                    Ok(0) => return Ok(false),
                    Ok(read) => {
                        offset += read as u64;
                        bytes = &mut bytes[read..];
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(source) => return Err(Error::Read { offset, source }),
                }
            }
            Ok(true)
        };
        match read_header(fill, 0)? {
            Some(member) => Ok(Some(member)),
            None => Err(Error::Truncated { format: NAME, frame: 0, offset }),
        }
    }
}
