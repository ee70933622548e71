//! The records of a group: their heads, the list of hashes, and the parity.
//!
//! ```text
//! descriptor  32 bytes
//!  0  u64  name of the stream
//!  8  u64  offset of the data of the group in the stream
//! 16  u32  length of the data
//! 20  u32  gap: how many bytes of the stream are between the data and the first record of the group
//! 24  u16  length of a shard, divided by 64
//! 26  u16  number of shards of parity
//! 28  u16  number of this record in the group
//! 30  u8   envelope: 0 bare, 1 skippable frame, 2 gzip member
//! 31  u8   1 if this is the last group of the stream, otherwise 0
//! ```
//!
//! The head of a record is the descriptor, then the list if the record has one, then the hash of each shard of parity
//! in the record. The content is these shards. An entry of the list is the hash of a shard of data (u64) and its
//! rolling sum (u32). `geometry.rs` says which record has what. The stream is everything that one compression wrote,
//! records included. Its name is the hash of the list of its first group.

use std::io;

use crate::copy::Copied;
use crate::geometry::{Geometry, SHARD_MIN, Shape};
use crate::hashes::{hash, sum};
use pzcomp_records::Envelope;
use pzcomp_records::Record;

/// The kind of these records.
pub(crate) const KIND: u8 = 1;
pub(crate) const DESCRIPTOR_LEN: usize = 32;
pub(crate) const LIST_ENTRY_LEN: usize = 12;
pub(crate) const HASH_LEN: usize = 8;

/// A group, as each of its records describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    pub(crate) stream: u64,
    pub(crate) offset: u64,
    pub(crate) gap: u32,
    pub(crate) geometry: Geometry,
    pub(crate) envelope: Envelope,
    pub(crate) is_last: bool,
}

/// The hash and the rolling sum of a shard of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    pub(crate) hash: u64,
    pub(crate) sum: u32,
}

impl Fingerprint {
    pub(crate) fn of(shard: &[u8]) -> Self {
        Self { hash: hash(shard), sum: sum(shard) }
    }

    pub(crate) fn fits(&self, shard: &[u8]) -> bool {
        hash(shard) == self.hash
    }
}

/// A record of a group whose head is right.
pub(crate) struct GroupRecord<'a> {
    pub(crate) group: Descriptor,
    pub(crate) number: usize,
    pub(crate) shape: Shape,
    head: &'a [u8],
    content: &'a [u8],
}

impl<'a> GroupRecord<'a> {
    /// The record in these bytes, if it is one of a group and its numbers are possible.
    pub(crate) fn parse(record: &Record<'a>) -> Option<Self> {
        let head = record.head;
        let bytes = head.first_chunk::<DESCRIPTOR_LEN>()?;
        let u16_at = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let u32_at = |at: usize| u32::from(u16_at(at)) | u32::from(u16_at(at + 2)) << 16;
        let u64_at = |at: usize| u64::from(u32_at(at)) | u64::from(u32_at(at + 4)) << 32;
        let group = Descriptor {
            stream: u64_at(0),
            offset: u64_at(8),
            gap: u32_at(20),
            geometry: Geometry::stated(u32_at(16), u16_at(24), u16_at(26))?,
            envelope: Envelope::from_number(bytes[30])?,
            is_last: match bytes[31] {
                0 => false,
                1 => true,
                _ => return None,
            },
        };
        let number = usize::from(u16_at(28));
        let shape = group.geometry.shapes().into_iter().nth(number)?;
        let valid = record.kind == KIND
            && group.offset <= i64::MAX as u64 / 4
            && head.len() == group.geometry.head_len(&shape)
            && record.content.len() <= shape.parity.len() * group.geometry.shard_len();
        valid.then_some(Self { group, number, shape, head, content: record.content })
    }

    /// The list of hashes, if the record has it.
    pub(crate) fn list(&self) -> Option<Vec<Fingerprint>> {
        let len = self.group.geometry.shards() * LIST_ENTRY_LEN;
        let list = self.head.get(DESCRIPTOR_LEN..DESCRIPTOR_LEN + len).filter(|_| self.shape.has_list)?;
        Some(list.chunks_exact(LIST_ENTRY_LEN).filter_map(fingerprint).collect())
    }

    /// Each shard of parity in the record that is intact, and its number.
    pub(crate) fn parity(&self) -> impl Iterator<Item = (usize, &'a [u8])> {
        let shards = self.content.chunks_exact(self.group.geometry.shard_len());
        let hashes = &self.head[self.head.len() - self.shape.parity.len() * HASH_LEN..];
        let each = self.shape.parity.clone().zip(shards).zip(hashes.chunks_exact(HASH_LEN));
        each.filter(|((_, shard), expected)| hash(shard).to_le_bytes() == **expected).map(|(shard, _)| shard)
    }
}

