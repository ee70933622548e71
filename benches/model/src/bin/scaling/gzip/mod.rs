//! Anyone's gzip: one member without sizes or flushed places, cut where blocks begin and decoded without windows.

mod tables;

use std::io::{Read, Seek, SeekFrom, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use compare::corpus::{self, Kind};
use model::cores::{on_cores, waking};
use model::load::{Handing, Load, Shape, traffic};
use model::stages::{Stages, gzip_stages};
use pzcomp::bench::Direction;
use pzcomp::{Input, Options, Output, decompress_io};

use crate::measure::{self, Pass, Result, fastest, least, memory_file};
pub use tables::markdown;

/// Long enough that there are many more jobs than workers.
const LEN: usize = 256 << 20;

/// What is checked on one core and on two.
const WORKERS: [usize; 5] = [1, 2, 4, 8, 16];

/// So many jobs are begun at once that few have their window before they are decoded: what many cores do.
const MANY: usize = 16;

/// One kind of data.
pub struct Unaided {
    name: &'static str,
    /// The coded length in terms of the plain one.
    ratio: f64,
    stages: Stages,
    /// What a job has to do in turn.
    handing: Handing,
    checks: Vec<Check>,
    /// With one worker, with two, and with many.
    pipe: [Load; 3],
    file: [Load; 3],
}

/// So many workers on one core and on two.
struct Check {
    workers: usize,
    one: Pass,
    two: Pass,
}

/// Measures a kind of data.
pub fn measure(kind: Kind, rounds: usize) -> Result<Unaided> {
    let mut data = Vec::with_capacity(LEN);
    corpus::write(kind, LEN as u64, crate::SEED, &mut data)?;
    let coded = gzip(&data)?;
    let stages = gzip_stages(&coded, &data)?;
    let ratio = coded.len() as f64 / data.len() as f64;
    let handing = Handing {
        job_len: 2.0 * stages.part_len,
        waking: waking(10_000),
        windows: stages.windows,
        replacing: stages.before * (stages.replace + stages.crc),
        decoding: stages.left * stages.bytes,
    };
    let with = |load: Load, workers: usize| {
        let load = Load { job_len: handing.job_len, ..load };
        match workers {
            // One worker needs nothing, and two cores are busy before any window is waited for.
            1 | 2 => load,
            _ => Load {
                serial: handing.serial(),
                traffic: load.traffic + Handing::traffic(stages.marked),
                ..load
            },
        }
    };
    let traffic = |shape| traffic(Direction::Decompress, shape, ratio);
    let code = |input: Input, output: Output, threads| {
        decompress_io(input, output, &Options { threads, ..Options::default() })
    };
    let mut out = Vec::new();
    code(measure::reader(&coded), measure::writer(&mut out), MANY)?;
    if out != data {
        return Err("a file of gzip does not become what it was made of".into());
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
    Ok(Unaided {
        name: kind.name(),
        ratio,
        stages,
        handing,
        checks,
        pipe: [pipe(1)?, pipe(2)?, pipe(MANY)?],
        file: [file(1)?, file(2)?, file(MANY)?],
    })
}

/// What `gzip -6` makes of data in a pipe.
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
