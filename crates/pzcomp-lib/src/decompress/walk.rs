//! The feeder of decompression: finds units and groups them into jobs.
//!
//! [`Walk`] is the feeder that the pipeline runs. It lets the survey (`survey.rs`) walk through the input with a
//! [`JobCursor`], which opens a job for units, marks the units in it, and pushes the bytes that are passed. A mark
//! tells the worker where a unit begins and of which format it is. Many small frames share a job. A frame whose end is
//! not visible, or a part of a frame, has a job of its own, unless two parts are decoded at once.
//!
//! How units are grouped depends on the input and the number of workers only, and never on the time.

use super::cursor::{RangeCursor, StreamCursor, Supplier};
use super::survey::{Survey, UnitSink};
use crate::error::{Error, Result};
use crate::format::{Cursor, Format, Unit, UnitKind};
use crate::options::Decode;
use engine::io::{Input, InputStream};
use engine::{Feed, Feeder, Mark, OPEN_ENDED, Segment, Tag};

/// A job of many small frames ends at this much coded data, this much plain data, or this many frames.
const JOB_CODED_LEN: u64 = 256 << 10;
const JOB_PLAIN_LEN: u64 = 1 << 20;
const JOB_FRAMES: usize = 64;

/// A longer unit is not paired with another.
const PAIRED_LEN: u64 = 1 << 20;

/// What a mark tells the worker: the format and the context.
pub(super) fn tag(format: Option<Format>, context: u8) -> Tag {
    format.map_or(Tag::default(), |format| Tag { kind: format.index() as u8 + 1, context })
}

/// The reverse of [`tag`].
pub(super) fn tagged(tag: Tag) -> Option<(Format, u8)> {
    let index = tag.kind.checked_sub(1)?;
    Some((*Format::EVERY.get(usize::from(index))?, tag.context))
}

/// What is walked through.
enum WalkInput<'a> {
    Input(Input<'a>),
    Stream(InputStream<'a>),
    Supplier(Supplier<'a>),
}

/// The feeder of decompression.
pub(super) struct Walk<'a> {
    input: Option<WalkInput<'a>>,
    survey: Survey,
    coded_len: u64,
}

impl<'a> Walk<'a> {
    pub(super) fn new(input: Input<'a>, options: &Decode, workers: usize) -> Self {
        Self::of(WalkInput::Input(input), options, workers)
    }

    /// The feeder of a stream.
    pub(super) fn stream(stream: InputStream<'a>, options: &Decode, workers: usize) -> Self {
        Self::of(WalkInput::Stream(stream), options, workers)
    }

    /// The feeder of a session.
    pub(super) fn supplied(supplier: Supplier<'a>, options: &Decode, workers: usize) -> Self {
        Self::of(WalkInput::Supplier(supplier), options, workers)
    }

    fn of(input: WalkInput<'a>, options: &Decode, workers: usize) -> Self {
        Self { input: Some(input), survey: Survey::new(options).for_workers(workers), coded_len: 0 }
    }

    /// What was found, and the length of the coded input.
    pub(super) fn into_survey(self) -> (Survey, u64) {
        (self.survey, self.coded_len)
    }

    fn walk<C: Cursor>(&mut self, feed: &Feed, input: C) -> Result<()> {
        let mut cursor = JobCursor { feed, input, job: None };
        let walked = self.survey.walk(&mut cursor).and_then(|()| self.survey.ended(cursor.offset()));
        let result = match walked {
            Err(
                fault @ (Error::Corrupt { .. }
                | Error::Truncated { .. }
                | Error::Unfinished { .. }
                | Error::NoEnd { .. }),
            ) => cursor.fail(fault),
            result => result,
        };
        // If a frame is cut off, its worker reports that.
        cursor.close(Tag::default());
        self.coded_len = cursor.offset();
        result
    }
}

impl Feeder for Walk<'_> {
    fn feed(&mut self, feed: &Feed) -> engine::Result<()> {
        let input = match self.input.take() {
            None => return Ok(()),
            Some(WalkInput::Supplier(supplier)) => {
                return Ok(self.walk(feed, StreamCursor::new(feed, supplier))?);
            }
            Some(WalkInput::Stream(stream)) => {
                return Ok(self.walk(feed, StreamCursor::new(feed, Supplier::Stream(stream)))?);
            }
            Some(WalkInput::Input(input)) => input,
        };
        if let Some((place, range)) = input.random_access() {
            self.walk(feed, RangeCursor::new(place, range))?;
            input.finish(self.coded_len);
        } else if let Some(stream) = input.into_stream() {
            self.walk(feed, StreamCursor::new(feed, Supplier::Stream(stream)))?;
        }
        Ok(())
    }
}

