//! The joiner of formats that write one frame after another, with or without an index at the end.
//!
//! The pipeline gives it the report of each chunk, in order. At the end it gives the bytes of the index, if the format
//! has one, and the total.

use crate::index::SeekTable;
use engine::{Joiner, Report};

/// Fewer plain bytes have no index: they are decoded in less time than an index is read in, and the index would be a large
/// part of the output.
pub(crate) const INDEX_MIN: u64 = 16 << 10;

/// Counts frames, and remembers their lengths if an index is wanted.
pub(super) struct Framed {
    table: SeekTable,
    index: Option<fn(&SeekTable) -> Vec<u8>>,
    /// Whether all chunks make one frame.
    is_single: bool,
}

impl Framed {
    /// For chunks that are frames. `index` makes the bytes at the end of the stream.
    pub(super) fn new(index: Option<fn(&SeekTable) -> Vec<u8>>) -> Box<Self> {
        Box::new(Self { table: SeekTable::default(), index, is_single: false })
    }

    /// For chunks that are parts of one frame.
    pub(super) fn single() -> Box<Self> {
        Box::new(Self { is_single: true, ..*Self::new(None) })
    }
}

impl Joiner for Framed {
    fn join(&mut self, report: &Report) {
        match self.index {
            Some(_) => self.table.push(report),
            None => self.table.count(report),
        }
    }

    fn trailer(&mut self) -> Vec<u8> {
        let index = self.index.filter(|_| self.table.total().plain_len >= INDEX_MIN);
        index.map_or_else(Vec::new, |index| index(&self.table))
    }

    fn total(&self) -> Report {
        let total = self.table.total();
        Report { frames: if self.is_single { 1 } else { total.frames }, ..total }
    }
}
