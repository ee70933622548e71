//! Throughput on paper: what 1 to 128 cores would do, computed from CPU seconds and memory traffic.
//!
//! A stream costs each byte of plain data so much CPU time of the reader, the workers and the writer,
//! and so many bytes of memory traffic. With `n` cores and as many workers its speed is the least of
//!
//! ```text
//! n / (reader + workers + writer)    all threads share the cores
//! workers / worker's cost            there may be fewer workers than cores
//! 1 / reader,  1 / writer            one thread each
//! bandwidth / traffic                memory, if its bandwidth is known
//! job length * jobs a second         the line, whose lock every job takes a few times
//! 1 / serial                         what a job does while all behind it wait for a window ([`Handing`])
//! ```
//!
//! **Assumed**: the cost of a byte is the same on any number of cores (no SMT, no clock that falls under
//! load, caches that grow with the cores); there are many more jobs than cores; who produces the input
//! and takes the output is faster and has cores of its own.

mod handing;

use super::measure::{Direction, Point};
use crate::summary::CpuTimes;
pub use handing::Handing;

/// How bytes come and go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Through a reader thread and a writer thread: pipes, or memory.
    Pipe,
    /// Workers read and write a regular file at their own offsets.
    File,
}

/// Bytes of memory read and written for a byte of plain data, where the coded length is `ratio` of the
/// plain one. Every copy counts as a read and a write, as if no cache held anything; what a codec does
/// in its own tables, and reads again of its output, is in its caches and does not count.
///
/// ```text
/// compress    plain copied in 2, read by the codec 1; coded written by it 1, copied out 2
/// decompress  coded copied in 2, read by the codec 1; plain written by it 1, copied out 2
/// ```
///
/// From a pipe, a frame of coded data that lies in several slabs is gathered first, one copy more.
/// Workers that `pread` and `pwrite` copy as much as reader and writer do.
pub fn traffic(direction: Direction, shape: Shape, ratio: f64) -> f64 {
    let gathering = if (direction, shape) == (Direction::Decompress, Shape::Pipe) { 2.0 } else { 0.0 };
    3.0 + (3.0 + gathering) * ratio
}

/// What a byte of plain data costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// CPU seconds of the reader.
    pub reader: f64,
    /// CPU seconds of all workers together.
    pub workers: f64,
    /// CPU seconds of the writer; none where workers write.
    pub writer: f64,
    /// Bytes of memory traffic.
    pub traffic: f64,
    /// Bytes of plain data in a job.
    pub job_len: f64,
    /// Seconds in which all jobs behind wait for one; none where they need nothing of each other.
    pub serial: f64,
}

/// What a machine can do, whatever the codec.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Bytes of memory that all cores together can read and write in a second; infinite if it is not
    /// known. What a core waits for memory by itself is in its CPU time already.
    pub bandwidth: f64,
    /// Jobs that pass the line in a second, when they cost nothing.
    pub jobs: f64,
}

/// What keeps a stream from being faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// All cores are busy: more of them help.
    Cores,
    /// There are fewer workers than cores.
    Workers,
    /// The thread that reads.
    Reader,
    /// The thread that writes.
    Writer,
    /// Memory bandwidth.
    Memory,
    /// The order of the jobs.
    Line,
    /// The window that a job needs of the one before it.
    Windows,
}

impl Limit {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cores => "cores",
            Self::Workers => "workers",
            Self::Reader => "reader",
            Self::Writer => "writer",
            Self::Memory => "memory",
            Self::Line => "line",
            Self::Windows => "windows",
        }
    }
}

/// A speed, and why it is not higher.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Bytes of plain data in a second.
    pub speed: f64,
    /// What limits it.
    pub limit: Limit,
}

