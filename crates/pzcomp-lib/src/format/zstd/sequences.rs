//! Stage 1 of a part of a frame: looks at the blocks to the next cut, and decodes their literals and sequences.
//!
//! `blocks.rs` makes a [`BlockPlan`] of the blocks at hand, and gives it to [`SequenceStage`]. Nothing here needs the
//! output before the blocks.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pzcomp_zstd::{
    BLOCK_HEADER_LEN, BLOCK_LEN_MAX, Block, BlockDecoder, BlockHeader, BlockKind, CodedBlock, DecodedBlock,
    Error as ZstdError, TableContext,
};

use crate::error::Result;
use crate::format::chain::CutCounter;
use engine::Source;

/// How many blocks are decoded before their memory is counted.
const ROUND: usize = 8;

/// If the blocks that wait for stage 2, here and in other jobs, take more than this, no other round is decoded. The
/// largest block takes less than 512 KiB: 128 KiB of literals, and 43,690 sequences of eight bytes. With a round of
/// such blocks on top, all together have less than 8 MiB.
const KEPT_MAX: usize = 4 << 20;

/// Blocks with more content that is not compressed are not left to another job, because the content is copied.
const LEFT_BYTES_MAX: usize = 256 << 10;

/// A block that was looked at. Its content begins at `at`, counted from the first byte at hand.
pub(super) struct Planned {
    pub(super) header: BlockHeader,
    at: usize,
}

/// What follows the blocks of a plan.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Behind {
    /// More blocks of this part.
    #[default]
    More,
    Cut,
    EndOfFrame,
    Fault(ZstdError),
}

/// The next blocks, all of which are at hand.
#[derive(Default)]
pub(super) struct BlockPlan {
    pub(super) blocks: Vec<Planned>,
    /// The length of all blocks.
    pub(super) len: usize,
    pub(super) behind: Behind,
    /// How many bytes are needed for another block, as far as that is known.
    pub(super) needed: usize,
}

impl BlockPlan {
    /// Looks at the blocks that are at hand, or come without a pause: at most `most` of them, to the next cut.
    pub(super) fn make(&mut self, source: &mut Source, cuts: &mut CutCounter, most: usize) -> Result<()> {
        self.blocks.clear();
        (self.len, self.behind) = (0, Behind::More);
        while self.blocks.len() < most {
            self.needed = self.len + BLOCK_HEADER_LEN;
            let Some(&header) =
                source.gather_until_pause(self.needed, true)?.get(self.len..).and_then(<[u8]>::first_chunk)
            else {
                break;
            };
            // What the window allows may be less. [`Self::restrict`] compares with that.
            let header = match BlockHeader::parse(header, BLOCK_LEN_MAX) {
                Ok(header) => header,
                Err(error) => {
                    self.behind = Behind::Fault(error);
                    break;
                }
            };
            let at = self.needed;
            self.needed += header.coded_len();
            if source.gather_until_pause(self.needed, true)?.len() < self.needed {
                break;
            }
            cuts.pass((self.needed - self.len) as u64);
            self.blocks.push(Planned { header, at });
            self.len = self.needed;
            if header.is_last {
                self.behind = Behind::EndOfFrame;
                break;
            }
            if cuts.is_here() {
                self.behind = Behind::Cut;
                break;
            }
        }
        Ok(())
    }

    /// Ends the plan before a block that is too long for the window.
    pub(super) fn restrict(&mut self, block_len_max: usize) {
        let is_wrong = |block: &Planned| block.header.size > block_len_max;
        if let Some(wrong) = self.blocks.iter().position(is_wrong) {
            self.blocks.truncate(wrong);
            self.behind = Behind::Fault(ZstdError::BlockTooLarge);
        }
    }
}

/// Blocks behind stage 1 that another job puts together.
pub(super) struct Left {
    pub(super) blocks: Vec<Planned>,
    /// The content of those that are not compressed.
    pub(super) bytes: Vec<u8>,
    pub(super) decoded: Vec<DecodedBlock>,
    shelf: Arc<Shelf>,
}

impl Left {
    fn memory(&self) -> usize {
        self.bytes.capacity() + memory(&self.decoded)
    }
}

fn memory(decoded: &[DecodedBlock]) -> usize {
    decoded.iter().map(DecodedBlock::memory).sum()
}

