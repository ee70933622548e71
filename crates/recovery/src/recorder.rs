//! [`Recorder`]: makes the records of a stream while it is written.
//!
//! All bytes of a group must be there before the length of its shards is known. But beyond a certain length
//! ([`Settled`]), it is always the same. So the recorder keeps so many bytes. Then it adds them up, chunk by chunk, and
//! the next bytes of the group take the place of those that were added. So each call takes a few milliseconds at most,
//! and other threads need not wait. Each shard of the settled length is hashed when it was taken, because it is in the
//! cache then. If the group turns out to have shorter shards, these hashes are of no use.

use std::io;
use std::num::NonZeroUsize;
use std::ops::Range;

use crate::code::{Begun, CHUNKS_AT_A_TIME, Digest, Memory, digest};
use crate::copy::Copied;
use crate::field::warm_up;
use crate::geometry::{Geometry, SHARD_MAX, Settled};
use crate::group::{Descriptor, Fingerprint, each_record};
use crate::plan::{Planner, Run, Settings};
use crate::write::{failed, stream_name};

/// Streams that are shorter need few shards of parity, or none that need tables.
const WARM_LEN: usize = 64 << 10;

/// Streams of so many bytes take no more memory than twice their length.
const SHORT_LEN: usize = 2 << 20;

/// Makes the records of a stream while it is written.
pub struct Recorder {
    planner: Planner,
    settings: Settings,
    settled: Option<Settled>,
    threads: NonZeroUsize,
    /// The bytes of the last group that are not added up, a ring of the settled length. If no length is settled, these
    /// are all bytes of the run.
    pending: Vec<u8>,
    /// How many bytes of the last group were taken.
    taken: usize,
    /// The list of its whole shards, if they turn out to have the greatest length.
    list: Vec<Fingerprint>,
    /// The first bytes of the last group, added up.
    begun: Option<Begun>,
    /// The other groups of the run.
    complete: Vec<Digest>,
    /// The name of the stream, once its first group is complete.
    stream: Option<u64>,
    memory: Memory,
}

impl Recorder {
    /// At the start of a stream. Parity is computed on so many threads.
    pub fn new(settings: Settings, threads: NonZeroUsize) -> Self {
        Self {
            planner: Planner::new(settings),
            settings,
            settled: settings.settled(),
            threads,
            pending: Vec::new(),
            taken: 0,
            list: Vec::new(),
            begun: None,
            complete: Vec::new(),
            stream: None,
            memory: Memory::default(),
        }
    }

    /// The frame of this length ends behind the bytes that were written.
    pub fn frame(&mut self, len: u64) {
        self.planner.frame(len);
    }

    /// Takes the next bytes of the stream, which are of one frame, and puts them out. Records may stand before them.
    pub fn write(&mut self, bytes: &[u8], mut put: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        if let Some(run) = self.planner.begin() {
            let made = self.end(&run)?;
            self.put_records(&run, made, &mut put)?;
        }
        put(bytes)?;
        self.take(bytes)
    }

    /// Ends the stream, which ends with this table. Puts out all that stands before the table.
    pub fn finish(&mut self, table: &[u8], mut put: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let end = self.planner.finish((!table.is_empty()).then_some(|_| table.len()));
        let made = self.end(&end.run)?;
        let stream = self.stream.unwrap_or_default();
        let set = |first: bool| {
            let copied = end.copied.iter().map(|copied| Copied { stream, ..*copied });
            copied.flat_map(move |copied| {
                let count = usize::from(copied.count);
                let start = if first { 0 } else { count };
                (start..start + count).map(move |number| copied.record(number, table))
            })
        };
        set(true).try_for_each(|record| put(&record))?;
        self.put_records(&end.run, made, &mut put)?;
        set(false).try_for_each(|record| put(&record))
    }

