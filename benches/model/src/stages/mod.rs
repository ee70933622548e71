//! The cost of decoding a gzip member in parts, stage by stage, without the pipeline around it.
//!
//! [`gzip_stages`] takes a gzip file of one member and its plain data, and returns the time of each stage. `scaling`
//! calls it. The parts are those that the walker cuts, and each stage does what the pipeline does
//! (`gzip/read/part.rs`), in its order. Several jobs of two parts are decoded into symbols before the first of them is
//! resolved. So a job has left the nearest cache when it is resolved, as on many cores. All times are of the thread's
//! own clock. `zstd.rs` does the same for a zstd frame.

mod jobs;
mod zstd;

use std::ops::Range;

use pzcomp::internals::{PART_LEN, PIECE_LEN, RATIOS, gzip_parts, thread_cpu};
use pzcomp::{Error, Result};
use pzcomp_deflate::inflate::{Boundary, Inflate, Output, Pause};
pub use zstd::{FrameCounts, ZstdStages, zstd_stages};

/// The result. Seconds are CPU seconds and medians, or the least median of several measurements; lengths are in bytes
/// and averages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stages {
    /// Length of a part, coded. Two parts are a job.
    pub part_coded_len: f64,
    /// Length of a part, plain.
    pub part_len: f64,
    /// Whether two workers share such data. Three and more always do.
    pub is_for_two: bool,
    /// The share of the coded data that is searched for blocks, from 0 to 1.
    pub searched: f64,
    /// Seconds of the search for blocks, for a byte of all coded data.
    pub search: f64,
    /// Seconds for decoding a byte whose window is known, one stream at a time.
    pub bytes: f64,
    /// Seconds for decoding a symbol without the window, two parts at once.
    pub symbols: f64,
    /// The share of a part that is symbols: up to the place where the last `WINDOW_LEN` symbols are bytes.
    pub marked: f64,
    /// The share of these symbols that are markers.
    pub markers: f64,
    /// Seconds for replacing a symbol.
    pub replace: f64,
    /// Seconds for adding a byte to the CRC-32.
    pub crc: f64,
    /// Seconds in which a job without a rest takes its window, makes the windows behind its two parts, and publishes
    /// the last.
    pub windows: f64,
    /// Seconds for joining two CRC-32s.
    pub join: f64,
    /// The share of jobs with a rest, from 0 to 1: they have no more memory for symbols when the window comes.
    pub with_rest: f64,
    /// Symbols that jobs with a rest replace before they publish a window, divided by the number of all jobs.
    pub replaced_first: f64,
    /// Bytes of the rest, divided by the number of all jobs.
    pub rest: f64,
}

impl Stages {
    /// The lesser time of each stage in two measurements of the same file.
    pub fn or_faster(&self, other: &Self) -> Self {
        Self {
            search: self.search.min(other.search),
            bytes: self.bytes.min(other.bytes),
            symbols: self.symbols.min(other.symbols),
            replace: self.replace.min(other.replace),
            crc: self.crc.min(other.crc),
            windows: self.windows.min(other.windows),
            join: self.join.min(other.join),
            ..*self
        }
    }
}

/// With this many workers the walker cuts all data.
const WORKERS: usize = 3;

/// How often the walk is repeated.
const WALKS: usize = 5;

/// Measures the stages of decoding a gzip file of one member with a header of 10 bytes, as `gzip` writes it when it
/// reads a pipe. `plain` is its plain data.
pub fn gzip_stages(coded: &[u8], plain: &[u8]) -> Result<Stages> {
    let (mut parts, search) = cut(coded)?;
    let bytes = decode_all(coded, plain, &mut parts)?;
    // The first part has its window, and begins with the search for independent parts. The last part has the trailer.
    let inner = parts.get(1..parts.len().saturating_sub(1)).unwrap_or_default();
    let count = inner.len().max(1) as f64;
    let coded_len: usize = inner.iter().map(|part| part.coded.len()).sum();
    let plain_len: usize = inner.iter().map(|part| part.plain.len()).sum();
    let beyond = |part: &Part| (part.coded.len() as u64).saturating_sub(PART_LEN);
    let found = Stages {
        part_coded_len: coded_len as f64 / count,
        part_len: plain_len as f64 / count,
        is_for_two: (plain_len as f32) < RATIOS[0] * coded_len as f32,
        searched: inner.iter().map(beyond).sum::<u64>() as f64 / coded_len.max(1) as f64,
        search,
        bytes,
        ..Stages::default()
    };
    let jobs: Vec<[&Part; 2]> = inner.chunks_exact(2).map(|two| [&two[0], &two[1]]).collect();
    jobs::decode(coded, plain, &jobs, found)
}

/// A part that the walker cuts.
struct Part {
    coded: Range<usize>,
    boundary: Boundary,
    /// Its range in the plain data.
    plain: Range<usize>,
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let before = thread_cpu();
    let result = work();
    (result, thread_cpu().saturating_sub(before).as_secs_f64())
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(0.0)
}

fn unexpected(what: &str) -> Error {
    Error::Internal(format!("the file cannot be measured: {what}"))
}

/// The parts, and the seconds for a coded byte that it takes to find them.
fn cut(coded: &[u8]) -> Result<(Vec<Part>, f64)> {
    let mut walks = Vec::new();
    let mut parts = Vec::new();
    for _ in 0..WALKS {
        let (found, cpu) = timed(|| gzip_parts(coded, WORKERS));
        let part = |(coded, context)| Part { coded, boundary: Boundary::from_byte(context), plain: 0..0 };
        parts = found?.into_iter().map(part).collect();
        walks.push(cpu / coded.len().max(1) as f64);
    }
    Ok((parts, median(walks)))
}

/// Decodes everything in one piece, and notes where parts begin. Returns the seconds for a byte.
fn decode_all(coded: &[u8], plain: &[u8], parts: &mut [Part]) -> Result<f64> {
    const HEADER_LEN: usize = 10;
    if !matches!(coded, [0x1f, 0x8b, 8, 0, ..]) || parts.len() < 4 {
        return Err(unexpected("its header is another, or it is too short"));
    }
    let mut stream = Inflate::<u8>::new();
    let mut piece = vec![0; PIECE_LEN];
    let (mut samples, mut at) = (Vec::new(), 0);
    let mut boundary = None;
    for part in parts {
        let mut input = &coded[part.coded.clone()];
        if part.coded.start == 0 {
            input = &input[HEADER_LEN..];
        } else if boundary != Some(part.boundary) {
            return Err(unexpected("no block begins where one was found"));
        }
        let (start, mut cpu) = (at, 0.0);
        loop {
            let mut output = Output::new(&mut piece, 0);
            let (progress, took) = timed(|| stream.run(input, &mut output));
            let progress = progress.map_err(|_| unexpected("it is not valid"))?;
            let filled = output.filled();
            if plain.get(at..at + filled) != Some(&piece[..filled]) {
                return Err(unexpected("its plain data is wrong"));
            }
            (at, cpu, input) = (at + filled, cpu + took, &input[progress.read..]);
            if progress.pause != Pause::Output {
                break;
            }
        }
        part.plain = start..at;
        boundary = stream.boundary();
        samples.push(cpu / (at - start).max(1) as f64);
    }
    Ok(median(samples))
}
