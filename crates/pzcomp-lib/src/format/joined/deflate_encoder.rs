//! Codes a chunk as DEFLATE, by our own encoder or by libdeflate.
//!
//! The encoders of gzip, BGZF, zlib and zip call [`DeflateEncoder::encode`]. The output either ends the stream, or
//! ends with an empty stored block at a whole byte, so that the next chunk can follow. The chunk refers to nothing
//! before it.
//!
//! Which encoder is used depends on the level, the strategy and the length of the chunk only.

use pzcomp_deflate::encode::{self, End, Search};
use pzcomp_deflate::inflate::Scanner;

use super::super::ffi::deflate::Compressor;
use crate::error::{Error, Result};
use crate::options::{Settings, Strategy};

/// The search of the levels that our encoder writes. libdeflate writes the others, and level 0, which only stores.
fn search(level: i32) -> Option<Search> {
    match level {
        1 => Some(Search::Quick),
        2 => Some(Search::Matches),
        3 => Some(Search::Thorough),
        _ => None,
    }
}

/// Up to so many bytes our encoder is faster than libdeflate at the levels from 4 to 9, and writes as little: the
/// tables of libdeflate have 192 KiB, which are filled for each chunk.
const SHORT: usize = 4 << 10;
/// From this level on, libdeflate writes less than our encoder.
const NEAR_OPTIMAL: i32 = 10;

/// LEN and NLEN of an empty stored block. The header before them is zeros.
const EMPTY_STORED: [u8; 4] = [0, 0, 0xff, 0xff];

/// By how much the output of libdeflate may grow when it is changed to end with an empty stored block.
const JOINT_MAX: usize = 1 + EMPTY_STORED.len();

/// An encoder of one level.
pub(in crate::format) enum DeflateEncoder {
    Ours(Box<encode::Encoder>),
    /// libdeflate of this level, and our encoder for short chunks. Each is made when it is needed.
    Libdeflate(i32, Option<(Compressor, Box<Scanner>)>, Option<Box<encode::Encoder>>),
}

impl DeflateEncoder {
    /// Bytes per second with which one core usually codes at this level.
    pub(in crate::format) fn usual_speed(level: i32) -> u32 {
        /// MB/s of the levels from 0 on.
        const SPEEDS: [u32; 13] = [3000, 480, 300, 230, 190, 160, 120, 85, 50, 35, 12, 7, 5];
        SPEEDS[usize::try_from(level).unwrap_or(0).min(SPEEDS.len() - 1)] * 1_000_000
    }

    pub(in crate::format) fn memory(level: i32) -> u64 {
        // libdeflate 1.26: greedy and lazy compressors take the first figure, and near-optimal ones the second. Our
        // own encoder takes less than the first.
        if level < 10 { 1 << 20 } else { 9 << 20 }
    }

    pub(in crate::format) fn new(settings: &Settings) -> Self {
        let search = match settings.strategy {
            Strategy::Usual => search(settings.level),
            Strategy::Runs => Some(Search::Runs),
            Strategy::Huffman => Some(Search::Nothing),
        };
        match search {
            Some(search) => Self::Ours(Box::new(encode::Encoder::new(search))),
            None => Self::Libdeflate(settings.level, None, None),
        }
    }

    /// The greatest coded length of `plain_len` bytes at any level.
    pub(in crate::format) fn bound(plain_len: usize) -> usize {
        // A stored block costs five bytes, and libdeflate makes none shorter than 5,000 bytes.
        let libdeflate = plain_len + (plain_len / 5000 + 1) * 5 + 16 + JOINT_MAX;
        libdeflate.max(encode::coded_bound(plain_len))
    }

    /// Codes a chunk into the front of `out`. Returns the coded length.
    pub(in crate::format) fn encode(&mut self, chunk: &[u8], out: &mut [u8], end: End) -> Result<usize> {
        let outgrown = || Error::Internal("a chunk outgrew its bound".into());
        match self {
            Self::Ours(encoder) => encoder.encode(chunk, out, end).ok_or_else(outgrown),
            Self::Libdeflate(level, _, encoder)
                if chunk.len() <= SHORT && (1..NEAR_OPTIMAL).contains(level) =>
            {
                let encoder = encoder.get_or_insert_with(|| Box::new(encode::Encoder::new(Search::Lazy)));
                encoder.encode(chunk, out, end).ok_or_else(outgrown)
            }
            Self::Libdeflate(level, compressor, _) => {
                let (compressor, scanner) = match compressor {
                    Some(made) => made,
                    None => {
                        compressor.insert((Compressor::new(*level).ok_or_else(no_memory)?, Box::default()))
                    }
                };
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
    Error::NoMemory { what: "a DEFLATE encoder" }
}

/// Changes the stream of `len` bytes so that it does not end, and continues it to a whole byte. Returns its new
/// length.
fn reopen(scanner: &mut Scanner, out: &mut [u8], len: usize) -> Result<usize> {
    let last = scanner.last_block(&out[..len]);
    let last = last.ok_or_else(|| Error::Internal("libdeflate wrote what is not valid".into()))?;
    out[last.header / 8] &= !(1 << (last.header % 8));
    // The header of the empty block is three zero bits. They may fit into the last byte, whose unused bits are zeros.
    let mut end = last.end.div_ceil(8);
    if 8 * end - last.end < 3 {
        out[end] = 0;
        end += 1;
    }
    out[end..end + EMPTY_STORED.len()].copy_from_slice(&EMPTY_STORED);
    Ok(end + EMPTY_STORED.len())
}
