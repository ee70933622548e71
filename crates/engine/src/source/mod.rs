//! The input of a job, as its worker sees it: the span of one job, as contiguous bytes.
//!
//! The input comes from the line in segments: slabs of a stream, or ranges of a file or of memory. A coder looks at the
//! bytes at hand, and consumes the bytes that it has used. [`Source::gather`] copies the ends of segments together, so
//! that a whole frame is contiguous. The thread of the worker (`worker.rs`) makes a source for each job.
//!
//! If a frame does not end where the span ends, [`Source::more`] continues into the span of the next job. The [`Relay`]
//! has what the job gets from the jobs before it and hands to the next job. [`Units`] has the units that the feeder
//! found, unless the job has continued into the span of another job: those do not count any more.

mod relay;

use std::ops::Range;
use std::sync::atomic::Ordering;

pub use relay::Relay;

use super::buffers::Slice;
use super::line::{Line, Mark, OPEN_ENDED, Segment, SpanInput, Tag};
use crate::SLABS_MIN;
use crate::error::{Error, Result};
use crate::io::RandomAccess;
use crate::waits::{Activity, timed};

/// How much of a file is read at a time if the length of the frame is not known.
const READ_LEN: usize = 256 << 10;

/// A longer frame is decoded as it comes, and is not gathered first.
pub const WHOLE_CODED_MAX: usize = 4 << 20;

/// How much of a file is read first if a job is only a trial, which may end at once.
const FIRST_READ_LEN: usize = 4 << 10;

/// Memory of one worker, used for job after job.
pub(crate) struct Scratch {
    bytes: Vec<u8>,
    /// How much is read next.
    read_len: usize,
}

impl Default for Scratch {
    fn default() -> Self {
        Self { bytes: Vec::new(), read_len: READ_LEN }
    }
}

impl Scratch {
    /// To read little at first, and then more and more.
    pub(crate) fn for_trial() -> Self {
        Self { read_len: FIRST_READ_LEN, ..Self::default() }
    }

    /// How much is to be read now.
    fn next_read_len(&mut self) -> usize {
        let len = self.read_len;
        self.read_len = (2 * len).min(READ_LEN);
        len
    }

    /// Grows to at least `len` bytes, and keeps the first `keep` bytes.
    fn grow(&mut self, len: usize, keep: usize) {
        if self.bytes.len() < len {
            // Only `keep` bytes are copied, and pages that are not used are not touched.
            let mut larger = vec![0; len.next_multiple_of(64 << 10)];
            larger[..keep].copy_from_slice(&self.bytes[..keep]);
            self.bytes = larger;
        }
    }
}

/// Where the unread bytes at hand are.
enum View<'a> {
    Slab(Slice, usize),
    Scratch(Range<usize>),
    /// In the memory that is the input.
    Memory(&'a [u8]),
}