impl Load {
    /// The load of a stream of `plain_len` bytes in `jobs` jobs that took this CPU time.
    pub fn new(cpu: &CpuTimes, plain_len: u64, jobs: u64, traffic: f64) -> Self {
        let len = plain_len.max(1) as f64;
        Self {
            reader: cpu.reader.as_secs_f64() / len,
            workers: cpu.workers.as_secs_f64() / len,
            writer: cpu.writer.as_secs_f64() / len,
            traffic,
            job_len: len / jobs.max(1) as f64,
            serial: 0.0,
        }
    }

    /// The load of a measured point, whose data came from memory and went there.
    pub fn of_point(point: &Point, direction: Direction) -> Self {
        let traffic = traffic(direction, Shape::Pipe, point.ratio());
        Self::new(&point.pass(direction).cpu, point.plain_len, point.frames, traffic)
    }

    /// CPU seconds for a byte of plain data.
    pub fn cpu(&self) -> f64 {
        self.reader + self.workers + self.writer
    }

    /// The speed to expect of so many cores and workers.
    pub fn on(&self, cores: usize, workers: usize, machine: &Machine) -> Forecast {
        let limits = [
            (cores as f64 / self.cpu(), Limit::Cores),
            (workers as f64 / self.workers, Limit::Workers),
            self.ceiling(machine),
        ];
        let [first, rest @ ..] = limits;
        let (speed, limit) =
            rest.into_iter().fold(first, |least, next| if next.0 < least.0 { next } else { least });
        Forecast { speed, limit }
    }

    /// What no number of cores overcomes: the speed, and the stage.
    fn ceiling(&self, machine: &Machine) -> (f64, Limit) {
        let limits = [
            (1.0 / self.reader, Limit::Reader),
            (1.0 / self.writer, Limit::Writer),
            (machine.bandwidth / self.traffic, Limit::Memory),
            (machine.jobs * self.job_len, Limit::Line),
            (1.0 / self.serial, Limit::Windows),
        ];
        limits
            .into_iter()
            .fold((f64::INFINITY, Limit::Cores), |least, next| if next.0 < least.0 { next } else { least })
    }

    /// From how many cores on, with as many workers, more of them do not help, and which stage it is
    /// then; infinitely many if none ever is.
    pub fn saturation(&self, machine: &Machine) -> (f64, Limit) {
        let (speed, limit) = self.ceiling(machine);
        (speed * self.cpu(), limit)
    }
}

/// Speed by number of cores, to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it is of.
    pub name: String,
    /// In the order of the cores.
    pub points: Vec<CurvePoint>,
}

/// A point of a [`Curve`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Number of cores.
    pub cores: usize,
    /// MB of plain data in a second.
    pub speed: f64,
    /// Whether it was measured; else it is computed.
    pub measured: bool,
}

impl Curve {
    /// The numbers of cores that a curve is computed for.
    pub const CORES: [usize; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

    /// The curve of a load, a worker for each core, with those points that were `measured`: cores and
    /// bytes a second.
    pub fn new(name: String, load: &Load, machine: &Machine, measured: &[(usize, f64)]) -> Self {
        let computed = Self::CORES.into_iter().map(|cores| {
            let speed = load.on(cores, cores, machine).speed / 1e6;
            CurvePoint { cores, speed, measured: false }
        });
        let seen =
            measured.iter().map(|&(cores, speed)| CurvePoint { cores, speed: speed / 1e6, measured: true });
        let mut points: Vec<_> = computed.chain(seen).collect();
        points.sort_by_key(|point| point.cores);
        Self { name, points }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// 1 ns of reader, 10 of workers, 2 of the writer for a byte.
    const LOAD: Load =
        Load { reader: 1e-9, workers: 10e-9, writer: 2e-9, traffic: 4.0, job_len: 1e6, serial: 0.0 };
    const BOUNDLESS: Machine = Machine { bandwidth: f64::INFINITY, jobs: f64::INFINITY };

    fn assert_near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} for {expected}");
    }

    fn expect(cores: usize, workers: usize, machine: &Machine, speed: f64, limit: Limit) {
        let forecast = LOAD.on(cores, workers, machine);
        assert_near(forecast.speed, speed);
        assert_eq!(forecast.limit, limit);
    }

