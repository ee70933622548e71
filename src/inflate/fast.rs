//! The inner loop: literals and matches while input and output are both far from their ends.
//!
//! All `unsafe` of the decoder is here. The loop looks at its bounds once per round; what a round may
//! read and write at most is counted in [`INPUT_MARGIN`] and [`OUTPUT_MARGIN`].

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

/// Decodes until one of the ends is near, the block ends, or the stream turns out to be invalid.
pub(super) fn run<S: Symbol>(codes: &Codes, bits: &mut Bits, out: &mut Output<S>, before: &[S]) -> Exit {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("bmi2") {
        // SAFETY: the processor has BMI2.
        return unsafe { run_bmi2(codes, bits, out, before) };
    }
    rounds(codes, bits, out, before)
}

/// The same with shifts that need no particular register.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2")]
fn run_bmi2<S: Symbol>(codes: &Codes, bits: &mut Bits, out: &mut Output<S>, before: &[S]) -> Exit {
    rounds(codes, bits, out, before)
}

#[inline(always)]
fn rounds<S: Symbol>(codes: &Codes, bits: &mut Bits, out: &mut Output<S>, before: &[S]) -> Exit {
    let ahead = bits.input.len() - bits.at;
    let room = out.memory.len() - out.filled;
    if ahead < INPUT_MARGIN || room < OUTPUT_MARGIN {
        return Exit::Margin;
    }
    let (mut buffer, mut count) = (bits.buffer, bits.count);
    let input = bits.input[bits.at..].as_ptr();
    let start = out.memory[out.start..].as_mut_ptr();
    // SAFETY: the margins were found to be there, and what is filled ends before the end.
    let (input_limit, first, limit) = unsafe {
        let first = start.add(out.filled - out.start);
        (input.add(ahead - INPUT_MARGIN), first, first.add(room - OUTPUT_MARGIN))
    };
    let mut from = input;
    let mut to = first;

    // Only the lowest six bits of `count` count, as in a shift.
    macro_rules! refill {
        () => {
            // SAFETY: a round begins with INPUT_MARGIN bytes ahead, which are enough for two refills; the
            // one before the first round is alone.
            unsafe {
                buffer |= u64::from_le(from.cast::<u64>().read_unaligned()).wrapping_shl(count);
                from = from.add(7 - (count as usize >> 3 & 7));
            }
            count |= 56;
        };
    }
    macro_rules! consume {
        ($entry:expr) => {
            buffer = buffer.wrapping_shr($entry.0);
            count = count.wrapping_sub($entry.0);
        };
    }
    macro_rules! put {
        ($entry:expr) => {
            // SAFETY: a round begins with OUTPUT_MARGIN symbols ahead, which are enough for all that it
            // puts out, and the two written here.
            unsafe {
                to.cast::<[S; 2]>().write_unaligned(S::literals($entry.bytes()));
                to = to.add($entry.literals());
            }
        };
    }

    refill!();
    let mut entry = codes.litlen(buffer as usize & low(LITLEN_BITS) as usize);
    let exit = loop {
        if from > input_limit || to > limit {
            break Exit::Margin;
        }
        // There are 56 bits at least: two entries of literals and what there can be behind them.
        if entry.is_literal() {
            consume!(entry);
            put!(entry);
            entry = codes.litlen(buffer as usize & low(LITLEN_BITS) as usize);
            if entry.is_literal() {
                consume!(entry);
                put!(entry);
                entry = codes.litlen(buffer as usize & low(LITLEN_BITS) as usize);
                if entry.is_literal() {
                    refill!();
                    continue;
                }
            }
        }
        let mut saved = buffer;
        consume!(entry);
        if entry.is_other() {
            if entry.is_subtable() {
                entry = codes.litlen(entry.subtable_index(buffer));
                saved = buffer;
                consume!(entry);
                if entry.is_literal() {
                    put!(entry);
                    entry = codes.litlen(buffer as usize & low(LITLEN_BITS) as usize);
                    refill!();
                    continue;
                }
            }
            if entry.is_other() {
                break if entry.is_end_of_block() {
                    Exit::EndOfBlock
                } else {
                    Exit::Invalid(Defect::LitlenSymbol)
                };
            }
        }
        let length = entry.number(saved);

        let mut far = codes.distance(buffer as usize & low(DISTANCE_BITS) as usize);
        refill!();
        if far.is_other() {
            consume!(far);
            if far.is_subtable() {
                far = codes.distance(far.subtable_index(buffer));
            }
            if far.is_other() {
                break Exit::Invalid(Defect::DistanceSymbol);
            }
        }
        let distance = far.number(buffer);
        consume!(far);

        // What comes next is looked up before the copy, which it does not wait for.
        entry = codes.litlen(buffer as usize & low(LITLEN_BITS) as usize);

        // SAFETY: both are in the memory, the start not after the other.
        let behind = unsafe { to.offset_from_unsigned(start) };
        if distance > behind {
            // SAFETY: a round begins with OUTPUT_MARGIN symbols ahead, of which this is the last use.
            let memory = unsafe { std::slice::from_raw_parts_mut(start, behind + length) };
            if !copy_from_before(memory, behind, before, distance) {
                break Exit::Before { distance, length };
            }
        } else {
            // SAFETY: a round begins with OUTPUT_MARGIN symbols ahead, of which this is the last use;
            // the distance was compared with what is behind.
            unsafe { copy_match(to, distance, length) };
        }
        // SAFETY: these are the symbols just written.
        to = unsafe { to.add(length) };

        // Whether a literal follows is hard to predict, and cheap to do without a branch.
        put!(entry);
        let literals = if entry.is_literal() { entry } else { Entry(0) };
        consume!(literals);
        entry = codes.litlen(buffer as usize & low(LITLEN_BITS) as usize);
        refill!();
    };
    count &= 63;
    // SAFETY: the pointers went on inside input and memory.
    unsafe {
        bits.at += from.offset_from_unsigned(input);
        out.filled += to.offset_from_unsigned(first);
    }
    (bits.buffer, bits.count) = (buffer & low(count), count);
    exit
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
unsafe fn copy_match<S: Symbol>(to: *mut S, distance: usize, length: usize) {
    let size = size_of::<S>();
    let (distance, length) = (distance * size, length * size);
    let mut to = to.cast::<u8>();
    // SAFETY: the caller says so. Each step writes at most 32 bytes, which are no more than SPILL symbols,
    // and begins before the end of the match; it reads `distance` behind what it writes, and not beyond it.
    unsafe {
        let mut from = to.sub(distance).cast_const();
        let end = to.add(length);
        if distance >= 16 {
            copy::<16>(from, to);
            copy::<16>(from.add(16), to.add(16));
            while to.add(32) < end {
                (from, to) = (from.add(32), to.add(32));
                copy::<16>(from, to);
                copy::<16>(from.add(16), to.add(16));
            }
        } else if distance == 1 {
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
                copy::<8>(to.sub(between), to);
                to = to.add(8);
            }
        }
    }
}

/// Copies `N` bytes to a place that does not overlap with theirs.
///
/// # Safety
/// There are so many at both places.
#[inline(always)]
unsafe fn copy<const N: usize>(from: *const u8, to: *mut u8) {
    // SAFETY: the caller says so.
    unsafe { to.copy_from_nonoverlapping(from, N) }
}