/// The input of one job.
pub struct Source<'a> {
    line: &'a Line,
    place: Option<RandomAccess<'a>>,
    scratch: &'a mut Scratch,
    job: u64,
    /// The job whose span is read: `job`, or a later job into which it continued.
    span: u64,
    /// The offset at which the job starts, and that of the next byte.
    start: u64,
    offset: u64,
    view: View<'a>,
    /// The rest of a range of the file.
    range: Range<u64>,
    span_ended: bool,
    /// The tag of what is believed to begin behind the span, after the span has ended.
    next_tag: Tag,
    /// What the job gets from the jobs before it and hands to the next job.
    pub relay: Relay<'a>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(
        line: &'a Line,
        place: Option<RandomAccess<'a>>,
        scratch: &'a mut Scratch,
        job: u64,
    ) -> Self {
        let offset = line.start_of(job);
        Self {
            line,
            place,
            scratch,
            job,
            span: job,
            start: offset,
            offset,
            view: View::Scratch(0..0),
            range: 0..0,
            span_ended: false,
            next_tag: Tag::default(),
            relay: Relay::new(line, job),
        }
    }

    /// Offset of the next byte in the coded stream.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The unread bytes at hand.
    pub fn bytes(&self) -> &[u8] {
        match &self.view {
            View::Slab(slice, start) => &slice[*start..],
            View::Scratch(range) => &self.scratch.bytes[range.clone()],
            View::Memory(rest) => rest,
        }
    }

    /// The unread bytes at hand. At least one, unless the span ends here.
    pub fn available(&mut self) -> Result<&[u8]> {
        while self.bytes().is_empty() && self.next_segment()? {
            if !self.range.is_empty() {
                let len = self.scratch.next_read_len();
                self.read_range(len)?;
            }
        }
        Ok(self.bytes())
    }

    /// Whether the next call of [`Self::available`] or [`Self::unit`] returns without waiting for the feeder.
    pub(crate) fn is_ready(&self) -> bool {
        !self.bytes().is_empty()
            || !self.range.is_empty()
            || self.span_ended
            || self.line.is_ready(self.span, self.offset)
    }

    /// Waits for the next input. Returns true if none comes because the input pauses.
    pub(crate) fn input_pauses(&self) -> Result<bool> {
        if !self.bytes().is_empty() || !self.range.is_empty() || self.span_ended {
            return Ok(false);
        }
        self.line.await_input(self.job, self.span).map(|has_come| !has_come)
    }

    /// The unit that the feeder marked here. Nothing if it marked none.
    ///
    /// If the unit is short enough to be gathered, this waits for its end, and the mark has its length.
    pub fn unit(&mut self) -> Result<Option<Mark>> {
        while self.span == self.job {
            let have = self.bytes().len() as u64 + (self.range.end - self.range.start);
            // A worker waits while at most half the slabs are filled. Otherwise the feeder could have none left. Ranges
            // of a file take no slabs.
            let segments_max = if self.place.is_some() { usize::MAX } else { SLABS_MIN / 2 };
            let (mark, is_crowded) =
                self.line.unit(self.job, self.offset, have, WHOLE_CODED_MAX as u64, segments_max)?;
            if is_crowded {
                // The slabs may have few bytes each. These are copied together, and the slabs go back.
                self.append_segment(self.bytes().len())?;
                continue;
            }
            return Ok(mark.map(|mark| Mark {
                coded_len: mark.coded_len.filter(|&len| len != OPEN_ENDED && len <= WHOLE_CODED_MAX as u64),
                ..mark
            }));
        }
        Ok(None)
    }

    /// The units that the feeder found in the input of the job.
    pub fn units(&self) -> Units<'_, 'a> {
        Units(self)
    }

    /// Whether the job ends behind the next `read` bytes at hand, unless more input comes.
    pub fn ends_behind(&self, read: usize) -> bool {
        self.span == self.job && self.range.is_empty() && read == self.bytes().len()
    }

    /// The tag of what the feeder believes to begin behind the span, if the span ends behind the bytes at hand. Nothing
    /// if that is not known yet.
    pub fn end(&self) -> Option<Tag> {
        self.span_ended.then_some(self.next_tag)
    }

    /// The tag of what follows the span. All input of the span must be at hand.
    pub fn span_end(&mut self) -> Result<Tag> {
        if !self.span_ended {
            match self.line.input(self.job, self.span)? {
                SpanInput::SpanEnd(next) if self.range.is_empty() => {
                    (self.span_ended, self.next_tag) = (true, next);
                }
                _ => return Err(Error::Internal("the span has more input than was gathered".into())),
            }
        }
        Ok(self.next_tag)
    }

    /// Consumes `len` of the bytes at hand. A slab that is used up goes back.
    pub fn consume(&mut self, len: usize) {
        debug_assert!(len <= self.bytes().len());
        self.offset += len as u64;
        self.line.used(self.job).store(self.offset - self.start, Ordering::Relaxed);
        match &mut self.view {
            View::Slab(slice, start) if *start + len == slice.len() => self.view = View::Scratch(0..0),
            View::Slab(_, start) => *start += len,
            View::Scratch(range) => range.start += len,
            View::Memory(rest) => *rest = &rest[len..],
        }
    }

    /// Continues into the next span, because a frame does not end where this span ends. False at the end of the whole
    /// input.
    pub fn more(&mut self) -> Result<bool> {
        debug_assert!(self.span_ended);
        if matches!(self.view, View::Slab(..)) {
            // The slab goes back before this thread waits.
            self.gather_unread(self.bytes().len());
        }
        let Some(next) = self.line.continue_into_next(self.job, self.span)? else {
            return Ok(false);
        };
        self.span = next;
        self.span_ended = false;
        Ok(true)
    }

    /// Like [`Self::available`], but inside a frame, where the end of a span is not the end. Empty only at the end of
    /// the whole input.
    pub fn inside(&mut self) -> Result<&[u8]> {
        while self.available()?.is_empty() {
            if !self.more()? {
                break;
            }
        }
        Ok(self.bytes())
    }

    /// Fills `out` from inside a frame. False if the whole input ends before.
    pub fn read_exact(&mut self, mut out: &mut [u8]) -> Result<bool> {
        while !out.is_empty() {
            let bytes = self.inside()?;
            if bytes.is_empty() {
                return Ok(false);
            }
            let len = bytes.len().min(out.len());
            out[..len].copy_from_slice(&bytes[..len]);
            out = &mut out[len..];
            self.consume(len);
        }
        Ok(true)
    }

    /// Consumes `len` bytes inside a frame. False if the whole input ends before.
    pub fn skip(&mut self, mut len: u64) -> Result<bool> {
        while len > 0 {
            let here = self.inside()?.len();
            if here == 0 {
                return Ok(false);
            }
            let step = usize::try_from(len).unwrap_or(here).min(here);
            self.consume(step);
            len -= step as u64;
        }
        Ok(true)
    }

    /// At least `len` contiguous unread bytes, or all that the span still has.
    pub fn gather(&mut self, len: usize) -> Result<&[u8]> {
        while self.bytes().len() < len {
            if !self.range.is_empty() {
                self.read_range(len - self.bytes().len())?;
            } else if !self.append_segment(len)? {
                break;
            }
        }
        Ok(self.bytes())
    }

    /// Like [`Self::gather`], but fewer bytes also if the input pauses. With `far_ahead`, a file is read far ahead,
    /// because more will be gathered.
    pub fn gather_until_pause(&mut self, len: usize, far_ahead: bool) -> Result<&[u8]> {
        while self.bytes().len() < len {
            if !self.range.is_empty() {
                let ahead = if far_ahead { self.scratch.next_read_len() } else { 0 };
                self.read_range(ahead.max(len - self.bytes().len()))?;
            } else if self.span_ended
                || !self.line.await_input(self.job, self.span)?
                || !self.append_segment(len)?
            {
                break;
            }
        }
        Ok(self.bytes())
    }

    /// Like [`Self::gather`], but inside a frame: fewer bytes only at the end of the whole input.
    pub fn gather_inside(&mut self, len: usize) -> Result<&[u8]> {
        while self.gather(len)?.len() < len {
            if !self.more()? {
                break;
            }
        }
        Ok(self.bytes())
    }

    /// Makes the next segment the view, after the view is used up. False at the end of the span.
    fn next_segment(&mut self) -> Result<bool> {
        if !self.range.is_empty() {
            return Ok(true);
        }
        if self.span_ended {
            return Ok(false);
        }
        // The slab goes back before this thread waits for the next one.
        self.view = View::Scratch(0..0);
        match self.line.input(self.job, self.span)? {
            SpanInput::Segment(Segment::Slice(slice)) => self.view = View::Slab(slice, 0),
            SpanInput::Segment(Segment::Range(range)) => match self.place {
                Some(RandomAccess::Memory(memory)) => self.view = View::Memory(memory_range(memory, range)?),
                _ => self.range = range,
            },
            SpanInput::SpanEnd(next) => (self.span_ended, self.next_tag) = (true, next),
        }
        Ok(!self.span_ended)
    }

    /// Appends the next segment to the unread bytes. If the segment is a range, it is only noted:
    /// [`Self::read_range`] reads it later. False at the end of the span.
    fn append_segment(&mut self, len: usize) -> Result<bool> {
        if self.bytes().is_empty() {
            return self.next_segment();
        }
        if self.span_ended {
            return Ok(false);
        }
        // The bytes at hand may be long. They stay where they are if no others follow.
        if let Some(next) = self.line.span_end(self.job, self.span)? {
            (self.span_ended, self.next_tag) = (true, next);
            return Ok(false);
        }
        let kept = self.gather_unread(len);
        let more = self.next_segment()?;
        let view = std::mem::replace(&mut self.view, View::Scratch(0..kept));
        let behind = match &view {
            View::Slab(slice, _) => &slice[..],
            View::Memory(memory) => memory,
            View::Scratch(_) => return Ok(more),
        };
        // The whole slab is copied: its bytes behind `len` are the start of the next frame.
        let end = kept + behind.len();
        self.scratch.grow(end, kept);
        self.scratch.bytes[kept..end].copy_from_slice(behind);
        self.view = View::Scratch(0..end);
        Ok(more)
    }

    /// Moves the unread bytes to the start of the scratch memory, with room for `len` bytes together. Returns their
    /// number.
    fn gather_unread(&mut self, len: usize) -> usize {
        let view = std::mem::replace(&mut self.view, View::Scratch(0..0));
        let rest = match &view {
            View::Slab(slice, start) => &slice[*start..],
            View::Memory(rest) => rest,
            View::Scratch(range) => {
                let kept = range.len();
                if range.start > 0 {
                    self.scratch.bytes.copy_within(range.clone(), 0);
                }
                self.scratch.grow(len, kept);
                self.view = View::Scratch(0..kept);
                return kept;
            }
        };
        self.scratch.grow(len.max(rest.len()), 0);
        self.scratch.bytes[..rest.len()].copy_from_slice(rest);
        self.view = View::Scratch(0..rest.len());
        rest.len()
    }

    /// Reads up to `len` bytes of the range of the file, and appends them to the unread bytes.
    fn read_range(&mut self, len: usize) -> Result<()> {
        let Some(place) = self.place else {
            return Err(Error::Internal("a range of nothing".into()));
        };
        let len = usize::try_from(self.range.end - self.range.start).unwrap_or(len).min(len);
        let kept = self.gather_unread(self.bytes().len() + len);
        let bytes = &mut self.scratch.bytes[kept..kept + len];
        let read = timed(Activity::Reading, || place.read_at(bytes, self.range.start))?;
        self.view = View::Scratch(0..kept + read);
        self.range.start += read as u64;
        if read < len {
            return Err(Error::Shrank { expected: self.range.end, found: self.range.start });
        }
        Ok(())
    }
}

