//! The ceilings: the highest speeds that any format can have on this machine.
//!
//! [`measure`] runs the pipeline with a codec that only copies, between all kinds of input and output, and bare pipes.
//! It also counts the jobs that pass the line in a second. `scaling` puts the results into the report and into the
//! model.

use std::error::Error;
use std::io::{self, Seek, SeekFrom, Write};
use std::time::{Duration, Instant};

use model::ceiling::{Cost, Synthetic, synthetic};
use model::pipes::{Through, through_pipes};
use pzcomp::{Input, Output};

use crate::measure::memory_file;

/// A ceiling: its name, and the bytes a second of its passes, from slow to fast.
pub struct Ceiling {
    pub name: &'static str,
    pub speeds: Vec<f64>,
}

impl Ceiling {
    pub fn best(&self) -> f64 {
        self.speeds.last().copied().unwrap_or(0.0)
    }

    pub fn median(&self) -> f64 {
        self.speeds.get(self.speeds.len() / 2).copied().unwrap_or(0.0)
    }
}

/// All ceilings.
pub struct Ceilings {
    pub rows: Vec<Ceiling>,
    /// Jobs that passed the line in a second, each as small as possible.
    pub jobs: f64,
}

impl Ceilings {
    /// The passes of two measurements, and the larger number of jobs.
    pub fn with(mut self, other: Self) -> Self {
        for (row, other) in self.rows.iter_mut().zip(other.rows) {
            row.speeds.extend(other.speeds);
            row.speeds.sort_by(f64::total_cmp);
        }
        Self { jobs: self.jobs.max(other.jobs), ..self }
    }
}

/// The length of a chunk of gzip or lz4.
const CHUNK_LEN: usize = 1 << 20;

/// A chunk so small that the copy costs hardly anything.
const SMALL_CHUNK_LEN: usize = 4 << 10;

const THREADS: usize = 2;

/// Bytes that go through pipes.
const PIPE_LEN: u64 = 1 << 30;

/// Short passes are repeated for this time.
const TIME: Duration = Duration::from_secs(2);

/// Measures all ceilings, with at least `rounds` passes of each.
pub fn measure(data: &[u8], rounds: usize) -> Result<Ceilings, Box<dyn Error>> {
    let no_op = Synthetic { cost: Cost::Nothing, threads: THREADS, chunk_len: CHUNK_LEN };
    let reader = || Input::Reader(Box::new(data));
    let input = || Input::Memory(data);
    let mut file = memory_file()?;
    file.write_all(data)?;
    let mut memory = vec![1; data.len()];
    let mut rows = Vec::new();
    let mut row = |name, len: u64, pass: &mut dyn FnMut() -> Result<(), Box<dyn Error>>| {
        rows.push(Ceiling { name, speeds: speeds(len, rounds, pass)? });
        Ok::<_, Box<dyn Error>>(())
    };
    let len = data.len() as u64;
    row("no-op pipeline, reader to nowhere", len, &mut || {
        synthetic(reader(), Output::Writer(Box::new(io::sink())), &no_op)?;
        Ok(())
    })?;
    row("no-op pipeline, reader to memory", len, &mut || {
        synthetic(reader(), Output::Writer(Box::new(&mut memory[..])), &no_op)?;
        Ok(())
    })?;
    row("no-op pipeline, memory to nowhere", len, &mut || {
        synthetic(input(), Output::Writer(Box::new(io::sink())), &no_op)?;
        Ok(())
    })?;
    row("no-op pipeline, memory to memory", len, &mut || {
        synthetic(input(), Output::Memory(&mut memory), &no_op)?;
        Ok(())
    })?;
    row("no-op pipeline, file to nowhere", len, &mut || {
        file.seek(SeekFrom::Start(0))?;
        synthetic(Input::from_file(&file)?, Output::Nothing, &no_op)?;
        Ok(())
    })?;
    row("no-op pipeline, file to new file", len, &mut || {
        file.seek(SeekFrom::Start(0))?;
        synthetic(Input::from_file(&file)?, Output::from_file(&memory_file()?)?, &no_op)?;
        Ok(())
    })?;
    for (name, through) in [
        ("one pipe", Through::OnePipe),
        ("read/write loop of 128 KiB between two pipes", Through::Loop(128 << 10)),
        ("read/write loop of 1 MiB between two pipes", Through::Loop(1 << 20)),
        ("no-op pipeline between two pipes", Through::Pipeline(no_op)),
    ] {
        row(name, PIPE_LEN, &mut || {
            through_pipes(PIPE_LEN, through)?;
            Ok(())
        })?;
    }
    let small = Synthetic { chunk_len: SMALL_CHUNK_LEN, ..no_op };
    let of_small = speeds(len / 8, rounds, &mut || {
        let some = &data[..data.len() / 8];
        synthetic(Input::Memory(some), Output::Writer(Box::new(io::sink())), &small)?;
        Ok(())
    })?;
    let jobs = of_small.last().copied().unwrap_or(0.0) / SMALL_CHUNK_LEN as f64;
    Ok(Ceilings { rows, jobs })
}

/// Bytes a second of each pass, from slow to fast.
fn speeds(
    len: u64,
    rounds: usize,
    pass: &mut dyn FnMut() -> Result<(), Box<dyn Error>>,
) -> Result<Vec<f64>, Box<dyn Error>> {
    let begin = Instant::now();
    let mut speeds = Vec::new();
    while speeds.len() < rounds || begin.elapsed() < TIME {
        let started = Instant::now();
        pass()?;
        speeds.push(len as f64 / started.elapsed().as_secs_f64());
    }
    speeds.sort_by(f64::total_cmp);
    Ok(speeds)
}
