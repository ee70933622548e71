//! Finds the next unit behind damage by its magic number.
//!
//! [`next_unit`] is called only for bytes that no intact frame covers. A magic number alone is not believed, because it
//! occurs by chance and in data that is stored as it is; the 48 bits of bzip2 are the exception. A unit counts if its
//! header leads to another unit or to the end of the input, or if it decodes with the right check.

use std::ops::Range;

use engine::io::RandomAccess;

use super::blocks::is_found;
use super::memory::Next;
use super::scout::Scout;
use super::trial::{Counted, try_unit};
use crate::effort::Purpose;
use crate::error::Result;
use crate::format::places::ListedFrame;
use crate::format::probe::{Candidate, Here, Kind, Place, Probe};
use crate::format::{Format, SNIFF_LEN, skippable};
use crate::options::Decode;

/// How many bytes are searched at a time.
const LOOK_LEN: usize = 256 << 10;

/// How many bytes behind them are read too: magic numbers may be cut off, and so may short headers.
const MORE_LEN: usize = 1 << 10;

/// How a search is done.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) formats: &'a [Format],
    /// The stream that was damaged.
    pub(super) inside: Option<(Format, u8)>,
    /// Whether a unit counts only if headers lead from it to the end of the input. This is so if the input seems to be
    /// cut off inside a frame: then all that is found may be data of this frame.
    pub(super) is_strict: bool,
    /// Whether a block of a format without magic numbers counts only if it carries a check.
    pub(super) needs_check: bool,
    /// Whether blocks without magic numbers are searched for too, in all formats, with the context that is usual.
    pub(super) takes_blocks: bool,
    pub(super) options: &'a Decode,
}

pub(super) struct Found {
    /// The next place at which decoding can go on. The end of the input if there is none.
    pub(super) place: Place,
    /// The first place before it that was not tried, because too much had been tried already.
    pub(super) untried: Option<u64>,
}

impl Found {
    /// This, of a search that was done because the first one has found nothing.
    pub(super) fn behind(self, first: Self) -> Self {
        Self { untried: first.untried.or(self.untried), ..self }
    }
}

/// The next place at or behind `from` at which decoding can go on.
pub(super) fn next_unit(scout: &Scout, from: u64, search: Search) -> Result<Found> {
    let (mut at, mut untried) = (from, None);
    while at < scout.len {
        let ahead = scout.ahead(at, MORE_LEN, LOOK_LEN + MORE_LEN)?;
        let bytes = ahead.bytes.get((at - ahead.at) as usize..).unwrap_or_default();
        let is_last = at + bytes.len() as u64 >= scout.len;
        let searched = if is_last { bytes.len() } else { (bytes.len() + 1).saturating_sub(MORE_LEN) };
        if searched == 0 {
            break;
        }
        if let Some(place) = search.in_bytes(scout, at, bytes, searched, &mut untried)? {
            return Ok(Found { place, untried });
        }
        at += searched as u64;
        scout.effort.pass(at);
    }
    Ok(Found { place: Place::outside(scout.len), untried })
}

