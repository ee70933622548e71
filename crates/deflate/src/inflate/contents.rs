//! The symbols of a block, for the fast loop, and why it ends.
//!
//! `careful.rs` and `pair.rs` give [`Contents`] to the loop of `fast.rs`. A round of the loop reads at most
//! [`INPUT_MARGIN`] bytes and writes at most [`OUTPUT_MARGIN`] symbols, and begins only if there are so many. When the
//! loop ends, its caller learns why ([`Exit`]) and continues with all bounds checked. A build with `pzcomp_safe` has no
//! such loop.

use super::bits::Bits;
use super::code::Codes;
use super::deferred::Literal;
#[cfg(not(pzcomp_safe))]
use super::fast::{select_run, select_run_pair};
use super::{Defect, Marked, Output, Symbol};

/// A round refills the buffer at most twice. A refill reads eight bytes and passes at most seven.
pub(super) const INPUT_MARGIN: usize = 7 + 8;

/// The greatest length of a match (RFC 1951, 3.2.5).
pub(super) const LENGTH_MAX: usize = 258;

/// A round puts out at most three entries of two literals and one match. A copy may write [`SPILL`] symbols more
/// than it puts out.
pub(super) const OUTPUT_MARGIN: usize = 6 + LENGTH_MAX + SPILL;

/// How many symbols one step of a copy writes.
pub(super) const SPILL: usize = 32;

/// The most bits of a length and of a distance: those of the longest code, and extra bits (RFC 1951, 3.2.5).
pub(super) const LENGTH_BITS: u32 = 15 + 5;
pub(super) const FAR_BITS: u32 = 15 + 13;

/// Why the loop ended.
#[derive(Clone, Copy)]
pub enum Exit {
    /// The end of the input or of the memory is near.
    Margin,
    EndOfBlock,
    /// A match begins before all output that is known.
    Before {
        distance: usize,
        length: usize,
    },
    Invalid(Defect),
}

/// The symbols of a block, and the memory for them.
pub struct Contents<'a, 'i, 'm, S> {
    pub(super) codes: &'a Codes,
    pub(super) bits: &'a mut Bits<'i>,
    pub(super) out: &'a mut Output<'m, S>,
    /// The output of the stream that is before the memory.
    pub(super) before: &'a [S],
}

impl<S: Symbol> Contents<'_, '_, '_, S> {
    /// Whether both ends are far enough for a round.
    pub(super) fn has_room(bits: &Bits, out: &Output<S>) -> bool {
        cfg!(not(pzcomp_safe))
            && bits.input.len() - bits.at >= INPUT_MARGIN
            && out.memory.len() - out.filled >= OUTPUT_MARGIN
    }

    /// Decodes until one of the ends is near, the block ends, or the stream turns out to be invalid.
    pub(super) fn run(mut self) -> Exit {
        S::run(&mut self)
    }

    /// Decodes two streams until one of them has to stop. Returns why the first stops, or else the second.
    pub(super) fn run_pair<T: Symbol>(mut self, mut other: Contents<T>) -> Exits {
        S::run_pair(&mut self, &mut other)
    }
}

/// Why the first of two streams stops, or why the second does.
pub(super) type Exits = (Option<Exit>, Option<Exit>);

/// The fast loops of one type of symbol.
///
/// The methods are not generic over that type. So the loops are compiled in this crate, with the optimisation that
/// the profile has for it, and not in the crate that uses them. The trait cannot be named outside, which seals
/// [`Symbol`].
pub trait Loops: Sized {
    /// Decodes one stream.
    fn run(contents: &mut Contents<Self>) -> Exit;

    /// Decodes two streams, the first of this type.
    fn run_pair<T: Symbol>(one: &mut Contents<Self>, other: &mut Contents<T>) -> Exits;

    /// Decodes a stream of bytes and one of this type.
    fn run_after_bytes(one: &mut Contents<u8>, other: &mut Contents<Self>) -> Exits;

    /// Decodes a stream of marked symbols and one of this type.
    fn run_after_marked(one: &mut Contents<Marked>, other: &mut Contents<Self>) -> Exits;
}

impl Loops for u8 {
    fn run(contents: &mut Contents<u8>) -> Exit {
        select_run(contents)
    }

    #[inline(always)]
    fn run_pair<T: Symbol>(one: &mut Contents<u8>, other: &mut Contents<T>) -> Exits {
        T::run_after_bytes(one, other)
    }

    fn run_after_bytes(one: &mut Contents<u8>, other: &mut Contents<u8>) -> Exits {
        select_run_pair(one, other)
    }

    fn run_after_marked(one: &mut Contents<Marked>, other: &mut Contents<u8>) -> Exits {
        select_run_pair(one, other)
    }
}

impl Loops for Marked {
    fn run(contents: &mut Contents<Marked>) -> Exit {
        select_run(contents)
    }

    #[inline(always)]
    fn run_pair<T: Symbol>(one: &mut Contents<Marked>, other: &mut Contents<T>) -> Exits {
        T::run_after_marked(one, other)
    }

    fn run_after_bytes(one: &mut Contents<u8>, other: &mut Contents<Marked>) -> Exits {
        select_run_pair(one, other)
    }

    fn run_after_marked(one: &mut Contents<Marked>, other: &mut Contents<Marked>) -> Exits {
        select_run_pair(one, other)
    }
}

impl Loops for Literal {
    fn run(contents: &mut Contents<Literal>) -> Exit {
        select_run(contents)
    }

    /// Such streams are decoded one at a time.
    fn run_pair<T: Symbol>(one: &mut Contents<Literal>, _: &mut Contents<T>) -> Exits {
        (Some(select_run(one)), None)
    }

    fn run_after_bytes(_: &mut Contents<u8>, other: &mut Contents<Literal>) -> Exits {
        (None, Some(select_run(other)))
    }

    fn run_after_marked(_: &mut Contents<Marked>, other: &mut Contents<Literal>) -> Exits {
        (None, Some(select_run(other)))
    }
}

#[cfg(pzcomp_safe)]
fn select_run<S>(_: &mut Contents<S>) -> Exit {
    Exit::Margin
}

#[cfg(pzcomp_safe)]
fn select_run_pair<S, T>(_: &mut Contents<S>, _: &mut Contents<T>) -> Exits {
    (Some(Exit::Margin), None)
}
