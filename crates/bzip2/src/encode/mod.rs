//! The block encoder: from plain bytes to the bits of a block, with its magic number.
//!
//! ```text
//! runs shortened (runs) ─▶ rotations sorted (sort) ─▶ symbols (mtf) ─▶ codes chosen and written (codes, bits)
//! ```
//!
//! A caller gives [`BlockEncoder::write`] plain bytes and a [`BitWriter`]. The encoder takes as many bytes as one
//! block holds, and returns how many and their CRC. The output depends on those bytes, the level and the limit alone.

mod bits;
mod codes;
mod mtf;
mod rotation;
mod runs;
mod sort;

pub use bits::BitWriter;
use codes::Codes;
use mtf::Symbols;
use rotation::WORD_LEN;
pub use runs::BlockFill;
use sort::{Sorted, Transform};

use crate::{BLOCK_MAGIC, Crc, Error, LEVEL_LEN, MAGIC_BITS, valid};

/// What a block of this level, 1 to 9, holds at most, in bytes whose runs are shortened. It is as much as bzip2 puts
/// into a block.
pub fn block_len(level: u8) -> usize {
    LEVEL_LEN * valid(level) - 19
}

/// How many bytes of memory an encoder of this level takes: for the block twice, its suffixes, and its symbols.
pub fn memory(level: u8) -> u64 {
    400_000 + 9 * block_len(level) as u64
}

/// What a block holds that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// How many plain bytes the block holds.
    pub plain_len: usize,
    /// Their CRC.
    pub crc: u32,
}

/// An encoder of one block after another.
pub struct BlockEncoder {
    transform: Transform,
    /// First the block with its runs shortened, then the last bytes of its sorted rotations.
    text: Vec<u8>,
    symbols: Symbols,
    codes: Codes,
}

impl BlockEncoder {
    /// An encoder of blocks of this level, 1 to 9, or an error if there is no memory.
    pub fn new(level: u8) -> Result<Self, Error> {
        let longest = block_len(level);
        Ok(Self {
            transform: Transform::new(longest).ok_or(Error::OutOfMemory)?,
            text: vec![0; longest + WORD_LEN],
            symbols: Symbols::new(longest),
            codes: Codes::new(),
        })
    }

    /// Writes a block of the first bytes of `plain`: as many as make no more than `limit` bytes when their runs are
    /// shortened. The limit is at most [`block_len`], which a greater one counts as. If `plain` is empty or the limit
    /// is 0, nothing is written.
    ///
    /// With `whole_bytes` the block lists selectors that no group uses, so that it takes a multiple of eight bits. A
    /// block then begins with a byte if the block before it did, as lbzip2 has it. No decoder takes more selectors than
    /// a full block needs, so that the limit must leave room for eight groups: `block_len(level) - 8 * GROUP_LEN`.
    pub fn write(
        &mut self,
        plain: &[u8],
        limit: usize,
        whole_bytes: bool,
        out: &mut BitWriter,
    ) -> Result<Written, Error> {
        let limit = limit.min(self.text.len() - WORD_LEN);
        let (plain_len, len) = runs::shorten(plain, &mut self.text[..limit]);
        let mut crc = Crc::new();
        crc.update(&plain[..plain_len]);
        let written = Written { plain_len, crc: crc.value() };
        if len == 0 {
            return Ok(written);
        }
        let Sorted { origin, counts } = self.transform.run(&mut self.text, len).ok_or(Error::OutOfMemory)?;
        let (mut used, mut distinct) = ([0; 256], 0);
        for byte in (0..=u8::MAX).filter(|&byte| counts[usize::from(byte)] > 0) {
            used[distinct] = byte;
            distinct += 1;
        }
        let used = &used[..distinct];
        self.symbols.make(&self.text[..len], used);
        self.codes.choose(&self.symbols);

        let start = out.position();
        out.put(MAGIC_BITS, BLOCK_MAGIC);
        out.put(32, u64::from(written.crc));
        // It is not randomised.
        out.put(1, 0);
        out.put(24, origin as u64);
        put_bytes_in_use(used, out);
        self.codes.put(&self.symbols, whole_bytes.then_some(start), out);
        Ok(written)
    }
}

/// Writes which bytes occur: in which rows of 16, and where in each row.
fn put_bytes_in_use(used: &[u8], out: &mut BitWriter) {
    let mut rows = [0_u16; 16];
    for byte in used {
        rows[usize::from(byte >> 4)] |= 0x8000 >> (byte & 15);
    }
    let map = rows.iter().fold(0, |map, &row| map << 1 | u64::from(row != 0));
    out.put(16, map);
    rows.iter().filter(|&&row| row != 0).for_each(|&row| out.put(16, u64::from(row)));
}
