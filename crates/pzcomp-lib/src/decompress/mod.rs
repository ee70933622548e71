//! Decompression: finds frames while reading forward, and decodes them in parallel.
//!
//! The functions here build the pipeline for decompression and run it. The feeder ([`walk`]) recognises formats by
//! their bytes, and finds where units end without decoding them. Each span, one unit or several, is a job. A worker
//! ([`coder`]) decodes a frame in one call if the frame is at hand completely and states its length. Otherwise, or if
//! anything is wrong with the frame, the worker decodes it as a stream in bounded memory.
//!
//! If the feeder was wrong about the end of a frame, the worker continues into the next span. So the output depends
//! on the frames only, and never on what the feeder believed.

mod alone;
mod coder;
mod cursor;
mod decompressor;
mod driven;
mod frames;
mod kept;
mod resources;
mod spans;
mod survey;
mod unknown;
mod walk;

use crate::error::{Error, Result};
use crate::idle::Idle;
use crate::options::Decode;
use crate::summary::Summary;
use crate::sweep::sweeping;
use engine::io::{Input, Output, RandomAccess, store};
use engine::{Coder, Ends, Facts, PIECE_LEN, Plan, Progress, Sink, Taps, Total, Unfinished};

pub(crate) use alone::{Alone, decode_alone};
use coder::FrameCoder;
pub(crate) use cursor::RangeCursor;
pub use decompressor::Decompressor;
pub(crate) use driven::{Decompression, Driven};
pub(crate) use resources::Resources;
pub(crate) use spans::{CodedSpan, decode_guesses, decode_spans, frame_decoder};
pub(crate) use survey::{Survey, UnitSink, check_choice};
use walk::Walk;

/// Decompresses everything in `coded` into a vector, whatever formats it is in. [`Decompress`](crate::Decompress) has
/// everything else: files, readers and writers, verification, and the figures of a run.
///
/// Of `options`, only those that concern decompression are used. Nothing is returned if there is an error. Input of up
/// to 64 KiB is decompressed on the thread of the caller, because to start threads would take longer. A program that
/// decompresses many short payloads uses a [`Decompressor`]. A short input can hold data of any length:
/// [`DecodeBuilder::max_output`](crate::DecodeBuilder::max_output) limits it.
///
/// ```
/// let options = pzcomp::Decode::builder().max_output(1 << 20).build()?;
/// let coded = pzcomp::compress(b"three in the morning", &pzcomp::Encode::default())?;
/// assert_eq!(pzcomp::decompress(&coded, &options)?, b"three in the morning");
/// # Ok::<(), pzcomp::Error>(())
/// ```
pub fn decompress(coded: &[u8], options: &Decode) -> Result<Vec<u8>> {
    let mut plain = Vec::new();
    if coded.len() > INLINE_MAX {
        decompress_io(coded.into(), (&mut plain).into(), options)?;
        return Ok(plain);
    }
    on_this_thread(coded, options, |decompressor| decompressor.decompress_into(coded, &mut plain))?;
    options.progress.iter().for_each(|progress| progress.add_out(plain.len() as u64));
    Ok(plain)
}

/// Decompresses short memory on this thread, in order.
fn decompress_short(coded: &[u8], output: Output, options: &Decode) -> Result<Summary> {
    let mut see = |len: usize| options.progress.iter().for_each(|progress| progress.add_out(len as u64));
    on_this_thread(coded, options, |decompressor| decompressor.run_seen(coded, output, &mut see))
}

/// Longer input is decompressed by threads.
const INLINE_MAX: usize = 64 << 10;

/// Length of the pieces of output of short input.
const INLINE_PIECE_LEN: usize = 32 << 10;

/// Has `decode` decompress on this thread.
fn on_this_thread<T>(
    coded: &[u8],
    options: &Decode,
    decode: impl FnOnce(&mut Decompressor) -> Result<T>,
) -> Result<T> {
    let progress = options.progress.as_ref();
    if progress.is_some_and(Progress::is_cancelled) {
        return Err(Error::Cancelled);
    }
    let mut decompressor = Decompressor::advising(options)?;
    progress.iter().for_each(|progress| progress.add_in(coded.len() as u64));
    let done = decode(&mut decompressor)?;
    progress.iter().for_each(|progress| progress.add_done(coded.len() as u64));
    Ok(done)
}

/// Decompresses the input into the output.
pub(crate) fn decompress_io(input: Input, output: Output, options: &Decode) -> Result<Summary> {
    decompress_tapped(input, output, options, Taps::default())
}

/// Like [`decompress_io`]. `taps` see all bytes of the input and the output, in order.
pub(crate) fn decompress_tapped(
    input: Input,
    output: Output,
    options: &Decode,
    taps: Taps,
) -> Result<Summary> {
    match (&input, &taps) {
        (Input::Memory(coded), Taps { input: None, output: None })
            if coded.len() <= INLINE_MAX && !options.drop_cache =>
        {
            return decompress_short(coded, output, options);
        }
        _ => {}
    }
    let survey = |input: Input, output: Output, options: &Decode| survey_tapped(input, output, options, taps);
    let done = if options.drop_cache {
        sweeping(input, output, options, survey)
    } else {
        survey(input, output, options)
    };
    done.map(|(summary, ..)| summary)
}

/// Like [`decompress_io`], and also returns everything that was learnt about the input.
pub(crate) fn survey_io(input: Input, output: Output, options: &Decode) -> Result<(Summary, Survey, Facts)> {
    survey_tapped(input, output, options, Taps::default())
}

fn survey_tapped(
    input: Input,
    output: Output,
    options: &Decode,
    taps: Taps,
) -> Result<(Summary, Survey, Facts)> {
    let resources = Resources::within(options)?;
    let input = if taps.input.is_some() { input.in_order() } else { input };
    let (plan, coders) = (plan(&resources, options), coders(&resources, options));
    // The place is the input itself, if workers read it.
    let run = |mut walk: Walk, place: Option<RandomAccess>| {
        let outcome = engine::run(plan, coders, ends(place, output, options, taps), &mut walk)?;
        let (mut survey, coded_len) = walk.into_survey();
        let facts = outcome.total.facts;
        Ok((survey.summary(coded_len, outcome), survey, facts))
    };
    match (options.store_len(), input.random_access()) {
        (Some(limit), None) => {
            let Some(stream) = input.into_stream() else {
                return Err(Error::Internal("an input that is neither a stream nor anything else".into()));
            };
            store::before_input(stream, limit, |stream| {
                run(Walk::stream(stream, options, resources.workers), None)
            })
        }
        (_, range) => run(Walk::new(input, options, resources.workers), range.map(|(place, _)| place)),
    }
}

/// How the jobs of a feeder are decoded.
fn plan(resources: &Resources, options: &Decode) -> Plan {
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
        throttle: Idle::throttle(options.idle, resources.workers),
    }
}

/// A decoder for each worker.
fn coders(resources: &Resources, options: &Decode) -> Vec<Box<dyn Coder>> {
    let reading = resources.reading(options);
    let coder = || Box::new(FrameCoder::new(resources, &reading, options)) as Box<dyn Coder>;
    (0..resources.workers).map(|_| coder()).collect()
}

/// Where the bytes come from and go to. `place` is the input itself, if workers read it.
fn ends<'a>(
    place: Option<RandomAccess<'a>>,
    output: Output<'a>,
    options: &Decode,
    taps: Taps<'a>,
) -> Ends<'a> {
    let sink = Sink::from(output).with_holes(options.sparse);
    Ends { place, sink, taps, unfinished: Unfinished::default() }
}
