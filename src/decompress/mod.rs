//! Decompression: frames are found going forward, and decoded side by side.
//!
//! The feeder ([`walk`]) recognises formats by their bytes and finds where frames end without
//! decoding them. Each span of frames is a job. A worker decodes a frame in one piece where it is at
//! hand as a whole and says how long it is; otherwise, or if anything is wrong with it, as a stream
//! in bounded memory. Where the feeder was wrong about the end of a frame the worker goes on into the
//! next span, whatever is said about that one: the frames tell the truth.

mod batch;
mod cursor;
mod survey;
mod unknown;
mod walk;

use std::io::{Read, Write};
use std::time::Instant;

use crate::error::{Damage, Error, Result, Size};
use crate::format::{Accepted, After, Decoder, Format, Reading, SNIFF_LEN, skippable};
use crate::io::{Input, Output};
use crate::options::{Dictionary, Options, Unknown, WINDOW_LIMIT};
use crate::pipeline::{
    self, Buffers, Coder, Emitter, FIXED_MEMORY, Facts, HELD_SPARE, Joiner, PIECE_LEN, Plan,
    RELAYED_WINDOW_MAX, Report, SLABS_MIN, Source, Tag, WHOLE_CODED_MAX,
};
use crate::summary::Summary;

pub(crate) use cursor::RangeCursor;
pub(crate) use survey::Survey;
use walk::{Walk, tagged};

/// A frame that decodes to more than this is decoded as a stream. A frame that states at most so much and carries a check
/// is held until it is verified.
pub(crate) const WHOLE_PLAIN_MAX: usize = 4 << 20;

/// Memory of a worker besides the buffers: what it gathers frames in, what gzip decodes without a window, and two
/// windows for each of its jobs in the line.
const WORKER_MEMORY: usize = WHOLE_CODED_MAX + (9 << 20) + 4 * 2 * RELAYED_WINDOW_MAX;

/// Length of a buffer for coded input.
const SLAB_LEN: usize = 512 << 10;

/// Decompresses all that `reader` gives into `writer`, whatever formats it is in.
///
/// Of `options`, the number of threads, the memory and what is accepted are used. All whole frames
/// before an error are written.
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

/// Like [`decompress`], with descriptors and files, which are served faster than what merely reads
/// and writes. With [`Output::Nothing`] the data is only checked.
pub fn decompress_io(input: Input, output: Output, options: &Options) -> Result<Summary> {
    survey_io(input, output, options).map(|(summary, ..)| summary)
}

/// Like [`decompress_io`], with all that was learnt of the input.
pub(crate) fn survey_io(input: Input, output: Output, options: &Options) -> Result<(Summary, Survey, Facts)> {
    let counts = Counts::within(options)?;
    let coder = || Box::new(FrameCoder::new(&counts, options)) as Box<dyn Coder>;
    let plan = Plan {
        coders: (0..counts.workers).map(|_| coder()).collect(),
        place: input.place().map(|(place, _)| place),
        sink: output.into(),
        joiner: Box::new(Sum::default()),
        header: Vec::new(),
        guesses: true,
        slots: 4 * counts.workers + 16,
        piece_len: PIECE_LEN,
        slabs: Buffers::new(counts.slabs * SLAB_LEN, 0),
        pieces: Buffers::new(counts.pieces * PIECE_LEN + HELD_SPARE, WHOLE_PLAIN_MAX + HELD_SPARE),
    };
    let started = Instant::now();
    let mut walk = Walk::new(input, options, counts.workers);
    let outcome = pipeline::run(plan, &mut walk)?;
    let (mut survey, coded_len) = walk.into_survey();
    let summary = Summary {
        format: survey.formats().first().copied(),
        plain_len: outcome.total.plain_len,
        coded_len,
        frames: outcome.total.frames,
        threads: outcome.threads,
        wall: started.elapsed(),
        cpu: outcome.cpu,
        trailing: outcome.total.trailing,
        remarks: std::mem::take(&mut survey.remarks),
        sidecar: None,
        unverified: outcome.total.facts.is_unverified,
    };
    Ok((summary, survey, outcome.total.facts))
}

/// How much of what a stream gets.
#[derive(Clone, Copy)]
struct Counts {
    workers: usize,
    slabs: usize,
    pieces: usize,
    window_limit: u64,
    /// Whether the memory of all workers is limited together.
    is_for_all: bool,
}

impl Counts {
    /// Two slabs and eight pieces for each worker let frames of some MiB be decoded side by side.
    fn with(workers: usize) -> Self {
        let reserve = WHOLE_PLAIN_MAX / PIECE_LEN;
        Self {
            workers,
            slabs: SLABS_MIN + 2 * workers,
            pieces: reserve + 8 * workers,
            window_limit: WINDOW_LIMIT,
            is_for_all: true,
        }
    }

    fn memory(&self) -> u64 {
        let buffers = self.slabs * SLAB_LEN + self.pieces * PIECE_LEN;
        (buffers + self.workers * WORKER_MEMORY) as u64 + FIXED_MEMORY
    }

