//! The parity of a group: Reed–Solomon over GF(2^16), on several threads.
//!
//! [`digest`] makes the parity and the list of hashes of a group. If the code is a sum over chunks (`sum.rs`), threads
//! take chunks, and hash their shards before they add them ([`each_chunk`]). [`Begun`] adds up the first data of a
//! group whose length is not known yet, and gets the list from its caller. Otherwise the crate computes all of the
//! code, which works on each column of bytes by itself: 64 bytes at the same place of all shards. So threads take
//! columns ([`by_columns`]). [`Memory`] is what is reused from group to group: without it, the system would clear
//! megabytes for each.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use reed_solomon_simd::{ReedSolomonDecoder, ReedSolomonEncoder};

use crate::geometry::{Geometry, SHARD_MAX, SHARD_MIN};
use crate::group::Fingerprint;
use crate::sum::{Adder, Sum};

/// About how many bytes of all shards a thread works on at a time. Measured: 8 MiB takes half as long as 1 MiB, because
/// a column of a few hundred bytes is too short for each shard's page.
const WORK_LEN: usize = 8 << 20;
/// Each thread gets at least so many bytes of a group.
const THREAD_MIN: usize = 4 << 20;
/// More threads only need memory.
const THREADS_MAX: usize = 8;
/// The most bytes of a chunk.
pub(crate) const SUM_MAX: usize = 8 << 20;
/// A thread takes so many chunks at a time, and adds them all to a block of the sum while the block is in its cache.
/// With more of them, the data behind them would wait longer.
pub(crate) const CHUNKS_AT_A_TIME: usize = 2;
/// A thread takes at least so many shards at a time.
const SHARDS_MIN: usize = 4;
/// So many if there is no sum.
const SHARDS_AT_A_TIME: usize = 16;

/// Memory for the parity of groups, which is reused.
#[derive(Default)]
pub(crate) struct Memory {
    sums: Mutex<Vec<Sum>>,
    parities: Mutex<Vec<Vec<u8>>>,
}

impl Memory {
    /// An empty sum over chunks of a group.
    pub(crate) fn sum(&self, chunk: usize, shard_len: usize) -> Sum {
        let sum = self.sums.lock().unwrap_or_else(PoisonError::into_inner).pop();
        sum.unwrap_or_default().begin(chunk, shard_len)
    }

    /// The first shards of parity of a sum.
    pub(crate) fn parity(&self, mut sum: Sum, count: usize) -> Vec<u8> {
        let mut parity = self.room();
        sum.finish(count, &mut parity);
        self.sums.lock().unwrap_or_else(PoisonError::into_inner).push(sum);
        parity
    }

    /// Memory for parity. What is in it is of no use.
    fn room(&self) -> Vec<u8> {
        self.parities.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Takes the memory of parity back.
    pub(crate) fn give(&self, parity: Vec<u8>) {
        self.parities.lock().unwrap_or_else(PoisonError::into_inner).push(parity);
    }
}

/// The list of the shards of a group, and its parity: all shards of it, one after the other.
pub(crate) struct Digest {
    pub(crate) geometry: Geometry,
    pub(crate) list: Vec<Fingerprint>,
    pub(crate) parity: Vec<u8>,
}

/// The first data of a group that will have shards of the greatest length, and a known chunk.
pub(crate) struct Begun {
    len: usize,
    sum: Sum,
}

impl Begun {
    /// Before the data.
    pub(crate) fn new(chunk: usize, memory: &Memory) -> Self {
        Self { len: 0, sum: memory.sum(chunk, SHARD_MAX) }
    }

    /// How many bytes it has taken.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Takes the next data. All before it were whole chunks. `None` if a thread panicked.
    pub(crate) fn add(&mut self, data: &[u8], threads: NonZeroUsize) -> Option<()> {
        each_chunk(SHARD_MAX, self.len / SHARD_MAX, data, Some(&self.sum), threads, &|_| ())?;
        self.len += data.len();
        Some(())
    }

