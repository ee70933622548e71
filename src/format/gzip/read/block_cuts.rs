//! Where a member is cut of which no part stands alone: where blocks begin.
//!
//! Each part then has to be decoded without knowing what is before ([`super::lane`]). What that costs depends on
//! how much comes of each coded byte: markers are replaced in the output, but it is the coded data whose decoding
//! is shared. Two workers gain by it where data is dense, and lose where it is not, so a member is tried now and then.

use pzcomp_deflate::inflate::{BlockFinder, Boundary, HEADER_MAX};

use super::density::{Density, TRIED_LEN};
use crate::error::Result;
use crate::format::Cursor;

/// Where so much has no place to be taken up the search ends: such parts would not fit the memory that
/// there is for decoding side by side, and ordinary members are not all searched for nothing.
pub(super) const SEARCHED_LEN: u64 = 8 << 20;

/// Parts that begin with any block are this long at the least.
pub(crate) const PART_LEN: u64 = 256 << 10;

/// So much is looked through at once: most blocks are not much longer.
const LOOK_LEN: usize = 16 << 10;

/// What cuts members.
pub(super) struct BlockCuts {
    finder: BlockFinder,
    /// What was searched for the last cut.
    searched: u64,
    /// What tries whether to cut, if that is a question.
    density: Option<Box<Density>>,
}

impl BlockCuts {
    /// For so many workers; nothing if sharing is of no use to them.
    pub(super) fn among(workers: usize) -> Option<Self> {
        let density = (workers == 2).then(Box::default);
        (workers > 1).then(|| Self { finder: BlockFinder::default(), searched: 0, density })
    }

    /// Passes part of a member, of which it may be the `first`; with what the next one begins, if there is one.
    pub(super) fn pass_part(&mut self, cursor: &mut dyn Cursor, is_first: bool) -> Result<Option<Boundary>> {
        match &mut self.density {
            // Where blocks are long, so are the parts, or most of all would be searched.
            _ if !is_first => drop(cursor.take((3 * self.searched).clamp(PART_LEN, 2 * PART_LEN))?),
            Some(density) => density.forget(),
            None => {}
        }
        loop {
            let start = cursor.offset();
            let Some(boundary) = self.pass_to_block(cursor, start + SEARCHED_LEN)? else { return Ok(None) };
            self.searched = cursor.offset() - start;
            let Some(density) = &mut self.density else { return Ok(Some(boundary)) };
            if density.is_dense(cursor, boundary)? {
                return Ok(Some(boundary));
            }
            // In steps, as what is passed at once may be copied at once.
            for _ in 0..TRIED_LEN / PART_LEN {
                if !cursor.take(PART_LEN)? {
                    return Ok(None);
                }
            }
        }
    }

    /// Passes all before a block that is found before the offset `end`; how it begins.
    fn pass_to_block(&mut self, cursor: &mut dyn Cursor, end: u64) -> Result<Option<Boundary>> {
        while cursor.offset() < end {
            let bytes = cursor.peek(LOOK_LEN)?;
            let bytes = &bytes[..bytes.len().min(LOOK_LEN)];
            if let Some(place) = self.finder.find(bytes) {
                let (boundary, len) = Boundary::at(bytes, place);
                cursor.take(len as u64)?;
                return Ok(Some(boundary));
            }
            // Some header may be cut off where they end.
            let searched = bytes.len().saturating_sub(HEADER_MAX) as u64;
            if searched == 0 {
                break;
            }
            cursor.take(searched)?;
        }
        Ok(None)
    }
}
