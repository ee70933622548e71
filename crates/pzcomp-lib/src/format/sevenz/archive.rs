//! What an archive holds, and what of it is decoded.
//!
//! [`Archive::read`] takes the header at the end of the input, and applies the choice of the caller to
//! the files. The result is a list of folders to decode, in order, and a list of [`Stretch`]es into which the output of
//! these folders is divided.
//!
//! `header.rs` reads the header.

use std::ops::Range;

use pzcomp_sevenz::{Directory, File, Folder, SIGNATURE_HEADER_LEN};

use super::coding::Coding;
use super::{CHECK, NAME, header};
use crate::error::{Damage, Error, Result};
use crate::format::archive::{Contents, Stretch};
use crate::options::{ArchiveEntry, EntryChoice};
use crate::printable::printable;
use engine::io::RandomAccess;

/// An archive, and what of it is decoded.
pub(super) struct Archive {
    /// The folders that are decoded, in the order of their packed data.
    pub(super) folders: Vec<PackedFolder>,
    pub(super) contents: Contents,
    /// Offset behind the archive.
    pub(super) end: u64,
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

impl Archive {
    /// Reads the header of the archive in this range of the input.
    pub(super) fn read(place: RandomAccess, range: Range<u64>, choice: &EntryChoice) -> Result<Self> {
        let (directory, end) = header::directory(place, range)?;
        let (mut archive, entry_of) = Self::of_files(&directory, choice, end)?;
        archive.divide(&directory, &entry_of, true)?;
        Ok(archive)
    }

    /// Like [`Self::read`], but only for a list: folders that cannot be decoded are no error, and nothing is decoded.
    /// All files count, and those that `choice` takes are marked. It is no error if there are none.
    pub(super) fn list(place: RandomAccess, range: Range<u64>, choice: &EntryChoice) -> Result<Self> {
        let (directory, end) = header::directory(place, range)?;
        let (mut archive, entry_of) = Self::of_files(&directory, &EntryChoice::All, end)?;
        archive.divide(&directory, &entry_of, false)?;
        if let Ok((chosen, _)) = Self::of_files(&directory, choice, end) {
            for (entry, chosen) in archive.contents.entries.iter_mut().zip(chosen.contents.entries) {
                entry.is_chosen = chosen.is_chosen;
            }
        }
        Ok(archive)
    }

    /// The folder to which this offset of the input belongs.
    pub(super) fn folder_at(&self, offset: u64) -> Result<PackedFolder> {
        let behind = self.folders.partition_point(|folder| folder.start <= offset);
        let folder = behind.checked_sub(1).and_then(|at| self.folders.get(at));
        folder.copied().ok_or_else(|| Error::Internal("a part of a 7z archive without a folder".into()))
    }

    /// Applies the choice to the files. Also returns the number of the file of each stream.
    fn of_files(directory: &Directory, choice: &EntryChoice, end: u64) -> Result<(Self, Vec<usize>)> {
        let mut archive = Self {
            folders: Vec::new(),
            contents: Contents {
                stretches: Vec::new(),
                entries: Vec::new(),
                folder_count: directory.folders.len() as u64,
                check: CHECK,
            },
            end,
        };
        let mut entry_of = Vec::with_capacity(directory.streams.len());
        let is_listed = |file: &&File| file.is_file && !file.is_anti;
        let has_data = directory.files.iter().filter(is_listed).any(|file| file.has_stream);
        let mut is_found = false;
        for file in &directory.files {
            if file.has_stream {
                entry_of.push(archive.contents.entries.len());
            }
            if is_listed(&file) {
                let is_chosen = match choice {
                    EntryChoice::All => true,
                    // 7z lists empty files before all others.
                    EntryChoice::First => !is_found && (file.has_stream || !has_data),
                    EntryChoice::Named(name) => !is_found && name[..] == *file.name.as_bytes(),
                    EntryChoice::Number(number) => archive.contents.entries.len() as u64 + 1 == *number,
                };
                is_found |= is_chosen;
                let name = printable(file.name.as_bytes());
                archive.contents.entries.push(ArchiveEntry { name, is_chosen, ..ArchiveEntry::default() });
            } else if file.has_stream {
                let what = "the header that ends there gives data to something that is no file";
                return Err(Error::corrupt(NAME, end, what));
            }
        }
        if !is_found && *choice != EntryChoice::All {
            let what = choice.not_found(&archive.contents.entries, archive.contents.entries.len() as u64);
            return Err(Error::unsupported(NAME, 0, what));
        }
        Ok((archive, entry_of))
    }

    /// Divides the folders into stretches. `decodes` says whether folders are decoded, or only listed.
    fn divide(&mut self, directory: &Directory, entry_of: &[usize], decodes: bool) -> Result<()> {
        let mut streams = directory.streams.iter().zip(entry_of);
        for folder in &directory.folders {
            let start = SIGNATURE_HEADER_LEN as u64 + folder.packed_offset;
            // Where the stretches of the folder begin, and where those behind the last chosen one begin.
            let first = self.contents.stretches.len();
            let mut behind = first;
            for (at, (stream, &entry)) in streams.by_ref().take(folder.streams).enumerate() {
                let listed = &mut self.contents.entries[entry];
                listed.plain_len = stream.plain_len;
                // As in the lists of 7z, the first file of a folder has all of its packed data.
                listed.coded_len = if at == 0 { folder.packed_len } else { 0 };
                let (len, crc, is_chosen) = (stream.plain_len, stream.crc, listed.is_chosen);
                if len > 0 {
                    self.contents.stretches.push(Stretch { len, crc, is_chosen, entry, folder: start });
                    behind = if is_chosen { self.contents.stretches.len() } else { behind };
                }
            }
            if behind == first {
                self.contents.stretches.truncate(first);
            } else if decodes {
                let folder = PackedFolder::of(folder, &self.contents.stretches[behind..])?;
                if folder.output_len < folder.plain_len {
                    self.contents.stretches.truncate(behind);
                }
                self.folders.push(folder);
            }
        }
        Ok(())
    }
}

impl PackedFolder {
    /// How a folder is decoded. None of the last files in it, which have the stretches `behind`, was chosen.
    fn of(folder: &Folder, behind: &[Stretch]) -> Result<Self> {
        let start = SIGNATURE_HEADER_LEN as u64 + folder.packed_offset;
        let coding = Coding::of(folder).map_err(|what| {
            let what = format!("the folder that begins there {what}");
            Error::unsupported(NAME, start, what)
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
