//! Lost shards of a group, from its parity.
//!
//! A shard of parity is a sum over all shards of data, each times a coefficient. So the parity of the data without the
//! lost shards, added to the parity that was written, leaves a sum over the lost shards only: [`solve`] takes as many
//! of these equations as shards are lost. That is far less work than the decoder of the crate does ([`decode`]), which
//! transforms the whole code, as long as few shards are lost. The caller verifies the shards by their hashes.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use reed_solomon_simd::ReedSolomonDecoder;
use reed_solomon_simd::engine::GF_MODULUS;
use reed_solomon_simd::engine::tables::{ExpLog, get_exp_log, mul};

use crate::code::{Memory, Worker, by_columns, chunk_of, column, each_chunk, parallel};
use crate::field::{Unit, add, field};
use crate::geometry::{Geometry, SHARD_MIN};

/// With more lost shards than this, the decoder of the crate is faster.
const SOLVED_MAX: usize = 192;
/// So it is if the cube of the number of lost shards, to which the time for the equations grows, is more than this
/// share of the bytes of the group.
const SOLVED_SHARE: usize = 4;
/// How many units of each shard a thread works on at a time. Those of all shards fit into the cache of a core.
const SOLVED_UNITS: usize = 32;
/// How many numbers there are in a unit of a shard.
const NUMBERS: usize = SHARD_MIN / 2;

/// Restores the shards of data that `is_there` denies, in place. `None` if there is less parity than shards are
/// missing.
pub(crate) fn restore(
    geometry: &Geometry,
    data: &mut [u8],
    is_there: &[bool],
    parity: &[(usize, Vec<u8>)],
    threads: NonZeroUsize,
    memory: &Memory,
) -> Option<()> {
    debug_assert_eq!(data.len(), geometry.len());
    let missing: Vec<usize> = (0..geometry.shards()).filter(|&shard| !is_there[shard]).collect();
    if missing.is_empty() {
        return Some(());
    }
    let parity = parity.get(..missing.len())?;
    let is_short = missing.len() <= SOLVED_MAX && missing.len().pow(3) <= data.len() / SOLVED_SHARE;
    match chunk_of(geometry).filter(|_| is_short) {
        Some(chunk) => solve(geometry, data, &missing, parity, chunk, threads, memory),
        None => decode(geometry, data, is_there, &missing, parity, threads),
    }
}

/// Restores shards by the decoder of the crate, which works on all shards of the code.
fn decode(
    geometry: &Geometry,
    data: &mut [u8],
    is_there: &[bool],
    missing: &[usize],
    parity: &[(usize, Vec<u8>)],
    threads: NonZeroUsize,
) -> Option<()> {
    let there = &*data;
    let parts = by_columns(geometry, threads, |worker, columns| {
        let Worker { decoder, padded, .. } = worker;
        let (shards, count) = (geometry.shards(), geometry.parity());
        let decoder = match decoder {
            Some(decoder) => {
                decoder.reset(shards, count, columns.len()).ok()?;
                decoder
            }
            None => decoder.insert(ReedSolomonDecoder::new(shards, count, columns.len()).ok()?),
        };
        for shard in (0..shards).filter(|&shard| is_there[shard]) {
            let part = column(there, geometry, shard, &columns, padded);
            decoder.add_original_shard(shard, part).ok()?;
        }
        for (number, shard) in parity {
            decoder.add_recovery_shard(*number, &shard[columns.clone()]).ok()?;
        }
        let decoded = decoder.decode().ok()?;
        let restored = missing.iter().map(|&shard| decoded.restored_original(shard).map(<[u8]>::to_vec));
        restored.collect::<Option<Vec<_>>>()
    })?;
    for (columns, part) in parts {
        for (&shard, bytes) in missing.iter().zip(part) {
            let start = shard * geometry.shard_len() + columns.start;
            let end = (start + columns.len()).min(data.len());
            if start < end {
                data[start..end].copy_from_slice(&bytes[..end - start]);
            }
        }
    }
    Some(())
}

