//! [`CountedCursor`]: a cursor for a look at one place, which counts the bytes that it reads.
//!
//! The scout makes such a cursor for each look. At most places nothing begins, and a few bytes show that. So the cursor
//! gives no more bytes than it is asked for. It takes them from the [`ReadAhead`] if they are there, so that a look
//! costs no read of the file. A [`ReadAhead`] is the stretch of the input around the place that is searched; it is not
//! the window of a decoder.

use std::sync::{Arc, Mutex, PoisonError};

use crate::effort::{Effort, Purpose};
use crate::error::Result;
use crate::format::Cursor;
use engine::Segment;
use engine::io::RandomAccess;

/// How many bytes are read at a time outside of what was read ahead. Headers are short, and rarely near each other.
const LOOK_LEN: usize = 256;

/// How many bytes are read at a time where headers are near each other.
const NEAR_LEN: usize = 64 << 10;

/// The bytes around the place that is searched.
#[derive(Default)]
pub(super) struct ReadAhead {
    pub(super) at: u64,
    pub(super) bytes: Vec<u8>,
}

impl ReadAhead {
    /// The bytes from `at` on, if at least `len` are here.
    fn get(&self, at: u64, len: usize) -> Option<&[u8]> {
        let start = usize::try_from(at.checked_sub(self.at)?).ok()?;
        self.bytes.get(start..).filter(|bytes| bytes.len() >= len)
    }
}

/// What a cursor looks at.
#[derive(Clone, Copy)]
pub(super) struct Seen<'s> {
    pub(super) place: RandomAccess<'s>,
    pub(super) len: u64,
    pub(super) effort: &'s Effort,
    pub(super) ahead: &'s Mutex<Arc<ReadAhead>>,
    /// What was read last outside of what was read ahead.
    pub(super) near: &'s Mutex<ReadAhead>,
}

/// A cursor that notes whether a format has left the input or given up.
pub(super) struct CountedCursor<'s> {
    seen: Seen<'s>,
    purpose: Purpose,
    start: u64,
    at: u64,
    /// Bytes that were read, and their offset.
    bytes: Vec<u8>,
    bytes_at: u64,
    /// The end of the bytes that were counted.
    counted: u64,
    is_beyond: bool,
}

impl<'s> CountedCursor<'s> {
    pub(super) fn new(seen: Seen<'s>, at: u64, purpose: Purpose) -> Self {
        Self { seen, purpose, start: at, at, bytes: Vec::new(), bytes_at: at, counted: at, is_beyond: false }
    }

    /// Whether the end of the input was passed.
    pub(super) fn is_beyond(&self) -> bool {
        self.is_beyond
    }

    /// Reads `len` bytes, which are in the input.
    fn read(&mut self, len: usize) -> Result<()> {
        self.bytes_at = self.at;
        self.bytes.clear();
        let ahead = self.seen.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = ahead.get(self.at, len) {
            self.bytes.extend_from_slice(&bytes[..bytes.len().min(len.max(LOOK_LEN))]);
            return Ok(());
        }
        drop(ahead);
        let left = usize::try_from(self.seen.len - self.at).unwrap_or(usize::MAX);
        let mut near = self.seen.near.lock().unwrap_or_else(PoisonError::into_inner);
        if near.get(self.at, len).is_none() {
            let end = near.at + near.bytes.len() as u64;
            let is_near = near.at <= self.at && self.at < end + LOOK_LEN as u64;
            let wanted = if is_near { NEAR_LEN } else { LOOK_LEN };
            near.at = self.at;
            near.bytes.resize(len.max(wanted).min(left), 0);
            let read = self.seen.place.read_at(&mut near.bytes, self.at)?;
            near.bytes.truncate(read);
        }
        let bytes = near.get(self.at, 0).unwrap_or_default();
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(len.max(LOOK_LEN))]);
        Ok(())
    }
}

impl Cursor for CountedCursor<'_> {
    fn peek(&mut self, len: usize) -> Result<&[u8]> {
        let left = self.seen.len.saturating_sub(self.at);
        let len = usize::try_from(left).unwrap_or(len).min(len);
        let end = self.at + len as u64;
        let uncounted = end.saturating_sub(self.counted.max(self.at));
        self.seen.effort.spend(self.purpose, uncounted, 0);
        self.counted = self.counted.max(end);
        if self.at < self.bytes_at || end > self.bytes_at + self.bytes.len() as u64 {
            self.read(len)?;
        }
        let from = ((self.at - self.bytes_at) as usize).min(self.bytes.len());
        let rest = &self.bytes[from..];
        Ok(&rest[..len.min(rest.len())])
    }

    fn peek_far(&mut self, len: usize) -> Result<&[u8]> {
        self.peek(len)
    }

    fn next_segment(&mut self, most: u64) -> Result<Option<Segment>> {
        let end = self.seen.len.min(self.at.saturating_add(most));
        let range = self.at..end;
        self.at = end;
        Ok((!range.is_empty()).then_some(Segment::Range(range)))
    }

    fn offset(&self) -> u64 {
        self.at - self.start
    }

    fn take(&mut self, len: u64) -> Result<bool> {
        let left = self.seen.len.saturating_sub(self.at);
        self.is_beyond |= len > left;
        self.at += len.min(left);
        Ok(len <= left)
    }

    fn take_rest(&mut self) -> Result<()> {
        self.is_beyond = true;
        self.at = self.seen.len.max(self.at);
        Ok(())
    }
}
