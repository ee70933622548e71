//! Measures one format at one level: compresses and decompresses a sample in memory, and verifies the result.
//!
//! A sample and options come in, and a [`Point`] goes out. The pipeline is the real one, called as for any other
//! stream.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use pzcomp::{Compress, CpuTimes, Decompress, Error, Format, Output, Result, Summary};

use crate::request::Options;

/// A direction of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Plain data becomes coded.
    Compress,
    /// Coded data becomes plain.
    Decompress,
}

/// The result of one format at one level.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    /// The format.
    pub(crate) format: Format,
    /// Its level.
    pub(crate) level: i32,
    /// The binary logarithm of the window, if `--long` sets it: long distances, and long frames.
    pub(crate) window_log: Option<u32>,
    /// The number of workers.
    pub(crate) threads: usize,
    /// The number of frames of the sample. If there are fewer frames than workers, some workers are idle.
    pub(crate) frames: u64,
    /// Bytes of plain data.
    pub(crate) plain_len: u64,
    /// Bytes of coded data, with the index.
    pub(crate) coded_len: u64,
    /// If only a part of the sample was measured: how many times the ratio of that part all of the sample has, by a
    /// fast coder that codes both.
    pub(crate) scale: Option<f64>,
    /// The times of compression.
    pub(crate) compress: Pass,
    /// The times of decompression.
    pub(crate) decompress: Pass,
}

/// The median of several passes over the same data in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pass {
    /// Time from the first byte to the last.
    pub(crate) wall: Duration,
    /// CPU time by role, in the pass with the median wall time.
    pub(crate) cpu: CpuTimes,
    /// Wall time of the fastest pass.
    pub(crate) fastest: Duration,
    /// Wall time of the slowest pass.
    pub(crate) slowest: Duration,
    /// The number of passes.
    pub(crate) passes: usize,
    /// Peak memory in bytes of a process that does the same, if that was measured.
    pub(crate) peak_memory: Option<u64>,
}

impl Point {
    /// A point without measurements.
    #[cfg(test)]
    pub(super) fn new(format: Format, level: i32) -> Self {
        Self {
            format,
            level,
            window_log: None,
            threads: 0,
            frames: 0,
            plain_len: 0,
            coded_len: 0,
            scale: None,
            compress: Pass::default(),
            decompress: Pass::default(),
        }
    }

    /// The coded length of all of the sample divided by its plain length, so that points can be compared. It is an
    /// estimate if only a part was measured, and 1 if there is no data.
    pub(crate) fn ratio(&self) -> f64 {
        let measured = if self.plain_len == 0 { 1.0 } else { self.coded_len as f64 / self.plain_len as f64 };
        measured * self.scale.unwrap_or(1.0)
    }

    /// The pass in this direction.
    pub(crate) fn pass(&self, direction: Direction) -> &Pass {
        match direction {
            Direction::Compress => &self.compress,
            Direction::Decompress => &self.decompress,
        }
    }

    /// Bytes of plain data in a second.
    pub(crate) fn speed(&self, direction: Direction) -> f64 {
        self.plain_len as f64 / self.pass(direction).wall.as_secs_f64().max(1e-9)
    }

    /// CPU seconds for 10^9 bytes of plain data.
    pub(crate) fn cpu_seconds_per_gb(&self, direction: Direction) -> f64 {
        let cpu = self.pass(direction).cpu;
        (cpu.reader + cpu.workers + cpu.writer).as_secs_f64() * 1e9 / self.plain_len.max(1) as f64
    }
}

/// Compresses and decompresses `sample` repeatedly, for `time` in each direction, and at least once.
///
/// `watch` is called before each pass. It may end the measurement with an error.
///
/// The first pass of each direction fills caches and memory. It counts only if there is no time for another pass. The
/// output of the first decompression is compared with the sample. It is an error if they differ.
pub(crate) fn measure(
    sample: &[u8],
    options: &Options,
    time: Duration,
    watch: &mut dyn FnMut(Direction) -> Result<()>,
) -> Result<Point> {
    let writing = options.encode()?;
    let mut coded = Vec::with_capacity(sample.len() + sample.len() / 64 + 4096);
    let (compress, first) = repeat(time, || {
        watch(Direction::Compress)?;
        coded.clear();
        Compress::new(&writing).run(sample, &mut coded)
    })?;
    let mut is_first = true;
    let reading = Options { accept: Some(vec![options.format]), ..options.clone() }.decode()?;
    let (decompress, _) = repeat(time, || {
        watch(Direction::Decompress)?;
        let mut check = Comparison { expected: sample, compares: std::mem::take(&mut is_first) };
        let summary = Decompress::new(&reading).run(&coded, Output::writer(&mut check))?;
        if check.expected.is_empty() {
            return Ok(summary);
        }
        let format = options.format;
        Err(Error::Internal(format!("decompressing {format} did not give the data that was compressed")))
    })?;
    Ok(Point {
        format: options.format,
        level: writing.level(),
        window_log: options.window_log,
        threads: first.threads,
        frames: first.frames,
        plain_len: sample.len() as u64,
        coded_len: coded.len() as u64,
        scale: None,
        compress,
        decompress,
    })
}

