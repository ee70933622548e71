//! A worker's view of its output: spare room to fill, piece after piece.

use super::buffers::Lease;
use super::line::Line;
use crate::error::Result;

/// Length of a piece of plain output, where nothing asks for a longer one.
pub(crate) const PIECE_LEN: usize = 1 << 20;

/// The output of one job.
///
/// Pieces leave as they fill, so that a job without end works in bounded memory, and its writing
/// overlaps with its coding.
pub(crate) struct Emitter<'a> {
    line: &'a Line,
    job: u64,
    piece: Option<Lease>,
    filled: usize,
    /// Where in the piece the frame began that is being decoded, if it did not begin before.
    frame: Option<usize>,
    total: u64,
    deliver: &'a dyn Fn(),
}

impl<'a> Emitter<'a> {
    /// `deliver` is called after each piece, to write what has become certain.
    pub(super) fn new(line: &'a Line, job: u64, deliver: &'a dyn Fn()) -> Self {
        Self { line, job, piece: None, filled: 0, frame: None, total: 0, deliver }
    }

    /// Bytes put out by this job so far.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Room for at least `len` more bytes; its contents are arbitrary. Waits for credit.
    pub(crate) fn room(&mut self, len: usize) -> Result<&mut [u8]> {
        let spare = self.piece.as_ref().map_or(0, |piece| piece.len() - self.filled);
        if spare < len {
            self.flush()?;
            self.piece = None;
            let line = self.line;
            self.piece = Some(line.pieces.lend(len.max(line.piece_len), || line.is_head(self.job))?);
        }
        let filled = self.filled;
        Ok(self.piece.as_mut().map_or(&mut [], |piece| &mut piece[filled..]))
    }

    /// Says that the first `len` bytes of the room are output now.
    pub(crate) fn commit(&mut self, len: usize) -> Result<()> {
        self.filled += len;
        self.total += len as u64;
        match &self.piece {
            Some(piece) if piece.len() == self.filled => self.flush(),
            _ => Ok(()),
        }
    }

    /// Puts out copies of `bytes`.
    pub(crate) fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let room = self.room(1)?;
            let len = room.len().min(bytes.len());
            room[..len].copy_from_slice(&bytes[..len]);
            self.commit(len)?;
            bytes = &bytes[len..];
        }
        Ok(())
    }

    /// Lets go what has been filled, before a wait or at the end.
    pub(crate) fn flush(&mut self) -> Result<()> {
        if self.filled > 0
            && let Some(piece) = self.piece.take()
        {
            let piece = piece.freeze(0..self.filled);
            (self.filled, self.frame) = (0, None);
            self.line.emit(self.job, piece)?;
            (self.deliver)();
        }
        Ok(())
    }

    /// Says that a frame begins here.
    pub(crate) fn begin_frame(&mut self) {
        self.frame = Some(self.filled);
    }

    /// Takes back what the frame begun has put out, unless part of it has left already. True if nothing of it was
    /// let go.
    pub(crate) fn take_back_frame(&mut self) -> bool {
        if let Some(start) = self.frame {
            self.filled = start;
        }
        self.frame.is_some()
    }

    /// Takes back all that has not left.
    pub(crate) fn take_back_all(&mut self) {
        self.filled = 0;
    }
}
