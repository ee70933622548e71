//! The parity of a group: Reed–Solomon over GF(2^16), on several threads.
//!
//! [`digest`] makes the parity and the list of hashes of a group. If there is far more data than parity, the code is a sum
//! over chunks of as many shards as there is parity (docs/recovery-format.md). So threads take chunks, and hash the shards
//! of a chunk before they leave the cache ([`summed`]). Otherwise the crate computes all of it, which works on each column
//! of bytes by itself: 64 bytes at the same place of all shards. So threads take columns ([`by_columns`]). [`Memory`] is
//! what is reused from group to group: without it, the system would clear megabytes for each.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use reed_solomon_simd::engine::{DefaultEngine, Engine, ShardsRefMut};
use reed_solomon_simd::{ReedSolomonDecoder, ReedSolomonEncoder};

use crate::geometry::{Geometry, SHARD_MIN};
use crate::group::Fingerprint;

/// About how many bytes of all shards a thread works on at a time. Measured: 8 MiB takes half as long as 1 MiB, because a
/// column of a few hundred bytes is too short for each shard's page.
const WORK_LEN: usize = 8 << 20;

/// How many bytes of a chunk, and of the sum, a thread works on at a time. Both fit into the cache of a core.
const BLOCK_LEN: usize = 256 << 10;
/// The most bytes of parity for which each thread has a sum of its own.
const SUM_MAX: usize = 8 << 20;
/// Each thread gets at least so many bytes of a group.
const THREAD_MIN: usize = 4 << 20;
/// More threads only need memory.
const THREADS_MAX: usize = 8;

/// Memory for the parity of groups, which is reused.
#[derive(Default)]
pub(crate) struct Memory(Mutex<Vec<Sum>>);

/// What a thread has added up.
#[derive(Default)]
pub(crate) struct Sum {
    /// Its tables take milliseconds to make, and a single shard of parity needs none.
    engine: Option<DefaultEngine>,
    /// As many shards as a chunk has.
    pub(crate) shards: Vec<[u8; SHARD_MIN]>,
    /// The columns of a chunk.
    block: Vec<[u8; SHARD_MIN]>,
    is_empty: bool,
}

impl Sum {
    /// Adds a chunk of the data, which begins with this shard.
    fn add(&mut self, geometry: &Geometry, data: &[u8], first: usize, chunk: usize) {
        let (units, count) = (geometry.shard_len() / SHARD_MIN, chunk.min(geometry.shards() - first));
        let width = (BLOCK_LEN / SHARD_MIN / chunk).clamp(1, units);
        self.shards.resize(chunk * units, [0; SHARD_MIN]);
        self.block.resize(chunk * width, [0; SHARD_MIN]);
        for from in (0..units).step_by(width) {
            let width = width.min(units - from);
            let block = &mut self.block[..chunk * width];
            let (here, rest) = block.split_at_mut(count * width);
            for (shard, row) in here.chunks_exact_mut(width).enumerate() {
                let start = (first + shard) * geometry.shard_len() + from * SHARD_MIN;
                let there = &data[start.min(data.len())..(start + width * SHARD_MIN).min(data.len())];
                let (there_to, zeros) = row.as_flattened_mut().split_at_mut(there.len());
                there_to.copy_from_slice(there);
                zeros.fill(0);
            }
            rest.as_flattened_mut().fill(0);
            if chunk > 1 {
                let engine = self.engine.get_or_insert_default();
                engine.ifft(&mut ShardsRefMut::new(chunk, width, block), 0, chunk, count, first + chunk);
            }
            for (sum, row) in self.shards.chunks_exact_mut(units).zip(block.chunks_exact(width)) {
                add(&mut sum[from..from + width], row, self.is_empty);
            }
        }
        self.is_empty = false;
    }
}

/// Makes the tables of the code in the background, once for all: they are needed at the end of a stream at the latest, and
/// nobody should wait for them then.
pub(crate) fn warm_up() {
    static TABLES: Once = Once::new();
    let make = || drop(DefaultEngine::new());
    TABLES.call_once(|| drop(std::thread::Builder::new().name("recovery".into()).spawn(make)));
}

/// Adds in the field, or takes the first of a sum as it is.
pub(crate) fn add(sum: &mut [[u8; SHARD_MIN]], other: &[[u8; SHARD_MIN]], is_first: bool) {
    if is_first {
        return sum.copy_from_slice(other);
    }
    for (sum, other) in sum.as_flattened_mut().iter_mut().zip(other.as_flattened()) {
        *sum ^= other;
    }
}

/// The list of the shards of a group, and its parity.
pub(crate) struct Digest {
    pub(crate) list: Vec<Fingerprint>,
    parity: Parity,
}

/// Where the parity of a group is.
enum Parity {
    Bytes(Vec<u8>),
    Sum(Sum),
}

impl Digest {
    /// All shards of parity, one after the other.
    pub(crate) fn parity(&self) -> &[u8] {
        match &self.parity {
            Parity::Bytes(bytes) => bytes,
            Parity::Sum(sum) => sum.shards.as_flattened(),
        }
    }

    /// Gives the memory back.
    pub(crate) fn reuse(self, memory: &Memory) {
        if let Parity::Sum(sum) = self.parity {
            memory.give(sum);
        }
    }
}

impl Memory {
    fn take(&self) -> Sum {
        let sum = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Sum { is_empty: true, ..sum.unwrap_or_default() }
    }

