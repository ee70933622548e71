//! Finds the blocks of a qpress archive, and verifies everything around them.
//!
//! The input is a cursor over the coded bytes. The output is one unit per block of a file that is chosen; all other
//! parts are units without data. The feeder calls the walker, and the listing of files does.
//!
//! The walker counts as inside the archive from its header to its end. Nothing marks the end: it is where a file has
//! ended and neither another file nor a folder follows.

use super::{
    ARCHIVE_HEADER_LEN, BLOCK_HEAD_MAX, BLOCK_MAGIC, BlockHeader, CHOSEN, END_LEN, END_MAGIC, MAGIC,
    NAME_HEADER_LEN, NAME_MAX, fault,
};
use super::{CHECK, NAME};
use crate::error::{Damage, Error, Result, hex};
use crate::format::{Cursor, Unit, Walker};
use crate::options::{ArchiveEntry, EntryChoice};
use crate::printable::printable;

/// The files that are listed: so many, with so many bytes of names. Others are decoded or passed over, but not listed.
const LISTED_MAX: usize = 1 << 16;
const NAMES_MAX: usize = 4 << 20;

/// The deepest folder.
const FOLDERS_MAX: usize = 1 << 10;

/// The walker through an archive.
pub(super) struct ArchiveWalker {
    choice: EntryChoice,
    position: Position,
    /// The element that [`Walker::unit`] has looked at.
    element: Element,
    /// The chunk length that the archive states. No packet holds more.
    chunk_len: u64,
    /// The path of the folder, with a `/` behind each name, and the length of the path above each name.
    path: Vec<u8>,
    folders: Vec<usize>,
    files: u64,
    is_found: bool,
    entries: Vec<ArchiveEntry>,
    /// Bytes of all listed names.
    names_len: usize,
}

/// The position of the walker in the archive.
#[derive(Clone, Copy)]
enum Position {
    Outside,
    /// Where a file or folder may begin.
    Between,
    File(OpenFile),
}

#[derive(Clone, Copy)]
struct OpenFile {
    start: u64,
    plain_len: u64,
    is_chosen: bool,
    /// Whether it is the last of the listed entries.
    is_listed: bool,
}

/// An element of an archive, and its length.
#[derive(Clone, Copy)]
enum Element {
    Header,
    /// The letter, and the length of the name behind it.
    Name(u8, usize),
    Up,
    Block {
        len: u64,
        plain_len: u64,
    },
    End,
}

impl ArchiveWalker {
    pub(super) fn new(choice: EntryChoice) -> Self {
        Self {
            choice,
            position: Position::Outside,
            element: Element::Header,
            chunk_len: 0,
            path: Vec::new(),
            folders: Vec::new(),
            files: 0,
            is_found: false,
            entries: Vec::new(),
            names_len: 0,
        }
    }

    /// Looks at the header of the archive.
    fn header(&mut self, cursor: &mut dyn Cursor) -> Result<Unit> {
        let start = cursor.offset();
        let head = cursor.peek(ARCHIVE_HEADER_LEN)?;
        let Some(chunk_len) = head.get(MAGIC.len()..).and_then(|rest| rest.first_chunk()) else {
            return Err(truncated(start, start + head.len() as u64));
        };
        self.chunk_len = u64::from_le_bytes(*chunk_len);
        if self.chunk_len == 0 {
            return Err(corrupt(start, "the archive that begins there states a chunk length of 0"));
        }
        self.element = Element::Header;
        Ok(Unit::SKIP)
    }