/// Restores shards by the equations of as many shards of parity.
fn solve(
    geometry: &Geometry,
    data: &mut [u8],
    missing: &[usize],
    parity: &[(usize, Vec<u8>)],
    chunk: usize,
    threads: NonZeroUsize,
    memory: &Memory,
) -> Option<()> {
    missing.iter().for_each(|&shard| data[geometry.range(shard)].fill(0));
    let (shard_len, sum) = (geometry.shard_len(), memory.sum(chunk, geometry.shard_len()));
    each_chunk(shard_len, 0, data, Some(&sum), threads, &|_| ())?;
    let made = memory.parity(sum, geometry.parity());
    let rows: Vec<usize> = parity.iter().map(|(number, _)| *number).collect();
    let inverse = inverse(coefficients(missing, &rows, chunk), missing.len())?;
    let (units, count) = (shard_len / SHARD_MIN, missing.len());
    let next = AtomicUsize::new(0);
    let run = || {
        let (field, mut done, mut differences) = (field(), Vec::new(), Vec::new());
        loop {
            let from = next.fetch_add(SOLVED_UNITS, Ordering::Relaxed);
            if from >= units {
                return done;
            }
            let width = SOLVED_UNITS.min(units - from);
            differences.resize(count * width, [0; SHARD_MIN]);
            for ((number, written), difference) in parity.iter().zip(differences.chunks_exact_mut(width)) {
                let columns = from * SHARD_MIN..(from + width) * SHARD_MIN;
                let (made, written) = (&made[number * shard_len..][columns.clone()], &written[columns]);
                let both = made.iter().zip(written);
                difference
                    .as_flattened_mut()
                    .iter_mut()
                    .zip(both)
                    .for_each(|(sum, (one, other))| *sum = one ^ other);
            }
            let mut restored = vec![[0; SHARD_MIN]; count * width];
            for (row, restored) in inverse.chunks_exact(count).zip(restored.chunks_exact_mut(width)) {
                for (&factor, difference) in row.iter().zip(differences.chunks_exact(width)) {
                    if factor != 0 {
                        field.add_product(restored, difference, factor);
                    }
                }
            }
            done.push((from, restored));
        }
    };
    let threads = threads.get().min(units.div_ceil(SOLVED_UNITS));
    for (from, restored) in parallel(threads, &run)?.into_iter().flatten() {
        for (&shard, bytes) in missing.iter().zip(restored.chunks_exact(restored.len() / count)) {
            let range = geometry.range(shard);
            let start = (range.start + from * SHARD_MIN).min(range.end);
            let end = (start + bytes.len() * SHARD_MIN).min(range.end);
            data[start..end].copy_from_slice(&bytes.as_flattened()[..end - start]);
        }
    }
    memory.give(made);
    Some(())
}

/// By what each of these shards of data is multiplied in each of these shards of parity, row by row. Each number in a
/// unit is a code word of its own, so the parity of units with a one in another place for each shard has all
/// coefficients.
fn coefficients(missing: &[usize], rows: &[usize], chunk: usize) -> Vec<u16> {
    let field = field();
    let mut all = vec![0; missing.len() * rows.len()];
    for (batch, shards) in missing.chunks(NUMBERS).enumerate() {
        let mut sum = vec![[0; SHARD_MIN]; chunk];
        let mut rest = shards.iter().enumerate().peekable();
        while let Some(&(_, first)) = rest.peek() {
            let first = first / chunk * chunk;
            let mut block: Vec<Unit> = vec![[0; SHARD_MIN]; chunk];
            while let Some((place, shard)) = rest.next_if(|(_, shard)| **shard < first + chunk) {
                block[shard - first][place] = 1;
            }
            if chunk > 1 {
                field.interpolate(&mut block, 1, chunk, first + chunk);
            }
            add(&mut sum, &block);
        }
        if chunk > 1 {
            field.evaluate(&mut sum, 1, chunk);
        }
        for (row, &number) in rows.iter().enumerate() {
            for place in 0..shards.len() {
                let unit = &sum[number];
                let value = u16::from_le_bytes([unit[place], unit[NUMBERS + place]]);
                all[row * missing.len() + batch * NUMBERS + place] = value;
            }
        }
    }
    all
}