    fn within(options: &Options) -> Result<Self> {
        let dictionary = options.zstd.dictionary.as_ref().map_or(0, Dictionary::memory);
        let Some(limit) = options.memory else {
            let window_limit = options.window_limit.unwrap_or(WINDOW_LIMIT);
            return Ok(Self {
                window_limit,
                is_for_all: options.window_limit.is_none() && options.xz.decoder_memory.is_none(),
                ..Self::with(options.worker_count())
            });
        };
        let fitting = (1..=options.worker_count())
            .rev()
            .map(Self::with)
            .find(|counts| counts.memory() + dictionary <= limit);
        let counts = fitting.ok_or_else(|| Error::Memory {
            what: "decompression".into(),
            needed: Size(Self::with(1).memory() + dictionary),
            limit: Size(limit),
        })?;
        // What the buffers leave is for the windows that frames demand, one for each worker.
        let window_limit = (limit - counts.memory() - dictionary) / counts.workers as u64;
        Ok(Self { window_limit: options.window_limit.unwrap_or(window_limit), ..counts })
    }
}

/// Adds the reports up.
#[derive(Default)]
pub(crate) struct Sum(Report);

impl Joiner for Sum {
    fn join(&mut self, report: &Report) {
        self.0.add(report);
    }

    fn trailer(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn total(&self) -> Report {
        self.0
    }
}

/// Where a worker stands.
#[derive(Clone, Copy)]
enum Place {
    /// At the start of its job.
    Start,
    /// Behind something of this format.
    Behind(Format, After),
}

impl Place {
    /// Whether what the feeder says by its tag can begin here.
    fn allows(self, tag: Tag) -> bool {
        let tagged = tagged(tag);
        match self {
            // If it cannot, nothing of the job counts.
            Self::Start => true,
            Self::Behind(format, After::Inside(context)) => tagged == Some((format, context)),
            Self::Behind(_, After::Outside) => tagged.is_none_or(|(_, context)| context == 0),
            // What is inside a stream of another format cannot.
            Self::Behind(format, After::Anything | After::Closed { .. }) => {
                tagged.is_none_or(|(next, context)| context == 0 || next == format)
            }
        }
    }
}

/// Decodes spans of frames of any format.
struct FrameCoder {
    decoders: [Option<Box<dyn Decoder>>; Format::COUNT],
    counts: Counts,
    reading: Reading,
    accepted: Accepted,
    unknown: Unknown,
    /// What is read is what gzip reads, and what else there is, is ignored.
    is_gzip: bool,
    salvage: bool,
    options: Options,
}

impl FrameCoder {
    fn new(counts: &Counts, options: &Options) -> Self {
        let accepted = Accepted::new(options.accept);
        let Options { unknown, salvage, .. } = *options;
        let is_gzip = unknown == Unknown::Ignore
            && options.accept.is_some_and(|formats| formats.contains(&Format::GZIP));
        let reading = Reading::new(options, counts.workers, counts.window_limit);
        let options = options.clone();
        let decoders = Default::default();
        Self { decoders, counts: *counts, reading, accepted, unknown, is_gzip, salvage, options }
    }

    /// A refusal of one window, in terms of what must be allowed for all workers together.
    fn in_all(&self, error: Error) -> Error {
        let Error::Memory { what, needed, limit } = error else {
            return error;
        };
        if !self.counts.is_for_all {
            return Error::Memory { what, needed, limit };
        }
        let all =
            |window: Size| Size(self.counts.memory() + window.0.saturating_mul(self.counts.workers as u64));
        Error::Memory { what, needed: all(needed), limit: all(limit) }
    }

    fn decoder(&mut self, format: Format) -> Result<&mut dyn Decoder> {
        let slot = &mut self.decoders[usize::from(format.0)];
        if slot.is_none() {
            *slot = Some(format.codec().decoder(&self.reading, &self.options)?);
        }
        slot.as_deref_mut().map(|decoder| decoder as _).ok_or_else(|| Error::Internal("no decoder".into()))
    }

    /// The format that begins here, if it may.
    fn sniff(&self, head: &[u8], offset: u64, place: Place) -> Option<Format> {
        match place {
            Place::Behind(format, _) if self.reading.one_format => {
                self.accepted.only(format).sniff(head, offset)
            }
            // The feeder knows the first format, and has marked whatever is of it.
            Place::Start if self.reading.one_format && offset > 0 => None,
            Place::Behind(..) | Place::Start => self.accepted.sniff(head, offset),
        }
    }

