//! Compression: the input is cut into chunks that do not depend on each other, and each chunk becomes a frame.
//!
//! This file runs the pipeline. [`Encode`] and the format give the coders, the joiner and the cut (`prepared.rs`).
//! [`Counts`] fits workers and buffers into the memory that is allowed. The [`Splitter`] is the feeder, and a coder
//! for each worker calls its encoder. Short data takes none of this: a [`Compressor`] codes it on the thread of the
//! caller.
//!
//! The output does not depend on the number of workers, unless the level adapts itself (`adapt/`).

mod adapt;
mod arrivals;
mod chunks;
mod coders;
mod compressor;
mod counts;
mod driven;
mod looks;
mod prepared;
mod recording;
mod short;
mod splitter;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use adapt::Adaptation;
use coders::FLUSH;
pub use compressor::Compressor;
pub use counts::CompressionNeeds;
pub(crate) use counts::Counts;
pub(crate) use driven::Compression;
use engine::io::{Input, Output, OutputStream, store};
use engine::{Ends, Plan, Taps, Unfinished};
use prepared::{Prepared, Stream};
pub(crate) use recording::{Recording, Records};
use short::Begun;
use splitter::Splitter;
use xxhash_rust::xxh3::xxh3_128;

use crate::error::Result;
use crate::idle::Idle;
use crate::options::{Encode, EncodeBuilder};
use crate::summary::Summary;
use crate::sweep::sweeping;

/// Compresses the input into the output. `taps` see all bytes of both.
///
/// Short data that is in memory or comes from a reader is compressed on the thread of the caller, because to start
/// threads would take longer. The output is the same.
pub(crate) fn compress_stream(input: Input, output: Output, options: &Encode, taps: Taps) -> Result<Summary> {
    let has_threads =
        taps.input.is_some() || taps.output.is_some() || options.drop_cache || options.recovery.is_some();
    let begun;
    let input = match input {
        Input::Reader(reader) if !has_threads => match short::begin(reader, options)? {
            Begun::Short(plain) => {
                begun = plain;
                Input::Memory(&begun)
            }
            Begun::Long(reader) => Input::reader(reader),
        },
        input => input,
    };
    if let (Input::Memory(plain), false) = (&input, has_threads) {
        let mut coded = Vec::new();
        if let Some(summary) = short::compress(plain, &mut coded, options)? {
            let mut output = OutputStream::new(output, false);
            output.write_all(&coded)?;
            output.finish()?;
            return Ok(summary);
        }
    }
    let run =
        |input: Input, output: Output, options: &Encode| compress_noting(input, output, options, taps, None);
    if options.drop_cache { sweeping(input, output, options, run) } else { run(input, output, options) }
}

/// Compresses with threads, and notes the checksum of each chunk in `sums`.
pub(crate) fn compress_noting(
    input: Input,
    output: Output,
    options: &Encode,
    taps: Taps,
    sums: Option<&Arc<PlainSums>>,
) -> Result<Summary> {
    let mut stream = Stream::new(options, options.threads, sums.cloned())?;
    let (cut, scan) = (stream.prepared.cut, stream.scan.take());
    let plan = stream.complete(stream.counts.plan(cut.longest, stream.prepared.bound));
    let plan = Plan { throttle: Idle::throttle(options.idle, stream.counts.workers), ..plan };
    let coders = stream.coders()?;
    let Stream { prepared, records, progress, .. } = stream;
    let adaptation = prepared.adaptation.as_deref();
    // Only a stream shows how fast it takes bytes.
    let is_streamed = adaptation.is_some() || options.store_len().is_some();
    let output = match (if is_streamed { output.in_order()? } else { output }, adaptation) {
        (Output::Writer(writer), Some(adaptation)) => Output::Writer(adaptation.measure(writer)),
        (output, _) => output,
    };
    let read = adaptation.filter(|_| input.random_access().is_none()).map(Adaptation::count_of_read);
    let input = if taps.input.is_some() { input.in_order() } else { input };
    let place = input.random_access().map(|(place, _)| place);
    let looks = prepared.known.looks.clone();
    let mut splitter = Splitter::new(input, cut, options.flush_interval).counting(read).scanning(scan, looks);
    let unfinished = Unfinished { at_start: prepared.unfinished(false), later: prepared.unfinished(true) };
    let (input_tap, output_tap) = (taps.input, taps.output);
    let run = |output: Output, output_tap| {
        let taps = Taps { input: input_tap, output: output_tap };
        Ok(engine::run(plan, coders, Ends { place, sink: output.into(), taps, unfinished }, &mut splitter)?)
    };
    // With records, more is written than the line hands out.
    let run = |output: Output| match records.are_wanted() {
        true => records.record(output, output_tap, |output| run(output, None)),
        false => run(output, output_tap),
    };
    let outcome = match (options.store_len(), output) {
        (Some(limit), Output::Writer(writer)) => {
            let is_cancelled = || progress.is_cancelled();
            store::behind_output(writer, limit, is_cancelled, |writer| run(Output::Writer(writer)))
        }
        (_, output) => run(output),
    };
    Ok(prepared.summary(outcome?))
}

