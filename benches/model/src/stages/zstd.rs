//! The cost of each step of decoding a zstd frame, without the pipeline around it.
//!
//! [`zstd_steps`] takes a file that begins with a zstd frame, and the plain data of this frame. It calls `crates/zstd`
//! as the pipeline does, in two ways. One worker alone decodes two blocks and puts them together while they are in its
//! cache. Of several workers, each decodes the blocks of whole jobs in stage 1, before a worker puts the first of them
//! together: the blocks have left the nearest cache then. `scaling` calls this and prints what follows from it.

use std::hint::black_box;

use pzcomp::Result;
use pzcomp_zstd::{
    BLOCK_HEADER_LEN, Block, BlockDecoder, BlockHeader, BlockKind, CodedBlock, DecodedBlock, Executor,
    Format, FrameHeader, Ring, TableContext,
};
use xxhash_rust::xxh64::Xxh64;

use super::{median, timed, unexpected};
use crate::load::FrameSteps;

/// How often everything is measured.
const ROUNDS: usize = 7;

/// Blocks in a job: about as many as a job keeps at most.
const JOB_BLOCKS: usize = 16;

/// So many jobs are decoded in stage 1 before stage 2 of the first.
const AHEAD: usize = 4;

/// What a byte of plain data consists of, on average.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameCounts {
    /// Sequences.
    pub sequences: f64,
    /// Literals.
    pub literals: f64,
}

/// A block, and the tables in force before it.
struct Walked<'a> {
    header: BlockHeader,
    bytes: &'a [u8],
    tables: TableContext,
}

impl<'a> Walked<'a> {
    fn coded(&'a self, frame: &FrameHeader) -> Option<CodedBlock<'a>> {
        let coded =
            CodedBlock { bytes: self.bytes, tables: &self.tables, block_len_max: frame.block_len_max() };
        (self.header.kind == BlockKind::Compressed).then_some(coded)
    }

    fn for_stage_two(&self, decoded: &'a DecodedBlock) -> Block<'a> {
        match self.header.kind {
            BlockKind::Raw => Block::Raw(self.bytes),
            BlockKind::Rle => Block::Rle(self.bytes.first().copied().unwrap_or(0), self.header.size),
            BlockKind::Compressed => Block::Decoded(decoded),
        }
    }
}

fn invalid(error: pzcomp_zstd::Error) -> pzcomp::Error {
    unexpected(&error.to_string())
}

/// The steps of decoding a frame, all but reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ZstdStages {
    /// If one worker decodes it.
    pub alone: FrameSteps,
    /// If several workers share it.
    pub shared: FrameSteps,
    /// What a byte consists of.
    pub counts: FrameCounts,
}

impl ZstdStages {
    /// The least time of each step in two measurements of the same frame.
    pub fn or_faster(&self, other: &Self) -> Self {
        let (alone, shared) = (self.alone.or_faster(&other.alone), self.shared.or_faster(&other.shared));
        Self { alone, shared, ..*self }
    }
}

/// Measures the steps of decoding a frame. `plain` is its plain data.
pub fn zstd_stages(coded: &[u8], plain: &[u8]) -> Result<ZstdStages> {
    let frame = FrameHeader::parse(coded, Format::Magic).map_err(invalid)?;
    let frame = frame.ok_or_else(|| unexpected("it is too short"))?;
    // Comparing takes up the caches, so this pass is not measured.
    let counts = decode(&frame, &walk(coded, &frame)?, Some(plain), 2)?.counts;
    let (mut headers, mut alone, mut shared) = (Vec::new(), Samples::default(), Samples::default());
    for _ in 0..ROUNDS {
        let (blocks, cpu) = timed(|| walk(coded, &frame));
        let blocks = blocks?;
        headers.push(cpu);
        alone.push(decode(&frame, &blocks, None, 2)?);
        shared.push(decode(&frame, &blocks, None, JOB_BLOCKS * AHEAD)?);
    }
    let len = plain.len().max(1) as f64;
    let (headers, sequences) = (median(headers) / len, counts.sequences / len);
    Ok(ZstdStages {
        alone: alone.steps(len, headers),
        shared: shared.steps(len, headers),
        counts: FrameCounts { sequences, literals: counts.literals / len },
    })
}

/// Seconds of stage 1, of stage 2 and of the checksum, for each pass.
#[derive(Default)]
struct Samples([Vec<f64>; 3]);

impl Samples {
    fn push(&mut self, pass: Pass) {
        let Pass { stage_one, stage_two, checksum, .. } = pass;
        let seconds = [stage_one, stage_two, checksum];
        self.0.iter_mut().zip(seconds).for_each(|(samples, seconds)| samples.push(seconds));
    }

