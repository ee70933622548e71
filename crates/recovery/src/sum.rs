//! [`Sum`]: the parity of a group, added up chunk by chunk.
//!
//! If there is far more data than parity, the code is a sum over chunks of as many shards as there is parity
//! (docs/recovery-format.md). The data of a chunk becomes a polynomial, and the values of the sum of the polynomials
//! are the parity. Each column of bytes is a code of its own. So a sum has blocks of columns that fit into the cache of
//! a core, and threads add chunks to different blocks at the same time. A thread adds a few chunks to a block at once,
//! because a block comes from memory and goes back there.

use std::sync::{Mutex, PoisonError};

use crate::field::{Chunk, Field, Unit, field};
use crate::geometry::SHARD_MIN;

/// How many bytes of a chunk, and of the sum, a thread works on at a time. Both fit into the cache of a core.
const BLOCK_LEN: usize = 256 << 10;

/// What the chunks of a group add up to.
#[derive(Default)]
pub(crate) struct Sum {
    /// How many shards a chunk has.
    chunk: usize,
    shard_len: usize,
    /// How many units of a shard are in a block. The last block may have fewer.
    width: usize,
    blocks: Vec<Mutex<Block>>,
}

/// The sum in some columns: a row for each shard of a chunk.
#[derive(Default)]
struct Block {
    rows: Vec<Unit>,
    is_empty: bool,
}

/// What a thread needs to add chunks.
#[derive(Default)]
pub(crate) struct Adder {
    field: Option<Box<dyn Field>>,
    rows: Vec<Unit>,
}

impl Sum {
    /// An empty sum, in the memory of this one.
    pub(crate) fn begin(mut self, chunk: usize, shard_len: usize) -> Self {
        let units = shard_len / SHARD_MIN;
        let width = (BLOCK_LEN / SHARD_MIN / chunk).clamp(1, units);
        self.blocks.resize_with(units.div_ceil(width), Mutex::default);
        for block in &mut self.blocks {
            block.get_mut().unwrap_or_else(PoisonError::into_inner).is_empty = true;
        }
        Self { chunk, shard_len, width, ..self }
    }

    pub(crate) fn chunk(&self) -> usize {
        self.chunk
    }

    /// Adds the data of chunks, which begins with this shard of the group. What is missing at its end is zero.
    pub(crate) fn add(&self, data: &[u8], first: usize, adder: &mut Adder) {
        let (units, count) = (self.shard_len / SHARD_MIN, self.blocks.len());
        // The tables of a field take time to make, and a single shard of parity needs none.
        let field = (self.chunk > 1).then(|| &**adder.field.get_or_insert_with(field));
        for number in 0..count {
            // Threads begin with different blocks.
            let number = (number + first / self.chunk) % count;
            let from = number * self.width;
            let width = self.width.min(units - from);
            adder.rows.resize(self.chunk * width, [0; SHARD_MIN]);
            let mut block = self.blocks[number].lock().unwrap_or_else(PoisonError::into_inner);
            if std::mem::take(&mut block.is_empty) {
                block.rows.clear();
                block.rows.resize(self.chunk * width, [0; SHARD_MIN]);
            }
            // The sum of the block stays in the cache for all chunks.
            for (place, data) in data.chunks(self.chunk * self.shard_len).enumerate() {
                let first = first + place * self.chunk;
                let chunk = Chunk { data, shard_len: self.shard_len, size: self.chunk, first };
                match field {
                    Some(field) => field.add_chunk(&chunk, from, &mut adder.rows, &mut block.rows),
                    None => chunk.add_to(&mut block.rows, &mut adder.rows, from),
                }
            }
        }
    }

    /// Puts the first `count` shards of parity into `parity`, one after the other. The sum is of no use afterwards.
    pub(crate) fn finish(&mut self, count: usize, parity: &mut Vec<u8>) {
        parity.resize(count * self.shard_len, 0);
        let field = (self.chunk > 1).then(field);
        let mut from = 0;
        for block in &mut self.blocks {
            let rows = &mut block.get_mut().unwrap_or_else(PoisonError::into_inner).rows;
            let width = rows.len() / self.chunk;
            if let Some(field) = &field {
                field.evaluate(rows, width, count);
            }
            for (row, shard) in rows.chunks_exact(width).zip(parity.chunks_exact_mut(self.shard_len)) {
                shard[from * SHARD_MIN..][..width * SHARD_MIN].copy_from_slice(row.as_flattened());
            }
            from += width;
        }
    }
}
