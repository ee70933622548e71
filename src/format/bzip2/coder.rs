//! Encoding for the pipeline: each chunk a stream, or blocks of the stream around all.

use pzcomp_bzip2::encode::{BitWriter, BlockEncoder, block_len};
use pzcomp_bzip2::{END_MAGIC, GROUP_LEN, MAGIC_BITS};

use super::single::Sum;
use crate::error::{Error, Result};
use crate::format::Encoder;

/// Selectors that a block in a stream around all may list and not use.
const UNUSED_MAX: usize = 8;

/// What a block of such a chunk holds at most, in bytes whose runs are shortened.
///
/// One that is filled up to a whole byte lists more selectors than it has groups, and no decoder takes more
/// than a full block needs: that one leaves room for them.
pub(super) fn room(level: i32, is_single: bool) -> usize {
    block_len(level as u8) - if is_single { UNUSED_MAX * GROUP_LEN } else { 0 }
}

/// The greatest coded length of a chunk.
pub(super) fn coded_bound(chunk_len: usize, level: i32) -> usize {
    // What is four times the same takes five bytes in a block.
    let blocks = chunk_len / 4 * 5 / room(level, true) + 2;
    // Bytes that cannot be coded shorter take one per cent more, and the tables of a block 600 bytes, as
    // bzip2's manual has it.
    chunk_len + chunk_len / 100 + 600 * blocks
}

/// Codes chunks.
pub(super) struct ChunkEncoder {
    blocks: BlockEncoder,
    level: i32,
    is_single: bool,
    sum: Sum,
}

impl ChunkEncoder {
    pub(super) fn new(level: i32, is_single: bool) -> Result<Self> {
        Ok(Self {
            blocks: BlockEncoder::new(level as u8).map_err(no_memory)?,
            level,
            is_single,
            sum: Sum::default(),
        })
    }
}

impl Encoder for ChunkEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        self.sum = Sum::default();
        let mut writer = BitWriter::new(out);
        if !self.is_single {
            header(self.level).iter().for_each(|&byte| writer.put(8, u64::from(byte)));
        }
        let mut rest = chunk;
        while !rest.is_empty() {
            let room = room(self.level, self.is_single);
            let written = self.blocks.write(rest, room, self.is_single, &mut writer).map_err(no_memory)?;
            self.sum.add(Sum { blocks: 1, crc: written.crc });
            rest = &rest[written.plain_len..];
        }
        if !self.is_single {
            writer.put(MAGIC_BITS, END_MAGIC);
            writer.put(32, u64::from(self.sum.crc));
        }
        writer.finish().ok_or_else(|| Error::Internal("a bzip2 block is longer than any can be".into()))
    }

    fn note(&self) -> u64 {
        u64::from(self.sum.blocks) << 32 | u64::from(self.sum.crc)
    }
}

fn no_memory(_: pzcomp_bzip2::Error) -> Error {
    Error::Internal("no memory for a bzip2 encoder".into())
}

/// What a stream begins with.
pub(super) fn header(level: i32) -> [u8; 4] {
    [b'B', b'Z', b'h', b'0' + level as u8]
}

#[cfg(test)]
mod tests {
    use pzcomp_bzip2::BLOCK_MAGIC;

    use super::*;

    #[test]
    fn blocks_of_a_stream_around_all_are_whole_bytes() {
        let mut encoder = ChunkEncoder::new(1, true).unwrap();
        // Runs of four become five, so that this is more than a block holds.
        let runs: Vec<u8> = (0..400_000_u32).map(|at| (at / 4) as u8).collect();
        let mut out = vec![0; coded_bound(runs.len(), 1)];
        let len = encoder.encode(&runs, &mut out).unwrap();
        assert_eq!(encoder.note() >> 32, 6);
        let magic = &BLOCK_MAGIC.to_be_bytes()[2..];
        let begins = |at: &usize| out[*at..len].starts_with(magic);
        assert_eq!((0..len).filter(begins).count(), 6);
    }
}
