//! The speed of pipes: of one pipe, of a bare loop between two pipes, and of the pipeline between two pipes.
//!
//! [`through_pipes`] sends bytes from a thread that writes to a thread that reads, and returns the time.
//! [`between_pipes`] does the same with any function in the middle. `scaling` calls both. All bytes must arrive;
//! otherwise the result is an error.

use std::fs::File;
use std::io::{self, Read, Write};
use std::thread;
use std::time::{Duration, Instant};

use pzcomp::{Error, Input, Output, Result};

use crate::ceiling::{Synthetic, synthetic};

/// The way from the thread that writes to the thread that reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Through {
    /// One pipe.
    OnePipe,
    /// Two pipes with a loop of `read` and `write` between them, as in any filter with one thread. The loop has this
    /// many bytes of memory.
    Loop(usize),
    /// Two pipes with the pipeline between them.
    Pipeline(Synthetic),
}

/// How much is written to the first pipe and read from the last at a time. Lengths are rounded up to a multiple.
const STEP: usize = 256 << 10;

/// The time that `len` bytes take from a thread that writes them to a thread that reads and drops them. The pipes have
/// 1 MiB if the system allows it.
pub fn through_pipes(len: u64, through: Through) -> Result<Duration> {
    let bytes = [7; STEP];
    let times = len.div_ceil(STEP as u64) as usize;
    let started = Instant::now();
    let read = match through {
        Through::OnePipe => thread::scope(|scope| {
            let (out, into) = pipe()?;
            // This call makes the pipe larger.
            Input::from_file(&out).map_err(failed)?;
            scope.spawn(move || fill(&into, &bytes, times));
            Ok::<_, Error>(drain(&out))
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

/// Runs `carry` between two pipes of 1 MiB. One thread writes `bytes` to the first pipe, this many `times`. Another
/// thread reads the second pipe and drops the bytes. Returns the result of `carry` and the number of bytes read.
pub fn between_pipes<T>(
    bytes: &[u8],
    times: usize,
    carry: impl FnOnce(&File, &File) -> Result<T>,
) -> Result<(T, u64)> {
    thread::scope(|scope| {
        let (first_out, first_in) = pipe()?;
        let (last_out, last_in) = pipe()?;
        // These calls make the pipes larger, before anything is written.
        Input::from_file(&first_out).map_err(failed)?;
        Output::from_file(&last_in).map_err(failed)?;
        scope.spawn(move || fill(&first_in, bytes, times));
        let reader = scope.spawn(move || drain(&last_out));
        let result = carry(&first_out, &last_in);
        // The other two threads see the end when these are closed.
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

/// Writes `bytes` this many `times`, or until the pipe is closed at its other end.
fn fill(mut pipe: &File, bytes: &[u8], times: usize) {
    for _ in 0..times {
        if pipe.write_all(bytes).is_err() {
            return;
        }
    }
}

/// Reads to the end. Returns the number of bytes.
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
