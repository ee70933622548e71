//! What an archive holds, and what of it is decoded.
//!
//! [`Archive::read`] reads the header at the end of the input, which may be packed, and applies the choice of the caller to
//! the files. The result is a list of folders to decode, in order, and a list of [`Stretch`]es into which the output of
//! these folders is divided.
//!
//! Memory is bounded, whatever the header states: the header has at most [`HEADER_MAX`] bytes, and its values take at most
//! [`VALUES_MAX`] bytes.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use pzcomp_sevenz::{
    Directory, Error as HeaderError, File, Folder, NextHeader, SIGNATURE_HEADER_LEN, SignatureHeader,
};

use super::coding::{Coding, dict_len};
use super::{CHECK, NAME};
use crate::error::{Damage, Error, Result, Size};
use crate::format::ffi::deflate::crc32;
use crate::format::ffi::lzma::{Coded, LzmaDecoder};
use crate::io::RandomAccess;
use crate::options::{ArchiveEntry, EntryChoice};

/// A longer header is refused.
const HEADER_MAX: u64 = 64 << 20;
/// The most memory for the values of a header.
const VALUES_MAX: usize = 256 << 20;
/// The memory for a dictionary of a packed header.
const DICTIONARY_MAX: u64 = HEADER_MAX + (1 << 20);
/// A header may be packed, and that of the packed header too. 7z packs it once.
const PACKED_MAX: usize = 4;
/// So many files are named in an error.
const NAMED_MAX: usize = 20;

/// An archive, and what of it is decoded.
pub(crate) struct Archive {
    /// The folders that are decoded, in the order of their packed data.
    pub(super) folders: Vec<PackedFolder>,
    /// The output of these folders.
    pub(crate) stretches: Vec<Stretch>,
    /// All files.
    pub(crate) entries: Vec<ArchiveEntry>,
    /// How many folders there are.
    pub(crate) folder_count: u64,
    /// Offset behind the archive.
    pub(super) end: u64,
    /// The parts of LZMA2 folders that the walker has passed and no decoder has begun, by their offsets.
    parts: Mutex<HashMap<u64, Part>>,
}

/// A folder that is decoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackedFolder {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) plain_len: u64,
    /// How much of the plain data is put out.
    pub(super) output_len: u64,
    pub(super) coding: Coding,
}

/// A part of an LZMA2 folder, which refers to nothing before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) coded_len: u64,
    pub(super) plain_len: u64,
    /// How much of the plain data is put out.
    pub(super) output_len: u64,
    /// Whether its end is marked: that of the folder is.
    pub(super) has_end: bool,
}

/// A part of the output of the folders: the data of a file, at least one byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub(crate) len: u64,
    pub(crate) crc: Option<u32>,
    /// Whether the file is one of those that were chosen. Others are decoded because they are in the same folder.
    pub(crate) is_chosen: bool,
    /// The number of the file in [`Archive::entries`].
    pub(crate) entry: usize,
    /// Where its folder begins.
    pub(crate) folder: u64,
}

impl Archive {
    /// Reads the header of the archive in this range of the input.
    pub(crate) fn read(place: RandomAccess, range: Range<u64>, choice: &EntryChoice) -> Result<Self> {
        let (directory, end) = Self::directory(place, range)?;
        let (mut archive, entry_of) = Self::of_files(&directory, choice, end)?;
        archive.divide(&directory, &entry_of, true)?;
        Ok(archive)
    }

    /// Like [`Self::read`], but only for a list: folders that cannot be decoded are no error, and nothing is decoded.
    pub(crate) fn list(place: RandomAccess, range: Range<u64>) -> Result<Self> {
        let (directory, end) = Self::directory(place, range)?;
        let (mut archive, entry_of) = Self::of_files(&directory, &EntryChoice::All, end)?;
        archive.divide(&directory, &entry_of, false)?;
        Ok(archive)
    }

    fn directory(place: RandomAccess, range: Range<u64>) -> Result<(Directory, u64)> {
        let header = Bytes { place, range };
        let mut start = [0; SIGNATURE_HEADER_LEN];
        header.read(&mut start, 0)?;
        let signature = SignatureHeader::parse(&start).map_err(|error| damaged(error, 0))?;
        header.directory(signature)
    }

    /// The data of all chosen files that have some has a CRC-32.
    pub(crate) fn is_checked(&self) -> bool {
        self.stretches.iter().all(|stretch| stretch.crc.is_some() || !stretch.is_chosen)
    }