impl Search<'_> {
    /// The first place in the first `searched` bytes.
    fn in_bytes(
        &self,
        scout: &Scout,
        offset: u64,
        bytes: &[u8],
        searched: usize,
        untried: &mut Option<u64>,
    ) -> Result<Option<Place>> {
        let found = self.found_in(scout, offset..offset + searched as u64)?;
        let probes = self.inside_probes(scout);
        let is_first = self.first_bytes(scout);
        for at in 0..searched {
            let here = offset + at as u64;
            if found.is_some_and(|place| place.at <= here) {
                return Ok(found);
            }
            let head = &bytes[at..];
            for &(format, probe, inside) in &probes {
                if let Some(context) = probe.begins_inside(head, inside) {
                    let place = Place { at: here, inside: Some((format, context)) };
                    if self.counts(scout, place)? {
                        return Ok(Some(place));
                    }
                }
            }
            if is_first[usize::from(head[0])] && self.is_start(scout, here, head) {
                let place = Place::outside(here);
                if self.counts(scout, place)? {
                    return Ok(Some(place));
                }
            }
            if scout.effort.take_refusal() {
                untried.get_or_insert(here);
            }
        }
        Ok(found)
    }

    /// The probes that find blocks inside of streams, each with the context of the damaged stream.
    fn inside_probes<'s>(&self, scout: &'s Scout) -> Vec<(Format, &'s dyn Probe, u8)> {
        let damaged = self.inside.and_then(|(format, context)| Some((format, scout.probe(format)?, context)));
        let others =
            self.formats.iter().filter(|&&format| self.inside.is_none_or(|(damaged, _)| damaged != format));
        let others = others.filter_map(|&format| {
            let probe = scout.probe(format)?;
            let usual = format.codec().blocks().filter(|_| self.takes_blocks);
            let context = usual.map(|blocks| blocks.usual_context());
            Some((format, probe, context.or(probe.has_block_magic().then_some(0))?))
        });
        damaged.into_iter().chain(others).collect()
    }

    /// Which bytes begin a magic number that is searched for.
    fn first_bytes(&self, scout: &Scout) -> [bool; 256] {
        let mut is_first = [false; 256];
        let probes = || self.formats.iter().filter_map(|&format| scout.probe(format));
        for &byte in probes().flat_map(|probe| probe.first_bytes()) {
            is_first[usize::from(byte)] = true;
        }
        if self.has_skippable(scout) {
            skippable::FIRST_BYTES.for_each(|byte| is_first[usize::from(byte)] = true);
        }
        is_first
    }

    /// Whether skippable frames are searched for.
    fn has_skippable(&self, scout: &Scout) -> bool {
        let mut searched = self.formats.iter().filter(|&&format| scout.probe(format).is_some());
        searched.any(|format| format.codec().has_skippable())
    }

    /// The first place in `range` that a probe finds by a search of its own. Nothing is decoded here. A block may hold
    /// a magic number too, and `Salvager::unit` finds that out.
    fn found_in(&self, scout: &Scout, range: Range<u64>) -> Result<Option<Place>> {
        let mut first: Option<Place> = None;
        for &format in self.formats {
            let Some(probe) = scout.probe(format) else { continue };
            let inside =
                self.inside.filter(|&(damaged, _)| damaged == format).map_or(0, |(_, context)| context);
            let found = probe.find(scout, range.clone(), inside)?;
            first = first.into_iter().chain(found).min_by_key(|place| place.at);
        }
        Ok(first)
    }

    /// Whether these bytes begin with a magic number that is searched for.
    fn is_start(&self, scout: &Scout, at: u64, head: &[u8]) -> bool {
        let head = &head[..head.len().min(SNIFF_LEN)];
        if skippable::sniff(head).is_some() {
            return self.has_skippable(scout);
        }
        let Some(format) = scout.accepted.sniff(head, at.max(1)) else { return false };
        self.formats.contains(&format) && scout.probe(format).is_some_and(|probe| probe.may_start(head))
    }

    /// Whether a unit really begins at this place, which is tried.
    fn counts(&self, scout: &Scout, place: Place) -> Result<bool> {
        scout.effort.pass(place.at);
        self.is_right(scout, place)
    }

    /// Whether a unit really begins at this place.
    fn is_right(&self, scout: &Scout, place: Place) -> Result<bool> {
        if self.is_strict {
            return reaches_end(scout, place);
        }
        if place.inside.is_some_and(|(format, _)| format.codec().blocks().is_some()) {
            return is_found(scout, place, self.needs_check, self.options);
        }
        let unit = match scout.look(place)? {
            Here::Nothing => return Ok(false),
            Here::Skip(end) => return scout.is_boundary(end),
            Here::Candidate(unit) => unit,
        };
        if let Some(claim) = unit.claim
            && scout.is_boundary(claim)?
        {
            return Ok(true);
        }
        match unit.kind {
            Kind::Endless => Ok(false),
            Kind::Parts { .. } => match scout.probe(unit.format) {
                Some(probe) => probe.has_start(scout, place.at..scout.len),
                None => Ok(false),
            },
            Kind::Frame => {
                let trial = try_unit(scout, unit, true, Purpose::Guess, self.options)?;
                Ok(trial.result.is_ok() && (unit.has_check || scout.is_boundary(trial.end)?))
            }
        }
    }
}

