//! The places in a bzip2 file: the file lists nothing, but decoding can begin at each block.
//!
//! `seekable/` asks through [`Places`]. It finds the blocks with the walker, and an index beside the file states their
//! lengths. A block needs the context byte of its stream, and the end of a stream belongs to no block.

use std::ops::Range;

use super::{Bzip2, Context, NAME, end_of_blocks};
use crate::error::{Error, Result};
use crate::format::places::Places;
use engine::io::RandomAccess;

impl Places for Bzip2 {
    /// The block may begin in the byte before it.
    fn may_begin(&self, at: u64, context: u8, next: u8) -> bool {
        let is_level =
            |context| Context::unpacked(context).is_none_or(|context| (1..=9).contains(&context.level));
        let bit = Context::unpacked(context).map_or(0, |context| context.bit);
        is_level(context) && is_level(next) && (at > 0 || bit == 0)
    }

    fn has_lone_blocks(&self) -> bool {
        true
    }

    /// The end of a stream has a checksum of all its blocks.
    fn leave_out_end(&self, place: RandomAccess, coded: &mut Range<u64>, context: u8) -> Result<u8> {
        const TAIL_LEN: u64 = 16;
        const LEVEL_AT: u64 = 3;
        // The end of the file may be filled up with zeros. The end of the stream has at most as many itself.
        const ZEROS_MAX: u64 = 5;
        let Range { start, end } = *coded;
        let level = match Context::unpacked(context) {
            Some(context) => context.level,
            None => {
                let mut digit = [0];
                place.read_at(&mut digit, start + LEVEL_AT)?;
                digit[0].wrapping_sub(b'0')
            }
        };
        let last = end_of_data(place, start..end)?;
        for end in last..=end.min(last + ZEROS_MAX) {
            let at = end.saturating_sub(TAIL_LEN).max(start);
            let mut tail = vec![0; (end - at) as usize];
            place.read_at(&mut tail, at)?;
            if let Some((len, next)) = end_of_blocks(&tail, level) {
                coded.end = at + len as u64;
                return Ok(next);
            }
        }
        Err(Error::corrupt(NAME, start, "the stream does not end where its last block ends"))
    }
}

/// Where the last byte ends that is not zero.
fn end_of_data(place: RandomAccess, range: Range<u64>) -> Result<u64> {
    let mut bytes = [0; 4096];
    let mut end = range.end;
    while end > range.start {
        let len = (end - range.start).min(bytes.len() as u64);
        let here = &mut bytes[..len as usize];
        place.read_at(here, end - len)?;
        if let Some(last) = here.iter().rposition(|&byte| byte != 0) {
            return Ok(end - len + last as u64 + 1);
        }
        end -= len;
    }
    Ok(end)
}
