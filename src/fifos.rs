//! Compresses named pipes, all at the same time, each into an output of its own.
//!
//! A program such as xtrabackup writes to several pipes in turns, and waits at each that is not read. So [`compress`]
//! has a thread for each pipe that reads it, however few threads compress. The compressions share one pool of threads
//! and the memory of the request. `work` opens the pipes, which do not block, and makes the outputs. The first error
//! ends all.

use std::fs::File;
use std::io::{ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};

use pzcomp::{Encode, Error, Pool, Size, Summary, Writer};
use system::handle;
use system::pipe::{grow, wait_unless};

use super::ending::Ending;
use super::error::{CliError, Kind, sentence};
use super::origin;
use super::request::{Expected, Options, Request};
use super::source::OpenInput;
use super::target::Destination;

/// How much is read at once.
const STEP: usize = 1 << 20;

/// An open pipe and where its output goes.
pub(super) type Stream = (OpenInput, Destination);

/// The first error of all pipes, and the number of its pipe.
type Failure = (usize, CliError);

/// Tells all threads of an error: its pipe ends when there is one.
struct Alarm {
    ended: PipeReader,
    first: Mutex<(Option<PipeWriter>, Option<Failure>)>,
}

/// A compression that reads its pipe.
struct Compression<'a> {
    pipe: &'a File,
    writer: Writer<&'a File>,
    expected: Option<&'a Expected>,
    /// The name of the output in messages.
    output: String,
}

/// Compresses all pipes to their ends.
pub(super) fn compress(streams: &[Stream], request: &Request) -> Result<Vec<Summary>, Failure> {
    let at = |number: usize| move |failure: CliError| (number, failure);
    let (ended, alarm) = std::io::pipe().map_err(|error| at(0)(CliError::cannot("open")(error)))?;
    let alarm = Alarm { ended, first: Mutex::new((Some(alarm), None)) };
    let pool = Pool::new(request.options.threads).map_err(|error| at(0)(Kind::Library(error).into()))?;
    let begin = |(number, stream)| begin(stream, streams.len(), &pool, request).map_err(at(number));
    let compressions = streams.iter().enumerate().map(begin).collect::<Result<Vec<_>, _>>()?;
    let mut summaries = vec![None; streams.len()];
    scope(|scope| {
        for (number, (compression, summary)) in compressions.into_iter().zip(&mut summaries).enumerate() {
            let alarm = &alarm;
            let work = move || match compression.run(alarm) {
                Ok(done) => *summary = done,
                Err(failure) => alarm.raise(at(number)(failure)),
            };
            if let Err(error) = Builder::new().name("fifo".into()).spawn_scoped(scope, work) {
                alarm.raise(at(number)(CliError::cannot("start a thread to read it")(error)));
                break;
            }
        }
    });
    let (_, first) = alarm.first.into_inner().unwrap_or_else(PoisonError::into_inner);
    match first {
        Some(failure) => Err(failure),
        // A summary is missing only if there was an error.
        None => Ok(summaries.into_iter().flatten().collect()),
    }
}

/// Begins one of `count` compressions.
fn begin<'a>(
    (opened, destination): &'a Stream,
    count: usize,
    pool: &Pool,
    request: &'a Request,
) -> Result<Compression<'a>, CliError> {
    destination.begin()?;
    let output = destination.file().ok_or_else(|| CliError::from(Kind::OutputNotRegular))?;
    let writer = shared(opened, count, request).and_then(|options| Writer::with_pool(output, options, pool));
    let writer = writer.map_err(|error| of_all(error, count, request))?;
    grow(handle::of(&opened.file));
    let expected = request.expected.as_ref();
    Ok(Compression { pipe: &opened.file, writer, expected, output: destination.name() })
}

/// The options for one of `count` streams, each of which gets an equal share of the memory.
fn shared(opened: &OpenInput, count: usize, request: &Request) -> Result<Encode, Error> {
    let (options, _) = origin::compression_options(opened, request, |_| {});
    let share = |all: u64| all / count as u64;
    let (memory, memory_aim) = (options.memory.map(share), options.memory_aim.map(share));
    Options { memory, memory_aim, ..options }.encode()
}

/// An error of one of `count` streams in the numbers of all.
fn of_all(mut error: Error, count: usize, request: &Request) -> Kind {
    if let (Error::Memory { what, needed, limit, .. }, Some(memory)) = (&mut error, request.options.memory) {
        *what = format!("{what} of {count} pipes");
        (*needed, *limit) = (Size(needed.0.saturating_mul(count as u64)), Size(memory));
    }
    Kind::Library(error)
}

impl Compression<'_> {
    /// Reads and compresses to the end. Returns nothing if another pipe has failed.
    fn run(mut self, alarm: &Alarm) -> Result<Option<Summary>, CliError> {
        let output = std::mem::take(&mut self.output);
        let failed = |error: std::io::Error| match Error::of(&error) {
            Some(error) => Kind::Failed(sentence(error)).into(),
            None => CliError::cannot("write")(error).about(&output),
        };
        let (mut buffer, mut ending) = (vec![0; STEP], Ending::new(None, self.expected));
        loop {
            let len = match read(self.pipe, &mut buffer, alarm) {
                Ok(Some(len)) => len,
                Ok(None) => return Ok(None),
                Err(source) => return Err(CliError::cannot("read")(source)),
            };
            ending.see((len > 0).then(|| &buffer[..len])).map_err(Kind::Failed)?;
            if len == 0 {
                break;
            }
            self.writer.write_all(&buffer[..len]).map_err(failed)?;
        }
        self.writer.finish().map(|(_, summary)| Some(summary)).map_err(failed)
    }
}

/// Reads the next bytes of a pipe: none at its end, which comes when its last writer has gone. `None` if there is an
/// error of another pipe.
fn read(mut pipe: &File, buffer: &mut [u8], alarm: &Alarm) -> std::io::Result<Option<usize>> {
    loop {
        if !wait_unless(&alarm.ended, pipe)? {
            return Ok(None);
        }
        match pipe.read(buffer) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            read => return read.map(Some),
        }
    }
}

impl Alarm {
    fn raise(&self, failure: Failure) {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        first.1.get_or_insert(failure);
        first.0 = None;
    }
}
