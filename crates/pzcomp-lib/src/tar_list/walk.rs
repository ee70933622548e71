//! [`Walk`]: reads the members of a list from its records, which are in a compressed file or in a `.pzi`.
//!
//! In a compressed file the index of the file says where frames without data are, and some of them hold records. In a
//! `.pzi` records follow each other. Records of other kinds are passed over. The walk takes a list only if all its
//! records are there, in order, and right.
//!
//! A record whose head is damaged is no record any more. So that a damaged list does not count as no list, `damage.rs`
//! judges frames that are no records.

use std::ops::Range;

use pzcomp_records::{Envelope, RECORD_MAX, Record};
use pzcomp_tar::Member;

use super::damage::began_as_list;
use super::record::{self, Head};
use crate::error::{Error, Result};
use engine::io::RandomAccess;

/// Enough bytes for an envelope and a head.
const HEAD_LEN: usize = 256;

/// The most frames that are no records and are examined. Files of other programs have few of them.
const UNKNOWN_MAX: usize = 1000;

/// The envelopes in compressed files.
const ENVELOPES: [Envelope; 2] = [Envelope::Skippable, Envelope::GzipMember];

/// A list in a file.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    /// Place and length of each record, without its envelope.
    records: Vec<(u64, u32)>,
    /// Where the list is damaged, if it cannot be read.
    damage: Option<u64>,
    next: usize,
    /// The head of the record before the next one.
    before: Option<Head>,
}

/// What a frame without data is.
enum Frame {
    /// A record of the list: its head, its place and its length.
    Listed(Head, u64, u32),
    /// It was such a record, and is damaged.
    Damaged,
    /// Something else, such as a recovery record.
    Other,
}

impl Walk {
    /// Finds the records of a list of `plain_len` plain bytes in these frames. `None` if there is no list.
    pub(crate) fn in_frames(
        place: RandomAccess,
        frames: impl Iterator<Item = Range<u64>>,
        plain_len: u64,
    ) -> Result<Option<Self>> {
        let mut unknown = 0;
        Self::of(frames.map(|frame| Ok((frame.start, judge(place, &frame, plain_len, &mut unknown)?))))
    }

    /// Finds the records of a list of `plain_len` plain bytes in this part of a file, where records follow each other.
    pub(crate) fn in_records(place: RandomAccess, range: Range<u64>, plain_len: u64) -> Result<Option<Self>> {
        let mut start = range.start;
        Self::of(std::iter::from_fn(|| {
            let at = start;
            if at >= range.end {
                return None;
            }
            let mut bytes = [0; HEAD_LEN];
            let frame = place.read_at(&mut bytes, at).map(|read| {
                let record = Record::parse(&bytes[..read])
                    .and_then(|record| Some((record, Record::stated_len(&bytes)?)));
                let fits = record.filter(|&(_, len)| len as u64 <= range.end - at);
                start = fits.map_or(range.end, |(_, len)| at + len as u64);
                match fits.map(|(record, len)| (record::head(&record), len)) {
                    None => Frame::Damaged,
                    Some((Some(head), len)) if head.plain_len == plain_len => {
                        Frame::Listed(head, at, len as u32)
                    }
                    Some(_) => Frame::Other,
                }
            });
            Some(frame.map(|frame| (at, frame)).map_err(Error::from))
        }))
    }

    fn of(frames: impl Iterator<Item = Result<(u64, Frame)>>) -> Result<Option<Self>> {
        let mut list = Self { records: Vec::new(), damage: None, next: 0, before: None };
        let mut count = None;
        for frame in frames {
            let (start, frame) = frame?;
            match frame {
                Frame::Listed(head, at, len) => {
                    let is_next = head.number as usize == list.records.len();
                    if !is_next || *count.get_or_insert(head.count) != head.count {
                        list.damage.get_or_insert(start);
                    }
                    list.records.push((at, len));
                }
                Frame::Damaged => drop(list.damage.get_or_insert(start)),
                Frame::Other => {}
            }
        }
        if let (Some(count), Some(&(at, _))) = (count, list.records.last())
            && list.records.len() != count as usize
        {
            list.damage.get_or_insert(at);
        }
        Ok((count.is_some() || list.damage.is_some()).then_some(list))
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
        let damaged = |at| {
            Error::index(format!("the list of the members of the tar archive is damaged at offset {at}"))
        };
        if let Some(at) = self.damage {
            return Err(damaged(at));
        }
        let Some(&(at, len)) = self.records.get(self.next) else { return Ok(Vec::new()) };
        let damaged = || damaged(at);
        let mut bytes = vec![0; len as usize];
        let read = place.read_at(&mut bytes, at)?;
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

/// What this frame without data is. `unknown` counts those that are no records.
fn judge(place: RandomAccess, frame: &Range<u64>, plain_len: u64, unknown: &mut usize) -> Result<Frame> {
    let Ok(frame_len) = usize::try_from(frame.end.saturating_sub(frame.start)) else {
        return Ok(Frame::Other);
    };
    let mut bytes = vec![0; frame_len.min(HEAD_LEN)];
    let read = place.read_at(&mut bytes, frame.start)?;
    bytes.truncate(read);
    for envelope in ENVELOPES {
        let inside = bytes.get(envelope.start_len()..).filter(|_| frame_len >= envelope.overhead());
        let Some(record) = inside.and_then(Record::parse) else { continue };
        let Some(head) = record::head(&record) else { return Ok(Frame::Other) };
        if head.plain_len != plain_len {
            return Ok(Frame::Other);
        }
        let len = frame_len - envelope.overhead();
        let (before, behind) = envelope.around(len);
        let mut end = vec![0; behind.len()];
        let read = place.read_at(&mut end, frame.end - behind.len() as u64)?;
        let is_right = Record::stated_len(inside.unwrap_or_default()) == Some(len)
            && bytes.starts_with(&before)
            && end[..read] == *behind;
        return Ok(match is_right {
            true => Frame::Listed(head, frame.start + envelope.start_len() as u64, len as u32),
            false => Frame::Damaged,
        });
    }
    *unknown += 1;
    if frame_len > RECORD_MAX + HEAD_LEN || *unknown > UNKNOWN_MAX {
        return Ok(Frame::Other);
    }
    bytes.resize(frame_len, 0);
    let read = place.read_at(&mut bytes, frame.start)?;
    let is_list = ENVELOPES.iter().any(|envelope| {
        let end = read.checked_sub(envelope.overhead() - envelope.start_len());
        let inside = end.and_then(|end| bytes.get(envelope.start_len()..end));
        inside.is_some_and(|inside| began_as_list(inside, plain_len))
    });
    Ok(if is_list { Frame::Damaged } else { Frame::Other })
}
