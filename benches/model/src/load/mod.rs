//! The arithmetic of the model: the speed on 1 to 128 cores, from CPU seconds and memory traffic.
//!
//! The input is a [`Load`]: the CPU time that a byte of plain data takes from the reader, the workers and the writer,
//! and its bytes of memory traffic. The output is a [`Forecast`] for a number of cores, or a [`Curve`] over all of
//! them. `scaling` measures the loads and writes the curves. With `n` cores and as many workers the speed is the least
//! of
//!
//! ```text
//! n / (reader + workers + writer)    all threads share the cores
//! workers / worker's cost            there may be fewer workers than cores
//! 1 / reader,  1 / writer            one thread each
//! bandwidth / traffic                memory, if its bandwidth is known
//! job length * jobs a second         the line, whose lock every job takes a few times
//! 1 / serial                         the work of a job for which all later jobs wait ([`SerialStep`])
//! ```
//!
//! **Assumptions**: a byte costs the same on any number of cores (no SMT, no clock that falls under load, caches that
//! grow with the cores). There are many more jobs than cores. The programs that make the input and take the output are
//! faster, and have cores of their own.

mod serial_step;
mod zstd_frame;

use pzcomp::CpuTimes;
use pzcomp::bench::Direction;
pub use serial_step::SerialStep;
pub use zstd_frame::{Chain, FrameLimit, FrameSteps};

/// How bytes come and go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Through a reader thread and a writer thread: pipes, or memory.
    Pipe,
    /// Workers read and write a regular file at their own offsets.
    File,
}

/// Bytes of memory read and written for a byte of plain data. `ratio` is the coded length divided by the plain length.
/// Every copy counts as a read and a write, as if no cache held anything. The tables of a codec, and the output that it
/// reads again, are in its caches and do not count.
///
/// ```text
/// compress    plain copied in 2, read by the codec 1; coded written by it 1, copied out 2
/// decompress  coded copied in 2, read by the codec 1; plain written by it 1, copied out 2
/// ```
///
/// From a pipe, a frame that lies in several slabs is gathered first, which is one more copy. Workers that `pread` and
/// `pwrite` copy as much as reader and writer do.
pub fn traffic(direction: Direction, shape: Shape, ratio: f64) -> f64 {
    let gathering = if (direction, shape) == (Direction::Decompress, Shape::Pipe) { 2.0 } else { 0.0 };
    3.0 + (3.0 + gathering) * ratio
}

/// The cost of a byte of plain data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// CPU seconds of the reader.
    pub reader: f64,
    /// CPU seconds of all workers together.
    pub workers: f64,
    /// CPU seconds of the writer; zero if the workers write.
    pub writer: f64,
    /// Bytes of memory traffic.
    pub traffic: f64,
    /// Bytes of plain data in a job.
    pub job_len: f64,
    /// Seconds in which all later jobs wait for this byte; zero if the jobs are independent.
    pub serial: f64,
}

/// The limits of a machine for all codecs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Bytes of memory that all cores together can read and write in a second; infinite if that is not known. The CPU
    /// time of a core includes its own waiting for memory.
    pub bandwidth: f64,
    /// Jobs that pass the line in a second if they cost nothing.
    pub jobs: f64,
}

/// The reason why a stream is not faster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// All cores are busy: more cores help.
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
    /// The window that a job needs from the job before.
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

/// A speed, and the reason why it is not higher.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Bytes of plain data in a second.
    pub speed: f64,
    /// The reason.
    pub limit: Limit,
}

impl Load {
    /// The load of a stream of `plain_len` bytes in `jobs` jobs that took the CPU time `cpu`.
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

    /// CPU seconds for a byte of plain data.
    pub fn cpu(&self) -> f64 {
        self.reader + self.workers + self.writer
    }

    /// The speed to expect from this many cores and workers.
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

    /// The speed that no number of cores exceeds, and the stage that limits it.
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

    /// The number of cores from which on more cores do not help, with as many workers, and the stage that limits the
    /// speed then. Infinite if there is no such number.
    pub fn saturation(&self, machine: &Machine) -> (f64, Limit) {
        let (speed, limit) = self.ceiling(machine);
        (speed * self.cpu(), limit)
    }
}

/// The speed for each number of cores, for a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The name of the stream.
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
    /// Whether the speed was measured. Otherwise it is computed.
    pub measured: bool,
}

impl Curve {
    /// The numbers of cores for which a curve is computed.
    pub const CORES: [usize; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

    /// The curve of a load with a worker for each core. `measured` has further points: numbers of cores and bytes a
    /// second.
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
