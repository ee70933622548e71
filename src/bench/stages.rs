//! What it costs to decode anyone's gzip by parts, stage by stage, without the pipeline around it.
//!
//! The parts are those that the walker cuts, and each stage is the code that the pipeline runs (`format/gzip/lane.rs`),
//! in its order: jobs of two parts are decoded into symbols, some of them, before the first is resolved, so that
//! what is resolved has left the nearest cache as it will have on many cores. All times are those of the
//! thread's own clock.

use std::ops::Range;

use crate::decompress::RangeCursor;
use crate::error::{Error, Result};
use crate::format::ffi::deflate::crc32;
use crate::format::gzip::{PART_LEN, RATIOS, STEP, SYMBOLS_MAX, join};
use crate::format::{Cursor, Format};
use crate::inflate::{
    Boundary, Inflate, Marked, Output, Pause, Resolver, Side, Turn, WINDOW_LEN, are_bytes, run_both,
    with_window, without_window,
};
use crate::io::Place;
use crate::pipeline::{PIECE_LEN, Window, thread_cpu};

/// What was found: seconds are CPU seconds and medians, lengths are in bytes and averages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stages {
    /// Length of a part, coded and plain. Two of them are a job.
    pub part_coded_len: f64,
    /// The same of what is decoded from it.
    pub part_len: f64,
    /// Whether two workers share such data; more of them always do.
    pub is_for_two: bool,
    /// How much of the coded data is looked through for blocks, from 0 to 1.
    pub searched: f64,
    /// Seconds for finding blocks, for a byte of all coded data.
    pub search: f64,
    /// Seconds for decoding a byte whose window is known, one stream at a time.
    pub bytes: f64,
    /// Seconds for decoding a symbol without the window, two parts at once.
    pub symbols: f64,
    /// How much of a part is symbols: up to where the last [`WINDOW_LEN`] of them are bytes.
    pub marked: f64,
    /// How many of these are markers.
    pub markers: f64,
    /// Seconds for a symbol to be replaced.
    pub replace: f64,
    /// Seconds for a byte to be taken into the CRC-32.
    pub crc: f64,
    /// Seconds in which a job takes the window, makes the two behind its parts, and leaves the last; and in which the
    /// CRC-32 of what it puts out is joined to that of what is before.
    pub windows: f64,
    /// Plain bytes of a job that are not decoded before its window is known: the first part has ended before the
    /// second, or there is no more memory for symbols.
    pub left: f64,
}

/// Enough for the walker to cut whatever the data.
const WORKERS: usize = 3;

/// Jobs that are decoded before the first of them is resolved.
const JOBS: usize = 8;

/// How often a job's CRC-32 are joined.
const JOINS: usize = 5;

/// How often the walk is repeated.
const WALKS: usize = 5;

/// One of many symbols is looked at to count markers.
const SAMPLE: usize = 16;

/// Measures the stages of decoding a gzip file of one member with a header of 10 bytes, as `gzip` writes it of what
/// it reads from a pipe. `plain` is what has to come of it.
pub fn gzip_stages(coded: &[u8], plain: &[u8]) -> Result<Stages> {
    let (mut parts, search) = cut(coded)?;
    let bytes = decode_all(coded, plain, &mut parts)?;
    // The first has its window, and the search for places that stand alone before it; the last has the trailer.
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
    decode_jobs(coded, plain, &jobs, found)
}

/// What the walker cuts.
struct Part {
    coded: Range<usize>,
    boundary: Boundary,
    /// Where it is in what is decoded.
    plain: Range<usize>,
}

fn timed<T>(what: impl FnOnce() -> T) -> (T, f64) {
    let before = thread_cpu();
    let result = what();
    (result, thread_cpu().saturating_sub(before).as_secs_f64())
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(0.0)
}

fn unexpected(what: &str) -> Error {
    Error::Internal(format!("the file cannot be measured: {what}"))
}

/// The parts, and what finding them costs for a byte.
fn cut(coded: &[u8]) -> Result<(Vec<Part>, f64)> {
    let mut walks = Vec::new();
    let mut parts = Vec::new();
    for _ in 0..WALKS {
        parts.clear();
        let (result, cpu) = timed(|| walk(coded, &mut parts));
        result?;
        walks.push(cpu / coded.len().max(1) as f64);
    }
    Ok((parts, median(walks)))
}

fn walk(coded: &[u8], parts: &mut Vec<Part>) -> Result<()> {
    let mut cursor = RangeCursor::new(Place::Memory(coded), 0..coded.len() as u64);
    let mut walker = Format::GZIP.0.walker(WORKERS);
    loop {
        let start = Cursor::offset(&cursor) as usize;
        let boundary = Boundary::from_byte(walker.unit(&mut cursor)?.context);
        walker.pass(&mut cursor)?;
        parts.push(Part { coded: start..Cursor::offset(&cursor) as usize, boundary, plain: 0..0 });
        if !walker.is_inside() {
            return Ok(());
        }
    }
}

/// Decodes all in one piece, and notes where parts begin; the seconds for a byte.
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
                return Err(unexpected("something else comes of it"));
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

