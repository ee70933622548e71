//! The values that a job hands to the next job.
//!
//! Several jobs may decode parts of one frame or stream. A job then needs something that the jobs before it know: the
//! *window*, which is the end of their output, the header of the frame, a running checksum, and the number of bytes so
//! far. All of these are in one value, a [`Handover`]. Each job makes the handover of its own part, through its `Source`
//! (`source/relay.rs`).
//!
//! As soon as a job and all jobs before it are done, the line joins their handovers in the order of the jobs
//! (`line/handovers.rs`). The line does not look into a handover. A job may know the end of its output before it is done.
//! Then it *publishes* that window for the next job at once.
//!
//! A format can also hand on values of its own, the *batons*. The pipeline knows nothing about them. There are two, because
//! a job may know something soon after it has seen its input, and the rest only after it has decoded it ([`Leg`]). Each of
//! them is published as soon as the job has it. It belongs to the next job only: no baton is joined with another.
//!
//! A job that would have to wait for the second baton can *leave* the rest of its work on the line instead. The job that has
//! the baton takes that work, and puts out its output (`line/handovers.rs`).
//!
//! Joining must be associative: of three neighbours, the first two or the last two can be joined first, with the same
//! result.

use std::any::Any;
use std::sync::Arc;

use super::digest::Digest;

/// What the jobs before a place hand to the job that begins there. Each format fills in what it uses.
#[derive(Default)]
pub(crate) struct Handover {
    pub sum: RunningSum,
    /// The header of the frame that continues.
    pub header: FrameHeader,
    pub window: Window,
    /// The checksum of the frame that continues.
    pub(super) checksum: Option<Arc<Digest>>,
    /// What only the format knows, for each [`Leg`].
    pub(super) batons: [Option<Baton>; 2],
}

/// A value that a job hands to the next job, and that only their format can read.
pub type Baton = Box<dyn Any + Send>;

/// When a job has a baton for the next job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leg {
    /// When it has looked at its input.
    Seen,
    /// When it has decoded its input.
    Decoded,
}

impl Handover {
    /// Puts the handover of the jobs `before` in front of this one: `self` becomes the handover of both together. What is
    /// left in `before` has no meaning.
    pub(super) fn follow(&mut self, before: &mut Self) {
        if self.sum.start().is_some() {
            // The stream began in this job, so nothing before matters.
            return;
        }
        self.sum = self.sum.behind(before.sum);
        self.window.follow(&mut before.window);
        if self.header.is_empty() {
            self.header = before.header;
        }
        self.checksum = self.checksum.take().or_else(|| before.checksum.take());
    }

    /// Makes the handover empty, and keeps the memory of its window.
    pub(super) fn clear(&mut self) {
        let mut window = std::mem::take(&mut self.window);
        window.set(&[], false);
        *self = Self { window, ..Self::default() };
    }
}

/// The longest frame header that is handed on.
const HEADER_MAX: usize = 32;

/// The bytes of a frame header.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameHeader {
    bytes: [u8; HEADER_MAX],
    len: usize,
}