/// The bytes in a range of memory.
fn memory_range(memory: &[u8], range: Range<u64>) -> Result<&[u8]> {
    let place = |at: u64| usize::try_from(at).ok();
    let part = place(range.start).zip(place(range.end)).and_then(|(start, end)| memory.get(start..end));
    part.ok_or_else(|| Error::Internal("a range beyond the memory".into()))
}

/// The units of the job of a source.
pub struct Units<'s, 'a>(&'s Source<'a>);

impl Units<'_, '_> {
    /// Fills in the lengths of the units that begin here, are of one kind, are at hand completely, and can be
    /// gathered together. Returns their number.
    pub fn whole(&self, lens: &mut [usize]) -> usize {
        if self.0.span != self.0.job {
            return 0;
        }
        self.0.line.units(self.0.job, self.0.offset, WHOLE_CODED_MAX as u64, lens)
    }

    /// The unit that the feeder marked exactly here, if there is one by now. Does not wait.
    pub fn marked_here(&self) -> Option<Mark> {
        self.0.line.unit_at(self.0.job, self.0.offset).filter(|_| self.0.span == self.0.job)
    }

    /// The next unit behind this offset that the feeder has marked by now, and whether the span is at hand to its
    /// end.
    pub fn next(&self) -> (Option<Mark>, bool) {
        if self.0.span == self.0.job {
            self.0.line.next_unit(self.0.job, self.0.offset)
        } else {
            (None, false)
        }
    }
}