/// Decodes parts by twos without their windows, which are there some jobs later.
fn decode_jobs(coded: &[u8], plain: &[u8], jobs: &[[&Part; 2]], mut found: Stages) -> Result<Stages> {
    let mut lanes: Vec<[Lane; 2]> = (0..JOBS).map(|_| [Lane::new(), Lane::new()]).collect();
    let mut resolving = Resolving::new();
    let (mut symbols, mut replace, mut crc, mut windows) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut left, mut marked, mut all) = (0, 0, 0);
    let (mut markers, mut looked_at) = (0, 0);
    for batch in jobs.chunks(JOBS) {
        for (job, lanes) in batch.iter().zip(&mut lanes) {
            let (result, cpu) = timed(|| decode_both(coded, job, lanes));
            result?;
            symbols.push(cpu / lanes.iter().map(|lane| lane.filled).sum::<usize>().max(1) as f64);
        }
        for (job, lanes) in batch.iter().zip(&mut lanes) {
            resolving.seconds = Seconds::default();
            resolving.job(plain, job, lanes)?;
            let Seconds { replace: replaced, crc: summed, windows: made } = resolving.seconds;
            let len = lanes.iter().map(|lane| lane.marked_len()).sum::<usize>();
            replace.push(replaced / len.max(1) as f64);
            crc.push(summed / len.max(1) as f64);
            windows.push(made);
            for (part, lane) in job.iter().zip(lanes) {
                left += part.plain.len() - lane.filled;
                all += part.plain.len();
                marked += lane.marked_len();
                let sample = lane.symbols[..lane.marked_len()].iter().step_by(SAMPLE);
                looked_at += sample.len();
                markers += sample.filter(|symbol| !are_bytes(&[**symbol])).count();
            }
        }
    }
    found.symbols = median(symbols);
    found.replace = median(replace);
    found.crc = median(crc);
    found.windows = median(windows);
    found.left = left as f64 / jobs.len().max(1) as f64;
    // What is left would have been symbols too.
    found.marked = (marked + left) as f64 / all.max(1) as f64;
    found.markers = markers as f64 / looked_at.max(1) as f64;
    Ok(found)
}

/// What decodes a part without its window.
struct Lane {
    stream: Inflate,
    marked: Inflate<Marked>,
    symbols: Vec<Marked>,
    filled: usize,
    read: usize,
    has_ended: bool,
    /// How many symbols there were when the last of them were bytes.
    until: Option<usize>,
}

impl Lane {
    fn new() -> Self {
        let symbols = vec![Marked::default(); SYMBOLS_MAX];
        let (stream, marked) = (Inflate::new(), Inflate::new());
        Self { stream, marked, symbols, filled: 0, read: 0, has_ended: false, until: None }
    }

    /// Decodes bytes to where the window is needed.
    fn begin(&mut self, coded: &[u8], boundary: Boundary) -> Result<()> {
        let mut bytes = [0; WINDOW_LEN];
        self.stream.reset_inside(boundary);
        let mut output = Output::new(&mut bytes, 0);
        let progress = self.stream.run(coded, &mut output);
        let filled = output.filled();
        let Some(progress) = progress.ok().filter(|progress| progress.pause == Pause::Window) else {
            return Err(unexpected("a part of it stands alone"));
        };
        without_window(&mut self.marked, &mut self.stream);
        for (symbol, &byte) in self.symbols.iter_mut().zip(&bytes[..filled]) {
            *symbol = crate::inflate::Symbol::literal(byte);
        }
        (self.filled, self.read, self.has_ended, self.until) = (filled, progress.read, false, None);
        Ok(())
    }

    fn goes_on(&self) -> bool {
        !self.has_ended && self.filled + STEP <= SYMBOLS_MAX
    }

    fn stepped(&mut self, turn: Option<Turn>, filled: usize) -> Result<()> {
        let Turn { read, pause } = turn.ok_or_else(|| unexpected("a part of it is not valid"))?;
        self.filled = filled;
        self.read += read;
        self.has_ended = matches!(pause, Some(Pause::Input | Pause::End));
        // The pipeline goes on with bytes then; here all are symbols, which costs a little more.
        let last = self.symbols[..filled].last_chunk::<WINDOW_LEN>();
        if self.until.is_none() && last.is_some_and(|last| are_bytes(last)) {
            self.until = Some(filled);
        }
        Ok(())
    }

    /// Symbols that are not known to be bytes.
    fn marked_len(&self) -> usize {
        self.until.unwrap_or(self.filled)
    }
}