impl FrameHeader {
    /// Copies the first bytes of `header`. No format that hands on a header has a longer one.
    pub fn new(header: &[u8]) -> Self {
        debug_assert!(header.len() <= HEADER_MAX, "{} bytes", header.len());
        let mut bytes = [0; HEADER_MAX];
        let len = header.len().min(HEADER_MAX);
        bytes[..len].copy_from_slice(&header[..len]);
        Self { bytes, len }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// Joins the sums of two parts. `count` is that of the second part.
pub(crate) type Join = fn(before: u32, sum: u32, count: u64) -> u32;

/// A count and a sum along a stream, or along part of it.
///
/// The sum of a part does not depend on the parts before it. [`Self::behind`] joins the sums of two parts later.
#[derive(Clone, Copy, Debug)]
pub struct RunningSum {
    /// Offset in the coded input at which the stream begins, if it begins in this part.
    start: Option<u64>,
    /// The number of frames or bytes in the part.
    count: u64,
    sum: u32,
    join: Join,
}

impl RunningSum {
    /// The sum of an empty part.
    pub const NOTHING: Self = Self { start: None, count: 0, sum: 0, join: |before, _, _| before };

    /// The sum of a stream that begins at this offset.
    pub const fn starting(offset: u64) -> Self {
        Self { start: Some(offset), ..Self::NOTHING }
    }

    /// Adds the next part to this one. `count` and `sum` are those of the next part.
    pub fn push(&mut self, count: u64, sum: u32, join: Join) {
        *self = Self { start: None, count, sum, join }.behind(*self);
    }

    /// The sum of the part `before` and this part together.
    pub fn behind(self, before: Self) -> Self {
        if self.start.is_some() {
            return self;
        }
        if self.count == 0 {
            return before;
        }
        Self {
            start: before.start,
            count: before.count.wrapping_add(self.count),
            sum: (self.join)(before.sum, self.sum, self.count),
            join: self.join,
        }
    }

    /// Offset at which the stream begins. If it begins in this part, nothing before this part matters.
    pub fn start(self) -> Option<u64> {
        self.start
    }

    /// The number of frames or bytes.
    pub fn count(self) -> u64 {
        self.count
    }

    /// The joined sum.
    pub fn sum(self) -> u32 {
        self.sum
    }
}

impl Default for RunningSum {
    fn default() -> Self {
        Self::NOTHING
    }
}

/// The longest window that is handed on. No format that hands on a window has a longer one.
pub const RELAYED_WINDOW_MAX: usize = 32 << 10;

/// The last output of a stream, for the job that continues the stream.
#[derive(Default)]
pub(crate) struct Window {
    bytes: Vec<u8>,
    /// Whether `bytes` are all that a job behind this output can refer to: the window is full, or the stream has no
    /// earlier output.
    is_all: bool,
}

impl Window {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether the window owns allocated memory, which can be used again. It may hold no bytes.
    pub(super) fn has_memory(&self) -> bool {
        self.bytes.capacity() > 0
    }

    /// Sets the window to the end of this output. `is_all` says that the stream has no output before `output`.
    pub(crate) fn set(&mut self, output: &[u8], is_all: bool) {
        self.bytes.clear();
        self.bytes.extend_from_slice(&output[output.len().saturating_sub(RELAYED_WINDOW_MAX)..]);
        self.is_all = is_all || self.bytes.len() == RELAYED_WINDOW_MAX;
    }

    /// Puts the window of the part `before` in front of this one: `self` becomes the window of both parts together. What
    /// is left in `before` has no meaning.
    pub(crate) fn follow(&mut self, before: &mut Self) {
        if self.is_all {
            return;
        }
        let excess = (before.bytes.len() + self.bytes.len()).saturating_sub(RELAYED_WINDOW_MAX);
        before.bytes.drain(..excess);
        before.bytes.extend_from_slice(&self.bytes);
        std::mem::swap(self, before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_whole() {
        let values: Vec<u32> = (0..100_u32).map(|at| at.wrapping_mul(2_654_435_761)).collect();
        let join: Join = |before, sum, count| before.rotate_left((count % 32) as u32) ^ sum;
        let sum = |before: RunningSum, values: &[u32]| {
            let links = values.iter().map(|&sum| RunningSum { count: 1, sum, join, ..RunningSum::NOTHING });
            links.fold(before, |before, link| link.behind(before))
        };
        let parts = |sum: RunningSum| (sum.start, sum.count, sum.sum);
        let start = RunningSum::starting(7);
        let whole = sum(start, &values);
        for cut in 0..=100 {
            let (first, second) = values.split_at(cut);
            assert_eq!(parts(sum(RunningSum::NOTHING, second).behind(sum(start, first))), parts(whole));
            assert_eq!(parts(sum(start, second).behind(whole)), parts(sum(start, second)));
        }
    }

    #[test]
    fn a_window_is_the_last_of_all_output() {
        let output: Vec<u8> =
            (0..100_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for step in
            [1, 1000, 20_000, RELAYED_WINDOW_MAX - 1, RELAYED_WINDOW_MAX, RELAYED_WINDOW_MAX + 1, 90_000]
        {
            let (mut window, mut next) = (Window::default(), Window::default());
            let end = output.len().min(100 * step);
            for part in output[..end].chunks(step) {
                next.set(part, false);
                next.follow(&mut window);
                std::mem::swap(&mut window, &mut next);
            }
            assert!(
                window.bytes() == &output[end.saturating_sub(RELAYED_WINDOW_MAX)..end],
                "steps of {step}"
            );
            next.set(b"new", true);
            next.follow(&mut window);
            assert_eq!(next.bytes(), b"new");
        }
    }
}
