//! [`Field`]: the transforms of the parity, and products of its numbers.
//!
//! The crate `reed-solomon-simd` has tables of all 65,536 factors. They take 8 MiB, and some ten milliseconds to make.
//! The transforms of a group need 4,096 factors at most. So for processors with GFNI or AVX2, `table.rs` has small
//! tables of these, and `loops.rs` the loops. Other processors use an engine of the crate. All compute the same
//! numbers.

use std::sync::Once;

#[cfg(not(pzcomp_safe))]
use reed_solomon_simd::engine::DefaultEngine;
#[cfg(pzcomp_safe)]
use reed_solomon_simd::engine::NoSimd as DefaultEngine;
use reed_solomon_simd::engine::tables::get_exp_log;
use reed_solomon_simd::engine::{Engine, ShardsRefMut};

use crate::geometry::SHARD_MIN;
#[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
use crate::{
    avx2::Avx2,
    gfni::Gfni,
    loops::{Job, Processor, TILE},
    table::Products,
};

/// So many bytes of a shard are 32 numbers: 32 low bytes, then 32 high bytes.
pub(crate) type Unit = [u8; SHARD_MIN];

/// Does the work of the parity.
pub(crate) trait Field {
    /// The polynomial that has the values in these rows at the indexes from `first` on, in place. The rows have `width`
    /// units each, and only the first `there` of them are not zero.
    fn interpolate(&self, rows: &mut [Unit], width: usize, there: usize, first: usize);

    /// Interpolates the data of a chunk, which begins with the shard `first` of a group, in the columns of `rows` from
    /// the unit `from` on, and adds the polynomial to the sum of these columns. `rows` is memory.
    fn add_chunk(&self, chunk: &Chunk, from: usize, rows: &mut [Unit], sum: &mut [Unit]) {
        add_copy(self, chunk, from, rows, sum);
    }

    /// The first `wanted` values of a polynomial, at the indexes from 0 on, in place.
    fn evaluate(&self, rows: &mut [Unit], width: usize, wanted: usize);

    /// Multiplies by this factor, which is not zero, and adds the products to the sum.
    fn add_product(&self, sum: &mut [Unit], other: &[Unit], factor: u16);
}

/// The fastest field of this processor.
pub(crate) fn field() -> Box<dyn Field> {
    small_fields().next().unwrap_or_else(|| Box::new(Crate(DefaultEngine::new())))
}

/// Makes the large tables in the background, once for all, if they are needed: nobody should wait for them at the end
/// of a stream.
pub(crate) fn warm_up() {
    static TABLES: Once = Once::new();
    TABLES.call_once(|| {
        if small_fields().next().is_none() {
            let make = || drop(DefaultEngine::new());
            drop(std::thread::Builder::new().name("recovery".into()).spawn(make));
        }
    });
}

/// The fields of this processor that need small tables only, the fastest first.
fn small_fields() -> impl Iterator<Item = Box<dyn Field>> {
    #[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
    return [Gfni::find().map(|found| Box::new(found) as _), Avx2::find().map(|found| Box::new(found) as _)]
        .into_iter()
        .flatten();
    #[cfg(not(all(target_arch = "x86_64", not(pzcomp_safe))))]
    std::iter::empty()
}

#[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
impl<P: Processor> Field for P {
    fn interpolate(&self, rows: &mut [Unit], width: usize, there: usize, first: usize) {
        self.run(Job::Interpolate { tables: self.tables(), rows, width, there, first });
    }

    fn add_chunk(&self, chunk: &Chunk, from: usize, rows: &mut [Unit], sum: &mut [Unit]) {
        let (width, first) = (rows.len() / chunk.size, chunk.first + chunk.size);
        match chunk.units().filter(|_| chunk.size >= TILE) {
            Some(data) => {
                let tables = self.tables();
                self.run(Job::AddChunk { tables, data, from, width, first, rows, sum });
            }
            None => add_copy(self, chunk, from, rows, sum),
        }
    }

    fn evaluate(&self, rows: &mut [Unit], width: usize, wanted: usize) {
        self.run(Job::Evaluate { tables: self.tables(), rows, width, wanted });
    }

