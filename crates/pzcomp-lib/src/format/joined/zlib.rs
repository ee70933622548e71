//! Writing zlib: RFC 1950.
//!
//! ```text
//! CMF FLG   DEFLATE stream   ADLER32(4), the highest byte first
//! ```
//!
//! The chunks are coded as in every joined stream (`mod.rs`). This file makes the two bytes before them and the four
//! bytes behind them. `format/zlib.rs` reads the format.

use super::{ChecksumKind, DeflateEncoder, Joined, PartEncoder, Totals, Wrapper, chunk_len};
use crate::error::Result;
use crate::format::zlib::Zlib;
use crate::format::{Encoder, WritingCodec};
use crate::options::{Encode, Settings};
use engine::Joiner;

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
        Ok(Box::new(PartEncoder::new(DeflateEncoder::new(settings)?, ChecksumKind::Adler32, settings)))
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
