//! [`Cache`]: the plain data of the spans that were read last, up to a number of bytes.
//!
//! [`Seekable`](super::Seekable) puts in the data that it has decoded, and looks here first. The plain data of a span
//! is a [`Block`]. Blocks are shared, so a block that is dropped here lives until its last reader is done.

use std::sync::{Arc, Mutex, PoisonError};

/// The plain data of a span.
pub(super) type Block = Arc<Vec<u8>>;

/// Blocks with the numbers of their spans. The block that was used last is at the end.
pub(super) struct Cache {
    blocks: Mutex<Vec<(usize, Block)>>,
    most: usize,
}

impl Cache {
    /// A cache that holds at most this many bytes.
    pub(super) fn new(most: usize) -> Self {
        Self { blocks: Mutex::default(), most }
    }

    /// The most bytes that it holds.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    pub(super) fn get(&self, span: usize) -> Option<Block> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let at = blocks.iter().rposition(|(of, _)| *of == span)?;
        let used = blocks.remove(at);
        let block = used.1.clone();
        blocks.push(used);
        Some(block)
    }

    /// Keeps a block, and drops those that were not used for the longest time.
    pub(super) fn put(&self, span: usize, block: &Block) {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.retain(|(of, _)| *of != span);
        blocks.push((span, block.clone()));
        let mut len: usize = blocks.iter().map(|(_, block)| block.len()).sum();
        let mut dropped = 0;
        while len > self.most && dropped + 1 < blocks.len() {
            len -= blocks[dropped].1.len();
            dropped += 1;
        }
        blocks.drain(..dropped);
    }
}
