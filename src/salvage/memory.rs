//! What a salvage remembers, so that nothing is examined again for every place that leads to it.
//!
//! - [`Ends`]: where chains end. Many headers may lead into one chain of blocks, and each block of the chain is looked at
//!   once.
//! - [`Magics`], [`Trailers`] and [`Zeros`]: searches that go forward only. Each byte is searched once, whatever is asked.
//!
//! All of them hold a bounded number of entries.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, VecDeque};
use std::hash::{Hash, Hasher};
use std::ops::Range;

use memchr::memmem;

use super::probe::Sight;
use crate::effort::Purpose;
use crate::error::Result;
use crate::format::{bzip2, lzip};

/// The most places that are remembered of each kind.
const PLACES_MAX: usize = 1 << 16;

/// How many bytes are searched at a time.
const LOOK_LEN: usize = 256 << 10;

/// What follows a place of a chain.
pub(super) enum Next<P, E> {
    Place(P),
    End(E),
    /// Nothing that is remembered: the step was refused.
    Unknown(E),
}

/// Where chains end, for places that were passed on the way.
///
/// If a chain has more places than are remembered, only those are whose hash is a multiple of a stride. Chains that have
/// met share all further places, so a walk comes to a place that is remembered after about one stride.
pub(super) struct Ends<P, E> {
    ends: HashMap<P, E>,
    stride: u64,
}

impl<P, E> Default for Ends<P, E> {
    fn default() -> Self {
        Self { ends: HashMap::new(), stride: 1 }
    }
}

impl<P: Copy + Eq + Hash, E: Copy> Ends<P, E> {
    /// Where the chain from this place leads.
    pub(super) fn follow(&mut self, start: P, mut next: impl FnMut(P) -> Result<Next<P, E>>) -> Result<E> {
        let (mut place, mut passed) = (start, Vec::new());
        let end = loop {
            if let Some(&end) = self.ends.get(&place) {
                break end;
            }
            if self.is_kept(&place) {
                passed.push(place);
                while passed.len() > PLACES_MAX / 2 {
                    self.stride *= 2;
                    passed.retain(|place| self.is_kept(place));
                }
            }
            match next(place)? {
                Next::Place(next) => place = next,
                Next::End(end) => break end,
                Next::Unknown(end) => return Ok(end),
            }
        };
        self.ends.extend(passed.into_iter().map(|place| (place, end)));
        while self.ends.len() > PLACES_MAX {
            self.stride *= 2;
            let stride = self.stride;
            self.ends.retain(|place, _| hash(place).is_multiple_of(stride));
        }
        Ok(end)
    }

    fn is_kept(&self, place: &P) -> bool {
        self.stride == 1 || hash(place).is_multiple_of(self.stride)
    }
}

fn hash(place: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    place.hash(&mut hasher);
    hasher.finish()
}

/// The part of the input that a search has before it.
#[derive(Default)]
struct Span {
    at: u64,
    bytes: Vec<u8>,
}

impl Span {
    /// Reads the bytes from `at` on.
    fn read(&mut self, sight: Sight, at: u64) -> Result<()> {
        let left = usize::try_from(sight.len - at.min(sight.len)).unwrap_or(usize::MAX);
        self.at = at;
        self.bytes.resize(left.min(LOOK_LEN), 0);
        let read = sight.place.read_at(&mut self.bytes, at)?;
        self.bytes.truncate(read);
        sight.effort.spend(Purpose::Scan, read as u64, 0);
        Ok(())
    }

    fn end(&self) -> u64 {
        self.at + self.bytes.len() as u64
    }

    /// The bytes from the offset `at` on.
    fn from(&self, at: u64) -> &[u8] {
        let start = usize::try_from(at.saturating_sub(self.at)).unwrap_or(usize::MAX);
        self.bytes.get(start..).unwrap_or_default()
    }
}

/// A magic number of bzip2 in the input.
#[derive(Clone, Copy)]
pub(super) struct MagicAt {
    /// Offset of the byte in which it begins, and the bit.
    pub(super) at: u64,
    pub(super) bit: u32,
    /// Whether the header of a stream is before it.
    pub(super) is_start: bool,
}

/// The magic numbers of bzip2 behind the front.
#[derive(Default)]
pub(super) struct Magics {
    found: VecDeque<MagicAt>,
    /// Up to where the input was searched.
    searched: u64,
    span: Span,
}

impl Magics {
    /// Length of the header of a stream, before the first magic number.
    const HEADER_LEN: u64 = 4;
    /// A magic number has at most so many bytes, with the bytes in which it begins and ends.
    const MAGIC_LEN: u64 = 7;

    /// The first magic number that begins at or behind `from`, and before `until`.
    pub(super) fn next(&mut self, sight: Sight, from: u64, until: u64) -> Result<Option<MagicAt>> {
        let front = sight.effort.front().saturating_sub(1);
        while self.found.front().is_some_and(|first| first.at < front) {
            self.found.pop_front();
        }
        self.searched = self.searched.max(front);
        loop {
            if let Some(magic) = self.found.iter().find(|magic| magic.at >= from) {
                return Ok(Some(*magic).filter(|magic| magic.at < until));
            }
            if self.searched >= until.min(sight.len) {
                return Ok(None);
            }
            self.search(sight)?;
        }
    }

