//! Finds all records in a source, and sorts them into streams and groups.
//!
//! Nothing is believed but the records whose heads are right, and even they may be forged or belong to a file that is
//! stored inside this one. A record states where it is in its stream, so each record also says where the stream begins:
//! its *base*, the place of the stream's first byte in the source. Missing and inserted bytes make the bases of a
//! stream differ a little. A file of several parts, which were made apart and then joined, has a stream for each part.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use memchr::memmem;

use crate::code::parallel;
use crate::copy::{self, Copied};
use crate::group::{self, Descriptor, GroupRecord};
use crate::hashes::hash;
use crate::streams::{Place, Stream, Streams};
use crate::write::Source;
use pzcomp_records::Envelope;
use pzcomp_records::{HEADER_LEN, MAGIC, RECORD_MAX, Record};

/// How many bytes a thread searches at a time.
const SEGMENT_LEN: u64 = 4 << 20;
/// How many bytes a search in a segment may hash in vain, as a multiple of its length.
const EFFORT: usize = 16;
/// So many records are always allowed, and one more for each 4096 bytes.
const RECORDS_ALLOWED: u64 = 1 << 20;

/// What a record belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Owner {
    Group(Descriptor),
    Copy(Copied),
}

impl Owner {
    fn stream(&self) -> u64 {
        match self {
            Self::Group(group) => group.stream,
            Self::Copy(copied) => copied.stream,
        }
    }

    fn envelope(&self) -> Envelope {
        match self {
            Self::Group(group) => group.envelope,
            Self::Copy(copied) => copied.envelope,
        }
    }

    /// The length of the stream, if this is its end.
    fn stream_len(&self) -> Option<u64> {
        match self {
            Self::Group(group) if group.envelope == Envelope::Bare => None,
            Self::Group(group) => group.is_last.then(|| self.record_places().1),
            Self::Copy(copied) => Some(copied.offset + u64::from(copied.len)),
        }
    }

    /// Where each record begins in the stream, without its envelope, and where the last one ends.
    fn record_places(&self) -> (Vec<u64>, u64) {
        let start = self.envelope().start_len() as u64;
        let (lens, mut at) = match self {
            Self::Group(group) => (group.record_lens(), group.records_at()),
            Self::Copy(copied) => {
                let lens = copied.record_lens();
                let places =
                    (0..2 * lens.len()).map(|number| copied.record_at(number, &lens) + start).collect();
                return (places, copied.offset);
            }
        };
        let place = |len: &usize| {
            let place = at + start;
            at += *len as u64;
            place
        };
        let places = lens.iter().map(place).collect();
        (places, at)
    }
}

/// All records of a source, in order.
#[derive(Default)]
struct Found {
    owners: Vec<Owner>,
    numbers: BTreeMap<Vec<u8>, u32>,
    records: Vec<FoundRecord>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct FoundRecord {
    at: u64,
    /// The number of its owner.
    owner: u32,
    /// Its number in the owner.
    number: u16,
    /// Whether its content is right too. If only the head is, it may be the copy of a sector that was written to a
    /// wrong place.
    is_whole: bool,
}

/// Finds all records whose envelopes are bare, or are not, and the streams they belong to, in their order. Of bare
/// records only the longest stream counts, because such a file is about one other file.
pub(crate) fn survey(
    source: &(impl Source + ?Sized),
    is_bare: bool,
    threads: NonZeroUsize,
) -> io::Result<Streams> {
    let len = source.len();
    let allowed = RECORDS_ALLOWED + len / 4096;
    let (next, found) = (AtomicU64::new(0), Mutex::new(Found::default()));
    let run = || -> io::Result<()> {
        let mut buffer = Vec::new();
        loop {
            let start = next.fetch_add(SEGMENT_LEN, Ordering::Relaxed);
            if start >= len {
                return Ok(());
            }
            let here = (SEGMENT_LEN + RECORD_MAX as u64).min(len - start) as usize;
            buffer.resize(here, 0);
            source.read_at(&mut buffer, start)?;
            let records = in_segment(&buffer, start, is_bare);
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            if found.records.len() as u64 + records.len() as u64 > allowed {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!(
                        "there are more than {allowed} recovery records in {len} bytes, which no program writes"
                    ),
                ));
            }
            // A table that is longer than the file is a lie.
            let fits = |owner: &Owner| !matches!(owner, Owner::Copy(copied) if u64::from(copied.len) > len);
            for Hit { at, owner, number, is_whole, key } in records.into_iter().filter(|hit| fits(&hit.owner))
            {
                let next = found.owners.len() as u32;
                let place = *found.numbers.entry(key).or_insert(next);
                if place == next {
                    found.owners.push(owner);
                }
                found.records.push(FoundRecord { at, owner: place, number: number as u16, is_whole });
            }
        }
    };
    let workers = threads.get().min(len.div_ceil(SEGMENT_LEN) as usize);
    let all =
        parallel(workers, &run).ok_or_else(|| io::Error::other("a thread that looks for records failed"))?;
    all.into_iter().collect::<io::Result<()>>()?;
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.records.sort_unstable();
    let streams = streams(&found, len);
    Ok(match is_bare {
        true => Streams {
            outer: streams.into_iter().max_by_key(|stream| stream.extent).into_iter().collect(),
            inner: Vec::new(),
        },
        false => Streams::sort(streams),
    })
}

/// A record in a segment.
struct Hit {
    at: u64,
    owner: Owner,
    number: usize,
    is_whole: bool,
    /// All that two records of an owner have in common.
    key: Vec<u8>,
}

