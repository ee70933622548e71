//! A worker's view of its output: spare room to fill, piece after piece.

use std::sync::Arc;

use super::buffers::{Lease, Slice};
use super::digest::{Checksum, Digest};
use super::held_output::HeldOutput;
use super::line::Line;
use crate::error::{Error, Result};

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
    /// The checksum of the frame that is being decoded, if it is wanted, and where in the piece the
    /// bytes begin that have not been given to it.
    checksum: FrameChecksum,
    unsummed_from: usize,
    /// Whether the frame that is being decoded is held.
    held: FrameHold,
    /// Pieces have been let go that may have to be written.
    must_deliver: bool,
    tasks: &'a dyn OutputTasks,
}

/// Whether output leaves before its frame is verified.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameHold {
    No,
    /// It does not. The frame states that it has so many bytes.
    Stated(usize),
    /// More bytes were asked room for than the frame states.
    Exceeded(usize),
}

/// Room behind the stated length of a held frame. Decoders ask for room before they meet the end of a frame that has
/// filled all it stated.
pub(crate) const HELD_SPARE: usize = 1;

/// Where the checksum of a frame is.
#[derive(Default)]
enum FrameChecksum {
    #[default]
    Unwanted,
    /// In this job, where it began.
    Here(Arc<Digest>),
    /// In a job before, from which it will be taken over.
    Before,
    /// Taken over, and wanted by the job behind.
    Shared(Arc<Digest>),
}

/// What an emitter has done by the worker, or by others.
pub(super) trait OutputTasks {
    /// Writes what has become certain.
    fn deliver(&self);
    /// Finds somebody idle for a checksum.
    fn offer(&self, digest: &Arc<Digest>);
}

impl<'a> Emitter<'a> {
    pub(super) fn new(line: &'a Line, job: u64, tasks: &'a dyn OutputTasks) -> Self {
        Self {
            line,
            job,
            piece: None,
            filled: 0,
            frame: None,
            total: 0,
            checksum: FrameChecksum::Unwanted,
            unsummed_from: 0,
            held: FrameHold::No,
            must_deliver: false,
            tasks,
        }
    }

    /// Bytes put out by this job so far.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Room for at least `len` more bytes; its contents are arbitrary. Waits for credit.
    pub(crate) fn room(&mut self, len: usize) -> Result<&mut [u8]> {
        let (piece, filled) = self.room_behind(len)?;
        Ok(&mut piece[filled..])
    }

    /// The same with the output before it, as far as it has not left: the piece, and how much of it is
    /// filled.
    pub(crate) fn room_behind(&mut self, len: usize) -> Result<(&mut [u8], usize)> {
        let spare = self.piece.as_ref().map_or(0, |piece| piece.len() - self.filled);
        if spare < len {
            if let FrameHold::Stated(stated) = self.held {
                self.held = FrameHold::Exceeded(stated);
                return Err(Error::Internal("a frame with more output than it states".into()));
            }
            self.end_piece()?;
            if std::mem::take(&mut self.must_deliver) {
                self.tasks.deliver();
            }
            let line = self.line;
            self.piece = Some(line.pieces.lend(len.max(line.piece_len), || line.is_head(self.job))?);
        }
        Ok((self.piece.as_mut().map_or(&mut [], |piece| &mut piece[..]), self.filled))
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

    /// Lets go what has been filled, and what room there is behind it.
    pub(crate) fn end_piece(&mut self) -> Result<()> {
        self.flush()?;
        self.piece = None;
        Ok(())
    }

    /// Lets go what has been filled, before a wait or because there is no room behind it.
    pub(crate) fn flush(&mut self) -> Result<()> {
        if self.held == FrameHold::No
            && self.filled > 0
            && let Some(piece) = self.piece.take()
        {
            let piece = piece.freeze(0..self.filled);
            let unsummed = (!matches!(self.checksum, FrameChecksum::Unwanted))
                .then(|| piece.part(self.unsummed_from..self.filled));
            (self.filled, self.frame, self.unsummed_from) = (0, None, 0);
            self.line.emit(self.job, piece)?;
            if let Some(part) = unsummed {
                self.add_to_checksum(part)?;
            }
            // Who waits for the checksum should not wait for the writing, too.
            self.must_deliver = matches!(self.checksum, FrameChecksum::Shared(_));
            if !self.must_deliver {
                self.tasks.deliver();
            }
        }
        Ok(())
    }

    fn add_to_checksum(&mut self, part: Slice) -> Result<()> {
        if let FrameChecksum::Before = self.checksum {
            self.checksum =
                self.line.checksum_before(self.job)?.map_or(FrameChecksum::Unwanted, FrameChecksum::Shared);
        }
        match &self.checksum {
            FrameChecksum::Here(digest) | FrameChecksum::Shared(digest) => {
                let is_much = digest.push(part);
                if is_much || matches!(self.checksum, FrameChecksum::Shared(_)) {
                    digest.work();
                } else {
                    self.tasks.offer(digest);
                }
            }
            FrameChecksum::Unwanted | FrameChecksum::Before => {
                return Err(Error::Internal("a checksum was lost".into()));
            }
        }
        Ok(())
    }

    /// Room for output whose place is behind some that is not known yet.
    pub(crate) fn held_output(&self) -> HeldOutput<'a> {
        HeldOutput::new(self.line)
    }

