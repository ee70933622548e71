//! Decoding for the pipeline: block after block, each verified before anything of it leaves.

use pzcomp_bzip2::decode::{BitReader, BlockDecoder, MissingCount, Runs};
use pzcomp_bzip2::{BLOCK_MAGIC, Crc, END_MAGIC, Error as Fault, LEVEL_LEN, MAGIC_BITS, join_crcs};

use super::{Context, NAME, no_memory};
use crate::error::{Error, Result};
use crate::format::{After, Decoder};
use crate::pipeline::{Emitter, PIECE_LEN, RunningSum, Source};

/// How much is asked for if a block is not at hand as a whole, and how much at the most: more than the
/// longest codes for all that a block can hold, and all selectors.
const GATHER_LEN: usize = 64 << 10;
const GATHER_MAX: usize = 4 << 20;
/// Length of the memory for what is only verified.
const ASIDE_LEN: usize = 32 << 10;

/// The bits of the next magic number that are in the last byte of the block before.
#[derive(Clone, Copy)]
struct Lead {
    count: u32,
    /// Their value; unknown where only the walker has seen them, who found them right.
    value: Option<u64>,
}

impl Lead {
    const NONE: Self = Self { count: 0, value: None };

    /// Whether they and the `rest` are this magic number.
    fn completes(self, rest: u64, magic: u64) -> bool {
        let below = MAGIC_BITS - self.count;
        rest == magic & ((1 << below) - 1) && self.value.is_none_or(|value| value == magic >> below)
    }
}

/// What was decoded: a block with the CRC it claims, or the end of the stream with that.
enum Found {
    Block { claimed: u32 },
    End { claimed: u32 },
}

/// Decodes blocks in streams.
pub(super) struct StreamDecoder {
    block: BlockDecoder,
    aside: Vec<u8>,
    level: u8,
    lead: Lead,
    after: After,
}

impl StreamDecoder {
    /// Nothing if there is no memory.
    pub(super) fn new() -> Option<Self> {
        let block = BlockDecoder::new().ok()?;
        Some(Self { block, aside: vec![0; ASIDE_LEN], level: 9, lead: Lead::NONE, after: After::Outside })
    }

    /// Decodes the block that begins here, or the end of the stream.
    fn next(&mut self, source: &mut Source, out: &mut Emitter) -> Result<()> {
        let start = source.offset() - u64::from(self.lead.count > 0);
        let (found, bits) = self.find(source, start)?;
        match found {
            Found::Block { claimed } => {
                let crc = put_out(self.block.runs(), &mut self.aside, out, claimed)?;
                if crc != Ok(claimed) {
                    let what = match crc {
                        Ok(crc) => format!("its data has the CRC {crc:08x}, but should have {claimed:08x}"),
                        Err(MissingCount) => "it ends with four equal bytes and no count of more".into(),
                    };
                    return Err(self.damaged(source, start, &what));
                }
                source.sum().push(1, claimed, join_crcs);
            }
            Found::End { claimed } => {
                let sum = source.whole_sum()?.sum();
                if sum != claimed {
                    let what = format!(
                        "the stream that ends there has blocks whose CRCs make {sum:08x} together, but says {claimed:08x}"
                    );
                    return Err(Error::corrupt(NAME, start, what));
                }
            }
        }
        let len = bits.div_ceil(8) as usize;
        let last = len.checked_sub(1).and_then(|last| source.gather(len).ok()?.get(last).copied());
        source.consume(len);
        (self.lead, self.after) = match found {
            Found::End { .. } => (Lead::NONE, After::Outside),
            Found::Block { .. } => {
                let bit = (bits % 8) as u32;
                let count = (8 - bit) % 8;
                let value = last.map(|last| u64::from(last) & ((1 << count) - 1));
                (Lead { count, value }, After::Inside(Context { level: self.level, bit }.packed()))
            }
        };
        Ok(())
    }

