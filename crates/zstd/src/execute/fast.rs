//! The loop that executes most sequences. The file has unsafe code: it copies without bounds checks, and up to
//! [`SLACK`] bytes more than needed, which are overwritten by what comes next.

use std::hint::select_unpredictable;

use super::{Cursor, Reach, Target, careful};
use crate::Error;
use crate::block::{DecodedBlock, SLACK};
use crate::sequences::codes::MATCH_LEN_MIN;
use crate::sequences::unpack;

/// How the loop tells offsets that it can copy at once from those that need a closer look.
#[derive(Clone, Copy)]
pub(super) enum Near {
    /// All that reach into the output: nothing is out of the window by the end of the block.
    Growing,
    /// Up to a number of bytes that is in the window and in the output throughout the block.
    Fixed(usize),
    /// Up to a number of bytes that is in the window throughout the block, and in the output or in the bytes before it,
    /// which end here.
    Wrapped(usize, *const u8),
}

impl Near {
    /// For a block of at most this length.
    pub fn of(reach: Reach, len: usize, target: &Target<'_>) -> Self {
        let filled = target.filled();
        if reach.produced + len as u64 <= reach.window {
            return Self::Growing;
        }
        let window = usize::try_from(reach.window).unwrap_or(usize::MAX);
        let before = target.before();
        // While the dictionary is in reach, the reach depends on the place in the block.
        if window > filled && reach.produced >= reach.window && !before.is_empty() {
            return Self::Wrapped(window.min(filled + before.len()), before.as_ptr_range().end);
        }
        Self::Fixed(window.min(filled))
    }

    /// The place from which [`copy_near`] can copy a match at once, if there is one. `self` is [`Near::of`] the target.
    ///
    /// # Safety
    /// `base` is that of the target. `to` is in its output, and not in its filled bytes.
    #[inline(always)]
    pub unsafe fn source(self, base: *mut u8, to: *mut u8, offset: usize, len: usize) -> Option<*const u8> {
        // SAFETY: the caller's promise.
        let at = unsafe { to.offset_from_unsigned(base) };
        // An offset of zero wraps and is not below the limit.
        let number = offset.wrapping_sub(1);
        let in_output = to.wrapping_sub(offset).cast_const();
        match self {
            Self::Growing => (number < at).then_some(in_output),
            Self::Fixed(limit) => (number < limit).then_some(in_output),
            Self::Wrapped(limit, before_end) => {
                // How far before the output the match begins. It wraps if the match begins in the output.
                let behind = offset.wrapping_sub(at);
                // A copy moves up to 31 bytes too much. A match that begins closer to the end of the bytes before the
                // output needs a closer look.
                if number >= limit || behind.wrapping_sub(1) < len + 31 {
                    return None;
                }
                Some(select_unpredictable(offset > at, before_end.wrapping_sub(behind), in_output))
            }
        }
    }
}

/// Executes sequences from the cursor on, until the end of the output comes near.
pub(crate) fn run(
    cursor: &mut Cursor,
    block: &DecodedBlock,
    target: &mut Target<'_>,
    reach: Reach,
) -> Result<(), Error> {
    let until = count(block, target, cursor.sequence);
    // Few sequences at the start of the block may repeat offsets of the block before.
    let first = until.min(block.resolved_from());
    let near = Near::of(reach, block.len(), target);
    #[cfg(target_arch = "x86_64")]
    if crate::has_bmi2() {
        // SAFETY: the processor has the features. For the rest see `sequences`, whose promises `count` makes true.
        return unsafe {
            if cursor.sequence < first {
                sequences_bmi2::<false>(cursor, block, target, reach, near, first)?;
            }
            sequences_bmi2::<true>(cursor, block, target, reach, near, until)
        };
    }
    // SAFETY: `count` makes the promises true.
    unsafe {
        if cursor.sequence < first {
            sequences::<false>(cursor, block, target, reach, near, first)?;
        }
        sequences::<true>(cursor, block, target, reach, near, until)
    }
}

/// Up to which sequence, from `first` on, each may be executed with [`SLACK`] bytes of room behind it.
fn count(block: &DecodedBlock, target: &Target<'_>, first: usize) -> usize {
    let sequences = block.sequences();
    let mut count = sequences.len();
    let mut room = target.len() - target.filled() - block.len() + block.literals_behind();
    while room < SLACK && count > first {
        count -= 1;
        let (literal_length, match_extra, _) = unpack(sequences[count]);
        room += literal_length + match_extra + MATCH_LEN_MIN;
    }
    count
}

