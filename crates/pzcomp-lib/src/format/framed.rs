//! The joiner of formats that write one frame after another, with or without an index at the end.
//!
//! The pipeline gives it the report of each chunk, in order. At the end it gives the bytes of the index, if the format
//! has one, and the total.

use super::records::{Envelope, Planner, Settings as RecoverySettings};
use super::seek_table::SeekTable;
use crate::tar_list::Listing;
use engine::{Joiner, Report};

/// Fewer plain bytes have no index, unless the options ask for one: they are decoded in less time than an index is read
/// in, and the index would be a large part of the output.
pub(crate) const INDEX_MIN: u64 = 16 << 10;

/// Counts frames, and remembers their lengths if an index is wanted.
pub(super) struct Framed {
    table: SeekTable,
    index: Option<fn(&SeekTable) -> Vec<u8>>,
    /// The least plain bytes that have the index.
    least: u64,
    /// Says which recovery records stand between the frames. Each is an entry without plain data in the index.
    records: Option<Planner>,
    /// The list of the members of a tar archive, which stands before the index, and what is around its records. Each
    /// record is an entry too.
    listing: Option<(Listing, Envelope)>,
    /// Whether all chunks make one frame.
    is_single: bool,
}

impl Framed {
    /// For chunks that are frames. `index` makes the bytes at the end of the stream.
    pub(super) fn new(index: Option<fn(&SeekTable) -> Vec<u8>>) -> Box<Self> {
        let table = SeekTable::default();
        Box::new(Self { table, index, least: INDEX_MIN, records: None, listing: None, is_single: false })
    }

    /// The same, with an index of a short stream if it is wanted.
    pub(super) fn with_short_index(mut self: Box<Self>, wanted: bool) -> Box<Self> {
        self.least = if wanted { 0 } else { INDEX_MIN };
        self
    }

    /// For chunks that are parts of one frame.
    pub(super) fn single() -> Box<Self> {
        Box::new(Self { is_single: true, ..*Self::new(None) })
    }

    /// The same, with recovery records if they are wanted.
    pub(super) fn with_records(mut self: Box<Self>, settings: Option<RecoverySettings>) -> Box<Self> {
        self.records = settings.map(Planner::new);
        self
    }

    /// The same, with a list of the members of a tar archive if it is wanted.
    pub(super) fn with_listing(
        mut self: Box<Self>,
        listing: Option<&Listing>,
        envelope: Envelope,
    ) -> Box<Self> {
        self.listing = listing.map(|listing| (listing.clone(), envelope));
        self
    }

    /// The records of the list, after their entries were added.
    fn list(&mut self) -> Vec<u8> {
        let Some((listing, envelope)) = self.listing.take() else { return Vec::new() };
        let records = listing.records(self.table.total().plain_len, envelope);
        for record in &records {
            self.join(&Report { coded_len: record.len() as u64, ..Report::default() });
        }
        records.concat()
    }

    /// Adds a frame, or a recovery record.
    fn add(&mut self, report: &Report) {
        match self.index {
            Some(_) => self.table.push(report),
            None => self.table.count(report),
        }
    }

    fn add_records(&mut self, lens: &[usize]) {
        for &len in lens {
            self.add(&Report { coded_len: len as u64, ..Report::default() });
        }
    }
}

impl Joiner for Framed {
    fn join(&mut self, report: &Report) {
        if let Some(planner) = &mut self.records {
            let run = planner.begin();
            planner.frame(report.coded_len);
            if let Some(run) = run {
                self.add_records(&run.record_lens().collect::<Vec<_>>());
            }
        }
        self.add(report);
    }

    fn trailer(&mut self) -> Vec<u8> {
        let plain_len = self.table.total().plain_len;
        let index = self.index.filter(|_| plain_len >= self.least);
        // Only the index leads to the list.
        let is_listed = index.is_some() && plain_len >= INDEX_MIN;
        let mut end = if is_listed { self.list() } else { Vec::new() };
        if let Some(mut planner) = self.records.take() {
            // As long as the index will be with so many more entries.
            let len = |index: fn(&SeekTable) -> Vec<u8>, more: usize| {
                let mut table = self.table.clone();
                (0..more).for_each(|_| table.push(&Report::default()));
                index(&table).len()
            };
            let index = index.filter(|&index| len(index, 0) > 0);
            let last = planner.finish(index.map(|index| move |more| len(index, more)));
            self.add_records(&last.record_lens().collect::<Vec<_>>());
        }
        if let Some(index) = index {
            end.extend(index(&self.table));
        }
        end
    }

    fn total(&self) -> Report {
        let total = self.table.total();
        Report { frames: if self.is_single { 1 } else { total.frames }, ..total }
    }
}