    /// Decodes what begins here, and says how many bits it has. Nothing is passed.
    fn find(&mut self, source: &mut Source, start: u64) -> Result<(Found, u64)> {
        let mut asked = 1;
        loop {
            let coded = source.gather_inside(asked)?;
            let have = coded.len();
            let mut bits = BitReader::new(coded, 0);
            match self.attempt(&mut bits) {
                Ok(found) => return Ok((found, bits.position())),
                Err(Fault::Invalid(what)) => return Err(self.damaged(source, start, what)),
                Err(Fault::OutOfMemory) => return Err(no_memory()),
                Err(Fault::Truncated) => {}
            }
            if have < asked || have >= GATHER_MAX {
                let offset = source.offset() + have as u64;
                return Err(Error::Truncated { format: NAME, frame: start, offset });
            }
            asked = (have * 2).clamp(GATHER_LEN, GATHER_MAX);
        }
    }

    fn attempt(&mut self, bits: &mut BitReader) -> Result<Found, Fault> {
        let high = u64::from(bits.take(24 - self.lead.count));
        let rest = high << 24 | u64::from(bits.take(24));
        if bits.is_overrun() {
            return Err(Fault::Truncated);
        }
        if self.lead.completes(rest, BLOCK_MAGIC) {
            return self.block.decode(bits, self.level).map(|claimed| Found::Block { claimed });
        }
        if !self.lead.completes(rest, END_MAGIC) {
            return Err(Fault::Invalid("it begins neither as a block nor as the end of a stream"));
        }
        let claimed = bits.take(32);
        if bits.is_overrun() { Err(Fault::Truncated) } else { Ok(Found::End { claimed }) }
    }

    /// The error of a damaged block that begins in the byte `start`.
    fn damaged(&self, source: &Source, start: u64, what: &str) -> Error {
        let number = match source.whole_sum() {
            Ok(sum) => sum.count() + 1,
            Err(error) => return error,
        };
        let bit = (8 - self.lead.count) % 8;
        Error::corrupt(
            NAME,
            start,
            format!(
                "block {number} of its stream, which begins at bit {bit} of that byte, is damaged: {what}"
            ),
        )
    }
}

impl Decoder for StreamDecoder {
    fn stream(&mut self, source: &mut Source, out: &mut Emitter, context: u8) -> Result<()> {
        if let Some(Context { level, bit }) = Context::unpacked(context) {
            (self.level, self.lead) = (level, Lead { count: (8 - bit) % 8, value: None });
            return self.next(source, out);
        }
        // Recognised by its first bytes, so they are there.
        let frame = source.offset();
        let head = source.gather_inside(4)?;
        let &[_, _, _, digit @ b'1'..=b'9', ..] = head else {
            let have = head.len() as u64;
            return Err(Error::Truncated { format: NAME, frame, offset: frame + have });
        };
        source.consume(4);
        (self.level, self.lead) = (digit - b'0', Lead::NONE);
        *source.sum() = RunningSum::starting(frame);
        self.next(source, out)
    }

    fn after(&self) -> After {
        self.after
    }

    fn frames(&self) -> u64 {
        (self.after != After::Outside).into()
    }

    fn resume(&mut self, source: &mut Source, out: &mut Emitter) -> Result<()> {
        // The block before is verified.
        out.begin_frame();
        self.next(source, out)
    }
}

/// Puts a block out if its CRC is the one claimed; the CRC in any case.
///
/// Of a block that runs make longer than the room at hand the rest is made twice: once to verify it,
/// and again when it is known to be right.
fn put_out(
    mut runs: Runs,
    aside: &mut [u8],
    out: &mut Emitter,
    claimed: u32,
) -> Result<Result<u32, MissingCount>> {
    let room = out.room(runs.shortened_len().clamp(1, PIECE_LEN))?;
    let mut crc = Crc::new();
    let Ok(filled) = runs.fill(room) else {
        return Ok(Err(MissingCount));
    };
    crc.update(&room[..filled]);
    let mut rest = runs.clone();
    while !rest.is_done() {
        match rest.fill(aside) {
            Ok(filled) => crc.update(&aside[..filled]),
            Err(MissingCount) => return Ok(Err(MissingCount)),
        }
    }
    if crc.value() == claimed {
        out.commit(filled)?;
        while !runs.is_done() {
            let filled = runs.fill(out.room(1)?).unwrap_or(0);
            out.commit(filled)?;
        }
    }
    Ok(Ok(crc.value()))
}

const _: () = assert!(9 * LEVEL_LEN <= PIECE_LEN);
