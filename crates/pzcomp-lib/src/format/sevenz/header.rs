//! Reads the header of an archive, which is at its end and may be packed.
//!
//! `archive.rs` calls [`directory`]. Memory is bounded, whatever the header states: the header has at most
//! [`HEADER_MAX`] bytes, and its values take at most [`VALUES_MAX`] bytes.

use std::ops::Range;

use pzcomp_sevenz::{
    Directory, Error as HeaderError, Folder, NextHeader, SIGNATURE_HEADER_LEN, SignatureHeader,
};

use super::NAME;
use super::coding::{Coding, dict_len};
use crate::error::{Damage, Error, Result, Size};
use crate::format::ffi::deflate::crc32;
use crate::format::ffi::lzma::{Coded, LzmaDecoder};
use engine::io::RandomAccess;

/// A longer header is refused.
const HEADER_MAX: u64 = 64 << 20;
/// The most memory for the values of a header.
const VALUES_MAX: usize = 256 << 20;
/// The memory for a dictionary of a packed header.
const DICTIONARY_MAX: u64 = HEADER_MAX + (1 << 20);
/// A header may be packed, and that of the packed header too. 7z packs it once.
const PACKED_MAX: usize = 4;

/// The directory of the archive in this range of the input, and the offset behind the archive.
pub(super) fn directory(place: RandomAccess, range: Range<u64>) -> Result<(Directory, u64)> {
    let header = Bytes { place, range };
    let mut start = [0; SIGNATURE_HEADER_LEN];
    header.read(&mut start, 0)?;
    let signature = SignatureHeader::parse(&start).map_err(|error| damaged(error, 0))?;
    header.directory(signature)
}

/// The error of a header that begins at this offset, or that is packed there.
fn damaged(error: HeaderError, offset: u64) -> Error {
    let what = error.to_string();
    match error {
        HeaderError::Invalid { .. } => Error::corrupt(NAME, offset, what),
        HeaderError::Unsupported { .. } => Error::unsupported(NAME, offset, what),
        HeaderError::Memory => Error::Memory {
            what: "the list of the files of the 7z archive".into(),
            needed: Size(VALUES_MAX as u64 + 1),
            limit: Size(VALUES_MAX as u64),
        },
    }
}

/// The input.
struct Bytes<'a> {
    place: RandomAccess<'a>,
    range: Range<u64>,
}

impl Bytes<'_> {
    fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Fills the buffer from this offset of the archive.
    fn read(&self, buffer: &mut [u8], offset: u64) -> Result<()> {
        let end = offset.checked_add(buffer.len() as u64);
        let is_inside = end.is_some_and(|end| end <= self.len());
        if !is_inside || self.place.read_at(buffer, self.range.start + offset)? < buffer.len() {
            return Err(Error::Truncated { format: NAME, frame: 0, offset: self.len() });
        }
        Ok(())
    }

    /// Reads a stretch of the archive that is a header, or that holds one.
    fn header(&self, offset: Option<u64>, len: u64) -> Result<(u64, Vec<u8>)> {
        let is_inside = |&offset: &u64| offset.checked_add(len).is_some_and(|end| end <= self.len());
        let offset = offset.filter(is_inside);
        let offset = offset.ok_or(Error::Truncated { format: NAME, frame: 0, offset: self.len() })?;
        allow(len)?;
        let mut bytes = vec![0; len as usize];
        self.read(&mut bytes, offset)?;
        Ok((offset, bytes))
    }

    /// The directory, and the offset behind the archive.
    fn directory(&self, signature: SignatureHeader) -> Result<(Directory, u64)> {
        let behind = |offset: u64| (SIGNATURE_HEADER_LEN as u64).checked_add(offset);
        if signature.next_len == 0 {
            return Ok((Directory::default(), SIGNATURE_HEADER_LEN as u64));
        }
        let (mut at, mut bytes) = self.header(behind(signature.next_offset), signature.next_len)?;
        let end = at + signature.next_len;
        verify(&bytes, Some(signature.next_crc), at)?;
        for _ in 0..=PACKED_MAX {
            match NextHeader::parse(&bytes, VALUES_MAX).map_err(|error| damaged(error, at))? {
                NextHeader::Directory(directory) => {
                    self.verify_places(&directory, at)?;
                    return Ok((directory, end));
                }
                NextHeader::Packed(folder) => {
                    let coded;
                    (at, coded) = self.header(behind(folder.packed_offset), folder.packed_len)?;
                    bytes = unpack(&folder, &coded, at)?;
                    verify(&bytes, folder.crc, at)?;
                }
            }
        }
        Err(Error::corrupt(NAME, at, "the header there is packed again and again"))
    }

    /// Verifies that all folders are inside of the archive.
    fn verify_places(&self, directory: &Directory, at: u64) -> Result<()> {
        let room = self.len() - SIGNATURE_HEADER_LEN as u64;
        let is_inside = |folder: &Folder| {
            folder.packed_offset.checked_add(folder.packed_len).is_some_and(|end| end <= room)
        };
        if directory.folders.iter().all(is_inside) {
            return Ok(());
        }
        let what = "the header there lists packed data behind the end of the archive";
        Err(Error::corrupt(NAME, at, what).by(Damage::Length))
    }
}