    /// Ends the group, whose shards have this list. `None` if it has another geometry.
    pub(crate) fn finish(
        self,
        geometry: Geometry,
        list: Vec<Fingerprint>,
        memory: &Memory,
    ) -> Option<Digest> {
        let Self { len, sum } = self;
        let expected = (geometry.len(), geometry.shard_len(), geometry.shards(), chunk_of(&geometry));
        if expected != (len, SHARD_MAX, list.len(), Some(sum.chunk())) {
            return None;
        }
        Some(Digest { geometry, list, parity: memory.parity(sum, geometry.parity()) })
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
    debug_assert_eq!(data.len(), geometry.len());
    let shard_len = geometry.shard_len();
    let sum = chunk_of(geometry).map(|chunk| memory.sum(chunk, shard_len));
    let lists = each_chunk(shard_len, 0, data, sum.as_ref(), threads, &prints(shard_len))?;
    let parity = match sum {
        Some(sum) => memory.parity(sum, geometry.parity()),
        None => parity(geometry, data, threads, memory.room())?,
    };
    Some(Digest { geometry: *geometry, list: lists.into_iter().flatten().collect(), parity })
}

/// Makes the part of a list for the shards in these bytes.
fn prints(shard_len: usize) -> impl Fn(&[u8]) -> Vec<Fingerprint> {
    move |bytes| bytes.chunks(shard_len).map(Fingerprint::of).collect()
}

/// Adds data that begins with the shard `first` of a group to the sum, if there is one. Returns what `of` makes of the
/// shards, which it is called for while they are in the cache. `None` if a thread panicked.
pub(crate) fn each_chunk<T: Send>(
    shard_len: usize,
    first: usize,
    data: &[u8],
    sum: Option<&Sum>,
    threads: NonZeroUsize,
    of: &(impl Fn(&[u8]) -> T + Sync),
) -> Option<Vec<T>> {
    let chunk = sum.map_or(SHARDS_AT_A_TIME, Sum::chunk);
    let each = chunk * SHARDS_MIN.div_ceil(chunk).max(CHUNKS_AT_A_TIME);
    let (parts, next) = (data.chunks(each * shard_len).collect::<Vec<_>>(), AtomicUsize::new(0));
    let run = || {
        let (mut adder, mut done) = (Adder::default(), Vec::new());
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(part) = parts.get(number) else { return done };
            done.push((number, of(part)));
            let Some(sum) = sum else { continue };
            sum.add(part, first + number * each, &mut adder);
        }
    };
    let most = threads.get().min(THREADS_MAX).min(data.len() / THREAD_MIN + 1).min(parts.len());
    let mut done: Vec<_> = parallel(most, &run)?.into_iter().flatten().collect();
    done.sort_unstable_by_key(|(number, _)| *number);
    Some(done.into_iter().map(|(_, done)| done).collect())
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

/// All shards of parity of the data of a group, in this memory. `None` if the code fails, which no input causes.
pub(crate) fn parity(
    geometry: &Geometry,
    data: &[u8],
    threads: NonZeroUsize,
    mut parity: Vec<u8>,
) -> Option<Vec<u8>> {
    debug_assert_eq!(data.len(), geometry.len());
    let (shards, count, shard_len) = (geometry.shards(), geometry.parity(), geometry.shard_len());
    // Each byte is written below.
    parity.resize(count * shard_len, 0);
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
            assert!(
                parity(&geometry, &data, NonZeroUsize::new(threads).unwrap(), Vec::new()).unwrap()
                    == expected
            );
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
            let expected = parity(&geometry, &data, NonZeroUsize::MIN, Vec::new()).unwrap();
            summed += u64::from(chunk_of(&geometry).is_some());
            for threads in [1, 3, 20] {
                let made = digest(&geometry, &data, NonZeroUsize::new(threads).unwrap(), &memory).unwrap();
                assert!(made.parity == expected, "{len} bytes, {share} thousandths");
                assert_eq!(made.list, list);
                memory.give(made.parity);
            }
        }
        assert!(summed >= 5 && memory.sums.lock().unwrap().len() == 1);
        // Memory of parity is taken whether it was added up or not.
        assert_eq!(memory.parities.lock().unwrap().len(), 1);
    }
}