/// Compresses all bytes of `plain` into a vector. [`Compress`](crate::Compress) has everything else: files, readers and
/// writers, verification, and the figures of a run.
///
/// The output depends on the data and the options only, however many threads work. Data that fits into one frame is
/// compressed on the thread of the caller, because to start threads would take longer; of a layout that one encoder
/// codes, up to 256 KiB. A program that compresses many short payloads uses a [`Compressor`]. It is an error if the
/// format does not have an option, or if the memory allowed is too little.
///
/// ```
/// let coded = pzcomp::compress(b"three in the morning", &pzcomp::Encode::zstd(3).build()?)?;
/// assert_eq!(pzcomp::decompress(&coded, &pzcomp::Decode::default())?, b"three in the morning");
/// # Ok::<(), pzcomp::Error>(())
/// ```
pub fn compress(plain: &[u8], options: &Encode) -> Result<Vec<u8>> {
    let mut coded = Vec::new();
    if short::compress(plain, &mut coded, options)?.is_none() {
        compress_stream(plain.into(), (&mut coded).into(), options, Taps::default())?;
    }
    Ok(coded)
}

/// The check of options that are written with.
impl EncodeBuilder {
    /// The options, after they were checked.
    ///
    /// It is an error if pzcomp does not write the format, if the format does not have an option or a level, or if
    /// options contradict each other. How much memory is needed depends on the work, so that is checked when the work
    /// begins.
    pub fn build(self) -> Result<Encode> {
        let options = self.0;
        let settings = options.settings()?;
        if !settings.zstd.parameters.is_empty() {
            // Only libzstd knows whether it accepts the parameters. An encoder has no tables before it is used.
            options.format.writing()?.encoder(&settings)?;
        }
        Ok(options)
    }
}

/// The length and the checksum of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlainSum {
    pub(crate) len: u64,
    pub(crate) sum: u128,
}

/// The checksums of the chunks that were compressed and are not verified, by their offset in the plain data.
#[derive(Debug, Default)]
pub(crate) struct PlainSums(Mutex<BTreeMap<u64, PlainSum>>);

impl PlainSums {
    /// Notes the chunk at this offset. A chunk of no bytes is not noted.
    pub(crate) fn note(&self, at: u64, chunk: &[u8]) {
        if !chunk.is_empty() {
            let sum = PlainSum { len: chunk.len() as u64, sum: xxh3_128(chunk) };
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(at, sum);
        }
    }

    /// Takes the chunk that begins at this offset.
    pub(crate) fn take(&self, at: u64) -> Option<PlainSum> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&at)
    }
}

/// Notes the chunk, if its checksum is wanted.
fn note(sums: Option<&Arc<PlainSums>>, at: u64, chunk: &[u8]) {
    if let Some(sums) = sums {
        sums.note(at, chunk);
    }
}
