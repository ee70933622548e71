//! What was found in a source with records, and what came of it.

use std::ops::Range;

/// The most groups that a report lists. The sums count all of them.
pub const LISTED_MAX: usize = 1000;

/// What [`mend`](crate::mend) found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Streams: parts of a file that were made apart.
    pub streams: u64,
    /// Groups whose records were found.
    pub groups: u64,
    /// Bytes of all groups.
    pub covered_len: u64,
    /// Shards of data.
    pub shards: u64,
    /// Shards of parity.
    pub parity: u64,
    /// Shards of data that were damaged or missing.
    pub damaged_shards: u64,
    /// Shards of data that were intact, but not at their place.
    pub moved_shards: u64,
    /// Records that were damaged, missing, or not at their place.
    pub damaged_records: u64,
    /// Bytes of the seek tables that were wrong.
    pub damaged_table_len: u64,
    /// Groups with damage, in their order, and at most [`LISTED_MAX`] of them.
    pub damaged: Vec<DamagedGroup>,
    /// How many groups cannot be restored.
    pub lost_groups: u64,
    /// What no record covers, or what is wrong with the records: sentences, at most [`LISTED_MAX`] of them.
    pub gaps: Vec<String>,
    /// Whether nobody knows where some of the data would be, because of a gap. Then what was put out is of no use.
    /// Otherwise all of it is at its place, and only groups that are lost and the rest of a file that was cut are as
    /// they were.
    pub is_displaced: bool,
    /// Ranges of the source between the streams that were copied as they are, because they are whole by themselves.
    pub kept: Vec<Range<u64>>,
    /// How much longer or shorter the file beside the source is than its records.
    pub dropped_len: u64,
    /// The length of the whole data.
    pub whole_len: u64,
    /// The length of the source.
    pub source_len: u64,
}

/// A group that is damaged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DamagedGroup {
    /// The offset of the group in the whole data.
    pub offset: u64,
    /// Its length.
    pub len: u64,
    /// Shards of data.
    pub shards: u64,
    /// Shards that are damaged or missing.
    pub damaged: u64,
    /// Shards of parity.
    pub parity: u64,
    /// Shards of parity that are intact.
    pub intact_parity: u64,
    /// How many shards are lacking to restore the group. 0 if it can be restored.
    pub lacking: u64,
}

impl Report {
    /// Whether there is any record.
    pub fn has_records(&self) -> bool {
        self.groups > 0
    }

    /// Whether everything is as it was written.
    pub fn is_intact(&self) -> bool {
        self.damaged_shards == 0
            && self.moved_shards == 0
            && self.damaged_records == 0
            && self.damaged_table_len == 0
            && self.dropped_len == 0
            && self.lost_groups == 0
            && self.gaps.is_empty()
            && self.whole_len == self.source_len
    }

    /// Whether the whole data can be restored. Without records it cannot, even if it is not damaged.
    pub fn is_mendable(&self) -> bool {
        self.has_records() && self.lost_groups == 0 && self.gaps.is_empty()
    }

    /// Notes a gap behind which nobody knows the places of the data.
    pub(crate) fn gap(&mut self, sentence: String) {
        self.is_displaced = true;
        self.cut(sentence);
    }

    /// Notes a gap with which all data is at its place.
    pub(crate) fn cut(&mut self, sentence: String) {
        if self.gaps.len() < LISTED_MAX {
            self.gaps.push(sentence);
        }
    }

    pub(crate) fn group(&mut self, group: DamagedGroup) {
        self.lost_groups += u64::from(group.lacking > 0);
        if self.damaged.len() < LISTED_MAX {
            self.damaged.push(group);
        }
    }
}
