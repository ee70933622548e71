//! Measures the decoder beside libzstd, on one core and in memory, with data of one's own.
//!
//! `cargo run --release -p pzcomp-zstd --example versus -- FRAME.zst...` prints a line for each file: megabytes of
//! decoded data per second, and the median ratio to libzstd of runs that take turns. A file may hold many frames. The
//! stages are measured apart from each other.

use std::error::Error;
use std::time::Duration;

use pzcomp_zstd::{
    BLOCK_HEADER_LEN, Block, BlockDecoder, BlockHeader, BlockKind, CodedBlock, DecodedBlock, Executor,
    Format, FrameDecoder, FrameHeader, TableContext,
};

/// The time that this thread has spent on a core: others on the same machine disturb it less than the time of day.
struct Instant(Duration);

impl Instant {
    fn now() -> Self {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Self(Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
    }

    fn elapsed(&self) -> Duration {
        Self::now().0 - self.0
    }
}

type Failable<T> = Result<T, Box<dyn Error>>;

const ROUNDS: usize = 9;

/// A frame, and the length that it decodes to.
struct Coded {
    bytes: Vec<u8>,
    plain_len: usize,
}

fn frames(mut file: &[u8]) -> Failable<Vec<Coded>> {
    let mut frames = Vec::new();
    while !file.is_empty() {
        let len = zstd_safe::find_frame_compressed_size(file).map_err(zstd_safe::get_error_name)?;
        let (frame, rest) = file.split_at(len);
        let plain_len =
            zstd_safe::find_decompressed_size(frame).map_err(|_| "no content size")?.ok_or("no size")?;
        frames.push(Coded { bytes: frame.to_vec(), plain_len: usize::try_from(plain_len)? });
        file = rest;
    }
    Ok(frames)
}

/// A block, and the tables in force before it.
type Walked<'a> = (BlockHeader, &'a [u8], TableContext);

/// What the blocks of a frame are.
fn blocks(frame: &[u8]) -> Failable<(FrameHeader, Vec<Walked<'_>>)> {
    let header = FrameHeader::parse(frame, Format::Magic)?.ok_or("no header")?;
    let (mut blocks, mut at, mut tables) = (Vec::new(), header.header_len, TableContext::new());
    loop {
        let bytes = frame[at..].first_chunk().ok_or("no block")?;
        let block = BlockHeader::parse(*bytes, header.block_len_max())?;
        at += BLOCK_HEADER_LEN;
        let bytes = &frame[at..at + block.coded_len()];
        at += bytes.len();
        blocks.push((block, bytes, tables));
        if block.kind == BlockKind::Compressed {
            tables.scan(bytes, header.block_len_max())?;
        }
        if block.is_last {
            return Ok((header, blocks));
        }
    }
}

