//! Cuts a member at dynamic blocks, if it has no independent flush points.
//!
//! The walker of members (`cuts.rs`) calls [`BlockCuts::pass_part`]. It passes a part, searches for the header of a
//! dynamic block, and returns where that block begins. Each part must be decoded without the window before it
//! (`part.rs`).
//!
//! With a single worker nothing is cut. Two workers decode parts one at a time, and three and more decode pairs of
//! parts. So two workers get longer parts. Where a member is cut depends only on its bytes and the number of workers.

use pzcomp_deflate::inflate::{BlockFinder, Boundary, HEADER_MAX};

use super::cuts::pass_pause;
use crate::error::Result;
use crate::format::Cursor;

/// The search ends after this many bytes in which no block was found. A part that is longer would not fit into the
/// memory for parallel decoding. The limit also bounds the time that the search takes from members in which nothing is
/// found.
pub(super) const SEARCHED_LEN: u64 = 8 << 20;

/// A part is at least this long. Compared with the time for so many bytes, the time to begin a part does not matter.
pub(super) const PART_LEN: u64 = 256 << 10;

/// For two workers a part is at least this long. The feeder shares the cores with them, so the search takes more of
/// their time.
const LONE_PART_LEN: u64 = 768 << 10;

/// How many bytes are searched at a time. Most blocks are not much longer, so a search often ends after one or two
/// times.
const LOOK_LEN: usize = 16 << 10;

/// Cuts members at dynamic blocks.
pub(super) struct BlockCuts {
    finder: BlockFinder,
    /// How many bytes were searched for the last cut.
    searched: u64,
    makes_pairs: bool,
}

impl BlockCuts {
    /// For this many workers. Nothing if sharing a member is of no use to them.
    pub(super) fn among(workers: usize) -> Option<Self> {
        (workers > 1).then(|| Self { finder: BlockFinder::default(), searched: 0, makes_pairs: workers > 2 })
    }

    /// Whether one core decodes two parts at once.
    pub(super) fn makes_pairs(&self) -> bool {
        self.makes_pairs
    }

    /// Passes a part of a member. `is_first` says whether it is the first part. Returns the boundary at which the
    /// next part begins, if there is one.
    pub(super) fn pass_part(&mut self, cursor: &mut dyn Cursor, is_first: bool) -> Result<Option<Boundary>> {
        // Only what lies between two parts is searched, which is about as long as a block. If the blocks are long, the
        // parts are made long too, so that the search covers only a small share of the input.
        if !is_first {
            let len = match self.makes_pairs {
                true => (3 * self.searched).clamp(PART_LEN, 2 * PART_LEN),
                false => (6 * self.searched).clamp(LONE_PART_LEN, 4 * PART_LEN),
            };
            cursor.take(len)?;
        }
        let start = cursor.offset();
        let boundary = self.pass_to_block(cursor, start + SEARCHED_LEN)?;
        self.searched = cursor.offset() - start;
        Ok(boundary)
    }

    /// Passes everything before a block that is found before the offset `end`. Returns the boundary of that block.
    fn pass_to_block(&mut self, cursor: &mut dyn Cursor, end: u64) -> Result<Option<Boundary>> {
        while cursor.offset() < end {
            let bytes = cursor.glance(LOOK_LEN)?;
            let bytes = &bytes[..bytes.len().min(LOOK_LEN)];
            if let Some(place) = self.finder.find(bytes) {
                let (boundary, len) = Boundary::at(bytes, place);
                cursor.take(len as u64)?;
                return Ok(Some(boundary));
            }
            // A header may be cut off at the end of the bytes.
            let (have, searched) = (bytes.len(), bytes.len().saturating_sub(HEADER_MAX) as u64);
            if searched > 0 {
                cursor.take(searched)?;
            } else if !pass_pause(cursor, have)? {
                break;
            }
        }
        Ok(None)
    }
}
