//! One DEFLATE stream made of all chunks, in the container of a format: gzip with one member, zlib, zip.
//!
//! ```text
//! header   chunk, ended by an empty stored block   …   last chunk   trailer
//! ```
//!
//! Workers code each chunk by itself with a [`PartEncoder`], so that no chunk refers to another. An empty stored
//! block brings the next chunk to a whole byte. A [`Joined`] combines the checksums in the order of the stream, and
//! ends the stream. The format's [`Wrapper`] makes the header and the trailer.
//!
//! The stream ends exactly once: in the last chunk if that is shorter than the others, otherwise behind it.

mod checksum;
mod deflate_encoder;
mod zip;

pub(super) use checksum::ChecksumKind;
pub(crate) use checksum::combine_crc32;
pub(super) use deflate_encoder::DeflateEncoder;
use engine::{Joiner, Report};
use pzcomp_deflate::encode::End;

use super::{Cut, Encoder, Info};
use crate::error::Result;
use crate::format::WritingCodec;
use crate::format::zlib::Zlib;
use crate::options::{Encode, Settings};

/// An empty DEFLATE stream: one final block of fixed codes that holds only its end.
pub(super) const EMPTY: [u8; 2] = [3, 0];

/// The header and the trailer of a container.
pub(super) trait Wrapper: Send {
    /// The bytes before the stream. Nothing is known about the stream yet.
    fn header(&self) -> Vec<u8>;
    /// The bytes behind the stream.
    fn trailer(&self, totals: &Totals) -> Vec<u8>;
}

/// Length and checksum of a whole DEFLATE stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Totals {
    /// The checksum of the plain data.
    pub(super) check: u32,
    pub(super) plain_len: u64,
    /// Bytes from the header to the trailer.
    pub(super) coded_len: u64,
}

/// Codes the chunks of a stream.
pub(super) struct PartEncoder {
    encoder: DeflateEncoder,
    /// Only the last chunk is shorter than this, and chunks that are flushed.
    shortest: usize,
    check: ChecksumKind,
    /// The checksum of the chunk that was coded last, and whether the stream ends in it.
    value: u32,
    is_end: bool,
}

impl PartEncoder {
    pub(super) fn new(encoder: DeflateEncoder, check: ChecksumKind, settings: &Settings) -> Self {
        Self { encoder, shortest: Cut::of(settings).shortest, check, value: 0, is_end: false }
    }
}

impl Encoder for PartEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        self.value = self.check.of(chunk);
        if chunk.is_empty() {
            self.is_end = true;
            out[..EMPTY.len()].copy_from_slice(&EMPTY);
            return Ok(EMPTY.len());
        }
        // A shorter chunk is the last one, so the stream ends in it.
        self.is_end = chunk.len() < self.shortest;
        self.encoder.encode(chunk, out, if self.is_end { End::Final } else { End::SyncFlush })
    }

    fn encode_flushed(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        (self.value, self.is_end) = (self.check.of(chunk), false);
        self.encoder.encode(chunk, out, End::SyncFlush)
    }

    /// The checksum, and above it a bit that is set if the stream ends in the chunk.
    fn note(&self) -> u64 {
        u64::from(self.is_end) << u32::BITS | u64::from(self.value)
    }
}

/// Joins the chunks of a stream.
pub(super) struct Joined {
    wrapper: Box<dyn Wrapper>,
    check: ChecksumKind,
    /// The checksum of all chunks so far.
    value: u32,
    total: Report,
    ended: bool,
}

impl Joined {
    /// The header of the container, and the joiner, which makes the end of the stream and the trailer.
    pub(super) fn begin(wrapper: Box<dyn Wrapper>, check: ChecksumKind) -> (Vec<u8>, Box<dyn Joiner>) {
        let header = wrapper.header();
        let joined = Self {
            wrapper,
            check,
            value: check.of(&[]),
            total: Report { frames: 1, ..Report::default() },
            ended: false,
        };
        (header, Box::new(joined))
    }
}

impl Joiner for Joined {
    fn join(&mut self, report: &Report) {
        self.value = self.check.combine(self.value, report.note as u32, report.plain_len);
        self.total.add(&Report { frames: 0, ..*report });
        self.ended = report.note >> u32::BITS == 1;
    }

    fn trailer(&mut self) -> Vec<u8> {
        let end = if self.ended { &[][..] } else { &EMPTY };
        let coded_len = self.total.coded_len + end.len() as u64;
        let totals = Totals { check: self.value, plain_len: self.total.plain_len, coded_len };
        [end, &self.wrapper.trailer(&totals)].concat()
    }

    fn total(&self) -> Report {
        self.total
    }
}

/// The `Info` of a format whose frames are DEFLATE streams in a container.
pub(super) const fn info(
    name: &'static str,
    suffixes: &'static [(&'static str, &'static str)],
    extras: &'static [super::Extra],
) -> Info {
    Info {
        name,
        suffixes,
        levels: 0..=12,
        default_level: 6,
        fast: None,
        chunk_len: 4 << 10..=1 << 30,
        extras,
    }
}

/// The length of DEFLATE chunks.
pub(super) fn chunk_len(options: &Encode) -> usize {
    match options.rsyncable {
        // Short, so that a change of the input changes little of the output. The output is 1.4 % longer than with
        // long chunks, and as long as that of `pigz -R`.
        true => 256 << 10,
        // The window is 32 KiB, so chunks of 1 MiB lose nothing.
        false => 1 << 20,
    }
}

/// Bytes before and behind the stream.
const OVERHEAD: usize = 2 + 4;

impl WritingCodec for Zlib {
    fn chunk_len(&self, _: i32, options: &Encode) -> usize {
        chunk_len(options)
    }

    fn coded_bound(&self, settings: &Settings) -> usize {
        DeflateEncoder::bound(settings.chunk_len) + OVERHEAD
    }

    fn encoder_memory(&self, settings: &Settings) -> u64 {
        DeflateEncoder::memory(settings.level)
    }

    fn encoder(&self, settings: &Settings) -> Result<Box<dyn Encoder>> {
        Ok(Box::new(PartEncoder::new(DeflateEncoder::new(settings), ChecksumKind::Adler32, settings)))
    }

    fn usual_speed(&self, level: i32) -> u32 {
        DeflateEncoder::usual_speed(level)
    }

    fn framing(&self, settings: &Settings) -> (Vec<u8>, Box<dyn Joiner>) {
        Joined::begin(Box::new(StreamWrapper { level: settings.level }), ChecksumKind::Adler32)
    }
}

struct StreamWrapper {
    level: i32,
}

impl Wrapper for StreamWrapper {
    fn header(&self) -> Vec<u8> {
        // DEFLATE with a window of 32 KiB. FLEVEL is as in zlib, from the fastest to the slowest.
        let method = 0x78_u8;
        let level = match self.level {
            ..=1 => 0,
            2..=5 => 1,
            6 => 2,
            _ => 3,
        };
        let flags = level << 6;
        // FCHECK makes the two bytes a multiple of 31.
        let check = 31 - (u16::from(method) * 256 + flags) % 31;
        vec![method, (flags + check) as u8]
    }

    fn trailer(&self, totals: &Totals) -> Vec<u8> {
        totals.check.to_be_bytes().to_vec()
    }
}
