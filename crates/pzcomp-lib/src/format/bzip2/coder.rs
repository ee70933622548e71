//! The encoder of each worker: it codes a chunk as a stream, or as blocks of one stream for all chunks.
//!
//! A chunk of plain bytes comes in. Whole bytes of bzip2 go out, and a note with the number of blocks and their CRC,
//! which the joiner of one stream combines. The pipeline calls the encoder once for each chunk. A chunk may need more
//! than one block.

use engine::{Joiner, Report};
use pzcomp_bzip2::encode::{BitWriter, BlockEncoder, block_len};
use pzcomp_bzip2::{END_MAGIC, GROUP_LEN, MAGIC_BITS, join_crcs};

use super::MAGIC_LEN;
use crate::error::{Error, Result};
use crate::format::Encoder;

/// The most selectors that a block of a single stream lists and does not use.
const UNUSED_MAX: usize = 8;

/// The most bytes in a block, counted after the runs are shortened.
///
/// A block that is filled up to a whole byte lists more selectors than it has groups. No decoder accepts more
/// selectors than a full block needs. So such a block leaves room for the additional selectors.
pub(super) fn room(level: i32, is_single: bool) -> usize {
    block_len(level as u8) - if is_single { UNUSED_MAX * GROUP_LEN } else { 0 }
}

/// The greatest coded length of a chunk.
pub(super) fn coded_bound(chunk_len: usize, level: i32) -> usize {
    // Four equal bytes take five bytes in a block.
    let blocks = chunk_len / 4 * 5 / room(level, true) + 2;
    // Incompressible bytes become 1 % longer, and the tables of a block take 600 bytes, according to the manual of
    // bzip2.
    chunk_len + chunk_len / 100 + 600 * blocks
}

pub(super) struct ChunkEncoder {
    blocks: BlockEncoder,
    level: i32,
    is_single: bool,
    /// The blocks of the last chunk.
    crcs: BlockCrcs,
}

impl ChunkEncoder {
    pub(super) fn new(level: i32, is_single: bool) -> Result<Self> {
        Ok(Self {
            blocks: BlockEncoder::new(level as u8).map_err(no_memory)?,
            level,
            is_single,
            crcs: BlockCrcs::default(),
        })
    }
}

impl Encoder for ChunkEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        self.crcs = BlockCrcs::default();
        let mut writer = BitWriter::new(out);
        if !self.is_single {
            header(self.level).iter().for_each(|&byte| writer.put(8, u64::from(byte)));
        }
        let mut rest = chunk;
        while !rest.is_empty() {
            let room = room(self.level, self.is_single);
            let written = self.blocks.write(rest, room, self.is_single, &mut writer).map_err(no_memory)?;
            self.crcs.add(BlockCrcs { blocks: 1, crc: written.crc });
            rest = &rest[written.plain_len..];
        }
        if !self.is_single {
            writer.put(MAGIC_BITS, END_MAGIC);
            writer.put(32, u64::from(self.crcs.crc));
        }
        writer.finish().ok_or_else(|| Error::Internal("a bzip2 chunk became longer than its bound".into()))
    }

    fn note(&self) -> u64 {
        u64::from(self.crcs.blocks) << 32 | u64::from(self.crcs.crc)
    }
}

fn no_memory(_: pzcomp_bzip2::Error) -> Error {
    Error::NoMemory { what: "a bzip2 encoder" }
}

/// The header of a stream.
pub(super) fn header(level: i32) -> [u8; 4] {
    [b'B', b'Z', b'h', b'0' + level as u8]
}

/// The number of blocks in a row, and the CRC of a stream that holds them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BlockCrcs {
    pub(super) blocks: u32,
    pub(super) crc: u32,
}

impl BlockCrcs {
    /// Adds the blocks that follow.
    pub(super) fn add(&mut self, next: Self) {
        self.crc = join_crcs(self.crc, next.crc, next.blocks.into());
        self.blocks = self.blocks.wrapping_add(next.blocks);
    }
}

/// The joiner of the stream.
#[derive(Default)]
struct SingleStream {
    crcs: BlockCrcs,
    total: Report,
}

/// Returns the header of the stream, and the joiner that makes its end.
pub(super) fn begin(level: i32) -> (Vec<u8>, Box<dyn Joiner>) {
    let stream = SingleStream { total: Report { frames: 1, ..Report::default() }, ..SingleStream::default() };
    (header(level).to_vec(), Box::new(stream))
}

impl Joiner for SingleStream {
    fn join(&mut self, report: &Report) {
        self.crcs.add(BlockCrcs { blocks: (report.note >> 32) as u32, crc: report.note as u32 });
        self.total.add(&Report { frames: 0, ..*report });
    }

    fn trailer(&mut self) -> Vec<u8> {
        [&END_MAGIC.to_be_bytes()[8 - MAGIC_LEN..], &self.crcs.crc.to_be_bytes()].concat()
    }

    fn total(&self) -> Report {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use pzcomp_bzip2::BLOCK_MAGIC;

    use super::*;

    #[test]
    fn blocks_of_a_single_stream_are_whole_bytes() {
        let mut encoder = ChunkEncoder::new(1, true).unwrap();
        // Four equal bytes become five, so these bytes fill more than one block.
        let runs: Vec<u8> = (0..400_000_u32).map(|at| (at / 4) as u8).collect();
        let mut out = vec![0; coded_bound(runs.len(), 1)];
        let len = encoder.encode(&runs, &mut out).unwrap();
        assert_eq!(encoder.note() >> 32, 6);
        let magic = &BLOCK_MAGIC.to_be_bytes()[2..];
        let begins = |at: &usize| out[*at..len].starts_with(magic);
        assert_eq!((0..len).filter(begins).count(), 6);
    }
}