    #[test]
    fn reader_and_writer_share_the_cores_with_the_workers_until_one_of_them_is_busy() {
        expect(1, 1, &BOUNDLESS, 1e9 / 13.0, Limit::Cores);
        expect(2, 2, &BOUNDLESS, 2e9 / 13.0, Limit::Cores);
        expect(2, 1, &BOUNDLESS, 1e9 / 10.0, Limit::Workers);
        expect(6, 6, &BOUNDLESS, 6e9 / 13.0, Limit::Cores);
        expect(7, 7, &BOUNDLESS, 1e9 / 2.0, Limit::Writer);
        expect(128, 128, &BOUNDLESS, 1e9 / 2.0, Limit::Writer);
        let (cores, limit) = LOAD.saturation(&BOUNDLESS);
        assert_near(cores, 6.5);
        assert_eq!(limit, Limit::Writer);
    }

    #[test]
    fn memory_and_the_line_are_limits_too() {
        let machine = Machine { bandwidth: 1e9, ..BOUNDLESS };
        expect(128, 128, &machine, 0.25e9, Limit::Memory);
        assert_near(LOAD.saturation(&machine).0, 0.25 * 13.0);
        let machine = Machine { jobs: 100.0, ..BOUNDLESS };
        expect(128, 128, &machine, 0.1e9, Limit::Line);
    }

    #[test]
    fn what_jobs_do_one_after_another_is_a_limit_where_there_is_any() {
        let load = Load { serial: 4e-9, ..LOAD };
        assert_eq!(load.on(2, 2, &BOUNDLESS).limit, Limit::Cores);
        let forecast = load.on(4, 4, &BOUNDLESS);
        assert_near(forecast.speed, 0.25e9);
        assert_eq!(forecast.limit, Limit::Windows);
    }

    #[test]
    fn workers_that_read_and_write_themselves_are_limited_by_nobody() {
        let load = Load { reader: 0.0, writer: 0.0, ..LOAD };
        assert_near(load.on(128, 128, &BOUNDLESS).speed, 12.8e9);
        assert_eq!(load.saturation(&BOUNDLESS), (f64::INFINITY, Limit::Cores));
    }

    #[test]
    fn every_copy_is_traffic() {
        assert_near(traffic(Direction::Compress, Shape::Pipe, 0.5), 4.5);
        assert_near(traffic(Direction::Compress, Shape::File, 0.5), 4.5);
        assert_near(traffic(Direction::Decompress, Shape::Pipe, 0.5), 5.5);
        assert_near(traffic(Direction::Decompress, Shape::File, 0.5), 4.5);
    }

    #[test]
    fn a_load_is_what_was_measured_by_byte() {
        let second = Duration::from_secs;
        let cpu = CpuTimes { reader: second(1), workers: second(10), writer: second(2) };
        let load = Load::new(&cpu, 1_000_000_000, 1000, 4.0);
        for (found, expected) in [
            (load.reader, LOAD.reader),
            (load.workers, LOAD.workers),
            (load.writer, LOAD.writer),
            (load.job_len, LOAD.job_len),
        ] {
            assert_near(found, expected);
        }
    }

    #[test]
    fn a_curve_holds_what_was_computed_and_what_was_measured() {
        let curve = Curve::new("zstd".into(), &LOAD, &BOUNDLESS, &[(1, 70e6), (2, 140e6)]);
        assert_eq!(curve.points.len(), Curve::CORES.len() + 2);
        assert!(curve.points.is_sorted_by_key(|point| point.cores));
        let measured: Vec<f64> =
            curve.points.iter().filter(|point| point.measured).map(|point| point.speed).collect();
        assert_eq!(measured, [70.0, 140.0]);
        assert_near(curve.points.last().map_or(0.0, |point| point.speed), 500.0);
    }
}
