//! Decodes the blocks of a frame as they come, for one worker or for several that share the frame.
//!
//! The decoder (`decode.rs`) calls [`BlockStream::part`] with the source and the emitter of a job. The blocks are
//! decoded to the next cut, or to the end of the frame. `crates/zstd` decodes a block in two stages:
//!
//! - Stage 1 (`sequences.rs`) decodes literals and sequences. It needs only the tables in force before the block. So
//!   all jobs of a frame do it at the same time, for two blocks at once.
//! - Stage 2 (`execution.rs`) copies literals and matches to a ring. It needs the output before the block. So the jobs
//!   do it one after the other.
//!
//! A job hands two batons to the next job. The first ([`Seen`]) has the facts of the frame and the tables in force
//! behind the job. A job has it when it has scanned where its blocks describe tables, long before it has decoded them.
//! The second ([`Written`]) has the ring. It is there when the last block is in the ring. The checksum comes after
//! that, so it is computed while the next job does its stage 2.
//!
//! The output of stage 2 stays in the ring. The ring lends it to the pipeline. It comes back when the sink has it and
//! the checksum includes it.
//!
//! A job that has done stage 1 before it gets the ring leaves its blocks ([`Left`]) on the line. The job that has the
//! ring does stage 2 of them, so the ring stays in the cache of one core.
//!
//! The first error in the order of the blocks is reported. So the error and the output before it do not depend on the
//! number of workers.

use std::sync::Arc;

use pzcomp_zstd::{BlockKind, Dictionary, Executor, FrameHeader, TableContext};
use xxhash_rust::xxh64::Xxh64;

use super::NAME;
use super::execution::Written;
use super::frame::{CONTEXT, CUTS, FrameFacts, cuts};
use super::sequences::{Behind, BlockPlan, Left, SequenceStage};
use crate::error::{Damage, Error, Result};
use crate::format::After;
use crate::format::chain::CutCounter;
use crate::format::rings::Rings;
use engine::{Baton, Emitter, HandoverStage, RunningSum, Source};

/// At most this many blocks are looked at before the first of them is decoded.
const PLANNED_MAX: usize = 1024;

/// The baton of [`HandoverStage::Seen`]: what a job knows when all blocks before it are scanned.
#[derive(Clone, Copy)]
struct Seen {
    facts: FrameFacts,
    /// The tables in force before the next block.
    tables: TableContext,
}

/// A frame that is being decoded, or the part behind a cut.
pub(super) struct BlockStream {
    dictionary: Option<Arc<Dictionary>>,
    cuts: CutCounter,
    plan: BlockPlan,
    sequences: SequenceStage,
    /// Absent until the job before has handed it on.
    seen: Option<Seen>,
    written: Option<Box<Written>>,
    rings: Arc<Rings>,
}

impl BlockStream {
    pub(super) fn new(dictionary: Option<Arc<Dictionary>>, rings: Arc<Rings>) -> Self {
        Self {
            dictionary,
            cuts: CutCounter::default(),
            plan: BlockPlan::default(),
            sequences: SequenceStage::default(),
            seen: None,
            written: None,
            rings,
        }
    }

    /// Begins a frame. Its header is at hand and is consumed here.
    pub(super) fn begin(
        &mut self,
        header: FrameHeader,
        is_verified: bool,
        source: &mut Source,
        out: &mut Emitter,
    ) -> Result<()> {
        let ring = self.rings.lease(&header, out)?;
        let facts =
            FrameFacts { start: source.offset(), header, is_verified: header.has_checksum && is_verified };
        *source.relay.sum() = RunningSum::starting(facts.start, 0);
        if facts.is_verified {
            out.checksum().begin(Box::new(Xxh64::new(0)));
        }
        source.consume(header.header_len);
        let tables = self
            .dictionary
            .as_ref()
            .map_or(TableContext::new(), |dictionary| TableContext::with_dictionary(dictionary));
        let executor = Executor::new(&header, self.dictionary.clone());
        self.cuts = cuts(header.content_size);
        self.seen = Some(Seen { facts, tables });
        self.written = Some(Box::new(Written::new(executor, ring)));
        Ok(())
    }

    /// Continues behind a cut, where a job begins.
    pub(super) fn inside(&mut self, out: &mut Emitter) {
        out.frame().go_on();
        self.cuts = CUTS;
        (self.seen, self.written) = (None, None);
    }

