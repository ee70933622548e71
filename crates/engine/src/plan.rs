//! What a stream is made of: its [`Plan`], its two [`Ends`], and its result ([`Outcome`]).
//!
//! A caller makes a plan and the ends, and gives them to [`run`](super::run), [`Session`](super::Session) or
//! [`run_inline`](super::run_inline). The plan has the numbers and lengths of the buffers, so it bounds the memory.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use crate::Joiner;
use crate::buffers::Buffers;
use crate::io::{Output, PlacedFile, RandomAccess, SharedMemory, WriteAt};
use crate::progress::Progress;
use crate::report::{Report, Total};
use crate::tap::Taps;
use crate::waits::Waits;

/// How a stream runs, wherever its bytes come from and go to.
pub struct Plan {
    /// Takes the report of each job in order, and makes the trailer and the index from all of them.
    pub joiner: Box<dyn Joiner>,
    /// The bytes at the start of the output.
    pub header: Vec<u8>,
    /// Whether the places where jobs begin are guesses, as in decompression. Then a job keeps the input that it has
    /// read until its start is certain, because the job before it may need that input.
    pub guesses: bool,
    /// How many jobs are on the line at a time. The line has a slot for each of them.
    pub slots: usize,
    /// The length of a piece of output, in bytes.
    pub piece_len: usize,
    /// The memory for input that is read in order.
    pub slabs: Arc<Buffers>,
    /// The memory for output.
    pub pieces: Arc<Buffers>,
    /// Counts the bytes for the caller, who can also cancel the stream with it.
    pub progress: Option<Progress>,
    /// The most bytes of output. The stream ends with an error where it would put out one more byte.
    pub output_max: Option<u64>,
    /// What the workers of a [`run`](super::run) do for other programs. The threads of a [`Crew`](super::Crew) have a
    /// throttle of their own.
    pub throttle: Option<Arc<dyn Throttle>>,
}

impl Plan {
    /// A stream of chunks that do not depend on each other: at most `chunks` of them in memory, each at most
    /// `chunk_len` bytes long, and as many pieces of output of `piece_len` bytes.
    pub fn of_chunks(chunks: usize, chunk_len: usize, piece_len: usize) -> Self {
        Self {
            joiner: Box::new(Total::default()),
            header: Vec::new(),
            guesses: false,
            slots: 2 * chunks,
            piece_len,
            slabs: Buffers::new(chunks * chunk_len, 0),
            pieces: Buffers::new(chunks * piece_len, piece_len),
            progress: None,
            output_max: None,
            throttle: None,
        }
    }
}

/// Where the bytes of a run come from and go to.
pub struct Ends<'a> {
    /// The input itself, if it is a file or memory. A job then holds ranges of the input, and its worker reads them
    /// from here.
    pub place: Option<RandomAccess<'a>>,
    /// Where the output goes.
    pub sink: Sink<'a>,
    /// See all bytes of the input and the output, in order.
    pub taps: Taps<'a>,
    /// What is written behind an output that an error has ended.
    pub unfinished: Unfinished,
}

impl<'a> Ends<'a> {
    /// A run whose feeder reads the input, to this output.
    pub fn to(output: Output<'a>) -> Self {
        let unfinished = Unfinished::default();
        Self { place: None, sink: output.into(), taps: Taps::default(), unfinished }
    }
}

/// Where the output goes.
pub enum Sink<'a> {
    /// To a stream. A thread of its own writes the bytes in order.
    Stream(Box<dyn Write + Send + 'a>),
    /// To a regular file. The workers write it.
    File(PlacedFile<'a>),
    /// To memory. The workers write it.
    Memory(SharedMemory<'a>),
    /// To a value of the caller. The workers write it.
    At(&'a dyn WriteAt),
    /// Nowhere: the data is only checked.
    Nothing,
}

impl Sink<'_> {
    /// The same. If it is a file, zeros become holes if they are `wanted`.
    pub fn with_holes(self, wanted: bool) -> Self {
        match self {
            Self::File(file) => Self::File(file.with_holes(wanted)),
            sink => sink,
        }
    }
}

impl<'a> From<Output<'a>> for Sink<'a> {
    fn from(output: Output<'a>) -> Self {
        match output {
            Output::Writer(writer) => Self::Stream(writer),
            Output::File { file, start } => Self::File(PlacedFile::new(file, start)),
            Output::Memory(memory) => Self::Memory(SharedMemory::new(memory)),
            Output::At(target) => Self::At(target),
            Output::Nothing => Self::Nothing,
        }
    }
}

/// Bytes behind an output that an error has ended, by which readers see that it is not complete.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unfinished {
    /// If nothing was written before.
    pub at_start: &'static [u8],
    /// If something was.
    pub later: &'static [u8],
}

/// CPU time by role, as `run.rs` and `worker.rs` ask for that of their threads. It says how many cores the serial parts
/// could keep busy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CpuTimes {
    /// The thread that reads the input and finds frames in it.
    pub reader: Duration,
    /// All workers together.
    pub workers: Duration,
    /// The thread that writes the output. Zero if the workers write at their own offsets.
    pub writer: Duration,
    /// The threads of [`Taps`](crate::Taps).
    pub taps: Duration,
}

impl CpuTimes {
    /// With this many cores, the reader or the writer would be busy all the time.
    pub fn cores_at_saturation(&self) -> f64 {
        self.workers.as_secs_f64() / self.reader.max(self.writer).as_secs_f64().max(1e-9)
    }
}

/// The result of a run.
pub struct Outcome {
    /// The sum of the reports of all jobs.
    pub total: Report,
    /// Length of the output, in bytes.
    pub written: u64,
    /// CPU time by role.
    pub cpu: CpuTimes,
    /// For what the stream waited.
    pub waits: Waits,
    /// Time from the start of the stream to its end.
    pub wall: Duration,
    /// How many workers there were.
    pub threads: usize,
    /// An index from the joiner, for a place beside the output.
    pub sidecar: Option<Vec<u8>>,
}

/// What the threads of workers do for other programs. The engine calls it on these threads.
pub trait Throttle: Send + Sync {
    /// The thread begins.
    fn begin(&self);
    /// Whether this worker may begin another task. Workers are numbered from 0, and number 0 always may. A worker that
    /// may not is asked again after some milliseconds. Meanwhile it holds no task, so no other worker waits for it.
    fn may_work(&self, worker: usize) -> bool;
}
