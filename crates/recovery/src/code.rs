//! The parity of a group, and lost shards from it: Reed–Solomon over GF(2^16), on several threads.
//!
//! The code works on each column of bytes by itself: 64 bytes at the same place of all shards. So threads take columns,
//! and each needs memory for its columns only.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use reed_solomon_simd::{ReedSolomonDecoder, ReedSolomonEncoder};

use crate::geometry::{Geometry, SHARD_MIN};

/// About how many bytes of all shards a thread works on at a time. Measured: 8 MiB takes half as long as 1 MiB, because a
/// column of a few hundred bytes is too short for each shard's page.
const WORK_LEN: usize = 8 << 20;

/// Computes something of each range of columns, on so many threads.
fn by_columns<T: Send>(
    geometry: &Geometry,
    threads: NonZeroUsize,
    work: impl Fn(&mut Worker, Range<usize>) -> Option<T> + Sync,
) -> Option<Vec<(Range<usize>, T)>> {
    let shards = geometry.shards() + geometry.parity();
    let width = (WORK_LEN / shards.max(1) / SHARD_MIN).max(1) * SHARD_MIN;
    let ranges: Vec<_> = (0..geometry.shard_len())
        .step_by(width)
        .map(|start| start..(start + width).min(geometry.shard_len()))
        .collect();
    let next = AtomicUsize::new(0);
    let run = || {
        let (mut worker, mut done) = (Worker::default(), Vec::new());
        while let Some(range) = ranges.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((range.clone(), work(&mut worker, range.clone())?));
        }
        Some(done)
    };
    let all = parallel(threads.get().min(ranges.len()), &run)?;
    Some(all.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
}

/// Runs the same work on so many threads, of which this one is the last. `None` if a thread panicked.
pub(crate) fn parallel<T: Send>(threads: usize, run: &(impl Fn() -> T + Sync)) -> Option<Vec<T>> {
    if threads <= 1 {
        return Some(vec![run()]);
    }
    std::thread::scope(|scope| {
        // If the system gives no more threads, the others do the work.
        let spawn = |_| std::thread::Builder::new().name("recovery".into()).spawn_scoped(scope, run).ok();
        let others: Vec<_> = (1..threads).map_while(spawn).collect();
        let own = run();
        let mut all = others.into_iter().map(|thread| thread.join().ok()).collect::<Option<Vec<_>>>()?;
        all.push(own);
        Some(all)
    })
}

/// What a thread reuses.
#[derive(Default)]
struct Worker {
    encoder: Option<ReedSolomonEncoder>,
    decoder: Option<ReedSolomonDecoder>,
    padded: Vec<u8>,
}

/// The part of a shard of data in these columns. The last shard is filled up with zeros.
fn column<'a>(
    data: &'a [u8],
    geometry: &Geometry,
    shard: usize,
    columns: &Range<usize>,
    room: &'a mut Vec<u8>,
) -> &'a [u8] {
    let start = shard * geometry.shard_len() + columns.start;
    match data.get(start..start + columns.len()) {
        Some(part) => part,
        None => {
            room.clear();
            room.extend_from_slice(data.get(start..).unwrap_or_default());
            room.resize(columns.len(), 0);
            room
        }
    }
}

/// All shards of parity of the data of a group. `None` if the code fails, which no input causes.
pub(crate) fn parity(geometry: &Geometry, data: &[u8], threads: NonZeroUsize) -> Option<Vec<u8>> {
    debug_assert_eq!(data.len(), geometry.len());
    let (shards, count, shard_len) = (geometry.shards(), geometry.parity(), geometry.shard_len());
    let mut parity = vec![0; count * shard_len];
    if count == 0 {
        return Some(parity);
    }
    let parts = by_columns(geometry, threads, |worker, columns| {
        let Worker { encoder, padded, .. } = worker;
        let encoder = match encoder {
            Some(encoder) => {
                encoder.reset(shards, count, columns.len()).ok()?;
                encoder
            }
            None => encoder.insert(ReedSolomonEncoder::new(shards, count, columns.len()).ok()?),
        };
        for shard in 0..shards {
            encoder.add_original_shard(column(data, geometry, shard, &columns, padded)).ok()?;
        }
        let encoded = encoder.encode().ok()?;
        let mut made = Vec::with_capacity(count * columns.len());
        encoded.recovery_iter().for_each(|shard| made.extend_from_slice(shard));
        Some(made)
    })?;
    for (columns, part) in parts {
        for (shard, bytes) in part.chunks_exact(columns.len()).enumerate() {
            parity[shard * shard_len + columns.start..][..columns.len()].copy_from_slice(bytes);
        }
    }
    Some(parity)
}

/// Restores the shards of data that `is_there` denies, in place. `None` if there is less parity than shards are missing.
pub(crate) fn restore(
    geometry: &Geometry,
    data: &mut [u8],
    is_there: &[bool],
    parity: &[(usize, Vec<u8>)],
    threads: NonZeroUsize,
) -> Option<()> {
    debug_assert_eq!(data.len(), geometry.len());
    let missing: Vec<usize> = (0..geometry.shards()).filter(|&shard| !is_there[shard]).collect();
    if missing.is_empty() {
        return Some(());
    }
    let parity = parity.get(..missing.len())?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Share;

    fn random(len: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        (0..len).map(|_| next()).collect()
    }

    #[test]
    fn columns_and_threads_make_no_difference() {
        let data = random(300_001);
        let geometry = Geometry::of(data.len(), Share::per_mille(100).unwrap());
        let shards: Vec<Vec<u8>> = data
            .chunks(geometry.shard_len())
            .map(|shard| [shard, &vec![0; geometry.shard_len() - shard.len()]].concat())
            .collect();
        let expected =
            reed_solomon_simd::encode(geometry.shards(), geometry.parity(), shards).unwrap().concat();
        for threads in [1, 3] {
            assert!(parity(&geometry, &data, NonZeroUsize::new(threads).unwrap()).unwrap() == expected);
        }
    }

    #[test]
    fn as_many_shards_as_there_is_parity_are_restored() {
        for (len, share) in [(1, 5), (64, 1000), (1000, 300), (70_000, 50), (400_000, 1000)] {
            let (data, two) = (random(len), NonZeroUsize::new(2).unwrap());
            let geometry = Geometry::of(len, Share::per_mille(share).unwrap());
            let made = parity(&geometry, &data, two).unwrap();
            let (shards, count) = (geometry.shards(), geometry.parity());
            let parity: Vec<_> =
                made.chunks_exact(geometry.shard_len()).map(<[u8]>::to_vec).enumerate().collect();
            for first in [0, shards - count.min(shards)] {
                let mut damaged = data.clone();
                let lost = first..first + count.min(shards);
                let is_there: Vec<_> = (0..shards).map(|shard| !lost.contains(&shard)).collect();
                lost.for_each(|shard| damaged[geometry.range(shard)].fill(0xaa));
                restore(&geometry, &mut damaged, &is_there, &parity, two).unwrap();
                assert!(damaged == data, "{len} bytes, shards from {first}");
                assert_eq!(restore(&geometry, &mut damaged, &is_there, &parity[1..], two), None);
            }
        }
    }
}