/// Refuses a header that is too long.
fn allow(len: u64) -> Result<()> {
    if len <= HEADER_MAX {
        return Ok(());
    }
    let what = "the header of the 7z archive".into();
    Err(Error::Memory { what, needed: Size(len), limit: Size(HEADER_MAX) })
}

/// Compares a header with its CRC-32.
fn verify(header: &[u8], stated: Option<u32>, offset: u64) -> Result<()> {
    let found = crc32(0, header);
    match stated {
        Some(stated) if stated != found => {
            let what = format!(
                "the header there has the CRC-32 {found:08x}, expected {stated:08x}. No file can be found"
            );
            Err(Error::corrupt(NAME, offset, what).by(Damage::Check))
        }
        _ => Ok(()),
    }
}

/// Unpacks a header.
fn unpack(folder: &Folder, coded: &[u8], at: u64) -> Result<Vec<u8>> {
    let unsupported =
        |what: String| Error::unsupported(NAME, at, format!("the header of the archive {what}"));
    allow(folder.plain_len)?;
    let mut decoder = LzmaDecoder::new();
    let begun = match Coding::of(folder).map_err(unsupported)? {
        Coding::Copy => return Ok(coded.to_vec()),
        Coding::Lzma { properties, dict_len: stated } => {
            let dict_len = dict_len(stated, folder.plain_len);
            decoder.begin_lzma(properties, dict_len, folder.plain_len, DICTIONARY_MAX)
        }
        Coding::Lzma2 { dict_len: stated } => {
            decoder.begin_lzma2(dict_len(stated, folder.plain_len), DICTIONARY_MAX)
        }
        Coding::Deflate | Coding::Bzip2 => {
            return Err(unsupported("is not packed with LZMA, as it is by 7z; use 7z".into()));
        }
    };
    let corrupt = |what: &str| {
        Error::corrupt(NAME, at, format!("the packed header there {what}. No file can be found"))
    };
    begun.map_err(|_| corrupt("cannot be unpacked"))?;
    let (mut plain, mut rest) = (Vec::new(), coded);
    let is_whole = loop {
        // Memory grows with the data, and not with the length that is stated.
        const STEP: u64 = 64 << 10;
        let filled = plain.len();
        let step = (folder.plain_len - filled as u64).min(STEP) as usize;
        plain.resize(filled + step, 0);
        let Coded { read, written, state } = decoder.code(rest, &mut plain[filled..]);
        plain.truncate(filled + written);
        rest = &rest[read..];
        match state {
            Ok(is_end) if is_end || read + written == 0 => break is_end && rest.is_empty(),
            Ok(_) => {}
            Err(_) => return Err(corrupt("does not decode")),
        }
    };
    if (plain.len() as u64) < folder.plain_len || !is_whole {
        return Err(corrupt("does not have the length that it states"));
    }
    Ok(plain)
}