    pub(crate) fn give(&self, sum: Sum) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(sum);
    }
}

/// How many shards a chunk has, if the parity is a sum over chunks. Then the crate chooses its high rate too.
pub(crate) fn chunk_of(geometry: &Geometry) -> Option<usize> {
    let (data, chunk) = (geometry.shards().next_power_of_two(), geometry.parity().next_power_of_two());
    (geometry.parity() > 0 && data > chunk && chunk * geometry.shard_len() <= SUM_MAX).then_some(chunk)
}

/// The list and the parity of the data of a group. `None` if the code fails, which no input causes.
pub(crate) fn digest(
    geometry: &Geometry,
    data: &[u8],
    threads: NonZeroUsize,
    memory: &Memory,
) -> Option<Digest> {
    let chunk = chunk_of(geometry);
    let of = |shards: Range<usize>| -> Vec<_> {
        shards.map(|shard| Fingerprint::of(&data[geometry.range(shard)])).collect()
    };
    let (lists, sum) = summed(geometry, data, chunk, threads, memory, &of)?;
    let list = lists.into_iter().flatten().collect();
    let parity = match sum {
        Some(sum) => Parity::Sum(sum),
        None => Parity::Bytes(parity(geometry, data, threads)?),
    };
    Some(Digest { list, parity })
}

/// The parity of a group that is a sum over chunks, and what `of` makes of the shards, which it is called for while they are
/// in the cache.
pub(crate) fn summed<T: Send>(
    geometry: &Geometry,
    data: &[u8],
    chunk: Option<usize>,
    threads: NonZeroUsize,
    memory: &Memory,
    of: &(impl Fn(Range<usize>) -> T + Sync),
) -> Option<(Vec<T>, Option<Sum>)> {
    debug_assert_eq!(data.len(), geometry.len());
    let most = threads.get().min(THREADS_MAX).min(data.len() / THREAD_MIN + 1);
    let (each, next) = (chunk.unwrap_or(16).max(4), AtomicUsize::new(0));
    let each = chunk.map_or(each, |chunk| chunk * (each / chunk).max(1));
    let run = || {
        let (mut sum, mut done) = (chunk.map(|_| memory.take()), Vec::new());
        loop {
            let first = next.fetch_add(each, Ordering::Relaxed);
            if first >= geometry.shards() {
                return (sum, done);
            }
            let end = (first + each).min(geometry.shards());
            done.push((first, of(first..end)));
            if let (Some(sum), Some(chunk)) = (&mut sum, chunk) {
                (first..end).step_by(chunk).for_each(|first| sum.add(geometry, data, first, chunk));
            }
        }
    };
    let (sums, done): (Vec<_>, Vec<_>) = parallel(most, &run)?.into_iter().unzip();
    let mut done: Vec<_> = done.into_iter().flatten().collect();
    done.sort_unstable_by_key(|(first, _)| *first);
    let done = done.into_iter().map(|(_, done)| done).collect();
    let Some(chunk) = chunk else { return Some((done, None)) };
    let (idle, mut sums): (Vec<Sum>, Vec<Sum>) = sums.into_iter().flatten().partition(|sum| sum.is_empty);
    idle.into_iter().for_each(|sum| memory.give(sum));
    let mut whole = sums.pop()?;
    for other in sums {
        add(&mut whole.shards, &other.shards, false);
        memory.give(other);
    }
    let units = geometry.shard_len() / SHARD_MIN;
    if chunk > 1 {
        let Sum { engine, shards, .. } = &mut whole;
        let engine = engine.get_or_insert_default();
        engine.fft(&mut ShardsRefMut::new(chunk, units, shards), 0, chunk, geometry.parity(), 0);
    }
    whole.shards.truncate(geometry.parity() * units);
    Some((done, Some(whole)))
}

/// Computes something of each range of columns, on so many threads.
pub(crate) fn by_columns<T: Send>(
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
pub(crate) struct Worker {
    encoder: Option<ReedSolomonEncoder>,
    pub(crate) decoder: Option<ReedSolomonDecoder>,
    pub(crate) padded: Vec<u8>,
}

/// The part of a shard of data in these columns. The last shard is filled up with zeros.
pub(crate) fn column<'a>(
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::geometry::Share;

    pub(crate) fn random(len: usize) -> Vec<u8> {
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
    fn a_sum_over_chunks_is_the_parity_of_the_crate() {
        let (memory, mut summed) = (Memory::default(), 0);
        for (len, share) in [
            (1, 5),
            (200, 50),
            (300_001, 5),
            (300_001, 50),
            (300_000, 300),
            (300_001, 1000),
            (9_000_001, 30),
            (17_000_001, 50),
            (300_001, 100),
        ] {
            let (data, geometry) = (random(len), Geometry::of(len, Share::per_mille(share).unwrap()));
            let list: Vec<_> = data.chunks(geometry.shard_len()).map(Fingerprint::of).collect();
            let expected = parity(&geometry, &data, NonZeroUsize::MIN).unwrap();
            summed += u64::from(chunk_of(&geometry).is_some());
            for threads in [1, 3, 20] {
                let made = digest(&geometry, &data, NonZeroUsize::new(threads).unwrap(), &memory).unwrap();
                assert!(made.parity() == expected, "{len} bytes, {share} thousandths");
                assert_eq!(made.list, list);
                made.reuse(&memory);
            }
        }
        assert!(summed >= 5 && memory.0.lock().unwrap().len() <= THREADS_MAX);
    }
}