    fn take(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let Some(settled) = self.settled else {
            self.keep(bytes, self.settings.span());
            return Ok(());
        };
        let (span, many) = (self.settings.span(), CHUNKS_AT_A_TIME * (1 + self.threads.get() / 4));
        while !bytes.is_empty() {
            if self.taken == span {
                self.cut(settled)?;
            }
            if self.taken == self.added() + settled.len {
                self.add(settled, many)?;
            }
            let (free, place) = (settled.len - (self.taken - self.added()), self.taken % settled.len);
            let room = free.min(SHARD_MAX - place % SHARD_MAX).min(span - self.taken);
            let (here, rest) = bytes.split_at(bytes.len().min(room));
            match self.taken < settled.len {
                true => self.keep(here, settled.len),
                false => self.pending[place..place + here.len()].copy_from_slice(here),
            }
            self.taken += here.len();
            bytes = rest;
            if self.taken.is_multiple_of(SHARD_MAX) {
                // The shard is in the cache now.
                let end = place + here.len();
                self.list.push(Fingerprint::of(&self.pending[end - SHARD_MAX..end]));
            }
            // Bytes are added faster than they come, so that few are left at the end.
            let beyond = self.taken.saturating_sub(settled.len);
            let due = (beyond as u64 * settled.cut as u64 / (span - settled.len) as u64) as usize;
            while due.saturating_sub(self.added()) >= many * settled.chunk_len() {
                self.add(settled, many)?;
            }
        }
        Ok(())
    }

    /// Appends bytes. `most` is how many there are as a rule at most.
    fn keep(&mut self, bytes: &[u8], most: usize) {
        let needed = self.pending.len() + bytes.len();
        if needed > self.pending.capacity() {
            // A longer stream gets all of the ring at once. So nothing is moved, and the system can give huge pages:
            // the first bytes of the ring do not cost a fault for each 4 KiB.
            let is_long = self.settled.is_some() && needed > SHORT_LEN;
            let room = if is_long { most } else { (2 * self.pending.capacity()).min(most) }.max(needed);
            self.pending.reserve_exact(room - self.pending.len());
        }
        self.pending.extend_from_slice(bytes);
        if self.pending.len() >= WARM_LEN {
            warm_up();
        }
    }

    /// How many bytes of the last group were added up.
    fn added(&self) -> usize {
        self.begun.as_ref().map_or(0, Begun::len)
    }

    /// Adds up so many chunks of the last group, or fewer at the end of the ring.
    fn add(&mut self, settled: Settled, chunks: usize) -> io::Result<()> {
        let start = self.added() % settled.len;
        let end = (start + chunks * settled.chunk_len()).min(settled.len);
        let begun = self.begun.get_or_insert_with(|| Begun::new(settled.chunk, &self.memory));
        begun.add(&self.pending[start..end], self.threads).ok_or_else(failed)
    }

    /// Ends a group, because the run is longer than the span. The end of the span begins the next group.
    fn cut(&mut self, settled: Settled) -> io::Result<()> {
        while self.added() < settled.cut {
            self.add(settled, (settled.cut - self.added()) / settled.chunk_len())?;
        }
        let behind = rest(&self.pending, self.added()..self.taken).concat();
        self.pending.clear();
        self.pending.extend(behind);
        self.taken = self.pending.len();
        let begun = self.begun.take().ok_or_else(failed)?;
        let geometry = Geometry::streamed(settled.cut, self.settings.share, self.settled);
        let behind = self.list.split_off(geometry.shards());
        let list = std::mem::replace(&mut self.list, behind);
        self.complete.push(begun.finish(geometry, list, &self.memory).ok_or_else(failed)?);
        Ok(())
    }

