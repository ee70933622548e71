//! Measures one format in one direction: on one core, on two, between pipes, and from file to file.
//!
//! [`both_ways`] and [`synthetic`] take data and return a [`Measured`] for each direction. `main.rs` calls them, and
//! `gzip/mod.rs` uses the smaller functions. The decompressed data must be the plain data; otherwise the result is an
//! error.

use std::error::Error;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::time::{Duration, Instant};

use model::ceiling::{Cost, Synthetic, synthetic as through_synthetic};
use model::cores::on_cores;
use model::load::{Load, Shape, traffic};
use model::pipes::between_pipes;
use pzcomp::bench::Direction;
use pzcomp::{Compress, Decode, Decompress, Encode, Format, Input, Output, Summary};
use rustix::fs::{MemfdFlags, memfd_create};

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A format, its level and its data.
pub struct Case {
    pub format: Format,
    pub level: i32,
    pub len: usize,
    pub block_size: Option<usize>,
}

/// The measurements of one direction.
pub struct Measured {
    /// Format and level.
    pub codec: String,
    pub direction: Direction,
    /// The fastest pass on one core with one worker, memory to memory.
    pub one: Pass,
    /// The fastest pass on two cores with one worker, which has a core to itself if nothing else runs.
    pub one_worker: Pass,
    /// The fastest pass on two cores with two workers.
    pub two: Pass,
    /// The cost of a byte with two workers, between two pipes and from file to file.
    pub pipe: Load,
    pub file: Load,
}

/// A pass over the data.
#[derive(Clone, Copy)]
pub struct Pass {
    pub speed: f64,
    pub load: Load,
}

impl Pass {
    pub fn new(wall: Duration, summary: &Summary, traffic: f64) -> Self {
        Self {
            speed: summary.plain_len as f64 / wall.as_secs_f64(),
            load: Load::new(&summary.cpu, summary.plain_len, summary.frames, traffic),
        }
    }

    /// The faster of two passes, because the load of other programs only makes passes slower.
    pub fn or_faster(self, other: Self) -> Self {
        if other.speed > self.speed { other } else { self }
    }
}

/// The lesser CPU time of each thread in two passes of the same work.
pub fn cheaper(one: Load, other: Load) -> Load {
    Load {
        reader: one.reader.min(other.reader),
        workers: one.workers.min(other.workers),
        writer: one.writer.min(other.writer),
        ..one
    }
}

/// Short passes are repeated for this time, each kind of them.
const TIME: Duration = Duration::from_secs(1);

impl Measured {
    /// The format, the level and the direction, in a few words.
    pub fn name(&self) -> String {
        match self.direction {
            Direction::Compress => format!("{} compress", self.codec),
            Direction::Decompress => format!("{} decompress", self.codec),
        }
    }

    /// The better of two measurements of the same, for each pass.
    pub fn or_better(self, other: Self) -> Self {
        Self {
            one: self.one.or_faster(other.one),
            one_worker: self.one_worker.or_faster(other.one_worker),
            two: self.two.or_faster(other.two),
            pipe: cheaper(self.pipe, other.pipe),
            file: cheaper(self.file, other.file),
            ..self
        }
    }
}

/// A function that codes from an input to an output with this many workers.
pub type Code<'a> = dyn Fn(Input, Output, usize) -> pzcomp::Result<Summary> + 'a;

/// Measures both directions of a format.
pub fn both_ways(data: &[u8], case: &Case, rounds: usize) -> Result<[Measured; 2]> {
    let options = |threads| {
        let options = Encode::builder(case.format).level(case.level).threads(threads);
        match case.block_size {
            Some(len) => options.block_size(len).build(),
            None => options.build(),
        }
    };
    let compress =
        |input: Input, output: Output, threads| Compress::new(&options(threads)?).run(input, output);
    let decompress = |input: Input, output: Output, threads| {
        Decompress::new(&Decode::builder().threads(threads).build()?).run(input, output)
    };
    let mut coded = Vec::with_capacity(data.len());
    compress(reader(data), writer(&mut coded), 2)?;
    let mut plain = Vec::with_capacity(data.len());
    decompress(reader(&coded), writer(&mut plain), 2)?;
    if plain != data {
        return Err(format!("{} does not decompress to its input", case.format).into());
    }
    let ratio = coded.len() as f64 / data.len() as f64;
    let codec = format!("{} -{}", case.format, case.level);
    Ok([
        measure_direction(&codec, Direction::Compress, ratio, data, &compress, rounds)?,
        measure_direction(&codec, Direction::Decompress, ratio, &coded, &decompress, rounds)?,
    ])
}