    /// Continues behind a cut, in the same job.
    pub(super) fn resume(&mut self, source: &mut Source) {
        source.relay.take_back(HandoverStage::Seen);
        if self.written.is_none() {
            self.written =
                source.relay.take_back(HandoverStage::Decoded).and_then(|baton| baton.downcast().ok());
        }
    }

    /// Decodes to the next cut, or to the end of the frame.
    pub(super) fn part(&mut self, source: &mut Source, out: &mut Emitter) -> Result<After> {
        let result = self.decode_part(source, out);
        if result.is_err()
            && let Some(written) = &mut self.written
        {
            // The output before an error counts too. The first error is the one to report.
            let _ = written.copy_out_rest(out);
        }
        result
    }

    fn decode_part(&mut self, source: &mut Source, out: &mut Emitter) -> Result<After> {
        loop {
            // If the stream has one worker, it decodes a few blocks and puts them out while they are in the cache.
            let most = if source.relay.is_alone() { 4 } else { PLANNED_MAX };
            self.plan.make(source, &mut self.cuts, most)?;
            let mut seen = self.take_seen(source, out)?;
            self.plan.restrict(seen.facts.header.block_len_max());
            if self.plan.blocks.is_empty() && self.plan.behind == Behind::More {
                self.await_block(&seen.facts, source, out)?;
                continue;
            }
            if self.plan.behind == Behind::Cut && !source.relay.is_alone() {
                self.hand_on_seen(&seen, source)?;
            }
            let is_left = self.decode(&mut seen, source, out)?;
            self.seen = Some(seen);
            match self.plan.behind {
                Behind::More => source.consume(self.plan.len),
                Behind::Cut if is_left => {
                    source.consume(self.plan.len);
                    self.cuts = CUTS;
                    return Ok(After::Inside(CONTEXT));
                }
                Behind::Cut => return self.cut(&seen.facts, source, out),
                Behind::EndOfFrame => {
                    source.consume(self.plan.len);
                    return self.end(&seen.facts, source, out).map(|()| After::Outside);
                }
                Behind::Fault(error) => return Err(seen.facts.corrupt(error)),
            }
        }
    }

    /// What the job before hands on first.
    fn take_seen(&mut self, source: &Source, out: &mut Emitter) -> Result<Seen> {
        if let Some(seen) = self.seen {
            return Ok(seen);
        }
        let seen: Box<Seen> = received(source.relay.take_baton(HandoverStage::Seen)?)?;
        if seen.facts.is_verified {
            out.checksum().go_on();
        }
        self.seen = Some(*seen);
        Ok(*seen)
    }

    fn put_out_rest(&mut self, out: &mut Emitter) -> Result<()> {
        self.written.as_mut().map_or(Ok(()), |written| written.put_out_rest(out))
    }

    /// Waits for the first block that is not at hand. What is finished leaves, because it would have to wait too. It
    /// also leaves if the input has ended, so the output of a truncated frame does not depend on whether the input
    /// paused before.
    fn await_block(&mut self, facts: &FrameFacts, source: &mut Source, out: &mut Emitter) -> Result<()> {
        self.put_out_rest(out)?;
        out.flush()?;
        if source.end().is_none() {
            out.flush_for_pause()?;
        }
        let offset = source.offset();
        let at_hand = source.gather_inside(self.plan.needed)?.len();
        if at_hand < self.plan.needed {
            return Err(facts.truncated(offset + at_hand as u64));
        }
        Ok(())
    }

    /// Scans all blocks to the cut, and hands on the tables in force there.
    fn hand_on_seen(&self, seen: &Seen, source: &mut Source) -> Result<()> {
        let mut behind = Box::new(*seen);
        let coded = source.bytes();
        for block in self.plan.blocks.iter().filter(|block| block.header.kind == BlockKind::Compressed) {
            if behind.tables.scan(block.bytes(coded), seen.facts.header.block_len_max()).is_err() {
                // This job will fail.
                return Ok(());
            }
        }
        let ends = source.ends_behind(self.plan.len);
        Ok(source.relay.hand_on(HandoverStage::Seen, ends, CONTEXT, behind)?)
    }

