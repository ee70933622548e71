//! The feeder of compression: it cuts the input into chunks.
//!
//! An [`Input`] and a [`Cut`] come in, and a job for each chunk goes to the line. If the workers can read the input
//! themselves, the splitter gives out byte ranges, and reads only as much as the cut depends on. Otherwise it reads the
//! input into slabs, with [`Chunks`]. The last bytes of a file are read so too, because only a read shows where the
//! file ends: it may have grown, and a serial encoder ends its stream in the first chunk that is short.
//!
//! Every byte is in exactly one chunk. An empty input is one empty chunk, so that a frame is written for it.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use super::chunks::Chunks;
use super::looks::{Look, Looks};
use crate::error::Result;
use crate::format::Cut;
use crate::format::last_line;
use crate::tar_list::Scan;
use engine::io::{Input, InputStream, Patience, RandomAccess};
use engine::waits::{Activity, End, timed};
use engine::{Feed, Feeder, Segment, Tag};

/// The number of bytes that are read at a time to find the end of a chunk, if workers read the chunk itself.
const READ_LEN: usize = 64 << 10;

/// How much is read to find the next members of a tar archive.
const MEMBERS_LEN: usize = 16 << 10;

/// The data of a longer member is not read. To copy so much takes as long as another call.
const SHORT_LEN: u64 = 2 << 10;

/// How much is read to find the member behind a longer one, at least and at most: its headers.
const HEADERS_LEN: RangeInclusive<usize> = 512..=4096;

/// Cuts input into chunks.
pub(super) struct Splitter<'a> {
    input: Option<Input<'a>>,
    cut: Cut,
    /// How long a byte waits at most for the end of its chunk.
    flush_interval: Option<Duration>,
    /// Counts the bytes that are read from a stream.
    read: Option<Arc<AtomicU64>>,
    /// Finds the members of a tar archive.
    scan: Option<Scan>,
    /// What the scan was shown of chunks that were not given out.
    seen: Vec<Look>,
    /// Where this is noted for the workers. Nothing if no list is made of it.
    looks: Option<Arc<Looks>>,
}

impl<'a> Splitter<'a> {
    pub(super) fn new(input: Input<'a>, cut: Cut, flush_interval: Option<Duration>) -> Self {
        Self {
            input: Some(input),
            cut,
            flush_interval,
            read: None,
            scan: None,
            seen: Vec::new(),
            looks: None,
        }
    }

    /// The same, which counts the bytes that it reads from a stream, before their chunk is complete.
    pub(super) fn counting(self, read: Option<Arc<AtomicU64>>) -> Self {
        Self { read, ..self }
    }

    /// The same, which shows the bytes to a scan for the members of a tar archive, and notes for the workers what it
    /// has shown.
    pub(super) fn scanning(self, scan: Option<Scan>, looks: Option<Arc<Looks>>) -> Self {
        Self { scan, looks, ..self }
    }

    /// Gives out byte ranges, which the workers read, and reads the tail of a file. Returns the length of the input.
    fn feed_ranges(
        &mut self,
        feed: &Feed,
        input: &Input,
        place: RandomAccess,
        range: Range<u64>,
    ) -> Result<u64> {
        let Range { start, end: len } = range;
        let longest = self.cut.longest as u64;
        let mut buffer = Vec::new();
        let mut at = start;
        loop {
            if len - at <= longest
                && let Some(tail) = input.tail(at)
            {
                let chunks = Chunks::new(self.cut).starting_at(at - start);
                self.note(at - start..u64::MAX);
                return self.feed_stream(feed, tail, chunks);
            }
            let most = len.min(at + longest);
            let most = self.find_end(place, at..most, &mut buffer)?.unwrap_or(most);
            let end = self.scan(place, start, at..most, &mut buffer)?.unwrap_or(most);
            // An empty input still gets a frame, and a serial encoder still gets its short last chunk.
            let is_missed = at == start || self.cut.ends_short && (at - start) % longest == 0;
            if at < end || is_missed {
                self.note(at - start..end - start);
                feed.open_whole(at - start, Segment::Range(at..end), Tag::default())?;
            }
            if at == end {
                if let Some(scan) = &mut self.scan {
                    scan.end(at - start)?;
                }
                return Ok(at - start);
            }
            at = end;
        }
    }

    /// Notes for the worker what was seen of a chunk.
    fn note(&mut self, chunk: Range<u64>) {
        if let Some(looks) = self.looks.as_ref().filter(|_| !self.seen.is_empty()) {
            looks.note(chunk, &mut self.seen);
        }
    }