/// Measures a codec that copies, and a codec of constant cost.
pub fn synthetic(data: &[u8], rounds: usize) -> Result<Vec<Measured>> {
    let costs = [("no-op", Cost::Nothing), ("10 ns/byte", Cost::PerByte(10.0))];
    let sides = costs.into_iter().map(|(name, cost)| {
        let code = |input: Input, output: Output, threads| {
            through_synthetic(input, output, &Synthetic { cost, threads, chunk_len: 1 << 20 })
        };
        measure_direction(name, Direction::Compress, 1.0, data, &code, rounds)
    });
    sides.collect()
}

pub fn reader(data: &[u8]) -> Input<'_> {
    Input::Reader(Box::new(data))
}

pub fn writer(out: &mut Vec<u8>) -> Output<'_> {
    out.clear();
    Output::Writer(Box::new(out))
}

fn measure_direction(
    codec: &str,
    direction: Direction,
    ratio: f64,
    from: &[u8],
    code: &Code,
    rounds: usize,
) -> Result<Measured> {
    let traffic = |shape| traffic(direction, shape, ratio);
    let mut out = Vec::new();
    let mut in_memory = |threads| {
        let started = Instant::now();
        let summary = code(reader(from), writer(&mut out), threads)?;
        Ok::<_, pzcomp::Error>(Pass::new(started.elapsed(), &summary, traffic(Shape::Pipe)))
    };
    in_memory(2)?;
    // In turns, because the load of a shared machine changes from minute to minute.
    let (mut one, mut one_worker, mut two) = (Vec::new(), Vec::new(), Vec::new());
    let started = Instant::now();
    while one.len() < rounds || started.elapsed() < 3 * TIME {
        one.push(on_cores(1, || in_memory(1))??);
        one_worker.push(in_memory(1)?);
        two.push(in_memory(2)?);
    }
    Ok(Measured {
        codec: codec.to_owned(),
        direction,
        one: fastest(&one)?,
        one_worker: fastest(&one_worker)?,
        two: fastest(&two)?,
        pipe: least(rounds, || between(from, code, 2, traffic(Shape::Pipe)))?,
        file: least(rounds, || file_to_file(from, code, 2, traffic(Shape::File)))?,
    })
}

/// The fastest pass.
pub fn fastest(passes: &[Pass]) -> Result<Pass> {
    passes.iter().copied().reduce(Pass::or_faster).ok_or_else(|| "nothing was measured".into())
}

/// The least CPU time of each thread in several passes.
pub fn least(rounds: usize, mut pass: impl FnMut() -> Result<Load>) -> Result<Load> {
    let started = Instant::now();
    let mut loads = Vec::new();
    while loads.len() < rounds || started.elapsed() < TIME {
        loads.push(pass()?);
    }
    loads.into_iter().reduce(cheaper).ok_or_else(|| "nothing was measured".into())
}

/// The load of this many workers between two pipes.
pub fn between(from: &[u8], code: &Code, workers: usize, traffic: f64) -> Result<Load> {
    let failed = |source| pzcomp::Error::Read { offset: 0, source };
    let (summary, _) = between_pipes(from, 1, |first, last| {
        let input = Input::from_file(first).map_err(failed)?;
        code(input, Output::from_file(last).map_err(failed)?, workers)
    })?;
    Ok(Load::new(&summary.cpu, summary.plain_len, summary.frames, traffic))
}

/// The load of this many workers from file to file.
pub fn file_to_file(from: &[u8], code: &Code, workers: usize, traffic: f64) -> Result<Load> {
    let mut input = memory_file()?;
    input.write_all(from)?;
    input.seek(SeekFrom::Start(0))?;
    let output = memory_file()?;
    let summary = code(Input::from_file(&input)?, Output::from_file(&output)?, workers)?;
    Ok(Load::new(&summary.cpu, summary.plain_len, summary.frames, traffic))
}

/// A regular file in memory, so that no disk makes it slower.
pub fn memory_file() -> Result<File> {
    Ok(memfd_create("scaling", MemfdFlags::CLOEXEC)?.into())
}