    /// Puts out what was put aside; its last piece can be filled further.
    pub(crate) fn append(&mut self, held: HeldOutput) -> Result<()> {
        debug_assert!(self.held == FrameHold::No, "output would overtake the frame that is held");
        self.held = FrameHold::No;
        self.flush()?;
        let (pieces, last) = held.into_pieces();
        for piece in pieces {
            self.total += piece.len() as u64;
            self.line.emit(self.job, piece)?;
            self.tasks.deliver();
            self.frame = None;
        }
        if let Some((piece, filled)) = last {
            (self.piece, self.filled) = (Some(piece), filled);
            self.total += filled as u64;
        }
        Ok(())
    }

    /// What has not left at the end of the job.
    pub(super) fn into_rest(self) -> Option<Slice> {
        let filled = self.filled;
        self.piece.filter(|_| filled > 0).map(|piece| piece.freeze(0..filled))
    }

    /// Says that a frame begins here.
    pub(crate) fn begin_frame(&mut self) {
        self.frame = Some(self.filled);
        self.checksum = FrameChecksum::Unwanted;
    }

    /// Holds the output of the frame that begins here until [`Self::release`]: all of the `stated` bytes that it says it
    /// has. More is an error, for which [`Self::exceeded`] has the reason.
    pub(crate) fn hold(&mut self, stated: usize) -> Result<()> {
        // The input of the frame may come slowly, and the output before the frame must not wait for it.
        self.flush()?;
        self.room(stated + HELD_SPARE)?;
        self.begin_frame();
        self.held = FrameHold::Stated(stated);
        Ok(())
    }

    /// Says that the frame that is held was verified.
    pub(crate) fn release(&mut self) -> Result<()> {
        self.held = FrameHold::No;
        match &self.piece {
            Some(piece) if piece.len() == self.filled => self.flush(),
            _ => Ok(()),
        }
    }

    /// How much room the frame that is held has left.
    pub(crate) fn held_room(&self) -> Option<usize> {
        (self.held != FrameHold::No).then(|| self.piece.as_ref().map_or(0, |piece| piece.len() - self.filled))
    }

    /// The stated length of the frame that is held, if its output is longer.
    pub(crate) fn exceeded(&self) -> Option<usize> {
        match self.held {
            FrameHold::Exceeded(stated) => Some(stated),
            FrameHold::No | FrameHold::Stated(_) => None,
        }
    }

    /// Whether output is held.
    pub(crate) fn is_holding(&self) -> bool {
        self.held != FrameHold::No
    }

    /// Says that what comes belongs to a frame part of which has left already.
    pub(crate) fn continue_frame(&mut self) {
        self.frame = None;
    }

    /// Wants a checksum of all that is put out from here on.
    pub(crate) fn begin_checksum(&mut self, checksum: Box<dyn Checksum>) {
        self.checksum = FrameChecksum::Here(Arc::new(Digest::new(checksum)));
        self.unsummed_from = self.filled;
    }

    /// The same, for the checksum that a job before has begun.
    pub(crate) fn continue_checksum(&mut self) {
        self.checksum = FrameChecksum::Before;
        self.unsummed_from = self.filled;
    }

    /// The checksum of what was put out since it began; waits for the jobs before if it is there.
    pub(crate) fn end_checksum(&mut self) -> Result<u64> {
        let unsummed = self.piece.as_ref().map_or(&[][..], |piece| &piece[self.unsummed_from..self.filled]);
        let digest = match std::mem::take(&mut self.checksum) {
            FrameChecksum::Unwanted => None,
            FrameChecksum::Here(digest) | FrameChecksum::Shared(digest) => Some(digest),
            FrameChecksum::Before => self.line.checksum_before(self.job)?,
        };
        Ok(digest.map_or(0, |digest| digest.finish(unsummed)))
    }

    /// The checksum of a frame that goes on in the next job. What was put out of it has been let go.
    pub(super) fn leave_checksum(&mut self) -> Option<Arc<Digest>> {
        match std::mem::take(&mut self.checksum) {
            FrameChecksum::Here(digest) | FrameChecksum::Shared(digest) => {
                digest.work();
                Some(digest)
            }
            FrameChecksum::Unwanted | FrameChecksum::Before => None,
        }
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