    /// The name of the check of the files.
    pub(crate) fn check(&self) -> &'static str {
        if self.is_checked() && !self.stretches.is_empty() { CHECK } else { "-" }
    }

    /// The folder to which this offset of the input belongs.
    pub(super) fn folder_at(&self, offset: u64) -> Result<PackedFolder> {
        let behind = self.folders.partition_point(|folder| folder.start <= offset);
        let folder = behind.checked_sub(1).and_then(|at| self.folders.get(at));
        folder.copied().ok_or_else(|| Error::Internal("a part of a 7z archive without a folder".into()))
    }

    /// Notes a part for the decoder.
    pub(super) fn push_part(&self, offset: u64, part: Part) {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner).insert(offset, part);
    }

    /// Takes the part at this offset.
    pub(super) fn take_part(&self, offset: u64) -> Option<Part> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner).remove(&offset)
    }

    /// Applies the choice to the files. Also returns the number of the file of each stream.
    fn of_files(directory: &Directory, choice: &EntryChoice, end: u64) -> Result<(Self, Vec<usize>)> {
        let mut archive = Self {
            folders: Vec::new(),
            stretches: Vec::new(),
            entries: Vec::new(),
            folder_count: directory.folders.len() as u64,
            end,
            parts: Mutex::default(),
        };
        let mut entry_of = Vec::with_capacity(directory.streams.len());
        let is_listed = |file: &&File| file.is_file && !file.is_anti;
        let has_data = directory.files.iter().filter(is_listed).any(|file| file.has_stream);
        let mut is_found = false;
        for file in &directory.files {
            if file.has_stream {
                entry_of.push(archive.entries.len());
            }
            if is_listed(&file) {
                let is_chosen = match choice {
                    EntryChoice::All => true,
                    // 7z lists empty files before all others.
                    EntryChoice::First => !is_found && (file.has_stream || !has_data),
                    EntryChoice::Named(name) => !is_found && name[..] == *file.name.as_bytes(),
                };
                is_found |= is_chosen;
                let name = printable(&file.name);
                archive.entries.push(ArchiveEntry { name, is_chosen, ..ArchiveEntry::default() });
            } else if file.has_stream {
                let what = "the header that ends there gives data to something that is no file";
                return Err(Error::corrupt(NAME, end, what));
            }
        }
        if !is_found && *choice != EntryChoice::All {
            return Err(archive.nothing_found(choice));
        }
        Ok((archive, entry_of))
    }

    /// Divides the folders into stretches. `decodes` says whether folders are decoded, or only listed.
    fn divide(&mut self, directory: &Directory, entry_of: &[usize], decodes: bool) -> Result<()> {
        let mut streams = directory.streams.iter().zip(entry_of);
        for folder in &directory.folders {
            let start = SIGNATURE_HEADER_LEN as u64 + folder.packed_offset;
            // Where the stretches of the folder begin, and where those behind the last chosen one begin.
            let first = self.stretches.len();
            let mut behind = first;
            for (at, (stream, &entry)) in streams.by_ref().take(folder.streams).enumerate() {
                let listed = &mut self.entries[entry];
                listed.plain_len = stream.plain_len;
                // As in the lists of 7z, the first file of a folder has all of its packed data.
                listed.coded_len = if at == 0 { folder.packed_len } else { 0 };
                let (len, crc, is_chosen) = (stream.plain_len, stream.crc, listed.is_chosen);
                if len > 0 {
                    self.stretches.push(Stretch { len, crc, is_chosen, entry, folder: start });
                    behind = if is_chosen { self.stretches.len() } else { behind };
                }
            }
            if behind == first {
                self.stretches.truncate(first);
            } else if decodes {
                let folder = PackedFolder::of(folder, &self.stretches[behind..])?;
                if folder.output_len < folder.plain_len {
                    self.stretches.truncate(behind);
                }
                self.folders.push(folder);
            }
        }
        Ok(())
    }

    /// The error if no file is the chosen one.
    fn nothing_found(&self, choice: &EntryChoice) -> Error {
        let listed: Vec<&str> =
            self.entries.iter().take(NAMED_MAX).map(|entry| entry.name.as_str()).collect();
        let more = if self.entries.len() > NAMED_MAX { ", …" } else { "" };
        let what = match choice {
            _ if listed.is_empty() => "the archive that begins there holds no file".into(),
            EntryChoice::Named(name) => format!(
                "the archive that begins there holds no file '{}'; it holds: {}{more}",
                printable(&String::from_utf8_lossy(name)),
                listed.join(", ")
            ),
            _ => "no file of the archive that begins there was chosen".into(),
        };
        Error::Unsupported { format: NAME, offset: 0, what }
    }
}

impl PackedFolder {
    /// How a folder is decoded. None of the last files in it, which have the stretches `behind`, was chosen.
    fn of(folder: &Folder, behind: &[Stretch]) -> Result<Self> {
        let start = SIGNATURE_HEADER_LEN as u64 + folder.packed_offset;
        let coding = Coding::of(folder).map_err(|what| {
            let what = format!("the folder that begins there {what}");
            Error::Unsupported { format: NAME, offset: start, what }
        })?;
        let &Folder { packed_len, plain_len, .. } = folder;
        if coding == Coding::Copy && packed_len != plain_len {
            let what = format!(
                "the folder that begins there is not packed, but states {packed_len} bytes in the archive and \
                 {plain_len} bytes of data"
            );
            return Err(Error::corrupt(NAME, start, what).by(Damage::Length));
        }
        let dropped: u64 = behind.iter().map(|stretch| stretch.len).sum();
        let output_len = match coding {
            // These decoders go on to the end of the data. The sink drops what follows the last chosen file.
            Coding::Bzip2 | Coding::Deflate => plain_len,
            Coding::Copy | Coding::Lzma { .. } | Coding::Lzma2 { .. } => plain_len - dropped,
        };
        Ok(Self { start, end: start + packed_len, plain_len, output_len, coding })
    }
}

/// A path without characters that a terminal would obey.
fn printable(path: &str) -> String {
    path.chars().map(|sign| if sign.is_control() { char::REPLACEMENT_CHARACTER } else { sign }).collect()
}

/// The error of a header that begins at this offset, or that is packed there.
fn damaged(error: HeaderError, offset: u64) -> Error {
    let what = error.to_string();
    match error {
        HeaderError::Invalid { .. } => Error::corrupt(NAME, offset, what),
        HeaderError::Unsupported { .. } => Error::Unsupported { format: NAME, offset, what },
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
    let unsupported = |what: String| Error::Unsupported {
        format: NAME,
        offset: at,
        what: format!("the header of the archive {what}"),
    };
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
