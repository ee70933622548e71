//! Chunks of bytes that arrive in order.
//!
//! The owner of [`Chunks`] fills the room that they offer. When the room is full, [`Chunks::cut`] makes a job of the
//! bytes up to where the [`Cut`] says that a chunk ends, and the rest begins the next chunk. The splitter uses it for
//! streams, and a `Writer` for the bytes that are written to it.

use std::time::{Duration, Instant};

use super::FLUSH;
use super::arrivals::Arrivals;
use crate::error::Result;
use crate::format::Cut;
use crate::tar_list::Scan;
use engine::{Feed, Lease, Segment, Tag};

/// The chunk that is being filled.
pub(super) struct Chunks {
    cut: Cut,
    slab: Option<Lease>,
    /// How many bytes of the slab are filled.
    filled: usize,
    /// Offset of the first byte of the chunk.
    offset: u64,
    /// Whether a job was opened.
    is_begun: bool,
    /// When the bytes arrived, if that matters.
    arrivals: Option<Arrivals>,
    /// Finds the members of a tar archive.
    scan: Option<Scan>,
    /// How many bytes of the slab the scan has seen.
    seen: usize,
}

impl Chunks {
    pub(super) fn new(cut: Cut) -> Self {
        Self { cut, slab: None, filled: 0, offset: 0, is_begun: false, arrivals: None, scan: None, seen: 0 }
    }

    /// The same behind chunks that were opened elsewhere, up to this offset.
    pub(super) fn starting_at(self, offset: u64) -> Self {
        Self { offset, is_begun: offset > 0, ..self }
    }

    /// The same, in which no byte is to wait longer than `interval` for the end of its chunk.
    pub(super) fn with_flushes(self, interval: Option<Duration>) -> Self {
        Self { arrivals: interval.map(Arrivals::new), ..self }
    }

    /// The same, which shows all bytes to a scan for the members of a tar archive.
    pub(super) fn with_scan(self, scan: Option<Scan>) -> Self {
        Self { scan, ..self }
    }

    /// Shows the scan what has come.
    fn scan(&mut self) -> Result<()> {
        if let (Some(scan), Some(slab)) = (&mut self.scan, &self.slab) {
            scan.see(self.offset + self.seen as u64, &slab[self.seen..self.filled])?;
            self.seen = self.filled;
        }
        Ok(())
    }

    /// How long the chunk is, which has all its bytes.
    fn len(&mut self) -> usize {
        let shortest = self.cut.shortest_aligned().filter(|_| self.filled == self.cut.longest);
        match (&mut self.scan, shortest) {
            (Some(scan), Some(shortest)) if scan.is_tar() => {
                let least = self.offset + shortest as u64;
                (scan.cut(least..=self.offset + self.filled as u64) - self.offset) as usize
            }
            _ => self.slab.as_ref().map_or(0, |slab| self.cut.len(&slab[..self.filled])),
        }
    }

    /// When the chunk must be flushed. Nothing if no byte waits, or if bytes may wait for ever.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.arrivals.as_ref()?.deadline()
    }

    /// Whether a byte has waited long enough, so that the chunk must be flushed.
    pub(super) fn is_overdue(&self) -> bool {
        self.deadline().is_some_and(|deadline| deadline <= Instant::now())
    }

    /// How many bytes have been taken.
    pub(super) fn taken(&self) -> u64 {
        self.offset + self.filled as u64
    }

    /// Room for more bytes of the chunk. It is empty if the chunk must be cut first.
    pub(super) fn room(&mut self, feed: &Feed) -> Result<&mut [u8]> {
        if self.slab.is_none() {
            self.slab = Some(feed.slab(self.cut.longest)?);
        }
        Ok(self.slab.as_mut().map_or(&mut [], |slab| &mut slab[self.filled..]))
    }

    /// Notes that the first `len` bytes of the room are filled.
    pub(super) fn fill(&mut self, len: usize) {
        if let Some(arrivals) = self.arrivals.as_mut().filter(|_| len > 0) {
            arrivals.note(self.filled, Instant::now());
        }
        self.filled += len;
    }

    /// Whether the chunk has its greatest length.
    pub(super) fn is_full(&self) -> bool {
        self.filled == self.cut.longest
    }

    /// Whether no byte waits for the end of its chunk.
    pub(super) fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// Opens a job for the chunk, up to where the cut says that it ends. Returns its length.
    pub(super) fn cut(&mut self, feed: &Feed) -> Result<usize> {
        self.scan()?;
        let len = self.len();
        self.open(feed, len, Tag::default())?;
        Ok(len)
    }

    /// Opens a job for all bytes, because the caller wants a flush, or because the input cannot be read further. Such a
    /// chunk never ends the stream.
    pub(super) fn flush(&mut self, feed: &Feed) -> Result<()> {
        self.scan()?;
        if self.is_empty() { Ok(()) } else { self.open(feed, self.filled, FLUSH) }
    }

    /// Opens a job for the next chunk at the end of the input. Returns true after the last one.
    pub(super) fn end_one(&mut self, feed: &Feed) -> Result<bool> {
        let len = self.cut(feed)?;
        // An empty input still gets a frame, and a serial encoder still gets its short last chunk.
        Ok(self.is_empty() && (len < self.cut.longest || !self.cut.ends_short))
    }

    /// Opens the jobs for the rest of the input.
    pub(super) fn end(&mut self, feed: &Feed) -> Result<()> {
        while !self.is_at_end() && !self.end_one(feed)? {}
        self.end_scan()
    }

    /// Tells the scan that all bytes have come.
    pub(super) fn end_scan(&mut self) -> Result<()> {
        let taken = self.taken();
        self.scan.as_mut().map_or(Ok(()), |scan| scan.end(taken))
    }

    /// Whether nothing is left to be opened at the end of the input.
    pub(super) fn is_at_end(&self) -> bool {
        self.is_empty() && self.is_begun && !self.cut.ends_short
    }

    fn open(&mut self, feed: &Feed, len: usize, next: Tag) -> Result<()> {
        let slab = match self.slab.take() {
            Some(slab) => slab,
            None => feed.slab(self.cut.longest)?,
        };
        let rest = len..self.filled;
        if !rest.is_empty() {
            let mut behind = feed.slab(self.cut.longest)?;
            behind[..rest.len()].copy_from_slice(&slab[rest.clone()]);
            self.slab = Some(behind);
        }
        feed.open_whole(self.offset, Segment::Slice(slab.freeze(0..len)), next)?;
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.cut(len, rest.len());
        }
        self.seen = self.seen.saturating_sub(len);
        (self.offset, self.filled, self.is_begun) = (self.offset + len as u64, rest.len(), true);
        Ok(())
    }
}
