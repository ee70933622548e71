//! One member around all chunks, as `gzip` writes: for readers that stop after the first member.
//!
//! ```text
//! header   chunk, ended by an empty stored block   …   last chunk   CRC32 ISIZE
//! ```
//!
//! Each chunk is coded by itself, so that none refers to another, and an empty stored block brings the
//! next one to a whole byte.

use crc32fast::Hasher;

use super::super::ffi::deflate::crc32;
use super::coder::Coder;
use super::header::member_header;
use super::index::EMPTY;
use crate::deflate::End;
use crate::error::Result;
use crate::format::Encoder;
use crate::options::{Member, Settings};
use crate::pipeline::{Joiner, Report};

/// Codes chunks of a member.
pub(super) struct PartEncoder {
    coder: Coder,
    /// Only the last chunk is shorter.
    shortest: usize,
    crc: u32,
}

impl PartEncoder {
    pub(super) fn new(coder: Coder, settings: &Settings) -> Self {
        Self { coder, shortest: settings.cut.shortest, crc: 0 }
    }
}

impl Encoder for PartEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        self.crc = crc32(0, chunk);
        if chunk.is_empty() {
            out[..EMPTY.len()].copy_from_slice(&EMPTY);
            return Ok(EMPTY.len());
        }
        // What is shorter than chunks are is the last: its end is the end of all.
        let end = if chunk.len() < self.shortest { End::Final } else { End::SyncFlush };
        self.coder.encode(chunk, out, end)
    }

    /// The CRC-32 of the chunk.
    fn note(&self) -> u64 {
        self.crc.into()
    }
}

/// Puts a member together.
pub(super) struct Whole {
    crc: Hasher,
    total: Report,
    shortest: u64,
    ended: bool,
}

impl Whole {
    /// The member's header, and what makes its end.
    pub(super) fn begin(member: &Member, extra_flags: u8, settings: &Settings) -> (Vec<u8>, Box<dyn Joiner>) {
        let whole = Self {
            crc: Hasher::new(),
            total: Report { frames: 1, ..Report::default() },
            shortest: settings.cut.shortest as u64,
            ended: false,
        };
        (member_header(member, extra_flags), Box::new(whole))
    }
}

impl Joiner for Whole {
    fn join(&mut self, report: &Report) {
        self.crc.combine(&Hasher::new_with_initial_len(report.note as u32, report.plain_len));
        self.total.add(&Report { frames: 0, ..*report });
        self.ended = report.plain_len < self.shortest;
    }

    fn trailer(&mut self) -> Vec<u8> {
        let end = if self.ended { &[][..] } else { &EMPTY };
        let (crc, len) =
            (self.crc.clone().finalize().to_le_bytes(), (self.total.plain_len as u32).to_le_bytes());
        [end, &crc, &len].concat()
    }

    fn total(&self) -> Report {
        self.total
    }
}
