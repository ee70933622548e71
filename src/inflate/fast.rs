//! The inner loop: literals and matches while input and output are both far from their ends.
//!
//! All `unsafe` of the decoder is here. The loop looks at its bounds once per round; what a round may
//! read and write at most is counted in [`INPUT_MARGIN`] and [`OUTPUT_MARGIN`].
//!
//! A round is a chain of table lookups, each of which waits for the one before: a core could do far more
//! in that time. So there is a loop for one stream, and one for two streams that have nothing to do with each
//! other, round by round, which takes two thirds of the time.

use super::bits::{Bits, low};
use super::code::{Codes, DISTANCE_BITS, Entry, LITLEN_BITS};
use super::{Defect, Output, Symbol};

/// A round refills the buffer twice at most, each time reading eight bytes and passing seven.
const INPUT_MARGIN: usize = 7 + 8;

/// A round puts out three entries of two literals and a match of 258 at the most; what is written at once
/// may reach [`SPILL`] beyond.
const OUTPUT_MARGIN: usize = 6 + 258 + SPILL;

/// Symbols that are copied at once.
const SPILL: usize = 32;

/// Why the loop ended.
#[derive(Clone, Copy)]
pub(super) enum Exit {
    /// An end is near.
    Margin,
    EndOfBlock,
    /// A match was read that begins before all that is known.
    Before {
        distance: usize,
        length: usize,
    },
    Invalid(Defect),
}

/// The contents of a block, and where they go.
pub(super) struct Contents<'a, 'i, 'm, S> {
    pub(super) codes: &'a Codes,
    pub(super) bits: &'a mut Bits<'i>,
    pub(super) out: &'a mut Output<'m, S>,
    /// What was put out before the memory.
    pub(super) before: &'a [S],
}

impl<S: Symbol> Contents<'_, '_, '_, S> {
    /// Whether both ends are far enough for a round.
    pub(super) fn has_room(bits: &Bits, out: &Output<S>) -> bool {
        bits.input.len() - bits.at >= INPUT_MARGIN && out.memory.len() - out.filled >= OUTPUT_MARGIN
    }

    /// Decodes until one of the ends is near, the block ends, or the stream turns out to be invalid.
    pub(super) fn run(mut self) -> Exit {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("bmi2") {
            // SAFETY: the processor has BMI2.
            return unsafe { run_bmi2(&mut self) };
        }
        run(&mut self)
    }

    /// Decodes two streams until one of them has to stop: why the first has, or else the second.
    pub(super) fn run_both<T: Symbol>(mut self, mut other: Contents<T>) -> (Option<Exit>, Option<Exit>) {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("bmi2") {
            // SAFETY: the processor has BMI2.
            return unsafe { run_both_bmi2(&mut self, &mut other) };
        }
        run_both(&mut self, &mut other)
    }
}

/// The same with shifts that need no particular register.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2")]
fn run_bmi2<S: Symbol>(contents: &mut Contents<S>) -> Exit {
    run(contents)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2")]
fn run_both_bmi2<S: Symbol, T: Symbol>(
    one: &mut Contents<S>,
    other: &mut Contents<T>,
) -> (Option<Exit>, Option<Exit>) {
    run_both(one, other)
}

#[inline(always)]
fn run<S: Symbol>(contents: &mut Contents<S>) -> Exit {
    let Some(mut place) = Place::new(contents) else { return Exit::Margin };
    let exit = loop {
        if !place.has_room() {
            break Exit::Margin;
        }
        if let Some(exit) = place.round() {
            break exit;
        }
    };
    place.close(contents);
    exit
}

#[inline(always)]
fn run_both<S: Symbol, T: Symbol>(
    one: &mut Contents<S>,
    other: &mut Contents<T>,
) -> (Option<Exit>, Option<Exit>) {
    let Some(mut first) = Place::new(one) else { return (Some(Exit::Margin), None) };
    let Some(mut second) = Place::new(other) else { return (None, Some(Exit::Margin)) };
    let exits = 'ended: loop {
        let (rounds, others) = (first.rounds(), second.rounds());
        if rounds == 0 || others == 0 {
            break if rounds == 0 { (Some(Exit::Margin), None) } else { (None, Some(Exit::Margin)) };
        }
        // Counted in advance, as there are too few registers for four bounds.
        for _ in 0..rounds.min(others) {
            if let Some(exit) = first.round() {
                break 'ended (Some(exit), None);
            }
            if let Some(exit) = second.round() {
                break 'ended (None, Some(exit));
            }
        }
    };
    first.close(one);
    second.close(other);
    exits
}

