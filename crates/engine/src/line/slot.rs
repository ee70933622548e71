//! The slot of a job: everything that the line knows of one job.
//!
//! The line has a fixed number of slots and uses them in turn. All fields are read and written with the lock of the
//! line held. The feeder fills the input and the marks, the worker of the job takes them and adds output, and
//! `deliver.rs` takes the output.

use std::collections::VecDeque;
use std::ops::Range;

use crate::Report;
use crate::buffers::Slice;
use crate::error::Result;
use crate::relay::{Baton, Handover};

/// A stretch of input: bytes in memory, or a range of the input file that the worker reads itself.
pub enum Segment {
    /// Bytes in memory.
    Slice(Slice),
    /// A range of the input, which is a file or memory.
    Range(Range<u64>),
}

/// Ranges become no longer than this when they are joined. A worker reads as much at a time.
const JOINED_LEN: u64 = 256 << 10;

impl Segment {
    /// Its length in bytes.
    #[allow(clippy::len_without_is_empty, reason = "no segment is empty")]
    pub fn len(&self) -> u64 {
        match self {
            Self::Slice(slice) => slice.len() as u64,
            Self::Range(range) => range.end - range.start,
        }
    }

    /// Takes a segment that follows this one into this one, if both are ranges and not long together. So a walker may
    /// pass short ranges, and the job needs no more memory for them.
    pub(super) fn take_in(&mut self, next: &Self) -> bool {
        match (self, next) {
            (Self::Range(range), Self::Range(next))
                if range.end == next.start && next.end - range.start <= JOINED_LEN =>
            {
                range.end = next.end;
                true
            }
            _ => false,
        }
    }

    pub(super) fn again(&self) -> Self {
        match self {
            Self::Slice(slice) => Self::Slice(slice.range(0..slice.len())),
            Self::Range(range) => Self::Range(range.clone()),
        }
    }
}

/// A unit of coded input that the feeder found, usually a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Offset of its first byte.
    pub start: u64,
    /// Its length, after the feeder has seen its end. [`OPEN_ENDED`] if the feeder will never see it.
    pub coded_len: Option<u64>,
    /// What the feeder tells the worker about it.
    pub tag: Tag,
}

/// What the feeder tells the worker about a unit. The line only carries it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tag {
    /// The kind of the unit. 0 if it is no unit.
    pub kind: u8,
    /// What a decoder must know of the place where the unit begins, besides the bytes from there on. 0 if nothing.
    pub context: u8,
}

/// The length of a unit whose end only its decoder can find.
pub const OPEN_ENDED: u64 = u64::MAX;

/// What the line knows of a job.
pub(super) struct Slot {
    /// Offset in the input at which the job starts.
    pub(super) start: u64,
    /// The input of the span that no worker has taken yet, and its length in bytes.
    pub(super) input: VecDeque<Segment>,
    pub(super) input_len: u64,
    /// The length of all input that the feeder has pushed.
    pub(super) span_len: u64,
    /// The input that the job's own worker has taken, as long as an earlier job may continue into the span.
    pub(super) kept: Vec<Segment>,
    /// The units that the feeder has marked. The worker drops those that it has passed.
    pub(super) marks: VecDeque<Mark>,
    /// The feeder has pushed all input.
    pub(super) closed: bool,
    /// A worker waits for input of this span. Cleared when more of it comes.
    pub(super) starves: bool,
    /// The tag of the unit that was marked last.
    pub(super) tag: Tag,
    /// The tag of what the feeder believes to begin behind the job, after the job is closed.
    pub(super) next: Tag,
    /// An earlier job has continued into this span, so nothing that this job emits counts.
    pub(super) cancelled: bool,
    /// The output that has not left the line.
    pub(super) output: VecDeque<Slice>,
    /// The result, after the worker has ended the job.
    pub(super) done: Option<Result<Report>>,
    /// What the job hands on, from its end until it is joined. Its own worker writes it.
    pub(super) handover: Handover,
    /// The batons that this job has published for the next one. Its own worker puts them here, and the next job takes
    /// them.
    pub(super) batons: [Option<Baton>; 2],
    /// Whether this job has published a baton, and so ends where its span ends.
    pub(super) has_handed_on: bool,
    /// Whether this job has taken a published baton, and so begins where its span begins.
    pub(super) is_begun: bool,
    /// The work that this job has left to an earlier job. Its own worker puts it here, and the earlier job takes it.
    pub(super) left: Option<Baton>,
}

impl Slot {
    /// `room` is about how many segments, marks and pieces it will hold. It can hold more.
    pub(super) fn new(room: usize) -> Self {
        Self {
            start: 0,
            input: VecDeque::with_capacity(room),
            input_len: 0,
            span_len: 0,
            kept: Vec::with_capacity(room),
            marks: VecDeque::with_capacity(2 * room),
            closed: false,
            starves: false,
            tag: Tag::default(),
            next: Tag::default(),
            cancelled: false,
            output: VecDeque::with_capacity(room),
            done: None,
            handover: Handover::default(),
            batons: [None, None],
            has_handed_on: false,
            is_begun: false,
            left: None,
        }
    }

    pub(super) fn reset(&mut self, start: u64) {
        debug_assert!(self.output.is_empty());
        self.start = start;
        self.input.clear();
        (self.input_len, self.span_len) = (0, 0);
        self.kept.clear();
        self.marks.clear();
        (self.closed, self.tag, self.next) = (false, Tag::default(), Tag::default());
        self.starves = false;
        self.cancelled = false;
        self.done = None;
        self.reset_relay();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_neighbours_that_are_short_together_are_joined() {
        let is_joined = |first: Range<u64>, next: Range<u64>| {
            let (mut segment, end) = (Segment::Range(first.clone()), next.end);
            let is_joined = segment.take_in(&Segment::Range(next));
            let len = if is_joined { end - first.start } else { first.end - first.start };
            assert_eq!(segment.len(), len);
            is_joined
        };
        assert!(is_joined(10..20, 20..30));
        assert!(is_joined(10..20, 20..10 + JOINED_LEN));
        assert!(!is_joined(10..20, 20..11 + JOINED_LEN), "too long");
        assert!(!is_joined(10..20, 21..30), "a gap");
        assert!(!is_joined(10..20, 5..10), "the wrong order");
    }
}
