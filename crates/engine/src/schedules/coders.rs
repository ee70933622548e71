//! A format of models: a frame is a byte with a length, and as many bytes. And what feeds it.

use super::{one_in, pattern, pick};
use crate::buffers::Lease;
use crate::error::{Error, Result};
use crate::{Coder, Emitter, Feed, Feeder, Joiner, Report, Segment, Source, Tag, Total};

/// Frames of these lengths, as they are coded and as they are plain.
pub(super) struct Stream {
    pub(super) coded: Vec<u8>,
    pub(super) plain: Vec<u8>,
    /// Where the frames begin, and the end.
    pub(super) starts: Vec<usize>,
}

impl Stream {
    pub(super) fn of(lens: &[u8]) -> Self {
        let plain = pattern(lens.iter().copied().map(usize::from).sum());
        let (mut coded, mut starts, mut at) = (Vec::new(), vec![0], 0);
        for &len in lens {
            coded.push(len);
            coded.extend(&plain[at..at + usize::from(len)]);
            at += usize::from(len);
            starts.push(coded.len());
        }
        Self { coded, plain, starts }
    }

    /// The plain bytes of all frames that end in the first `coded` bytes.
    pub(super) fn whole_before(&self, coded: usize) -> &[u8] {
        let frames = self.starts.iter().filter(|&&end| end <= coded).count().saturating_sub(1);
        &self.plain[..self.starts[frames] - frames]
    }

    /// Some offsets, right ones and wrong ones.
    pub(super) fn cuts(&self) -> Vec<usize> {
        (1..self.coded.len()).filter(|_| one_in(3)).collect()
    }
}

/// Decodes frames, wherever the feeder has cut. Fails in the frame that begins at an offset.
pub(super) struct Frames {
    pub(super) fail_at: Option<u64>,
}

impl Coder for Frames {
    fn code(&mut self, source: &mut Source, out: &mut Emitter) -> Result<Report> {
        let mut report = Report::default();
        loop {
            out.flush_before_wait(source)?;
            if source.available()?.is_empty() {
                break;
            }
            let start = source.offset();
            if self.fail_at == Some(start) {
                return Err(Error::coder(format!("told to at {start}")));
            }
            out.frame().begin();
            let mut len = [0];
            source.read_exact(&mut len)?;
            let mut frame = vec![0; usize::from(len[0])];
            for byte in frame.chunks_mut(1) {
                out.flush_if_input_pauses(source)?;
                if !source.read_exact(byte)? {
                    return Err(Error::coder("cut off"));
                }
            }
            out.write(&frame)?;
            report.frames += 1;
        }
        report.plain_len = out.total();
        Ok(report)
    }
}

/// Feeds memory that is cut at these offsets, in slabs of two bytes.
pub(super) struct CutFeeder<'a> {
    pub(super) input: &'a [u8],
    pub(super) cuts: Vec<usize>,
    /// Whether jobs may be opened with all their input. A job with a guess may not: it may be opened again.
    pub(super) is_certain: bool,
    /// The error that the feeder ends with.
    pub(super) error: Option<Error>,
}

/// The length of a slab.
pub(super) const SLAB_LEN: usize = 2;

/// A slab with these bytes.
pub(super) fn filled(mut slab: Lease, bytes: &[u8]) -> Segment {
    slab[..bytes.len()].copy_from_slice(bytes);
    Segment::Slice(slab.freeze(0..bytes.len()))
}

impl Feeder for CutFeeder<'_> {
    fn feed(&mut self, feed: &Feed) -> Result<()> {
        let mut start = 0;
        for &end in self.cuts.iter().chain([&self.input.len()]) {
            let span = &self.input[start..end];
            if self.is_certain && span.len() <= SLAB_LEN && one_in(3) {
                feed.open_whole(start as u64, filled(feed.slab(SLAB_LEN)?, span), Tag::default())?;
            } else {
                let job = feed.open(start as u64)?;
                for part in span.chunks(1 + pick(SLAB_LEN)) {
                    feed.push(job, filled(feed.slab(SLAB_LEN)?, part));
                }
                feed.close(job, Tag::default());
            }
            start = end;
        }
        self.error.take().map_or(Ok(()), Err)
    }
}

/// Adds up the reports, and ends the output with a trailer.
#[derive(Default)]
pub(super) struct WithTrailer(Total);

impl Joiner for WithTrailer {
    fn join(&mut self, report: &Report) {
        self.0.join(report);
    }

    fn trailer(&mut self) -> Vec<u8> {
        b">".to_vec()
    }

    fn total(&self) -> Report {
        self.0.total()
    }
}

/// Asks the owner of a session for input, and opens jobs at these offsets.
pub(super) fn feed_by_asking(feed: &Feed, cuts: &[usize]) -> Result<()> {
    let (mut at, mut job, mut may_pause) = (0, feed.open(0)?, true);
    loop {
        let (slab, len) = match feed.ask(SLAB_LEN, may_pause) {
            Ok(Some(supply)) => supply,
            Ok(None) => {
                may_pause = false;
                continue;
            }
            Err(error) => {
                feed.close(job, Tag::default());
                return Err(error);
            }
        };
        may_pause = true;
        if len == 0 {
            feed.close(job, Tag::default());
            return Ok(());
        }
        let bytes = slab.freeze(0..len);
        // A feeder has seen bytes behind a cut. So no job begins without input.
        for begin in 0..len {
            if cuts.contains(&(at + begin)) {
                feed.close(job, Tag::default());
                job = feed.open((at + begin) as u64)?;
            }
            feed.push(job, Segment::Slice(bytes.range(begin..begin + 1)));
        }
        at += len;
    }
}
