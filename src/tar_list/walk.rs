//! [`Walk`]: reads the members of a list from its records, which are in a compressed file or in a `.pzi`.
//!
//! The records are found by their envelopes, from a place where records begin. Records of other kinds are passed over.
//! The walk takes a list only if all its records are there, in order, and right.

use pzcomp_records::{Envelope, HEADER_LEN, MAGIC, RECORD_MAX, Record, SKIPPABLE_MAGIC};
use pzcomp_tar::Member;

use super::record::{self, Head};
use crate::error::{Error, Result};
use engine::io::RandomAccess;

/// Enough bytes for an envelope and a head.
const HEAD_LEN: usize = 256;

/// A list in a file.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    /// Place and length of each record, without its envelope.
    records: Vec<(u64, u32)>,
    next: usize,
    /// The head of the record before the next one.
    before: Option<Head>,
}

impl Walk {
    /// Finds the records of a list of `plain_len` plain bytes in this part of a file. `None` if there is no whole list.
    pub(crate) fn find(place: RandomAccess, mut at: u64, end: u64, plain_len: u64) -> Result<Option<Self>> {
        let (mut records, mut count) = (Vec::new(), None);
        let mut bytes = [0; HEAD_LEN];
        while at < end {
            let read = place.read_at(&mut bytes, at)?;
            let Some((start, len, whole)) = unwrapped(&bytes[..read]) else { break };
            let head = Record::parse(&bytes[start.min(read)..read]).and_then(|record| record::head(&record));
            if let Some(head) = head.filter(|head| head.plain_len == plain_len) {
                if head.number as usize != records.len() || *count.get_or_insert(head.count) != head.count {
                    return Ok(None);
                }
                records.push((at + start as u64, len));
            }
            at += whole;
        }
        let is_whole = at == end && count.is_some_and(|count| count as usize == records.len());
        Ok(is_whole.then_some(Self { records, next: 0, before: None }))
    }

    /// The same list from its start.
    pub(crate) fn again(&self) -> Self {
        Self { next: 0, before: None, ..self.clone() }
    }

    /// The places of all records, without their envelopes.
    pub(crate) fn records(&self) -> &[(u64, u32)] {
        &self.records
    }

    /// The members of the next record. No members are the end of the list.
    pub(crate) fn next(&mut self, place: RandomAccess) -> Result<Vec<Member>> {
        let Some(&(at, len)) = self.records.get(self.next) else { return Ok(Vec::new()) };
        let mut bytes = vec![0; len as usize];
        let read = place.read_at(&mut bytes, at)?;
        let damaged =
            || Error::index(format!("the list of the members of the tar archive is damaged at offset {at}"));
        let record =
            Record::parse(&bytes).filter(|record| read == bytes.len() && record.stored_len() == read);
        let (record, head) =
            record.and_then(|record| Some((record, record::head(&record)?))).ok_or_else(damaged)?;
        let (end, members) =
            self.before.map_or((0, 0), |before| (before.end, before.before + u64::from(before.members)));
        let follows = head.number as usize == self.next && head.start >= end && head.before == members;
        let found = record::members(&head, record.content).filter(|found| follows && !found.is_empty());
        self.next += 1;
        self.before = Some(head);
        found.ok_or_else(damaged)
    }
}

/// Where a record begins behind these bytes, its length, and the length with its envelope.
fn unwrapped(bytes: &[u8]) -> Option<(usize, u32, u64)> {
    let number = |at: usize, len: usize| {
        let field = bytes.get(at..at + len)?;
        Some(field.iter().rev().fold(0_u32, |number, &byte| number << 8 | u32::from(byte)))
    };
    let envelope = if bytes.starts_with(&MAGIC) {
        Envelope::Bare
    } else if bytes.starts_with(&SKIPPABLE_MAGIC) {
        Envelope::Skippable
    } else {
        Envelope::GzipMember
    };
    let start = envelope.start_len();
    // The head and the content.
    let len = number(start + 8, 2)? + HEADER_LEN as u32;
    if len as usize > RECORD_MAX {
        return None;
    }
    let expected = envelope.around(len as usize).0;
    let is_right = bytes.starts_with(&expected) && bytes[start..].starts_with(&MAGIC);
    is_right.then(|| (start, len, u64::from(len) + envelope.overhead() as u64))
}