/// Whether headers lead from this place to the end of the input.
fn reaches_end(scout: &Scout, place: Place) -> Result<bool> {
    scout.leads_to_end(place, |place| {
        if place.at >= scout.len {
            return Ok(Next::End(place.at == scout.len));
        }
        if scout.effort.allows(Purpose::Header).is_none() {
            return Ok(Next::Unknown(false));
        }
        let next = match scout.look(place)? {
            Here::Skip(end) => Some(end),
            Here::Candidate(Candidate { claim, .. }) => claim,
            Here::Nothing => None,
        };
        Ok(match next.filter(|next| next.at > place.at) {
            Some(next) => Next::Place(next),
            None => Next::End(false),
        })
    })
}

/// The most frames that are listed: some 500 MiB in memory.
const FRAMES_MAX: usize = 8 << 20;

/// A frame in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KnownFrame {
    pub(super) coded: Range<u64>,
    pub(super) plain_len: u64,
    /// What is there behind the frame, inside of a stream.
    pub(super) inside: Option<(Format, u8)>,
}

/// The frames of an index, in their order.
#[derive(Debug, Default)]
pub(super) struct Known(Vec<KnownFrame>);

impl Known {
    /// The frames in an input. Empty if no index is intact.
    pub(super) fn find(scout: &Scout) -> Result<Self> {
        let counted = Counted::new(scout.place);
        let found = Self::read(RandomAccess::Source(&counted), scout.len);
        scout.effort.spend(Purpose::Scan, counted.read(), 0);
        found
    }

    /// The frames in the first `len` bytes of `place`, as the list of any format has them.
    fn read(place: RandomAccess, len: u64) -> Result<Self> {
        for format in Format::readable() {
            let Some(listed) = format.codec().places().listed(place, 0..len, FRAMES_MAX)? else { continue };
            let frame = |ListedFrame { coded, plain_len, context }: ListedFrame| KnownFrame {
                coded,
                plain_len,
                inside: (context != 0).then_some((format, context)),
            };
            return Ok(Self(listed.frames.map(frame).collect()));
        }
        Ok(Self::default())
    }

    /// The frame that holds the byte at `offset`.
    pub(super) fn at(&self, offset: u64) -> Option<&KnownFrame> {
        let next = self.0.partition_point(|frame| frame.coded.start <= offset);
        self.0.get(next.checked_sub(1)?).filter(|frame| frame.coded.contains(&offset))
    }

    /// The plain length of the bytes in `coded`, if they hold whole frames only.
    pub(super) fn plain_len(&self, coded: &Range<u64>) -> Option<u64> {
        if self.0.is_empty() {
            return None;
        }
        let first = self.0.partition_point(|frame| frame.coded.end <= coded.start);
        let behind = self.0.partition_point(|frame| frame.coded.start < coded.end);
        let frames = self.0.get(first..behind)?;
        let is_inside = |frame: &KnownFrame| frame.coded.start >= coded.start && frame.coded.end <= coded.end;
        frames
            .iter()
            .try_fold(0_u64, |sum, frame| sum.checked_add(frame.plain_len).filter(|_| is_inside(frame)))
    }

    /// The number of frames, if an index is intact.
    pub(super) fn count(&self) -> Option<u64> {
        (!self.0.is_empty()).then_some(self.0.len() as u64)
    }

    /// Compares a frame that was decoded with its entry. If they differ, no entry counts any more.
    pub(super) fn compare(&mut self, coded: &Range<u64>, plain_len: u64) {
        let is_right =
            self.at(coded.start).is_none_or(|frame| frame.coded == *coded && frame.plain_len == plain_len);
        if !is_right {
            self.0.clear();
        }
    }
}
