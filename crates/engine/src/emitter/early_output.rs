//! [`EarlyOutput`]: output that waits for other output of the same job that comes before it.
//!
//! A decoder that works without its window, or on two parts at once, decodes bytes whose predecessors are not known
//! yet. It fills an [`EarlyOutput`] with them. Later it gives the whole to [`Emitter::append`](super::Emitter::append),
//! which puts it out. Early output never blocks the line: [`EarlyOutput`] says why.
//!
//! This is not the output of a frame that is *held* until it is verified: `frame.rs` has that.

use crate::buffers::{Lease, Slice};
use crate::line::Line;

/// Filled pieces that are kept.
///
/// The pieces are never taken from the reserve of the head, and no thread waits for one. A job with early output may
/// wait for room to put out the output before it. The head of the line never has to wait for that, because the
/// reserve is its own.
pub struct EarlyOutput<'a> {
    line: &'a Line,
    pieces: Vec<Slice>,
    piece: Option<Lease>,
    filled: usize,
}

impl<'a> EarlyOutput<'a> {
    pub(super) fn new(line: &'a Line) -> Self {
        Self { line, pieces: Vec::new(), piece: None, filled: 0 }
    }

    /// A piece with room, and how much of it is filled. Nothing if there is no spare memory.
    pub fn room_behind(&mut self) -> Option<(&mut [u8], usize)> {
        if self.piece.is_none() {
            self.piece = Some(self.line.pieces.lend_spare(self.line.piece_len)?);
        }
        self.piece.as_deref_mut().map(|piece| (piece, self.filled))
    }

    /// Turns the first `len` bytes of the room into early output.
    pub fn commit(&mut self, len: usize) {
        self.filled += len;
        if self.piece.as_ref().is_some_and(|piece| piece.len() == self.filled)
            && let Some(piece) = self.piece.take()
        {
            self.pieces.push(piece.freeze(0..self.filled));
            self.filled = 0;
        }
    }

    /// The full pieces, and the last piece with how much of it is filled.
    pub(super) fn into_pieces(self) -> (Vec<Slice>, Option<(Lease, usize)>) {
        (self.pieces, self.piece.map(|piece| (piece, self.filled)))
    }
}