/// Where a stream is between two rounds, or in one.
struct Place<'a, S> {
    codes: &'a Codes,
    before: &'a [S],
    /// The next bits. Of their number only the lowest six bits count, as in a shift.
    buffer: u64,
    count: u32,
    /// What the next bits mean.
    entry: Entry,
    input: *const u8,
    from: *const u8,
    input_limit: *const u8,
    /// Where the stream's own output begins, and where it began in this run.
    start: *mut S,
    first: *mut S,
    to: *mut S,
    limit: *mut S,
}

impl<'a, S: Symbol> Place<'a, S> {
    /// Nothing if an end is near.
    #[inline(always)]
    fn new(contents: &mut Contents<'a, '_, '_, S>) -> Option<Self> {
        let Contents { codes, bits, out, before } = contents;
        if !Contents::<S>::has_room(bits, out) {
            return None;
        }
        let ahead = bits.input.len() - bits.at;
        let room = out.memory.len() - out.filled;
        let input = bits.input[bits.at..].as_ptr();
        let start = out.memory[out.start..].as_mut_ptr();
        // SAFETY: the margins were found to be there, and what is filled ends before the end.
        let (input_limit, first, limit) = unsafe {
            let first = start.add(out.filled - out.start);
            (input.add(ahead - INPUT_MARGIN), first, first.add(room - OUTPUT_MARGIN))
        };
        let (buffer, count) = (bits.buffer, bits.count);
        let (from, to, entry) = (input, first, Entry(0));
        let mut place =
            Self { codes, before, buffer, count, entry, input, from, input_limit, start, first, to, limit };
        place.refill();
        place.look_up();
        Some(place)
    }

    #[inline(always)]
    fn close(self, contents: &mut Contents<S>) {
        let count = self.count & 63;
        // SAFETY: the pointers went on inside input and memory.
        unsafe {
            contents.bits.at += self.from.offset_from_unsigned(self.input);
            contents.out.filled += self.to.offset_from_unsigned(self.first);
        }
        (contents.bits.buffer, contents.bits.count) = (self.buffer & low(count), count);
    }

    /// Whether both ends are far enough for a round.
    #[inline(always)]
    fn has_room(&self) -> bool {
        self.from <= self.input_limit && self.to <= self.limit
    }

    /// For how many rounds both ends are far enough, at the least.
    #[inline(always)]
    fn rounds(&self) -> usize {
        if !self.has_room() {
            return 0;
        }
        // SAFETY: each is in the same memory as its limit, and not behind it.
        let (coded, room) = unsafe {
            (self.input_limit.offset_from_unsigned(self.from), self.limit.offset_from_unsigned(self.to))
        };
        1 + (coded / INPUT_MARGIN).min(room / OUTPUT_MARGIN)
    }

    #[inline(always)]
    fn refill(&mut self) {
        // SAFETY: a round begins with INPUT_MARGIN bytes ahead, which are enough for two refills; the one before
        // the first round is alone.
        unsafe {
            let word = u64::from_le(self.from.cast::<u64>().read_unaligned());
            self.buffer |= word.wrapping_shl(self.count);
            self.from = self.from.add(7 - (self.count as usize >> 3 & 7));
        }
        self.count |= 56;
    }

    #[inline(always)]
    fn consume(&mut self, entry: Entry) {
        self.buffer = self.buffer.wrapping_shr(entry.0);
        self.count = self.count.wrapping_sub(entry.0);
    }

    #[inline(always)]
    fn look_up(&mut self) {
        self.entry = self.codes.litlen(self.buffer as usize & low(LITLEN_BITS) as usize);
    }

    /// Puts out the literals of the entry, if it has some.
    #[inline(always)]
    fn put(&mut self) {
        // SAFETY: a round begins with OUTPUT_MARGIN symbols ahead, which are enough for all that it puts out, and
        // the two written here.
        unsafe {
            self.to.cast::<[S; 2]>().write_unaligned(S::literals(self.entry.bytes()));
            self.to = self.to.add(self.entry.literals());
        }
    }

