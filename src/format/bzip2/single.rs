//! One stream around all blocks, as `bzip2` and `lbzip2` write it: for readers that stop after the first.
//!
//! ```text
//! BZh9 | block | block | … | end
//! ```
//!
//! Blocks follow each other at any bit, so where one goes depends on the lengths of all before it. But a
//! block may list more selectors than it has use for, and one that says what the last one said takes a
//! bit. So each block is filled up to a whole byte, as lbzip2 does it, and goes wherever it comes.

use pzcomp_bzip2::{END_MAGIC, join_crcs};

use super::MAGIC_LEN;
use super::coder::header;
use crate::pipeline::{Joiner, Report};

/// Blocks in a row, and the CRC that a stream of them has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) blocks: u32,
    pub(super) crc: u32,
}

impl Sum {
    /// Adds the blocks that follow.
    pub(super) fn add(&mut self, next: Self) {
        self.crc = join_crcs(self.crc, next.crc, next.blocks.into());
        self.blocks = self.blocks.wrapping_add(next.blocks);
    }
}

/// The stream being written.
#[derive(Default)]
struct Stream {
    sum: Sum,
    total: Report,
}

/// What comes before the blocks, and what makes their end.
pub(super) fn begin(level: i32) -> (Vec<u8>, Box<dyn Joiner>) {
    let stream = Stream { total: Report { frames: 1, ..Report::default() }, ..Stream::default() };
    (header(level).to_vec(), Box::new(stream))
}

impl Joiner for Stream {
    fn join(&mut self, report: &Report) {
        self.sum.add(Sum { blocks: (report.note >> 32) as u32, crc: report.note as u32 });
        self.total.add(&Report { frames: 0, ..*report });
    }

    fn trailer(&mut self) -> Vec<u8> {
        [&END_MAGIC.to_be_bytes()[8 - MAGIC_LEN..], &self.sum.crc.to_be_bytes()].concat()
    }

    fn total(&self) -> Report {
        self.total
    }
}
