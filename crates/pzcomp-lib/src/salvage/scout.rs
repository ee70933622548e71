//! [`Scout`]: what begins at a place of the input, as the headers there say.
//!
//! The walkers of the formats cannot go on behind damage, because most of them take everything that follows for part of
//! the damaged frame. So the salvager and the search ask [`Scout::look`] at every place, and the scout asks the probes
//! of the formats. The answer repeats only the statements of headers. Nothing is decoded here: the answer is a claim.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::cursor::{CountedCursor, ReadAhead, Seen};
use super::memory::{ChainEnds, Next, Zeros};
use crate::effort::{Effort, Purpose};
use crate::error::Result;
use crate::format::chain::{Chain, Link};
use crate::format::probe::{Candidate, Here, InputView, Kind, Offsets, Place, Probe};
use crate::format::skippable;
use crate::format::{Accepted, Cursor, Format, Reading, SNIFF_LEN};
use crate::options::Decode;
use engine::io::RandomAccess;

/// How many answers are remembered. Units are looked at before they are decoded ahead, and again when it is their turn.
const LOOKS_MAX: usize = 64;

/// Looks at places of an input.
pub(super) struct Scout<'a> {
    pub(super) place: RandomAccess<'a>,
    pub(super) len: u64,
    pub(super) accepted: Accepted,
    probes: [Option<Box<dyn Probe>>; Format::COUNT],
    searched: Vec<Format>,
    pub(super) effort: &'a Effort,
    ahead: Mutex<Arc<ReadAhead>>,
    near: Mutex<ReadAhead>,
    memory: Mutex<Memory>,
    /// Which places lead to the end of the input.
    ways: Mutex<ChainEnds<Place, bool>>,
}

/// What a scout remembers.
#[derive(Default)]
struct Memory {
    looks: VecDeque<(Place, Here)>,
    /// Where the chains of blocks end, for the format and the style of the chain and the offset.
    chains: ChainEnds<(Format, u8, u64), Option<u64>>,
    zeros: Zeros,
}

impl<'a> Scout<'a> {
    pub(super) fn new(place: RandomAccess<'a>, len: u64, effort: &'a Effort, options: &Decode) -> Self {
        let accepted = Accepted::new(options.accept.as_deref());
        let reading = Reading::new(options, 1, u64::MAX);
        let (ahead, near) = (Mutex::default(), Mutex::default());
        let (memory, ways) = (Mutex::default(), Mutex::default());
        let probes = Format::EVERY.map(|format| format.codec().probe(&reading));
        let is_searched =
            |format: &Format| probes[format.index()].as_ref().is_some_and(|probe| probe.is_searched());
        let searched = Format::readable().filter(is_searched).collect();
        Self { place, len, accepted, probes, searched, effort, ahead, near, memory, ways }
    }

