//! Stage 2: puts blocks together in order. It copies literals and matches, and resolves the repeated offsets at the
//! start of a block. Stage 1 has resolved the others.

mod careful;
#[cfg(not(pzcomp_safe))]
mod direct;
#[cfg(not(pzcomp_safe))]
mod fast;
#[cfg_attr(pzcomp_safe, allow(unsafe_code))]
mod memory;
mod ring;
#[cfg_attr(pzcomp_safe, allow(unsafe_code))]
mod target;

use std::sync::Arc;
// `tests/orderings.rs` compiles `memory.rs` with that of a checker.
use std::sync::atomic::AtomicBool;

use crate::block::{BlockDecoder, DecodedBlock, Executed, LaidOut};
use crate::dictionary::{Dictionary, FIRST_OFFSETS};
use crate::sequences::Offsets;
use crate::{Error, FrameHeader};
use target::Target;

pub use memory::Lent;
pub use ring::Ring;

/// A build without this loop executes nothing while it decodes.
#[cfg(pzcomp_safe)]
mod direct {
    use super::{Error, Executed};

    pub(super) fn run<A, B, C, D, E, F>(_: A, _: B, _: C, _: D, _: E, _: F) -> Result<Executed, Error> {
        Ok(Executed::default())
    }
}

/// A block that is ready to be put behind the one before.
#[derive(Debug, Clone, Copy)]
pub enum Block<'a> {
    /// The bytes of a raw block.
    Raw(&'a [u8]),
    /// The byte of an RLE block, and how often it comes.
    Rle(u8, usize),
    /// What [`crate::BlockDecoder`] made of a compressed block.
    Decoded(&'a DecodedBlock),
}

impl Block<'_> {
    /// The length of the decoded block.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Raw(bytes) => bytes.len(),
            Self::Rle(_, len) => *len,
            Self::Decoded(block) => block.len(),
        }
    }

    /// Whether the block decodes to nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What one frame's blocks hand on to the next: the repeated offsets, and how much was decoded.
#[derive(Debug, Clone)]
pub struct Executor {
    window_size: u64,
    block_len_max: usize,
    /// How much memory a ring needs for the frame.
    memory_max: u64,
    dictionary: Option<Arc<Dictionary>>,
    offsets: Offsets,
    produced: u64,
}

/// How far back the matches of a block may reach.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach {
    /// The window, from which no match reaches out.
    pub window: u64,
    /// The length of the decoded frame before the block.
    pub produced: u64,
    /// The length of the dictionary. It is in reach until more than a window is decoded.
    pub dictionary: u64,
}

impl Reach {
    /// Whether a match may have this offset, `done` bytes into the block.
    pub fn allows(&self, offset: u64, done: usize) -> bool {
        let produced = self.produced + done as u64;
        let reach = if produced <= self.window { produced + self.dictionary } else { self.window };
        offset != 0 && offset <= reach
    }
}

impl Executor {
    /// Begins a frame. The dictionary must be the one that the frame needs.
    #[must_use]
    pub fn new(header: &FrameHeader, dictionary: Option<Arc<Dictionary>>) -> Self {
        Self {
            window_size: header.window_size,
            block_len_max: header.block_len_max(),
            memory_max: Ring::memory_max(header),
            offsets: Offsets::new(dictionary.as_ref().map_or(FIRST_OFFSETS, |dictionary| dictionary.offsets)),
            dictionary,
            produced: 0,
        }
    }

    /// The length of the decoded frame so far.
    #[must_use]
    pub fn produced(&self) -> u64 {
        self.produced
    }

    /// Decodes the next block into `plain`, which begins with all bytes that the frame has decoded to so far, as
    /// [`Executor::produced`] counts them. Some bytes behind the block may be overwritten too. After an error the
    /// executor is of no use, and neither are the bytes behind those that were there.
    pub fn run(&mut self, block: Block<'_>, plain: &mut [u8]) -> Result<(), Error> {
        let dictionary = self.dictionary.clone();
        let target = self.target(plain, dictionary.as_deref())?;
        self.run_at(block, target)
    }

    /// Decodes and executes a block at once: [`Executor::run`] of what `decoder` makes of the block, in less time. An
    /// error of either stage may come after bytes were written.
    pub(crate) fn run_coded(
        &mut self,
        decoder: &mut BlockDecoder,
        (coded, layout, decoded): LaidOut<'_>,
        plain: &mut [u8],
    ) -> Result<(), Error> {
        let dictionary = self.dictionary.clone();
        let mut target = self.target(plain, dictionary.as_deref())?;
        let (reach, mut offsets, len_max) = (self.reach(), self.offsets, coded.block_len_max);
        let executed = decoder.decode_executing((coded, layout, &mut *decoded), |lane, stage| {
            direct::run(lane, stage, &mut offsets, &mut target, reach, len_max)
        })?;
        if decoded.len() > target.len() - target.filled() {
            return Err(Error::OutputTooSmall);
        }
        let Executed { sequences, literals, len } = executed;
        let cursor = Cursor { sequence: sequences, literal: literals, to: target.filled() + len, offsets };
        self.run_decoded(cursor, decoded, target, reach)?;
        self.produced += decoded.len() as u64;
        Ok(())
    }

