//! Making records: of a stream while it is written ([`Recorder`]), and of a file for a file beside it ([`protect`]).

use std::io;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::thread::JoinHandle;

use crate::code::{Memory, digest, parallel, warm_up};
use crate::copy::Copied;
use crate::geometry::Geometry;
use crate::group::{Descriptor, Fingerprint, list_bytes, write_records};
use crate::hashes::hash;
use crate::plan::{Planner, Run, Settings};
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

/// Streams that are shorter need few shards of parity, or none that need tables.
const WARM_LEN: usize = 64 << 10;

fn failed() -> io::Error {
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

/// Makes the records of a stream while it is written.
///
/// Records of whole groups are made in the background. What follows such a group waits in memory until its records are
/// written, and is a group itself as a rule. So nothing waits for a computation, and there are at most two spans in memory.
pub struct Recorder {
    planner: Planner,
    threads: NonZeroUsize,
    /// What is in no group yet.
    pending: Vec<u8>,
    /// How many of these bytes are written.
    written: usize,
    /// What is needed for the next records. It is absent while records are made.
    tools: Option<Tools>,
    working: Option<JoinHandle<io::Result<Made>>>,
    is_immediate: bool,
}

/// What is needed to make records, and is needed again.
#[derive(Default)]
struct Tools {
    /// The name of the stream, once its first group is complete.
    stream: Option<u64>,
    memory: Memory,
    /// Memory for the bytes of a group.
    spare: Vec<u8>,
    /// Memory for records.
    records: Vec<u8>,
}

/// Records that were made, in the memory of the tools.
struct Made {
    tools: Tools,
    lens: Vec<usize>,
}

impl Made {
    /// Puts out each record, and gives the tools back.
    fn put(self, mut put: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<Tools> {
        let mut records = &self.tools.records[..];
        for len in self.lens {
            let (record, rest) = records.split_at_checked(len).ok_or_else(failed)?;
            put(record)?;
            records = rest;
        }
        Ok(self.tools)
    }
}

impl Recorder {
    /// At the start of a stream. Parity is computed for streams on so many threads.
    pub fn new(settings: Settings, threads: NonZeroUsize) -> Self {
        Self {
            planner: Planner::new(settings),
            threads,
            pending: Vec::new(),
            written: 0,
            tools: Some(Tools::default()),
            working: None,
            is_immediate: false,
        }
    }

    /// Whether bytes never wait for the records before them, because a reader waits for the bytes.
    pub fn immediate(self, is_immediate: bool) -> Self {
        Self { is_immediate, ..self }
    }

    /// The frame of this length ends behind the bytes that were written.
    pub fn frame(&mut self, len: u64) {
        self.planner.frame(len);
    }

    /// Takes the next bytes of the stream, which are of one frame, and puts out what can be written.
    pub fn write(&mut self, bytes: &[u8], mut put: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let run = self.planner.begin();
        if run.is_some() || self.working.as_ref().is_some_and(JoinHandle::is_finished) {
            self.settle(&mut put)?;
        }
        if let Some(run) = run {
            self.begin(run)?;
            if self.is_immediate {
                self.settle(&mut put)?;
            }
        }
        self.take(bytes);
        if self.working.is_none() {
            self.written = self.pending.len();
            put(bytes)?;
        }
        Ok(())
    }

    /// Puts out all that waits.
    pub fn settle(&mut self, mut put: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        if let Some(working) = self.working.take() {
            let made = working.join().map_err(|_| failed())??;
            self.tools = Some(made.put(&mut put)?);
        }
        let waiting = self.written..self.pending.len();
        self.written = self.pending.len();
        match waiting.is_empty() {
            true => Ok(()),
            false => put(&self.pending[waiting]),
        }
    }

    /// Ends the stream, which ends with this table. Puts out all that stands before the table.
    pub fn finish(&mut self, table: &[u8], mut put: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        self.settle(&mut put)?;
        let end = self.planner.finish((!table.is_empty()).then_some(|_| table.len()));
        let tools = self.tools.take().ok_or_else(failed)?;
        let made = make(&end.run, &self.pending, tools, self.threads)?;
        self.pending.clear();
        self.written = 0;
        let stream = made.tools.stream.unwrap_or_default();
        let set = |first: bool| {
            let copied = end.copied.iter().map(|copied| Copied { stream, ..*copied });
            copied.flat_map(move |copied| {
                let count = usize::from(copied.count);
                let start = if first { 0 } else { count };
                (start..start + count).map(move |number| copied.record(number, table))
            })
        };
        set(true).try_for_each(|record| put(&record))?;
        self.tools = Some(made.put(&mut put)?);
        set(false).try_for_each(|record| put(&record))
    }

    fn take(&mut self, bytes: &[u8]) {
        let needed = self.pending.len() + bytes.len();
        if needed > self.pending.capacity() {
            // Twice as much, but not more than a span if that is enough.
            let room = (2 * self.pending.capacity()).min(self.planner.span()).max(needed);
            self.pending.reserve_exact(room - self.pending.len());
        }
        self.pending.extend_from_slice(bytes);
        if self.pending.len() >= WARM_LEN {
            warm_up();
        }
    }

    /// Begins to make the records of a run, which is pending and all written.
    fn begin(&mut self, run: Run) -> io::Result<()> {
        let mut tools = self.tools.take().ok_or_else(failed)?;
        let data = std::mem::replace(&mut self.pending, std::mem::take(&mut tools.spare));
        self.written = 0;
        // The other threads make the next group meanwhile.
        let threads = if self.is_immediate {
            self.threads
        } else {
            NonZeroUsize::MIN.saturating_add(self.threads.get() / 4)
        };
        let work = move || {
            let mut made = make(&run, &data, tools, threads)?;
            made.tools.spare = data;
            made.tools.spare.clear();
            Ok(made)
        };
        self.working = Some(std::thread::Builder::new().name("recovery".into()).spawn(work)?);
        Ok(())
    }
}

/// Makes the records of a run of groups.
fn make(run: &Run, mut data: &[u8], mut tools: Tools, threads: NonZeroUsize) -> io::Result<Made> {
    tools.records.clear();
    for group in &run.groups {
        let (here, rest) = data.split_at_checked(group.geometry.len()).ok_or_else(failed)?;
        data = rest;
        group_records(group, &mut tools.stream, here, threads, &tools.memory, &mut tools.records)?;
    }
    Ok(Made { tools, lens: run.record_lens().collect() })
}

/// Appends the records of a group. The first group gives the stream its name.
fn group_records(
    group: &Descriptor,
    stream: &mut Option<u64>,
    data: &[u8],
    threads: NonZeroUsize,
    memory: &Memory,
    records: &mut Vec<u8>,
) -> io::Result<()> {
    let made = digest(&group.geometry, data, threads, memory).ok_or_else(failed)?;
    let stream = *stream.get_or_insert_with(|| stream_name(&made.list));
    write_records(&Descriptor { stream, ..*group }, &made.list, made.parity(), records);
    made.reuse(memory);
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
    group_records(group, &mut Some(group.stream), data, threads, memory, &mut records)?;
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

/// Makes the records of a source, and puts them out one after the other. It uses the span and the share of `settings`; the
/// records are bare.
pub fn protect(
    source: &(impl Source + ?Sized),
    settings: Settings,
    threads: NonZeroUsize,
    mut put: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<Protected> {
    let (len, span) = (source.len(), settings.span() as u64);
    let (mut done, mut stream, mut data) = (Protected { len, ..Protected::default() }, None, Vec::new());
    let (memory, mut records) = (Memory::default(), Vec::new());
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
        records.clear();
        group_records(&group, &mut stream, &data, threads, &memory, &mut records)?;
        put(&records)?;
        done.records_len += records.len() as u64;
        done.groups += 1;
        done.shards += geometry.shards() as u64;
        done.parity += geometry.parity() as u64;
        at += here as u64;
        if is_last {
            return Ok(done);
        }
    }
}
