//! What begins at a place of a qpress archive, without the walk that led there.
//!
//! [`piece`] gets a cursor and the context of the file. `salvage/` calls it, because a walker cannot go on behind
//! damage. Only the first file can be salvaged, or all files: behind damage nothing says in which folder a file is.

use super::{
    ARCHIVE_HEADER_LEN, BLOCK_HEAD_MAX, BlockHeader, CHOSEN, END_LEN, END_MAGIC, MAGIC, NAME_HEADER_LEN,
    NAME_MAX, PASSED,
};
use crate::error::Result;
use crate::format::Cursor;

/// A part of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Headers of the archive, of folders and of files, and ends of files, of this length. The blocks behind them have
    /// this context. It is 0 if the archive ends there.
    Skip { len: u64, context: u8 },
    /// A block of this length, with the data at this offset of its file.
    Block { len: u64, offset: u64, plain_len: u64 },
}

/// The part that begins here, in a file with this context. Outside of an archive the context is 0. `all` says that the
/// files behind the first one are chosen too. The cursor is moved.
pub(super) fn piece(cursor: &mut dyn Cursor, context: u8, all: bool) -> Result<Option<Piece>> {
    let start = cursor.offset();
    let mut file_context = CHOSEN;
    if context == 0 {
        if !cursor.peek(MAGIC.len())?.starts_with(&MAGIC) || !cursor.take(ARCHIVE_HEADER_LEN as u64)? {
            return Ok(None);
        }
    } else if let Ok(Some(header)) = BlockHeader::parse(cursor.peek(BLOCK_HEAD_MAX)?) {
        let (len, plain_len) = (header.block_len() as u64, header.packet.plain_len.into());
        return Ok(Some(Piece::Block { len, offset: header.offset, plain_len }));
    } else {
        if !cursor.peek(END_LEN)?.starts_with(&END_MAGIC) || !cursor.take(END_LEN as u64)? {
            return Ok(None);
        }
        file_context = if all { CHOSEN } else { PASSED };
    }
    let passed = |cursor: &dyn Cursor| cursor.offset() - start;
    loop {
        match cursor.peek(NAME_HEADER_LEN)? {
            &[letter @ (b'D' | b'F'), l0, l1, l2, l3, ..] => {
                let len = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
                let whole = NAME_HEADER_LEN + len + 1;
                if len > NAME_MAX || cursor.peek(whole)?.get(whole - 1) != Some(&0) {
                    return Ok(None);
                }
                cursor.take(whole as u64)?;
                if letter == b'F' {
                    return Ok(Some(Piece::Skip { len: passed(cursor), context: file_context }));
                }
            }
            [b'U', ..] => {
                cursor.take(1)?;
            }
            _ if context == 0 => return Ok(None),
            _ => return Ok(Some(Piece::Skip { len: passed(cursor), context: 0 })),
        }
    }
}