    /// The room behind what the frame has decoded to so far.
    fn target<'a>(
        &self,
        plain: &'a mut [u8],
        dictionary: Option<&'a Dictionary>,
    ) -> Result<Target<'a>, Error> {
        let filled = usize::try_from(self.produced).map_err(|_| Error::OutputTooSmall)?;
        let before = dictionary.map_or(&[][..], |dictionary| dictionary.content());
        Target::new(plain, filled, before).ok_or(Error::OutputTooSmall)
    }

    fn reach(&self) -> Reach {
        let dictionary = self.dictionary.as_ref().map_or(0, |dictionary| dictionary.content().len() as u64);
        Reach { window: self.window_size, produced: self.produced, dictionary }
    }

    pub(crate) fn dictionary(&self) -> Option<&Arc<Dictionary>> {
        self.dictionary.as_ref()
    }

    pub(crate) fn window_size(&self) -> u64 {
        self.window_size
    }

    pub(crate) fn block_len_max(&self) -> usize {
        self.block_len_max
    }

    pub(crate) fn memory_max(&self) -> u64 {
        self.memory_max
    }

    /// Decodes the next block into the room of the target.
    fn run_at(&mut self, block: Block<'_>, mut target: Target<'_>) -> Result<(), Error> {
        let len = block.len();
        if len > self.block_len_max {
            return Err(Error::BlockTooLarge);
        }
        let output = target.split().1.get_mut(..len).ok_or(Error::OutputTooSmall)?;
        match block {
            Block::Raw(bytes) => output.copy_from_slice(bytes),
            Block::Rle(byte, _) => output.fill(byte),
            Block::Decoded(block) => {
                let cursor = Cursor { sequence: 0, literal: 0, to: target.filled(), offsets: self.offsets };
                self.run_decoded(cursor, block, target, self.reach())?;
            }
        }
        self.produced += len as u64;
        Ok(())
    }

    /// Executes a decoded block from the cursor on.
    fn run_decoded(
        &mut self,
        mut cursor: Cursor,
        block: &DecodedBlock,
        mut target: Target<'_>,
        reach: Reach,
    ) -> Result<(), Error> {
        let begin = target.filled();
        // A block without sequences may have no memory at all, and the loop takes the slack for granted.
        #[cfg(not(pzcomp_safe))]
        if !block.has_wide_offsets && block.sequence_count() > 0 {
            fast::run(&mut cursor, block, &mut target, reach)?;
        }
        careful::run(&mut cursor, block, &mut target, reach)?;
        if let Some(offsets) = block.offsets_behind() {
            cursor.offsets = offsets;
        }
        let rest = &block.literals()[cursor.literal..];
        target.split().1[cursor.to - begin..][..rest.len()].copy_from_slice(rest);
        self.offsets = cursor.offsets;
        Ok(())
    }
}

/// How far a block is put together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor {
    /// The next sequence.
    pub sequence: usize,
    /// The next literal.
    pub literal: usize,
    /// Where the next byte goes.
    pub to: usize,
    pub offsets: Offsets,
}

/// The memory of a ring: what is lent, and what is written meanwhile. A checker compiles `memory.rs` by its path, so
/// the tests are here.
#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::memory::Memory;

    #[test]
    fn what_is_lent_is_not_written_to() {
        let mut memory = Memory::new(100);
        let fill = |memory: &mut Memory, range: Range<usize>, value| {
            let Some(mut target) = memory.target(range.start, range.end, 0..0) else { return false };
            target.split().1.fill(value);
            true
        };
        assert!(fill(&mut memory, 0..100, 1));
        let lent = memory.lend(40..60);
        for range in [0..41, 59..60, 0..100, 50..51] {
            assert!(!memory.is_free(&range) && !fill(&mut memory, range, 2));
        }
        assert!(fill(&mut memory, 0..40, 3) && fill(&mut memory, 60..100, 4));
        assert_eq!((&lent[..], memory.slice(39..41)), (&[1; 20][..], &[3, 1][..]));
        drop(lent);
        assert!(fill(&mut memory, 0..100, 5));
    }

    #[test]
    fn what_is_lent_outlives_its_memory() {
        let mut memory = Memory::new(10);
        memory.target(0, 10, 0..0).unwrap().split().1.fill(7);
        let lent = memory.lend(2..10);
        let mut memory = memory.renewed(20, 10);
        assert!(memory.is_free(&(0..20)), "nothing of the new memory is lent");
        memory.target(0, 20, 0..0).unwrap().split().1.fill(8);
        drop(memory);
        assert_eq!(lent[..], [7; 8]);
    }

    #[test]
    fn the_bytes_before_are_those_that_a_block_does_not_reach() {
        let mut memory = Memory::new(10);
        memory.target(0, 10, 0..0).unwrap().split().1.copy_from_slice(b"0123456789");
        let _lent = memory.lend(7..10);
        let mut target = memory.target(2, 5, 5..9).unwrap();
        assert_eq!((target.before(), target.filled(), target.len()), (&b"5678"[..], 2, 5));
        let (filled, room) = target.split();
        assert_eq!((filled, &room[..]), (&b"01"[..], &b"234"[..]));
    }

    #[test]
    #[should_panic(expected = "end <= before.start")]
    fn the_bytes_before_are_behind_the_room() {
        let _ = Memory::new(10).target(2, 6, 5..9);
    }
}
