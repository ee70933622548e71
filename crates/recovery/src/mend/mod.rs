//! Mending: finds what is damaged in a source with records, and puts out the whole data as it was written.
//!
//! [`mend`] goes through the streams and their groups in order. The data of a group is found or restored and every
//! shard of it is verified by its hash; then the records of the group are verified, and made again from the data if
//! anything is wrong with them. So the output is what was written, byte for byte, or the report says what is lacking.
//! Without an output, everything is only examined.

mod extent;
mod output;
mod records;

use std::io;
use std::num::NonZeroUsize;
use std::ops::Range;

use crate::code::{Memory, parity};
use crate::find::{Search, read_clipped};
use crate::group::{Descriptor, Fingerprint};
use crate::report::{DamagedGroup, Report};
use crate::solve::restore;
use crate::streams::{Place, Stream, Streams};
use crate::survey::survey;
use crate::write::{Source, fingerprints};
use extent::Tiles;
use records::Examined;

/// Takes the whole data. The bytes come in any order, and each byte comes once.
pub trait Sink {
    /// Takes bytes of the data.
    fn data(&mut self, bytes: &[u8], at: u64) -> io::Result<()>;

    /// Takes bytes of the file beside the data, if the records are there.
    fn beside(&mut self, bytes: &[u8], at: u64) -> io::Result<()> {
        let _ = (bytes, at);
        Ok(())
    }
}

/// The records cover at most so many times the bytes that are there, because a share of more than all is not written.
const COVERED_MAX: u64 = 4;
/// Shards are searched at every place in at most so many times the bytes that are there.
const ROLLED_MAX: u64 = 16;
/// A short file may be lost but for a record.
const GEOMETRY_SLACK: u64 = 1 << 20;

/// What is mended, and how.
pub struct Mend<'a> {
    /// The damaged data.
    pub source: &'a dyn Source,
    /// The file beside it, if the records are there.
    pub beside: Option<&'a dyn Source>,
    /// Whether a range of the source, which belongs to no stream, is whole by itself.
    pub is_whole: &'a dyn Fn(Range<u64>) -> bool,
    /// On how many threads parity is computed.
    pub threads: NonZeroUsize,
    /// Whether nothing is put out if all of the source is as it was written.
    pub only_damaged: bool,
}

/// Finds what is damaged, and puts the whole data out if there is a sink. The output is right only if the report says
/// that everything can be mended. If only groups are lost, the output is as long as the whole data, and the rest of it
/// is right.
pub fn mend<'a>(mend: &'a Mend<'a>, sink: Option<&'a mut (dyn Sink + 'a)>) -> io::Result<Report> {
    let mut streams = survey(mend.beside.unwrap_or(mend.source), mend.beside.is_some(), mend.threads)?;
    if !streams.inner.is_empty() {
        let (_, firsts) = Run::new(mend, None).all(&streams)?;
        if streams.correct(&firsts) {
            let mut report = Run::new(mend, None).all(&streams)?.0;
            report.gap(
                "it cannot be seen whether a stream with recovery records is inside of another one".into(),
            );
            return Ok(report);
        }
    }
    Ok(Run::new(mend, sink).all(&streams)?.0)
}

/// The first place at which a shard of a stream was found, and the base by which it was found.
type First = Option<(i64, i64)>;

/// The state of a run over all streams.
struct Run<'a> {
    mend: &'a Mend<'a>,
    sink: Option<&'a mut (dyn Sink + 'a)>,
    report: Report,
    /// Memory for a group, which is reused.
    data: Vec<u8>,
    /// The bases by which shards were found in the group before.
    bases: Vec<i64>,
    /// A range before the stream that is not whole.
    doubtful: Option<Range<u64>>,
    /// The last place in the source that belongs to the streams before.
    used: i64,
    /// The first place at which a shard of the stream was found, and the base by which it was found.
    first: First,
    /// Where the streams are that seem to be stored inside the data of others.
    inner: Vec<(i64, i64)>,
    /// How long the records beside the data are so far.
    beside_at: u64,
    /// Through how many bytes shards were searched at every place.
    rolled: u64,
    memory: Memory,
    /// The ranges of the source that are right and at their place, in the order in which they are put out. Absent when
    /// the output has begun.
    same: Option<Vec<Range<u64>>>,
}

