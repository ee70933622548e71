//! [`Stream`]: the records of a stream, by their groups; and [`Streams`], all streams of a source.
//!
//! `survey.rs` adds each record that it finds. `mend/` takes the streams in their order. Equal streams have equal
//! records, so [`Stream::begins_again`] decides by the places of the records to which of them a record belongs.

use std::collections::BTreeMap;

use crate::copy::Copied;
use crate::group::Descriptor;
use crate::survey::Owner;

/// A place where a record begins, without its envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) at: u64,
    pub(crate) number: usize,
    /// Where the stream begins by this record.
    pub(crate) base: i64,
}

/// What is known of a stream.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) base: i64,
    /// By the offset of their data.
    pub(crate) groups: BTreeMap<u64, (Descriptor, Vec<Place>)>,
    pub(crate) copied: Option<(Copied, Vec<Place>)>,
    /// The end of all that is known, as an offset in the stream.
    pub(crate) extent: u64,
    /// The place of its last record in the source.
    pub(crate) last_record: u64,
    /// Whether records contradict each other.
    pub(crate) contradicts: bool,
    /// The bases of the first records that were added, at most [`EARLY_MAX`].
    early: Vec<i64>,
}

/// So many records say about where a stream begins, before all are found. Single ones may have been moved.
const EARLY_MAX: usize = 9;

impl Stream {
    pub(crate) fn new(base: i64) -> Self {
        Self {
            base,
            groups: BTreeMap::new(),
            copied: None,
            extent: 0,
            last_record: 0,
            contradicts: false,
            early: Vec::new(),
        }
    }

    /// How many records were found.
    pub(crate) fn records(&self) -> usize {
        let copies = self.copied.iter().map(|(_, places)| places.len());
        self.groups.values().map(|(_, places)| places.len()).chain(copies).sum()
    }

    /// Puts the places of the records in order.
    pub(crate) fn sort_places(&mut self) {
        let groups = self.groups.values_mut().map(|(_, places)| places);
        groups.chain(self.copied.iter_mut().map(|(_, places)| places)).for_each(|places| {
            places.sort_by_key(|place| place.at);
        });
    }

    /// The base that as many records are below as above. Single records may have been moved.
    pub(crate) fn median_base(&self) -> i64 {
        let groups = self.groups.values().flat_map(|(_, places)| places);
        let copies = self.copied.iter().flat_map(|(_, places)| places);
        median(groups.chain(copies).map(|place| place.base).collect()).unwrap_or(self.base)
    }

    /// Whether the next record in the source is one of an equal stream that follows this one. `len` is the length of
    /// such a stream, if any record states it, and `end` that of the source. Some records of both streams may be lost,
    /// and single ones may have been moved, so a record that was not found before must leave room for a whole stream
    /// before it. An eighth of that stream may be missing if there also is room for a whole one behind it.
    pub(crate) fn begins_again(&self, owner: &Owner, place: &Place, len: Option<u64>, end: u64) -> bool {
        // The stream of the record begins behind all that was found.
        let is_behind = place.base >= self.last_record as i64;
        let is_far =
            || place.base > median(self.early.clone()).unwrap_or(self.base) + (self.extent / 2) as i64;
        let has_room = len.is_some_and(|len| {
            let (before, len) = (place.base.saturating_sub(self.base), len as i64);
            before >= len || before >= len - len / 8 && place.base.saturating_add(len) <= end as i64
        });
        self.has(owner, place.number) && (is_behind || is_far()) || is_behind && has_room
    }

    /// Whether this very record was found already.
    pub(crate) fn has(&self, owner: &Owner, number: usize) -> bool {
        let places = match owner {
            Owner::Group(group) => self.groups.get(&group.offset).map(|(_, places)| places),
            Owner::Copy(_) => self.copied.as_ref().map(|(_, places)| places),
        };
        places.is_some_and(|places| places.iter().any(|place| place.number == number))
    }

    /// Adds a record. If it was found before, the place counts by which the stream begins nearer to where it should.
    pub(crate) fn add_nearest(&mut self, owner: &Owner, place: Place, end: u64) {
        let places = match owner {
            Owner::Group(group) => self
                .groups
                .get_mut(&group.offset)
                .filter(|(known, _)| known == group)
                .map(|(_, places)| places),
            Owner::Copy(copied) => {
                self.copied.as_mut().filter(|(known, _)| known == copied).map(|(_, places)| places)
            }
        };
        let known = places.and_then(|places| places.iter_mut().find(|known| known.number == place.number));
        match known {
            Some(known) if known.base.abs_diff(self.base) > place.base.abs_diff(self.base) => *known = place,
            Some(_) => {}
            None => self.add(owner, place, end),
        }
    }