    /// Searches on, up to the next magic number or the end of the span.
    fn search(&mut self, sight: Sight) -> Result<()> {
        let is_last = self.span.end() >= sight.len && !self.span.bytes.is_empty();
        let behind = self.span.end().saturating_sub(Self::MAGIC_LEN);
        if self.searched < self.span.at || !is_last && self.searched >= behind {
            self.span.read(sight, self.searched.saturating_sub(Self::HEADER_LEN))?;
        }
        let Some(found) = bzip2::find_magic(self.span.from(self.searched)) else {
            let is_last = self.span.end() >= sight.len;
            let behind = self.span.end().saturating_sub(Self::MAGIC_LEN);
            // If the input has shrunk, nothing more is found.
            let has_moved = behind > self.searched;
            self.searched = if is_last || !has_moved { sight.len } else { behind };
            return Ok(());
        };
        let at = self.searched + found.at as u64;
        let head = at.checked_sub(Self::HEADER_LEN).filter(|&head| head >= self.span.at && found.bit == 0);
        let is_start = head.is_some_and(|head| bzip2::is_start(self.span.from(head)));
        self.found.push_back(MagicAt { at, bit: found.bit, is_start });
        self.searched = at + 1;
        Ok(())
    }
}

/// The ends of lzip members behind the front: for the place of each header, the first place at which the length before
/// another header, or at the end of the input, leads back to it.
#[derive(Default)]
pub(super) struct Trailers {
    ends: HashMap<u64, u64>,
    searched: u64,
    span: Span,
}

impl Trailers {
    /// The length of a member is in its last bytes.
    const LENGTH_LEN: u64 = 8;

    /// The end of the member whose header is at `start`.
    pub(super) fn end_of(&mut self, sight: Sight, start: u64) -> Result<Option<u64>> {
        let front = sight.effort.front();
        self.searched = self.searched.max(front);
        if self.ends.len() >= PLACES_MAX {
            self.ends.retain(|&start, _| start >= front);
        }
        while !self.ends.contains_key(&start) && self.searched < sight.len && self.ends.len() < PLACES_MAX {
            self.search(sight)?;
        }
        Ok(self.ends.get(&start).copied())
    }

    fn search(&mut self, sight: Sight) -> Result<()> {
        self.span.read(sight, self.searched.saturating_sub(Self::LENGTH_LEN))?;
        let is_last = self.span.end() >= sight.len;
        let from = self.searched;
        for found in memmem::find_iter(self.span.from(from), &lzip::MAGIC) {
            let at = from + found as u64;
            if lzip::is_header(self.span.from(at)) {
                note(&mut self.ends, &self.span, at);
            }
        }
        if is_last {
            note(&mut self.ends, &self.span, sight.len);
        }
        let behind = self.span.end().saturating_sub(lzip::HEADER_LEN as u64 - 1);
        self.searched = if is_last || behind <= from { sight.len } else { behind };
        Ok(())
    }
}

/// Notes where the member begins that may end at `end`.
fn note(ends: &mut HashMap<u64, u64>, span: &Span, end: u64) {
    let stated = end.checked_sub(Trailers::LENGTH_LEN).filter(|&at| at >= span.at);
    let Some(stated) = stated.and_then(|at| span.from(at).first_chunk()) else { return };
    let len = u64::from_le_bytes(*stated);
    if let Some(start) = end.checked_sub(len).filter(|_| len >= lzip::MEMBER_LEN_MIN as u64) {
        ends.entry(start).or_insert(end);
    }
}

/// The run of zeros that was seen last.
#[derive(Default)]
pub(super) struct Zeros(Range<u64>);

impl Zeros {
    /// The end of the zeros that begin at `at`.
    pub(super) fn end(&mut self, sight: Sight, at: u64) -> Result<u64> {
        const FIRST_LEN: usize = 256;
        if self.0.start <= at && at <= self.0.end && !self.0.is_empty() {
            return Ok(self.0.end);
        }
        let (mut end, mut bytes) = (at, vec![0; FIRST_LEN]);
        while end < sight.len {
            let left = usize::try_from(sight.len - end).unwrap_or(usize::MAX);
            let len = bytes.len().min(left);
            let read = sight.place.read_at(&mut bytes[..len], end)?;
            let zeros = bytes[..read].iter().take_while(|&&byte| byte == 0).count();
            end += zeros as u64;
            sight.effort.spend(Purpose::Scan, zeros as u64, 0);
            if zeros < bytes.len() {
                break;
            }
            bytes.resize(LOOK_LEN, 0);
        }
        self.0 = at..end;
        Ok(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_that_meet_are_walked_once() {
        const LEN: u64 = 1_000_000;
        let mut ends = Ends::default();
        let mut steps = 0;
        for start in 0..1000_u64 {
            let end = ends.follow(start, |place: u64| {
                steps += 1;
                Ok(if place >= LEN { Next::End(place) } else { Next::Place((place | 1023) + 1) })
            });
            assert_eq!(end.unwrap(), 1_000_448);
        }
        assert!(steps < 1000 + 2 * LEN / 1024, "{steps}");
        // A chain that is longer than the memory.
        let (mut ends, mut steps) = (Ends::default(), 0_u64);
        for start in 0..1000_u64 {
            let end = ends.follow(start, |place: u64| {
                steps += 1;
                Ok(if place >= LEN { Next::End(0) } else { Next::Place((place + 1).max(1000)) })
            });
            assert_eq!(end.unwrap(), 0);
        }
        assert!(steps < 2 * LEN && ends.ends.len() <= PLACES_MAX, "{steps}");
    }
}