    /// Decodes a few literals, or a match and what is around it; why that cannot be.
    #[inline(always)]
    fn round(&mut self) -> Option<Exit> {
        // There are 56 bits at least: two entries of literals and what there can be behind them.
        if self.entry.is_literal() {
            self.consume(self.entry);
            self.put();
            self.look_up();
            if self.entry.is_literal() {
                self.consume(self.entry);
                self.put();
                self.look_up();
                if self.entry.is_literal() {
                    self.refill();
                    return None;
                }
            }
        }
        let mut saved = self.buffer;
        self.consume(self.entry);
        if self.entry.is_other() {
            if self.entry.is_subtable() {
                self.entry = self.codes.litlen(self.entry.subtable_index(self.buffer));
                saved = self.buffer;
                self.consume(self.entry);
                if self.entry.is_literal() {
                    self.put();
                    self.look_up();
                    self.refill();
                    return None;
                }
            }
            if self.entry.is_other() {
                let is_end = self.entry.is_end_of_block();
                return Some(if is_end { Exit::EndOfBlock } else { Exit::Invalid(Defect::LitlenSymbol) });
            }
        }
        let length = self.entry.number(saved);

        let mut far = self.codes.distance(self.buffer as usize & low(DISTANCE_BITS) as usize);
        self.refill();
        if far.is_other() {
            self.consume(far);
            if far.is_subtable() {
                far = self.codes.distance(far.subtable_index(self.buffer));
            }
            if far.is_other() {
                return Some(Exit::Invalid(Defect::DistanceSymbol));
            }
        }
        let distance = far.number(self.buffer);
        self.consume(far);

        // What comes next is looked up before the copy, which it does not wait for.
        self.look_up();

        // SAFETY: both are in the memory, the start not after the other.
        let behind = unsafe { self.to.offset_from_unsigned(self.start) };
        if distance > behind {
            // SAFETY: a round begins with OUTPUT_MARGIN symbols ahead, of which this is the last use.
            let memory = unsafe { std::slice::from_raw_parts_mut(self.start, behind + length) };
            if !copy_from_before(memory, behind, self.before, distance) {
                return Some(Exit::Before { distance, length });
            }
        } else {
            // SAFETY: a round begins with OUTPUT_MARGIN symbols ahead, of which this is the last use;
            // the distance was compared with what is behind.
            unsafe { copy_match(self.to, distance, length) };
        }
        // SAFETY: these are the symbols just written.
        self.to = unsafe { self.to.add(length) };

        // Whether a literal follows is hard to predict, and cheap to do without a branch.
        self.put();
        self.consume(if self.entry.is_literal() { self.entry } else { Entry(0) });
        self.look_up();
        self.refill();
        None
    }
}

/// Fills the memory behind `at` with a match that begins in what was put out before the memory; false if
/// it reaches beyond.
#[cold]
#[inline(never)]
fn copy_from_before<S: Symbol>(memory: &mut [S], at: usize, before: &[S], distance: usize) -> bool {
    let Some(from) = (before.len() + at).checked_sub(distance) else {
        return false;
    };
    let end = memory.len();
    let old = &before[from..before.len().min(from + end - at)];
    memory[at..at + old.len()].copy_from_slice(old);
    for place in at + old.len()..end {
        memory[place] = memory[place - distance];
    }
    true
}

/// Writes `length` symbols like those `distance` behind, and any up to [`SPILL`] more.
///
/// # Safety
/// There are `distance` symbols behind `to`, at least one, and `length` and [`SPILL`] ahead.
#[inline(always)]
unsafe fn copy_match<S: Symbol>(mut to: *mut S, distance: usize, length: usize) {
    // SAFETY: the caller says so. Each step writes 32 symbols, and begins before the end of the match; each copy
    // reads `distance` behind what it writes, which is no less than it copies.
    unsafe {
        if distance < 16 {
            let size = size_of::<S>();
            return repeat(to.cast(), distance * size, length * size);
        }
        let mut from = to.sub(distance).cast_const();
        let end = to.add(length);
        copy::<16, S>(from, to);
        copy::<16, S>(from.add(16), to.add(16));
        while to.add(32) < end {
            (from, to) = (from.add(32), to.add(32));
            copy::<16, S>(from, to);
            copy::<16, S>(from.add(16), to.add(16));
        }
    }
}

/// The same in bytes, where what is repeated is short; up to 16 more are written.
///
/// # Safety
/// There are `distance` bytes behind `to`, at least one, and `length` and 16 ahead.
#[inline(always)]
unsafe fn repeat(mut to: *mut u8, distance: usize, length: usize) {
    // SAFETY: the caller says so. Each step writes at most 16 bytes, and begins before the end.
    unsafe {
        let from = to.sub(distance).cast_const();
        let end = to.add(length);
        if distance == 1 {
            let bytes = u64::from(*from) * 0x0101_0101_0101_0101;
            while to < end {
                to.cast::<u64>().write_unaligned(bytes);
                to.add(8).cast::<u64>().write_unaligned(bytes);
                to = to.add(16);
            }
        } else {
            // Each step makes what is repeated twice as long, until eight bytes lie between.
            let mut between = distance;
            while between < 8 {
                to.cast::<u64>().write_unaligned(from.cast::<u64>().read_unaligned());
                to = to.add(between);
                between *= 2;
            }
            while to < end {
                copy::<8, u8>(to.sub(between), to);
                to = to.add(8);
            }
        }
    }
}

/// Copies `N` symbols to a place that does not overlap with theirs.
///
/// # Safety
/// There are so many at both places.
#[inline(always)]
unsafe fn copy<const N: usize, S>(from: *const S, to: *mut S) {
    // SAFETY: the caller says so.
    unsafe { to.copy_from_nonoverlapping(from, N) }
}
