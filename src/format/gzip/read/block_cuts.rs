//! Cuts a member at dynamic blocks, if it has no independent flush points.
//!
//! The walker of members (`cuts.rs`) calls [`BlockCuts::pass_part`]. It passes a part, searches for the header of a
//! dynamic block, and returns where that block begins. Each part must be decoded without the window before it
//! (`part.rs`).
//!
//! Markers are replaced in the output, but the work that is shared is the decoding of coded bytes. So the gain
//! depends on how many plain bytes there are for each coded byte. Three workers and more always gain. Two workers
//! gain only if the data is dense (`density.rs`). A single worker cuts nothing. Where a member is cut depends on its
//! bytes and the number of workers only.

use pzcomp_deflate::inflate::{BlockFinder, Boundary, HEADER_MAX};

use super::density::{Density, TRIED_LEN};
use crate::error::Result;
use crate::format::Cursor;

/// The search ends after this many bytes without a place to begin. A longer part would not fit into the memory for
/// parallel decoding. It also bounds the time that is lost on ordinary members.
pub(super) const SEARCHED_LEN: u64 = 8 << 20;

/// A part is at least this long. Then the time to begin one does not matter.
pub(crate) const PART_LEN: u64 = 256 << 10;

/// How much is searched at a time. Most blocks are not much longer.
const LOOK_LEN: usize = 16 << 10;

/// Cuts members at dynamic blocks.
pub(super) struct BlockCuts {
    finder: BlockFinder,
    /// How many bytes were searched for the last cut.
    searched: u64,
    /// Says whether to cut. Absent if the answer is always yes.
    density: Option<Box<Density>>,
}

impl BlockCuts {
    /// For this many workers. Nothing if sharing a member is of no use to them.
    pub(super) fn among(workers: usize) -> Option<Self> {
        let density = (workers == 2).then(Box::default);
        (workers > 1).then(|| Self { finder: BlockFinder::default(), searched: 0, density })
    }

    /// Passes a part of a member. `is_first` says whether it is the first part. Returns the boundary at which the
    /// next part begins, if there is one.
    pub(super) fn pass_part(&mut self, cursor: &mut dyn Cursor, is_first: bool) -> Result<Option<Boundary>> {
        match &mut self.density {
            // If blocks are long, the parts become long too. Otherwise most of the input would be searched.
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
            // In steps, because bytes that are passed in one call may be copied in one call.
            for _ in 0..TRIED_LEN / PART_LEN {
                if !cursor.take(PART_LEN)? {
                    return Ok(None);
                }
            }
        }
    }

    /// Passes everything before a block that is found before the offset `end`. Returns the boundary of that block.
    fn pass_to_block(&mut self, cursor: &mut dyn Cursor, end: u64) -> Result<Option<Boundary>> {
        while cursor.offset() < end {
            let bytes = cursor.peek(LOOK_LEN)?;
            let bytes = &bytes[..bytes.len().min(LOOK_LEN)];
            if let Some(place) = self.finder.find(bytes) {
                let (boundary, len) = Boundary::at(bytes, place);
                cursor.take(len as u64)?;
                return Ok(Some(boundary));
            }
            // A header may be cut off at the end of the bytes.
            let searched = bytes.len().saturating_sub(HEADER_MAX) as u64;
            if searched == 0 {
                break;
            }
            cursor.take(searched)?;
        }
        Ok(None)
    }
}