/// Decodes two parts as far as that goes without a window.
fn decode_both(coded: &[u8], parts: &[&Part; 2], [one, other]: &mut [Lane; 2]) -> Result<()> {
    let [input, others] = parts.map(|part| &coded[part.coded.clone()]);
    one.begin(input, parts[0].boundary)?;
    other.begin(others, parts[1].boundary)?;
    while one.goes_on() && other.goes_on() {
        let mut output = Output::new(&mut one.symbols[..one.filled + STEP], one.filled);
        let mut other_output = Output::new(&mut other.symbols[..other.filled + STEP], other.filled);
        let first = Side { inflate: &mut one.marked, input: &input[one.read..], output: &mut output };
        let second =
            Side { inflate: &mut other.marked, input: &others[other.read..], output: &mut other_output };
        let (turn, other_turn) = run_both(first, second);
        let (filled, other_filled) = (output.filled(), other_output.filled());
        one.stepped(turn.ok(), filled)?;
        other.stepped(other_turn.ok(), other_filled)?;
    }
    // As in the pipeline, the second does not go on without the first, whose window it will need.
    while one.goes_on() {
        let mut output = Output::new(&mut one.symbols[..one.filled + STEP], one.filled);
        let progress = one.marked.run(&input[one.read..], &mut output);
        let filled = output.filled();
        one.stepped(progress.ok().map(Turn::from), filled)?;
    }
    Ok(())
}

#[derive(Clone, Copy, Default)]
struct Seconds {
    replace: f64,
    crc: f64,
    windows: f64,
}

/// What is done in the order of the jobs.
struct Resolving {
    resolver: Resolver,
    piece: Vec<u8>,
    seconds: Seconds,
}

impl Resolving {
    fn new() -> Self {
        Self { resolver: Resolver::new(), piece: vec![0; PIECE_LEN], seconds: Seconds::default() }
    }

    fn job(&mut self, plain: &[u8], parts: &[&Part; 2], [one, other]: &mut [Lane; 2]) -> Result<()> {
        let mut handed = Window::default();
        handed.set(&plain[..parts[0].plain.start], false);
        let taken = self.make_windows(|resolver| {
            let mut taken = Window::default();
            taken.set(handed.bytes(), true);
            resolver.set(taken.bytes());
            taken
        });
        drop(taken);
        self.replace(plain, parts[0], one)?;
        self.make_windows(|resolver| with_window(&mut one.stream, &mut one.marked, Some(resolver)));
        // Where something was left of the first part, this is not yet its window, but as long.
        let before = &plain[..parts[1].plain.start];
        self.make_windows(|resolver| {
            // Once to see whether the second part is valid, and once to replace its markers.
            resolver.set(before);
            resolver.set(before);
        });
        self.replace(plain, parts[1], other)?;
        self.make_windows(|resolver| {
            with_window(&mut other.stream, &mut other.marked, Some(resolver));
            handed.set(other.stream.window(), false);
            // Behind each part, and where parts, jobs and the line put theirs together.
            (0..JOINS).fold(0, |before, _| std::hint::black_box(join(before, 1, parts[1].plain.len() as u64)))
        });
        Ok(())
    }

    /// Makes windows, or what else is done in turn and not for each byte.
    fn make_windows<T>(&mut self, make: impl FnOnce(&mut Resolver) -> T) -> T {
        let (result, cpu) = timed(|| make(&mut self.resolver));
        self.seconds.windows += cpu;
        result
    }

    /// Replaces the markers of a part, piece by piece.
    fn replace(&mut self, plain: &[u8], part: &Part, lane: &Lane) -> Result<()> {
        let expected = &plain[part.plain.clone()];
        let (symbols, mut crc) = (&lane.symbols[..lane.marked_len()], 0);
        for (symbols, expected) in symbols.chunks(PIECE_LEN).zip(expected.chunks(PIECE_LEN)) {
            let bytes = &mut self.piece[..symbols.len()];
            let ((), replace) = timed(|| self.resolver.resolve(symbols, bytes));
            let (sum, summing) = timed(|| crc32(crc, bytes));
            (crc, self.seconds.replace, self.seconds.crc) =
                (sum, self.seconds.replace + replace, self.seconds.crc + summing);
            if !expected.starts_with(bytes) {
                return Err(unexpected("something else comes of a part"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, GzBuilder};

    use super::*;

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzBuilder::new().write(Vec::new(), Compression::new(6));
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn every_stage_is_measured() -> Result<()> {
        let plain = super::super::text(16 << 20, 1);
        let coded = gzip(&plain);
        let found = gzip_stages(&coded, &plain)?;
        assert!(
            found.part_coded_len >= PART_LEN as f64 && found.part_len > found.part_coded_len,
            "{found:?}"
        );
        for share in [found.searched, found.marked, found.markers] {
            assert!(share > 0.0 && share <= 1.0, "{found:?}");
        }
        for cost in [found.search, found.bytes, found.symbols, found.replace, found.crc, found.windows] {
            assert!(cost > 0.0, "{found:?}");
        }
        assert!(found.left < 2.0 * found.part_len, "{found:?}");
        Ok(())
    }

    #[test]
    fn what_cannot_be_measured_is_refused() {
        let plain = super::super::text(16 << 20, 2);
        let coded = gzip(&plain);
        assert!(gzip_stages(&gzip(&plain[..1000]), &plain[..1000]).is_err(), "too short");
        assert!(gzip_stages(&coded, &plain[1..]).is_err(), "other data");
    }
}
