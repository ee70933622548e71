//! [`Scout`]: what begins at a place of the input, as the headers there say.
//!
//! The walkers of the formats cannot go on behind damage, and most of them take everything that follows for part of the
//! damaged frame. So [`Scout::look`] asks again at every place, and says only what a header really states. Nothing is
//! decoded here; all that is stated is a claim.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::memory::{Ends, Magics, Next, Trailers, Zeros};
use super::probe::{Probe, Sight, Window};
use crate::effort::{Effort, Purpose};
use crate::error::Result;
use crate::format::chain::{ChainFormat, Link};
use crate::format::skippable;
use crate::format::{Accepted, Cursor, Format, Reading, SNIFF_LEN};
use crate::io::RandomAccess;
use crate::options::Options;

/// A place in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) at: u64,
    /// The stream in which the place is, with the context of what begins there.
    pub(super) inside: Option<(Format, u8)>,
}

impl Place {
    pub(super) fn outside(at: u64) -> Self {
        Self { at, inside: None }
    }
}

/// What begins at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Here {
    /// Bytes without plain data, up to this place.
    Skip(Place),
    Unit(Unit),
    /// Nothing that a header states.
    Nothing,
}

/// How a unit is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// As a frame that counts as a whole.
    Frame,
    /// As a gzip member of blocks, whose length nothing states.
    Member,
    /// To the end of the input: no frame can follow.
    Endless,
}

/// A frame, or a block that is decoded by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) start: Place,
    pub(super) format: Format,
    /// Where its header says that it ends.
    pub(super) claim: Option<Place>,
    /// The plain length that its header states.
    pub(super) plain_len: Option<u64>,
    /// Whether it carries a check of its data.
    pub(super) has_check: bool,
    /// Whether it is part of an index.
    pub(super) is_index: bool,
    pub(super) kind: Kind,
}

impl Unit {
    /// The context for the decoder.
    pub(super) fn context(&self) -> u8 {
        self.start.inside.map_or(0, |(_, context)| context)
    }
}

/// How many answers are remembered. Units are looked at before they are decoded ahead, and again when it is their turn.
const LOOKS_MAX: usize = 64;

/// Looks at places of an input.
pub(super) struct Scout<'a> {
    pub(super) place: RandomAccess<'a>,
    pub(super) len: u64,
    pub(super) accepted: Accepted,
    pub(super) reading: Reading,
    pub(super) effort: &'a Effort,
    window: Mutex<Arc<Window>>,
    near: Mutex<Window>,
    memory: Mutex<Memory>,
    /// Which places lead to the end of the input.
    ways: Mutex<Ends<Place, bool>>,
}

/// What a scout remembers.
#[derive(Default)]
pub(super) struct Memory {
    looks: VecDeque<(Place, Here)>,
    /// Where the chains of blocks end, for the format and the style of the chain and the offset.
    chains: Ends<(Format, u8, u64), Option<u64>>,
    pub(super) magics: Magics,
    pub(super) trailers: Trailers,
    zeros: Zeros,
}

impl<'a> Scout<'a> {
    pub(super) fn new(place: RandomAccess<'a>, len: u64, effort: &'a Effort, options: &Options) -> Self {
        let accepted = Accepted::new(options.accept);
        let reading = Reading::new(options, 1, u64::MAX);
        let (window, near) = (Mutex::default(), Mutex::default());
        let (memory, ways) = (Mutex::default(), Mutex::default());
        Self { place, len, accepted, reading, effort, window, near, memory, ways }
    }

