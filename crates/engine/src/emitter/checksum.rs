//! [`FrameSum`]: the checksum of a frame, computed beside its decoding.
//!
//! A coder begins the checksum and ends it; the emitter adds each piece of the frame that has left, on this worker or
//! on an idle worker (`digest.rs`). If several jobs share the frame, the checksum goes from job to job.

use std::sync::Arc;

use super::{Emitter, FrameChecksum};
use crate::digest::{Checksum, Digest};
use crate::error::Result;

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
