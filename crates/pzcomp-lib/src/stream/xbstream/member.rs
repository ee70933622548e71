//! A compressed member of an xbstream, while it is decompressed.
//!
//! A [`Member`] gets the payloads of its chunks and writes chunks of the plain file. It owns a [`Decompression`], whose
//! threads are those of the pool. All plain chunks but the last one before another file are [`CHUNK_LEN`] long, however
//! the decompression divides its output.

use super::chunk::{ChunkHeader, ChunkReader, end_chunk, payload_header, sparse_header};
use super::holes;
use crate::decompress::Decompression;
use crate::error::{Error, Result};
use crate::format::crc32;
use crate::options::Decode;
use crate::stream::Pool;
use crate::stream::members::Sink;
use engine::Turn;

/// The length of the payload of plain chunks.
const CHUNK_LEN: usize = 1 << 20;

/// A member that is being decompressed.
pub(super) struct Member {
    decompression: Decompression,
    plain: PlainFile,
    /// Where its first chunk begins in the stream.
    start: u64,
    /// How many coded bytes have come.
    coded_len: u64,
}

/// The plain file that is written.
struct PlainFile {
    /// The name without the suffix.
    path: Vec<u8>,
    /// How many bytes have been written.
    written: u64,
    /// The length of a page, if it is a table of InnoDB.
    page_len: Option<usize>,
    /// The most bytes of all members together, for the error.
    output_max: Option<u64>,
    /// Plain data that waits for the rest of its chunk.
    waiting: Vec<u8>,
}

impl Member {
    /// A member whose first chunk begins at `start` in the stream.
    pub(super) fn new(path: Vec<u8>, start: u64, options: &Decode, pool: &Pool) -> Result<Self> {
        // The output counts the bytes of all members together.
        let (output_max, options) = (options.max_output, Decode { max_output: None, ..options.clone() });
        let decompression = Decompression::new(&options, pool.crew(), true)?;
        let plain = PlainFile { path, written: 0, page_len: None, output_max, waiting: Vec::new() };
        Ok(Self { decompression, plain, start, coded_len: 0 })
    }

    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// Decompresses the payload of this chunk, and compares its checksum.
    pub(super) fn feed(
        &mut self,
        header: &ChunkHeader,
        reader: &mut ChunkReader,
        output: &mut Sink,
    ) -> Result<()> {
        header.follows(self.coded_len)?;
        let (mut left, mut crc) = (header.len, 0);
        while left > 0 {
            match self.decompression.turn(true) {
                Turn::Output(piece) => self.plain.put(&piece, output)?,
                Turn::Proceed => {
                    let Some(mut slab) = self.decompression.take_request() else { continue };
                    let len = usize::try_from(left).unwrap_or(usize::MAX).min(slab.len());
                    reader.fill(&mut slab[..len], header)?;
                    crc = crc32(crc, &slab[..len]);
                    left -= len as u64;
                    if left == 0 {
                        // What is wrong with the chunk counts more than what follows from it.
                        header.verify(crc)?;
                    }
                    self.decompression.supply(Ok((slab, len)));
                }
                Turn::Over => {
                    self.decompression.summary()?;
                    return Err(Error::Internal("a member that ended before its data".into()));
                }
                Turn::Interrupted(source) => return Err(Error::Read { offset: header.start, source }),
            }
        }
        self.coded_len = self.coded_len.saturating_add(header.len);
        if header.len == 0 { header.verify(0) } else { Ok(()) }
    }

    /// Frees what the member does not need before its next chunk. Returns the most memory that it has until then.
    pub(super) fn rest(&self) -> u64 {
        self.decompression.rest()
    }

    /// Takes `others` bytes, which other members have, from the memory of this one.
    pub(super) fn share_with(&self, others: u64) -> Result<()> {
        self.decompression.share_with(others)
    }

    /// Writes all plain data that can be had of the payloads so far.
    pub(super) fn settle(&mut self, output: &mut Sink) -> Result<()> {
        loop {
            match self.decompression.turn(false) {
                Turn::Output(piece) => self.plain.put(&piece, output)?,
                Turn::Proceed => break,
                Turn::Over => {
                    self.decompression.summary()?;
                    break;
                }
                Turn::Interrupted(source) => return Err(Error::Read { offset: self.start, source }),
            }
        }
        self.plain.flush(output)
    }

    /// Ends the member, after its last chunk, and returns the lengths of its coded and its plain file. It is an error
    /// if anything of it is damaged or missing.
    pub(super) fn finish(&mut self, output: &mut Sink) -> Result<(u64, u64)> {
        loop {
            match self.decompression.turn(true) {
                Turn::Output(piece) => self.plain.put(&piece, output)?,
                Turn::Proceed => {
                    if let Some(slab) = self.decompression.take_request() {
                        self.decompression.supply(Ok((slab, 0)));
                    }
                }
                Turn::Over => break,
                Turn::Interrupted(source) => return Err(Error::Read { offset: self.start, source }),
            }
        }
        let summary = self.decompression.summary()?;
        if let Some(other) = summary.entries.get(1) {
            let what = format!("it holds several files, of which the second is '{}'", other.name);
            return Err(Error::unsupported("qpress", 0, what));
        }
        self.plain.flush(output)?;
        output.write(&end_chunk(&self.plain.path))?;
        Ok((self.coded_len, self.plain.written))
    }
}

impl PlainFile {
    /// Takes the next plain data, and writes all whole chunks.
    fn put(&mut self, bytes: &[u8], output: &mut Sink) -> Result<()> {
        let (mut bytes, more) = bytes.split_at(output.admit(bytes.len()));
        if !self.waiting.is_empty() {
            let len = bytes.len().min(CHUNK_LEN - self.waiting.len());
            self.waiting.extend_from_slice(&bytes[..len]);
            bytes = &bytes[len..];
            if self.waiting.len() == CHUNK_LEN {
                self.flush(output)?;
            }
        }
        while let Some((chunk, rest)) = bytes.split_at_checked(CHUNK_LEN) {
            self.write(chunk, output)?;
            bytes = rest;
        }
        self.waiting.extend_from_slice(bytes);
        match self.output_max {
            Some(allowed) if !more.is_empty() => {
                self.flush(output)?;
                Err(Error::OutputLimit { allowed })
            }
            _ => Ok(()),
        }
    }

    /// Writes what waits as a chunk.
    fn flush(&mut self, output: &mut Sink) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let mut waiting = std::mem::take(&mut self.waiting);
        self.write(&waiting, output)?;
        waiting.clear();
        self.waiting = waiting;
        Ok(())
    }

    fn write(&mut self, chunk: &[u8], output: &mut Sink) -> Result<()> {
        if self.written == 0 && self.path.ends_with(b".ibd") {
            self.page_len = holes::page_len(chunk);
        }
        let parts = self.page_len.map(|page_len| holes::written(chunk, self.written, page_len));
        match parts {
            Some(parts) if parts.len() > 1 || parts.iter().any(|part| part.len() < chunk.len()) => {
                output.write(&sparse_header(&self.path, self.written, chunk, &parts))?;
                parts.into_iter().try_for_each(|part| output.write(&chunk[part]))?;
            }
            _ => {
                output.write(&payload_header(&self.path, self.written, chunk))?;
                output.write(chunk)?;
            }
        }
        self.written += chunk.len() as u64;
        Ok(())
    }
}