/// Seconds for the scan, for stage 1 and for stage 2 of all frames.
fn stages(all: &[Coded], plain: &mut [u8]) -> Failable<[f64; 3]> {
    let mut seconds = [0.0; 3];
    let mut decoder = BlockDecoder::new();
    let mut decoded: Vec<DecodedBlock> = (0..16).map(|_| DecodedBlock::new()).collect();
    for frame in all {
        let start = Instant::now();
        let (header, blocks) = blocks(&frame.bytes)?;
        seconds[0] += start.elapsed().as_secs_f64();
        let mut executor = Executor::new(&header, None);
        for group in blocks.chunks(16) {
            let start = Instant::now();
            for (pair, decoded) in group.chunks(2).zip(decoded.chunks_mut(2)) {
                let coded: Vec<Option<CodedBlock<'_>>> = pair
                    .iter()
                    .map(|(block, bytes, tables)| {
                        let coded = CodedBlock { bytes, tables, block_len_max: header.block_len_max() };
                        (block.kind == BlockKind::Compressed).then_some(coded)
                    })
                    .collect();
                let (one, two) = decoded.split_at_mut(1);
                match (coded[0], coded.get(1).copied().flatten()) {
                    (Some(a), Some(b)) => {
                        let (a, b) = decoder.decode_two((a, &mut one[0]), (b, &mut two[0]));
                        a.and(b)?;
                    }
                    (Some(a), None) => decoder.decode(a, &mut one[0])?,
                    (None, Some(b)) => decoder.decode(b, &mut two[0])?,
                    (None, None) => {}
                }
            }
            seconds[1] += start.elapsed().as_secs_f64();
            let start = Instant::now();
            for ((block, bytes, _), decoded) in group.iter().zip(&decoded) {
                let block = match block.kind {
                    BlockKind::Raw => Block::Raw(bytes),
                    BlockKind::Rle => Block::Rle(bytes[0], block.size),
                    BlockKind::Compressed => Block::Decoded(decoded),
                };
                executor.run(block, plain)?;
            }
            seconds[2] += start.elapsed().as_secs_f64();
        }
    }
    Ok(seconds)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Failable<()> {
    println!(
        "{:28} {:>8} {:>8} {:>6} {:>8} {:>8} {:>8} {:>8}",
        "file", "libzstd", "ours", "ratio", "scan", "stage 1", "stage 2", "2 cores"
    );
    let mut arguments = std::env::args().skip(1).peekable();
    // With `-B`, each file's content is cut into frames of this many KiB, at this level.
    let mut cut = None;
    if arguments.peek().is_some_and(|argument| argument == "-B") {
        arguments.next();
        let mut number = || Failable::Ok(arguments.next().ok_or("-B needs KiB and level")?.parse::<i32>()?);
        cut = Some((number()? as usize * 1024, number()?));
    }
    for path in arguments {
        let file = std::fs::read(&path)?;
        let all = match cut {
            None => frames(&file)?,
            Some((len, level)) => {
                let coded = file.chunks(len).map(|plain| {
                    let mut bytes = Vec::with_capacity(zstd_safe::compress_bound(len));
                    zstd_safe::compress(&mut bytes, plain, level).map_err(zstd_safe::get_error_name)?;
                    Ok(Coded { bytes, plain_len: plain.len() })
                });
                coded.collect::<Failable<_>>()?
            }
        };
        let longest = all.iter().map(|frame| frame.plain_len).max().unwrap_or_default();
        let total: usize = all.iter().map(|frame| frame.plain_len).sum();
        let (mut theirs, mut ours) = (vec![1; longest], vec![1; longest]);
        let (mut context, mut decoder) = (zstd_safe::DCtx::create(), FrameDecoder::new());
        let mut times: [Vec<f64>; 5] = Default::default();
        for round in 0..=ROUNDS {
            let mut seconds = [0.0; 5];
            let start = Instant::now();
            for frame in &all {
                context.decompress(&mut theirs[..], &frame.bytes).map_err(zstd_safe::get_error_name)?;
            }
            seconds[0] = start.elapsed().as_secs_f64();
            let start = Instant::now();
            for frame in &all {
                decoder.decode(&frame.bytes, &mut ours[..frame.plain_len])?;
            }
            seconds[1] = start.elapsed().as_secs_f64();
            let last = all.last().map_or(0, |frame| frame.plain_len);
            if theirs[..last] != ours[..last] {
                return Err("the decoders do not agree".into());
            }
            seconds[2..].copy_from_slice(&stages(&all, &mut ours)?);
            // The first round fills caches and pages.
            if round > 0 {
                times.iter_mut().zip(seconds).for_each(|(times, seconds)| times.push(seconds));
            }
        }
        let speed = |number: usize| total as f64 / median(times[number].clone()) / 1e6;
        let ratio = |number: usize| {
            median(times[0].iter().zip(&times[number]).map(|(theirs, ours)| theirs / ours).collect())
        };
        let two_cores: Vec<f64> =
            times[3].iter().zip(&times[4]).map(|(one, two)| two.max((one + two) / 2.0)).collect();
        println!(
            "{path:28} {:8.0} {:8.0} {:6.2} {:8.0} {:8.0} {:8.0} {:8.0}",
            speed(0),
            speed(1),
            ratio(1),
            speed(2),
            speed(3),
            speed(4),
            total as f64 / median(two_cores) / 1e6
        );
    }
    Ok(())
}