    fn add_product(&self, sum: &mut [Unit], other: &[Unit], factor: u16) {
        let table = P::Table::from(Products::of(Some(get_exp_log().log[usize::from(factor)])));
        self.run(Job::AddProduct { sum, other, table: &table });
    }
}

/// An engine of the crate, which has the tables of all factors.
struct Crate<E>(E);

impl<E: Engine> Field for Crate<E> {
    fn interpolate(&self, rows: &mut [Unit], width: usize, there: usize, first: usize) {
        let size = rows.len() / width;
        self.0.ifft(&mut ShardsRefMut::new(size, width, rows), 0, size, there, first);
    }

    fn evaluate(&self, rows: &mut [Unit], width: usize, wanted: usize) {
        let size = rows.len() / width;
        self.0.fft(&mut ShardsRefMut::new(size, width, rows), 0, size, wanted, 0);
    }

    fn add_product(&self, sum: &mut [Unit], other: &[Unit], factor: u16) {
        let mut products = other.to_vec();
        self.0.mul(&mut products, get_exp_log().log[usize::from(factor)]);
        add(sum, &products);
    }
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
    #[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
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

/// [`Field::add_chunk`] in simple steps.
fn add_copy(field: &(impl Field + ?Sized), chunk: &Chunk, from: usize, rows: &mut [Unit], sum: &mut [Unit]) {
    let there = chunk.copy_to(rows, from);
    field.interpolate(rows, rows.len() / chunk.size, there, chunk.first + chunk.size);
    add(sum, rows);
}

/// Adds in the field.
pub(crate) fn add(sum: &mut [Unit], other: &[Unit]) {
    for (sum, other) in sum.as_flattened_mut().iter_mut().zip(other.as_flattened()) {
        *sum ^= other;
    }
}

#[cfg(test)]
mod tests {
    use reed_solomon_simd::engine::NoSimd;

    use super::*;

    /// The same bytes in each run.
    fn fill(bytes: &mut [u8], state: &mut u64) {
        for byte in bytes {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *byte = (*state >> 56) as u8;
        }
    }

    #[test]
    fn all_fields_of_this_processor_make_the_numbers_of_the_plain_engine() {
        let (mut state, mut compared) = (7_u64, 0);
        // Under Miri the small fields are compared with each other: the crate's tables would take it many minutes.
        let plain = small_fields().next().filter(|_| cfg!(miri));
        let plain = plain.unwrap_or_else(|| Box::new(Crate(NoSimd::new())));
        let mut fields: Vec<Box<dyn Field>> = small_fields().collect();
        // A test that compares fewer fields than usual says so, if its output is shown.
        println!("small tables: {} of the 2 of x86-64 with GFNI", fields.len());
        if !cfg!(miri) {
            fields.push(Box::new(Crate(DefaultEngine::new())));
        }
        let sizes = [
            (2, 1, 2),
            (4, 3, 8),
            (16, 1, 32),
            (8, 2, 2040),
            (16, 2, 2032),
            (32, 5, 1024),
            (64, 1, 64),
            (128, 4, 2048),
        ];
        let sizes = &sizes[..if cfg!(miri) { 3 } else { 8 }];
        for &(size, width, first) in sizes {
            for part in [1, size / 2, size - 1, size] {
                let mut data: Vec<Unit> = vec![[0; SHARD_MIN]; size * width];
                fill(data[..part * width].as_flattened_mut(), &mut state);
                let (factor, last) =
                    ((state >> 32) as u16 | 1, &data.as_flattened()[..part * width * SHARD_MIN]);
                let chunk = Chunk { data: last, shard_len: width * SHARD_MIN, size, first: first - size };
                let made = |field: &dyn Field| {
                    let (mut rows, mut sum, mut memory) = (data.clone(), data.clone(), data.clone());
                    field.interpolate(&mut rows, width, part, first);
                    field.add_product(&mut sum, &rows, factor);
                    field.add_chunk(&chunk, 0, &mut memory, &mut sum);
                    field.evaluate(&mut sum, width, part);
                    (rows, sum[..part * width].to_vec())
                };
                let expected = made(&*plain);
                for (number, field) in fields.iter().enumerate() {
                    assert!(made(&**field) == expected, "field {number}: {part} of {size} rows");
                    compared += 1;
                }
            }
        }
        assert_eq!(compared, 4 * sizes.len() * fields.len());
    }
}