/// # Safety
/// As [`sequences`], and the processor has BMI1, BMI2, LZCNT and AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,avx2")]
unsafe fn sequences_bmi2<const RESOLVED: bool>(
    cursor: &mut Cursor,
    block: &DecodedBlock,
    target: &mut Target<'_>,
    reach: Reach,
    near: Near,
    count: usize,
) -> Result<(), Error> {
    // SAFETY: the caller's promise. Two calls, so that the loop is compiled for each kind of limit.
    unsafe {
        match near {
            Near::Growing => sequences::<RESOLVED>(cursor, block, target, reach, Near::Growing, count),
            Near::Fixed(limit) => {
                sequences::<RESOLVED>(cursor, block, target, reach, Near::Fixed(limit), count)
            }
            Near::Wrapped(limit, end) => {
                sequences::<RESOLVED>(cursor, block, target, reach, Near::Wrapped(limit, end), count)
            }
        }
    }
}

/// # Safety
/// The block has at least `count` sequences, and `cursor.sequence` is at most `count`. All literal lengths together are
/// at most the number of literals. Behind the output of the first `count` sequences, the target has [`SLACK`] bytes.
/// `near` is [`Near::of`] the target. If `RESOLVED`, the sequences from the cursor on have their offsets.
#[inline(always)]
unsafe fn sequences<const RESOLVED: bool>(
    cursor: &mut Cursor,
    block: &DecodedBlock,
    target: &mut Target<'_>,
    reach: Reach,
    near: Near,
    count: usize,
) -> Result<(), Error> {
    let packed = &block.sequences()[cursor.sequence..count];
    let literals = block.literals_and_slack();
    let (mut literal, literals_end) = (literals[cursor.literal..].as_ptr(), literals.as_ptr_range().end);
    let base = target.base();
    let output_end = base.wrapping_add(target.len());
    debug_assert!(cursor.to <= target.len(), "the cursor is in the output");
    // SAFETY: `cursor.to` is in the output.
    let mut to = unsafe { base.add(cursor.to) };
    let mut offsets = cursor.offsets;
    // What only the rare copies need is one place in memory, and takes no registers.
    let far = Far { base, len: target.len(), filled: target.filled(), before: target.before(), reach };
    // The sources of matches are not fetched ahead. That takes longer than it saves: with it, 8 or 24 sequences ahead,
    // stage 2 was 5 to 30 % slower on two processors, with windows of 2 to 128 MiB.
    for &sequence in packed {
        let (literal_length, match_extra, value) = unpack(sequence);
        let offset =
            if RESOLVED { value } else { offsets.resolve(value as u32, literal_length > 0) as usize };
        let len = match_extra + MATCH_LEN_MIN;
        debug_assert!(literal_length + SLACK <= literals_end.addr() - literal.addr(), "literals and slack");
        debug_assert!(literal_length + len + SLACK <= output_end.addr() - to.addr(), "room and slack");
        // SAFETY: see the promises of this function: the literals that are left, with the slack behind them, are at
        // least `literal_length` and SLACK bytes, and the same holds for the output of literals and match. The output
        // is reached through `base` only, from here to the end: `copy_far` makes its target of it.
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
    }
    // SAFETY: the pointers are into the literals of the block, and into the output.
    unsafe {
        cursor.literal = literal.offset_from_unsigned(block.literals().as_ptr());
        cursor.to = to.offset_from_unsigned(base);
    }
    cursor.sequence = count;
    cursor.offsets = offsets;
    Ok(())
}

/// What is needed to look closer at an offset.
pub(super) struct Far<'a> {
    /// The output, whose room nothing else refers to.
    pub(super) base: *mut u8,
    pub(super) len: usize,
    pub(super) filled: usize,
    pub(super) before: &'a [u8],
    pub(super) reach: Reach,
}

/// Copies a match that reaches far, or says that it is not valid.
///
/// # Safety
/// `far` has the parts of the target that is in use, as [`Target::of_parts`] takes them, and no slice of it is in use.
/// `to` is in it, not before `far.filled`.
#[cold]
#[inline(never)]
pub(super) unsafe fn copy_far(far: &Far<'_>, to: *mut u8, offset: usize, len: usize) -> bool {
    let &Far { base, len: output_len, filled, before, reach } = far;
    debug_assert!(to.addr() >= base.addr() + filled, "the block begins behind the output");
    // SAFETY: the caller's promise.
    let (mut target, done) = unsafe {
        (Target::of_parts(base, filled, output_len, before), to.offset_from_unsigned(base) - filled)
    };
    reach.allows(offset as u64, done) && careful::copy_match(&mut target, done, offset, len).is_ok()
}

