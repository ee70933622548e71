//! Decodes bzip2 for the pipeline, block by block.
//!
//! The input is the coded bytes of a job, which may begin at any block of a stream. The output goes to the emitter of
//! the job. A block is put out only if its CRC is right.
//!
//! The CRC of a stream is made of the CRCs of its blocks. Each job adds the CRCs of its own blocks to the running sum,
//! and the relay joins the sums. The job that meets the end of the stream compares.

use pzcomp_bzip2::decode::{BitReader, BlockDecoder, MissingCount, Runs};
use pzcomp_bzip2::{BLOCK_MAGIC, Crc, END_MAGIC, Error as Fault, LEVEL_LEN, MAGIC_BITS, join_crcs};

use super::scan::find;
use super::{Context, END_LEN, NAME, no_memory};
use crate::error::{Error, Result};
use crate::format::{After, Decoder};
use engine::{Emitter, PIECE_LEN, RunningSum, Source};

/// The least number of bytes that are gathered if a block is not completely at hand.
const GATHER_LEN: usize = 64 << 10;
/// So many pauses inside a block may be the end of a block.
const EAGER_TRIES: usize = 16;
/// The most bytes that are gathered. A block with the longest codes and all selectors is shorter.
const GATHER_MAX: usize = 4 << 20;
/// Length of the memory for output that is verified before it is put out.
const SCRATCH_LEN: usize = 32 << 10;

/// The first bits of the next magic number, which lie in the last byte of the block before.
#[derive(Clone, Copy)]
struct Lead {
    count: u32,
    /// The value of these bits. It is not known if the job begins with the block. The walker has compared them then.
    value: Option<u64>,
}

impl Lead {
    const NONE: Self = Self { count: 0, value: None };

    /// Whether these bits and the `rest` make this magic number.
    fn completes(self, rest: u64, magic: u64) -> bool {
        let below = MAGIC_BITS - self.count;
        rest == magic & ((1 << below) - 1) && self.value.is_none_or(|value| value == magic >> below)
    }
}

/// The next thing in a stream: a block or the end of the stream, with the CRC that it states.
enum Decoded {
    Block { stated: u32 },
    End { stated: u32 },
}

/// Decodes blocks in streams.
pub(super) struct StreamDecoder {
    block: BlockDecoder,
    scratch: Vec<u8>,
    level: u8,
    lead: Lead,
    after: After,
}

impl StreamDecoder {
    /// Returns `None` if there is no memory.
    pub(super) fn new() -> Option<Self> {
        let block = BlockDecoder::new().ok()?;
        Some(Self { block, scratch: vec![0; SCRATCH_LEN], level: 9, lead: Lead::NONE, after: After::Outside })
    }

    /// Decodes the block that begins here, or the end of the stream, and puts it out.
    fn next(&mut self, source: &mut Source, out: &mut Emitter) -> Result<()> {
        out.flush_if_input_pauses(source)?;
        // An index may claim a lead at the start of the file.
        let start = source.offset().saturating_sub(u64::from(self.lead.count > 0));
        let (decoded, bits) = self.decode(source, start)?;
        match decoded {
            Decoded::Block { stated } => {
                let crc = put_out(self.block.runs(), &mut self.scratch, out, stated)?;
                if crc != Ok(stated) {
                    let what = match crc {
                        Ok(crc) => format!("its data has the CRC {crc:08x}, expected {stated:08x}"),
                        Err(MissingCount) => {
                            "it ends with four equal bytes, expected the count of further ones behind them"
                                .into()
                        }
                    };
                    return Err(self.damaged(source, start, &what));
                }
                source.relay.sum().push(1, stated.into(), |before, crc, count| {
                    join_crcs(before as u32, crc as u32, count).into()
                });
            }
            Decoded::End { stated } => {
                let sum = source.relay.whole_sum()?.sum() as u32;
                if sum != stated {
                    let what = format!(
                        "the stream that ends there has the CRC {sum:08x}, combined from its blocks, expected {stated:08x}"
                    );
                    return Err(Error::corrupt(NAME, start, what));
                }
            }
        }
        let len = bits.div_ceil(8) as usize;
        let last = len.checked_sub(1).and_then(|last| source.gather(len).ok()?.get(last).copied());
        source.consume(len);
        (self.lead, self.after) = match decoded {
            Decoded::End { .. } => (Lead::NONE, After::Outside),
            Decoded::Block { .. } => {
                let bit = (bits % 8) as u32;
                let count = (8 - bit) % 8;
                let value = last.map(|last| u64::from(last) & ((1 << count) - 1));
                (Lead { count, value }, After::Inside(Context { level: self.level, bit }.packed()))
            }
        };
        Ok(())
    }

