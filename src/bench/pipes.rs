//! What two pipes can carry: by a bare loop, and by the pipeline between them.

use std::fs::File;
use std::io::{self, Read, Write};
use std::thread;
use std::time::{Duration, Instant};

use super::ceiling::{Synthetic, synthetic};
use crate::error::{Error, Result};
use crate::io::{Input, Output};

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

/// How much is written to the first pipe and read from the last at a time.
const STEP: usize = 256 << 10;

/// The time that `len` bytes take from a thread that writes them, through pipes of 1 MiB where the
/// system allows it, to a thread that reads and drops them.
pub fn through_pipes(len: u64, through: Through) -> Result<Duration> {
    let started = Instant::now();
    let read = thread::scope(|scope| {
        let (first_out, first_in) = pipe()?;
        // Opened here, so that the pipes have grown before anything is written.
        let input = Input::from_file(&first_out).map_err(failed)?;
        scope.spawn(move || fill(&first_in, len));
        if through == Through::Nobody {
            return Ok(drain(&first_out));
        }
        let (last_out, last_in) = pipe()?;
        let last = scope.spawn(move || drain(&last_out));
        {
            let last_in = last_in;
            let output = Output::from_file(&last_in).map_err(failed)?;
            match through {
                Through::Pipeline(what) => drop(synthetic(input, output, &what)?),
                Through::Loop(memory) => carry(&first_out, &last_in, memory).map_err(failed)?,
                Through::Nobody => {}
            }
        }
        Ok(last.join().unwrap_or_default())
    })?;
    if read == len { Ok(started.elapsed()) } else { Err(Error::Internal("a pipe lost bytes".into())) }
}

fn failed(source: io::Error) -> Error {
    Error::Read { offset: 0, source }
}

fn pipe() -> Result<(File, File)> {
    let (out, into) = rustix::pipe::pipe().map_err(|error| failed(error.into()))?;
    Ok((out.into(), into.into()))
}

/// Writes `len` bytes, or as many as somebody takes.
fn fill(mut pipe: &File, len: u64) {
    let bytes = [7; STEP];
    let mut left = len;
    while left > 0 {
        let step = left.min(STEP as u64);
        if pipe.write_all(&bytes[..step as usize]).is_err() {
            return;
        }
        left -= step;
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

#[cfg(test)]
mod tests {
    use super::super::ceiling::Cost;
    use super::*;

    #[test]
    fn all_bytes_arrive_whoever_carries_them() -> Result<()> {
        let what = Synthetic { cost: Cost::Nothing, threads: 2, chunk_len: 100_000 };
        for through in [Through::Nobody, Through::Loop(STEP), Through::Pipeline(what)] {
            // A loss would be an error.
            through_pipes(3_000_001, through)?;
        }
        Ok(())
    }
}
