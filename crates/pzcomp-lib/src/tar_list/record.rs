//! The record of a block: kind 3 of the container in `crates/records`.
//!
//! ```text
//! head  64 bytes
//!  0  u64  offset of the first header of the block in the plain data
//!  8  u64  offset behind the last member of the block
//! 16  u64  members in the blocks before it
//! 24  u32  number of this record
//! 28  u32  how many records the list has
//! 32  u32  members in the block
//! 36  u32  length of the columns
//! 40  u64  XXH3-64 of the content
//! 48  u64  length of the plain data
//! 56  8 bytes  0
//! ```
//!
//! The content is the columns (`block.rs`) as a DEFLATE stream.

use pzcomp_deflate::encode::{Encoder, End, coded_bound};
use pzcomp_deflate::inflate::{Inflate, Output, Pause};
use pzcomp_records::Record;
use pzcomp_tar::Member;
use xxhash_rust::xxh3::xxh3_64;

use super::block::{self, BlockWriter, RAW_MAX};

pub(super) const KIND: u8 = 3;
pub(super) const HEAD_LEN: usize = 64;
/// Where the head has the length of the plain data.
pub(super) const PLAIN_LEN_AT: usize = 48;

/// What the record of a block says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) before: u64,
    pub(super) number: u32,
    pub(super) count: u32,
    pub(super) members: u32,
    raw_len: u32,
    hash: u64,
    pub(super) plain_len: u64,
}

#[derive(Debug)]
pub(super) struct CodedBlock {
    head: Head,
    content: Vec<u8>,
}

impl CodedBlock {
    /// Codes a block behind `before` members. The block is empty then.
    pub(super) fn of(writer: &mut BlockWriter, before: u64, encoder: &mut Encoder) -> Option<Self> {
        let (start, end, members) = (writer.start, writer.end(), writer.count);
        let raw = writer.finish();
        let mut content = vec![0; coded_bound(raw.len())];
        let len = encoder.encode(&raw, &mut content, End::Final)?;
        content.truncate(len);
        content.shrink_to_fit();
        let (hash, raw_len) = (xxh3_64(&content), raw.len() as u32);
        Some(Self { head: Head { start, end, before, members, raw_len, hash, ..Head::default() }, content })
    }

    /// How much memory it takes.
    pub(super) fn len(&self) -> u64 {
        (self.content.len() + size_of::<Self>()) as u64
    }

    /// The bytes of its record, which is one of `count`.
    pub(super) fn record(&self, number: u32, count: u32, plain_len: u64) -> Vec<u8> {
        let Head { start, end, before, members, raw_len, hash, .. } = self.head;
        let mut head = Vec::with_capacity(HEAD_LEN);
        [start, end, before].iter().for_each(|value| head.extend(value.to_le_bytes()));
        [number, count, members, raw_len].iter().for_each(|value| head.extend(value.to_le_bytes()));
        [hash, plain_len, 0].iter().for_each(|value| head.extend(value.to_le_bytes()));
        Record { kind: KIND, head: &head, content: &self.content }.to_bytes()
    }
}

/// What this record says, if it is one of a list.
pub(super) fn head(record: &Record) -> Option<Head> {
    let head = record.head.first_chunk::<HEAD_LEN>().filter(|_| record.kind == KIND)?;
    let u32_at = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let u64_at = |at: usize| u64::from(u32_at(at)) | u64::from(u32_at(at + 4)) << 32;
    let head = Head {
        start: u64_at(0),
        end: u64_at(8),
        before: u64_at(16),
        number: u32_at(24),
        count: u32_at(28),
        members: u32_at(32),
        raw_len: u32_at(36),
        hash: u64_at(40),
        plain_len: u64_at(PLAIN_LEN_AT),
    };
    let is_possible = head.start <= head.end && head.end <= head.plain_len && head.number < head.count;
    (is_possible && head.raw_len as usize <= RAW_MAX).then_some(head)
}

/// The members in the content of this record. `None` if it is damaged.
pub(super) fn members(head: &Head, content: &[u8]) -> Option<Vec<Member>> {
    if xxh3_64(content) != head.hash {
        return None;
    }
    // With a byte more, a stream that is longer is noticed.
    let mut raw = vec![0; head.raw_len as usize + 1];
    let mut room = Output::new(&mut raw, 0);
    let progress = Inflate::new().run(content, &mut room).ok()?;
    let filled = room.filled();
    if progress.pause != Pause::End || filled != head.raw_len as usize {
        return None;
    }
    block::members(&raw[..filled], head.members, head.start, head.end)
}
