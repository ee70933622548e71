//! The header at the end of an archive: its folders, streams and files.

use crate::bytes::Bytes;
use crate::error::Error;
use crate::files::{File, parse_files};
use crate::folders::{Folder, Folders, Stream};

/// The numbers of fields.
pub(crate) mod id {
    pub(crate) const END: u64 = 0x00;
    pub(crate) const DIRECTORY: u64 = 0x01;
    pub(crate) const PROPERTIES: u64 = 0x02;
    pub(crate) const OTHER_STREAMS: u64 = 0x03;
    pub(crate) const MAIN_STREAMS: u64 = 0x04;
    pub(crate) const FILES: u64 = 0x05;
    pub(crate) const PACKED_STREAMS: u64 = 0x06;
    pub(crate) const FOLDERS: u64 = 0x07;
    pub(crate) const STREAMS: u64 = 0x08;
    pub(crate) const LENGTHS: u64 = 0x09;
    pub(crate) const CHECKS: u64 = 0x0a;
    pub(crate) const FOLDER: u64 = 0x0b;
    pub(crate) const FOLDER_LENGTHS: u64 = 0x0c;
    pub(crate) const STREAM_COUNTS: u64 = 0x0d;
    pub(crate) const NO_STREAM: u64 = 0x0e;
    pub(crate) const EMPTY_FILES: u64 = 0x0f;
    pub(crate) const ANTI: u64 = 0x10;
    pub(crate) const NAMES: u64 = 0x11;
    pub(crate) const PACKED_HEADER: u64 = 0x17;
}

/// What is in an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directory {
    /// The folders, in the order of their packed data.
    pub folders: Vec<Folder>,
    /// The streams of plain data, folder by folder.
    pub streams: Vec<Stream>,
    /// The files. The first file that has a stream has the first of [`Self::streams`], and so on.
    pub files: Vec<File>,
}

/// The header at the end of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextHeader {
    /// The directory.
    Directory(Directory),
    /// The header is packed: this folder holds another header.
    Packed(Folder),
}

impl NextHeader {
    /// Parses a header. The values take at most `memory` bytes, and about as much again for a moment.
    ///
    /// ```
    /// use pzcomp_sevenz::{Directory, NextHeader};
    ///
    /// // No streams, and one file, which is empty and has the name "a".
    /// let header = [1, 5, 1, 0x0e, 1, 0x80, 0x0f, 1, 0x80, 0x11, 5, 0, b'a', 0, 0, 0, 0, 0];
    /// let NextHeader::Directory(directory) = NextHeader::parse(&header, 1 << 20)? else { panic!() };
    /// assert!(directory.folders.is_empty() && directory.files[0].is_file);
    /// assert_eq!(directory.files[0].name, "a");
    /// # Ok::<(), pzcomp_sevenz::Error>(())
    /// ```
    pub fn parse(header: &[u8], memory: usize) -> Result<Self, Error> {
        let mut bytes = Bytes::new(header, memory);
        match bytes.number()? {
            id::DIRECTORY => Directory::parse(&mut bytes).map(Self::Directory),
            id::PACKED_HEADER => {
                let folders = Folders::parse(&mut bytes)?.folders;
                let [folder] = <[Folder; 1]>::try_from(folders)
                    .map_err(|_| bytes.invalid("is packed, but not in one folder"))?;
                Ok(Self::Packed(folder))
            }
            _ => Err(Error::Invalid { offset: 0, what: "begins with an unknown field" }),
        }
    }
}

impl Directory {
    fn parse(bytes: &mut Bytes) -> Result<Self, Error> {
        let mut field = bytes.number()?;
        if field == id::PROPERTIES {
            while bytes.number()? != id::END {
                let len = bytes.number()?;
                bytes.slice(len)?;
            }
            field = bytes.number()?;
        }
        if field == id::OTHER_STREAMS {
            return Err(bytes.unsupported("keeps lists in streams of their own"));
        }
        let mut folders = Folders::default();
        if field == id::MAIN_STREAMS {
            folders = Folders::parse(bytes)?;
            field = bytes.number()?;
        }
        let mut files = Vec::new();
        if field == id::FILES {
            files = parse_files(bytes)?;
            field = bytes.number()?;
        }
        if field != id::END {
            return Err(bytes.invalid("has an unknown field"));
        }
        let with_data = files.iter().filter(|file| file.has_stream).count();
        if with_data != folders.streams.len() {
            return Err(bytes.invalid("does not have as many streams as files with data"));
        }
        Ok(Self { folders: folders.folders, streams: folders.streams, files })
    }
}
