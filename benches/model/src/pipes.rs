//! What two pipes can carry: by a bare loop, and by the pipeline between them.

use std::fs::File;
use std::io::{self, Read, Write};
use std::thread;
use std::time::{Duration, Instant};

use pzcomp::{Error, Input, Output, Result};

use crate::ceiling::{Synthetic, synthetic};

/// Who carries bytes from the first pipe to the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Through {
    /// There is one pipe only, from who writes to who reads.
    Nobody,
    /// `read` and `write` in turns, with so many bytes of memory: what any single-threaded filter does.
    Loop(usize),
    /// The pipeline.
    Pipeline(Synthetic),
}

/// How much is written to the first pipe and read from the last at a time; lengths are rounded up to it.
const STEP: usize = 256 << 10;

/// The time that `len` bytes take from a thread that writes them, through pipes of 1 MiB where the
/// system allows it, to a thread that reads and drops them.
pub fn through_pipes(len: u64, through: Through) -> Result<Duration> {
    let bytes = [7; STEP];
    let times = len.div_ceil(STEP as u64) as usize;
    let started = Instant::now();
    let read = match through {
        Through::Nobody => thread::scope(|scope| {
            let (out, into) = pipe()?;
            // Only for its side effect: the pipe grows.
            Input::from_file(&out).map_err(failed)?;
            scope.spawn(move || fill(&into, &bytes, times));
            Ok(drain(&out))
        })?,
        Through::Loop(memory) => {
            between_pipes(&bytes, times, |from, to| carry(from, to, memory).map_err(failed))?.1
        }
        Through::Pipeline(what) => {
            let run = |from: &File, to: &File| {
                let input = Input::from_file(from).map_err(failed)?;
                synthetic(input, Output::from_file(to).map_err(failed)?, &what)
            };
            between_pipes(&bytes, times, run)?.1
        }
    };
    if read == (times * STEP) as u64 {
        Ok(started.elapsed())
    } else {
        Err(Error::Internal("a pipe lost bytes".into()))
    }
}

/// Runs `carry` between two pipes of 1 MiB: a thread writes `bytes` to the first, so many `times`, and
/// a thread reads the second and drops what it reads. What came of it, and the number of bytes read.
pub fn between_pipes<T>(
    bytes: &[u8],
    times: usize,
    carry: impl FnOnce(&File, &File) -> Result<T>,
) -> Result<(T, u64)> {
    thread::scope(|scope| {
        let (first_out, first_in) = pipe()?;
        let (last_out, last_in) = pipe()?;
        // The pipes grow before anything is written.
        Input::from_file(&first_out).map_err(failed)?;
        Output::from_file(&last_in).map_err(failed)?;
        scope.spawn(move || fill(&first_in, bytes, times));
        let reader = scope.spawn(move || drain(&last_out));
        let result = carry(&first_out, &last_in);
        // The ends of what the two threads write to and read from.
        drop((first_out, last_in));
        let read = reader.join().unwrap_or_default();
        result.map(|result| (result, read))
    })
}

fn failed(source: io::Error) -> Error {
    Error::Read { offset: 0, source }
}

fn pipe() -> Result<(File, File)> {
    let (out, into) = rustix::pipe::pipe().map_err(|error| failed(error.into()))?;
    Ok((out.into(), into.into()))
}

/// Writes `bytes` so many `times`, or as much of it as somebody takes.
fn fill(mut pipe: &File, bytes: &[u8], times: usize) {
    for _ in 0..times {
        if pipe.write_all(bytes).is_err() {
            return;
        }
    }
}

/// Reads to the end; the number of bytes.
fn drain(mut pipe: &File) -> u64 {
    let mut bytes = vec![0; STEP];
    let mut total = 0;
    while let Ok(read @ 1..) = pipe.read(&mut bytes) {
        total += read as u64;
    }
    total
}

fn carry(mut from: &File, mut to: &File, memory: usize) -> io::Result<()> {
    let mut bytes = vec![0; memory.max(1)];
    loop {
        match from.read(&mut bytes)? {
            0 => return Ok(()),
            read => to.write_all(&bytes[..read])?,
        }
    }
}