    /// Decodes the block or the end that begins here. Returns its length in bits. Consumes no input.
    fn decode(&mut self, source: &mut Source, start: u64) -> Result<(Decoded, u64)> {
        // How many bytes are wanted, how many were too few, and how many were looked at in vain where a stream seemed
        // to end.
        let (mut asked, mut tried, mut in_vain) = (1, 0, 0);
        for tries in 0.. {
            let mut have = source.gather_until_pause(asked, false)?.len();
            // If the input pauses, the block may be complete. But each try begins again, so there is not one for each
            // of many short reads, nor for each of many places that look like the end of a stream.
            let least = tried + if tries < EAGER_TRIES { 1 } else { tried / 64 + 1 };
            let mut has_ended = false;
            let ends = |bytes: &[u8]| in_vain <= EAGER_TRIES * bytes.len() && ends_stream(bytes);
            while have < least && !has_ended && !(have > tried && ends(source.bytes())) {
                let before = have;
                have = source.gather_inside(before + 1)?.len();
                has_ended = have == before;
            }
            let seems_to_end = have < least && !has_ended;
            let mut bits = BitReader::new(source.bytes(), 0);
            match self.decode_gathered(&mut bits) {
                Ok(decoded) => return Ok((decoded, bits.position())),
                Err(Fault::Invalid(what)) => return Err(self.damaged(source, start, what)),
                Err(Fault::OutOfMemory) => return Err(no_memory()),
                Err(Fault::Truncated) => {}
            }
            if has_ended || have >= GATHER_MAX {
                let offset = source.offset() + have as u64;
                return Err(Error::Truncated { format: NAME, frame: start, offset });
            }
            tried = have;
            in_vain += if seems_to_end { have } else { 0 };
            asked = (have * 2).clamp(GATHER_LEN, GATHER_MAX);
        }
        Err(Error::Internal("a block without an end".into()))
    }

    /// Decodes from the bits at hand. [`Fault::Truncated`] says that more bits are needed.
    fn decode_gathered(&mut self, bits: &mut BitReader) -> Result<Decoded, Fault> {
        let high = u64::from(bits.take(24 - self.lead.count));
        let rest = high << 24 | u64::from(bits.take(24));
        if bits.is_overrun() {
            return Err(Fault::Truncated);
        }
        if self.lead.completes(rest, BLOCK_MAGIC) {
            return self.block.decode(bits, self.level).map(|stated| Decoded::Block { stated });
        }
        if !self.lead.completes(rest, END_MAGIC) {
            return Err(Fault::Invalid("it begins neither as a block nor as the end of a stream"));
        }
        let stated = bits.take(32);
        if bits.is_overrun() { Err(Fault::Truncated) } else { Ok(Decoded::End { stated }) }
    }

    /// The error of a damaged block that begins in the byte at `start`.
    fn damaged(&self, source: &Source, start: u64, what: &str) -> Error {
        let number = match source.relay.whole_sum() {
            Ok(sum) => sum.count() + 1,
            Err(error) => return error.into(),
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

/// Whether these bytes end with the end of a stream.
fn ends_stream(bytes: &[u8]) -> bool {
    let tail = &bytes[bytes.len().saturating_sub(END_LEN + 1)..];
    find(tail).is_some_and(|found| found.is_end)
}

impl Decoder for StreamDecoder {
    fn stream(&mut self, source: &mut Source, out: &mut Emitter, context: u8) -> Result<()> {
        if let Some(Context { level, bit }) = Context::unpacked(context) {
            (self.level, self.lead) = (level, Lead { count: (8 - bit) % 8, value: None });
            return self.next(source, out);
        }
        // The caller has recognised the first bytes, so they are there.
        let frame = source.offset();
        let head = source.gather_inside(4)?;
        let &[_, _, _, digit @ b'1'..=b'9', ..] = head else {
            let have = head.len() as u64;
            return Err(Error::Truncated { format: NAME, frame, offset: frame + have });
        };
        source.consume(4);
        (self.level, self.lead) = (digit - b'0', Lead::NONE);
        *source.relay.sum() = RunningSum::starting(frame, 0);
        self.next(source, out)
    }

    fn after(&self) -> After {
        self.after
    }

    fn frames(&self) -> u64 {
        (self.after != After::Outside).into()
    }

    fn resume(&mut self, source: &mut Source, out: &mut Emitter) -> Result<()> {
        // The block before is verified, so its output need not be held.
        out.frame().begin();
        self.next(source, out)
    }
}

/// Puts a block out if its CRC is `stated`. Returns the CRC in either case.
///
/// Runs may make a block longer than the room in the emitter. The rest is then made twice: once to verify it, and once
/// more to put it out.
fn put_out(
    mut runs: Runs,
    scratch: &mut [u8],
    out: &mut Emitter,
    stated: u32,
) -> Result<Result<u32, MissingCount>> {
    let room = out.room(runs.shortened_len().clamp(1, PIECE_LEN))?;
    let mut crc = Crc::new();
    let Ok(filled) = runs.fill(room) else {
        return Ok(Err(MissingCount));
    };
    crc.update(&room[..filled]);
    let mut rest = runs.clone();
    while !rest.is_done() {
        match rest.fill(scratch) {
            Ok(filled) => crc.update(&scratch[..filled]),
            Err(MissingCount) => return Ok(Err(MissingCount)),
        }
    }
    if crc.value() == stated {
        out.commit(filled)?;
        while !runs.is_done() {
            let filled = runs.fill(out.room(1)?).unwrap_or(0);
            out.commit(filled)?;
        }
    }
    Ok(Ok(crc.value()))
}

const _: () = assert!(9 * LEVEL_LEN <= PIECE_LEN);
