//! Skippable frames, which zstd and lz4 share. They hold bytes for other readers, such as a seek table.
//!
//! ```text
//! u32 magic number 0x184D2A50 to 0x184D2A5F, u32 length, contents
//! ```
//!
//! RFC 8878, section 3.1.2, specifies them. The walkers of both formats call [`pass`], which compares a seek table with
//! the frames before it. A wrong table is no error, because no table is needed to decode.

use std::ops::RangeInclusive;

use super::seek_table::{Audit, SeekTable};
use super::{Cursor, records};
use crate::error::{Error, Result};

/// Length of the magic number and the length field.
pub(crate) const HEADER_LEN: usize = 8;

const MAGIC_LEN: usize = 4;

/// The first bytes of the magic numbers of all skippable frames.
pub(crate) const FIRST_BYTES: RangeInclusive<u8> = 0x50..=0x5f;

/// The magic number of a frame that holds a seek table.
const SEEK_TABLE_MAGIC: [u8; 4] = 0x184D_2A5E_u32.to_le_bytes();

/// The length of the contents, if a skippable frame begins with these bytes.
pub(crate) fn sniff(head: &[u8]) -> Option<u32> {
    let len = head.get(MAGIC_LEN..)?.first_chunk()?;
    is_magic(head).then(|| u32::from_le_bytes(*len))
}

/// Whether these bytes, behind which nothing follows, have the magic number and not the whole length.
pub(crate) fn is_cut(rest: &[u8]) -> bool {
    rest.len() < HEADER_LEN && is_magic(rest)
}

fn is_magic(head: &[u8]) -> bool {
    head.first_chunk().is_some_and(|&magic| u32::from_le_bytes(magic) & !0xf == 0x184D_2A50)
}

/// Whether a recovery record, or a record of a list, is in the skippable frame that begins with these bytes.
pub(crate) fn is_record(head: &[u8]) -> bool {
    head.starts_with(&records::SKIPPABLE_MAGIC)
}

/// A seek table in its skippable frame; no bytes if the stream is too long for a table.
pub(crate) fn seek_table(table: &SeekTable) -> Vec<u8> {
    let Some(contents) = table.encode() else {
        return Vec::new();
    };
    let mut frame = Vec::with_capacity(HEADER_LEN + contents.len());
    frame.extend_from_slice(&SEEK_TABLE_MAGIC);
    frame.extend_from_slice(&(contents.len() as u32).to_le_bytes());
    frame.extend_from_slice(&contents);
    frame
}

/// Passes a skippable frame. If it holds a seek table, returns whether the table describes the frames before it, or a
/// sentence about the difference.
pub(crate) fn pass(cursor: &mut dyn Cursor, audit: &mut Audit) -> Result<Option<Result<(), String>>> {
    let frame = cursor.offset();
    let head = cursor.peek(HEADER_LEN)?;
    let is_table = head.starts_with(&SEEK_TABLE_MAGIC);
    let is_record = is_record(head);
    let mut left = u64::from(sniff(head).unwrap_or(0));
    let more_follows = if is_record { records::more_follows_behind(cursor, HEADER_LEN)? } else { None };
    let frame_len = left + HEADER_LEN as u64;
    let mut check = is_table.then(|| audit.table(left));
    let mut whole = cursor.take(HEADER_LEN as u64)?;
    while whole && left > 0 {
        let mut step = left;
        if let Some(check) = &mut check {
            let bytes = cursor.peek_far(1)?;
            let here = usize::try_from(left).unwrap_or(bytes.len()).min(bytes.len());
            check.update(&bytes[..here]);
            step = here.max(1) as u64;
        }
        whole = cursor.take(step)?;
        left -= step;
    }
    if !whole {
        return Err(Error::Truncated { format: "skippable", frame, offset: cursor.offset() });
    }
    if is_record {
        // A seek table lists recovery records as frames without data.
        audit.frame(frame_len, Some(0));
        audit.follows(more_follows);
    }
    Ok(check.and_then(|check| check.verdict()))
}
