//! Chunks as DEFLATE: by the encoder of our own where it wins, else by libdeflate.

use super::super::ffi::deflate::Compressor;
use super::no_memory;
use crate::deflate::{self, End};
use crate::error::{Error, Result};
use crate::inflate::Scanner;

/// The highest level that our encoder writes: what it does, it does faster than libdeflate, and smaller.
const OUR_LEVELS: i32 = 3;

/// LEN and NLEN of an empty stored block, whose header is zeros before them.
const EMPTY_STORED: [u8; 4] = [0, 0, 0xff, 0xff];

/// What libdeflate's output may grow by when it is made to end with an empty stored block.
const JOINT_MAX: usize = 1 + EMPTY_STORED.len();

/// An encoder of one level.
pub(super) enum Coder {
    Ours(Box<deflate::Encoder>),
    Libdeflate(Compressor, Box<Scanner>),
}

impl Coder {
    pub(super) fn new(level: i32) -> Result<Self> {
        Ok(match level {
            ..=OUR_LEVELS => Self::Ours(Box::new(deflate::Encoder::new())),
            _ => Self::Libdeflate(Compressor::new(level).ok_or_else(no_memory)?, Box::default()),
        })
    }

    /// The greatest coded length of `plain_len` bytes at any level.
    pub(super) fn bound(plain_len: usize) -> usize {
        // Stored blocks cost five bytes each, and libdeflate makes none shorter than 5,000.
        let libdeflate = plain_len + (plain_len / 5000 + 1) * 5 + 16 + JOINT_MAX;
        libdeflate.max(deflate::coded_bound(plain_len))
    }

    /// Codes a chunk into the front of `out`; the coded length.
    pub(super) fn encode(&mut self, chunk: &[u8], out: &mut [u8], end: End) -> Result<usize> {
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
