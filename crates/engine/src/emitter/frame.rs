//! [`FrameOutput`]: the output of one frame, until it is clear that the frame is right.
//!
//! A coder says where a frame begins, and whether it is *held*: then its output leaves only after the frame is
//! verified. Output that has not left can be taken back.

use super::{Emitter, FrameChecksum, FrameHold, HELD_SPARE};
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