    /// Decodes the blocks of the plan, and puts them out. Returns true if the blocks were left for another job, which
    /// puts them out.
    fn decode(&mut self, seen: &mut Seen, source: &Source, out: &mut Emitter) -> Result<bool> {
        let Seen { facts, tables } = seen;
        let header = &facts.header;
        let (coded, mut begin) = (source.bytes(), 0);
        while begin < self.plan.blocks.len() {
            let mut blocks = &self.plan.blocks[begin..];
            if self.written.is_some() {
                // This job has the ring and need not wait. So it decodes two blocks at a time, and puts them out while
                // they are in the cache.
                blocks = &blocks[..blocks.len().min(2)];
            }
            let count = self.sequences.run(blocks, coded, tables, header.block_len_max());
            let is_part = begin == 0 && count == self.plan.blocks.len() && self.plan.behind == Behind::Cut;
            if is_part && self.written.is_none() && self.sequences.can_leave(blocks) {
                let left = Box::new(self.sequences.leave(&mut self.plan.blocks, coded));
                let Some(left) = source.relay.leave(source.ends_behind(self.plan.len), CONTEXT, left)? else {
                    return Ok(true);
                };
                let left = received(Some(left))?;
                let written = self.written.insert(written_before(source)?);
                out.checksum().defer();
                written.put_out_left(facts, &left, out)?;
                return Ok(false);
            }
            blocks = &self.plan.blocks[begin..][..count];
            begin += count;
            let written = match &mut self.written {
                Some(written) => written,
                written => written.insert(written_before(source)?),
            };
            if !source.relay.is_alone() {
                out.checksum().defer();
            }
            for (block, (verdict, decoded)) in blocks.iter().zip(self.sequences.results()) {
                verdict.map_err(|error| facts.corrupt(error))?;
                written.put_out(facts, block.header.is_last, block.for_execution(coded, decoded), out)?;
            }
        }
        Ok(false)
    }

    /// Ends a part. Its output leaves, even if the same worker decodes the next part. So the number of threads makes
    /// no difference to the output before an error.
    ///
    /// If the next job has left its blocks to this one, they are put together here, and so on.
    fn cut(&mut self, facts: &FrameFacts, source: &mut Source, out: &mut Emitter) -> Result<After> {
        self.put_out_rest(out)?;
        if !source.relay.is_alone() {
            let ends = source.ends_behind(self.plan.len);
            while let Some(written) = self.written.take() {
                let Some((left, written)) = source.relay.pass_on(ends, CONTEXT, written)? else { break };
                let left: Box<Left> = received(Some(left))?;
                let written = self.written.insert(received::<Written>(Some(written))?.behind_cut());
                out.flush()?;
                out.frame().go_on();
                written.put_out_left(facts, &left, out)?;
                self.put_out_rest(out)?;
            }
        }
        source.consume(self.plan.len);
        out.flush()?;
        out.checksum().catch_up()?;
        out.frame().go_on();
        self.cuts = CUTS;
        Ok(After::Inside(CONTEXT))
    }

    /// Verifies the frame, behind its last block.
    fn end(&mut self, facts: &FrameFacts, source: &mut Source, out: &mut Emitter) -> Result<()> {
        if let Some(written) = self.written.take() {
            written.end(out)?;
        }
        out.checksum().catch_up()?;
        if !facts.header.has_checksum {
            return Ok(());
        }
        out.flush_if_input_pauses(source)?;
        let mut stated = [0; 4];
        if !source.read_exact(&mut stated)? {
            // As in `await_block`.
            out.flush()?;
            return Err(facts.truncated(source.offset()));
        }
        let (stated, found) = (u32::from_le_bytes(stated), out.checksum().end()? as u32);
        if facts.is_verified && stated != found {
            let what =
                format!("the frame that begins there has the checksum {found:08x}, expected {stated:08x}");
            return Err(Error::corrupt(NAME, facts.start, what).by(Damage::Check));
        }
        Ok(())
    }
}

/// What the job before hands on when it has decoded its part. Waits for it.
fn written_before(source: &Source) -> Result<Box<Written>> {
    Ok(received::<Written>(source.relay.take_baton(HandoverStage::Decoded)?)?.behind_cut())
}

/// The value in a baton.
fn received<T: 'static>(baton: Option<Baton>) -> Result<Box<T>> {
    let value = baton.and_then(|baton| baton.downcast().ok());
    value.ok_or_else(|| Error::Internal("a zstd frame whose state was lost".into()))
}
