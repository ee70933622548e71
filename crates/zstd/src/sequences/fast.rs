//! The loops that decode most sequences. The file has unsafe code: it reads and writes without bounds checks.
//!
//! One load gives all bits of a sequence. It is the word whose highest byte has the reader's position, so it does not
//! wait for the lengths of the fields. The fields of a sequence are then, from the lowest bit: the state bits of
//! offset, match length and literal length, and the extra bits of literal length, match length and offset.

use super::decode::{Lane, Stage, pack};
use super::{ENTRIES, MATCH_LENGTHS, OFFSETS, SequenceTables};
use crate::fse::Entry;

/// A word always has this many bits below the reader's position. The few sequences with more are decoded elsewhere.
pub(crate) const WORD_BITS: usize = 56;
// The highest byte of a word may have seven bits above the position.
const _: () = assert!(WORD_BITS + 7 < 64);

/// What the loop knows of a block, in registers.
#[derive(Clone, Copy)]
pub(crate) struct State {
    pub(crate) at: usize,
    literal_length: usize,
    offset: usize,
    match_length: usize,
}

impl State {
    pub(crate) fn new(lane: &Lane) -> Self {
        let [literal_length, offset, match_length] = lane.states;
        Self { at: lane.at, literal_length, offset, match_length }
    }

    pub(crate) fn store(self, lane: &mut Lane, done: usize) {
        lane.at = self.at;
        lane.states = [self.literal_length, self.offset, self.match_length];
        lane.done += done;
    }
}

/// The three entries of a sequence, and how many bits it takes.
#[derive(Clone, Copy)]
pub(crate) struct Looked {
    literal_length: *const Entry,
    offset: *const Entry,
    match_length: *const Entry,
    pub(crate) bits: usize,
}

/// The low bits of a word.
///
/// # Safety
/// If `BMI2`, the processor has it.
#[inline(always)]
unsafe fn low<const BMI2: bool>(word: u64, count: u8) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if BMI2 {
        // SAFETY: the caller's promise.
        return unsafe { std::arch::x86_64::_bzhi_u64(word, u32::from(count)) };
    }
    word & ((1 << count) - 1)
}

/// # Safety
/// `tables` has [`ENTRIES`] entries, and the states are below the sizes of their tables.
#[inline(always)]
pub(crate) unsafe fn look(state: &State, tables: *const Entry) -> Looked {
    debug_assert!(state.literal_length < OFFSETS, "a state of literal lengths");
    debug_assert!(state.offset < MATCH_LENGTHS - OFFSETS, "a state of offsets");
    debug_assert!(state.match_length < ENTRIES - MATCH_LENGTHS, "a state of match lengths");
    // SAFETY: the tables begin at these places, and the states are below their sizes.
    unsafe {
        let (literal_length, offset, match_length) = (
            tables.add(state.literal_length),
            tables.add(OFFSETS + state.offset),
            tables.add(MATCH_LENGTHS + state.match_length),
        );
        let bits = |entry: *const Entry| u32::from((*entry).state_bits) + u32::from((*entry).extra_bits);
        let bits = bits(literal_length) + bits(offset) + bits(match_length);
        Looked { literal_length, offset, match_length, bits: bits as usize }
    }
}

/// Decodes a sequence, and moves on to the next states. Gives the literal length, the match length minus
/// [`super::codes::MATCH_LEN_MIN`], and the offset value.
///
/// # Safety
/// `block` may be read up to the byte of `state.at`; `state.at >= WORD_BITS`; `looked` was looked up for the state and
/// has at most [`WORD_BITS`] bits. If `BMI2`, the processor has it.
#[inline(always)]
pub(crate) unsafe fn step<const BMI2: bool>(state: &mut State, looked: Looked, block: *const u8) -> [u64; 3] {
    let bits = looked.bits;
    debug_assert!(state.at >= WORD_BITS && bits <= WORD_BITS, "the bits are in one word");
    // SAFETY: the entries are those of the tables; `at / 8` is a byte of the block, and at least seven; and the
    // caller's promise about the processor.
    unsafe {
        let (literal_length, offset, match_length) =
            (&*looked.literal_length, &*looked.offset, &*looked.match_length);
        let word = block.add(state.at / 8 - 7).cast::<u64>().read_unaligned();
        let word = u64::from_le(word) >> ((state.at % 8 + WORD_BITS - bits) & 63);
        state.at -= bits;
        let next =
            |entry: &Entry, word| usize::from(entry.next) + low::<BMI2>(word, entry.state_bits) as usize;
        state.offset = next(offset, word);
        let word = word >> (offset.state_bits & 63);
        state.match_length = next(match_length, word);
        let word = word >> (match_length.state_bits & 63);
        state.literal_length = next(literal_length, word);
        let word = word >> (literal_length.state_bits & 63);

        let value = |entry: &Entry, word| u64::from(entry.base) + low::<BMI2>(word, entry.extra_bits);
        let literals = value(literal_length, word);
        let word = word >> (literal_length.extra_bits & 63);
        let match_extra = value(match_length, word);
        let word = word >> (match_length.extra_bits & 63);
        [literals, match_extra, value(offset, word)]
    }
}

/// How many sequences can be decoded without looking at the ends: not the last one, and none whose word could begin
/// before the block.
#[inline(always)]
pub(crate) fn room(at: usize, left: usize) -> usize {
    // Each step takes at most WORD_BITS and leaves at least WORD_BITS below it.
    left.min(at / WORD_BITS)
}

/// The checks that the loops rely on.
pub(crate) fn is_ready(lane: &Lane, stage: &Stage<'_>) -> bool {
    let sizes = stage.tables.accuracy_logs.map(|log| 1_usize << log);
    lane.at / 8 < stage.block.len()
        && lane.done < lane.count
        && lane.count <= stage.sequences.len()
        && lane.states.iter().zip(sizes).all(|(state, size)| *state < size)
}

