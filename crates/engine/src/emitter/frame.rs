//! What a coder asks its emitter besides room.
//!
//! - [`FrameOutput`]: the output of one frame, until it is clear that the frame is right.
//! - [`FrameSum`]: the checksum of a frame, computed beside its decoding. The emitter adds each piece of the frame that
//!   has left, on this worker or on an idle worker (`digest.rs`). If several jobs share the frame, the checksum goes
//!   from job to job.
//! - [`Standing`]: where the job stands on the line, for a decoder that lends its own memory as output, or that may go
//!   on only as the head of the line.
//!
//! A coder says where a frame begins, and whether it is *held*: then its output leaves only after the frame is
//! verified. Output that has not left can be taken back.

use std::sync::Arc;

use super::{Emitter, FrameChecksum, FrameHold, HELD_SPARE};
use crate::digest::{Checksum, Digest};
use crate::error::Result;

/// The frame that is being put out.
pub struct FrameOutput<'e, 'a>(pub(super) &'e mut Emitter<'a>);

impl FrameOutput<'_, '_> {
    /// Notes that a frame begins here.
    pub fn begin(&mut self) {
        self.0.frame_start = Some(self.0.filled);
        self.0.sum = FrameChecksum::Unwanted;
    }

    /// Holds the output of the frame that begins here until [`Self::release`]. The frame states `stated` bytes.
    /// Asking for more room is an error, and [`Self::exceeded`] returns the reason.
    pub fn hold(&mut self, stated: usize) -> Result<()> {
        // The input of the frame may come slowly, and the output before the frame must not wait for it.
        self.0.flush()?;
        self.0.room(stated + HELD_SPARE)?;
        self.begin();
        self.0.held = FrameHold::Stated(stated);
        Ok(())
    }

    /// Notes that the held frame is verified, so that its output may leave.
    pub fn release(&mut self) -> Result<()> {
        self.0.held = FrameHold::No;
        match &self.0.piece {
            Some(piece) if piece.len() == self.0.filled => self.0.flush(),
            _ => Ok(()),
        }
    }

    /// How much room a held frame has left.
    pub fn held_room(&self) -> Option<usize> {
        (self.0.held != FrameHold::No)
            .then(|| self.0.piece.as_ref().map_or(0, |piece| piece.len() - self.0.filled))
    }

    /// The stated length of the held frame, if its output is longer.
    pub fn exceeded(&self) -> Option<usize> {
        match self.0.held {
            FrameHold::Exceeded(stated) => Some(stated),
            FrameHold::No | FrameHold::Stated(_) => None,
        }
    }

    /// Whether a frame is held.
    pub fn is_held(&self) -> bool {
        self.0.held != FrameHold::No
    }

    /// Notes that what follows belongs to a frame of which part has left already.
    pub fn go_on(&mut self) {
        self.0.frame_start = None;
    }

    /// Takes back the output of the current frame, unless part of it has left.
    pub fn take_back(&mut self) {
        if let Some(start) = self.0.frame_start {
            self.0.filled = start;
        }
    }

    /// How many more bytes there is room for in the current piece. If there is none, a whole piece.
    pub fn spare(&self) -> usize {
        self.0.piece.as_ref().map_or(self.0.line.piece_len, |piece| piece.len() - self.0.filled)
    }

    /// Ends the piece, so that the next frame finds a whole one.
    pub fn end_piece(&mut self) -> Result<()> {
        self.0.end_piece()
    }
}

/// The place of a job on the line.
pub struct Standing<'e, 'a>(pub(super) &'e mut Emitter<'a>);

impl Standing<'_, '_> {
    /// Wakes the jobs that wait in [`Self::wait_until`], so that they ask again.
    pub fn wake_waiters(&self) {
        self.0.line.pieces.wake_waiters();
    }

    /// The number of the job in the order of the stream.
    pub fn job(&self) -> u64 {
        self.0.job
    }

    /// Whether all output of the jobs before has left, so that the output of this one leaves at once.
    pub fn is_head(&self) -> bool {
        self.0.line.is_head(self.0.job)
    }

    /// Waits until `is_true`, which depends on output that has left, and on whether this job is the head. Everything is
    /// done for this output that the worker can do.
    pub fn wait_until(&mut self, is_true: impl Fn(bool) -> bool) -> Result<()> {
        if is_true(self.is_head()) {
            return Ok(());
        }
        self.0.sum_waiting()?;
        if let FrameChecksum::Here(digest) | FrameChecksum::Shared(digest) = &self.0.sum {
            digest.work();
        }
        self.0.must_deliver = false;
        self.0.tasks.deliver_all();
        let (line, job) = (self.0.line, self.0.job);
        line.pieces.wait_until(|| is_true(line.is_head(job)))
    }
}

/// The checksum of the frame that is being put out.
pub struct FrameSum<'e, 'a>(pub(super) &'e mut Emitter<'a>);

impl FrameSum<'_, '_> {
    /// Begins a checksum of all output from here on.
    pub fn begin(&mut self, checksum: Checksum) {
        self.0.sum = FrameChecksum::Here(Arc::new(Digest::new(checksum)));
        self.0.unsummed_from = self.0.filled;
    }

    /// Continues the checksum that a job before has begun.
    pub fn go_on(&mut self) {
        self.0.sum = FrameChecksum::Before;
        self.0.unsummed_from = self.0.filled;
    }

    /// The checksum of the output since the checksum began. If a job before has the checksum, waits for that job.
    pub fn end(&mut self) -> Result<u64> {
        let unsummed =
            self.0.piece.as_ref().map_or(&[][..], |piece| &piece[self.0.unsummed_from..self.0.filled]);
        let digest = match std::mem::take(&mut self.0.sum) {
            FrameChecksum::Unwanted => None,
            FrameChecksum::Here(digest) | FrameChecksum::Shared(digest) => Some(digest),
            FrameChecksum::Before => self.0.line.checksum_before(self.0.job)?,
        };
        Ok(digest.map_or(0, |digest| digest.finish(unsummed)))
    }

    /// From here on, pieces that leave are added to the checksum and written when [`Self::catch_up`] is called, or when
    /// too many wait. The caller has something that the next job waits for.
    pub fn defer(&mut self) {
        self.0.sums_later = true;
    }

    /// Ends what [`Self::defer`] began.
    pub fn catch_up(&mut self) -> Result<()> {
        self.0.sums_later = false;
        self.0.sum_waiting()?;
        // If the next job waits for the checksum, the pieces are written later.
        if !matches!(self.0.sum, FrameChecksum::Shared(_)) && std::mem::take(&mut self.0.must_deliver) {
            self.0.tasks.deliver();
        }
        Ok(())
    }
}
