//! The feeder of compression: it cuts the input into chunks.
//!
//! An [`Input`] and a [`Cut`] come in, and a job for each chunk goes to the line. If the workers can read the input
//! themselves, the splitter gives out byte ranges, and reads only as much as the cut depends on. Otherwise it reads the
//! input into slabs, with [`Chunks`].
//!
//! Every byte is in exactly one chunk. An empty input is one empty chunk, so that a frame is written for it.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use super::chunks::Chunks;
use crate::error::Result;
use crate::format::Cut;
use engine::io::{Input, InputStream, Patience, RandomAccess};
use engine::waits::{Activity, End, timed};
use engine::{Feed, Feeder, Segment, Tag};

/// The number of bytes that are read at a time to find the end of a chunk, if workers read the chunk itself.
const READ_LEN: usize = 64 << 10;

/// Cuts input into chunks.
pub(super) struct Splitter<'a> {
    input: Option<Input<'a>>,
    cut: Cut,
    /// How long a byte waits at most for the end of its chunk.
    flush_interval: Option<Duration>,
    /// Counts the bytes that are read from a stream.
    read: Option<Arc<AtomicU64>>,
}

impl<'a> Splitter<'a> {
    pub(super) fn new(input: Input<'a>, cut: Cut, flush_interval: Option<Duration>) -> Self {
        Self { input: Some(input), cut, flush_interval, read: None }
    }

    /// The same, which counts the bytes that it reads from a stream, before their chunk is complete.
    pub(super) fn counting(self, read: Option<Arc<AtomicU64>>) -> Self {
        Self { read, ..self }
    }

    /// Gives out byte ranges, which the workers read. Returns the number of bytes given out.
    fn feed_ranges(&self, feed: &Feed, place: RandomAccess, range: Range<u64>) -> Result<u64> {
        let Range { start, end: mut len } = range;
        let mut buffer = Vec::new();
        let mut at = start;
        loop {
            if len - at < self.cut.longest as u64 {
                // A file may grow while it is read.
                len = len.max(place.len(at)?);
            }
            let most = len.min(at + self.cut.longest as u64);
            let end = self.find_end(place, at..most, &mut buffer)?.unwrap_or(most);
            // An empty input still gets a frame, and a serial encoder still gets its short last chunk.
            let is_missed = at == start || self.cut.ends_short && (at - start) % self.cut.longest as u64 == 0;
            if at < end || is_missed {
                feed.open_whole(at - start, Segment::Range(at..end), Tag::default())?;
            }
            if at == end {
                return Ok(at - start);
            }
            at = end;
        }
    }

    /// Where the content says that a chunk ends, if it does. The chunk begins with `range` and reaches at most to the
    /// end of `range`.
    fn find_end(&self, place: RandomAccess, range: Range<u64>, buffer: &mut Vec<u8>) -> Result<Option<u64>> {
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

    fn feed_stream(&self, feed: &Feed, mut stream: InputStream) -> Result<()> {
        let mut chunks = Chunks::new(self.cut).with_flushes(self.flush_interval);
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
                        return chunks.end(feed);
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
            input.finish(self.feed_ranges(feed, place, range)?);
        } else if let Some(stream) = input.into_stream() {
            let stream = stream.counted(self.read.take());
            self.feed_stream(feed, stream)?;
        }
        Ok(())
    }
}