impl Drop for Left {
    /// The memory goes back to the worker that did stage 1.
    fn drop(&mut self) {
        let memory = self.memory();
        self.shelf.lent.fetch_sub(memory, Ordering::AcqRel);
        let decoded = std::mem::take(&mut self.decoded);
        self.shelf.free().push((memory, decoded));
    }
}

/// The memory of a worker that is lent, as [`Left`], or came back.
#[derive(Default)]
struct Shelf {
    lent: AtomicUsize,
    free: Mutex<Vec<(usize, Vec<DecodedBlock>)>>,
}

impl Shelf {
    fn free(&self) -> MutexGuard<'_, Vec<(usize, Vec<DecodedBlock>)>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn memory(&self) -> usize {
        self.lent.load(Ordering::Acquire) + self.free().iter().map(|(memory, _)| memory).sum::<usize>()
    }
}

/// Stage 1, and the blocks that wait for stage 2.
#[derive(Default)]
pub(super) struct SequenceStage {
    decoder: BlockDecoder,
    decoded: Vec<DecodedBlock>,
    /// The memory of `decoded`. It is counted as it grows, because a part may have thousands of short blocks.
    held: usize,
    shelf: Arc<Shelf>,
    /// For each block: the tables in force before it, and whether it is right.
    tables: Vec<TableContext>,
    verdicts: Vec<Result<(), ZstdError>>,
    /// The compressed blocks of a round, by their number.
    compressed: Vec<usize>,
}

impl SequenceStage {
    /// Decodes these blocks, or the first of them if all would take too much memory. Returns how many. `tables` is the
    /// context before the blocks, and becomes the context behind those that are decoded.
    pub(super) fn run(
        &mut self,
        blocks: &[Planned],
        coded: &[u8],
        tables: &mut TableContext,
        block_len_max: usize,
    ) -> usize {
        self.tables.clear();
        self.verdicts.clear();
        let mut done = 0;
        // Behind a wrong block nothing counts.
        while done < blocks.len() && self.verdicts.iter().all(Result::is_ok) && self.has_room(done) {
            let until = blocks.len().min(done + ROUND);
            self.run_round(&blocks[..until], coded, tables, block_len_max);
            done = until;
        }
        done
    }

    /// Whether another round fits into the memory. The first round always does.
    fn has_room(&mut self, done: usize) -> bool {
        if self.memory() > KEPT_MAX {
            // What other blocks have left behind.
            self.shelf.free().clear();
            self.decoded.truncate(done.max(ROUND));
            self.held = memory(&self.decoded);
        }
        done == 0 || self.memory() <= KEPT_MAX
    }

    /// The memory of all blocks, with those that other jobs put together.
    fn memory(&self) -> usize {
        self.held + self.shelf.memory()
    }

    /// Whether these blocks, which were decoded, can be put together by another job.
    pub(super) fn can_leave(&self, blocks: &[Planned]) -> bool {
        let plain_bytes: usize = blocks.iter().map(Planned::plain_len).sum();
        self.verdicts.iter().all(Result::is_ok) && plain_bytes <= LEFT_BYTES_MAX && self.memory() <= KEPT_MAX
    }

    /// Takes the blocks that were decoded, for another job.
    pub(super) fn leave(&mut self, blocks: &mut Vec<Planned>, coded: &[u8]) -> Left {
        let mut bytes = Vec::with_capacity(blocks.iter().map(Planned::plain_len).sum());
        for block in blocks.iter_mut().filter(|block| block.header.kind != BlockKind::Compressed) {
            let at = bytes.len();
            bytes.extend_from_slice(block.bytes(coded));
            block.at = at;
        }
        let free = self.shelf.free().pop().map(|(_, decoded)| decoded).unwrap_or_default();
        self.held = memory(&free);
        let decoded = std::mem::replace(&mut self.decoded, free);
        let left = Left { blocks: std::mem::take(blocks), bytes, decoded, shelf: Arc::clone(&self.shelf) };
        self.shelf.lent.fetch_add(left.memory(), Ordering::AcqRel);
        left
    }