/// The 32 and 16 bytes that one copy moves. Types of vectors, so that they go through registers and not through memory.
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{__m128i as Half, __m256i as Chunk};
#[cfg(not(target_arch = "x86_64"))]
type Chunk = [u64; 4];
#[cfg(not(target_arch = "x86_64"))]
type Half = u128;

// A copy begins before its end, and moves a chunk.
const _: () = assert!(size_of::<Chunk>() == 32 && size_of::<Half>() == 16 && size_of::<Chunk>() <= SLACK);

/// Copies one chunk. Source and target may overlap: all is read before anything is written.
///
/// # Safety
/// A chunk can be read at `from` and written at `to`.
#[inline(always)]
unsafe fn copy<T>(from: *const u8, to: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned()) }
}

/// Copies `len` bytes and up to 31 more.
///
/// # Safety
/// `len + 32` bytes can be read and written. The places are at least a chunk apart; what is read behind `to` is what
/// this function has written there.
#[inline(always)]
pub(super) unsafe fn copy_apart(from: *const u8, to: *mut u8, len: usize) {
    debug_assert!(from.addr().abs_diff(to.addr()) >= 32, "no chunk overlaps its source");
    // SAFETY: each chunk begins before `len`, and the first at 0.
    unsafe {
        copy::<Chunk>(from, to);
        let mut at = 32;
        while at < len {
            copy::<Chunk>(from.add(at), to.add(at));
            at += 32;
        }
    }
}

/// Copies a match of `len` bytes, and up to 31 bytes more.
///
/// # Safety
/// `len + 32` bytes can be written at `to`. Either `from` is `offset` bytes before it, all of which can be read, and
/// `1 <= offset`; or `len + 32` bytes elsewhere can be read there, and `32 <= offset`.
#[inline(always)]
pub(super) unsafe fn copy_near(from: *const u8, to: *mut u8, offset: usize, len: usize) {
    debug_assert!(offset >= 1, "a match repeats earlier output");
    // SAFETY: each copy begins less than `len` bytes behind `to`. No chunk is longer than the offset, so each reads
    // bytes that are written already. Short offsets are repeated first.
    unsafe {
        if offset >= 32 {
            copy_apart(from, to, len);
        } else if offset >= 16 {
            copy::<Half>(from, to);
            let mut at = 16;
            while at < len {
                copy::<Half>(from.add(at), to.add(at));
                at += 16;
            }
        } else {
            copy_short(from, to, offset, len);
        }
    }
}

/// For each offset below 16, the greatest multiple of it that is at most 16.
const STEPS: [u8; 16] = [16, 16, 16, 15, 16, 15, 12, 14, 16, 9, 10, 11, 12, 13, 14, 15];

/// Copies a match whose offset is less than 16: a pattern that repeats.
///
/// # Safety
/// As [`copy_near`], and `offset < 16`.
#[cold]
#[inline(never)]
unsafe fn copy_short(from: *const u8, to: *mut u8, offset: usize, len: usize) {
    debug_assert!((1..16).contains(&offset), "the distance is short");
    // SAFETY: `from..to` can be read. Each write begins less than `len` bytes behind `to` and has 16 bytes.
    unsafe {
        let mut pattern = [0_u8; 16];
        for (at, byte) in pattern.iter_mut().enumerate() {
            *byte = *from.add(REPEATS[offset][at] as usize);
        }
        let step = usize::from(STEPS[offset]);
        let mut at = 0;
        while at < len {
            to.add(at).cast::<[u8; 16]>().write_unaligned(pattern);
            at += step;
        }
    }
}

/// `REPEATS[offset][at]` is `at` modulo the offset.
const REPEATS: [[u8; 16]; 16] = {
    let mut repeats = [[0; 16]; 16];
    let mut offset = 1;
    while offset < 16 {
        let mut at = 0;
        while at < 16 {
            repeats[offset][at] = (at % offset) as u8;
            at += 1;
        }
        offset += 1;
    }
    repeats
};