    /// Looks at a file or folder that begins here.
    fn entry(&mut self, cursor: &mut dyn Cursor) -> Result<Unit> {
        let start = cursor.offset();
        let head = cursor.peek(1)?;
        match head.first() {
            Some(&letter @ (b'D' | b'F')) => {
                let head = cursor.peek(NAME_HEADER_LEN)?;
                let Some(len) = head.get(1..).and_then(|rest| rest.first_chunk()) else {
                    return Err(truncated(start, start + head.len() as u64));
                };
                let len = u32::from_le_bytes(*len) as usize;
                if len == 0 || len > NAME_MAX {
                    let what = format!("the name there states {len} bytes, expected 1 to {NAME_MAX}");
                    return Err(corrupt(start, what).by(Damage::Length));
                }
                self.element = Element::Name(letter, len);
            }
            Some(b'U') if self.folders.is_empty() => {
                return Err(corrupt(start, "a folder ends there, but none has begun"));
            }
            Some(b'U') => self.element = Element::Up,
            Some(_) => {
                let head = cursor.peek(BLOCK_MAGIC.len())?;
                let head = &head[..head.len().min(BLOCK_MAGIC.len())];
                let what = format!("neither a file nor a folder begins there, but {}", hex(head));
                return Err(corrupt(start, what));
            }
            None => return Err(truncated(start, start)),
        }
        Ok(Unit::SKIP)
    }

    /// Looks at a block, or at the end of a file.
    fn block(&mut self, file: OpenFile, cursor: &mut dyn Cursor) -> Result<Unit> {
        let start = cursor.offset();
        // The end of a file is shorter than the headers of most blocks, and nothing may follow it.
        let magic = cursor.peek(BLOCK_MAGIC.len())?;
        if magic.starts_with(&END_MAGIC) {
            let end = cursor.peek(END_LEN)?;
            if end.len() < END_LEN {
                return Err(truncated(start, start + end.len() as u64));
            }
            self.element = Element::End;
            return Ok(Unit::SKIP);
        }
        if !magic.starts_with(&BLOCK_MAGIC) {
            let is_cut = BLOCK_MAGIC.starts_with(magic) || END_MAGIC.starts_with(magic);
            return Err(match magic {
                cut if is_cut => truncated(start, start + cut.len() as u64),
                found => {
                    let what =
                        format!("neither a block nor the end of the file begins there, but {}", hex(found));
                    corrupt(start, what)
                }
            });
        }
        let head = cursor.peek(BLOCK_HEAD_MAX)?;
        let found = BlockHeader::parse(head);
        let head_len = head.len() as u64;
        let header = match found {
            Ok(Some(header)) => header,
            Ok(None) => return Err(truncated(start, start + head_len)),
            Err(error) => {
                return Err(corrupt(start, format!("the block that begins there {}", fault(error))));
            }
        };
        let (offset, plain_len) = (header.offset, header.packet.plain_len.into());
        if offset != file.plain_len {
            let what = format!(
                "the block that begins there holds the data at offset {offset} of its file, expected {}: \
                 blocks are missing or in another order",
                file.plain_len
            );
            return Err(corrupt(start, what));
        }
        if plain_len > self.chunk_len {
            let what = format!(
                "the block that begins there states {plain_len} bytes of data, expected at most {}, \
                 the chunk length of the archive",
                self.chunk_len
            );
            return Err(corrupt(start, what).by(Damage::Length));
        }
        self.element = Element::Block { len: header.block_len() as u64, plain_len };
        Ok(match file.is_chosen {
            true => Unit { context: CHOSEN, ..Unit::frame(Some(plain_len), CHECK) },
            false => Unit::SKIP,
        })
    }

