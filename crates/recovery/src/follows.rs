//! Whether a record says that more of its stream follows.
//!
//! Each stream with records ends with a group that is marked as the last, or with a table behind its records. So a
//! stream that is cut off behind a whole frame can be told from a complete one.

use pzcomp_records::Record;

use crate::copy::Copied;
use crate::group::GroupRecord;

/// Whether more of the stream follows behind a record: other groups, or the table. `None` if these bytes are no record
/// of a stream, or if its head is damaged.
///
/// ```
/// assert_eq!(pzcomp_recovery::more_follows(b"no record"), None);
/// ```
pub fn more_follows(record: &[u8]) -> Option<bool> {
    let record = Record::parse(record)?;
    // A copy of the table stands before the table.
    let is_copy = || Copied::parse(&record).map(|_| true);
    GroupRecord::parse(&record).map(|record| !record.group.is_last).or_else(is_copy)
}