fn fingerprint(entry: &[u8]) -> Option<Fingerprint> {
    let (hash, sum) = entry.split_first_chunk::<8>()?;
    Some(Fingerprint { hash: u64::from_le_bytes(*hash), sum: u32::from_le_bytes(*sum.first_chunk()?) })
}

pub(crate) fn list_bytes(list: &[Fingerprint]) -> Vec<u8> {
    let entry = |print: &Fingerprint| [&print.hash.to_le_bytes()[..], &print.sum.to_le_bytes()].concat();
    list.iter().flat_map(entry).collect()
}

/// Puts out the records of a group in their envelopes, in their order. `parity` has all shards of parity.
pub(crate) fn each_record(
    group: &Descriptor,
    list: &[Fingerprint],
    parity: &[u8],
    mut put: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut record = Vec::new();
    let shard_len = group.geometry.shard_len();
    let list = list_bytes(list);
    for (number, shape) in group.geometry.shapes().into_iter().enumerate() {
        let mut head = group.head(number);
        if shape.has_list {
            head.extend(&list);
        }
        let content = &parity[shape.parity.start * shard_len..shape.parity.end * shard_len];
        content.chunks_exact(shard_len).for_each(|shard| head.extend(hash(shard).to_le_bytes()));
        record.clear();
        group.envelope.write_to(Record { kind: KIND, head: &head, content }, &mut record);
        put(&record)?;
    }
    Ok(())
}

impl Descriptor {
    /// The start of the head of a record with this number.
    fn head(&self, number: usize) -> Vec<u8> {
        let mut head = Vec::new();
        head.extend(self.stream.to_le_bytes());
        head.extend(self.offset.to_le_bytes());
        head.extend((self.geometry.len() as u32).to_le_bytes());
        head.extend(self.gap.to_le_bytes());
        head.extend(((self.geometry.shard_len() / SHARD_MIN) as u16).to_le_bytes());
        head.extend((self.geometry.parity() as u16).to_le_bytes());
        head.extend((number as u16).to_le_bytes());
        head.extend([self.envelope.number(), u8::from(self.is_last)]);
        head
    }

    /// Where the first record of the group begins in the stream.
    pub(crate) fn records_at(&self) -> u64 {
        self.offset + self.geometry.len() as u64 + u64::from(self.gap)
    }

    /// The length of each record with its envelope.
    pub(crate) fn record_lens(&self) -> Vec<usize> {
        let geometry = &self.geometry;
        let len = |shape| geometry.record_len(shape) + self.envelope.overhead();
        geometry.shapes().iter().map(len).collect()
    }
}

/// Whether more of the stream follows behind a record: other groups, or the table. `None` if these bytes are no record
/// of a stream, or if its head is damaged.
///
/// Each stream with records ends with a group that is marked as the last, or with a table behind its records. So a
/// stream that is cut off behind a whole frame can be told from a complete one.
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

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::mend::{Mend, mend};
    use crate::write::Source;

    struct Bytes(Vec<u8>);

    impl Source for Bytes {
        fn len(&self) -> u64 {
            self.0.len() as u64
        }

        fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
            self.0[..].read_at(bytes, at)
        }
    }

    #[test]
    fn a_group_that_is_far_longer_than_the_source_is_not_looked_for() {
        let geometry = Geometry::stated(64 << 20, 512, 2048).unwrap();
        let group = Descriptor {
            stream: 7,
            offset: 0,
            gap: 0,
            geometry,
            envelope: Envelope::Skippable,
            is_last: true,
        };
        let shape = group.geometry.shapes().into_iter().nth(1).unwrap();
        let mut head = group.head(1);
        head.resize(group.geometry.head_len(&shape), 0);
        let record = Record { kind: KIND, head: &head, content: &[] }.to_bytes();
        let source = Bytes(group.envelope.wrap(&record));
        let (is_whole, threads) = (|_| false, NonZeroUsize::MIN);
        let report = mend(
            &Mend { source: &source, beside: None, is_whole: &is_whole, threads, only_damaged: false },
            None,
        )
        .unwrap();
        assert!(report.groups == 1 && !report.is_mendable(), "{report:?}");
        assert!(report.gaps.iter().any(|gap| gap.contains("far more data")), "{report:?}");
    }
}
