//! The places in an xz file: the Indexes list the Blocks, and a Block may state its sizes itself.
//!
//! `seekable/`, `inspect.rs` and `salvage/` ask through [`Places`]. If an Index is wrong, it is not used here: decoding
//! in order then finds the error.

use std::ops::Range;

use super::Xz;
use super::header::{CONTEXT_MAX, STREAM_HEADER_LEN};
use super::list::streams;
use super::walk::block_plain_len;
use crate::error::Result;
use crate::format::Cursor;
use crate::format::places::{Listed, ListedFrame, Places, Stated};
use engine::io::RandomAccess;

impl Places for Xz {
    /// If an Index is wrong, the headers are used, and decoding finds the error.
    fn listed(&self, place: RandomAccess, range: Range<u64>, most: usize) -> Result<Option<Listed>> {
        if range.start > 0 {
            return Ok(None);
        }
        let Ok(streams) = streams(place, range.end, most) else { return Ok(None) };
        let check =
            streams.iter().find(|stream| !stream.blocks.is_empty()).map_or("-", |stream| stream.check);
        let frames = streams.into_iter().flat_map(|stream| {
            let mut at = stream.offset + STREAM_HEADER_LEN as u64;
            stream.blocks.into_iter().map(move |block| {
                let coded = at..at + block.coded_len;
                at = coded.end;
                ListedFrame { coded, plain_len: block.plain_len, context: stream.context }
            })
        });
        Ok(Some(Listed { frames: Box::new(frames), is_index: true, check: Some(check) }))
    }

    /// The Index and the Block must agree.
    fn vouches(&self, _: RandomAccess, cursor: &mut dyn Cursor, stated: &Stated) -> Result<Option<bool>> {
        let start = cursor.offset();
        let plain_len = block_plain_len(cursor, stated.frame.context)?;
        let coded_len = cursor.offset() - start;
        let is_right = plain_len == Some(stated.frame.plain_len)
            && coded_len == stated.frame.coded.end - stated.frame.coded.start;
        Ok(Some(is_right))
    }

    fn may_begin(&self, _: u64, context: u8, next: u8) -> bool {
        (1..=CONTEXT_MAX).contains(&context) && next == 0
    }
}
