//! [`recode`]: decompresses a stream and compresses its plain data again, in one pass.
//!
//! A [`Driven`] decompression and a [`Compression`] share the threads of one [`Pool`]. The thread of the caller stands
//! between them. It gives coded input to the one when the feeder asks for it, takes the plain data, pushes it into the
//! other, and writes what comes out there. Plain data is only in the buffers of the two.
//!
//! If the input is damaged, all data before the damage is written, and then bytes by which readers see that the output
//! is not complete. The trailer of the output is written only after the last check of the input was verified.
//!
//! If the system does not start a thread for each of the two, the decompression runs with what it gets
//! ([`decompress_io`]), and pushes its output into the compression, whose jobs the same thread does.

use std::collections::VecDeque;
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use super::Pool;
use crate::compress::{Compression, PlainSums, Recording};
use crate::decompress::{Driven, Resources, check_choice, decompress_io};
use crate::error::{Error, Result};
use crate::options::{Common, Decode, Encode, SIDES};
use crate::summary::Summary;
use crate::sweep::sweeping;
use crate::verify::verified;
use engine::Progress;
use engine::Wait;
use engine::io::{Input, InputStream, Output, Patience, RandomAccess};
use engine::{Lease, Taps, Turn};

/// What [`Recode`](crate::Recode) has read and written.
///
/// ```
/// use pzcomp::{Decode, Encode, Recode};
/// let coded = pzcomp::compress(b"three in the morning", &Encode::gzip(6).build()?)?;
/// let recoded = Recode::new(&Decode::default(), &Encode::zstd(3).build()?).run(&coded, &mut Vec::new())?;
/// assert_eq!(recoded.read.plain_len, recoded.written.plain_len);
/// # Ok::<(), pzcomp::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recoded {
    /// The input: its formats, its coded length, and what followed its last frame.
    pub read: Summary,
    /// The output.
    pub written: Summary,
}

/// Decompresses the input and compresses it again into the output, at the same time and on the same threads. If it
/// `verifies`, what was written is decoded, and compared with the plain data of the input. [`Taps::input`] sees the
/// plain data, which is the input of the compression. The thread of the caller calls it.
pub(crate) fn recode(
    input: Input,
    output: Output,
    options: (&Decode, &Encode),
    taps: Taps,
    verifies: bool,
) -> Result<Recoded> {
    let (from, to) = shared(options);
    sweeping(input, output, &to, |input, output, to| {
        if !verifies {
            return recode_noting(input, output, (&from, to), taps, None);
        }
        let needs = |to: &Encode| check_memory(&from, to);
        verified(output, to, needs, |output, to, sums| {
            let recoded = recode_noting(input, output, (&from, to), taps, Some(Arc::clone(sums)))?;
            Ok((recoded.written.plain_len, recoded))
        })
    })
}

/// Both options, where `to` has the threads and the memory of the whole run.
fn shared((from, to): (&Decode, &Encode)) -> (Decode, Encode) {
    let least = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).min();
    let to = Encode {
        threads: if to.threads == 0 { from.threads } else { to.threads },
        memory: least(from.memory, to.memory),
        memory_aim: least(from.memory_aim, to.memory_aim),
        ..to.clone()
    };
    (from.clone(), to)
}

/// The options of the directions, each of which gets an equal share of the memory that `to` has.
fn shares(from: &Decode, to: &Encode) -> (Decode, Encode) {
    let share = |all: u64| all / SIDES;
    let (memory, memory_aim, threads) = (to.memory.map(share), to.memory_aim.map(share), to.threads);
    let to = Encode { memory, memory_aim, progress: None, ..to.clone() };
    (Decode { memory, memory_aim, threads, progress: None, ..from.clone() }, to)
}

/// Checks the options, and that the memory is enough for both directions.
fn check_memory(from: &Decode, to: &Encode) -> Result<()> {
    let (reading, writing) = shares(from, to);
    let needs = Error::both(writing.compression_needs(), Resources::within(&reading));
    needs.map(drop).map_err(|error| error.of_share(SIDES, to.memory))
}

/// Like [`recode`], and notes the checksum of each chunk of plain data in `sums`.
fn recode_noting(
    input: Input,
    output: Output,
    (from, to): (&Decode, &Encode),
    taps: Taps,
    sums: Option<Arc<PlainSums>>,
) -> Result<Recoded> {
    check_memory(from, to)?;
    // Nothing is written if this fails.
    check_choice(&input, from)?;
    let pool = Pool::of(to);
    // The bytes between the two directions are neither input nor output, so the directions do not count them.
    let (from, half) = shares(from, to);
    let pace = Pace::default();
    let of_share = |error: Error| error.of_share(SIDES, to.memory);
    let (compression, header) = Compression::new(&half.with_progress(&pace.plain), pool.crew(), sums)?;
    let from = from.with_progress(&pace.coded);
    let decompression = Driven::new(&from, pool.crew());
    let mut written = Recompression::new(compression, (output, taps), to.progress(), pace);
    let recoded = match decompression {
        Err(Error::Threads { .. }) => written.write(&header).and_then(|()| written.run(input, &from)),
        decompression => {
            let decompression = decompression?;
            let mut coded = CodedInput::new(input);
            let mut stream = Recoding { decompression, written };
            let recoded = stream.written.write(&header).and_then(|()| stream.run(&mut coded));
            written = stream.written;
            recoded
        }
    };
    written.close(recoded).map_err(of_share)
}

