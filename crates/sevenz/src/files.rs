//! The files of an archive.

use crate::bytes::Bytes;
use crate::directory::id;
use crate::error::Error;

/// A file, a folder of the file system, or a note that something is to be removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// The path. Its folders are separated by `/`. Code units that are not valid are replaced.
    pub name: String,
    /// Whether it has data: the next stream.
    pub has_stream: bool,
    /// Whether it is a file. Otherwise it is a folder of the file system.
    pub is_file: bool,
    /// Whether the archive asks to remove it.
    pub is_anti: bool,
}

/// Parses the fields behind [`id::FILES`].
pub(crate) fn parse_files(bytes: &mut Bytes) -> Result<Vec<File>, Error> {
    let count = bytes.count()?;
    bytes.pay::<File>(count)?;
    let mut files = vec![File { has_stream: true, is_file: true, ..File::default() }; count];
    loop {
        let field = bytes.number()?;
        if field == id::END {
            return Ok(files);
        }
        let len = bytes.number()?;
        let mut part = bytes.part(len)?;
        match field {
            id::NO_STREAM => {
                let bits = part.bits(count)?;
                for (file, has_none) in files.iter_mut().zip(bits) {
                    (file.has_stream, file.is_file) = (!has_none, !has_none);
                }
            }
            id::EMPTY_FILES => {
                for (file, is_file) in without_stream(&mut part, &mut files)? {
                    file.is_file = is_file;
                }
            }
            id::ANTI => {
                for (file, is_anti) in without_stream(&mut part, &mut files)? {
                    file.is_anti = is_anti;
                }
            }
            id::NAMES => parse_names(&mut part, &mut files)?,
            // Times, attributes and padding.
            _ => {}
        }
        bytes.after(&part);
    }
}

/// The files without a stream, each with its bit.
fn without_stream<'a>(
    part: &mut Bytes,
    files: &'a mut [File],
) -> Result<impl Iterator<Item = (&'a mut File, bool)>, Error> {
    let count = files.iter().filter(|file| !file.has_stream).count();
    let bits = part.bits(count)?;
    Ok(files.iter_mut().filter(|file| !file.has_stream).zip(bits))
}

/// Parses the names: UTF-16, each with a zero behind it.
fn parse_names(part: &mut Bytes, files: &mut [File]) -> Result<(), Error> {
    if part.byte()? != 0 {
        return Err(part.unsupported("keeps the names in another stream"));
    }
    let names = part.slice(part.left() as u64)?;
    let mut units = names.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    for file in files {
        // A unit becomes at most three bytes.
        let name: Vec<u16> = units.by_ref().take_while(|&unit| unit != 0).collect();
        part.pay::<[u8; 3]>(name.len())?;
        let signs = char::decode_utf16(name);
        file.name = signs.map(|sign| sign.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    }
    Ok(())
}
