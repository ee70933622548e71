//! What a job reports: lengths, frames, and facts about them.
//!
//! A coder returns a [`Report`] for each job. The line gives the reports to the [`Joiner`] in the order of the stream,
//! and the joiner adds them up. The sum is in the [`Outcome`](super::Outcome) of a run.

use crate::Joiner;

/// The report of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Bytes of plain data.
    pub plain_len: u64,
    /// Bytes of coded data.
    pub coded_len: u64,
    /// Whole frames.
    pub frames: u64,
    /// What follows the last frame.
    pub trailing: Trailing,
    /// Facts stated by the first frame and the last.
    pub facts: Facts,
    /// A number from the encoder of this frame for the joiner of its format. It is not added up.
    pub note: u64,
}

impl Report {
    /// Adds the report of what follows.
    pub fn add(&mut self, other: &Self) {
        self.plain_len += other.plain_len;
        self.coded_len += other.coded_len;
        self.frames += other.frames;
        self.trailing = self.trailing.or(other.trailing);
        self.facts = self.facts.then(other.facts);
    }
}

/// The plainest [`Joiner`]: it adds up the reports, and makes no trailer.
#[derive(Default)]
pub struct Total(Report);

impl Joiner for Total {
    fn join(&mut self, report: &Report) {
        self.0.add(report);
    }

    fn total(&self) -> Report {
        self.0
    }
}

/// What frames state besides their data. The engine looks at nothing in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// A number that the first frame states. Each format gives it its own meaning.
    pub first: Option<u32>,
    /// A number that the last frame states.
    pub last: Option<u32>,
    /// A frame carries a check that could not be verified.
    pub is_unverified: bool,
    /// Whether another frame must follow the last one, if that is known.
    pub lacks_end: Option<bool>,
}

impl Facts {
    /// The facts of these frames and of the frames that follow them.
    pub fn then(self, next: Self) -> Self {
        Self {
            first: self.first.or(next.first),
            last: next.last.or(self.last),
            is_unverified: self.is_unverified || next.is_unverified,
            lacks_end: next.lacks_end.or(self.lacks_end),
        }
    }
}

/// What followed the last frame and was no frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trailing {
    /// Bytes of zeros up to the end of the input, if nothing else followed.
    pub zeros: u64,
    /// Offset of bytes that begin no accepted format, if they were ignored or copied.
    pub garbage: Option<u64>,
    /// Whether these bytes end as a frame does: then they are no garbage, but frames behind damage.
    pub ends_with_frame: bool,
    /// Offset of the second entry of an archive, of which only the first entry was read.
    pub more: Option<u64>,
    /// Offset of the first byte that is not zero behind the only frame that was to be read.
    pub unread: Option<u64>,
}

impl Trailing {
    /// Joins what was found before and later. There is only one end of the input.
    pub fn or(self, later: Self) -> Self {
        Self {
            zeros: self.zeros + later.zeros,
            garbage: self.garbage.or(later.garbage),
            ends_with_frame: self.ends_with_frame || later.ends_with_frame,
            more: self.more.or(later.more),
            unread: self.unread.or(later.unread),
        }
    }

    /// Where bytes begin that may hold data and did not become output, if `copies` says whether garbage was copied.
    /// Zeros hold no data.
    pub fn left_from(self, copies: bool) -> Option<u64> {
        // All fields are named, so that a new one is not forgotten here.
        let Self { zeros: _, garbage, ends_with_frame: _, more, unread } = self;
        [garbage.filter(|_| !copies), more, unread].into_iter().flatten().min()
    }
}
