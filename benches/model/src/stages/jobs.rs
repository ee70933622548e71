//! Jobs of two parts, as the pipeline decodes them on many cores.
//!
//! [`decode`] takes the parts that the walker cut, and adds the times of its stages to [`Stages`]. A job is decoded
//! without its window. Some jobs later the window is there: the job makes the next window first, and then replaces all
//! of its symbols. All output is compared with the plain data.

use std::hint::black_box;

use pzcomp::Result;
use pzcomp::internals::{PIECE_LEN, STEP, SYMBOLS_MAX, crc32, join_crc32};
use pzcomp_deflate::inflate::{
    Boundary, Inflate, Marked, Output, PairProgress, Pause, Resolver, Stream, Symbol, WINDOW_LEN, are_bytes,
    continue_with_markers, decode_pair,
};

use super::{Part, Stages, median, timed, unexpected};

/// This many jobs are decoded before the first of them is resolved.
const JOBS: usize = 8;

/// This many CRC-32s are joined for one sample, because one takes little time.
const JOINS: u32 = 16;

/// One of this many symbols is looked at to count markers.
const SAMPLE: usize = 16;

/// Decodes all jobs. Returns `found` with the stages of the jobs added.
pub(super) fn decode(coded: &[u8], plain: &[u8], jobs: &[[&Part; 2]], mut found: Stages) -> Result<Stages> {
    let mut decoders: Vec<[PartDecoder; 2]> =
        (0..JOBS).map(|_| [PartDecoder::new(), PartDecoder::new()]).collect();
    let mut resolving = Resolving::new();
    let mut symbols = Vec::new();
    let (mut replaced_first, mut rest, mut with_rest) = (0, 0, 0);
    let (mut marked, mut all) = (0, 0);
    let (mut markers, mut looked_at) = (0, 0);
    for batch in jobs.chunks(JOBS) {
        for (job, decoders) in batch.iter().zip(&mut decoders) {
            let (result, cpu) = timed(|| decode_both(coded, job, decoders));
            result?;
            symbols.push(cpu / decoders.iter().map(|decoder| decoder.filled).sum::<usize>().max(1) as f64);
        }
        for (job, decoders) in batch.iter().zip(&decoders) {
            resolving.job(plain, job, decoders)?;
            let marked_here: usize = decoders.iter().map(PartDecoder::marked_len).sum();
            if !decoders.iter().all(|decoder| decoder.has_ended) {
                (with_rest, replaced_first) = (with_rest + 1, replaced_first + marked_here);
            }
            marked += marked_here;
            for (part, decoder) in job.iter().zip(decoders) {
                rest += part.plain.len() - decoder.filled;
                all += part.plain.len();
                let sample = decoder.symbols[..decoder.marked_len()].iter().step_by(SAMPLE);
                looked_at += sample.len();
                markers += sample.filter(|symbol| !are_bytes(&[**symbol])).count();
            }
        }
    }
    let Resolving { replace, crc, windows, joins, .. } = resolving;
    let count = jobs.len().max(1) as f64;
    found.symbols = median(symbols);
    found.replace = median(replace);
    found.crc = median(crc);
    found.windows = median(windows);
    found.join = median(joins);
    found.with_rest = f64::from(with_rest) / count;
    found.replaced_first = replaced_first as f64 / count;
    found.rest = rest as f64 / count;
    // The rest would have been symbols too.
    found.marked = (marked + rest) as f64 / all.max(1) as f64;
    found.markers = markers as f64 / looked_at.max(1) as f64;
    Ok(found)
}

/// Decodes a part without its window.
struct PartDecoder {
    stream: Inflate,
    marked: Inflate<Marked>,
    symbols: Vec<Marked>,
    filled: usize,
    read: usize,
    has_ended: bool,
    /// The number of symbols at which the last `WINDOW_LEN` symbols were bytes for the first time.
    until: Option<usize>,
}

impl PartDecoder {
    fn new() -> Self {
        let symbols = vec![Marked::default(); SYMBOLS_MAX];
        let (stream, marked) = (Inflate::new(), Inflate::new());
        Self { stream, marked, symbols, filled: 0, read: 0, has_ended: false, until: None }
    }

    /// Decodes bytes up to the place that needs the window.
    fn begin(&mut self, coded: &[u8], boundary: Boundary) -> Result<()> {
        let mut bytes = [0; WINDOW_LEN];
        self.stream.reset_inside(boundary);
        let mut output = Output::new(&mut bytes, 0);
        let progress = self.stream.run(coded, &mut output);
        let filled = output.filled();
        let Some(progress) = progress.ok().filter(|progress| progress.pause == Pause::Window) else {
            return Err(unexpected("one of its parts refers to nothing before it"));
        };
        continue_with_markers(&mut self.marked, &mut self.stream);
        for (symbol, &byte) in self.symbols.iter_mut().zip(&bytes[..filled]) {
            *symbol = Symbol::literal(byte);
        }
        (self.filled, self.read, self.has_ended, self.until) = (filled, progress.read, false, None);
        Ok(())
    }

    fn can_continue(&self) -> bool {
        !self.has_ended && self.filled + STEP <= SYMBOLS_MAX
    }

    fn finish_step(&mut self, turn: Option<PairProgress>, filled: usize) -> Result<()> {
        let PairProgress { read, pause } = turn.ok_or_else(|| unexpected("a part of it is not valid"))?;
        self.filled = filled;
        self.read += read;
        self.has_ended = matches!(pause, Some(Pause::Input | Pause::End));
        // The pipeline continues with bytes then. Here everything becomes symbols, which costs a little more.
        let last = self.symbols[..filled].last_chunk::<WINDOW_LEN>();
        if self.until.is_none() && last.is_some_and(|last| are_bytes(last)) {
            self.until = Some(filled);
        }
        Ok(())
    }

