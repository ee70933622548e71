//! The output of a job, as its worker sees it: room to fill, piece after piece.
//!
//! A coder asks an [`Emitter`] for room, fills it, and commits the bytes that it filled. A piece goes to the line when
//! it is full. It goes earlier if the worker has to wait for input, so that finished output never waits. The thread of
//! the worker (`worker.rs`) makes an emitter for each job.
//!
//! [`FrameOutput`] holds the output of a frame and takes it back, [`FrameSum`] computes the checksum of a long frame
//! beside its decoding, [`EarlyOutput`] keeps output that comes too early, and [`Standing`] says where the job stands
//! on the line.

mod early_output;
mod frame;

use std::sync::Arc;

use crate::buffers::{Foreign, Lease, Slice};
use crate::digest::Digest;
use crate::line::Line;
use crate::source::Source;
pub use early_output::EarlyOutput;
pub use frame::{FrameOutput, FrameSum, Standing};

use crate::error::{Error, Result};

/// Length of a piece of plain output, unless the caller asks for more room. In models the pieces of short streams are
/// many.
pub const PIECE_LEN: usize = if cfg!(feature = "schedules") { 2 } else { 1 << 20 };

/// The output of one job.
///
/// Pieces leave as soon as they are full. So a job without an end works in bounded memory, and its output is written
/// while the job is coded.
pub struct Emitter<'a> {
    line: &'a Line,
    job: u64,
    piece: Option<Lease>,
    filled: usize,
    /// Where in the piece the current frame begins. Absent if part of the frame has left already.
    frame_start: Option<usize>,
    total: u64,
    /// The checksum of the current frame, if it has one, and where in the piece the bytes begin that are not yet in
    /// it.
    sum: FrameChecksum,
    unsummed_from: usize,
    /// Whether pieces that leave wait in `unsummed` for their checksum.
    sums_later: bool,
    unsummed: Vec<Slice>,
    /// Whether the current frame is held.
    held: FrameHold,
    /// Pieces have left for the line that this worker may have to write.
    must_deliver: bool,
    tasks: &'a dyn OutputTasks,
}

/// Whether the output of a frame leaves before the frame is verified.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameHold {
    No,
    /// It does not. The frame states this many bytes.
    Stated(usize),
    /// It does not, and the decoder asked for room for more bytes than the frame states.
    Exceeded(usize),
}

/// Room behind the stated length of a held frame. A decoder that has filled the stated length asks for more room
/// before it meets the end of the frame.
pub const HELD_SPARE: usize = 1;

/// At most this many pieces wait for their checksum in the emitter.
const UNSUMMED_MAX: usize = 1;

/// Where the checksum of a frame is.
#[derive(Default)]
enum FrameChecksum {
    #[default]
    Unwanted,
    /// In this job, because the frame began here.
    Here(Arc<Digest>),
    /// In a job before. It is taken over when it is first needed.
    Before,
    /// It was taken over from the job before, and the next job waits for it.
    Shared(Arc<Digest>),
}

/// Tasks that follow from output. The worker does them, or other workers do.
pub(super) trait OutputTasks {
    /// Writes the pieces that are certain. One of them may be left for another worker.
    fn deliver(&self);
    /// Like [`Self::deliver`], and leaves none.
    fn deliver_all(&self) {
        self.deliver();
    }
    /// Offers work on a checksum to an idle worker.
    fn offer(&self, digest: &Arc<Digest>);
}

impl<'a> Emitter<'a> {
    pub(super) fn new(line: &'a Line, job: u64, tasks: &'a dyn OutputTasks) -> Self {
        Self {
            line,
            job,
            piece: None,
            filled: 0,
            frame_start: None,
            total: 0,
            sum: FrameChecksum::Unwanted,
            unsummed_from: 0,
            sums_later: false,
            unsummed: Vec::new(),
            held: FrameHold::No,
            must_deliver: false,
            tasks,
        }
    }

    /// Bytes that the job has put out so far.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Room for at least `len` more bytes. Its contents are arbitrary. Waits until there is memory.
    pub fn room(&mut self, len: usize) -> Result<&mut [u8]> {
        let (piece, filled) = self.room_behind(len)?;
        Ok(&mut piece[filled..])
    }

