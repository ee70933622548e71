//! [`Field`]: the transforms of the parity, and products of its numbers.
//!
//! The crate `reed-solomon-simd` has tables of all 65,536 factors. They take 8 MiB, and some ten milliseconds to make. The
//! transforms of a group need 4,096 factors at most. So for processors with AVX2, `table.rs` has small tables of these, and
//! `avx2.rs` the loops. Other processors use the engine of the crate. Both compute the same numbers.

use std::sync::Once;

use reed_solomon_simd::engine::tables::get_exp_log;
use reed_solomon_simd::engine::{DefaultEngine, Engine, ShardsRefMut};

#[cfg(target_arch = "x86_64")]
use crate::avx2;
use crate::geometry::SHARD_MIN;
#[cfg(target_arch = "x86_64")]
use crate::table::{Table, places};

/// So many bytes of a shard are 32 numbers: 32 low bytes, then 32 high bytes.
pub(crate) type Unit = [u8; SHARD_MIN];

/// Does the work of the parity.
pub(crate) enum Field {
    /// By tables of the factors of the transforms.
    #[cfg(target_arch = "x86_64")]
    Small(&'static [Table]),
    /// By those of all factors.
    Large(DefaultEngine),
}

impl Field {
    pub(crate) fn new() -> Self {
        #[cfg(target_arch = "x86_64")]
        if avx2::is_there() {
            return Self::Small(places());
        }
        Self::Large(DefaultEngine::new())
    }

    /// Makes the large tables in the background, once for all, if they are needed: nobody should wait for them at the end of
    /// a stream.
    pub(crate) fn warm_up() {
        static TABLES: Once = Once::new();
        if !has_loops() {
            let make = || drop(DefaultEngine::new());
            TABLES.call_once(|| drop(std::thread::Builder::new().name("recovery".into()).spawn(make)));
        }
    }

    /// The polynomial that has the values in these rows at the indexes from `first` on, in place. The rows have `width` units
    /// each, and only the first `there` of them are not zero.
    pub(crate) fn interpolate(&self, rows: &mut [Unit], width: usize, there: usize, first: usize) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Small(tables) => avx2::interpolate(tables, rows, width, there, first),
            Self::Large(engine) => {
                let size = rows.len() / width;
                engine.ifft(&mut ShardsRefMut::new(size, width, rows), 0, size, there, first);
            }
        }
    }

    /// Interpolates the data of a chunk, which begins with the shard `first` of a group, in the columns of `rows` from the unit
    /// `from` on, and adds the polynomial to the sum of these columns. `rows` is memory.
    pub(crate) fn add_chunk(&self, chunk: &Chunk, from: usize, rows: &mut [Unit], sum: &mut [Unit]) {
        let width = rows.len() / chunk.size;
        #[cfg(target_arch = "x86_64")]
        if let (Self::Small(tables), Some(data)) = (self, chunk.units())
            && chunk.size >= avx2::TILE
        {
            return avx2::add_chunk(tables, (data, from), width, chunk.first + chunk.size, rows, sum);
        }
        let shards = chunk.copy_to(rows, from);
        self.interpolate(rows, width, shards, chunk.first + chunk.size);
        add(sum, rows);
    }

    /// The first `wanted` values of a polynomial, at the indexes from 0 on, in place.
    pub(crate) fn evaluate(&self, rows: &mut [Unit], width: usize, wanted: usize) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Small(tables) => avx2::evaluate(tables, rows, width, wanted),
            Self::Large(engine) => {
                let size = rows.len() / width;
                engine.fft(&mut ShardsRefMut::new(size, width, rows), 0, size, wanted, 0);
            }
        }
    }

    /// Multiplies by this factor, which is not zero, and adds the products to the sum.
    pub(crate) fn add_product(&self, sum: &mut [Unit], other: &[Unit], factor: u16) {
        let log = get_exp_log().log[usize::from(factor)];
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Small(_) => avx2::add_product(sum, other, &Table::of(Some(log))),
            Self::Large(engine) => {
                let mut products = other.to_vec();
                engine.mul(&mut products, log);
                add(sum, &products);
            }
        }
    }
}

/// Whether this processor can use the small tables.
fn has_loops() -> bool {
    #[cfg(target_arch = "x86_64")]
    return avx2::is_there();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The data of a chunk.
pub(crate) struct Chunk<'a> {
    /// So many shards. What is missing at the end is zero.
    pub(crate) data: &'a [u8],
    pub(crate) shard_len: usize,
    /// How many shards belong to a chunk: a power of two.
    pub(crate) size: usize,
    /// The number of the first shard in the group.
    pub(crate) first: usize,
}

impl Chunk<'_> {
    /// All units, if none is missing.
    #[cfg(target_arch = "x86_64")]
    fn units(&self) -> Option<&[Unit]> {
        (self.data.len() == self.size * self.shard_len).then_some(self.data.as_chunks().0)
    }

    /// Adds columns, without any transform. `rows` is memory.
    pub(crate) fn add_to(&self, sum: &mut [Unit], rows: &mut [Unit], from: usize) {
        self.copy_to(rows, from);
        add(sum, rows);
    }

    /// Copies columns into rows. Returns how many rows have data; the others are zero.
    fn copy_to(&self, rows: &mut [Unit], from: usize) -> usize {
        let (width, shards) = (rows.len() / self.size, self.data.len().div_ceil(self.shard_len));
        let (there, missing) = rows.split_at_mut(shards * width);
        for (shard, row) in self.data.chunks(self.shard_len).zip(there.chunks_exact_mut(width)) {
            let part = shard.get(from * SHARD_MIN..).unwrap_or_default();
            let part = &part[..part.len().min(width * SHARD_MIN)];
            let (row, zeros) = row.as_flattened_mut().split_at_mut(part.len());
            row.copy_from_slice(part);
            zeros.fill(0);
        }
        missing.as_flattened_mut().fill(0);
        shards
    }
}

/// Adds in the field.
pub(crate) fn add(sum: &mut [Unit], other: &[Unit]) {
    for (sum, other) in sum.as_flattened_mut().iter_mut().zip(other.as_flattened()) {
        *sum ^= other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tables_make_the_same_numbers() {
        let (small, large) = (Field::new(), Field::Large(DefaultEngine::new()));
        let (mut state, mut compared) = (7_u64, 0);
        for (size, width, first) in [(2, 1, 2), (4, 3, 8), (8, 2, 2040), (32, 5, 1024), (128, 4, 2048)] {
            for part in [1, size / 2, size - 1, size] {
                let mut rows: Vec<Unit> = vec![[0; SHARD_MIN]; size * width];
                for byte in rows[..part * width].as_flattened_mut() {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    *byte = (state >> 56) as u8;
                }
                let mut others = rows.clone();
                for (field, rows) in [(&small, &mut rows), (&large, &mut others)] {
                    field.interpolate(rows, width, part, first);
                    let sum = rows.clone();
                    field.add_product(rows, &sum, (state >> 32) as u16 | 1);
                    field.evaluate(rows, width, part);
                }
                assert!(rows[..part * width] == others[..part * width], "{part} of {size} rows");
                compared += 1;
            }
        }
        assert_eq!(compared, 20);
    }
}
