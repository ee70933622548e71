//! Writing BGZF, section 4.1 of the SAM/BAM specification: short members that state their length.
//!
//! ```text
//! 1f 8b 08 04  MTIME(4) = 0  XFL = 0  OS = 255  XLEN(2) = 6  "BC" LEN(2) = 2 BSIZE(2)
//! DEFLATE stream   CRC32(4)  ISIZE(4)                        BSIZE: length of the member less one
//! ```
//!
//! Such a member is called a block. With an index of the blocks, a file can be read from any place. A
//! [`BlocksEncoder`] codes the blocks of a chunk. The joiner [`Bgzf`] counts the blocks, makes the index, and ends
//! the file with an empty block. A block is never longer than its size field can state.

use pzcomp_deflate::encode::End;

use super::super::header::{BGZF_SIZE, FEXTRA, FIXED_LEN, TRAILER_LEN};
use crate::error::{Error, Result};
use crate::format::Encoder;
use crate::format::ffi::deflate::crc32;
use crate::format::gzip::gzi::GziBuilder;
use crate::format::joined::{DeflateEncoder, EMPTY};
use engine::{Joiner, Report};

/// Plain bytes in a block. `bgzip` takes as many. No data makes such a block longer than its size field can state.
const BLOCK_LEN: usize = 0xff00;

/// Blocks that are coded together. The note of a report has room for the sizes of this many.
const BLOCKS: usize = 4;
pub(super) const CHUNK_LEN: usize = BLOCKS * BLOCK_LEN;

const HEADER_LEN: usize = FIXED_LEN + 2 + 6;

/// The greatest length of the blocks of a chunk.
pub(super) fn coded_bound(chunk_len: usize) -> usize {
    chunk_len.div_ceil(BLOCK_LEN) * (HEADER_LEN + DeflateEncoder::bound(BLOCK_LEN) + TRAILER_LEN)
}

fn header(bsize: u16) -> [u8; HEADER_LEN] {
    let [s0, s1] = bsize.to_le_bytes();
    let [si1, si2] = BGZF_SIZE;
    [0x1f, 0x8b, 8, FEXTRA, 0, 0, 0, 0, 0, 255, 6, 0, si1, si2, 2, 0, s0, s1]
}

/// The block at the end of a file.
fn end_marker() -> Vec<u8> {
    let len = HEADER_LEN + EMPTY.len() + TRAILER_LEN;
    [&header(len as u16 - 1)[..], &EMPTY, &[0; TRAILER_LEN]].concat()
}

/// Codes a few blocks at a time.
pub(super) struct BlocksEncoder {
    encoder: DeflateEncoder,
    /// The BSIZE of each block of the last chunk.
    bsizes: [u16; BLOCKS],
}

impl BlocksEncoder {
    pub(super) fn new(encoder: DeflateEncoder) -> Self {
        Self { encoder, bsizes: [0; BLOCKS] }
    }

    /// Codes one block. Returns its BSIZE.
    fn block(&mut self, plain: &[u8], out: &mut [u8]) -> Result<u16> {
        let room = HEADER_LEN + DeflateEncoder::bound(BLOCK_LEN);
        let end = HEADER_LEN + self.encoder.encode(plain, &mut out[HEADER_LEN..room], End::Final)?;
        let bsize = u16::try_from(end + TRAILER_LEN - 1)
            .map_err(|_| Error::Internal("a BGZF block is longer than it can say".into()))?;
        out[..HEADER_LEN].copy_from_slice(&header(bsize));
        out[end..end + 4].copy_from_slice(&crc32(0, plain).to_le_bytes());
        out[end + 4..end + TRAILER_LEN].copy_from_slice(&(plain.len() as u32).to_le_bytes());
        Ok(bsize)
    }
}

impl Encoder for BlocksEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        let mut at = 0;
        for (block, plain) in chunk.chunks(BLOCK_LEN).enumerate() {
            self.bsizes[block] = self.block(plain, &mut out[at..])?;
            at += usize::from(self.bsizes[block]) + 1;
        }
        Ok(at)
    }

    /// The BSIZE of each block, 16 bits each, the first in the lowest bits.
    fn note(&self) -> u64 {
        self.bsizes.iter().rev().fold(0, |note, &bsize| note << 16 | u64::from(bsize))
    }
}

/// Counts blocks, and notes them if an index is wanted.
pub(super) struct Bgzf {
    gzi: Option<GziBuilder>,
    total: Report,
}

impl Bgzf {
    pub(super) fn new(index: bool) -> Box<Self> {
        // The end marker is a member too.
        let total = Report { frames: 1, ..Report::default() };
        Box::new(Self { gzi: index.then(GziBuilder::default), total })
    }
}

impl Joiner for Bgzf {
    fn join(&mut self, report: &Report) {
        let (mut left, mut note) = (report.plain_len, report.note);
        let frames = left.div_ceil(BLOCK_LEN as u64);
        while left > 0 {
            let plain_len = left.min(BLOCK_LEN as u64);
            if let Some(gzi) = &mut self.gzi {
                gzi.push(note as u16, plain_len as u32);
            }
            (left, note) = (left - plain_len, note >> 16);
        }
        self.total.add(&Report { frames, ..*report });
    }

    fn trailer(&mut self) -> Vec<u8> {
        end_marker()
    }

    fn total(&self) -> Report {
        self.total
    }

    fn sidecar(&self) -> Option<Vec<u8>> {
        self.gzi.as_ref().map(GziBuilder::encode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_data_makes_a_block_longer_than_its_size_can_say() {
        assert!(HEADER_LEN + DeflateEncoder::bound(BLOCK_LEN) + TRAILER_LEN <= 1 << 16);
    }

    #[test]
    fn the_end_marker_is_that_of_the_specification() {
        let expected = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0\x42\x43\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0";
        assert_eq!(end_marker(), expected);
    }
}
