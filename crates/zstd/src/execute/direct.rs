//! The loop that decodes sequences and executes each at once. It serves blocks whose output has its place already, and
//! takes less time than to decode all sequences and then to execute them. The file has unsafe code: it reads and writes
//! without bounds checks.
//!
//! The first sequences of a block come here. The loop ends before the last one, before one that takes more bits than a
//! word has, and at one that is not valid or comes close to the end of the output. The two stages do the rest, and find
//! errors.

use super::fast::{Far, Near, copy_apart, copy_far, copy_near};
use super::{Reach, Target};
use crate::Error;
use crate::block::{Executed, SLACK};
use crate::sequences::codes::MATCH_LEN_MIN;
use crate::sequences::fast::{State, WORD_BITS, is_ready, look, room, step};
use crate::sequences::{Lane, Offsets, Stage, pack};

/// Decodes and executes sequences from the first on. If the last one that is decoded is not executed, it is in its
/// place in [`Stage::sequences`].
pub(crate) fn run(
    lane: &mut Lane,
    stage: &mut Stage<'_>,
    offsets: &mut Offsets,
    target: &mut Target<'_>,
    reach: Reach,
    block_len_max: usize,
) -> Result<Executed, Error> {
    // The output of the loop ends here, so that it has SLACK bytes of room, and the block is not too long.
    let limit = target.len().checked_sub(SLACK).map(|end| end.min(target.filled() + block_len_max));
    let Some(limit) = limit.filter(|&limit| target.filled() <= limit) else {
        return Ok(Executed::default());
    };
    if stage.tables.has_wide_offsets || !is_ready(lane, stage) {
        return Ok(Executed::default());
    }
    debug_assert!(lane.done == 0, "nothing is decoded yet");
    let near = Near::of(reach, block_len_max, target);
    #[cfg(target_arch = "x86_64")]
    if crate::has_bmi2() {
        // SAFETY: the processor has the features, and all else was checked above.
        return unsafe { sequences_bmi2(lane, stage, offsets, target, reach, near, limit) };
    }
    // SAFETY: all was checked above.
    unsafe { sequences::<false>(lane, stage, offsets, target, reach, near, limit) }
}

/// # Safety
/// As [`sequences`], and the processor has BMI1, BMI2, LZCNT and AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,avx2")]
unsafe fn sequences_bmi2(
    lane: &mut Lane,
    stage: &mut Stage<'_>,
    offsets: &mut Offsets,
    target: &mut Target<'_>,
    reach: Reach,
    near: Near,
    limit: usize,
) -> Result<Executed, Error> {
    // SAFETY: the caller's promise. Two calls, so that the loop is compiled for each kind of limit.
    unsafe {
        match near {
            Near::Growing => sequences::<true>(lane, stage, offsets, target, reach, Near::Growing, limit),
            Near::Fixed(most) => {
                sequences::<true>(lane, stage, offsets, target, reach, Near::Fixed(most), limit)
            }
            // It does not occur: the output has the whole window.
            Near::Wrapped(most, _) => {
                let near = Near::Fixed(most.min(target.filled()));
                sequences::<true>(lane, stage, offsets, target, reach, near, limit)
            }
        }
    }
}

/// # Safety
/// `is_ready(lane, stage)`. If `BMI2`, the processor has it. `limit` is at least what is filled of the target, and
/// [`SLACK`] bytes before its end. `near` is [`Near::of`] the target.
#[inline(always)]
unsafe fn sequences<const BMI2: bool>(
    lane: &mut Lane,
    stage: &mut Stage<'_>,
    offsets: &mut Offsets,
    target: &mut Target<'_>,
    reach: Reach,
    near: Near,
    limit: usize,
) -> Result<Executed, Error> {
    debug_assert!(is_ready(lane, stage));
    debug_assert!(target.filled() <= limit && limit + SLACK <= target.len(), "room and slack");
    let (block, tables) = (stage.block.as_ptr(), stage.tables.entries.as_ptr());
    let mut state = State::new(lane);
    let mut repeated = *offsets;
    let begin = target.filled();
    let base = target.base();
    let mut literal = stage.literals.as_ptr();
    let literals_end = stage.literals[..stage.literals.len() - SLACK].as_ptr_range().end;
    // SAFETY: both are in the output.
    let (mut to, to_end) = unsafe { (base.add(begin), base.add(limit)) };
    let far = Far { base, len: target.len(), filled: begin, before: target.before(), reach };
    // The last sequence is not for this loop.
    let last = lane.count - 1;
    let (mut done, mut executed) = (0, 0);
    'all: loop {
        let rounds = room(state.at, last - done);
        if rounds == 0 {
            break;
        }
        let until = done + rounds;
        while done < until {
            // SAFETY: a valid table leads to states below its size only. The position is at least WORD_BITS because of
            // `room`, and only comes down.
            let values = unsafe {
                let looked = look(&state, tables);
                if looked.bits > WORD_BITS {
                    break 'all;
                }
                step::<BMI2>(&mut state, looked, block)
            };
            done += 1;
            let [literal_length, match_extra, value] = values;
            let (literal_length, len) = (literal_length as usize, match_extra as usize + MATCH_LEN_MIN);
            if literal_length > literals_end.addr() - literal.addr()
                || literal_length + len > to_end.addr() - to.addr()
            {
                stage.sequences[done - 1] = pack(values);
                break 'all;
            }
            let offset = repeated.resolve(value as u32, literal_length > 0) as usize;
            // SAFETY: the literals that are left are at least `literal_length`, with SLACK readable bytes behind them.
            // The room for the output is at least that of literals and match, with SLACK bytes behind it. The output is
            // reached through `base` only, from here to the end: `copy_far` makes its target of it.
            unsafe {
                copy_apart(literal, to, literal_length);
                literal = literal.add(literal_length);
                to = to.add(literal_length);
                if let Some(from) = near.source(base, to, offset, len) {
                    copy_near(from, to, offset, len);
                } else if !copy_far(&far, to, offset, len) {
                    return Err(Error::OffsetTooFar);
                }
                to = to.add(len);
            }
            executed = done;
        }
    }
    state.store(lane, done);
    *offsets = repeated;
    // SAFETY: the pointers are into the literals of the block, and into the output.
    let (literals, to) =
        unsafe { (literal.offset_from_unsigned(stage.literals.as_ptr()), to.offset_from_unsigned(base)) };
    Ok(Executed { sequences: executed, literals, len: to - begin })
}
