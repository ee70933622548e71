//! Anyone's gzip: one member without sizes or flushed places, cut where blocks begin and decoded without windows.

mod held;
mod tables;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use compare::corpus::{self, Kind};
use pzcomp::bench::{
    Direction, Handing, HandsOn, Load, Shape, Stages, gzip_stages, on_cores, traffic, waking,
};
use pzcomp::{Input, Options, Output, decompress_io};

use crate::measure::{self, Pass, Result, fastest, least, memory_file};
use held::Held;
pub use tables::markdown;

/// Long enough that there are many more jobs than workers.
const LEN: usize = 256 << 20;

/// What is checked on one core and on two.
const WORKERS: [usize; 5] = [1, 2, 4, 8, 16];

/// So many jobs are begun at once that nearly none is the head of the line before it is decoded: what many cores do.
const MANY: usize = 16;

/// So many jobs are left when the line is held up.
const HELD_JOBS: usize = 12;

/// One kind of data.
pub struct Unaided {
    name: &'static str,
    /// The coded length in terms of the plain one.
    ratio: f64,
    stages: Stages,
    /// What a job has to do in turn, between pipes and from file to file.
    pipe_handing: Handing,
    file_handing: Handing,
    /// The same where the line was held up, and what that took in the fastest pass.
    held_handing: Handing,
    held: Held,
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
        part_len: stages.part_len,
        marked: stages.marked,
        replacing: stages.replace + stages.crc,
        windows: stages.windows,
        left: stages.left * stages.bytes,
        waking: waking(10_000),
        writing: 0.0,
    };
    let plain = |load: Load| Load { job_len: 2.0 * stages.part_len, ..load };
    let with = |load: Load, workers: usize, handing: &Handing, when| match workers {
        // One worker needs nothing, and two cores are busy before any window is waited for.
        1 | 2 => plain(load),
        _ => Load { serial: handing.serial(when), traffic: load.traffic + handing.traffic(), ..plain(load) },
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
        let with = |pass: Pass| {
            let handing = Handing { writing: pass.load.writer, ..handing };
            Pass { load: with(pass.load, workers, &handing, HandsOn::Written), ..pass }
        };
        Ok(Check { workers, one: with(fastest(one)?), two: with(fastest(two)?) })
    };
    let checks = WORKERS.into_iter().zip(&passes).map(check).collect::<Result<_>>()?;
    let mut pipe = Vec::new();
    let mut file = Vec::new();
    for workers in [1, 2, MANY] {
        pipe.push(least(rounds, || measure::between(&coded, &code, workers, traffic(Shape::Pipe)))?);
        file.push(least(rounds, || measure::file_to_file(&coded, &code, workers, traffic(Shape::File)))?);
    }
    let pipe_handing = Handing { writing: pipe[2].writer, ..handing };
    let file_handing = Handing { writing: file_writing(rounds)?, ..handing };
    let loads = |loads: Vec<Load>, handing: &Handing, when| {
        [(0, 1), (1, 2), (2, MANY)].map(|(at, workers)| with(loads[at], workers, handing, when))
    };
    let behind = HELD_JOBS * 2 * stages.part_len as usize;
    let hold = data.len().saturating_sub(behind);
    let held = (0..rounds.max(5)).map(|_| held::measure(&coded, hold, MANY));
    let mut held = held.collect::<Result<Vec<_>>>()?;
    held.sort_by(|a, b| a.serial.total_cmp(&b.serial));
    let held = *held.first().ok_or("nothing was held up")?;
    Ok(Unaided {
        name: kind.name(),
        ratio,
        stages,
        held_handing: Handing { writing: held.writing, ..handing },
        held,
        checks,
        pipe: loads(pipe, &pipe_handing, HandsOn::Written),
        file: loads(file, &file_handing, HandsOn::PutOut),
        pipe_handing,
        file_handing,
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

/// CPU seconds for a byte that is written to a new file by pieces of 1 MiB.
fn file_writing(rounds: usize) -> Result<f64> {
    const PIECE_LEN: usize = 1 << 20;
    let piece = vec![1; PIECE_LEN];
    let mut least = f64::INFINITY;
    for _ in 0..rounds {
        let file: File = memory_file()?;
        let before = thread_cpu();
        for at in (0..LEN as u64).step_by(PIECE_LEN) {
            file.write_all_at(&piece, at)?;
        }
        least = least.min((thread_cpu() - before).as_secs_f64() / LEN as f64);
    }
    Ok(least)
}

fn thread_cpu() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
}