    fn steps(self, len: f64, headers: f64) -> FrameSteps {
        // The least, because the load of other programs only makes a pass slower.
        let least = |samples: Vec<f64>| samples.into_iter().fold(f64::INFINITY, f64::min);
        let [stage_one, stage_two, checksum] = self.0.map(|samples| least(samples) / len);
        FrameSteps { reading: 0.0, headers, stage_one, stage_two, checksum }
    }
}

/// All blocks, with the tables in force before each.
fn walk<'a>(coded: &'a [u8], frame: &FrameHeader) -> Result<Vec<Walked<'a>>> {
    let cut_off = || unexpected("it is cut off");
    let (mut blocks, mut at, mut tables) = (Vec::new(), frame.header_len, TableContext::new());
    loop {
        let header = coded.get(at..).and_then(|rest| rest.first_chunk()).ok_or_else(cut_off)?;
        let header = BlockHeader::parse(*header, frame.block_len_max()).map_err(invalid)?;
        at += BLOCK_HEADER_LEN;
        let bytes = coded.get(at..at + header.coded_len()).ok_or_else(cut_off)?;
        at += bytes.len();
        blocks.push(Walked { header, bytes, tables });
        if header.kind == BlockKind::Compressed {
            tables.scan(bytes, frame.block_len_max()).map_err(invalid)?;
        }
        if header.is_last {
            return Ok(blocks);
        }
    }
}

/// CPU seconds of a pass over all blocks, and what the blocks have together.
#[derive(Default)]
struct Pass {
    stage_one: f64,
    stage_two: f64,
    checksum: f64,
    counts: FrameCounts,
}

/// Decodes all blocks. So many are decoded in stage 1 before stage 2 of the first. The output must be `plain`, if that
/// is given.
fn decode(frame: &FrameHeader, blocks: &[Walked], plain: Option<&[u8]>, ahead: usize) -> Result<Pass> {
    let mut pass = Pass::default();
    let mut decoder = BlockDecoder::new();
    let mut decoded: Vec<DecodedBlock> = (0..ahead).map(|_| DecodedBlock::new()).collect();
    let (mut executor, mut ring) = (Executor::new(frame, None), Ring::new());
    let (mut sum, mut at) = (Xxh64::new(0), 0);
    for group in blocks.chunks(ahead) {
        let (done, cpu) = timed(|| stage_one(&mut decoder, frame, group, &mut decoded));
        done.map_err(invalid)?;
        pass.stage_one += cpu;
        for (block, decoded) in group.iter().zip(&decoded) {
            if block.header.kind == BlockKind::Compressed {
                pass.counts.sequences += decoded.sequence_count() as f64;
                pass.counts.literals += decoded.literals().len() as f64;
            }
            let (done, cpu) = timed(|| ring.run(&mut executor, block.for_stage_two(decoded)));
            done.map_err(invalid)?;
            pass.stage_two += cpu;
            let fresh = ring.lend();
            if plain.is_some_and(|plain| plain.get(at..at + fresh.len()) != Some(&*fresh)) {
                return Err(unexpected("its plain data is wrong"));
            }
            at += fresh.len();
            pass.checksum += timed(|| sum.update(black_box(&fresh))).1;
        }
    }
    black_box(sum.digest());
    let is_whole = plain.is_none_or(|plain| plain.len() == at);
    if is_whole { Ok(pass) } else { Err(unexpected("its plain data is longer")) }
}

fn stage_one(
    decoder: &mut BlockDecoder,
    frame: &FrameHeader,
    blocks: &[Walked],
    decoded: &mut [DecodedBlock],
) -> Result<(), pzcomp_zstd::Error> {
    for (pair, decoded) in blocks.chunks(2).zip(decoded.chunks_mut(2)) {
        match (pair, decoded) {
            ([a, b], [decoded_a, decoded_b]) => match (a.coded(frame), b.coded(frame)) {
                (Some(a), Some(b)) => {
                    let (a, b) = decoder.decode_two((a, decoded_a), (b, decoded_b));
                    a.and(b)?;
                }
                (Some(a), None) => decoder.decode(a, decoded_a)?,
                (None, Some(b)) => decoder.decode(b, decoded_b)?,
                (None, None) => {}
            },
            ([a], [decoded, ..]) => {
                if let Some(a) = a.coded(frame) {
                    decoder.decode(a, decoded)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
