//! One format at one level: the real pipeline in memory, both ways, verified.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::format::Format;
use crate::options::Options;
use crate::summary::{CpuTimes, Summary};

/// Which way data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Plain data becomes coded.
    Compress,
    /// Coded data becomes plain.
    Decompress,
}

/// What one format at one level came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The format.
    pub format: Format,
    /// Its level.
    pub level: i32,
    /// Workers there were.
    pub threads: usize,
    /// Frames that the sample was cut into: fewer than workers leave some of them idle.
    pub frames: u64,
    /// Bytes of plain data.
    pub plain_len: u64,
    /// Bytes of coded data, index included.
    pub coded_len: u64,
    /// What compression cost.
    pub compress: Pass,
    /// What decompression cost.
    pub decompress: Pass,
}

/// The median of several passes over the same data in the same direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pass {
    /// Time from the first byte to the last.
    pub wall: Duration,
    /// CPU time by role, of the pass whose wall time is the median.
    pub cpu: CpuTimes,
    /// Wall time of the fastest pass.
    pub fastest: Duration,
    /// Wall time of the slowest pass.
    pub slowest: Duration,
    /// How many passes there were.
    pub passes: usize,
    /// Peak memory in bytes of a process that does this, where it was measured.
    pub peak_memory: Option<u64>,
}

impl Point {
    /// The coded length in terms of the plain one; 1 for no data.
    pub fn ratio(&self) -> f64 {
        if self.plain_len == 0 { 1.0 } else { self.coded_len as f64 / self.plain_len as f64 }
    }

    /// The pass in this direction.
    pub fn pass(&self, direction: Direction) -> &Pass {
        match direction {
            Direction::Compress => &self.compress,
            Direction::Decompress => &self.decompress,
        }
    }

    /// Bytes of plain data a second.
    pub fn speed(&self, direction: Direction) -> f64 {
        self.plain_len as f64 / self.pass(direction).wall.as_secs_f64().max(1e-9)
    }

    /// CPU seconds for 10^9 bytes of plain data.
    pub fn cpu_seconds_per_gb(&self, direction: Direction) -> f64 {
        let cpu = self.pass(direction).cpu;
        (cpu.reader + cpu.workers + cpu.writer).as_secs_f64() * 1e9 / self.plain_len.max(1) as f64
    }
}

/// Compresses and decompresses `sample` again and again, for `time` in each direction and at least
/// once, and says what it came to. Before a pass `watch` hears of it and may end the measurement with
/// an error.
///
/// The first pass of each direction warms caches and memory up and counts only where there is no time
/// for another; the first decompression is compared with the sample byte by byte.
pub fn measure(
    sample: &[u8],
    options: &Options,
    time: Duration,
    watch: &mut dyn FnMut(Direction) -> Result<()>,
) -> Result<Point> {
    let mut coded = Vec::with_capacity(sample.len() + sample.len() / 64 + 4096);
    let (compress, first) = repeat(time, || {
        watch(Direction::Compress)?;
        coded.clear();
        crate::compress(sample, &mut coded, options)
    })?;
    let mut is_first = true;
    let (decompress, _) = repeat(time, || {
        watch(Direction::Decompress)?;
        let mut check = Check { expected: sample, compares: std::mem::take(&mut is_first) };
        let summary = crate::decompress(&coded[..], &mut check, options)?;
        if check.expected.is_empty() { Ok(summary) } else { Err(differs(options.format)) }
    })?;
    Ok(Point {
        format: options.format,
        level: options.level.unwrap_or(options.format.default_level()),
        threads: first.threads,
        frames: first.frames,
        plain_len: sample.len() as u64,
        coded_len: coded.len() as u64,
        compress,
        decompress,
    })
}

fn differs(format: Format) -> Error {
    Error::Internal(format!("what was decompressed from {format} is not what was compressed"))
}

