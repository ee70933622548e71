//! The fast loop: literals and matches while input and output are both far from their ends.
//!
//! All `unsafe` of the decoder is here. The loop checks its bounds once per round. `contents.rs` says what a round
//! reads and writes at most, and calls [`select_run`] and [`select_run_pair`].
//!
//! A round is a chain of table lookups, and each waits for the one before: a core could do far more in that time.
//! So there is a loop for one stream, and a loop for two independent streams, round by round, which takes two
//! thirds of the time.

use super::bits::low;
use super::code::{Codes, DISTANCE_BITS, Entry, LITLEN_BITS};
use super::contents::{
    Contents, Exit, Exits, FAR_BITS, INPUT_MARGIN, LENGTH_BITS, LENGTH_MAX, OUTPUT_MARGIN, SPILL,
};
use super::deferred::{Literal, NotedCopy, Replay};
use super::{Defect, Output, Symbol};

/// The buffer has at least this many bits behind a refill.
const REFILLED: u32 = 56;

// Up to the first refill, a round takes two entries of literals and a length, and looks a distance up. Between the two
// refills it takes a distance and an entry of literals, and looks an entry up.
const _: () = assert!(2 * LITLEN_BITS + LENGTH_BITS + DISTANCE_BITS <= REFILLED);
const _: () = assert!(FAR_BITS + 2 * LITLEN_BITS <= REFILLED);

/// Runs the loop that fits the processor.
#[inline(always)]
pub(super) fn select_run<S: Symbol>(contents: &mut Contents<S>) -> Exit {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("bmi2") {
        // SAFETY: the processor has BMI2.
        return unsafe { run_bmi2(contents) };
    }
    run(contents)
}

/// Runs the loop for two streams that fits the processor.
#[inline(always)]
pub(super) fn select_run_pair<S: Symbol, T: Symbol>(one: &mut Contents<S>, other: &mut Contents<T>) -> Exits {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("bmi2") {
        // SAFETY: the processor has BMI2.
        return unsafe { run_pair_bmi2(one, other) };
    }
    run_pair(one, other)
}

