//! Reads the size of a BGZF block from its header.
//!
//! [`crate::bgzf`] calls [`block_size`] for each block when it makes an index of a BGZF file. Nothing is decoded and
//! nothing is passed.

use super::super::MAGIC;
use super::super::header::{BGZF_SIZE, Header};
use crate::error::Result;
use crate::format::Cursor;

/// The BSIZE of the block that begins here. Nothing if no BGZF block begins here.
pub(crate) fn block_size(cursor: &mut dyn Cursor) -> Result<Option<u16>> {
    if !cursor.peek(MAGIC.len())?.starts_with(&MAGIC) {
        return Ok(None);
    }
    let found = Header::peek(cursor)?;
    let bsize = found.and_then(|(header, member)| header.subfield(member, BGZF_SIZE)?.try_into().ok());
    Ok(bsize.map(u16::from_le_bytes))
}
