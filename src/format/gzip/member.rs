//! One member around all chunks, as `gzip` writes: for readers that stop after the first member.
//!
//! ```text
//! header   chunk, ended by an empty stored block   …   last chunk   CRC32 ISIZE
//! ```
//!
//! Each chunk is coded as a stream of its own, so that none refers to another; what says that it ends
//! there is taken back, and an empty stored block brings the next chunk to a whole byte.

use crc32fast::Hasher;

use super::super::ffi::deflate::{Compressor, crc32};
use super::header::member_header;
use crate::error::{Error, Result};
use crate::format::Encoder;
use crate::inflate::Scanner;
use crate::options::{Member, Settings};
use crate::pipeline::{Joiner, Report};

/// LEN and NLEN of an empty stored block, whose header is zeros before them.
const EMPTY_STORED: [u8; 4] = [0, 0, 0xff, 0xff];

/// A final block of fixed codes that holds but its end.
const EMPTY_FINAL: [u8; 2] = [3, 0];

/// What a chunk can be longer by than a stream of its own.
pub(super) const JOINT_MAX: usize = 1 + EMPTY_STORED.len();

/// Codes chunks of a member.
pub(super) struct PartEncoder {
    compressor: Compressor,
    scanner: Scanner,
    chunk_len: usize,
    crc: u32,
}

impl PartEncoder {
    pub(super) fn new(compressor: Compressor, settings: &Settings) -> Self {
        Self { compressor, scanner: Scanner::new(), chunk_len: settings.chunk_len, crc: 0 }
    }
}

impl Encoder for PartEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        self.crc = crc32(0, chunk);
        if chunk.is_empty() {
            out[..EMPTY_FINAL.len()].copy_from_slice(&EMPTY_FINAL);
            return Ok(EMPTY_FINAL.len());
        }
        let room = out.len() - JOINT_MAX;
        let outgrown = || Error::Internal("a chunk outgrew its bound".into());
        let len = self.compressor.compress(chunk, &mut out[..room]).ok_or_else(outgrown)?;
        if chunk.len() < self.chunk_len {
            // Only the last chunk is short: its end is the end of all.
            return Ok(len);
        }
        let last = self.scanner.last_block(&out[..len]);
        let last = last.ok_or_else(|| Error::Internal("libdeflate wrote what is not valid".into()))?;
        out[last.header / 8] &= !(1 << (last.header % 8));
        // The header of the empty block is three zeros, which may be there already: the last byte is
        // filled up with them.
        let mut end = last.end.div_ceil(8);
        if 8 * end - last.end < 3 {
            out[end] = 0;
            end += 1;
        }
        out[end..end + EMPTY_STORED.len()].copy_from_slice(&EMPTY_STORED);
        Ok(end + EMPTY_STORED.len())
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
    chunk_len: u64,
    ended: bool,
}

impl Whole {
    /// The member's header, and what makes its end.
    pub(super) fn begin(member: &Member, extra_flags: u8, settings: &Settings) -> (Vec<u8>, Box<dyn Joiner>) {
        let whole = Self {
            crc: Hasher::new(),
            total: Report { frames: 1, ..Report::default() },
            chunk_len: settings.chunk_len as u64,
            ended: false,
        };
        (member_header(member, extra_flags), Box::new(whole))
    }
}

impl Joiner for Whole {
    fn join(&mut self, report: &Report) {
        self.crc.combine(&Hasher::new_with_initial_len(report.note as u32, report.plain_len));
        self.total.add(&Report { frames: 0, ..*report });
        self.ended = report.plain_len < self.chunk_len;
    }

    fn trailer(&mut self) -> Vec<u8> {
        let end = if self.ended { &[][..] } else { &EMPTY_FINAL };
        let (crc, len) =
            (self.crc.clone().finalize().to_le_bytes(), (self.total.plain_len as u32).to_le_bytes());
        [end, &crc, &len].concat()
    }

    fn total(&self) -> Report {
        self.total
    }
}
