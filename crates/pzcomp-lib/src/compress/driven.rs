//! [`Compression`]: a stream to which a caller writes, and from which it takes the output.
//!
//! `Writer` runs on it. It starts a session of the engine, cuts the bytes of the caller into chunks, and opens a job
//! for each. The caller takes the output whenever it likes, and must take some when the line is full.

use std::sync::Arc;

use super::chunks::Chunks;
use super::prepared::{Prepared, Stream};
use super::{PlainSums, Records};
use crate::error::Result;
use crate::options::Encode;
use crate::summary::Summary;
use engine::waits::{End, Meter};
use engine::{Buffers, Crew, Plan, Session, Turn, Wait};

/// A stream that is being compressed.
pub(crate) struct Compression {
    session: Session,
    prepared: Arc<Prepared>,
    chunks: Chunks,
    records: Records,
    has_ended: bool,
    /// A job was opened since [`Self::is_cut`] was asked.
    is_cut: bool,
}

impl Compression {
    /// Checks the options. Also returns the bytes at the start of the output. The checksums of chunks are noted in
    /// `sums`.
    pub(crate) fn new(
        options: &Encode,
        crew: Arc<Crew>,
        sums: Option<Arc<PlainSums>>,
    ) -> Result<(Self, Vec<u8>)> {
        let stream = Stream::new(options, crew.size(), sums)?;
        let (cut, bound) = (stream.prepared.cut, stream.prepared.bound);
        // Each job on the line has one slab and one piece. So a worker never waits for memory, and a thread that other
        // streams may need is never held up. One slab more is being filled, and one takes what is behind a cut.
        let slots = stream.counts.frames.min(stream.counts.chunks.saturating_sub(1)).max(1);
        let slabs = Buffers::new((slots + 2) * cut.longest, 0);
        let plan =
            stream.complete(Plan { slots, slabs, ..Plan::of_chunks(slots.max(2), cut.longest, bound) });
        let Stream { prepared, counts, scan, records, .. } = stream;
        let prepared = Arc::new(prepared);
        let (header, coding) = (plan.header.clone(), Arc::clone(&prepared));
        let session = Session::new(plan, crew, counts.workers, Box::new(move || Ok(coding.coder()?)));
        // Outside of the calls that wait, the stream waits for its owner.
        session.meter().enter(End::Source);
        let chunks = Chunks::new(cut).with_flushes(options.flush_interval).with_scan(scan);
        Ok((Self { session, prepared, chunks, records, has_ended: false, is_cut: false }, header))
    }

    /// How the output gets its recovery records.
    pub(crate) fn records(&self) -> &Records {
        &self.records
    }

    /// Takes some of the bytes, and returns how many. If it takes none, the line is full, and the caller must take
    /// output.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<usize> {
        let feed = self.session.feed();
        if self.chunks.is_full() {
            if !self.session.has_room() {
                return Ok(0);
            }
            self.chunks.cut(&feed)?;
        }
        let room = self.chunks.room(&feed)?;
        let len = room.len().min(bytes.len());
        room[..len].copy_from_slice(&bytes[..len]);
        self.chunks.fill(len);
        if self.chunks.is_full() && self.session.has_room() {
            self.chunks.cut(&feed)?;
            self.is_cut = true;
        }
        Ok(len)
    }

    /// Whether a job was opened since the last call, so that output may be ready soon.
    pub(crate) fn is_cut(&mut self) -> bool {
        std::mem::take(&mut self.is_cut)
    }

    /// Whether a byte has waited as long as the flush interval of the options allows.
    pub(crate) fn is_overdue(&self) -> bool {
        self.chunks.is_overdue()
    }

    /// Ends the chunk that is being filled, so that its output comes. Returns false if the line is full.
    pub(crate) fn flush(&mut self) -> Result<bool> {
        self.prepared.codec.refuse_flush(&self.prepared.settings.layout)?;
        let feed = self.session.feed();
        while !self.chunks.is_empty() {
            if !self.session.has_room() {
                return Ok(false);
            }
            if self.chunks.is_full() {
                self.chunks.cut(&feed)?;
            } else {
                self.chunks.flush(&feed)?;
            }
        }
        Ok(true)
    }

    /// Ends the stream. Returns false if the line is full.
    pub(crate) fn end(&mut self) -> Result<bool> {
        let feed = self.session.feed();
        let mut is_last = self.has_ended || self.chunks.is_at_end();
        while !is_last {
            if !self.session.has_room() {
                return Ok(false);
            }
            is_last = self.chunks.end_one(&feed)?;
        }
        if !std::mem::replace(&mut self.has_ended, true) {
            self.chunks.end_scan()?;
            self.session.end();
        }
        Ok(true)
    }

    /// The next output, or what the caller may do instead.
    pub(crate) fn turn(&self, wait: Wait) -> Turn {
        self.session.turn(wait)
    }

    pub(crate) fn meter(&self) -> &Meter {
        self.session.meter()
    }

    /// The bytes at the end of the output, and the summary. The stream must be over. `written` is the length of the
    /// output before these bytes.
    pub(crate) fn ending(&self, written: u64) -> Result<(Vec<u8>, Summary)> {
        let (trailer, outcome) = self.session.ending(written)?;
        Ok((trailer, self.prepared.summary(outcome)))
    }

    /// The bytes that make readers refuse an output that is given up here. `is_begun` says whether something of it was
    /// written besides the header.
    pub(crate) fn unfinished(&self, is_begun: bool) -> &'static [u8] {
        self.prepared.unfinished(is_begun)
    }
}