/// The loop with shifts of BMI2, which need no particular register.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2")]
fn run_bmi2<S: Symbol>(contents: &mut Contents<S>) -> Exit {
    run(contents)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2")]
fn run_pair_bmi2<S: Symbol, T: Symbol>(one: &mut Contents<S>, other: &mut Contents<T>) -> Exits {
    run_pair(one, other)
}

#[inline(always)]
fn run<S: Symbol>(contents: &mut Contents<S>) -> Exit {
    let Some(mut cursor) = Cursor::new(contents) else { return Exit::Margin };
    let exit = loop {
        if !cursor.has_room() {
            break Exit::Margin;
        }
        if let Some(exit) = cursor.round() {
            break exit;
        }
    };
    cursor.close(contents);
    exit
}

#[inline(always)]
fn run_pair<S: Symbol, T: Symbol>(one: &mut Contents<S>, other: &mut Contents<T>) -> Exits {
    let Some(mut first) = Cursor::new(one) else { return (Some(Exit::Margin), None) };
    let Some(mut second) = Cursor::new(other) else { return (None, Some(Exit::Margin)) };
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

/// The state of a stream in the loop. The compiler keeps it in registers.
struct Cursor<'a, S> {
    codes: &'a Codes,
    before: &'a [S],
    /// The next bits. Of their count only the lowest six bits have a meaning, as in a shift.
    buffer: u64,
    count: u32,
    /// What the next bits mean.
    entry: Entry,
    input: *const u8,
    from: *const u8,
    input_limit: *const u8,
    /// Where the stream's own output begins in the memory, and where that of this run begins.
    start: *mut S,
    first: *mut S,
    to: *mut S,
    limit: *mut S,
}

impl<'a, S: Symbol> Cursor<'a, S> {
    /// Begins the loop, unless an end is near.
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
        // SAFETY: `has_room` found both margins, and the filled part ends before the end of the memory.
        let (input_limit, first, limit) = unsafe {
            let first = start.add(out.filled - out.start);
            (input.add(ahead - INPUT_MARGIN), first, first.add(room - OUTPUT_MARGIN))
        };
        let (buffer, count) = (bits.buffer, bits.count);
        let (from, to, entry) = (input, first, Entry(0));
        let mut cursor =
            Self { codes, before, buffer, count, entry, input, from, input_limit, start, first, to, limit };
        cursor.refill();
        cursor.look_up();
        Some(cursor)
    }

    #[inline(always)]
    fn close(self, contents: &mut Contents<S>) {
        let count = self.count & 63;
        // SAFETY: the pointers have moved forward inside the input and the memory.
        unsafe {
            contents.bits.at += self.from.offset_from_unsigned(self.input);
            contents.out.filled += self.to.offset_from_unsigned(self.first);
            if S::DEFERS {
                let end = self.limit.wrapping_add(OUTPUT_MARGIN);
                let len = end.offset_from_unsigned(contents.out.memory.as_mut_ptr());
                contents.out.memory = &mut std::mem::take(&mut contents.out.memory)[..len];
            }
        }
        (contents.bits.buffer, contents.bits.count) = (self.buffer & low(count), count);
    }

    /// Whether both ends are far enough for a round.
    #[inline(always)]
    fn has_room(&self) -> bool {
        self.from <= self.input_limit && self.to <= self.limit
    }

    /// A number of rounds for which both ends are far enough.
    #[inline(always)]
    fn rounds(&self) -> usize {
        if !self.has_room() {
            return 0;
        }
        // SAFETY: each pointer is in the same memory as its limit, and not behind it.
        let (coded, room) = unsafe {
            (self.input_limit.offset_from_unsigned(self.from), self.limit.offset_from_unsigned(self.to))
        };
        1 + (coded / INPUT_MARGIN).min(room / OUTPUT_MARGIN)
    }

    #[inline(always)]
    fn refill(&mut self) {
        debug_assert!(self.from <= self.input_limit.wrapping_add(INPUT_MARGIN - 8), "a word to read");
        // SAFETY: a round begins with INPUT_MARGIN bytes ahead, which are enough for two refills. The refill before
        // the first round is the only one before that round's check.
        unsafe {
            let word = u64::from_le(self.from.cast::<u64>().read_unaligned());
            self.buffer |= word.wrapping_shl(self.count);
            self.from = self.from.add(7 - (self.count as usize >> 3 & 7));
        }
        self.count |= REFILLED;
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

    /// Puts out the literals of the entry, if it has any.
    #[inline(always)]
    fn put(&mut self) {
        debug_assert!(self.to <= self.limit.wrapping_add(OUTPUT_MARGIN - 2), "room for two symbols");
        // SAFETY: a round begins with OUTPUT_MARGIN symbols ahead, which are enough for all that it puts out and
        // for the two symbols written here.
        unsafe {
            self.to.cast::<[S; 2]>().write_unaligned(S::literals(self.entry.bytes()));
            self.to = self.to.add(self.entry.literals());
        }
    }

    /// Decodes a few literals, or a match and the literals around it. Returns why it cannot.
    #[inline(always)]
    fn round(&mut self) -> Option<Exit> {
        // The buffer has at least REFILLED bits.
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

        // The next entry is looked up before the copy, so that the lookup does not wait for it.
        self.look_up();

        debug_assert!(
            self.to <= self.limit.wrapping_add(OUTPUT_MARGIN - LENGTH_MAX - SPILL),
            "room for a match"
        );
        // SAFETY: both pointers are in the memory, and the start is not behind the other.
        let behind = unsafe { self.to.offset_from_unsigned(self.start) };
        if S::DEFERS {
            // SAFETY: the memory ends OUTPUT_MARGIN symbols of one byte behind the limit. A round begins with so many
            // symbols ahead, which are enough for its literals and the eight bytes of a copy.
            unsafe {
                self.limit = self.limit.wrapping_sub(NotedCopy::LEN);
                let copy = NotedCopy::new(behind, length, distance).to_bytes();
                self.limit.wrapping_add(OUTPUT_MARGIN).cast::<[u8; NotedCopy::LEN]>().write_unaligned(copy);
            }
            return self.put_next();
        }
        if distance > behind {
            // SAFETY: a round begins with OUTPUT_MARGIN symbols ahead, enough for its literals and this match.
            let memory = unsafe { std::slice::from_raw_parts_mut(self.start, behind + length) };
            if !copy_from_before(memory, behind, self.before, distance) {
                return Some(Exit::Before { distance, length });
            }
        } else {
            // SAFETY: a round begins with OUTPUT_MARGIN symbols ahead, enough for its literals, this match and what
            // its copy writes beyond. As many symbols as the distance are before `to`. A decoder between symbols has
            // whole tables, which have no distance of 0 and no length above 258.
            unsafe { copy_match(self.to, distance, length) };
        }
        // SAFETY: these are the symbols just written.
        self.to = unsafe { self.to.add(length) };
        self.put_next()
    }

    /// Ends a round behind a match: puts out the literals that follow, and refills the buffer.
    #[inline(always)]
    fn put_next(&mut self) -> Option<Exit> {
        // A branch on whether a literal follows would be hard to predict; this has none.
        self.put();
        self.consume(if self.entry.is_literal() { self.entry } else { Entry(0) });
        self.look_up();
        self.refill();
        None
    }
}

/// Fills the memory behind `at` with a match that begins before the memory. Returns false if it begins before all
/// known output.
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

/// Copies a match: writes `length` symbols equal to those `distance` before them, and up to [`SPILL`] more.
///
/// # Safety
/// - `distance` is at least 1, and `length` at most [`LENGTH_MAX`].
/// - The memory has `distance` initialised symbols before `to`, and room for `length + SPILL` from `to` on.
#[inline(always)]
unsafe fn copy_match<S: Symbol>(mut to: *mut S, distance: usize, length: usize) {
    debug_assert!(distance >= 1, "a match repeats earlier output");
    debug_assert!(length <= LENGTH_MAX, "a match of {length}");
    // SAFETY: the caller's promise. Each step writes 32 symbols and begins before the end of the match. Each copy
    // reads `distance` before where it writes, which is no less than the 16 that it copies.
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

/// Copies a match of a short distance, counted in bytes. Writes up to 16 bytes more than `length`.
///
/// # Safety
/// - `distance` is at least 1.
/// - The memory has `distance` initialised bytes before `to`, and room for `length + 16` from `to` on.
#[inline(always)]
unsafe fn repeat(mut to: *mut u8, distance: usize, length: usize) {
    debug_assert!(distance >= 1, "a match repeats earlier output");
    // SAFETY: the caller's promise. Each step writes at most 16 bytes and begins before the end, or within the
    // first eight bytes.
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
            // Each step doubles the distance between source and target, until it is eight bytes.
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
/// Both places have room for `N` symbols, and those at `from` are initialised.
#[inline(always)]
unsafe fn copy<const N: usize, S>(from: *const S, to: *mut S) {
    // SAFETY: the caller's promise.
    unsafe { to.copy_from_nonoverlapping(from, N) }
}

/// So many literals are copied at once.
const RUN: usize = 16;

/// Puts out literals and makes copies until `done` comes to `last`, the end of the output is near, or the next copy
/// needs care: it is half made, or begins before all output.
pub(super) fn replay(memory: &[Literal], last: usize, done: &mut Replay, out: &mut Output, before: &[u8]) {
    const MARGIN: usize = RUN + NotedCopy::LENGTH_MAX + SPILL;
    if done.copied > 0 {
        return;
    }
    while done.copies > last && out.memory.len() - out.filled >= MARGIN {
        let Some(bytes) = memory.get(done.copies.wrapping_sub(NotedCopy::LEN)..done.copies) else { return };
        // SAFETY: the slice has as many bytes, and a `Literal` is a byte.
        let noted = NotedCopy(u64::from_le(unsafe { bytes.as_ptr().cast::<u64>().read_unaligned() }));
        let run = noted.literals().wrapping_sub(done.literals);
        if run > RUN || done.literals + RUN > memory.len() {
            let now = run.min(out.memory.len() - out.filled - MARGIN);
            let Some(literals) = memory.get(done.literals..done.literals + now).filter(|_| now > 0) else {
                return;
            };
            let room = &mut out.memory[out.filled..out.filled + now];
            room.iter_mut().zip(literals).for_each(|(byte, literal)| *byte = literal.0);
            (out.filled, done.literals) = (out.filled + now, done.literals + now);
            continue;
        }
        let (distance, length) = (noted.distance(), noted.length());
        let behind = out.filled - out.start + run;
        // SAFETY: RUN literals are in the memory from there on, and there is room for MARGIN bytes, which are enough
        // for the literals, the copy and what is written beyond. As many bytes as the distance are before the copy.
        // Only lengths of matches were noted, which are at most LENGTH_MAX.
        unsafe {
            let to = out.memory.as_mut_ptr().add(out.filled);
            copy::<RUN, u8>(memory.as_ptr().add(done.literals).cast(), to);
            if distance <= behind {
                copy_match(to.add(run), distance, length);
            } else {
                let end = out.filled + run + length;
                if !copy_from_before(&mut out.memory[out.start..end], behind, before, distance) {
                    return;
                }
            }
        }
        out.filled += run + length;
        done.literals += run;
        done.copies -= NotedCopy::LEN;
    }
}

#[cfg(test)]
mod tests {
    use super::super::Marked;
    use super::*;

    /// Copies a match between two margins, and compares it with a copy symbol by symbol.
    fn check<S: Symbol + Default + PartialEq + std::fmt::Debug>(distance: usize, length: usize) {
        const GUARD: usize = 64;
        let start: Vec<S> = (0..distance).map(|at| S::literal((at * 7 + at / 256) as u8)).collect();
        let mut memory = start.clone();
        memory.resize(distance + length + SPILL + GUARD, S::literal(0xa5));
        // SAFETY: the memory has `distance` symbols before the place, and behind it room for the match, for what the
        // copy may write beyond, and for the guard.
        unsafe { copy_match(memory.as_mut_ptr().add(distance), distance, length) };
        let mut expected = start;
        (0..length).for_each(|at| expected.push(expected[at]));
        assert_eq!(memory[..distance + length], expected, "distance {distance}, length {length}");
        let guard = &memory[distance + length + SPILL..];
        assert!(
            guard.iter().all(|&symbol| symbol == S::literal(0xa5)),
            "distance {distance}, length {length}"
        );
    }

    #[test]
    fn matches_are_copied_at_every_margin() {
        // Miri is slow, and takes every seventh.
        let step = if cfg!(miri) { 7 } else { 1 };
        let distances = (1..=70).chain([255, 256, 257, 258, 259, 32_767, 32_768]);
        for distance in distances.step_by(step) {
            for length in (0..=70).chain([255, 256, 257, LENGTH_MAX]).step_by(step) {
                check::<u8>(distance, length);
                check::<Marked>(distance, length);
            }
        }
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a match repeats earlier output")]
    fn a_distance_of_zero_is_not_allowed() {
        check::<u8>(0, 3);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "a match of 259")]
    fn a_length_above_258_is_not_allowed() {
        check::<u8>(1, LENGTH_MAX + 1);
    }
}
