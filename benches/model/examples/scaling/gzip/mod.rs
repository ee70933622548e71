//! A gzip file of one member without sizes or independent flush points: the file that `gzip` writes.
//!
//! The walker cuts such a member at dynamic blocks, and the parts are decoded without windows. [`measure`] makes the
//! file, measures it stage by stage and as a whole on one core and two, and returns an [`OneMember`]. `tables.rs`
//! writes the section of the report from it.

mod tables;

use std::io::{Read, Seek, SeekFrom, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use compare::corpus::{self, Kind};
use model::cores::{on_cores, waking};
use model::load::{Load, SerialStep, Shape, traffic};
use model::stages::{Stages, gzip_stages};
use pzcomp::bench::Direction;
use pzcomp::{Decode, Decompress, Input, Output};

use crate::measure::{self, Pass, Result, cheaper, fastest, least, memory_file};
pub use tables::markdown;

/// Length of the data. It makes many more jobs than there are workers.
const LEN: usize = 256 << 20;

/// The numbers of workers that are checked on one core and on two.
const WORKERS: [usize; 5] = [1, 2, 4, 8, 16];

/// With this many workers few jobs have their window before they are decoded, as on many cores.
const MANY: usize = 16;

/// One kind of data.
pub struct OneMember {
    name: &'static str,
    /// The coded length divided by the plain length.
    ratio: f64,
    stages: Stages,
    /// The work that jobs can only do one after another.
    serial_step: SerialStep,
    checks: Vec<Check>,
    /// The loads with one worker, with two, and with [`MANY`]: between pipes, and from file to file.
    pipe: [Load; 3],
    file: [Load; 3],
}

/// A number of workers on one core and on two.
struct Check {
    workers: usize,
    one: Pass,
    two: Pass,
}

impl OneMember {
    /// The better of two measurements of the same data, for each stage and each pass.
    pub fn or_better(self, other: Self) -> Self {
        let [one, two] = [&self.serial_step, &other.serial_step];
        let serial_step = SerialStep {
            waking: one.waking.min(two.waking),
            windows: one.windows.min(two.windows),
            replacing: one.replacing.min(two.replacing),
            decoding: one.decoding.min(two.decoding),
            ..self.serial_step
        };
        // The jobs that wait for windows wait for the shorter step now.
        let step = |load: Load| match load.serial {
            0.0 => load,
            _ => Load { serial: serial_step.seconds_per_byte(), ..load },
        };
        let pass = |one: Pass, other| {
            let faster = one.or_faster(other);
            Pass { load: step(faster.load), ..faster }
        };
        let checks = self.checks.into_iter().zip(other.checks);
        let checks = checks.map(|(one, other)| Check {
            workers: one.workers,
            one: pass(one.one, other.one),
            two: pass(one.two, other.two),
        });
        let loads = |one: [Load; 3], other: [Load; 3]| {
            std::array::from_fn(|workers| step(cheaper(one[workers], other[workers])))
        };
        Self {
            stages: self.stages.or_faster(&other.stages),
            serial_step,
            checks: checks.collect(),
            pipe: loads(self.pipe, other.pipe),
            file: loads(self.file, other.file),
            ..self
        }
    }
}

/// Measures a kind of data.
pub fn measure(kind: Kind, rounds: usize) -> Result<OneMember> {
    let mut data = Vec::with_capacity(LEN);
    corpus::write(kind, LEN as u64, crate::sweep::SEED, &mut data)?;
    let coded = gzip(&data)?;
    let stages = gzip_stages(&coded, &data)?;
    let ratio = coded.len() as f64 / data.len() as f64;
    let serial_step = SerialStep {
        job_len: 2.0 * stages.part_len,
        waking: waking(10_000),
        windows: stages.windows,
        replacing: stages.replaced_first * (stages.replace + stages.crc),
        decoding: stages.rest * stages.bytes,
    };
    let with = |load: Load, workers: usize| {
        let load = Load { job_len: serial_step.job_len, ..load };
        match workers {
            // One worker needs no window, and two workers have other work while a window is missing.
            1 | 2 => load,
            _ => Load {
                serial: serial_step.seconds_per_byte(),
                traffic: load.traffic + SerialStep::traffic(stages.marked),
                ..load
            },
        }
    };
    let traffic = |shape| traffic(Direction::Decompress, shape, ratio);
    let code = |input: Input, output: Output, threads| {
        Decompress::new(&Decode::builder().threads(threads).build()?).run(input, output)
    };
    let mut out = Vec::new();
    code(measure::reader(&coded), measure::writer(&mut out), MANY)?;
    if out != data {
        return Err("the output of gzip does not decompress to its input".into());
    }
    let mut in_memory = |threads| {
        let started = Instant::now();
        let summary = code(measure::reader(&coded), measure::writer(&mut out), threads)?;
        Ok::<_, pzcomp::Error>(Pass::new(started.elapsed(), &summary, traffic(Shape::Pipe)))
    };
    let mut passes = WORKERS.map(|_| (Vec::new(), Vec::new()));
    for _ in 0..rounds {
        for (workers, (one, two)) in WORKERS.into_iter().zip(&mut passes) {
            one.push(on_cores(1, || in_memory(workers))??);
            two.push(in_memory(workers)?);
        }
    }
    let check = |(workers, (one, two)): (usize, &(Vec<Pass>, Vec<Pass>))| {
        let with = |pass: Pass| Pass { load: with(pass.load, workers), ..pass };
        Ok(Check { workers, one: with(fastest(one)?), two: with(fastest(two)?) })
    };
    let checks = WORKERS.into_iter().zip(&passes).map(check).collect::<Result<_>>()?;
    let pipe = |workers| -> Result<Load> {
        let load = least(rounds, || measure::between(&coded, &code, workers, traffic(Shape::Pipe)))?;
        Ok(with(load, workers))
    };
    let file = |workers| -> Result<Load> {
        let load = least(rounds, || measure::file_to_file(&coded, &code, workers, traffic(Shape::File)))?;
        Ok(with(load, workers))
    };
    Ok(OneMember {
        name: kind.name(),
        ratio,
        stages,
        serial_step,
        checks,
        pipe: [pipe(1)?, pipe(2)?, pipe(MANY)?],
        file: [file(1)?, file(2)?, file(MANY)?],
    })
}

/// The output of `gzip -6` for this data.
fn gzip(data: &[u8]) -> Result<Vec<u8>> {
    let (mut from, mut to) = (memory_file()?, memory_file()?);
    from.write_all(data)?;
    from.seek(SeekFrom::Start(0))?;
    let status =
        Command::new("gzip").arg("-6").arg("-c").stdin(Stdio::from(from)).stdout(to.try_clone()?).status()?;
    if !status.success() {
        return Err("gzip failed".into());
    }
    let mut coded = Vec::new();
    to.seek(SeekFrom::Start(0))?;
    to.read_to_end(&mut coded)?;
    Ok(coded)
}