    fn seen(&self) -> Seen<'_> {
        Seen { place: self.place, len: self.len, effort: self.effort, ahead: &self.ahead, near: &self.near }
    }

    fn counted(&self, at: u64) -> CountedCursor<'_> {
        CountedCursor::new(self.seen(), at, Purpose::Header)
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was read ahead, if it begins at or before `at`, and has `len` bytes from there on, or all to the end. If
    /// not, it is moved, it begins at `at` and gets `most` bytes.
    pub(super) fn ahead(&self, at: u64, len: usize, most: usize) -> Result<Arc<ReadAhead>> {
        let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        let left = usize::try_from(self.len.saturating_sub(at)).unwrap_or(usize::MAX);
        let end = ahead.at + ahead.bytes.len() as u64;
        if ahead.at > at || end < at + len.min(left) as u64 {
            let mut moved = ReadAhead { at, bytes: vec![0; left.min(most)] };
            let read = self.place.read_at(&mut moved.bytes, at)?;
            moved.bytes.truncate(read);
            self.effort.spend(Purpose::Scan, read as u64, 0);
            *ahead = Arc::new(moved);
        }
        Ok(ahead.clone())
    }

    /// Whether the chain of places from this one leads to the end of the input. `next` makes one step.
    pub(super) fn leads_to_end(
        &self,
        place: Place,
        next: impl FnMut(Place) -> Result<Next<Place, bool>>,
    ) -> Result<bool> {
        self.ways.lock().unwrap_or_else(PoisonError::into_inner).follow(place, next)
    }

    /// The end of the zeros that begin at this offset.
    pub(super) fn zeros_end(&self, at: u64) -> Result<u64> {
        self.memory().zeros.end(self.seen(), at)
    }

    /// What begins at this place. If nothing more may be examined, the answer is that nothing begins there.
    pub(super) fn look(&self, place: Place) -> Result<Here> {
        if place.at >= self.len {
            return Ok(Here::Nothing);
        }
        let known = self.memory().looks.iter().rev().find(|(known, _)| *known == place).copied();
        if let Some((_, here)) = known {
            return Ok(here);
        }
        if self.effort.allows(Purpose::Header).is_none() {
            return Ok(Here::Nothing);
        }
        let here = self.look_anew(place)?;
        let mut memory = self.memory();
        if memory.looks.len() == LOOKS_MAX {
            memory.looks.pop_front();
        }
        memory.looks.push_back((place, here));
        Ok(here)
    }

    fn look_anew(&self, place: Place) -> Result<Here> {
        let inside = place.inside.and_then(|(format, _)| self.probe(format));
        match inside.map(|probe| probe.look(self, place)).transpose()?.flatten() {
            Some(here) => Ok(here),
            None => self.outside(Place::outside(place.at)),
        }
    }

    /// What begins at a place outside of streams.
    fn outside(&self, place: Place) -> Result<Here> {
        let mut cursor = self.counted(place.at);
        let head = cursor.peek(SNIFF_LEN)?;
        if let Some(len) = self.accepted.skippable(head) {
            let end = place.at + skippable::HEADER_LEN as u64 + u64::from(len);
            return Ok(if end <= self.len { Here::Skip(Place::outside(end)) } else { Here::Nothing });
        }
        let Some(format) = self.accepted.sniff(head, place.at) else { return Ok(Here::Nothing) };
        match self.probe(format) {
            Some(probe) => Ok(probe.look(self, place)?.unwrap_or(Here::Nothing)),
            None => Ok(Here::Candidate(Candidate::new(place, format, Kind::Endless))),
        }
    }

    /// The probe of a format. `None` if nothing of that format can be found behind damage.
    pub(super) fn probe(&self, format: Format) -> Option<&dyn Probe> {
        self.probes[format.index()].as_deref()
    }

    /// Whether the blocks of a format have headers of their own, so that the header of a stream may be lost.
    pub(super) fn has_block_headers(&self, format: Format) -> bool {
        self.probe(format).is_some_and(|probe| probe.has_block_headers())
    }

    /// How the blocks of the stream at this place state where their data belongs, if they do.
    pub(super) fn offsets(&self, place: Place) -> Option<&dyn Offsets> {
        place.inside.and_then(|(format, _)| self.probe(format)?.offsets())
    }

    /// The formats that are searched for if nothing tells the format of the input.
    pub(super) fn searched(&self) -> &[Format] {
        &self.searched
    }

    /// The stream in which a damaged start of the input is, as the end of the input states it.
    pub(super) fn stream_at_end(&self) -> Result<Option<(Format, u8)>> {
        for format in Format::readable() {
            let Some(probe) = self.probe(format) else { continue };
            if let Some(context) = probe.context_at_end(self)? {
                return Ok(Some((format, context)));
            }
        }
        Ok(None)
    }

    /// The most plain bytes in so many coded ones, of this format or of any.
    pub(super) fn most_plain(&self, format: Option<Format>, coded_len: u64) -> u64 {
        let probes = self.probes.iter().flatten().map(|probe| probe.ratio_max());
        let ratio = match format.and_then(|format| self.probe(format)) {
            Some(probe) => probe.ratio_max(),
            None => probes.max().unwrap_or(u64::MAX),
        };
        coded_len.saturating_mul(ratio)
    }

    /// Whether this candidate may decode, as far as its first bytes tell at next to no cost.
    pub(super) fn may_decode(&self, candidate: &Candidate, purpose: Purpose) -> Result<bool> {
        let mut cursor = CountedCursor::new(self.seen(), candidate.start.at, purpose);
        self.probe(candidate.format).map_or(Ok(true), |probe| probe.may_decode(&mut cursor, candidate))
    }

    /// Whether a unit can end at this place: the input ends there, or something begins there that a magic number or a
    /// checksum shows.
    pub(super) fn is_boundary(&self, place: Place) -> Result<bool> {
        if place.at >= self.len {
            return Ok(place.at == self.len);
        }
        Ok(match self.look(place)? {
            Here::Nothing => false,
            Here::Skip(_) => true,
            Here::Candidate(Candidate { kind, .. }) => match kind {
                Kind::Frame => true,
                Kind::Parts { has_header } => has_header,
                Kind::Endless => false,
            },
        })
    }
}

impl InputView for Scout<'_> {
    fn place(&self) -> RandomAccess<'_> {
        self.place
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn effort(&self) -> &Effort {
        self.effort
    }

    fn cursor(&self, at: u64) -> Box<dyn Cursor + '_> {
        Box::new(self.counted(at))
    }

    fn read(&self, buffer: &mut [u8], at: u64) -> Result<usize> {
        self.effort.spend(Purpose::Header, buffer.len() as u64, 0);
        Ok(self.place.read_at(buffer, at)?)
    }

    fn chain_end(&self, format: Format, style: u8, chain: &dyn Chain, first: u64) -> Result<Option<u64>> {
        let mut cursor = self.counted(first);
        let step = |(format, style, at): (Format, u8, u64)| {
            cursor.take((at - first).saturating_sub(cursor.offset()))?;
            let link = match cursor.is_beyond() {
                true => None,
                false => chain.link(cursor.peek(chain.link_len())?, style),
            };
            Ok(match link {
                Some(Link::Block(len)) if at.saturating_add(len) <= self.len => {
                    Next::Place((format, style, at + len))
                }
                Some(Link::Last(len) | Link::End(len)) => {
                    Next::End(at.checked_add(len).filter(|&end| end <= self.len))
                }
                _ => Next::End(None),
            })
        };
        self.memory().chains.follow((format, style, first), step)
    }

    fn accepts(&self, format: Format) -> bool {
        self.accepted.accepts(format)
    }
}