/// The ratio of a fast coder, by which a part of a sample is compared with all of it.
pub(crate) fn fast_ratio(data: &[u8], threads: usize) -> Result<f64> {
    let fast = Options { level: Some(1), threads, ..Options::default() }.encode()?;
    let summary = Compress::new(&fast).run(data, Output::writer(io::sink()))?;
    Ok(summary.coded_len as f64 / data.len().max(1) as f64)
}

/// Repeats a pass until `time` is over. Returns the median, and the summary of the first pass.
fn repeat(time: Duration, mut pass: impl FnMut() -> Result<Summary>) -> Result<(Pass, Summary)> {
    let begin = Instant::now();
    let mut timed = || {
        let start = Instant::now();
        pass().map(|summary| (start.elapsed(), summary))
    };
    let first = timed()?;
    let mut passes = Vec::new();
    // A pass is not begun if it would probably end late by more than half its length.
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

/// A writer that accepts as many bytes as are expected. If it compares, it accepts only the expected bytes.
struct Comparison<'a> {
    expected: &'a [u8],
    compares: bool,
}

impl Write for Comparison<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.expected.split_at_checked(bytes.len()) {
            Some((these, rest)) if !self.compares || these == bytes => self.expected = rest,
            _ => return Err(io::Error::other("the decompressed data is not the data that was compressed")),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A point for the tests of `choose` and `picture`: the speeds of both directions in MB/s, and the size in percent.
#[cfg(test)]
pub(super) fn point(format: Format, level: i32, speed: u64, back: u64, percent: u64) -> Point {
    let pass = |speed| Pass { wall: Duration::from_micros(1_000_000_000 / speed), ..Pass::default() };
    Point {
        threads: 2,
        frames: 64,
        plain_len: 1_000_000_000,
        coded_len: percent * 10_000_000,
        compress: pass(speed),
        decompress: pass(back),
        ..Point::new(format, level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_holds_sizes_and_times_of_both_directions() -> Result<()> {
        let sample = super::super::text::text(300_000, 1);
        let options = Options { level: Some(1), threads: 2, block_size: Some(65_536), ..Options::default() };
        let mut seen = Vec::new();
        let point = measure(&sample, &options, Duration::from_millis(20), &mut |direction| {
            seen.push(direction);
            Ok(())
        })?;
        assert_eq!((point.format, point.level, point.threads), (Format::Zstd, 1, 2));
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
            let mut check = Comparison { expected, compares: true };
            assert!(check.write_all(got).is_err());
        }
        let mut check = Comparison { expected: b"abc", compares: true };
        assert!(check.write_all(b"ab").is_ok() && check.expected == b"c");
    }

    #[test]
    fn the_median_pass_counts() {
        let pass = |ms, cpu| {
            let mut times = CpuTimes::default();
            times.workers = Duration::from_millis(cpu);
            (Duration::from_millis(ms), times)
        };
        let median = median(vec![pass(9, 1), pass(2, 2), pass(5, 3)]);
        assert_eq!((median.wall.as_millis(), median.cpu.workers.as_millis()), (5, 3));
        assert_eq!((median.fastest.as_millis(), median.slowest.as_millis(), median.passes), (2, 9, 3));
    }

    #[test]
    fn text_is_the_same_every_time_and_as_long_as_asked_for() {
        use super::super::text::text;
        assert_eq!(text(100_000, 7), text(100_000, 7));
        assert_ne!(text(1000, 7), text(1000, 8));
        assert_eq!((text(0, 7).len(), text(1001, 7).len()), (0, 1001));
    }

    #[test]
    fn text_compresses_like_a_dump() -> Result<()> {
        let options = Options { threads: 1, ..Options::default() };
        let point =
            measure(&super::super::text::text(1 << 20, 7), &options, Duration::ZERO, &mut |_| Ok(()))?;
        assert!((0.25..0.6).contains(&point.ratio()), "{}", point.ratio());
        Ok(())
    }
}