    /// Passes a name, and enters the folder or begins the file.
    fn pass_name(&mut self, letter: u8, len: usize, cursor: &mut dyn Cursor) -> Result<Position> {
        let start = cursor.offset();
        let whole = NAME_HEADER_LEN + len + 1;
        let bytes = cursor.peek(whole)?;
        let Some(name) = bytes.get(NAME_HEADER_LEN..whole) else {
            return Err(truncated(start, start + bytes.len() as u64));
        };
        let Some((0, name)) = name.split_last() else {
            return Err(corrupt(start, "the name there does not end with a zero, as its length says"));
        };
        if letter == b'D' {
            if self.folders.len() == FOLDERS_MAX || self.path.len() + len > NAME_MAX {
                return Err(corrupt(start, "the folders there are too deep"));
            }
            self.folders.push(self.path.len());
            self.path.extend(name);
            self.path.push(b'/');
            cursor.take(whole as u64)?;
            return Ok(Position::Between);
        }
        let path = [&self.path[..], name].concat();
        cursor.take(whole as u64)?;
        let is_chosen = match &self.choice {
            EntryChoice::All => true,
            EntryChoice::First => self.files == 0,
            EntryChoice::Named(name) => !self.is_found && name[..] == path[..],
            EntryChoice::Number(number) => self.files + 1 == *number,
        };
        self.is_found |= is_chosen;
        self.files += 1;
        let is_listed = self.entries.len() < LISTED_MAX && self.names_len + path.len() <= NAMES_MAX;
        if is_listed {
            let name = printable(&path);
            self.names_len += path.len();
            self.entries.push(ArchiveEntry { name, is_chosen, ..ArchiveEntry::default() });
        }
        Ok(Position::File(OpenFile { start, plain_len: 0, is_chosen, is_listed }))
    }

    /// The position behind a file or folder: where another one begins, or outside of the archive.
    fn behind(&mut self, cursor: &mut dyn Cursor) -> Result<Position> {
        let at = cursor.offset();
        match cursor.peek(1)?.first() {
            Some(b'D' | b'F' | b'U') => return Ok(Position::Between),
            None if !self.folders.is_empty() => return Err(truncated(at, at)),
            Some(_) if !self.folders.is_empty() => return Ok(Position::Between),
            _ => {}
        }
        if self.files == 0 {
            return Err(corrupt(0, "the archive that begins there holds no file"));
        }
        if self.choice.is_demanded() && !self.is_found {
            let what = self.choice.not_found(&self.entries, self.files);
            return Err(Error::unsupported(NAME, 0, what));
        }
        Ok(Position::Outside)
    }
}

impl Walker for ArchiveWalker {
    fn unit(&mut self, cursor: &mut dyn Cursor) -> Result<Unit> {
        match self.position {
            Position::Outside => self.header(cursor),
            Position::Between => self.entry(cursor),
            Position::File(file) => self.block(file, cursor),
        }
    }

    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        let before = std::mem::replace(&mut self.position, Position::Outside);
        self.position = match (self.element, before) {
            (Element::Block { len, plain_len }, Position::File(mut file)) => {
                let start = cursor.offset();
                if !cursor.take(len)? {
                    // The worker that decodes the block makes the error.
                    return if file.is_chosen { Ok(()) } else { Err(truncated(start, cursor.offset())) };
                }
                file.plain_len = file.plain_len.checked_add(plain_len).ok_or_else(|| {
                    corrupt(start, "the block that begins there ends behind the largest offset")
                })?;
                Position::File(file)
            }
            (Element::End, Position::File(file)) => {
                cursor.take(END_LEN as u64)?;
                if let Some(entry) = self.entries.last_mut().filter(|_| file.is_listed) {
                    (entry.coded_len, entry.plain_len) = (cursor.offset() - file.start, file.plain_len);
                }
                self.behind(cursor)?
            }
            (Element::Name(letter, len), _) => self.pass_name(letter, len, cursor)?,
            (Element::Up, _) => {
                cursor.take(1)?;
                let above = self.folders.pop().unwrap_or(0);
                self.path.truncate(above);
                self.behind(cursor)?
            }
            _ => {
                cursor.take(ARCHIVE_HEADER_LEN as u64)?;
                Position::Between
            }
        };
        Ok(())
    }

    fn is_inside(&self) -> bool {
        !matches!(self.position, Position::Outside)
    }

    fn entries(&mut self) -> Vec<ArchiveEntry> {
        std::mem::take(&mut self.entries)
    }
}

fn corrupt(offset: u64, what: impl Into<String>) -> Error {
    Error::corrupt(NAME, offset, what)
}

/// The error of an input that ends at `offset`, inside the part of the archive that begins at `start`.
fn truncated(start: u64, offset: u64) -> Error {
    Error::Truncated { format: NAME, frame: start, offset }
}
