//! Decodes the sequences of one block, or of two blocks that do not depend on each other, in one loop.
//!
//! Decoding is a chain of loads that wait for each other. Two chains in one loop take little longer than one.

#[cfg(not(pzcomp_safe))]
use super::fast;
use super::{SequenceTables, careful};
use crate::Error;

/// The offset value that says: the value does not fit, and is in a list of its own.
pub(crate) const WIDE: u64 = (1 << 30) - 1;

/// The width of the two lengths of a packed sequence.
pub(super) const LENGTH_BITS: u32 = 17;

// Both lengths, and all offset values below `WIDE`.
const _: () = assert!(2 * LENGTH_BITS + WIDE.ilog2() + 1 == u64::BITS);

/// One sequence in one word. The parts are the literal length, the match length minus [`super::codes::MATCH_LEN_MIN`],
/// and the offset value.
#[inline(always)]
pub(crate) const fn pack([literals, match_extra, offset_value]: [u64; 3]) -> u64 {
    literals | match_extra << LENGTH_BITS | offset_value << (2 * LENGTH_BITS)
}

/// The literal length, the match length minus [`super::codes::MATCH_LEN_MIN`], and the offset value.
#[inline(always)]
pub(crate) const fn unpack(sequence: u64) -> (usize, usize, usize) {
    let mask = (1 << LENGTH_BITS) - 1;
    (
        (sequence & mask) as usize,
        (sequence >> LENGTH_BITS & mask) as usize,
        (sequence >> (2 * LENGTH_BITS)) as usize,
    )
}

/// Where the decoding of a block's sequences is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lane {
    /// The position of the stream's first bit, where its reader must end.
    pub start: usize,
    /// The position of the reader: the bits below it are not read yet.
    pub at: usize,
    /// The states, in the order of [`super::SequencesLayout::KINDS`]. Each is less than the size of its table.
    pub states: [usize; 3],
    pub done: usize,
    pub count: usize,
}

/// What the sequences of a block are decoded from, and where to.
pub(crate) struct Stage<'a> {
    pub block: &'a [u8],
    /// Where the stream begins in the block.
    pub stream: usize,
    pub tables: &'a SequenceTables,
    /// As many words as the block has sequences, at least one.
    pub sequences: &'a mut [u64],
    pub wide: &'a mut Vec<u32>,
    /// The literals of the block, with the readable bytes behind them.
    pub literals: &'a [u8],
}

impl Stage<'_> {
    /// The lane before the first sequence.
    pub fn begin(&self) -> Result<Lane, Error> {
        careful::begin(self.block, self.stream, self.sequences.len(), self.tables)
    }

    fn step(&mut self, lane: &mut Lane) -> Result<(), Error> {
        let done = lane.done;
        self.sequences[done] = careful::step(lane, self.block, self.tables, self.wide)?;
        Ok(())
    }

    /// Decodes the sequences that are left.
    pub fn finish(mut self, mut lane: Lane) -> Result<(), Error> {
        while lane.done < lane.count {
            #[cfg(not(pzcomp_safe))]
            if !self.tables.has_wide_offsets {
                fast::run_one(&mut lane, &mut self);
            }
            self.step(&mut lane)?;
        }
        if lane.at == lane.start { Ok(()) } else { Err(Error::SequenceStream) }
    }
}

/// Decodes one block's sequences.
pub(crate) fn decode_one(stage: Stage<'_>) -> Result<(), Error> {
    let lane = stage.begin()?;
    stage.finish(lane)
}

/// Decodes two blocks' sequences. An error in one of them does not disturb the other.
pub(crate) fn decode_two(mut a: Stage<'_>, mut b: Stage<'_>) -> (Result<(), Error>, Result<(), Error>) {
    let (mut lane_a, mut lane_b) = match (a.begin(), b.begin()) {
        (Ok(lane_a), Ok(lane_b)) => (lane_a, lane_b),
        (begun_a, begun_b) => {
            return (begun_a.and_then(|lane| a.finish(lane)), begun_b.and_then(|lane| b.finish(lane)));
        }
    };
    #[cfg(not(pzcomp_safe))]
    if !a.tables.has_wide_offsets && !b.tables.has_wide_offsets {
        // A step of each follows what stopped the loop: the loop's end, or a sequence with more bits than a word.
        while fast::run_two(&mut lane_a, &mut a, &mut lane_b, &mut b) {
            let step_a = if lane_a.done > lane_b.done { Ok(()) } else { a.step(&mut lane_a) };
            let step_b = b.step(&mut lane_b);
            match (step_a, step_b) {
                (Ok(()), Ok(())) => {}
                (Ok(()), failed) => return (a.finish(lane_a), failed),
                (failed, Ok(())) => return (failed, b.finish(lane_b)),
                failed => return failed,
            }
        }
    }
    (a.finish(lane_a), b.finish(lane_b))
}
