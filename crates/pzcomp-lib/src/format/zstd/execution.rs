//! Stage 2 of a frame: puts its blocks together in the ring, one after the other, and lends the output.
//!
//! The jobs of a frame hand [`Written`] on to each other (`blocks.rs`).

use std::sync::Arc;

use pzcomp_zstd::{Block, Error as ZstdError, Executor};

use super::frame::FrameFacts;
use super::sequences::Left;
use crate::error::Result;
use crate::format::rings::RingLease;
use engine::Emitter;

/// Shorter output is copied out of the ring, and longer output is lent.
const LENT_MIN: usize = 128 << 10;

/// The baton of [`HandoverStage::Decoded`](engine::HandoverStage::Decoded): the ring with the last output, and the
/// repeated offsets.
pub(super) struct Written {
    executor: Executor,
    ring: RingLease,
    /// Whether several jobs share the frame, and this is not the first of them.
    is_behind_cut: bool,
}

impl Written {
    /// Begins a frame, with an empty ring.
    pub(super) fn new(executor: Executor, ring: RingLease) -> Self {
        Self { executor, ring, is_behind_cut: false }
    }

    /// The same in a job behind a cut.
    pub(super) fn behind_cut(mut self: Box<Self>) -> Box<Self> {
        self.is_behind_cut = true;
        self
    }

    /// Ends a frame.
    pub(super) fn end(mut self, out: &mut Emitter) -> Result<()> {
        // The rest is copied and not lent, so the emitter can still drop it if the checksum is wrong.
        self.copy_out_rest(out)?;
        self.ring.give_back(out);
        Ok(())
    }

    /// Puts a block behind the ones before. If the output fills a piece, it is put out.
    pub(super) fn put_out(
        &mut self,
        facts: &FrameFacts,
        is_last: bool,
        block: Block<'_>,
        out: &mut Emitter,
    ) -> Result<()> {
        if self.ring.starts_over(&self.executor) {
            self.put_out_rest(out)?;
        }
        let Self { executor, ring, .. } = self;
        let len = block.len();
        out.standing().wait_until(|_| ring.is_ready(executor, len))?;
        ring.run(executor, block).map_err(|error| facts.corrupt(error))?;
        let decoded = executor.produced();
        let is_wrong = |&stated: &u64| decoded > stated || is_last && decoded < stated;
        if let Some(stated) = facts.header.content_size.filter(is_wrong) {
            ring.take_back(len);
            return Err(facts.corrupt(ZstdError::ContentSize { stated, decoded }));
        }
        if ring.fresh().len() < out.frame().spare() { Ok(()) } else { self.put_out_rest(out) }
    }

    /// Puts out what is in the ring and was not put out.
    pub(super) fn put_out_rest(&mut self, out: &mut Emitter) -> Result<()> {
        // A job that begins a frame and is not the head does not lend. It would fill its ring and then wait for all
        // jobs before it. It copies its output, so it can go on while there are pieces.
        let leaves_soon = self.is_behind_cut || out.standing().is_head();
        if self.ring.fresh().len() >= LENT_MIN && leaves_soon && !out.frame().is_held() {
            return Ok(out.put(Arc::new(self.ring.lend()))?);
        }
        self.copy_out_rest(out)
    }

    /// Like [`Self::put_out_rest`], but the emitter can take back the output.
    pub(super) fn copy_out_rest(&mut self, out: &mut Emitter) -> Result<()> {
        let result = out.write(self.ring.fresh());
        self.ring.forget_fresh();
        Ok(result?)
    }

    /// Puts out a part that another job has decoded.
    pub(super) fn put_out_left(&mut self, facts: &FrameFacts, left: &Left, out: &mut Emitter) -> Result<()> {
        for (block, decoded) in left.blocks.iter().zip(&left.decoded) {
            self.put_out(facts, block.header.is_last, block.for_execution(&left.bytes, decoded), out)?;
        }
        Ok(())
    }
}
