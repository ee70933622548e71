//! The traits of [`std::io`] for [`Seekable`]: reading from a position that moves.
//!
//! The block at the position is kept, so short reads need no lock. If a reader reads on from one block to the next, the
//! blocks that follow are decoded in parallel before they are asked for.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use super::Block;
use super::Seekable;
use crate::error::Result;
use engine::io::ReadAt;

/// How much data that is decoded in order is handed on at a time.
const FORWARD_LEN: usize = 256 << 10;
/// A reader that reads on decodes this much for each thread at once.
const AHEAD_LEN: u64 = 4 << 20;

impl<R: ReadAt + 'static> Seekable<R> {
    /// The block that holds the plain offset `offset`, and the offset of its start. An empty block at the end.
    fn block_at(&self, offset: u64) -> Result<(u64, Block)> {
        let map = &self.core.map;
        if offset < map.plain_end() {
            let first = map.holding(offset);
            let span = map.spans[first];
            if self.is_short(&span) {
                let (start, block) = &self.current;
                let reads_on = offset > 0 && offset == start + block.len() as u64;
                let workers = self.core.options.worker_count() as u64;
                let ahead = if reads_on && workers > 1 { workers * AHEAD_LEN } else { 0 };
                let most = ahead.min(self.cache.most() as u64 / 2);
                let end = if self.cache.get(first).is_some() {
                    first + 1
                } else {
                    self.batch_end(first, u64::MAX, most)
                };
                let places = (first..end).map(|_| None).collect();
                let block = self.blocks(first..end, places)?.into_iter().next().flatten();
                return Ok((span.plain, block.unwrap_or_default()));
            }
        }
        let mut bytes = vec![0; FORWARD_LEN];
        let len = self.read_once(&mut bytes, offset)?;
        bytes.truncate(len);
        Ok((offset, Block::new(bytes)))
    }
}

impl<R: ReadAt + 'static> BufRead for Seekable<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let (start, block) = &self.current;
        let holds = self.position >= *start && self.position - start < block.len() as u64;
        if !holds {
            self.current = self.block_at(self.position)?;
        }
        let (start, block) = &self.current;
        let skip = usize::try_from(self.position - start).unwrap_or(usize::MAX);
        Ok(block.get(skip..).unwrap_or_default())
    }

    fn consume(&mut self, len: usize) {
        self.position = self.position.saturating_add(len as u64);
    }
}

impl<R: ReadAt + 'static> Read for Seekable<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let (start, block) = &self.current;
        let holds = self.position >= *start && self.position - start < block.len() as u64;
        // A long read decodes all of its spans at once.
        let len = if !holds && out.len() > FORWARD_LEN {
            self.read_at(out, self.position)?
        } else {
            let here = self.fill_buf()?;
            let len = here.len().min(out.len());
            out[..len].copy_from_slice(&here[..len]);
            len
        };
        self.consume(len);
        Ok(len)
    }
}

impl<R: ReadAt + 'static> Seek for Seekable<R> {
    /// Moves the position. Only [`SeekFrom::End`] may need to decode: see [`Seekable::measure`]. A place before the
    /// end depends on all lengths, so they are verified.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (from, distance) = match to {
            SeekFrom::Start(offset) => (offset, 0),
            SeekFrom::Current(distance) => (self.position, distance),
            SeekFrom::End(distance) => {
                let len = self.measure()?;
                if distance < 0 {
                    self.verify_lengths(self.core.map.spans.len())?;
                }
                (len, distance)
            }
        };
        let outside =
            || io::Error::new(io::ErrorKind::InvalidInput, "cannot seek to before the start of the data");
        self.position = from.checked_add_signed(distance).ok_or_else(outside)?;
        Ok(self.position)
    }

    fn stream_position(&mut self) -> io::Result<u64> {
        Ok(self.position)
    }
}