/// The records that begin in a segment.
fn in_segment(bytes: &[u8], start: u64, is_bare: bool) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    let (mut from, mut effort) = (0, EFFORT * bytes.len() + RECORD_MAX);
    let finder = memmem::Finder::new(&MAGIC);
    while let Some(at) = finder.find(&bytes[from..]).map(|place| from + place) {
        from = at + 1;
        if at as u64 >= SEGMENT_LEN {
            break;
        }
        let rest = &bytes[at..];
        let claimed = rest.get(6..8).map_or(0, |len| usize::from(u16::from_le_bytes([len[0], len[1]])));
        if effort < claimed || rest.len() < claimed {
            continue;
        }
        effort -= claimed;
        let Some(record) = Record::parse(rest) else { continue };
        let hit = match record.kind {
            group::KIND => GroupRecord::parse(&record).map(|found| Hit {
                at: at as u64 + start,
                owner: Owner::Group(found.group),
                number: found.number,
                is_whole: found.parity().count() == found.shape.parity.len(),
                key: [&record.head[..28], &record.head[30..32]].concat(),
            }),
            copy::KIND => Copied::parse(&record).map(|(copied, number, expected)| Hit {
                at: at as u64 + start,
                owner: Owner::Copy(copied),
                number,
                is_whole: hash(record.content) == expected,
                key: [&record.head[..24], &record.head[26..29], b"copy"].concat(),
            }),
            _ => None,
        };
        if let Some(hit) = hit.filter(|hit| (hit.owner.envelope() == Envelope::Bare) == is_bare) {
            hits.push(hit);
            // The content may be cut off, and other records may follow the cut.
            from = at + HEADER_LEN + record.head.len();
            effort += claimed;
        }
    }
    hits
}

/// Sorts records into streams.
fn streams(found: &Found, source_len: u64) -> Vec<Stream> {
    // Whole records decide which streams there are.
    let owners = || found.records.iter().filter(|record| record.is_whole).map(|record| record.owner);
    let founded: BTreeSet<u64> = owners().map(|owner| found.owners[owner as usize].stream()).collect();
    let decides = |record: &FoundRecord, owner: &Owner| record.is_whole || !founded.contains(&owner.stream());
    // A whole stream may follow with the same name, because it is the same: then its records are found again.
    let mut equal: BTreeMap<u64, Vec<Stream>> = BTreeMap::new();
    let lens: BTreeMap<u64, u64> =
        found.owners.iter().filter_map(|owner| Some((owner.stream(), owner.stream_len()?))).collect();
    for (owner, place, end) in placed(found, decides) {
        let streams = equal.entry(owner.stream()).or_default();
        let len = lens.get(&owner.stream()).copied();
        if streams.last().is_none_or(|newest| newest.begins_again(owner, &place, len, source_len)) {
            streams.push(Stream::new(place.base));
        }
        streams.last_mut().into_iter().for_each(|newest| newest.add(owner, place, end));
    }
    let mut bases: BTreeMap<u64, Vec<i64>> = BTreeMap::new();
    for (name, streams) in &mut equal {
        // A single record is the copy of a sector that was written to a wrong place. The shortest streams have two.
        if streams.iter().any(|stream| stream.records() > 2) {
            streams.retain(|stream| stream.records() > 1);
        }
        let bases = bases.entry(*name).or_default();
        bases.extend(streams.iter().map(Stream::median_base));
        bases.sort_unstable();
        streams.iter_mut().zip(bases).for_each(|(stream, base)| *stream = Stream::new(*base));
    }
    // Each record belongs to the equal stream whose base is nearest, and the nearest of its copies counts.
    let others = |record: &FoundRecord, owner: &Owner| !decides(record, owner);
    for (owner, place, end) in placed(found, decides).chain(placed(found, others)) {
        let nearest = bases.get(&owner.stream()).and_then(|bases| {
            let behind = bases.partition_point(|&base| base <= place.base);
            let around = behind.saturating_sub(1)..bases.len().min(behind + 1);
            around.min_by_key(|&at| bases[at].abs_diff(place.base))
        });
        let stream = nearest.and_then(|nearest| equal.get_mut(&owner.stream())?.get_mut(nearest));
        stream.into_iter().for_each(|stream| stream.add_nearest(owner, place, end));
    }
    let mut streams: Vec<Stream> = equal.into_values().flatten().collect();
    for stream in &mut streams {
        stream.base = stream.median_base();
        stream.sort_places();
    }
    streams.retain(|stream| stream.extent > 0 || !stream.groups.is_empty());
    streams
}

/// The chosen records in their order, each with its owner, its place in the source, and the end of its owner in the
/// stream.
fn placed<'a>(
    found: &'a Found,
    is_chosen: impl Fn(&FoundRecord, &Owner) -> bool + 'a,
) -> impl Iterator<Item = (&'a Owner, Place, u64)> {
    // Records of one owner stand together, so the places of one owner are enough. The places of all owners at once
    // could be thousands of times as long as the records, whose numbers are claims.
    let mut known = None;
    let chosen = move |record: &&FoundRecord| is_chosen(record, &found.owners[record.owner as usize]);
    found.records.iter().filter(chosen).filter_map(
        move |&FoundRecord { at, owner: number_of_owner, number, .. }| {
            let owner = &found.owners[number_of_owner as usize];
            let (_, (places, end)) = match known.take() {
                Some((of, places)) if of == number_of_owner => known.insert((of, places)),
                _ => known.insert((number_of_owner, owner.record_places())),
            };
            // Bare records are in another file than their stream, so they do not say where it begins.
            let base = match owner.envelope() {
                Envelope::Bare => 0,
                _ => at as i64 - *places.get(usize::from(number))? as i64,
            };
            Some((owner, Place { at, number: usize::from(number), base }, *end))
        },
    )
}
