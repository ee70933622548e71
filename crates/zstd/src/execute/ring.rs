//! Keeps the newest output of a frame: the window, and the bytes that the caller has not taken yet.

use super::memory::{Lent, Memory};
use super::{Block, Executor};
use crate::block::SLACK;
use crate::{Error, FrameHeader};

/// How much longer than the window the memory gets, so that it starts over seldom.
const MORE: usize = 1 << 20;

/// The memory gets at least this length, so that blocks that are lent have time to come back.
const LEAST: usize = 4 << 20;

/// Up to this length the memory grows with the output. Then it gets its full length.
const FIRST: usize = 1 << 20;

/// The memory of a frame's window. The system provides its pages when they are first written to, so a header's claim
/// costs addresses, and memory only as far as there is output.
///
/// Blocks are written one behind the other. If the memory has its full length and a block of the greatest length does
/// not fit behind the last one, the next block goes to the start. The bytes of the round before are then called
/// "before". Matches read them until they are overwritten. By then they are out of the window.
///
/// The caller takes the blocks, one or several at a time: [`Ring::fresh`] shows them, and [`Ring::forget_fresh`] says
/// that they were copied; or [`Ring::lend`] lends them without a copy.
#[derive(Debug, Default)]
pub struct Ring {
    memory: Memory,
    /// How much of the memory the current round has filled.
    filled: usize,
    /// Where the round before ended, or zero in the first round.
    lap_end: usize,
    /// Where the bytes begin that were not taken.
    fresh: usize,
}

impl Ring {
    /// An empty ring. It allocates nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets the frame, and keeps the memory for the next one.
    pub fn clear(&mut self) {
        (self.filled, self.lap_end, self.fresh) = (0, 0, 0);
    }

    /// The memory that the ring holds, in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.memory.len()
    }

    /// The most memory that a frame can need.
    #[must_use]
    pub fn memory_max(header: &FrameHeader) -> u64 {
        let whole = header.content_size.map_or(u64::MAX, |len| len.saturating_add(SLACK as u64));
        whole.min(Self::full_len(header.window_size, header.block_len_max()))
    }

    /// Whether the next block goes to the start of the memory. What is fresh must be taken before.
    #[must_use]
    pub fn starts_over(&self, executor: &Executor) -> bool {
        executor.produced() > 0 && self.filled + executor.block_len_max() + SLACK > Self::full(executor)
    }

    /// Whether no byte that a block of this length overwrites is lent. If so, [`Ring::run`] takes other memory only to
    /// grow.
    #[must_use]
    pub fn is_ready(&self, executor: &Executor, len: usize) -> bool {
        let begins = executor.produced() == 0 || self.starts_over(executor);
        let filled = if begins { 0 } else { self.filled };
        self.memory.is_free(&(filled..filled.saturating_add(len).saturating_add(SLACK)))
    }

    /// Whether bytes of the present memory are lent. Each [`Lent`] keeps its memory alive, also if the ring is dropped
    /// or takes other memory.
    #[must_use]
    pub fn is_lent(&self) -> bool {
        !self.memory.is_free(&(0..self.memory.len()))
    }

    /// Decodes the next block, which is then fresh. An executor that has decoded nothing yet begins anew; any other
    /// must be the one that the blocks in the ring came from.
    ///
    /// If the memory is too short, or bytes that the block overwrites are lent, the ring allocates other memory and
    /// copies its content. The second case does not occur if the caller waits for [`Ring::is_ready`].
    ///
    /// # Errors
    /// Besides the errors of the block, [`Error::OutputTooSmall`] if the ring starts over and something is fresh.
    pub fn run(&mut self, executor: &mut Executor, block: Block<'_>) -> Result<(), Error> {
        if executor.produced() == 0 {
            self.clear();
        }
        let len = block.len();
        if len > executor.block_len_max() {
            return Err(Error::BlockTooLarge);
        }
        if self.starts_over(executor) {
            if self.fresh < self.filled {
                return Err(Error::OutputTooSmall);
            }
            self.lap_end = self.filled;
            (self.filled, self.fresh) = (0, 0);
        }
        let end = self.filled + len + SLACK;
        self.make_room(end, usize::try_from(executor.memory_max()).unwrap_or(usize::MAX));

        let dictionary = executor.dictionary().cloned();
        let target = if self.lap_end == 0
            && let Some(dictionary) = &dictionary
        {
            self.memory.target(self.filled, end, 0..0).map(|target| target.behind(dictionary.content()))
        } else {
            // Everything that this block may write, with the slack, comes before everything that its matches may reach.
            let before = if self.lap_end > end { end..self.lap_end } else { 0..0 };
            self.memory.target(self.filled, end, before)
        };
        executor.run_at(block, target.ok_or(Error::OutputTooSmall)?)?;
        self.filled += len;
        Ok(())
    }

    /// The bytes that were not taken. There are none from before the memory started over.
    #[must_use]
    pub fn fresh(&self) -> &[u8] {
        self.memory.slice(self.fresh..self.filled)
    }

    /// Notes that the fresh bytes were taken.
    pub fn forget_fresh(&mut self) {
        self.fresh = self.filled;
    }

    /// Takes back the newest `len` of the fresh bytes. No other block of the frame can be decoded after this, because
    /// the executor still counts these bytes.
    pub fn take_back(&mut self, len: usize) {
        self.filled -= len.min(self.filled - self.fresh);
    }

    /// Lends the fresh bytes, and notes that they were taken.
    pub fn lend(&mut self) -> Lent {
        let fresh = std::mem::replace(&mut self.fresh, self.filled);
        self.memory.lend(fresh..self.filled)
    }

    /// The length of the memory at its greatest.
    fn full(executor: &Executor) -> usize {
        let len = Self::full_len(executor.window_size(), executor.block_len_max());
        usize::try_from(len).unwrap_or(usize::MAX)
    }

    fn full_len(window: u64, block_len_max: usize) -> u64 {
        let len = window.saturating_add(MORE as u64).max(LEAST as u64);
        len.saturating_add((2 * block_len_max + SLACK) as u64)
    }

    /// Makes the memory long enough for a block that ends at `end`, and free of what is lent there.
    fn make_room(&mut self, end: usize, full: usize) {
        let (len, used) = (self.memory.len(), self.filled.max(self.lap_end));
        if len < end {
            // Bytes that are lent cannot move, so what is in the memory is copied. That happens while it is little.
            let len = if end <= FIRST { (2 * len).min(full) } else { full };
            self.memory = self.memory.renewed(len.max(end), used);
        } else if !self.memory.is_free(&(self.filled..end)) {
            self.memory = self.memory.renewed(len, used);
        }
    }
}
