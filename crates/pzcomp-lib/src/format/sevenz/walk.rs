//! Divides the folders of an archive into units.
//!
//! The input is a cursor over the archive, and the [`Archive`] that says where the folders are. A folder is one unit,
//! but for two methods: an LZMA2 folder is divided where the dictionary is reset, because nothing behind that place
//! refers to what is before it; a BZip2 folder is divided by the walker of bzip2. All other bytes are passed. The
//! feeder calls the walker.

use std::sync::Arc;

use super::archive::{Archive, PackedFolder};
use super::chunks::{CHUNK_HEADER_MAX, next_chunk};
use super::coding::Coding;
use super::{CHECK, NAME};
use crate::error::{Damage, Error, Result};
use crate::format::{Cursor, Format, Reading, Unit, Walker};
use engine::Segment;

/// The walker through the folders.
pub(super) struct FolderWalker {
    archive: Arc<Archive>,
    workers: usize,
    reading: Reading,
    /// The number of the folder that comes next, or in which the walker is.
    folder: usize,
    /// The plain length of the parts of this folder that were passed.
    passed: u64,
    /// The walker through this folder, if it is a bzip2 stream.
    bzip2: Option<Box<dyn Walker>>,
    is_inside: bool,
}

impl FolderWalker {
    pub(super) fn new(archive: Arc<Archive>, workers: usize, reading: Reading) -> Self {
        Self { archive, workers, reading, folder: 0, passed: 0, bzip2: None, is_inside: false }
    }

    /// The folder in which the walker is.
    fn here(&self, offset: u64) -> Option<PackedFolder> {
        self.archive.folders.get(self.folder).copied().filter(|folder| folder.start <= offset)
    }

    /// Passes a part of an LZMA2 folder. Returns whether the folder is done.
    fn pass_part(&mut self, folder: PackedFolder, cursor: &mut dyn Cursor) -> Result<bool> {
        let (plain_len, is_last) = pass_chunks(folder, cursor)?;
        self.passed += plain_len;
        // Another part has at least one byte.
        let is_wrong =
            if is_last { self.passed != folder.plain_len } else { self.passed >= folder.plain_len };
        if is_wrong {
            let what = format!(
                "the folder that begins there states {} bytes of data, but its chunks state {}",
                folder.plain_len, self.passed
            );
            return Err(Error::corrupt(NAME, folder.start, what).by(Damage::Length));
        }
        Ok(is_last || self.passed >= folder.output_len)
    }
}

impl Walker for FolderWalker {
    fn unit(&mut self, cursor: &mut dyn Cursor) -> Result<Unit> {
        let Some(folder) = self.here(cursor.offset()) else { return Ok(Unit::SKIP) };
        Ok(match folder.coding {
            Coding::Bzip2 => {
                let (workers, reading) = (self.workers, &self.reading);
                let walker = self.bzip2.get_or_insert_with(|| Format::Bzip2.codec().walker(workers, reading));
                walker.unit(&mut Within { cursor, end: folder.end })?
            }
            Coding::Lzma2 { .. } => Unit { plain_at: self.passed, ..Unit::frame(None, CHECK) },
            Coding::Copy | Coding::Lzma { .. } | Coding::Deflate => {
                Unit::frame(Some(folder.output_len), CHECK)
            }
        })
    }

    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        let at = cursor.offset();
        self.is_inside = true;
        let Some(folder) = self.here(at) else {
            let next = self.archive.folders.get(self.folder);
            self.is_inside = next.is_some();
            let end = next.map_or(self.archive.end, |folder| folder.start);
            cursor.take(end.saturating_sub(at))?;
            return Ok(());
        };
        let is_done = match (folder.coding, &mut self.bzip2) {
            (Coding::Bzip2, Some(walker)) => {
                walker.pass(&mut Within { cursor, end: folder.end })?;
                cursor.offset() >= folder.end
            }
            (Coding::Lzma2 { .. }, _) => self.pass_part(folder, cursor)?,
            _ => {
                cursor.take(folder.end - at)?;
                true
            }
        };
        if is_done {
            (self.folder, self.passed, self.bzip2) = (self.folder + 1, 0, None);
        }
        Ok(())
    }

    fn is_inside(&self) -> bool {
        self.is_inside
    }

    fn decoded_as(&self) -> Option<Format> {
        self.bzip2.is_some().then_some(Format::Bzip2)
    }
}

/// Passes LZMA2 chunks up to the next reset of the dictionary or to the end of the folder. Returns their plain length,
/// and whether the folder ends there.
fn pass_chunks(folder: PackedFolder, cursor: &mut dyn Cursor) -> Result<(u64, bool)> {
    let start = cursor.offset();
    let mut plain_len = 0_u64;
    loop {
        let at = cursor.offset();
        let left = folder.end.saturating_sub(at);
        let head = cursor.peek(left.min(CHUNK_HEADER_MAX as u64) as usize)?;
        let Some(chunk) = next_chunk(head, left, at == start) else {
            return Ok((plain_len, left == 0));
        };
        plain_len += chunk.plain_len;
        if !cursor.take(chunk.coded_len)? || chunk.coded_len == left {
            return Ok((plain_len, true));
        }
    }
}

/// A cursor that ends where a folder ends.
struct Within<'a> {
    cursor: &'a mut dyn Cursor,
    end: u64,
}

impl Within<'_> {
    fn left(&self) -> u64 {
        self.end.saturating_sub(self.cursor.offset())
    }

    /// The bytes that the other cursor has shown, up to the end.
    fn cut(bytes: &[u8], left: u64) -> &[u8] {
        &bytes[..usize::try_from(left).unwrap_or(bytes.len()).min(bytes.len())]
    }
}

impl Cursor for Within<'_> {
    fn peek(&mut self, len: usize) -> Result<&[u8]> {
        let left = self.left();
        Ok(Self::cut(self.cursor.peek(len)?, left))
    }

    fn peek_far(&mut self, len: usize) -> Result<&[u8]> {
        let left = self.left();
        Ok(Self::cut(self.cursor.peek_far(len)?, left))
    }

    fn glance(&mut self, len: usize) -> Result<&[u8]> {
        let left = self.left();
        Ok(Self::cut(self.cursor.glance(len)?, left))
    }

    fn next_segment(&mut self, most: u64) -> Result<Option<Segment>> {
        match self.left().min(most) {
            0 => Ok(None),
            most => self.cursor.next_segment(most),
        }
    }

    fn receive(&mut self, segment: Segment) {
        self.cursor.receive(segment);
    }

    fn offset(&self) -> u64 {
        self.cursor.offset()
    }
}