/// Decodes sequences until the last one, or one that this loop cannot decode.
pub(crate) fn run_one(lane: &mut Lane, stage: &mut Stage<'_>) {
    if !is_ready(lane, stage) {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if crate::has_bmi2() {
        // SAFETY: the processor has the features, and `is_ready` checked the rest.
        return unsafe { one_bmi2(lane, stage) };
    }
    // SAFETY: `is_ready` checked it.
    unsafe { one::<false>(lane, stage) }
}

/// # Safety
/// As [`one`], and the processor has BMI1, BMI2, LZCNT and AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,avx2")]
unsafe fn one_bmi2(lane: &mut Lane, stage: &mut Stage<'_>) {
    // SAFETY: the caller's promise.
    unsafe { one::<true>(lane, stage) }
}

/// # Safety
/// `is_ready(lane, stage)`. If `BMI2`, the processor has it.
#[inline(always)]
unsafe fn one<const BMI2: bool>(lane: &mut Lane, stage: &mut Stage<'_>) {
    debug_assert!(is_ready(lane, stage));
    let (block, tables) = (stage.block.as_ptr(), stage.tables.entries.as_ptr());
    let mut state = State::new(lane);
    let last = lane.count - 1;
    let mut done = lane.done;
    'all: loop {
        let rounds = room(state.at, last - done);
        if rounds == 0 {
            break;
        }
        for _ in 0..rounds {
            // SAFETY: a valid table leads to states below its size only. The position is at least WORD_BITS because
            // of `room`, and only comes down. `done` is below the number of sequences.
            unsafe {
                let looked = look(&state, tables);
                if looked.bits > WORD_BITS {
                    break 'all;
                }
                *stage.sequences.get_unchecked_mut(done) = pack(step::<BMI2>(&mut state, looked, block));
            }
            done += 1;
        }
    }
    let new = done - lane.done;
    state.store(lane, new);
}

/// Decodes as many sequences of each block as one loop can. Says whether both blocks have more than one sequence left,
/// so that the loop should be called again after a step of each. If the first block is one sequence ahead, that step is
/// the second block's.
pub(crate) fn run_two(lane_a: &mut Lane, a: &mut Stage<'_>, lane_b: &mut Lane, b: &mut Stage<'_>) -> bool {
    if !is_ready(lane_a, a) || !is_ready(lane_b, b) {
        return false;
    }
    debug_assert_eq!(lane_a.done, lane_b.done, "the two blocks keep in step");
    #[cfg(target_arch = "x86_64")]
    if crate::has_bmi2() {
        // SAFETY: the processor has the features, and `is_ready` checked the rest.
        return unsafe { two_bmi2(lane_a, a, lane_b, b) };
    }
    // SAFETY: `is_ready` checked it.
    unsafe { two::<false>(lane_a, a, lane_b, b) }
}

/// # Safety
/// As [`two`], and the processor has BMI1, BMI2, LZCNT and AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,avx2")]
unsafe fn two_bmi2(lane_a: &mut Lane, a: &mut Stage<'_>, lane_b: &mut Lane, b: &mut Stage<'_>) -> bool {
    // SAFETY: the caller's promise.
    unsafe { two::<true>(lane_a, a, lane_b, b) }
}

/// # Safety
/// `is_ready` of both. If `BMI2`, the processor has it.
#[inline(always)]
unsafe fn two<const BMI2: bool>(
    lane_a: &mut Lane,
    a: &mut Stage<'_>,
    lane_b: &mut Lane,
    b: &mut Stage<'_>,
) -> bool {
    debug_assert!(is_ready(lane_a, a) && is_ready(lane_b, b));
    let (block_a, block_b) = (a.block.as_ptr(), b.block.as_ptr());
    let tables_of = |tables: &SequenceTables| -> *const Entry {
        let entries: &[Entry; ENTRIES] = &tables.entries;
        entries.as_ptr()
    };
    let (tables_a, tables_b) = (tables_of(a.tables), tables_of(b.tables));
    let (to_a, to_b) = (a.sequences.as_mut_ptr(), b.sequences.as_mut_ptr());
    let (mut state_a, mut state_b) = (State::new(lane_a), State::new(lane_b));
    let begin = lane_a.done;
    // The last sequence of each is not for this loop.
    let last = lane_a.count.min(lane_b.count) - 1;
    let mut done = begin;
    let mut a_is_ahead = false;
    'all: loop {
        let left = last.saturating_sub(done);
        let rounds = room(state_a.at, left).min(room(state_b.at, left));
        if rounds == 0 {
            break;
        }
        let until = done + rounds;
        while done < until {
            debug_assert!(done < a.sequences.len() && done < b.sequences.len(), "room to write");
            // SAFETY: as in `one`, for both blocks. `done` is below the number of sequences of both.
            unsafe {
                let looked = look(&state_a, tables_a);
                if looked.bits > WORD_BITS {
                    break 'all;
                }
                *to_a.add(done) = pack(step::<BMI2>(&mut state_a, looked, block_a));
                let looked = look(&state_b, tables_b);
                if looked.bits > WORD_BITS {
                    a_is_ahead = true;
                    break 'all;
                }
                *to_b.add(done) = pack(step::<BMI2>(&mut state_b, looked, block_b));
            }
            done += 1;
        }
    }
    state_a.store(lane_a, done - begin + usize::from(a_is_ahead));
    state_b.store(lane_b, done - begin);
    // Close to the start of a block, the careful steps of both would be many: the rest is done one by one.
    done < last && state_a.at >= WORD_BITS && state_b.at >= WORD_BITS
}
