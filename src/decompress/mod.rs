//! Decompression: finds frames while reading forward, and decodes them in parallel.
//!
//! The functions here build the pipeline for decompression and run it. The feeder ([`walk`]) recognises formats by
//! their bytes, and finds where frames end without decoding them. Each span of frames is a job. A worker ([`coder`])
//! decodes a frame in one call if the frame is at hand completely and states its length. Otherwise, or if anything is
//! wrong with the frame, the worker decodes it as a stream in bounded memory.
//!
//! If the feeder was wrong about the end of a frame, the worker continues into the next span. So the output depends
//! on the frames only, and never on what the feeder believed.

mod alone;
mod archive;
mod coder;
mod cursor;
mod decompressor;
mod driven;
mod frames;
mod resources;
mod spans;
mod survey;
mod unknown;
mod walk;

use std::io::{Read, Write};

use crate::error::{Error, Result};
use crate::options::Options;
use crate::summary::Summary;
use crate::sweep::sweeping;
use engine::io::{Input, Output, RandomAccess, WriteAt, store};
use engine::{Coder, Ends, Facts, PIECE_LEN, Plan, Progress, Sink, Taps, Total, Unfinished};

pub(crate) use alone::{Alone, decode_alone};
pub(crate) use archive::{archive_in, list_archive};
use coder::FrameCoder;
pub(crate) use cursor::RangeCursor;
pub use decompressor::Decompressor;
pub(crate) use driven::Decompression;
pub(crate) use resources::Resources;
pub(crate) use spans::{CodedSpan, decode_guesses, decode_spans, frame_decoder};
pub(crate) use survey::{Survey, UnitSink};
use walk::Walk;

/// Decompresses everything that `reader` gives into `writer`, whatever formats it is in.
///
/// Of `options`, only those that concern decompression are used: the number of threads, the limits of memory and windows,
/// the accepted formats, what is done with unknown bytes, the dictionary, and the progress. All whole frames before an
/// error are written.
///
/// ```
/// let (mut coded, mut plain) = (Vec::new(), Vec::new());
/// let options = pzcomp::Options::default();
/// pzcomp::compress(&b"three in the morning"[..], &mut coded, &options)?;
/// pzcomp::decompress(&coded[..], &mut plain, &options)?;
/// assert_eq!(plain, b"three in the morning");
/// # Ok::<(), pzcomp::Error>(())
/// ```
pub fn decompress(reader: impl Read, writer: impl Write + Send, options: &Options) -> Result<Summary> {
    decompress_io(Input::Reader(Box::new(reader)), Output::Writer(Box::new(writer)), options)
}

/// Decompresses everything in `coded`, whatever formats it is in. The output is that of [`decompress`], but nothing is
/// returned if there is an error.
///
/// Input of up to 64 KiB is decompressed on the thread of the caller, because to start threads would take longer. A program
/// that decompresses many short payloads uses a [`Decompressor`]. A short input can hold data of any length:
/// [`Options::max_output`] limits it.
///
/// ```
/// let coded = pzcomp::compress_to_vec(b"three in the morning", &pzcomp::Options::default())?;
/// assert_eq!(pzcomp::decompress_to_vec(&coded, &pzcomp::Options::default())?, b"three in the morning");
/// # Ok::<(), pzcomp::Error>(())
/// ```
pub fn decompress_to_vec(coded: &[u8], options: &Options) -> Result<Vec<u8>> {
    let mut plain = Vec::new();
    let result = short(coded, options, |decompressor| {
        decompressor.decompress_into(coded, &mut plain).map(|len| len as u64)
    });
    if let Some(result) = result {
        return result.map(|_| plain);
    }
    decompress_io(Input::Memory(coded), Output::Writer(Box::new(&mut plain)), options)?;
    Ok(plain)
}

/// Decompresses everything in `coded` into an output of the caller, and returns the length of the plain data.
///
/// It differs from [`decompress_io`] in one way: short input is decompressed on the thread of the caller, because to
/// start threads would take longer. `output` is then written in order. Input that is long enough is decompressed by
/// several threads, which write to `output` themselves, so the data is not copied again. [`WriteAt`] has an example.
pub fn decompress_memory(coded: &[u8], output: &dyn WriteAt, options: &Options) -> Result<u64> {
    let mut written = 0;
    let mut take = |bytes: &[u8]| {
        let wrote = output.write_all_at(bytes, written);
        wrote.map_err(|source| Error::Write { offset: written, source })?;
        written += bytes.len() as u64;
        Ok(())
    };
    let result = short(coded, options, |decompressor| decompressor.inline(coded, &mut take));
    if let Some(result) = result {
        return result;
    }
    decompress_io(Input::Memory(coded), Output::At(output), options).map(|summary| summary.plain_len)
}

/// Longer input is decompressed by threads.
const INLINE_MAX: usize = 64 << 10;

/// Length of the pieces of output of short input.
const INLINE_PIECE_LEN: usize = 32 << 10;

/// Has `decode` decompress on this thread, if the input is short. `decode` returns the plain length. `None` if the input is
/// long; then `decode` was not called.
fn short(
    coded: &[u8],
    options: &Options,
    decode: impl FnOnce(&mut Decompressor) -> Result<u64>,
) -> Option<Result<u64>> {
    if coded.len() > INLINE_MAX {
        return None;
    }
    if options.progress.as_ref().is_some_and(Progress::is_cancelled) {
        return Some(Err(Error::Cancelled));
    }
    let result = Decompressor::new(options).and_then(|mut decompressor| decode(&mut decompressor));
    if let (Ok(plain_len), Some(progress)) = (&result, &options.progress) {
        progress.add_in(coded.len() as u64);
        progress.add_out(*plain_len);
    }
    Some(result)
}

