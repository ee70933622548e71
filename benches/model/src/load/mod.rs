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

pub use handing::Handing;
use pzcomp::CpuTimes;
use pzcomp::bench::Direction;

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
