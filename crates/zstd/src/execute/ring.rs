//! The output of a frame of any length: as much of it as the window needs, and the newest block.

use super::{Block, Executor, Target};
use crate::block::SLACK;
use crate::{Error, FrameHeader};

/// How much longer than the window the memory gets, so that it starts over seldom.
const MORE: usize = 2 << 20;

/// The memory of a frame's window. It grows with what is really decoded: a header's claim costs nothing.
///
/// Blocks are written one behind the other. When the memory has its full length, the next block goes to the start, and
/// what was written before is "before": matches find it there until it is overwritten. By then it is out of the window.
#[derive(Debug, Default)]
pub struct Ring {
    memory: Vec<u8>,
    /// How much of the memory the current round has filled.
    filled: usize,
    /// Where the round before ended, or zero in the first round.
    lap_end: usize,
    /// The newest block.
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
        self.memory.capacity()
    }

    /// The most memory that a frame can need.
    #[must_use]
    pub fn memory_max(header: &FrameHeader) -> u64 {
        let whole = header.content_size.unwrap_or(u64::MAX).saturating_add(SLACK as u64);
        whole.min(header.window_size.saturating_add((MORE + 2 * header.block_len_max() + SLACK) as u64))
    }

    /// Decodes the next block. [`Ring::fresh`] then has its bytes. An executor that has decoded nothing yet begins anew;
    /// any other must be the one that the blocks in the ring came from.
    pub fn run(&mut self, executor: &mut Executor, block: Block<'_>) -> Result<(), Error> {
        if executor.produced() == 0 {
            self.clear();
        }
        let len = block.len();
        let block_len_max = executor.block_len_max();
        if len > block_len_max {
            return Err(Error::BlockTooLarge);
        }
        let window = usize::try_from(executor.window_size()).unwrap_or(usize::MAX / 2);
        let full = window.saturating_add(MORE + 2 * block_len_max + SLACK);
        if self.filled + len + SLACK > full {
            self.lap_end = self.filled;
            self.filled = 0;
        }
        self.grow(self.filled + len + SLACK, full);

        // Everything that this block may write, with the slack, comes before everything that its matches may reach.
        let end = self.filled + len + SLACK;
        let dictionary = executor.dictionary().cloned();
        let (plain, before) = if self.lap_end > end {
            let (plain, older) = self.memory[..self.lap_end].split_at_mut(end);
            (plain, &*older)
        } else if self.lap_end > 0 {
            (&mut self.memory[..], &[][..])
        } else {
            (&mut self.memory[..], dictionary.as_ref().map_or(&[][..], |dictionary| dictionary.content()))
        };
        let filled = executor.run_at(block, Target { plain, filled: self.filled, before })?;
        self.fresh = self.filled;
        self.filled = filled;
        Ok(())
    }

    /// Makes the newest block an old one.
    pub(crate) fn forget_fresh(&mut self) {
        self.fresh = self.filled;
    }

    /// The bytes of the newest block.
    #[must_use]
    pub fn fresh(&self) -> &[u8] {
        &self.memory[self.fresh..self.filled]
    }

    fn grow(&mut self, needed: usize, full: usize) {
        if self.memory.len() < needed {
            let len = (2 * self.memory.len()).max(needed).min(full).max(needed);
            self.memory.reserve_exact(len - self.memory.len());
            self.memory.resize(len, 0);
        }
    }
}
