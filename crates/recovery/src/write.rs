//! Making the records of a group, and those of a file for a file beside it ([`protect`]).

use std::io;
use std::num::NonZeroUsize;
use std::sync::Mutex;

use crate::code::{Memory, digest, parallel};
use crate::geometry::Geometry;
use crate::group::{Descriptor, Fingerprint, each_record, list_bytes};
use crate::hashes::hash;
use crate::plan::Settings;
use pzcomp_records::Envelope;

/// Bytes that can be read at any place, by several threads.
pub trait Source: Sync {
    /// How many bytes there are.
    fn len(&self) -> u64;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `bytes` with those from `at` on. The source has so many.
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()>;
}

impl Source for [u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        let start = usize::try_from(at).unwrap_or(usize::MAX);
        let here = self.get(start..).and_then(|rest| rest.get(..bytes.len()));
        bytes.copy_from_slice(here.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// How many shards a thread takes at a time.
const SHARDS_AT_A_TIME: usize = 16;

pub(crate) fn failed() -> io::Error {
    io::Error::other("a thread that computes parity failed")
}

/// Calls `work` with each few shards of a group, on several threads: the number of the first shard, and their bytes.
pub(crate) fn each_shards<T: Send>(
    geometry: &Geometry,
    data: &mut [u8],
    threads: NonZeroUsize,
    work: impl Fn(usize, &mut [u8]) -> io::Result<Vec<T>> + Sync,
) -> io::Result<Vec<T>> {
    let few = data.chunks_mut(SHARDS_AT_A_TIME * geometry.shard_len()).enumerate();
    let count = few.len();
    let queue = Mutex::new(few);
    let run = || {
        let mut done = Vec::new();
        loop {
            let next = queue.lock().ok().and_then(|mut queue| queue.next());
            let Some((number, shards)) = next else { return Ok(done) };
            done.push((number, work(number * SHARDS_AT_A_TIME, shards)?));
        }
    };
    let all = parallel(threads.get().min(count), &run).ok_or_else(failed)?;
    let mut all = all.into_iter().collect::<io::Result<Vec<_>>>()?.concat_sorted();
    Ok(all.drain(..).flat_map(|(_, done)| done).collect())
}

trait ConcatSorted<T> {
    fn concat_sorted(self) -> Vec<(usize, T)>;
}

impl<T> ConcatSorted<T> for Vec<Vec<(usize, T)>> {
    fn concat_sorted(self) -> Vec<(usize, T)> {
        let mut all: Vec<_> = self.into_iter().flatten().collect();
        all.sort_by_key(|(number, _)| *number);
        all
    }
}

/// The hashes of all shards of the data of a group.
pub(crate) fn fingerprints(
    geometry: &Geometry,
    data: &[u8],
    threads: NonZeroUsize,
) -> io::Result<Vec<Fingerprint>> {
    let shards: Vec<&[u8]> = data.chunks(geometry.shard_len()).collect();
    let few: Vec<&[&[u8]]> = shards.chunks(SHARDS_AT_A_TIME).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let Some(shards) = few.get(number) else { return done };
            done.push((number, shards.iter().map(|shard| Fingerprint::of(shard)).collect::<Vec<_>>()));
        }
    };
    let all = parallel(threads.get().min(few.len()), &run).ok_or_else(failed)?;
    Ok(all.concat_sorted().into_iter().flat_map(|(_, prints)| prints).collect())
}

/// The name of the stream whose first group has this list.
pub(crate) fn stream_name(list: &[Fingerprint]) -> u64 {
    hash(&list_bytes(list))
}

/// Puts out the records of a group whose data is known. The first group gives the stream its name.
fn group_records(
    group: &Descriptor,
    stream: &mut Option<u64>,
    data: &[u8],
    threads: NonZeroUsize,
    memory: &Memory,
    put: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let made = digest(&group.geometry, data, threads, memory).ok_or_else(failed)?;
    let stream = *stream.get_or_insert_with(|| stream_name(&made.list));
    each_record(&Descriptor { stream, ..*group }, &made.list, &made.parity, put)?;
    memory.give(made.parity);
    Ok(())
}

/// The records of a group whose data is known.
pub(crate) fn records_again(
    group: &Descriptor,
    data: &[u8],
    threads: NonZeroUsize,
    memory: &Memory,
) -> io::Result<Vec<u8>> {
    let mut records = Vec::new();
    group_records(group, &mut Some(group.stream), data, threads, memory, |record| {
        records.extend_from_slice(record);
        Ok(())
    })?;
    Ok(records)
}

/// What [`protect`] wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Protected {
    /// Bytes of the source.
    pub len: u64,
    /// Groups.
    pub groups: u64,
    /// Shards of data.
    pub shards: u64,
    /// Shards of parity.
    pub parity: u64,
    /// Bytes of all records.
    pub records_len: u64,
}

/// Makes the records of a source, and puts them out one after the other. It uses the span and the share of `settings`;
/// the records are bare.
pub fn protect(
    source: &(impl Source + ?Sized),
    settings: Settings,
    threads: NonZeroUsize,
    mut put: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<Protected> {
    let (len, span) = (source.len(), settings.span() as u64);
    let (mut done, mut stream, mut data) = (Protected { len, ..Protected::default() }, None, Vec::new());
    let memory = Memory::default();
    let mut at = 0;
    loop {
        let here = (len - at).min(span) as usize;
        data.resize(here, 0);
        let geometry = Geometry::of(here, settings.share);
        each_shards(&geometry, &mut data, threads, |first, bytes| {
            source.read_at(bytes, at + (first * geometry.shard_len()) as u64)?;
            Ok(Vec::<()>::new())
        })?;
        let is_last = at + here as u64 == len;
        let group = Descriptor { stream: 0, offset: at, gap: 0, geometry, envelope: Envelope::Bare, is_last };
        group_records(&group, &mut stream, &data, threads, &memory, |record| {
            done.records_len += record.len() as u64;
            put(record)
        })?;
        done.groups += 1;
        done.shards += geometry.shards() as u64;
        done.parity += geometry.parity() as u64;
        at += here as u64;
        if is_last {
            return Ok(done);
        }
    }
}
