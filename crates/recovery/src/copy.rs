//! Copies of the bytes at the end of a stream: its seek table, which no group covers because it comes last.
//!
//! ```text
//! head  40 bytes
//!  0  u64  name of the stream
//!  8  u64  offset of the copied bytes in the stream, which ends behind them
//! 16  u32  their length
//! 20  u32  how many bytes before them the first of these records begins, with its envelope
//! 24  u16  number of this record
//! 26  u16  n: how many of these records are in a set
//! 28  u8   envelope
//! 29  3 bytes  0
//! 32  u64  XXH3-64 of the content
//! ```
//!
//! There are two equal sets of n records. The content of record i, and of record n + i, is the bytes i ⌈length / n⌉ to
//! (i + 1) ⌈length / n⌉, as far as there are such bytes. The first set stands before the records of the last group, and
//! the second one behind them, directly before the table. So one burst does not destroy both the table and all copies.

use std::ops::Range;

use crate::hashes::hash;
use pzcomp_records::Envelope;
use pzcomp_records::{HEADER_LEN, RECORD_MAX, Record};

/// The kind of these records.
pub(crate) const KIND: u8 = 2;
const HEAD_LEN: usize = 40;
/// The most bytes of content.
pub(crate) const PART_MAX: usize = RECORD_MAX - HEADER_LEN - HEAD_LEN;

/// The copy of the end of a stream, as each of its records describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Copied {
    pub(crate) stream: u64,
    pub(crate) offset: u64,
    pub(crate) len: u32,
    /// How far before `offset` the records begin.
    pub(crate) before: u32,
    pub(crate) count: u16,
    pub(crate) envelope: Envelope,
}

impl Copied {
    /// The description, the number of the record, and the hash of its content.
    pub(crate) fn parse(record: &Record) -> Option<(Self, usize, u64)> {
        let head = record.head.first_chunk::<HEAD_LEN>()?;
        let u16_at = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let u32_at = |at: usize| u32::from(u16_at(at)) | u32::from(u16_at(at + 2)) << 16;
        let u64_at = |at: usize| u64::from(u32_at(at)) | u64::from(u32_at(at + 4)) << 32;
        let envelope = Envelope::from_number(head[28])?;
        let copied = Self {
            stream: u64_at(0),
            offset: u64_at(8),
            len: u32_at(16),
            before: u32_at(20),
            count: u16_at(26),
            envelope,
        };
        let number = usize::from(u16_at(24));
        let valid = record.kind == KIND
            && record.head.len() == HEAD_LEN
            && number / 2 < usize::from(copied.count)
            && copied.part_len() <= PART_MAX
            // No more records than a writer makes, because the work grows with the square of their number.
            && usize::from(copied.count) <= (copied.len as usize).div_ceil(PART_MAX / 10 * 9).max(1)
            && record.content.len() <= copied.range(number).len()
            && u64::from(copied.before) <= copied.offset
            && copied.offset <= i64::MAX as u64 / 4;
        valid.then(|| (copied, number, u64_at(32)))
    }

    fn part_len(&self) -> usize {
        (self.len as usize).div_ceil(usize::from(self.count.max(1)))
    }

    /// The bytes in the record of this number.
    pub(crate) fn range(&self, number: usize) -> Range<usize> {
        let (len, part) = (self.len as usize, self.part_len());
        let number = number % usize::from(self.count.max(1));
        (number * part).min(len)..((number + 1) * part).min(len)
    }

    /// Where the record of this number begins in the stream, with its envelope. The lists are those of a set.
    pub(crate) fn record_at(&self, number: usize, lens: &[usize]) -> u64 {
        let (place, start) = match number.checked_sub(lens.len()) {
            None => (number, self.offset - u64::from(self.before)),
            Some(place) => (place, self.offset - (lens.iter().sum::<usize>() as u64).min(self.offset)),
        };
        start + lens.iter().take(place).sum::<usize>() as u64
    }

    /// How many bytes a set takes.
    pub(crate) fn set_len(&self) -> usize {
        self.record_lens().iter().sum()
    }

    /// The length of each record of a set with its envelope.
    pub(crate) fn record_lens(&self) -> Vec<usize> {
        let len = |number| HEADER_LEN + HEAD_LEN + self.range(number).len() + self.envelope.overhead();
        (0..usize::from(self.count)).map(len).collect()
    }

    /// The record of this number in its envelope. `bytes` are all bytes that are copied.
    pub(crate) fn record(&self, number: usize, bytes: &[u8]) -> Vec<u8> {
        let content = &bytes[self.range(number)];
        let mut head = Vec::with_capacity(HEAD_LEN);
        head.extend(self.stream.to_le_bytes());
        head.extend(self.offset.to_le_bytes());
        head.extend(self.len.to_le_bytes());
        head.extend(self.before.to_le_bytes());
        head.extend((number as u16).to_le_bytes());
        head.extend(self.count.to_le_bytes());
        head.extend([self.envelope.number(), 0, 0, 0]);
        head.extend(hash(content).to_le_bytes());
        let mut record = Vec::new();
        self.envelope.write_to(Record { kind: KIND, head: &head, content }, &mut record);
        record
    }
}
