//! Chunks as DEFLATE: by the encoder of our own where it wins, else by libdeflate.

use std::ops::RangeInclusive;

use pzcomp_deflate::encode::{self, End, Search};
use pzcomp_deflate::inflate::Scanner;

use super::super::ffi::deflate::Compressor;
use crate::error::{Error, Result};
use crate::options::{Settings, Strategy};

/// The levels that our encoder writes: what it does, it does faster than libdeflate, and smaller. Level 0
/// is libdeflate's too, which stores.
const OUR_LEVELS: RangeInclusive<i32> = 1..=3;

/// LEN and NLEN of an empty stored block, whose header is zeros before them.
const EMPTY_STORED: [u8; 4] = [0, 0, 0xff, 0xff];

/// What libdeflate's output may grow by when it is made to end with an empty stored block.
const JOINT_MAX: usize = 1 + EMPTY_STORED.len();

/// An encoder of one level.
pub(in crate::format) enum DeflateEncoder {
    Ours(Box<encode::Encoder>),
    Libdeflate(Compressor, Box<Scanner>),
}

impl DeflateEncoder {
    /// Memory that a coder of this level holds.
    pub(in crate::format) fn memory(level: i32) -> u64 {
        // libdeflate 1.26: compressors that are greedy or lazy, and those that come near the optimum.
        // Our own takes less than the former.
        if level < 10 { 1 << 20 } else { 9 << 20 }
    }

    pub(in crate::format) fn new(settings: &Settings) -> Result<Self> {
        let search = match settings.strategy {
            Strategy::Usual if !OUR_LEVELS.contains(&settings.level) => {
                let compressor = Compressor::new(settings.level).ok_or_else(no_memory)?;
                return Ok(Self::Libdeflate(compressor, Box::default()));
            }
            Strategy::Usual => Search::Matches,
            Strategy::Runs => Search::Runs,
            Strategy::Huffman => Search::Nothing,
        };
        Ok(Self::Ours(Box::new(encode::Encoder::new(search))))
    }

    /// The greatest coded length of `plain_len` bytes at any level.
    pub(in crate::format) fn bound(plain_len: usize) -> usize {
        // Stored blocks cost five bytes each, and libdeflate makes none shorter than 5,000.
        let libdeflate = plain_len + (plain_len / 5000 + 1) * 5 + 16 + JOINT_MAX;
        libdeflate.max(encode::coded_bound(plain_len))
    }

    /// Codes a chunk into the front of `out`; the coded length.
    pub(in crate::format) fn encode(&mut self, chunk: &[u8], out: &mut [u8], end: End) -> Result<usize> {
        let outgrown = || Error::Internal("a chunk outgrew its bound".into());
        match self {
            Self::Ours(encoder) => encoder.encode(chunk, out, end).ok_or_else(outgrown),
            Self::Libdeflate(compressor, scanner) => {
                let room = out.len().saturating_sub(JOINT_MAX);
                let len = compressor.compress(chunk, &mut out[..room]).ok_or_else(outgrown)?;
                match end {
                    End::Final => Ok(len),
                    End::SyncFlush => reopen(scanner, out, len),
                }
            }
        }
    }
}

fn no_memory() -> Error {
    Error::Internal("no memory for libdeflate".into())
}

/// Takes back that the stream of `len` bytes ends, and brings it to a whole byte. Its new length.
fn reopen(scanner: &mut Scanner, out: &mut [u8], len: usize) -> Result<usize> {
    let last = scanner.last_block(&out[..len]);
    let last = last.ok_or_else(|| Error::Internal("libdeflate wrote what is not valid".into()))?;
    out[last.header / 8] &= !(1 << (last.header % 8));
    // The header of the empty block is three zeros, which may be there already: the last byte is filled
    // up with them.
    let mut end = last.end.div_ceil(8);
    if 8 * end - last.end < 3 {
        out[end] = 0;
        end += 1;
    }
    out[end..end + EMPTY_STORED.len()].copy_from_slice(&EMPTY_STORED);
    Ok(end + EMPTY_STORED.len())
}
