//! What is known of one job.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use crate::error::Result;
use crate::pipeline::buffers::Slice;
use crate::pipeline::digest::Digest;
use crate::pipeline::{Chain, Report, Window};

/// A stretch of input: bytes in memory, or a range of the input file that the worker reads itself.
pub(crate) enum Segment {
    Slice(Slice),
    Range(Range<u64>),
}

impl Segment {
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Slice(slice) => slice.len() as u64,
            Self::Range(range) => range.end - range.start,
        }
    }

    pub(super) fn again(&self) -> Self {
        match self {
            Self::Slice(slice) => Self::Slice(slice.part(0..slice.len())),
            Self::Range(range) => Self::Range(range.clone()),
        }
    }
}

/// A unit of coded input that the feeder recognised: usually a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Offset of its first byte.
    pub(crate) start: u64,
    /// Its length, once the feeder has seen its end; [`OPEN_ENDED`] if it never will.
    pub(crate) coded_len: Option<u64>,
    /// What the feeder wants the worker to know; the line only carries it.
    pub(crate) tag: u16,
}

impl Mark {
    /// What a decoder must know besides the bytes: the lower half of the tag.
    pub(crate) fn context(self) -> u8 {
        self.tag as u8
    }
}

/// The length of a unit whose end only its decoder can find.
pub(crate) const OPEN_ENDED: u64 = u64::MAX;

pub(super) struct Slot {
    pub(super) start: u64,
    pub(super) input: VecDeque<Segment>,
    pub(super) input_len: u64,
    pub(super) kept: Vec<Segment>,
    pub(super) marks: VecDeque<Mark>,
    /// The feeder has pushed all there is.
    pub(super) closed: bool,
    /// The tag of the unit marked last, and of what the feeder believes to begin behind it all, once it is closed.
    pub(super) tag: u16,
    pub(super) next: u16,
    /// Its span belongs to the job before; nothing it emits counts.
    pub(super) revoked: bool,
    pub(super) output: VecDeque<Slice>,
    pub(super) done: Option<Result<Report>>,
    /// What it leaves of the chain through a stream, and of its output.
    pub(super) chain: Chain,
    pub(super) window: Window,
    /// Whether the job before it has said before its end what it will leave of its output, and what.
    pub(super) is_told: bool,
    pub(super) early: Window,
    /// The checksum of a frame that does not end in it.
    pub(super) digest: Option<Arc<Digest>>,
}

impl Slot {
    pub(super) fn new() -> Self {
        Self {
            start: 0,
            input: VecDeque::with_capacity(32),
            input_len: 0,
            kept: Vec::with_capacity(32),
            marks: VecDeque::with_capacity(64),
            closed: false,
            tag: 0,
            next: 0,
            revoked: false,
            output: VecDeque::with_capacity(32),
            done: None,
            chain: Chain::NOTHING,
            window: Window::default(),
            is_told: false,
            early: Window::default(),
            digest: None,
        }
    }

    pub(super) fn reset(&mut self, start: u64) {
        debug_assert!(self.output.is_empty());
        self.start = start;
        self.input.clear();
        self.input_len = 0;
        self.kept.clear();
        self.marks.clear();
        (self.closed, self.tag, self.next) = (false, 0, 0);
        self.revoked = false;
        self.done = None;
        self.chain = Chain::NOTHING;
        self.window.set(&[], false);
        self.is_told = false;
        self.digest = None;
    }
}