    /// Decodes a step by itself.
    fn step(&mut self, coded: &[u8]) -> Result<()> {
        let mut output = Output::new(&mut self.symbols[..self.filled + STEP], self.filled);
        let progress = self.marked.run(&coded[self.read..], &mut output);
        let filled = output.filled();
        self.finish_step(progress.ok().map(PairProgress::from), filled)
    }

    /// The number of symbols that are not known to be bytes.
    fn marked_len(&self) -> usize {
        self.until.unwrap_or(self.filled)
    }
}

/// Decodes two parts as far as possible without a window.
fn decode_both(coded: &[u8], parts: &[&Part; 2], [one, other]: &mut [PartDecoder; 2]) -> Result<()> {
    let [input, others] = parts.map(|part| &coded[part.coded.clone()]);
    one.begin(input, parts[0].boundary)?;
    other.begin(others, parts[1].boundary)?;
    while one.can_continue() && other.can_continue() {
        let mut output = Output::new(&mut one.symbols[..one.filled + STEP], one.filled);
        let mut other_output = Output::new(&mut other.symbols[..other.filled + STEP], other.filled);
        let first = Stream { inflate: &mut one.marked, input: &input[one.read..], output: &mut output };
        let second =
            Stream { inflate: &mut other.marked, input: &others[other.read..], output: &mut other_output };
        let (turn, other_turn) = decode_pair(first, second);
        let (filled, other_filled) = (output.filled(), other_output.filled());
        one.finish_step(turn.ok(), filled)?;
        other.finish_step(other_turn.ok(), other_filled)?;
    }
    while one.can_continue() {
        one.step(input)?;
    }
    while other.can_continue() {
        other.step(others)?;
    }
    Ok(())
}

/// Resolves jobs when the window is there, and collects times: seconds for a symbol, or for a job.
struct Resolving {
    resolver: Resolver,
    piece: Vec<u8>,
    replace: Vec<f64>,
    crc: Vec<f64>,
    windows: Vec<f64>,
    joins: Vec<f64>,
}

impl Resolving {
    fn new() -> Self {
        let (resolver, piece) = (Resolver::new(), vec![0; PIECE_LEN]);
        let [replace, crc, windows, joins] = [const { Vec::new() }; 4];
        Self { resolver, piece, replace, crc, windows, joins }
    }

    fn job(&mut self, plain: &[u8], parts: &[&Part; 2], decoders: &[PartDecoder; 2]) -> Result<()> {
        if decoders.iter().all(|decoder| decoder.has_ended) {
            self.make_window(plain, parts, decoders)?;
        }
        let (mut replace, mut crc) = (0.0, 0.0);
        for (part, decoder) in parts.iter().zip(decoders) {
            let (replaced, summed) = self.replace(plain, part, decoder)?;
            (replace, crc) = (replace + replaced, crc + summed);
        }
        let len = decoders.iter().map(PartDecoder::marked_len).sum::<usize>().max(1) as f64;
        self.replace.push(replace / len);
        self.crc.push(crc / len);
        let part_len = parts[1].plain.len() as u64;
        let (_, cpu) = timed(|| (0..JOINS).fold(1, |before, _| black_box(join_crc32(before, 2, part_len))));
        self.joins.push(cpu / f64::from(JOINS));
        Ok(())
    }

    /// Makes the window behind a job from the window before it.
    fn make_window(&mut self, plain: &[u8], parts: &[&Part; 2], decoders: &[PartDecoder; 2]) -> Result<()> {
        // The line also makes a copy of the last bytes for each job that takes or publishes a window.
        let copy = |output: &[u8]| output[output.len().saturating_sub(WINDOW_LEN)..].to_vec();
        let early = copy(&plain[..parts[0].plain.start]);
        let (made, cpu) = timed(|| {
            let mut window: [u8; WINDOW_LEN] = copy(&early).try_into().ok()?;
            for decoder in decoders {
                self.resolver.set(&window);
                self.resolver.resolve(decoder.marked.window(), &mut window);
            }
            Some(copy(&window))
        });
        if !made.is_some_and(|next| plain[..parts[1].plain.end].ends_with(&next)) {
            return Err(unexpected("the window behind a job is wrong"));
        }
        self.windows.push(cpu);
        Ok(())
    }

    /// Replaces the markers of a part, piece by piece. Returns the seconds for that and for its CRC-32.
    fn replace(&mut self, plain: &[u8], part: &Part, decoder: &PartDecoder) -> Result<(f64, f64)> {
        self.resolver.set(&plain[..part.plain.start]);
        let expected = &plain[part.plain.clone()];
        let (symbols, mut crc) = (&decoder.symbols[..decoder.marked_len()], 0);
        let mut seconds = (0.0, 0.0);
        for (symbols, expected) in symbols.chunks(PIECE_LEN).zip(expected.chunks(PIECE_LEN)) {
            let bytes = &mut self.piece[..symbols.len()];
            let ((), replaced) = timed(|| self.resolver.resolve(symbols, bytes));
            let (sum, summed) = timed(|| crc32(crc, bytes));
            (crc, seconds) = (sum, (seconds.0 + replaced, seconds.1 + summed));
            if !expected.starts_with(bytes) {
                return Err(unexpected("the plain data of a part is wrong"));
            }
        }
        Ok(seconds)
    }
}