/// Like [`decompress`], with descriptors and files. They are faster than values that only read and write. With
/// [`Output::Nothing`] the data is only checked.
///
/// ```
/// use pzcomp::{Input, Options, Output};
///
/// let (mut coded, options) = (Vec::new(), Options::default());
/// pzcomp::compress(&b"three in the morning"[..], &mut coded, &options)?;
/// let summary = pzcomp::decompress_io(Input::Memory(&coded), Output::Nothing, &options)?;
/// assert_eq!(summary.plain_len, 20);
///
/// let mut plain = [0; 20];
/// pzcomp::decompress_io(Input::Memory(&coded), Output::Memory(&mut plain), &options)?;
/// assert_eq!(&plain, b"three in the morning");
/// # Ok::<(), pzcomp::Error>(())
/// ```
///
/// An output of the caller is written by many workers:
///
/// ```
/// use std::sync::Mutex;
/// use pzcomp::{Input, Options, Output, WriteAt};
///
/// /// Memory that grows.
/// #[derive(Default)]
/// struct Growing(Mutex<Vec<u8>>);
///
/// impl WriteAt for Growing {
///     fn write_all_at(&self, bytes: &[u8], offset: u64) -> std::io::Result<()> {
///         let mut memory = self.0.lock().unwrap();
///         let end = offset as usize + bytes.len();
///         if memory.len() < end {
///             memory.resize(end, 0);
///         }
///         memory[offset as usize..end].copy_from_slice(bytes);
///         Ok(())
///     }
/// }
///
/// let (options, plain) = (Options::default(), Growing::default());
/// let coded = pzcomp::compress_to_vec(b"three in the morning", &options)?;
/// pzcomp::decompress_io(Input::Memory(&coded), Output::At(&plain), &options)?;
/// assert_eq!(*plain.0.lock().unwrap(), b"three in the morning");
/// # Ok::<(), pzcomp::Error>(())
/// ```
pub fn decompress_io(input: Input, output: Output, options: &Options) -> Result<Summary> {
    decompress_tapped(input, output, options, Taps::default())
}

/// Like [`decompress_io`]. `taps` see all bytes of the input and the output, in order.
pub fn decompress_tapped(input: Input, output: Output, options: &Options, taps: Taps) -> Result<Summary> {
    let survey =
        |input: Input, output: Output, options: &Options| survey_tapped(input, output, options, taps);
    sweeping(input, output, options, survey).map(|(summary, ..)| summary)
}

/// Like [`decompress_io`], and also returns everything that was learnt about the input.
pub(crate) fn survey_io(input: Input, output: Output, options: &Options) -> Result<(Summary, Survey, Facts)> {
    survey_tapped(input, output, options, Taps::default())
}

fn survey_tapped(
    input: Input,
    output: Output,
    options: &Options,
    taps: Taps,
) -> Result<(Summary, Survey, Facts)> {
    let resources = Resources::within(options)?;
    if let Some(found) = archive_in(&input, options)? {
        return archive::decode(input, found, output, &resources, options, taps);
    }
    let input = if taps.input.is_some() { input.in_order()? } else { input };
    match (options.store_len(), input.random_access()) {
        (Some(limit), None) => {
            let Some(stream) = input.into_stream() else {
                return Err(Error::Internal("an input that is neither a stream nor anything else".into()));
            };
            store::before_input(stream, limit, |stream| {
                let walk = Walk::stream(stream, options, resources.workers);
                survey_walk(walk, None, output, &resources, options, taps)
            })
        }
        (_, range) => {
            let walk = Walk::new(input, options, resources.workers);
            survey_walk(walk, range.map(|(place, _)| place), output, &resources, options, taps)
        }
    }
}

/// Runs the pipeline behind this feeder. `place` is the input itself, if workers read it.
fn survey_walk(
    mut walk: Walk,
    place: Option<RandomAccess>,
    output: Output,
    resources: &Resources,
    options: &Options,
    taps: Taps,
) -> Result<(Summary, Survey, Facts)> {
    let (plan, coders) = (plan(resources, options), coders(resources, options));
    let outcome = engine::run(plan, coders, ends(place, output, options, taps), &mut walk)?;
    let (mut survey, coded_len) = walk.into_survey();
    let facts = outcome.total.facts;
    Ok((survey.summary(coded_len, outcome), survey, facts))
}

/// How the jobs of a feeder are decoded.
fn plan(resources: &Resources, options: &Options) -> Plan {
    Plan {
        joiner: Box::new(Total::default()),
        header: Vec::new(),
        guesses: true,
        slots: resources.slots(),
        piece_len: PIECE_LEN,
        slabs: resources.slab_pool(),
        pieces: resources.piece_pool(),
        progress: options.progress.clone(),
        output_max: options.max_output,
    }
}

/// A decoder for each worker.
fn coders(resources: &Resources, options: &Options) -> Vec<Box<dyn Coder>> {
    let reading = resources.reading(options);
    let coder = || Box::new(FrameCoder::new(resources, &reading, options)) as Box<dyn Coder>;
    (0..resources.workers).map(|_| coder()).collect()
}

/// Where the bytes come from and go to. `place` is the input itself, if workers read it.
fn ends<'a>(
    place: Option<RandomAccess<'a>>,
    output: Output<'a>,
    options: &Options,
    taps: Taps<'a>,
) -> Ends<'a> {
    let sink = Sink::from(output).with_holes(options.sparse);
    Ends { place, sink, taps, unfinished: Unfinished::default() }
}
