//! Decodes spans whose places are known already, from an index or from the headers of frames.
//!
//! The input is a list of [`CodedSpan`]s in a file, in memory or in a source of the caller. [`decode_spans`] makes one
//! job of each span, so the spans are decoded in parallel and their output leaves in order. It returns the plain
//! length of each span. `seekable/` calls it, and compares these lengths with its map.
//!
//! [`decode_guesses`] takes places that are guesses: a frame may go on in the spans behind it. In [`decode_spans`] a
//! span must end exactly where its decoder ends. Otherwise there is an error.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::resources::Resources;
use super::walk::tag;
use super::{coders, ends, plan};
use crate::error::{Error, Result};
use crate::format::{Decoder, Format};
use crate::options::Decode;
use engine::io::{Output, RandomAccess};
use engine::{Feed, Feeder, Joiner, Mark, Plan, Report, Segment, Tag, Taps, Total};

/// A stretch of coded input that is decoded by itself: a frame, a Block of xz, or a block of bzip2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CodedSpan {
    pub(crate) format: Format,
    /// The bytes of the input.
    pub(crate) coded: Range<u64>,
    /// What the decoder must know besides the bytes. 0 for a whole frame.
    pub(crate) context: u8,
    /// The context of what follows the span. 0 if the span ends outside of a stream.
    pub(crate) next: u8,
}

/// Decodes the spans, which lie in `place` in this order. Returns the plain length of each.
pub(crate) fn decode_spans(
    place: RandomAccess,
    spans: &[CodedSpan],
    output: Output,
    options: &Decode,
) -> Result<Vec<u64>> {
    let decoded = run(place, spans, output, options)?;
    if decoded.len() < spans.len() {
        return Err(ends_elsewhere(spans.get(decoded.len().saturating_sub(1))));
    }
    Ok(decoded.into_iter().map(|decoded| decoded.plain_len).collect())
}

/// Decodes spans whose places are guesses, like [`decode_spans`]. If a frame goes on in the spans behind it, these are
/// no spans but part of the frame. Returns the true spans with their plain lengths.
pub(crate) fn decode_guesses(
    place: RandomAccess,
    guesses: &[CodedSpan],
    options: &Decode,
) -> Result<Vec<(CodedSpan, u64)>> {
    let decoded = run(place, guesses, Output::Nothing, options)?;
    let mut guesses = guesses.iter().cloned();
    let spans = decoded.into_iter().map(|Decoded { coded_len, plain_len }| {
        let mut span = guesses.next().ok_or_else(|| ends_elsewhere(None))?;
        let end = span.coded.start.saturating_add(coded_len);
        while span.coded.end < end {
            let part = guesses.next().ok_or_else(|| ends_elsewhere(Some(&span)))?;
            (span.coded.end, span.next) = (part.coded.end, part.next);
        }
        if span.coded.end == end { Ok((span, plain_len)) } else { Err(ends_elsewhere(Some(&span))) }
    });
    spans.collect()
}

fn ends_elsewhere(span: Option<&CodedSpan>) -> Error {
    let (format, offset) = span.map_or(("", 0), |span| (span.format.name(), span.coded.start));
    let what = "the frame that begins there does not end where the index or its header says";
    Error::corrupt(format, offset, what)
}

fn run(place: RandomAccess, spans: &[CodedSpan], output: Output, options: &Decode) -> Result<Vec<Decoded>> {
    let threads = options.worker_count().min(spans.len()).max(1);
    let options = Decode { threads, ..options.clone() };
    let resources = Resources::within(&options)?;
    let lens = SpanLens::default();
    let joiner = Box::new(LenJoiner { lens: lens.clone(), total: Total::default() });
    let plan = Plan { joiner, ..plan(&resources, &options) };
    let ends = ends(Some(place), output, &options, Taps::default());
    engine::run(plan, coders(&resources, &options), ends, &mut SpanFeeder(spans))?;
    Ok(std::mem::take(&mut *lens.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// A decoder for whole frames that are in memory.
pub(crate) fn frame_decoder(format: Format, options: &Decode) -> Result<Box<dyn Decoder>> {
    let resources = Resources::within(&Decode { threads: 1, ..options.clone() })?;
    format.codec().decoder(&resources.reading(options), options)
}

/// The lengths of a job that is done.
struct Decoded {
    coded_len: u64,
    plain_len: u64,
}

/// The lengths of the jobs that are done, but for those that an earlier job has taken over.
type SpanLens = Arc<Mutex<Vec<Decoded>>>;

/// Collects the lengths of the jobs.
struct LenJoiner {
    lens: SpanLens,
    total: Total,
}

impl Joiner for LenJoiner {
    fn join(&mut self, report: &Report) {
        let &Report { coded_len, plain_len, .. } = report;
        self.lens.lock().unwrap_or_else(PoisonError::into_inner).push(Decoded { coded_len, plain_len });
        self.total.join(report);
    }

    fn total(&self) -> Report {
        self.total.total()
    }
}

/// Makes a job of each span.
struct SpanFeeder<'a>(&'a [CodedSpan]);

impl Feeder for SpanFeeder<'_> {
    fn feed(&mut self, feed: &Feed) -> engine::Result<()> {
        for span in self.0 {
            let CodedSpan { format, coded, context, next } = span;
            let job = feed.open(coded.start)?;
            let coded_len = coded.end - coded.start;
            let tag_here = tag(Some(*format), *context);
            let mark = Mark { start: coded.start, coded_len: Some(coded_len), tag: tag_here };
            feed.mark(job, mark);
            feed.push(job, Segment::Range(coded.clone()));
            let behind = if *next == 0 { Tag::default() } else { tag(Some(*format), *next) };
            feed.close(job, behind);
        }
        Ok(())
    }
}