/// The job that is being fed.
struct OpenJob {
    number: u64,
    yields_nothing: bool,
    is_streamed: bool,
    start: u64,
    /// Offset of the unit that is being passed.
    unit: u64,
    plain_len: u64,
    frames: usize,
    /// Whether one of its units needs nothing of the units before.
    has_start: bool,
}

impl OpenJob {
    fn new(number: u64, yields_nothing: bool, start: u64) -> Self {
        Self {
            number,
            yields_nothing,
            is_streamed: false,
            start,
            unit: start,
            plain_len: 0,
            frames: 0,
            has_start: false,
        }
    }
}

/// A cursor that pushes the bytes it passes to the open job.
struct JobCursor<'a, C> {
    feed: &'a Feed<'a>,
    input: C,
    job: Option<OpenJob>,
}

impl<C: Cursor> UnitSink for JobCursor<'_, C> {
    fn cursor(&mut self) -> &mut dyn Cursor {
        self
    }

    /// Adds the unit to the open job, or opens a job for it.
    fn begin(&mut self, unit: Unit, format: Option<Format>) -> Result<()> {
        let offset = self.input.offset();
        let yields_nothing = !unit.has_data();
        // The worker does not wait for the end of such a unit.
        let is_streamed = matches!(unit.kind, UnitKind::Part | UnitKind::Rest);
        let joins = self.job.as_ref().is_some_and(|job| {
            // The end of a stream of blocks stays in the job in which the stream began. In a job of its own it would
            // have to wait for that job, and all following units of its job would wait too.
            let continues = unit.context != 0 && job.has_start;
            if unit.is_paired && !job.yields_nothing && job.frames == 1 && offset - job.start <= PAIRED_LEN {
                return job.is_streamed == is_streamed;
            }
            let small = offset - job.start < if continues { 2 * JOB_CODED_LEN } else { JOB_CODED_LEN }
                && job.plain_len < JOB_PLAIN_LEN
                && job.frames < JOB_FRAMES;
            job.yields_nothing == yields_nothing
                && !is_streamed
                && !job.is_streamed
                && (yields_nothing || small)
        });
        if !joins {
            self.close(tag(format, unit.context));
            let number =
                if yields_nothing { self.feed.open_done(offset, Ok(()))? } else { self.feed.open(offset)? };
            self.job = Some(OpenJob { is_streamed, ..OpenJob::new(number, yields_nothing, offset) });
        }
        if let Some(job) = &mut self.job {
            job.unit = offset;
            job.frames += 1;
            job.has_start |= unit.context == 0;
            job.plain_len = job.plain_len.saturating_add(unit.plain_len.unwrap_or(0));
            if !yields_nothing {
                let coded_len = is_streamed.then_some(OPEN_ENDED);
                let tag = tag(format, unit.context);
                self.feed.mark(job.number, Mark { start: offset, coded_len, tag });
            }
        }
        Ok(())
    }

    /// Notes that the unit has been passed. Returns its length.
    fn finish(&mut self) -> Result<u64> {
        let Some(job) = &self.job else { return Ok(0) };
        let coded_len = self.input.offset() - job.unit;
        if !job.yields_nothing && !job.is_streamed {
            self.feed.mark_len(job.number, coded_len);
        }
        Ok(coded_len)
    }
}

impl<C: Cursor> JobCursor<'_, C> {
    /// Reports that something is wrong here, with a job that fails. If this is inside a frame or unknown bytes, the
    /// worker of those continues into this job, so the job does not count. The worker then finds everything that
    /// follows.
    fn fail(&mut self, fault: Error) -> Result<()> {
        let offset = self.input.offset();
        self.close(Tag::default());
        self.job = Some(OpenJob::new(self.feed.open_done(offset, Err(fault.into()))?, true, offset));
        self.take_rest()
    }

    /// Ends the open job. `next` is the tag of what begins behind it.
    fn close(&mut self, next: Tag) {
        if let Some(job) = self.job.take() {
            self.feed.close(job.number, next);
        }
    }
}

impl<C: Cursor> Cursor for JobCursor<'_, C> {
    fn peek(&mut self, len: usize) -> Result<&[u8]> {
        self.input.peek(len)
    }

    fn peek_far(&mut self, len: usize) -> Result<&[u8]> {
        self.input.peek_far(len)
    }

    fn glance(&mut self, len: usize) -> Result<&[u8]> {
        self.input.glance(len)
    }

    fn next_segment(&mut self, most: u64) -> Result<Option<Segment>> {
        self.input.next_segment(most)
    }

    /// Pushes the segment to the open job.
    fn receive(&mut self, segment: Segment) {
        if let Some(job) = &self.job {
            self.feed.push(job.number, segment);
        }
    }

    fn offset(&self) -> u64 {
        self.input.offset()
    }
}