    /// Shows what a scan wants of a chunk of a stream that begins at `start`. Returns where the chunk ends, if a member
    /// of a tar archive ends there.
    fn scan(
        &mut self,
        place: RandomAccess,
        start: u64,
        range: Range<u64>,
        buffer: &mut Vec<u8>,
    ) -> Result<Option<u64>> {
        let Some(scan) = &mut self.scan else { return Ok(None) };
        while let Some(wanted) =
            scan.wanted().map(|wanted| start + wanted).filter(|&wanted| wanted < range.end)
        {
            let len = match scan.skippable() {
                // Its headers are probably as long as those of the last one.
                SHORT_LEN.. => scan.headers_len().clamp(*HEADERS_LEN.start(), *HEADERS_LEN.end()),
                _ => MEMBERS_LEN,
            };
            buffer.resize(len.min((range.end - wanted) as usize), 0);
            let read = timed(Activity::Reading, || place.read_at(buffer, wanted))?;
            if read == 0 {
                // The input has become shorter. The worker that reads the chunk reports that.
                return Ok(None);
            }
            scan.see(wanted - start, &buffer[..read])?;
            if self.looks.is_some() && scan.is_tar() {
                self.seen.push(Look::at(wanted - start, &buffer[..read]));
            }
        }
        let is_full = range.end - range.start == self.cut.longest as u64;
        let shortest = self.cut.shortest_aligned().filter(|_| is_full && scan.is_tar());
        Ok(shortest.map(|shortest| {
            let least = range.start + shortest as u64 - start;
            start + scan.cut(least..=range.end - start)
        }))
    }

    /// Where the content says that a chunk ends, if it does. The chunk begins with `range` and reaches at most to the
    /// end of `range`.
    fn find_end(&self, place: RandomAccess, range: Range<u64>, buffer: &mut Vec<u8>) -> Result<Option<u64>> {
        if self.cut.is_by_lines() {
            return self.find_line(place, range, buffer);
        }
        let Range { mut start, mut end } = self.cut.searched((range.end - range.start) as usize);
        let mut search = self.cut.search();
        while start < end {
            buffer.resize(READ_LEN, 0);
            let bytes = &mut buffer[..READ_LEN.min(end - start)];
            let wanted = bytes.len();
            let read = timed(Activity::Reading, || place.read_at(bytes, range.start + start as u64))?;
            if let Some(found) = search.find(&bytes[..read]) {
                return Ok(Some(range.start + (start + found) as u64));
            }
            start += read;
            if read < wanted {
                // The file has become shorter. The worker that reads the chunk reports that.
                end = start;
            }
        }
        Ok(None)
    }

    /// The end of the last line in a chunk of the greatest length. It is looked for from the end on.
    fn find_line(&self, place: RandomAccess, range: Range<u64>, buffer: &mut Vec<u8>) -> Result<Option<u64>> {
        let Range { start, mut end } = range;
        if end - start < self.cut.longest as u64 {
            return Ok(None);
        }
        while start < end {
            let at = end.saturating_sub(READ_LEN as u64).max(start);
            buffer.resize((end - at) as usize, 0);
            let read = timed(Activity::Reading, || place.read_at(buffer, at))?;
            if let Some(len) = last_line(&buffer[..read]) {
                return Ok(Some(at + len as u64));
            }
            end = at;
        }
        Ok(None)
    }

    /// Reads a stream into chunks. Returns the length of all chunks.
    fn feed_stream(&mut self, feed: &Feed, mut stream: InputStream, chunks: Chunks) -> Result<u64> {
        let mut chunks = chunks.with_scan(self.scan.take());
        let stopped = || feed.is_unwanted();
        let wait = || if stopped() { Patience::Stop } else { Patience::Wait };
        loop {
            let (offset, deadline) = (chunks.taken(), chunks.deadline());
            let room = chunks.room(feed)?;
            let filled = feed.meter().during(End::Source, || match self.flush_interval {
                None => stream.fill(room, offset, false, &wait),
                Some(_) => stream.read_until(room, offset, deadline, &stopped),
            });
            match filled {
                Ok((read, ended)) => {
                    chunks.fill(read);
                    if ended {
                        chunks.end(feed)?;
                        return Ok(chunks.taken());
                    }
                }
                Err(error) => {
                    chunks.flush(feed)?;
                    return Err(error.into());
                }
            }
            // A chunk that is not full has an error behind it, which the next call returns, or it can still wait.
            if chunks.is_full() {
                chunks.cut(feed)?;
            }
            if chunks.is_overdue() {
                chunks.flush(feed)?;
            }
        }
    }
}

impl Feeder for Splitter<'_> {
    fn feed(&mut self, feed: &Feed) -> engine::Result<()> {
        let Some(input) = self.input.take() else {
            return Ok(());
        };
        if let Some((place, range)) = input.random_access() {
            input.finish(self.feed_ranges(feed, &input, place, range)?);
        } else if let Some(stream) = input.into_stream() {
            let stream = stream.counted(self.read.take());
            let chunks = Chunks::new(self.cut).with_flushes(self.flush_interval);
            self.feed_stream(feed, stream, chunks)?;
        }
        Ok(())
    }
}
