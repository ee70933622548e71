//! [`Verified`]: how many spans of a map, from the first one on, have verified plain lengths.
//!
//! The plain offset of a span is the sum of all plain lengths before it. So the reader asks for these lengths before it
//! gives out data of the span. A length is verified if
//!
//! - the index beside the file states it, which was made by decoding all of the file;
//! - two places in the file agree about it and about the end of the span, and decoding would refuse at least one of
//!   them if it were wrong: a seek table and the headers of its frames, or the Index of xz and the Blocks;
//! - all frames but the last state the same length, and decoding would refuse a wrong one;
//! - the format has a rule of its own, and that rule says so
//!   ([`Places::vouches`](crate::format::places::Places::vouches));
//! - the span has been decoded.
//!
//! Spans for which nothing else holds are decoded here, on all threads, and their data is dropped.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::decode::verify_len;
use super::find::by_headers;
use super::map::{Lengths, Map, Span, SpanKind};
use crate::decompress::{CodedSpan, RangeCursor, decode_spans};
use crate::error::Result;
use crate::format::places::{ListedFrame, Stated};
use crate::options::Decode;
use engine::io::{Output, RandomAccess};

/// How many spans are decoded at once.
const BATCH: usize = 1 << 14;

/// How many spans from the first one on have lengths that are verified.
#[derive(Default)]
pub(super) struct Verified {
    count: AtomicUsize,
    are_equal: OnceLock<bool>,
    /// Held by the thread that verifies.
    work: Mutex<()>,
}

impl Verified {
    /// Notes that these spans have been decoded, and have their lengths.
    pub(super) fn note(&self, spans: std::ops::Range<usize>) {
        if spans.start <= self.count.load(Ordering::Acquire) {
            self.count.fetch_max(spans.end, Ordering::AcqRel);
        }
    }

    /// Verifies the lengths of the first `count` spans.
    pub(super) fn reach(&self, count: usize, map: &Map, place: RandomAccess, options: &Decode) -> Result<()> {
        if map.lengths == Lengths::Decoded || self.count.load(Ordering::Acquire) >= count {
            return Ok(());
        }
        let _work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        let are_equal = *self.are_equal.get_or_init(|| are_equal(map));
        let mut at = self.count.load(Ordering::Acquire);
        while at < count {
            let spans = &map.spans[at..count.min(at + BATCH)];
            let mut doubtful = Vec::new();
            for (number, span) in (at..).zip(spans) {
                // Equal lengths say nothing of the last one.
                let is_equal = are_equal && (number + 1 < map.spans.len() || map.rest.is_some());
                if !is_vouched(span, map.lengths, is_equal, place, options)? {
                    doubtful.push(*span);
                }
            }
            decode_all(place, &doubtful, options)?;
            self.note(at..at + spans.len());
            at += spans.len();
        }
        Ok(())
    }
}

/// Whether all frames but the last state the same plain length, and there are at least two of these.
fn are_equal(map: &Map) -> bool {
    let (others, last) = match &map.spans[..] {
        [others @ .., last] if map.rest.is_none() => (others, last.plain_len),
        all => (all, 0),
    };
    let [first, _, ..] = others else { return false };
    others.iter().all(|span| span.plain_len == first.plain_len) && last <= first.plain_len
}

/// Whether the length of a span is verified without decoding it.
fn is_vouched(
    span: &Span,
    lengths: Lengths,
    is_equal: bool,
    place: RandomAccess,
    options: &Decode,
) -> Result<bool> {
    // An index beside the file states the length of a part of a frame.
    let SpanKind::Unit { format, context, .. } = span.kind else { return Ok(true) };
    let (coded, is_listed) = (span.coded_range(), lengths == Lengths::Listed);
    let mut cursor = RangeCursor::new(place, coded.clone());
    let frame = ListedFrame { coded, plain_len: span.plain_len, context };
    let stated = Stated { frame, is_listed, is_equal };
    if let Some(is_vouched) = format.codec().places().vouches(place, &mut cursor, &stated)? {
        return Ok(is_vouched);
    }
    if !is_listed {
        return Ok(is_equal);
    }
    let headers = by_headers(place, stated.frame.coded, options)?;
    Ok(headers.rest.is_none() && !headers.is_cut && headers.plain_end() == span.plain_len)
}

/// Decodes all spans, which the pipeline decodes, and compares their lengths with those in the map.
pub(super) fn decode_all(place: RandomAccess, spans: &[Span], options: &Decode) -> Result<()> {
    for spans in spans.chunks(BATCH) {
        let units: Vec<CodedSpan> = spans.iter().filter_map(Span::unit).collect();
        let lens = decode_spans(place, &units, Output::Nothing, options)?;
        for (span, len) in spans.iter().filter(|span| span.unit().is_some()).zip(lens) {
            verify_len(span, len)?;
        }
    }
    Ok(())
}
