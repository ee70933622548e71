//! The serial step itself: the line is held up until all jobs wait for their windows, and let go.
//!
//! There is a worker for each of the last jobs, so that none begins another one. When the sink goes on, nothing is
//! left to do but what jobs do one after another, which two cores do as fast as many would.

use std::io::{self, Write};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use pzcomp::{Input, Options, Output, decompress_io};
use rustix::time::{ClockId, clock_gettime};

use crate::measure::Result;

/// What one pass came to.
#[derive(Clone, Copy)]
pub struct Held {
    /// Seconds for a byte of plain data, from when the line was let go.
    pub serial: f64,
    /// Seconds in which the sink copied a byte.
    pub writing: f64,
}

/// So long nobody must have done anything before the line is let go.
const REST: Duration = Duration::from_millis(50);

/// Decodes a file; what comes of it is copied to memory and dropped. The first piece behind `hold` bytes is held up;
/// behind it there must be no more jobs than workers.
pub fn measure(coded: &[u8], hold: usize, workers: usize) -> Result<Held> {
    let seen = Mutex::new(Seen { before: hold, ..Seen::default() });
    let sink = Sink { seen: &seen, memory: vec![1; 1 << 20] };
    let options = Options { threads: workers, ..Options::default() };
    decompress_io(Input::Memory(coded), Output::Writer(Box::new(sink)), &options)?;
    let ended = Instant::now();
    let Seen { let_go, copying, bytes, .. } = seen.into_inner()?;
    let let_go = let_go.ok_or("nothing was held up")?;
    let per_byte = |time: Duration| time.as_secs_f64() / bytes.max(1) as f64;
    Ok(Held { serial: per_byte(ended - let_go), writing: per_byte(copying) })
}

#[derive(Default)]
struct Seen {
    /// Bytes until the line is held up.
    before: usize,
    let_go: Option<Instant>,
    /// What is copied after that.
    copying: Duration,
    bytes: usize,
}

/// Holds a piece until all is quiet.
struct Sink<'s> {
    seen: &'s Mutex<Seen>,
    memory: Vec<u8>,
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut seen = self.seen.lock().map_err(|_| io::ErrorKind::Other)?;
        let len = bytes.len().min(self.memory.len());
        if seen.let_go.is_none() && seen.before == 0 {
            wait_for_rest();
            seen.let_go = Some(Instant::now());
        }
        let started = Instant::now();
        self.memory[..len].copy_from_slice(&bytes[..len]);
        if seen.let_go.is_some() {
            seen.copying += started.elapsed();
            seen.bytes += len;
        }
        seen.before = seen.before.saturating_sub(len);
        Ok(len)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Waits until this process takes next to no CPU time.
fn wait_for_rest() {
    let cpu = || clock_gettime(ClockId::ProcessCPUTime);
    loop {
        let before = cpu();
        thread::sleep(REST);
        let after = cpu();
        if (after.tv_sec - before.tv_sec) * 1_000_000_000 + after.tv_nsec - before.tv_nsec < 1_000_000 {
            return;
        }
    }
}