/// The inverse of a square matrix. `None` if there is none, which no parity causes.
fn inverse(mut matrix: Vec<u16>, len: usize) -> Option<Vec<u16>> {
    let ExpLog { exp, log } = get_exp_log();
    let mut inverse = vec![0; len * len];
    (0..len).for_each(|place| inverse[place * len + place] = 1);
    let times = |row: &mut [u16], log_factor: u16| {
        row.iter_mut().for_each(|number| *number = mul(*number, log_factor, exp, log));
    };
    let add_times = |row: &mut [u16], other: &[u16], log_factor: u16| {
        row.iter_mut().zip(other).for_each(|(number, other)| *number ^= mul(*other, log_factor, exp, log));
    };
    for place in 0..len {
        let pivot = (place..len).find(|&row| matrix[row * len + place] != 0)?;
        for matrix in [&mut matrix, &mut inverse] {
            let (before, from) = matrix.split_at_mut(pivot * len);
            if pivot != place {
                before[place * len..][..len].swap_with_slice(&mut from[..len]);
            }
        }
        let factor = GF_MODULUS - log[usize::from(matrix[place * len + place])];
        for matrix in [&mut matrix, &mut inverse] {
            times(&mut matrix[place * len..][..len], factor);
        }
        for row in (0..len).filter(|&row| row != place) {
            let factor = matrix[row * len + place];
            if factor == 0 {
                continue;
            }
            for matrix in [&mut matrix, &mut inverse] {
                let (low, high) = matrix.split_at_mut(place.max(row) * len);
                let (low, high) = (&mut low[place.min(row) * len..][..len], &mut high[..len]);
                let (target, source) = if row < place { (low, high) } else { (high, low) };
                add_times(target, source, log[usize::from(factor)]);
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::{parity, tests::random};
    use crate::geometry::Share;

    #[test]
    fn as_many_shards_as_there_is_parity_are_restored() {
        for (len, share) in [
            (1, 5),
            (64, 1000),
            (1000, 300),
            (70_000, 50),
            (400_000, 1000),
            (3_000_001, 5),
            (3_000_001, 50),
            (9_000_000, 100),
        ] {
            let (data, two) = (random(len), NonZeroUsize::new(2).unwrap());
            let geometry = Geometry::of(len, Share::per_mille(share).unwrap());
            let (made, memory) = (parity(&geometry, &data, two, Vec::new()).unwrap(), Memory::default());
            let (shards, count) = (geometry.shards(), geometry.parity());
            let parity: Vec<_> =
                made.chunks_exact(geometry.shard_len()).map(<[u8]>::to_vec).enumerate().collect();
            for first in [0, shards - count.min(shards)] {
                let mut damaged = data.clone();
                let lost = first..first + count.min(shards);
                let is_there: Vec<_> = (0..shards).map(|shard| !lost.contains(&shard)).collect();
                lost.for_each(|shard| damaged[geometry.range(shard)].fill(0xaa));
                restore(&geometry, &mut damaged, &is_there, &parity, two, &memory).unwrap();
                assert!(damaged == data, "{len} bytes, shards from {first}");
                assert_eq!(restore(&geometry, &mut damaged, &is_there, &parity[1..], two, &memory), None);
            }
        }
    }

    #[test]
    fn any_shards_are_restored_by_any_parity() {
        let (mut number, two, memory) = (1_u64, NonZeroUsize::new(2).unwrap(), Memory::default());
        let mut below = |end: usize| {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (number >> 33) as usize % end
        };
        for _ in 0..20 {
            let data = random(1 + below(500_000));
            let geometry = Geometry::of(data.len(), Share::per_mille(5 + below(300) as u16).unwrap());
            let made = parity(&geometry, &data, two, Vec::new()).unwrap();
            let all = made.chunks_exact(geometry.shard_len()).map(<[u8]>::to_vec).enumerate();
            let mut parity: Vec<_> = all.collect();
            (0..below(parity.len())).for_each(|_| drop(parity.swap_remove(below(parity.len()))));
            let (mut damaged, mut is_there) = (data.clone(), vec![true; geometry.shards()]);
            for _ in 0..parity.len() {
                let lost = below(geometry.shards());
                is_there[lost] = false;
                damaged[geometry.range(lost)].fill(0x55);
            }
            restore(&geometry, &mut damaged, &is_there, &parity, two, &memory).unwrap();
            assert!(damaged == data, "{geometry:?}, {} of parity", parity.len());
        }
    }
}