    /// Adds a record that was not found before.
    pub(crate) fn add(&mut self, owner: &Owner, place: Place, end: u64) {
        if self.has(owner, place.number) {
            return;
        }
        self.last_record = self.last_record.max(place.at);
        if self.early.len() < EARLY_MAX {
            self.early.push(place.base);
        }
        let (agrees, places) = match owner {
            Owner::Group(group) => {
                let (known, places) = self.groups.entry(group.offset).or_insert_with(|| (*group, Vec::new()));
                self.extent = self.extent.max(end);
                (known == group, places)
            }
            Owner::Copy(copied) => {
                let (known, places) = self.copied.get_or_insert_with(|| (*copied, Vec::new()));
                self.extent = self.extent.max(copied.offset + u64::from(copied.len));
                (known == copied, places)
            }
        };
        if agrees {
            places.push(place);
        }
        self.contradicts |= !agrees;
    }

    /// Where the data of its last group ends in the source.
    pub(crate) fn data_end(&self) -> i64 {
        let last = self.groups.values().next_back();
        self.base + last.map_or(0, |(group, _)| group.offset + group.geometry.len() as u64) as i64
    }

    /// Where the stream begins and where its last record is, in the source.
    pub(crate) fn span(&self) -> (i64, i64) {
        (self.base, self.last_record as i64)
    }
}

fn median(mut bases: Vec<i64>) -> Option<i64> {
    bases.sort_unstable();
    bases.get(bases.len() / 2).copied()
}

/// The streams of a source, in their order.
#[derive(Debug)]
pub(crate) struct Streams {
    pub(crate) outer: Vec<Stream>,
    /// Those that seem to be stored inside the data of others. The bases of damaged streams are not exact, so this is a
    /// guess if a stream is short.
    pub(crate) inner: Vec<Stream>,
}

impl Streams {
    /// Takes a stream to be inside a longer one if more than half of it is.
    pub(crate) fn sort(mut streams: Vec<Stream>) -> Self {
        streams.sort_by_key(|stream| (stream.base, std::cmp::Reverse(stream.last_record)));
        let mut sorted = Self { outer: Vec::new(), inner: Vec::new() };
        for stream in streams {
            let (start, end) = stream.span();
            let overlap = |&(from, to): &(i64, i64)| to.min(end) - from.max(start);
            while let Some(before) = sorted.outer.last().map(Stream::span)
                && sorted.outer.last().is_some_and(|outer| outer.extent <= stream.extent)
                && overlap(&before) > (before.1 - before.0) / 2
            {
                sorted.inner.extend(sorted.outer.pop());
            }
            let before = sorted.outer.last().map(Stream::span);
            let is_inside = before.is_some_and(|before| overlap(&before) > (end - start) / 2);
            if is_inside { &mut sorted.inner } else { &mut sorted.outer }.push(stream);
        }
        sorted
    }

    /// Makes those inner streams outer ones that end before the outer stream around them begins. `firsts` has the first
    /// place at which a shard of each outer stream was found, and the base by which it was found. Returns whether it is
    /// unknown of some stream whether it is inside.
    pub(crate) fn correct(&mut self, firsts: &[Option<(i64, i64)>]) -> bool {
        let outer: Vec<_> = self.outer.iter().map(Stream::span).zip(firsts.iter().copied()).collect();
        let mut is_unknown = false;
        let is_before = |stream: &Stream| {
            let (start, end) = stream.span();
            let around = outer
                .iter()
                .rev()
                .find(|((from, to), _)| *to.min(&end) - *from.max(&start) > (end - start) / 2);
            match around.and_then(|(_, first)| *first) {
                Some((_, base)) if end <= base => true,
                Some((first, _)) => {
                    is_unknown |= end < first;
                    false
                }
                None => {
                    is_unknown = true;
                    false
                }
            }
        };
        let (before, inner): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.inner).into_iter().partition(is_before);
        self.outer.extend(before);
        self.outer.sort_by_key(|stream| stream.last_record);
        self.inner = inner;
        is_unknown
    }
}
