//! The walk through bzip2 streams: where blocks begin is guessed from their magic numbers.
//!
//! Blocks follow each other at any bit. A unit begins with the first byte that is all its own: the
//! byte in which the block before ends, and this one begins, goes with the one before. What is missing
//! of the magic number is known, and the context says how much it is.

use super::scan::{Found, find};
use super::{Context, END_LEN, MAGIC_LEN, START_LEN, is_start};
use crate::error::Result;
use crate::format::{Accepted, Cursor, SNIFF_LEN, Unit, Walker};

/// How much is searched at a time, at the least.
const WINDOW_LEN: usize = 64;
/// What stays unpassed where nothing was found: a magic number that is cut off, and `BZh9` before it.
const KEEP_LEN: usize = START_LEN;

/// Finds blocks.
#[derive(Default)]
pub(super) struct BlockWalker {
    /// Where the block that comes next begins, if it is not the first of a stream.
    inside: Option<Context>,
    level: u8,
}

impl Walker for BlockWalker {
    fn unit(&mut self, cursor: &mut dyn Cursor) -> Result<Unit> {
        let context = match self.inside {
            Some(context) => context.packed(),
            None => {
                self.level = cursor.peek(START_LEN)?.get(3).map_or(0, |digit| digit.wrapping_sub(b'0'));
                0
            }
        };
        Ok(Unit { context, ..Unit::frame(None, "CRC32") })
    }

    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        if self.inside.take().is_some() {
            cursor.take(MAGIC_LEN as u64)?;
        } else if find(cursor.peek(START_LEN)?.get(4..START_LEN).unwrap_or_default())
            .is_some_and(|found| found.is_end)
        {
            // A stream of nothing.
            cursor.take(4 + END_LEN as u64)?;
            return Ok(());
        } else {
            cursor.take(START_LEN as u64)?;
        }
        loop {
            let bytes = cursor.peek_far(WINDOW_LEN)?;
            let Some(Found { at, bit, is_end }) = find(bytes) else {
                if bytes.len() < WINDOW_LEN {
                    return cursor.take_rest();
                }
                let len = bytes.len() - KEEP_LEN;
                cursor.take(len as u64)?;
                continue;
            };
            if bit == 0 && at.checked_sub(4).is_some_and(|start| is_start(&bytes[start..])) {
                cursor.take(at as u64 - 4)?;
                return Ok(());
            }
            if !is_end {
                cursor.take(at as u64 + u64::from(bit > 0))?;
                self.inside = Some(Context { level: self.level, bit });
                return Ok(());
            }
            let is_there = cursor.take((at + END_LEN + usize::from(bit > 0)) as u64)?;
            let (offset, all) = (cursor.offset(), Accepted::default());
            let head = cursor.peek(SNIFF_LEN)?;
            let is_other = all.sniff(head, offset).is_some() || all.skippable(head).is_some();
            if !is_there || head.is_empty() || is_other {
                return Ok(());
            }
            // Garbage behind the end, or no end: if blocks follow, they will tell.
        }
    }

    fn is_inside(&self) -> bool {
        self.inside.is_some()
    }
}
