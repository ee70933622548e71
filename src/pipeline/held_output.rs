//! Output that waits for some before it, of the same job.

use super::buffers::{Lease, Slice};
use super::line::Line;

/// Pieces that are filled and kept.
///
/// They are never taken from what is reserved for the head of the line, and nobody waits for one. Who holds some may
/// wait for room to put out what is before them; the head never waits for that.
pub(crate) struct HeldOutput<'a> {
    line: &'a Line,
    pieces: Vec<Slice>,
    piece: Option<Lease>,
    filled: usize,
}

impl<'a> HeldOutput<'a> {
    pub(super) fn new(line: &'a Line) -> Self {
        Self { line, pieces: Vec::new(), piece: None, filled: 0 }
    }

    /// A piece with room, and how much of it is filled; nothing if there is no memory to spare.
    pub(crate) fn room_behind(&mut self) -> Option<(&mut [u8], usize)> {
        if self.piece.is_none() {
            self.piece = Some(self.line.pieces.lend_spare(self.line.piece_len)?);
        }
        self.piece.as_deref_mut().map(|piece| (piece, self.filled))
    }

    /// Says that the first `len` bytes of the room are output now.
    pub(crate) fn commit(&mut self, len: usize) {
        self.filled += len;
        if self.piece.as_ref().is_some_and(|piece| piece.len() == self.filled)
            && let Some(piece) = self.piece.take()
        {
            self.pieces.push(piece.freeze(0..self.filled));
            self.filled = 0;
        }
    }

    /// The full pieces, and the last with how much of it is filled.
    pub(super) fn into_pieces(self) -> (Vec<Slice>, Option<(Lease, usize)>) {
        (self.pieces, self.piece.map(|piece| (piece, self.filled)))
    }
}
