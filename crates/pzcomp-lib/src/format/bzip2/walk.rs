//! Finds the blocks of bzip2 streams by their magic numbers.
//!
//! The input is a cursor over the coded bytes. The output is one unit per block. The feeder calls the walker.
//!
//! Blocks follow each other at any bit. A unit begins with the first byte that belongs to its block alone. A byte in
//! which one block ends and the next begins goes with the block that ends. So the first bits of a magic number may
//! lie before the unit. The decoder knows their values, and the context says how many there are.
//!
//! A guess may be wrong. The decoder of the block before finds that out.

use super::scan::{Magic, find};
use super::{Context, END_LEN, MAGIC_LEN, START_LEN, is_start};
use crate::error::Result;
use crate::format::{Accepted, Cursor, SNIFF_LEN, Unit, Walker};

/// The least number of bytes that are searched at a time.
const WINDOW_LEN: usize = 64;
/// The number of bytes that are not passed if nothing is found in them. They may end with `BZh9` and the beginning of a
/// magic number.
const KEEP_LEN: usize = START_LEN;

/// The walker through the blocks.
#[derive(Default)]
pub(super) struct BlockWalker {
    /// Where the next block begins, if it is not the first block of a stream.
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
            // The stream holds no blocks.
            cursor.take(4 + END_LEN as u64)?;
            return Ok(());
        } else {
            cursor.take(START_LEN as u64)?;
        }
        loop {
            let bytes = cursor.glance(WINDOW_LEN)?;
            let Some(Magic { at, bit, is_end }) = find(bytes) else {
                if bytes.len() < WINDOW_LEN {
                    // The input ends or pauses. A magic number that a pause cuts off is not found, and the decoder goes
                    // on into its block.
                    let len = bytes.len() as u64;
                    if !cursor.take(len)? || cursor.peek(1)?.is_empty() {
                        return Ok(());
                    }
                    continue;
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
            // Either garbage follows the end of the stream, or this was no end. If blocks follow, the decoder of this
            // unit reads on and finds them.
        }
    }

    fn is_inside(&self) -> bool {
        self.inside.is_some()
    }
}