    /// Decodes those blocks that have no verdict yet.
    fn run_round(
        &mut self,
        blocks: &[Planned],
        coded: &[u8],
        tables: &mut TableContext,
        block_len_max: usize,
    ) {
        self.compressed.clear();
        if self.decoded.len() < blocks.len() {
            self.decoded.resize_with(blocks.len(), DecodedBlock::new);
        }
        let round = self.verdicts.len()..blocks.len();
        let before = memory(&self.decoded[round.clone()]);
        for (number, block) in blocks.iter().enumerate().skip(round.start) {
            self.tables.push(*tables);
            self.verdicts.push(Ok(()));
            if block.header.kind == BlockKind::Compressed {
                if let Err(error) = tables.scan(block.bytes(coded), block_len_max) {
                    self.verdicts[number] = Err(error);
                    break;
                }
                self.compressed.push(number);
            }
        }
        // Two blocks of about the same length keep the loop for two busy to their ends.
        self.compressed.sort_unstable_by_key(|&number| blocks[number].header.size);
        let (tables, decoded, verdicts) = (&self.tables, &mut self.decoded, &mut self.verdicts);
        let coded = |number: usize| CodedBlock {
            bytes: blocks[number].bytes(coded),
            tables: &tables[number],
            block_len_max,
        };
        for pair in self.compressed.chunks(2) {
            match *pair {
                [one, two] => {
                    let (one, two) = (one.min(two), one.max(two));
                    let (head, tail) = decoded.split_at_mut(two);
                    let results =
                        self.decoder.decode_two((coded(one), &mut head[one]), (coded(two), &mut tail[0]));
                    (verdicts[one], verdicts[two]) = results;
                }
                [one] => verdicts[one] = self.decoder.decode(coded(one), &mut decoded[one]),
                _ => {}
            }
        }
        self.held = self.held + memory(&self.decoded[round]) - before;
    }

    /// For each block: whether it is right, and what was decoded of it.
    pub(super) fn results(&self) -> impl Iterator<Item = (&Result<(), ZstdError>, &DecodedBlock)> {
        self.verdicts.iter().zip(&self.decoded)
    }
}

impl Planned {
    /// The length of the content, if it is not compressed.
    fn plain_len(&self) -> usize {
        if self.header.kind == BlockKind::Compressed { 0 } else { self.header.coded_len() }
    }

    /// What stage 2 makes of the block. `coded` is as for [`Self::bytes`].
    pub(super) fn for_execution<'a>(&self, coded: &'a [u8], decoded: &'a DecodedBlock) -> Block<'a> {
        match self.header.kind {
            BlockKind::Raw => Block::Raw(self.bytes(coded)),
            BlockKind::Rle => Block::Rle(self.bytes(coded)[0], self.header.size),
            BlockKind::Compressed => Block::Decoded(decoded),
        }
    }

    pub(super) fn bytes<'a>(&self, coded: &'a [u8]) -> &'a [u8] {
        &coded[self.at..self.at + self.header.coded_len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A compressed block of so many literals, and no sequences.
    fn block(literals: usize) -> Vec<u8> {
        // A raw literals section whose length has 20 bits.
        let header = (literals << 4 | 0b1100).to_le_bytes();
        [&header[..3], &vec![b'a'; literals], &[0]].concat()
    }

    #[test]
    fn the_memory_that_is_held_is_counted_as_it_grows() {
        let (mut coded, mut blocks) = (Vec::new(), Vec::new());
        for number in 0..200 {
            let (at, bytes) = (coded.len(), block(number * 37 % 60_000 * usize::from(number % 3 > 0)));
            let header = BlockHeader { is_last: false, kind: BlockKind::Compressed, size: bytes.len() };
            coded.extend(bytes);
            blocks.push(Planned { header, at });
        }
        let mut stage = SequenceStage::default();
        let mut begin = 0;
        while begin < blocks.len() {
            let count = stage.run(&blocks[begin..], &coded, &mut TableContext::new(), BLOCK_LEN_MAX);
            assert!(count > 0 && stage.results().all(|(verdict, _)| verdict.is_ok()));
            assert_eq!(stage.held, memory(&stage.decoded), "behind block {begin}");
            begin += count;
        }
        let left = stage.leave(&mut blocks, &coded);
        assert_eq!((stage.held, stage.memory()), (memory(&stage.decoded), left.memory()));
        drop(left);
        stage.run(&[], &coded, &mut TableContext::new(), BLOCK_LEN_MAX);
        assert_eq!(stage.held, memory(&stage.decoded));
    }
}