impl<'a> Run<'a> {
    fn new(mend: &'a Mend<'a>, sink: Option<&'a mut (dyn Sink + 'a)>) -> Self {
        Self {
            mend,
            sink,
            report: Report { source_len: mend.source.len(), ..Report::default() },
            data: Vec::new(),
            bases: Vec::new(),
            doubtful: None,
            used: i64::MIN,
            first: None,
            inner: Vec::new(),
            beside_at: 0,
            rolled: 0,
            memory: Memory::default(),
            same: Some(Vec::new()),
        }
    }

    /// Mends all streams. Returns the first place at which a shard of each of them was found, too.
    fn all(mut self, streams: &Streams) -> io::Result<(Report, Vec<First>)> {
        let (mut seen, mut firsts) = (0, Vec::new());
        self.inner = streams.inner.iter().map(Stream::span).collect();
        let source_end = self.mend.source.len() as i64;
        for (number, stream) in streams.outer.iter().enumerate() {
            if self.mend.beside.is_none() && !self.between(seen..stream.base)? {
                // Bytes before the records may be missing or inserted. Then the records are at other places than the
                // data.
                let base = self.begin_of(stream, seen)?.unwrap_or(stream.base);
                self.doubtful.take_if(|_| base != stream.base);
                if base != stream.base {
                    self.between(seen..base)?;
                }
            }
            let next = streams.outer.get(number + 1).map_or(source_end, |next| next.base);
            seen = self.stream(stream, seen..next)?;
            self.used = stream.data_end();
            firsts.push(self.first.take());
        }
        match self.mend.beside {
            Some(beside) => {
                self.report.dropped_len += beside.len().abs_diff(self.beside_at);
                // What was appended is kept if it is whole. Otherwise it is left out: the records say where the data
                // ends. Bytes that were inserted before push intact data behind that place.
                if self.report.moved_shards == 0 && !self.between(seen..source_end)? {
                    self.doubtful = None;
                }
            }
            None if !streams.outer.is_empty() => _ = self.between(seen..source_end)?,
            None => {}
        }
        self.refuse();
        if !(self.mend.only_damaged && self.report.is_intact()) {
            self.begin()?;
        }
        Ok((self.report, firsts))
    }

    /// Mends a stream, which lies between what was seen in the source and the next stream. Returns the place behind it.
    fn stream(&mut self, stream: &Stream, between: Range<i64>) -> io::Result<i64> {
        self.report.streams += 1;
        let out = self.report.whole_len;
        let Some(Tiles { end, is_cut }) = self.tile(stream, out) else {
            self.refuse();
            // Nobody knows where the rest would be.
            self.sink = None;
            self.report.whole_len += stream.extent;
            return Ok(stream.base + stream.extent as i64);
        };
        self.bases = vec![between.start, stream.base];
        if self.mend.beside.is_some() && end != self.mend.source.len() {
            self.bases.push(self.mend.source.len() as i64 - end as i64);
        }
        for (group, places) in stream.groups.values() {
            self.group(group, places, stream.extent, out)?;
        }
        self.refuse();
        let mut base = stream
            .groups
            .values()
            .flat_map(|(_, places)| places)
            .last()
            .map_or(stream.base, |last| last.base);
        self.report.whole_len += end;
        let mut behind = base + end as i64;
        if is_cut {
            // The rest stays as it is. It is at its place behind the groups that are mended.
            let end_of_rest = between.end.max(0);
            let rest = behind.clamp(0, end_of_rest) as u64..end_of_rest as u64;
            self.copy(rest.clone(), out + end)?;
            self.report.whole_len += rest.end - rest.start;
            return Ok(between.end);
        }
        if let Some((copied, places)) = &stream.copied {
            base = places.last().map_or(base, |last| last.base);
            behind = base + end as i64;
            if self.copied(copied, places, base, out, between.end)? {
                behind = between.end;
            }
        }
        Ok(behind)
    }

    /// Mends a group of a stream of this extent: its data, then its records.
    fn group(&mut self, group: &Descriptor, places: &[Place], extent: u64, out: u64) -> io::Result<()> {
        let geometry = group.geometry;
        self.report.groups += 1;
        self.report.covered_len += geometry.len() as u64;
        let possible = self.mend.source.len() + self.mend.beside.map_or(0, Source::len);
        if self.report.covered_len > COVERED_MAX * possible + GEOMETRY_SLACK {
            self.report.gap("the records claim far more data than there can have been".into());
            return Ok(());
        }
        self.report.shards += geometry.shards() as u64;
        self.report.parity += geometry.parity() as u64;
        let beside_at = self.beside_at;
        let records_at = if self.mend.beside.is_some() { beside_at } else { out + group.records_at() };
        let lens = group.record_lens();
        self.beside_at += lens.iter().sum::<usize>() as u64;
        let Examined { list, parity, intact } = self.examine(group, places, records_at)?;
        let damaged_records = lens.len() as u64 - intact;
        self.report.damaged_records += damaged_records;
        let mut described = DamagedGroup {
            offset: out + group.offset,
            len: geometry.len() as u64,
            shards: geometry.shards() as u64,
            damaged: 0,
            parity: geometry.parity() as u64,
            intact_parity: parity.len() as u64,
            lacking: 0,
        };
        let mut bases: Vec<i64> =
            places.iter().map(|place| place.base).chain(self.bases.iter().rev().copied()).collect();
        if self.mend.beside.is_some() {
            bases = self.bases.iter().rev().copied().chain([0]).collect();
        }
        let mut known = Vec::new();
        bases.retain(|base| {
            !known.contains(base) && {
                known.push(*base);
                known.len() <= 32
            }
        });
        let home = out as i64;
        let list = match list {
            Some(list) => list,
            None => match self.without_list(group, &parity, &bases)? {
                Some(list) => list,
                None => {
                    described.damaged = described.shards;
                    described.lacking = described.shards.saturating_sub(described.intact_parity).max(1);
                    self.report.damaged_shards += described.shards;
                    self.report.group(described);
                    let mut data = std::mem::take(&mut self.data);
                    if self.sink.is_some() {
                        read_clipped(self.mend.source, &mut data, bases[0] + group.offset as i64)?;
                        self.put(&data, out + group.offset)?;
                        self.put_damaged_records(group, places, records_at)?;
                    }
                    self.data = data;
                    return Ok(());
                }
            },
        };
        let data = std::mem::take(&mut self.data);
        let (source, threads) = (self.mend.source, self.mend.threads);
        let mut search = Search::new(source, group.offset, geometry, &list, [home, bases[0]], data, threads)?;
        for &base in &bases[1..] {
            if search.missing() > 0 {
                search.try_base(base)?;
            }
        }
        if search.missing() > parity.len() {
            let around = self.around(group, &bases, source.len());
            if self.may_roll(&around) {
                search.roll(around)?;
            }
            for base in search.bases.clone() {
                search.try_base(base)?;
            }
        }
        let missing = search.missing();
        if missing > parity.len() && self.sink.is_some() {
            search.take_damaged()?;
        }
        self.first = self.first.into_iter().chain(search.first).min();
        if self.mend.beside.is_none() && search.first.is_some_and(|(first, _)| first < self.used) {
            self.report.gap("two streams with recovery records lie inside of each other".into());
        }
        let Search { mut data, is_there, moved, bases: found, .. } = search;
        self.report.moved_shards += moved;
        self.report.damaged_shards += missing as u64;
        described.damaged = missing as u64;
        described.lacking = missing.saturating_sub(parity.len()) as u64;
        if self.mend.beside.is_none() {
            self.bases = places.iter().map(|place| place.base).collect();
        }
        self.recognise(&found, extent);
        self.bases.extend(found);
        self.bases.dedup();
        if described.lacking == 0 && self.sink.is_some() {
            let range = out + group.offset..out + group.offset + geometry.len() as u64;
            let is_same = missing == 0 && moved == 0 && damaged_records == 0;
            let is_right = restore(&geometry, &mut data, &is_there, &parity, threads, &self.memory).is_some()
                && (0..geometry.shards())
                    .all(|shard| is_there[shard] || list[shard].fits(&data[geometry.range(shard)]));
            if is_same && self.is_noted(range) {
                let records_end = records_at + lens.iter().sum::<usize>() as u64;
                match self.mend.beside {
                    Some(_) => self.put_records(group, places, false, &data, records_at)?,
                    None => _ = self.is_noted(records_at..records_end),
                }
            } else if is_right {
                self.put(&data, out + group.offset)?;
                self.put_records(group, places, damaged_records > 0, &data, records_at)?;
            } else {
                described.lacking = missing.max(1) as u64;
            }
        }
        if described.lacking > 0 && self.sink.is_some() {
            self.put(&data, out + group.offset)?;
            self.put_damaged_records(group, places, records_at)?;
        }
        if described.damaged > 0 || described.lacking > 0 {
            self.report.group(described);
        }
        self.data = data;
        Ok(())
    }

    /// Whether shards are searched at every place of this range. Groups follow each other, so all of them together are
    /// searched for in a few times the source. Groups that are claimed to be in the same place would each be searched
    /// for in all of it.
    fn may_roll(&mut self, around: &Range<i64>) -> bool {
        let may = self.rolled <= ROLLED_MAX * self.mend.source.len() + GEOMETRY_SLACK;
        if may {
            self.rolled += around.end.saturating_sub(around.start) as u64;
        }
        may
    }

    /// Where the data of a group may be.
    fn around(&self, group: &Descriptor, bases: &[i64], len: u64) -> Range<i64> {
        let geometry = &group.geometry;
        let (least, most) = (bases.iter().min().copied(), bases.iter().max().copied());
        let slack = (geometry.parity() * geometry.shard_len() + 4 * geometry.shard_len()) as i64;
        let start = least.unwrap_or(0) + group.offset as i64 - slack;
        let end = most.unwrap_or(0) + (group.offset + geometry.len() as u64) as i64 + slack;
        start.max(0)..end.min(len as i64)
    }

    /// The list of a group whose two lists are lost, if its data is intact: then its parity is that of the records.
    fn without_list(
        &mut self,
        group: &Descriptor,
        found: &[(usize, Vec<u8>)],
        bases: &[i64],
    ) -> io::Result<Option<Vec<Fingerprint>>> {
        let (geometry, threads) = (group.geometry, self.mend.threads);
        let mut data = std::mem::take(&mut self.data);
        data.resize(geometry.len(), 0);
        let bases = bases.iter().filter(|_| !found.is_empty());
        let mut made = Vec::new();
        for &base in bases {
            read_clipped(self.mend.source, &mut data, base + group.offset as i64)?;
            made = parity(&geometry, &data, threads, std::mem::take(&mut made)).unwrap_or_default();
            let agrees = |(number, shard): &(usize, Vec<u8>)| {
                made.get(number * geometry.shard_len()..).is_some_and(|made| made.starts_with(shard))
            };
            if found.iter().all(agrees) {
                let list = fingerprints(&geometry, &data, threads)?;
                self.data = data;
                return Ok(Some(list));
            }
        }
        self.data = data;
        Ok(None)
    }
}