    /// Like [`Self::room`], together with the output before it that has not left: returns the piece, and how much of
    /// it is filled.
    pub fn room_behind(&mut self, len: usize) -> Result<(&mut [u8], usize)> {
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

    /// Turns the first `len` bytes of the room into output.
    pub fn commit(&mut self, len: usize) -> Result<()> {
        self.filled += len;
        self.total += len as u64;
        match &self.piece {
            Some(piece) if piece.len() == self.filled => self.flush(),
            _ => Ok(()),
        }
    }

    /// Puts out a copy of `bytes`.
    pub fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let room = self.room(1)?;
            let len = room.len().min(bytes.len());
            room[..len].copy_from_slice(&bytes[..len]);
            self.commit(len)?;
            bytes = &bytes[len..];
        }
        Ok(())
    }

    /// Puts out bytes that the decoder lends, without a copy, behind all output before. They leave at once. No frame
    /// may be held.
    pub fn put(&mut self, bytes: Foreign) -> Result<()> {
        debug_assert!(self.held == FrameHold::No, "output would overtake the frame that is held");
        self.flush()?;
        if std::mem::take(&mut self.must_deliver) {
            self.tasks.deliver();
        }
        let piece = self.line.pieces.slice_of(bytes);
        self.total += piece.len() as u64;
        (self.frame_start, self.unsummed_from) = (None, 0);
        let unsummed = self.has_checksum().then(|| piece.range(0..piece.len()));
        self.leave(piece, unsummed)
    }

    fn has_checksum(&self) -> bool {
        !matches!(self.sum, FrameChecksum::Unwanted)
    }

    /// Lets the filled bytes leave, and gives up the room behind them.
    fn end_piece(&mut self) -> Result<()> {
        self.flush()?;
        self.piece = None;
        Ok(())
    }

    /// Lets the filled bytes leave. Called before a wait, or if there is no room behind them.
    pub fn flush(&mut self) -> Result<()> {
        if self.held == FrameHold::No
            && self.filled > 0
            && let Some(piece) = self.piece.take()
        {
            let piece = piece.freeze(0..self.filled);
            let unsummed = self.has_checksum().then(|| piece.range(self.unsummed_from..self.filled));
            (self.filled, self.frame_start, self.unsummed_from) = (0, None, 0);
            self.leave(piece, unsummed)?;
        }
        Ok(())
    }

    /// Gives a piece to the line, and to the checksum what it gets of the piece.
    fn leave(&mut self, piece: Slice, unsummed: Option<Slice>) -> Result<()> {
        self.line.emit(self.job, piece)?;
        if self.sums_later && self.unsummed.len() < UNSUMMED_MAX {
            self.unsummed.extend(unsummed);
            self.must_deliver = true;
            return Ok(());
        }
        self.sum_waiting()?;
        if let Some(part) = unsummed {
            self.add_to_checksum(part)?;
        }
        // The next job waits for the checksum. So it gets the checksum first, and the pieces are written later.
        self.must_deliver = matches!(self.sum, FrameChecksum::Shared(_));
        if !self.must_deliver {
            self.tasks.deliver();
        }
        Ok(())
    }

    /// Between frames: lets the filled bytes leave if the worker would have to wait for more input.
    pub fn flush_before_wait(&mut self, source: &Source) -> Result<()> {
        if source.is_ready() { Ok(()) } else { self.flush() }
    }

    /// Inside a frame: waits for input, and lets the filled bytes leave if none comes for some time.
    ///
    /// Bytes that have left cannot be taken back if the frame turns out to be damaged. So they leave only if the input
    /// pauses, and not when the feeder is a little slower than the worker. Otherwise the output before an error would
    /// depend on the time.
    pub fn flush_if_input_pauses(&mut self, source: &Source) -> Result<()> {
        if source.input_pauses()? { self.flush_for_pause() } else { Ok(()) }
    }

    /// Lets the filled bytes leave, and writes all that has left, because the input pauses. No next job waits for the
    /// checksum then, because the job that lacks input is the last one.
    pub fn flush_for_pause(&mut self) -> Result<()> {
        self.flush()?;
        self.checksum().catch_up()?;
        if std::mem::take(&mut self.must_deliver) {
            self.tasks.deliver();
        }
        Ok(())
    }

    /// The frame that is being put out.
    pub fn frame(&mut self) -> FrameOutput<'_, 'a> {
        FrameOutput(self)
    }

    /// The checksum of that frame.
    pub fn checksum(&mut self) -> FrameSum<'_, 'a> {
        FrameSum(self)
    }

    /// The place of the job on the line.
    pub fn standing(&mut self) -> Standing<'_, 'a> {
        Standing(self)
    }

    /// Memory for output that must wait for the output before it.
    pub fn early_output(&self) -> EarlyOutput<'a> {
        EarlyOutput::new(self.line)
    }

    /// Puts out early output. The last piece can be filled further. It is an error if a frame is held, because the
    /// output would overtake it.
    pub fn append(&mut self, early: EarlyOutput) -> Result<()> {
        if self.held != FrameHold::No {
            return Err(Error::Internal("early output before a frame that is held".into()));
        }
        self.flush()?;
        let (pieces, last) = early.into_pieces();
        for piece in pieces {
            self.total += piece.len() as u64;
            self.line.emit(self.job, piece)?;
            self.tasks.deliver();
            self.frame_start = None;
        }
        if let Some((piece, filled)) = last {
            (self.piece, self.filled) = (Some(piece), filled);
            self.total += filled as u64;
        }
        Ok(())
    }

    /// The bytes that have not left at the end of the job.
    pub(super) fn into_rest(self) -> Option<Slice> {
        let filled = self.filled;
        self.piece.filter(|_| filled > 0).map(|piece| piece.freeze(0..filled))
    }

    fn sum_waiting(&mut self) -> Result<()> {
        let mut waiting = std::mem::take(&mut self.unsummed);
        for part in waiting.drain(..) {
            self.add_to_checksum(part)?;
        }
        self.unsummed = waiting;
        Ok(())
    }

    fn add_to_checksum(&mut self, part: Slice) -> Result<()> {
        if let FrameChecksum::Before = self.sum {
            self.sum =
                self.line.checksum_before(self.job)?.map_or(FrameChecksum::Unwanted, FrameChecksum::Shared);
        }
        match &self.sum {
            FrameChecksum::Here(digest) | FrameChecksum::Shared(digest) => {
                let is_much = digest.push(part);
                if is_much || matches!(self.sum, FrameChecksum::Shared(_)) {
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

    /// The checksum of a frame that continues in the next job. All output of that frame has left.
    pub(super) fn leave_checksum(&mut self) -> Option<Arc<Digest>> {
        match std::mem::take(&mut self.sum) {
            FrameChecksum::Here(digest) | FrameChecksum::Shared(digest) => {
                digest.work();
                Some(digest)
            }
            FrameChecksum::Unwanted | FrameChecksum::Before => None,
        }
    }
}