/// A stream between its two formats.
struct Recoding<'a> {
    decompression: Driven,
    written: Recompression<'a>,
}

/// The second half of a stream: plain data comes in.
struct Recompression<'a> {
    compression: Compression,
    output: Recording<'a>,
    taps: Taps<'a>,
    progress: Progress,
    pace: Pace,
}

/// Says which of the coded input is done: that of which the plain data is compressed and written.
#[derive(Default)]
struct Pace {
    /// The progress of the decompression, and that of the compression.
    coded: Progress,
    plain: Progress,
    /// How much plain data went to the compression.
    pushed: u64,
    /// Ends of pieces of plain data, with the coded input that was decompressed up to there.
    waiting: VecDeque<(u64, u64)>,
    done: u64,
}

impl Pace {
    fn push(&mut self, len: usize) {
        self.pushed += len as u64;
        self.waiting.push_back((self.pushed, self.coded.bytes_done()));
    }

    /// How much more coded input is done by now.
    fn step(&mut self) -> u64 {
        let before = self.done;
        let plain_done = self.plain.bytes_done();
        while let Some((_, coded)) = self.waiting.front().filter(|(plain, _)| *plain <= plain_done) {
            self.done = *coded;
            self.waiting.pop_front();
        }
        self.done - before
    }

    /// The same at the end of all data.
    fn rest(&self) -> u64 {
        self.coded.bytes_in().saturating_sub(self.done)
    }
}

impl Recoding<'_> {
    /// Codes the input to its end.
    fn run(&mut self, input: &mut CodedInput) -> Result<Recoded> {
        let mut expects_more = false;
        loop {
            self.written.check_cancelled()?;
            // What is coded leaves before anything is waited for.
            while self.written.advance(Wait::No)? {}
            match self.decompression.turn(expects_more) {
                Turn::Output(piece) => self.written.push(&piece)?,
                Turn::Proceed => {
                    if let Some(slab) = self.decompression.take_request() {
                        expects_more = self.supply(input, slab);
                    }
                }
                Turn::Over => break,
                Turn::Interrupted(source) => return Err(Error::Read { offset: input.at, source }),
            }
        }
        // This is the error of the input if it has one. The output is not complete before this point.
        let read = self.decompression.summary()?;
        Ok(Recoded { read, written: self.written.end()? })
    }

    /// Reads into the slab that the feeder wants to be filled. Returns whether more input is probably there.
    fn supply(&self, input: &mut CodedInput, mut slab: Lease) -> bool {
        match input.fill(&mut slab) {
            Ok(None) => {
                self.decompression.return_request(slab);
                false
            }
            Ok(Some(len)) => {
                self.written.progress.add_in(len as u64);
                let is_full = len == slab.len();
                self.decompression.supply(Ok((slab, len)));
                is_full
            }
            Err(error) => {
                self.decompression.supply(Err(error.into()));
                false
            }
        }
    }
}

impl<'a> Recompression<'a> {
    fn new(
        compression: Compression,
        (output, mut taps): (Output<'a>, Taps<'a>),
        progress: Progress,
        pace: Pace,
    ) -> Self {
        let output = compression.records().recording(output, taps.output.take());
        Self { compression, output, taps, progress, pace }
    }
}

/// Pushes plain data into the second half of a stream.
struct PlainWriter<'a, 'o> {
    written: &'a mut Recompression<'o>,
    /// How much coded input was counted.
    counted: u64,
    failure: &'a mut Option<Error>,
}

