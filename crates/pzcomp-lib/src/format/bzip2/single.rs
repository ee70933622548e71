//! One stream for all chunks, as `bzip2` and `lbzip2` write it. Some readers stop after the first stream.
//!
//! ```text
//! BZh9 | block | block | … | end
//! ```
//!
//! Blocks follow each other at any bit, so the place of a block would depend on the lengths of all blocks before it.
//! But a block may list more selectors than it uses, and a selector that repeats the one before takes one bit. So the
//! encoder fills each block up to a whole byte with such selectors, as lbzip2 does. The blocks can then be coded in
//! any order and joined as bytes.
//!
//! The pipeline calls the joiner with the report of each chunk, in order. The joiner combines the CRCs of the blocks
//! and makes the end of the stream.

use pzcomp_bzip2::{END_MAGIC, join_crcs};

use super::MAGIC_LEN;
use super::coder::header;
use engine::{Joiner, Report};

/// The number of blocks in a row, and the CRC of a stream that holds them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BlockCrcs {
    pub(super) blocks: u32,
    pub(super) crc: u32,
}

impl BlockCrcs {
    /// Adds the blocks that follow.
    pub(super) fn add(&mut self, next: Self) {
        self.crc = join_crcs(self.crc, next.crc, next.blocks.into());
        self.blocks = self.blocks.wrapping_add(next.blocks);
    }
}

/// The joiner of the stream.
#[derive(Default)]
struct SingleStream {
    crcs: BlockCrcs,
    total: Report,
}

/// Returns the header of the stream, and the joiner that makes its end.
pub(super) fn begin(level: i32) -> (Vec<u8>, Box<dyn Joiner>) {
    let stream = SingleStream { total: Report { frames: 1, ..Report::default() }, ..SingleStream::default() };
    (header(level).to_vec(), Box::new(stream))
}

impl Joiner for SingleStream {
    fn join(&mut self, report: &Report) {
        self.crcs.add(BlockCrcs { blocks: (report.note >> 32) as u32, crc: report.note as u32 });
        self.total.add(&Report { frames: 0, ..*report });
    }

    fn trailer(&mut self) -> Vec<u8> {
        [&END_MAGIC.to_be_bytes()[8 - MAGIC_LEN..], &self.crcs.crc.to_be_bytes()].concat()
    }

    fn total(&self) -> Report {
        self.total
    }
}