    pub(super) fn sight(&self) -> Sight<'_> {
        Sight {
            place: self.place,
            len: self.len,
            effort: self.effort,
            window: &self.window,
            near: &self.near,
        }
    }

    pub(super) fn cursor(&self, at: u64) -> Probe<'_> {
        Probe::new(self.sight(), at, Purpose::Header)
    }

    pub(super) fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fills `buffer` with the bytes at a place, as far as there are any. Returns how many.
    pub(super) fn read(&self, buffer: &mut [u8], at: u64) -> Result<usize> {
        self.effort.spend(Purpose::Header, buffer.len() as u64, 0);
        self.place.read_at(buffer, at)
    }

    /// The window that begins at or before `at`, and has `len` bytes from there on, or all to the end of the input. If it
    /// is moved, it begins at `at` and gets `most` bytes.
    pub(super) fn window(&self, at: u64, len: usize, most: usize) -> Result<Arc<Window>> {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        let left = usize::try_from(self.len.saturating_sub(at)).unwrap_or(usize::MAX);
        let end = window.at + window.bytes.len() as u64;
        if window.at > at || end < at + len.min(left) as u64 {
            let mut moved = Window { at, bytes: vec![0; left.min(most)] };
            let read = self.place.read_at(&mut moved.bytes, at)?;
            moved.bytes.truncate(read);
            self.effort.spend(Purpose::Scan, read as u64, 0);
            *window = Arc::new(moved);
        }
        Ok(window.clone())
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
        self.memory().zeros.end(self.sight(), at)
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
        match place.inside {
            Some((Format::Bzip2, context)) => self.bzip2_block(place, context),
            Some((Format::Xz, context)) => self.xz_piece(place, context),
            Some((Format::Qpress, context)) => self.qpress_piece(place, context),
            Some((format, context)) => match format.codec().blocks() {
                Some(blocks) => self.block(place, format, blocks, context),
                None => self.outside(place),
            },
            None => self.outside(place),
        }
    }

    pub(super) fn outside(&self, place: Place) -> Result<Here> {
        let mut cursor = self.cursor(place.at);
        let head = cursor.peek(SNIFF_LEN)?;
        if let Some(len) = self.accepted.skippable(head) {
            let end = place.at + skippable::HEADER_LEN as u64 + u64::from(len);
            return Ok(if end <= self.len { Here::Skip(Place::outside(end)) } else { Here::Nothing });
        }
        let Some(format) = self.accepted.sniff(head, place.at) else { return Ok(Here::Nothing) };
        match format {
            Format::Gzip => self.gzip_member(place),
            Format::Xz => self.xz_piece(place, 0),
            Format::Bzip2 => self.bzip2_start(place),
            Format::Lzip => self.lzip_member(place),
            Format::Qpress => self.qpress_piece(place, 0),
            _ => match (format.codec().chain(), format.codec().blocks()) {
                (Some(chain), _) => self.chained(place, format, chain),
                (None, Some(blocks)) => self.block(place, format, blocks, blocks.first_context()),
                (None, None) => Ok(self.unit(place, format, Kind::Endless)),
            },
        }
    }

    /// A unit of which nothing is stated.
    pub(super) fn unit(&self, start: Place, format: Format, kind: Kind) -> Here {
        let unit =
            Unit { start, format, claim: None, plain_len: None, has_check: true, is_index: false, kind };
        Here::Unit(unit)
    }

    /// A place behind `len` bytes, if it is in the input.
    pub(super) fn behind(&self, at: u64, len: u64, inside: Option<(Format, u8)>) -> Option<Place> {
        at.checked_add(len).filter(|&end| end <= self.len).map(|at| Place { at, inside })
    }

    /// A frame of zstd or lz4, which is a chain of blocks.
    fn chained(&self, start: Place, format: Format, chain: &dyn ChainFormat) -> Result<Here> {
        let mut unit = Unit {
            start,
            format,
            claim: None,
            plain_len: None,
            has_check: false,
            is_index: false,
            kind: Kind::Frame,
        };
        if let Some(head) = chain.start(&mut self.cursor(start.at))? {
            (unit.plain_len, unit.has_check) = (head.plain_len, head.has_check);
            let end = self.chain_end(format, head.style, chain, start.at + head.header_len)?;
            unit.claim = end.and_then(|end| self.behind(end, head.tail_len, None));
        }
        Ok(Here::Unit(unit))
    }

    /// Where the chain of blocks ends that begins at `first`.
    pub(super) fn chain_end(
        &self,
        format: Format,
        style: u8,
        chain: &dyn ChainFormat,
        first: u64,
    ) -> Result<Option<u64>> {
        let mut cursor = self.cursor(first);
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
                Some(Link::End(len)) => Next::End(at.checked_add(len).filter(|&end| end <= self.len)),
                _ => Next::End(None),
            })
        };
        self.memory().chains.follow((format, style, first), step)
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
            Here::Unit(Unit { kind: Kind::Endless, .. }) => false,
            Here::Unit(Unit { kind: Kind::Member, .. }) => self.gzip_claim(place.at)?.is_some(),
            Here::Unit(_) => true,
        })
    }
}