    /// Makes the parity of a run, whose data was taken.
    fn end(&mut self, run: &Run) -> io::Result<Vec<Digest>> {
        let (mut all, added) = (std::mem::take(&mut self.complete), self.added());
        let mut groups = run.groups.iter().map(|group| group.geometry).skip(all.len());
        if let Some(mut begun) = self.begun.take() {
            for data in rest(&self.pending, added..self.taken) {
                begun.add(data, self.threads).ok_or_else(failed)?;
            }
            let short = self.taken - self.taken % SHARD_MAX..self.taken;
            let (geometry, mut list) = (groups.next().ok_or_else(failed)?, std::mem::take(&mut self.list));
            if !short.is_empty() {
                list.push(Fingerprint::of(rest(&self.pending, short)[0]));
            }
            all.push(begun.finish(geometry, list, &self.memory).ok_or_else(failed)?);
        }
        let mut data = &self.pending[..];
        for geometry in groups {
            let (here, rest) = data.split_at_checked(geometry.len()).ok_or_else(failed)?;
            all.push(digest(&geometry, here, self.threads, &self.memory).ok_or_else(failed)?);
            data = rest;
        }
        let are_planned =
            all.iter().map(|made| made.geometry).eq(run.groups.iter().map(|group| group.geometry));
        are_planned.then_some(()).ok_or_else(failed)?;
        self.pending.clear();
        self.list.clear();
        self.taken = 0;
        let first = all.first().ok_or_else(failed)?;
        self.stream.get_or_insert_with(|| stream_name(&first.list));
        Ok(all)
    }

    /// Puts out the records of a run.
    fn put_records(
        &self,
        run: &Run,
        made: Vec<Digest>,
        put: &mut impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let stream = self.stream.unwrap_or_default();
        for (group, made) in run.groups.iter().zip(made) {
            each_record(&Descriptor { stream, ..*group }, &made.list, &made.parity, &mut *put)?;
            self.memory.give(made.parity);
        }
        Ok(())
    }
}

/// This range of the bytes of a group, in a ring: up to its end, and from its start on.
fn rest(ring: &[u8], range: Range<usize>) -> [&[u8]; 2] {
    let start = range.start % ring.len().max(1);
    let first = range.len().min(ring.len() - start);
    [&ring[start..start + first], &ring[..range.len() - first]]
}

#[cfg(test)]
mod tests {
    use pzcomp_records::Envelope;

    use super::*;
    use crate::code::tests::random;
    use crate::geometry::Share;

    #[test]
    fn groups_that_are_added_up_early_have_the_same_records() {
        let settings =
            Settings { share: Share::per_mille(125).unwrap(), span: 32 << 20, envelope: Envelope::Skippable };
        let two = NonZeroUsize::new(2).unwrap();
        let (mut planner, mut recorder) = (Planner::new(settings), Recorder::new(settings, two));
        let (data, mut written, mut runs) = (random((33 << 20) + 5), Vec::new(), Vec::new());
        let mut put = |bytes: &[u8]| {
            written.extend_from_slice(bytes);
            Ok(())
        };
        for len in [18 << 20, data.len(), 3 << 20] {
            runs.extend(planner.begin());
            for piece in data[..len].chunks(1_000_003) {
                recorder.write(piece, &mut put).unwrap();
            }
            planner.frame(len as u64);
            recorder.frame(len as u64);
        }
        runs.push(planner.finish(None::<fn(usize) -> usize>).run);
        recorder.finish(&[], put).unwrap();
        let lens: Vec<Vec<usize>> =
            runs.iter().map(|run| run.groups.iter().map(|group| group.geometry.len()).collect()).collect();
        // The first group is longer than the settled 16 MiB. The second run is longer than the span.
        assert_eq!(lens, [vec![18 << 20], vec![28 << 20, (5 << 20) + 5], vec![3 << 20]]);
        let (memory, mut end) = (Memory::default(), 0);
        for group in runs.iter().flat_map(|run| &run.groups) {
            let start = group.offset as usize;
            let made =
                digest(&group.geometry, &written[start..][..group.geometry.len()], two, &memory).unwrap();
            let group = Descriptor { stream: recorder.stream.unwrap(), ..*group };
            end = group.records_at() as usize;
            each_record(&group, &made.list, &made.parity, |record| {
                assert!(written[end..].starts_with(record), "{group:?}");
                end += record.len();
                Ok(())
            })
            .unwrap();
            memory.give(made.parity);
        }
        assert_eq!(end, written.len());
    }
}
