//! Blocks made: the counterpart of `block/`.
//!
//! ```text
//! runs shortened ─ rotations sorted ─ recency and runs of the last bytes ─ codes chosen ─ bits
//! ```

mod bits;
mod codes;
mod mtf;
mod rotation;
mod runs;
mod sort;

pub(super) use bits::Writer;
use codes::Codes;
use mtf::Symbols;
use rotation::WORD_LEN;
pub(crate) use runs::Fitting;
use sort::{Sorted, Transform};

pub(super) use super::block::GROUP_LEN;
use super::block::{CODES_MAX, Crc, LEVEL_LEN, RUN_B, SYMBOLS_MAX};
use super::{BLOCK_MAGIC, MAGIC_BITS};
use crate::error::{Error, Result};

/// The other symbol of which the lengths of runs are made.
const RUN_A: u32 = 0;

/// What a block holds at most, in bytes whose runs are shortened: as much as bzip2 puts into one.
pub(super) fn block_len(level: i32) -> usize {
    LEVEL_LEN * level.unsigned_abs() as usize - 19
}

/// Memory of an encoder of blocks of this level: the block twice, its suffixes, and its symbols.
pub(super) fn memory(level: i32) -> u64 {
    400_000 + 9 * block_len(level) as u64
}

/// A block that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Written {
    /// How many bytes it is of.
    pub(super) plain_len: usize,
    pub(super) crc: u32,
}

/// Writes blocks; its memory serves one after another.
pub(super) struct BlockEncoder {
    transform: Transform,
    /// First the block with its runs shortened, then the last bytes of its sorted rotations.
    text: Vec<u8>,
    symbols: Symbols,
    codes: Codes,
}

impl BlockEncoder {
    /// For blocks of this level.
    pub(super) fn new(level: i32) -> Result<Self> {
        let longest = block_len(level);
        Ok(Self {
            transform: Transform::new(longest).ok_or_else(no_memory)?,
            text: vec![0; longest + WORD_LEN],
            symbols: Symbols::new(longest),
            codes: Codes::new(),
        })
    }

    /// Writes a block of the first bytes of `plain`, which is not empty: as many as make no more than `limit`
    /// when their runs are shortened. A block that `fills` bytes is as many bits as make whole ones.
    pub(super) fn write(
        &mut self,
        plain: &[u8],
        limit: usize,
        fills: bool,
        out: &mut Writer,
    ) -> Result<Written> {
        let limit = limit.min(self.text.len() - WORD_LEN);
        let (plain_len, len) = runs::shorten(plain, &mut self.text[..limit]);
        let mut crc = Crc::new();
        crc.update(&plain[..plain_len]);
        let written = Written { plain_len, crc: crc.value() };
        let Sorted { origin, counts } = self.transform.run(&mut self.text, len).ok_or_else(no_memory)?;
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
        self.codes.put(&self.symbols, fills.then_some(start), out);
        Ok(written)
    }
}

/// Says which bytes occur: in which rows of 16, and where in each of them.
fn put_bytes_in_use(used: &[u8], out: &mut Writer) {
    let mut rows = [0_u16; 16];
    for byte in used {
        rows[usize::from(byte >> 4)] |= 0x8000 >> (byte & 15);
    }
    let map = rows.iter().fold(0, |map, &row| map << 1 | u64::from(row != 0));
    out.put(16, map);
    rows.iter().filter(|&&row| row != 0).for_each(|&row| out.put(16, u64::from(row)));
}

fn no_memory() -> Error {
    Error::Internal("no memory for a bzip2 encoder".into())
}
