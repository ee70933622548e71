//! The memory of a salvage: nothing is examined again for every place that leads to it.
//!
//! - [`ChainEnds`]: where chains end. A chain is a row of places, each of which states where the next place is, such as
//!   the blocks of a frame. Many places may lead into one chain, and each place of the chain is looked at once.
//! - [`Zeros`]: the run of zeros that was seen last.
//!
//! The scout has both. They hold a bounded number of entries. The probes of the formats have memories of their own.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::ops::Range;

use super::cursor::Seen;
use crate::effort::Purpose;
use crate::error::Result;

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
/// If a chain has more places than are remembered, only those are whose hash is a multiple of a stride. Chains that
/// have met share all further places, so a walk comes to a place that is remembered after about one stride.
pub(super) struct ChainEnds<P, E> {
    /// Without random keys, of which the system may give none.
    ends: HashMap<P, E, BuildHasherDefault<DefaultHasher>>,
    stride: u64,
}

impl<P, E> Default for ChainEnds<P, E> {
    fn default() -> Self {
        Self { ends: HashMap::default(), stride: 1 }
    }
}

impl<P: Copy + Eq + Hash, E: Copy> ChainEnds<P, E> {
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

/// The run of zeros that was seen last.
#[derive(Default)]
pub(super) struct Zeros(Range<u64>);

impl Zeros {
    /// The end of the zeros that begin at `at`.
    pub(super) fn end(&mut self, seen: Seen, at: u64) -> Result<u64> {
        const FIRST_LEN: usize = 256;
        if self.0.start <= at && at <= self.0.end && !self.0.is_empty() {
            return Ok(self.0.end);
        }
        let (mut end, mut bytes) = (at, vec![0; FIRST_LEN]);
        while end < seen.len {
            let left = usize::try_from(seen.len - end).unwrap_or(usize::MAX);
            let len = bytes.len().min(left);
            let read = seen.place.read_at(&mut bytes[..len], end)?;
            let zeros = bytes[..read].iter().take_while(|&&byte| byte == 0).count();
            end += zeros as u64;
            seen.effort.spend(Purpose::Scan, zeros as u64, 0);
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
        let mut ends = ChainEnds::default();
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
        let (mut ends, mut steps) = (ChainEnds::default(), 0_u64);
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