impl Write for PlainWriter<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let read = self.written.pace.coded.bytes_in();
        self.written.progress.add_in(read - std::mem::replace(&mut self.counted, read));
        let pushed = self.written.check_cancelled().and_then(|()| self.written.push(bytes));
        pushed.map(|()| bytes.len()).map_err(|error| {
            *self.failure = Some(error);
            std::io::ErrorKind::Other.into()
        })
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Recompression<'_> {
    /// Decompresses the input to its end and compresses it again, with whatever threads there are.
    fn run(&mut self, input: Input, from: &Decode) -> Result<Recoded> {
        let mut failure = None;
        let plain = PlainWriter { written: self, counted: 0, failure: &mut failure };
        let read = decompress_io(input, Output::writer(plain), from);
        let read = failure.map_or(read, Err)?;
        Ok(Recoded { read, written: self.end()? })
    }

    /// Ends the plain data, and writes everything up to the end of the output.
    fn end(&mut self) -> Result<Summary> {
        while !self.compression.end()? {
            self.advance(Wait::Room)?;
        }
        while self.advance(Wait::End)? {}
        let (trailer, written) = self.compression.ending(self.output.written())?;
        self.write(&trailer)?;
        self.output.complete()?;
        self.progress.add_done(self.pace.rest());
        Ok(Summary { coded_len: self.output.written(), ..written })
    }

    /// Closes the output, which is complete if there is no error.
    fn close(&mut self, recoded: Result<Recoded>) -> Result<Recoded> {
        match recoded {
            Ok(recoded) => self.output.finish().map(|()| recoded),
            Err(error) => {
                self.leave_unfinished(&error);
                Err(error)
            }
        }
    }

    /// Gives plain data to the compression.
    fn push(&mut self, mut plain: &[u8]) -> Result<()> {
        if let Some(tap) = &mut self.taps.input {
            tap(plain);
        }
        self.pace.push(plain.len());
        while !plain.is_empty() {
            let len = self.compression.push(plain)?;
            if len == 0 {
                self.advance(Wait::Room)?;
                self.check_cancelled()?;
            }
            plain = &plain[len..];
        }
        Ok(())
    }

    /// Writes the next output. Without output, waits. Returns false if there is none and the work can go on.
    fn advance(&mut self, wait: Wait) -> Result<bool> {
        match self.compression.turn(wait) {
            Turn::Output(piece) => {
                self.write(&piece)?;
                self.progress.add_out(piece.len() as u64);
                self.progress.add_done(self.pace.step());
                Ok(true)
            }
            // The stream ends only when it has been told to end, or by an error.
            Turn::Over if wait != Wait::End => {
                let error = self.compression.ending(0).err();
                Err(error.unwrap_or_else(|| Error::Internal("the stream ended early".into())))
            }
            Turn::Over | Turn::Proceed | Turn::Interrupted(_) => Ok(false),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.output.write_all(bytes)
    }

    fn check_cancelled(&self) -> Result<()> {
        if self.progress.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Ends an output that is not complete: with all data that came before the error, and with bytes that make readers
    /// refuse the output.
    fn leave_unfinished(&mut self, error: &Error) {
        if matches!(error, Error::Write { .. }) {
            return;
        }
        // The first error is the one that is reported. After a second one there is nothing left to do.
        let _ = self.write_rest();
        let unfinished = self.compression.unfinished(self.output.written() > 0);
        let _ = self.write(unfinished);
        let _ = self.output.finish();
    }

    fn write_rest(&mut self) -> Result<()> {
        while !self.compression.flush()? {
            self.advance(Wait::Room)?;
        }
        while self.advance(Wait::Empty)? {}
        Ok(())
    }
}

/// The coded input, read in order by the thread of the caller.
pub(super) struct CodedInput<'a> {
    kind: Kind<'a>,
    /// Offset of the next byte.
    at: u64,
    has_ended: bool,
}

enum Kind<'a> {
    Stream(InputStream<'a>),
    Place(RandomAccess<'a>, Range<u64>),
    /// There is no such input.
    Nothing,
}

impl<'a> CodedInput<'a> {
    pub(super) fn new(input: Input<'a>) -> Self {
        // Memory is not read in order.
        let input = input.in_order();
        let kind = match input.random_access() {
            Some((place, range)) => Kind::Place(place, range),
            None => input.into_stream().map_or(Kind::Nothing, Kind::Stream),
        };
        Self { kind, at: 0, has_ended: false }
    }

    /// Fills the buffer. Returns 0 at the end of the input, and nothing if the input pauses.
    pub(super) fn fill(&mut self, buffer: &mut [u8]) -> Result<Option<usize>> {
        if self.has_ended {
            return Ok(Some(0));
        }
        let at = self.at;
        let len = match &mut self.kind {
            Kind::Place(place, range) => {
                let rest = (range.end - range.start).saturating_sub(at);
                let len = usize::try_from(rest).unwrap_or(usize::MAX).min(buffer.len());
                place.read_at(&mut buffer[..len], range.start + at)?
            }
            Kind::Stream(stream) => {
                // The first pause is short, and the second one takes longer. Then finished frames can leave.
                let has_paused = std::cell::Cell::new(false);
                let pause = || if has_paused.replace(true) { Patience::Yield } else { Patience::Wait };
                match stream.fill(buffer, at, true, &pause)? {
                    (0, false) => return Ok(None),
                    (len, has_ended) => {
                        self.has_ended = has_ended;
                        len
                    }
                }
            }
            Kind::Nothing => 0,
        };
        self.at += len as u64;
        Ok(Some(len))
    }

    /// Offset of the next byte.
    pub(super) fn offset(&self) -> u64 {
        self.at
    }
}