    /// What becomes of bytes that begin nothing.
    fn unknown(&self, place: Place) -> Unknown {
        match place {
            Place::Behind(format, _) if self.reading.one_format && format.codec().ignores_trailing() => {
                Unknown::Ignore
            }
            Place::Behind(..) | Place::Start => self.unknown,
        }
    }
}

impl Coder for FrameCoder {
    fn code(&mut self, source: &mut Source, out: &mut Emitter) -> Result<Report> {
        let mut report = Report::default();
        let start = source.offset();
        let mut place = Place::Start;
        loop {
            if !source.is_ready() {
                // Nothing that is done waits for what is to come.
                out.flush()?;
            }
            let unit = source.unit()?.filter(|mark| place.allows(mark.tag));
            if source.available()?.is_empty() {
                if place.allows(source.next_tag()) {
                    break;
                }
                if source.more()? {
                    continue;
                }
                // Who decodes a stream that has not ended must say so.
            }
            let known = unit.and_then(|mark| tagged(mark.tag));
            let (format, context) = match (place, known) {
                (Place::Behind(format, After::Inside(context)), _) => (format, context),
                (_, Some(known)) => known,
                _ => {
                    // Where no unit was marked, a span need not end where a frame does.
                    let offset = source.offset();
                    let head = source.gather_inside(SNIFF_LEN)?;
                    if let Some(len) = self.accepted.skippable(head) {
                        skip(source, skippable::HEADER_LEN as u64 + u64::from(len))?;
                        continue;
                    }
                    match self.sniff(head, offset, place) {
                        Some(format) => (format, 0),
                        // Magic numbers have two bytes: one is the beginning of a member that was cut off.
                        None if self.is_gzip && offset > 0 && matches!(head, [1..=u8::MAX]) => {
                            let (format, end) = ("gzip", offset + 1);
                            return Err(Error::Truncated { format, frame: offset, offset: end });
                        }
                        None => {
                            report.trailing = self.unknown(place).pass(source, out)?;
                            break;
                        }
                    }
                }
            };
            let goes_on = matches!(place, Place::Behind(_, After::Inside(_)));
            let decoder = self.decoder(format)?;
            if !goes_on {
                out.begin_frame();
            }
            let done = match unit.and_then(|mark| mark.coded_len) {
                Some(len) => whole(decoder, source, out, len as usize, context)?,
                None => 0,
            };
            let result = match goes_on {
                _ if done > 0 => Ok(()),
                true => decoder.resume(source, out),
                false => {
                    let coded_len = unit.and_then(|mark| mark.coded_len).map(|len| len as usize);
                    let name = format.codec().info().name;
                    stream(name, decoder, source, out, (context, coded_len))
                }
            };
            if let Err(error) = result {
                // What could not be verified does not leave. Of a frame so long that much of it has left
                // before, the rest is as good if it is cut off, and not if it is damaged.
                let error = error.of_held(out.is_holding());
                match error {
                    Error::Truncated { .. } if self.salvage => {}
                    _ if out.take_back_frame() => {}
                    Error::Corrupt { .. } => out.take_back_all(),
                    _ => {}
                }
                return Err(self.in_all(error));
            }
            let after = decoder.after();
            place = Place::Behind(format, after);
            report.frames += if done > 0 { done } else { decoder.frames() };
            report.facts = report.facts.then(decoder.facts());
            if let After::Closed { more } = after {
                out.flush()?;
                report.trailing = self.unknown.pass_closed(more, format.codec().info().name, source)?;
                break;
            }
        }
        report.plain_len = out.total();
        report.coded_len = source.offset() - start;
        Ok(report)
    }
}

/// Decodes a frame in one piece, and those behind it, if that can be done; how many.
fn whole(
    decoder: &mut dyn Decoder,
    source: &mut Source,
    out: &mut Emitter,
    len: usize,
    context: u8,
) -> Result<u64> {
    if decoder.together() {
        let done = batch::wholes(decoder, source, out, context)?;
        if done > 0 {
            return Ok(done as u64);
        }
    }
    let at_hand = source.gather(len)?;
    let Some(coded) = at_hand.get(..len) else {
        return Ok(0);
    };
    let Some(plain_len) = decoder.plain_len(coded, context).filter(|&plain_len| plain_len <= WHOLE_PLAIN_MAX)
    else {
        return Ok(0);
    };
    let room = out.room(plain_len)?;
    let done = decoder.whole(coded, &mut room[..plain_len], context);
    if done {
        source.consume(len);
        out.commit(plain_len)?;
    } else {
        // To make room another piece may have been begun.
        out.begin_frame();
    }
    Ok(done.into())
}

/// Decodes a frame as a stream. A short frame with a check is held until it is verified: the output of a damaged one ends
/// before it.
fn stream(
    name: &'static str,
    decoder: &mut dyn Decoder,
    source: &mut Source,
    out: &mut Emitter,
    (context, coded_len): (u8, Option<usize>),
) -> Result<()> {
    let frame = source.offset();
    let stated = decoder.stated_len(source, context, coded_len)?;
    let stated = stated.and_then(|len| usize::try_from(len).ok()).filter(|&len| len <= WHOLE_PLAIN_MAX);
    if let Some(stated) = stated {
        out.hold(stated)?;
    }
    let result = decoder.stream(source, out, context);
    if let Some(stated) = out.exceeded() {
        let what = format!("the frame that begins there holds more than the {stated} bytes that it states");
        return Err(Error::corrupt(name, frame, what).by(Damage::Length));
    }
    result.and_then(|()| out.release())
}

/// Passes a skippable frame.
fn skip(source: &mut Source, len: u64) -> Result<()> {
    let frame = source.offset();
    if source.skip(len)? {
        return Ok(());
    }
    Err(Error::Truncated { format: "skippable", frame, offset: source.offset() })
}
