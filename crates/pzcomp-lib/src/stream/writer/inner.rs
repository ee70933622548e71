//! The calls of the inner writer: what waits for it, its errors, and the end of a stream that is given up.
//!
//! An error of the inner writer stays, unless it only says that the writer takes nothing now. While the inner writer is
//! called, the stream counts as failed, so that a panic in it is the last call.

use std::io::{self, Write};

use super::{State, Writer};
use crate::error::Error;
use crate::stream::failure::Failure;
use engine::io::is_pause;
use engine::waits::End;
use engine::{Slice, Turn, Wait};

/// Bytes for the inner writer.
#[derive(Default)]
pub(super) struct Pending {
    /// The start or the end of the stream, and how much of it was written.
    pub(super) edge: Vec<u8>,
    /// Output, and how much of it was written.
    pub(super) piece: Option<Slice>,
    pub(super) done: usize,
    /// All bytes that were written.
    pub(super) written: u64,
}

impl<W: Write> Writer<W> {
    pub(super) fn check(&self) -> io::Result<()> {
        self.failed.as_ref().map_or(Ok(()), |failed| Err(failed.again()))
    }

    pub(super) fn fail(&mut self, error: impl Into<io::Error>) -> io::Error {
        self.failed.get_or_insert_with(|| Failure::new(error)).again()
    }

    /// Takes the next output and writes it. Without output, waits. Returns false if there is none and the caller can go
    /// on.
    pub(super) fn advance(&mut self, wait: Wait) -> io::Result<bool> {
        self.write_pending()?;
        match self.compression.turn(wait) {
            Turn::Output(piece) => {
                self.pending.piece = Some(piece);
                self.write_pending()?;
                Ok(true)
            }
            Turn::Over if wait != Wait::End => {
                let error = self.compression.ending(0).err();
                Err(self.fail(error.unwrap_or_else(|| Error::Internal("the stream ended early".into()))))
            }
            Turn::Over | Turn::Proceed | Turn::Interrupted(_) => Ok(false),
        }
    }

    /// Writes everything that was taken from the line.
    pub(super) fn write_pending(&mut self) -> io::Result<()> {
        loop {
            let Pending { edge, piece, done, .. } = &self.pending;
            let (bytes, done) = match piece {
                _ if !edge.is_empty() => (&edge[..], *done),
                Some(piece) => (&piece[..], *done),
                None => return Ok(()),
            };
            if done == bytes.len() {
                if edge.is_empty() {
                    self.pending.piece = None;
                }
                (self.pending.edge, self.pending.done) = (Vec::new(), 0);
                continue;
            }
            let Some(inner) = &mut self.inner else { return Ok(()) };
            // If the inner writer panics, these values stay.
            let failed = self.failed.replace(Failure::panicked());
            self.is_calling = true;
            let meter = self.compression.meter();
            let result = meter.during_instead(End::Sink, || inner.write(&bytes[done..]));
            (self.failed, self.is_calling) = (failed, false);
            match result {
                Ok(0) => return Err(self.fail(io::ErrorKind::WriteZero)),
                Ok(len) => {
                    self.pending.done += len;
                    self.pending.written += len as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if is_pause(&error) => return Err(error),
                Err(error) => return Err(self.fail(error)),
            }
        }
    }

    pub(super) fn call_inner(&mut self, call: impl FnOnce(&mut W) -> io::Result<()>) -> io::Result<()> {
        let Some(inner) = &mut self.inner else { return Ok(()) };
        let failed = self.failed.replace(Failure::panicked());
        self.is_calling = true;
        let result = call(inner);
        (self.failed, self.is_calling) = (failed, false);
        result.map_err(|error| if is_pause(&error) { error } else { self.fail(error) })
    }

    /// Writes bytes that make readers refuse the output. Also after an error of the inner writer, which may take them
    /// nevertheless.
    pub(super) fn leave_unfinished(&mut self) {
        if matches!(self.state, State::Finished(_)) || self.inner.is_none() || self.is_calling {
            return;
        }
        let is_whole = self.pending.done == 0;
        let is_begun = self.pending.written > 0 || !self.pending.edge.is_empty();
        match self.state {
            // The output ends inside a frame or a header.
            State::Open if !is_whole && self.pending.piece.is_some() => {}
            // The output ends inside the trailer. More bytes could complete it.
            State::Ending(_) if !is_whole => {}
            _ => {
                let has_header = !matches!(self.state, State::Open) || self.write_header().is_ok();
                if has_header {
                    self.pending.edge = self.compression.unfinished(is_begun).to_vec();
                    (self.pending.piece, self.pending.done) = (None, 0);
                    let _ = self.write_pending();
                }
            }
        }
        // Nobody can be told of an error here.
        let _ = self.call_inner(Write::flush);
    }

    /// Writes the rest of the header, and drops the output behind it.
    fn write_header(&mut self) -> io::Result<()> {
        self.pending.piece = None;
        self.write_pending()
    }
}
