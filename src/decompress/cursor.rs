//! The two cursors over coded input: a stream that is read into slabs, and a file or memory that is divided into
//! ranges.
//!
//! The feeder (`walk.rs`) and the listing of files use them through the trait [`Cursor`]. A [`StreamCursor`] reads
//! everything and passes it on in slabs. A [`RangeCursor`] reads only the bytes that are looked at, and passes on
//! ranges, which the workers read themselves.
//!
//! Each byte of the input is passed exactly once and in order.

use std::collections::VecDeque;
use std::ops::Range;

use super::resources::SLAB_LEN;
use super::survey::UnitSink;
use crate::error::Result;
use crate::format::{Cursor, Format, Unit};
use crate::io::{InputStream, RandomAccess};
use crate::pipeline::{Feed, Segment, Slice};

/// A stream, read into slabs.
pub(super) struct StreamCursor<'a> {
    feed: &'a Feed<'a>,
    stream: InputStream<'a>,
    /// The bytes that were read and not passed. No slab is empty.
    slabs: VecDeque<Slice>,
    /// A copy of bytes that were looked at and lie in more than one slab.
    joint: Vec<u8>,
    offset: u64,
    /// Offset of the end of the bytes that were read.
    read: u64,
    ended: bool,
}

impl<'a> StreamCursor<'a> {
    pub(super) fn new(feed: &'a Feed<'a>, stream: InputStream<'a>) -> Self {
        Self { feed, stream, slabs: VecDeque::new(), joint: Vec::new(), offset: 0, read: 0, ended: false }
    }

    /// Reads one more slab. False at the end of the input.
    fn read_slab(&mut self) -> Result<bool> {
        while !self.ended {
            let mut slab = self.feed.slab(SLAB_LEN)?;
            let given_up = || self.feed.line().is_stopped();
            let (len, ended) = self.stream.fill(&mut slab, self.read, true, &given_up)?;
            self.ended = ended;
            self.read += len as u64;
            if len > 0 {
                self.slabs.push_back(slab.freeze(0..len));
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Cursor for StreamCursor<'_> {
    fn peek(&mut self, len: usize) -> Result<&[u8]> {
        while self.read - self.offset < len as u64 && self.read_slab()? {}
        let Some(first) = self.slabs.front() else {
            return Ok(&[]);
        };
        if first.len() >= len || self.slabs.len() == 1 {
            return Ok(first);
        }
        self.joint.clear();
        for slab in &self.slabs {
            let wanted = slab.len().min(len - self.joint.len());
            self.joint.extend_from_slice(&slab[..wanted]);
        }
        Ok(&self.joint)
    }

    fn peek_far(&mut self, len: usize) -> Result<&[u8]> {
        self.peek(len)
    }

    fn next_segment(&mut self, most: u64) -> Result<Option<Segment>> {
        if self.slabs.is_empty() && !self.read_slab()? {
            return Ok(None);
        }
        let Some(slab) = self.slabs.pop_front() else {
            return Ok(None);
        };
        let len = usize::try_from(most).unwrap_or(slab.len()).min(slab.len());
        self.offset += len as u64;
        if len < slab.len() {
            self.slabs.push_front(slab.part(len..slab.len()));
            return Ok(Some(Segment::Slice(slab.part(0..len))));
        }
        Ok(Some(Segment::Slice(slab)))
    }

    fn offset(&self) -> u64 {
        self.offset
    }
}

/// A regular file or memory. Only the bytes that are looked at are read here. The workers read the others.
pub(crate) struct RangeCursor<'a> {
    place: RandomAccess<'a>,
    start: u64,
    len: u64,
    at: u64,
    /// Offset of the unit that is being passed.
    unit: u64,
    /// Bytes that were read ahead, how many of them there are, and their offset in the file.
    ahead: Vec<u8>,
    ahead_len: usize,
    ahead_at: u64,
}

/// How much is read for [`Cursor::peek`]. Headers are short, and rarely near each other.
const LOOK_LEN: usize = 256;

/// How much is read for [`Cursor::peek_far`].
const SEARCH_LEN: usize = 64 << 10;

impl<'a> RangeCursor<'a> {
    pub(crate) fn new(place: RandomAccess<'a>, range: Range<u64>) -> Self {
        let Range { start, end: len } = range;
        Self { place, start, len, at: start, unit: start, ahead: Vec::new(), ahead_len: 0, ahead_at: 0 }
    }

    fn look(&mut self, len: usize, read_len: usize) -> Result<&[u8]> {
        let left = self.len - self.at;
        let len = usize::try_from(left).unwrap_or(len).min(len);
        let have = self.ahead_at..self.ahead_at + self.ahead_len as u64;
        if self.at < have.start || self.at + len as u64 > have.end || self.at >= have.end {
            let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(read_len.max(len));
            if self.ahead.len() < wanted {
                self.ahead.resize(wanted, 0);
            }
            self.ahead_len = self.place.read_at(&mut self.ahead[..wanted], self.at)?;
            self.ahead_at = self.at;
        }
        let ahead = &self.ahead[..self.ahead_len];
        Ok(&ahead[((self.at - self.ahead_at) as usize).min(ahead.len())..])
    }
}

impl Cursor for RangeCursor<'_> {
    fn peek(&mut self, len: usize) -> Result<&[u8]> {
        self.look(len, LOOK_LEN)
    }

    fn peek_far(&mut self, len: usize) -> Result<&[u8]> {
        self.look(len, SEARCH_LEN)
    }

    fn next_segment(&mut self, most: u64) -> Result<Option<Segment>> {
        let end = self.len.min(self.at.saturating_add(most));
        let range = self.at..end;
        self.at = end;
        Ok((!range.is_empty()).then_some(Segment::Range(range)))
    }

    fn offset(&self) -> u64 {
        self.at - self.start
    }
}

impl UnitSink for RangeCursor<'_> {
    fn begin(&mut self, _: Unit, _: Option<Format>) -> Result<()> {
        self.unit = self.at;
        Ok(())
    }

    fn finish(&mut self) -> u64 {
        self.at - self.unit
    }
}