/// Passes until `time` is up, and the first one's summary.
fn repeat(time: Duration, mut pass: impl FnMut() -> Result<Summary>) -> Result<(Pass, Summary)> {
    let begin = Instant::now();
    let mut timed = || {
        let start = Instant::now();
        pass().map(|summary| (start.elapsed(), summary))
    };
    let first = timed()?;
    let mut passes = Vec::new();
    // A pass that would end more than half its length late is not begun.
    while begin.elapsed() + passes.last().map_or(first.0, |&(wall, _): &(Duration, _)| wall) / 2 < time {
        let (wall, summary) = timed()?;
        passes.push((wall, summary.cpu));
    }
    if passes.is_empty() {
        passes.push((first.0, first.1.cpu));
    }
    Ok((median(passes), first.1))
}

fn median(mut passes: Vec<(Duration, CpuTimes)>) -> Pass {
    passes.sort_by_key(|&(wall, _)| wall);
    let (wall, cpu) = passes[passes.len() / 2];
    let (fastest, slowest) = (passes[0].0, passes[passes.len() - 1].0);
    Pass { wall, cpu, fastest, slowest, passes: passes.len(), peak_memory: None }
}

/// Takes as many bytes as are expected, and the right ones if it compares.
struct Check<'a> {
    expected: &'a [u8],
    compares: bool,
}

impl Write for Check<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.expected.split_at_checked(bytes.len()) {
            Some((these, rest)) if !self.compares || these == bytes => self.expected = rest,
            _ => return Err(io::Error::other("the data is not what was compressed")),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_holds_sizes_and_times_of_both_directions() -> Result<()> {
        let sample = super::super::text(300_000, 1);
        let options = Options { level: Some(1), threads: 2, block_size: Some(65_536), ..Options::default() };
        let mut seen = Vec::new();
        let point = measure(&sample, &options, Duration::from_millis(20), &mut |direction| {
            seen.push(direction);
            Ok(())
        })?;
        assert_eq!((point.format, point.level, point.threads), (Format::ZSTD, 1, 2));
        assert_eq!((point.frames, point.plain_len), (5, 300_000));
        assert!(point.ratio() < 0.9 && point.coded_len > 1000);
        for direction in [Direction::Compress, Direction::Decompress] {
            let pass = point.pass(direction);
            assert!(pass.passes >= 1 && pass.fastest <= pass.wall && pass.wall <= pass.slowest);
            assert!(point.speed(direction) > 0.0 && pass.cpu.workers > Duration::ZERO);
            assert!(seen.contains(&direction));
        }
        Ok(())
    }

    #[test]
    fn slow_passes_are_not_repeated() -> Result<()> {
        let options = Options { threads: 1, ..Options::default() };
        let point = measure(b"three in the morning", &options, Duration::ZERO, &mut |_| Ok(()))?;
        assert_eq!((point.compress.passes, point.decompress.passes), (1, 1));
        Ok(())
    }

    #[test]
    fn wrong_data_is_not_measured() {
        for (expected, got) in [(&b"abc"[..], &b"abd"[..]), (b"abc", b"abcd")] {
            let mut check = Check { expected, compares: true };
            assert!(check.write_all(got).is_err());
        }
        let mut check = Check { expected: b"abc", compares: true };
        assert!(check.write_all(b"ab").is_ok() && check.expected == b"c");
    }

    #[test]
    fn the_median_pass_counts() {
        let pass = |ms, cpu| {
            (
                Duration::from_millis(ms),
                CpuTimes { workers: Duration::from_millis(cpu), ..CpuTimes::default() },
            )
        };
        let median = median(vec![pass(9, 1), pass(2, 2), pass(5, 3)]);
        assert_eq!((median.wall.as_millis(), median.cpu.workers.as_millis()), (5, 3));
        assert_eq!((median.fastest.as_millis(), median.slowest.as_millis(), median.passes), (2, 9, 3));
    }
}
