//! The coders of compression: each worker calls one of them for chunk after chunk.
//!
//! [`Prepared`](super::Prepared) makes them from the encoders of a format. A coder takes a chunk from the line, calls
//! its encoder, and emits the output. If the output is to be verified, it notes the checksum of the chunk before that.
//! If the splitter has looked at parts of the chunk, the chunk must be the one that it saw.

use std::sync::Arc;
use std::time::Duration;

use super::looks::Looks;
use super::{PlainSums, note};
use crate::format::{Encoder, SerialEncoder, Then};
use engine::{Coder, Emitter, Report, Source, Tag};

/// What is known of the chunks of a stream besides their bytes.
#[derive(Clone, Default)]
pub(crate) struct Knowledge {
    /// Where the checksum of each chunk is noted.
    pub(super) sums: Option<Arc<PlainSums>>,
    /// What the splitter has seen of chunks.
    pub(super) looks: Option<Arc<Looks>>,
}

impl Knowledge {
    /// Gathers the next chunk, compares it, and notes its checksum. Returns its length, and whether a flush is wanted
    /// behind it. The chunk is at hand completely, so the span ends behind it.
    fn next_chunk(&self, source: &mut Source, most: usize) -> engine::Result<(usize, bool)> {
        let at = source.offset();
        let len = source.gather(most)?.len();
        let is_flushed = source.span_end()? == FLUSH;
        let chunk = &source.bytes()[..len];
        self.looks.as_ref().map_or(Ok(()), |looks| looks.compare(at, chunk))?;
        note(self.sums.as_ref(), at, chunk);
        Ok((len, is_flushed))
    }
}

/// Codes each chunk as a frame.
pub(crate) struct ChunkCoder {
    pub(crate) encoder: Box<dyn Encoder>,
    pub(crate) chunk_len: usize,
    /// The greatest length of a frame.
    pub(crate) bound: usize,
    pub(crate) known: Knowledge,
}

impl Coder for ChunkCoder {
    fn code(&mut self, source: &mut Source, out: &mut Emitter) -> engine::Result<Report> {
        let (plain_len, is_flushed) = self.known.next_chunk(source, self.chunk_len)?;
        let (chunk, room) = (&source.bytes()[..plain_len], out.room(self.bound)?);
        let coded_len = match is_flushed {
            true => self.encoder.encode_flushed(chunk, room)?,
            false => self.encoder.encode(chunk, room)?,
        };
        source.consume(plain_len);
        out.commit(coded_len)?;
        let (plain_len, coded_len, note) = (plain_len as u64, coded_len as u64, self.encoder.note());
        Ok(Report { plain_len, coded_len, frames: 1, note, ..Report::default() })
    }

    fn helpers_cpu(&self) -> Duration {
        self.encoder.helpers_cpu()
    }
}

/// The tag behind a chunk that ends where the caller wants a flush.
pub(super) const FLUSH: Tag = Tag { kind: 1, context: 0 };

/// Codes all chunks as one frame. The last chunk is the one that is shorter than the others and is not flushed.
pub(super) struct SerialCoder {
    pub(super) encoder: Box<dyn SerialEncoder>,
    pub(super) chunk_len: usize,
    pub(super) known: Knowledge,
}

impl Coder for SerialCoder {
    fn code(&mut self, source: &mut Source, out: &mut Emitter) -> engine::Result<Report> {
        let (plain_len, is_flushed) = self.known.next_chunk(source, self.chunk_len)?;
        let chunk = &source.bytes()[..plain_len];
        let then = match plain_len < self.chunk_len {
            _ if is_flushed => Then::Flush,
            true => Then::End,
            false => Then::More,
        };
        self.encoder.encode(chunk, then, out)?;
        source.consume(plain_len);
        Ok(Report { plain_len: plain_len as u64, coded_len: out.total(), ..Report::default() })
    }
}
