//! [`Giver`] and [`Taker`]: the output of a compression, and the same bytes for the thread that verifies them.
//!
//! The compression writes to the giver. A regular file is written first, and the taker is told how far it may read the
//! file. For any other output the taker gets a copy of the bytes, and the last few bytes are held back until all is
//! verified. So an output that is wrong is never complete. If the taker has no thread, it runs when all was given, and
//! the copy waits in a file without a name.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result, Write};

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::error;
use engine::Progress;
use engine::io::{Output, OutputStream};

/// How much the taker may be behind, in messages.
const AHEAD: usize = 16;

/// The longest copy in a message.
const COPY_LEN: usize = 256 << 10;

/// How many bytes at the end are held back.
const HELD_LEN: usize = 16;

/// What the giver tells the taker.
enum Handed {
    /// The next bytes of the output.
    Bytes(Vec<u8>),
    /// So many bytes were written to the file.
    UpTo(u64),
    /// So many bytes are in this file, which is a copy.
    Copy(File, u64),
}

/// The output, and the way to the taker.
pub(super) struct Giver<'a> {
    output: OutputStream<'a>,
    is_read_again: bool,
    /// Absent after the end, or if the taker has gone.
    taker: Option<Sender<Handed>>,
    has_refused: bool,
    /// Whether the taker is told of the file only when all is written, as it does not run before.
    tells_at_end: bool,
    /// Where the copy waits.
    copy: Option<File>,
    /// The end of the output so far, which is not yet written.
    held: Vec<u8>,
    given: u64,
    progress: Progress,
}

/// What was written, for the thread that verifies it.
pub(super) struct Taker<'a> {
    giver: Receiver<Handed>,
    file: Option<(Reopened<'a>, u64)>,
    at: u64,
    /// How far the file may be read.
    up_to: u64,
    bytes: Vec<u8>,
}

/// The file of the output, open for reading.
enum Reopened<'a> {
    Same(&'a File),
    Own(File),
}

impl<'a> Giver<'a> {
    /// An output, and what reads behind it. `progress` is cancelled when the taker has gone.
    /// Zeros become holes in a file if `holes` says so.
    pub(super) fn new(output: Output<'a>, holes: bool, progress: Progress) -> (Self, Taker<'a>) {
        let file = match &output {
            Output::File { file, start } => match system::place::open_again(file) {
                Ok(None) => Some((Reopened::Same(file), *start)),
                Ok(Some(own)) => Some((Reopened::Own(own), *start)),
                Err(_) => None,
            },
            _ => None,
        };
        let (sender, receiver) = bounded(AHEAD);
        let giver = Self {
            output: OutputStream::new(output, holes),
            is_read_again: file.is_some(),
            taker: Some(sender),
            has_refused: false,
            tells_at_end: false,
            copy: None,
            held: Vec::new(),
            given: 0,
            progress,
        };
        (giver, Taker { giver: receiver, file, at: 0, up_to: 0, bytes: Vec::new() })
    }

    /// Whether the taker reads the file, and gets no copies.
    pub(super) fn is_read_again(&self) -> bool {
        self.is_read_again
    }

    /// Whether the taker has gone before the end.
    pub(super) fn has_refused(&self) -> bool {
        self.has_refused
    }

    /// Bytes that were given.
    pub(super) fn given(&self) -> u64 {
        self.given
    }

    /// From here on the giver does not wait for the taker.
    pub(super) fn tell_at_end(&mut self) -> Result<()> {
        self.tells_at_end = true;
        if !self.is_read_again {
            self.copy = Some(system::file::unnamed()?);
        }
        Ok(())
    }

    /// Tells the taker that nothing more comes.
    pub(super) fn end(&mut self) {
        if let Some(copy) = self.copy.take() {
            self.hand(Handed::Copy(copy, self.given));
        } else if self.tells_at_end {
            self.hand(Handed::UpTo(self.output.written()));
        }
        self.taker = None;
    }

    /// Writes the bytes that are held back, and ends the output.
    pub(super) fn complete(&mut self) -> error::Result<()> {
        let held = std::mem::take(&mut self.held);
        self.output.write_all(&held)?;
        Ok(self.output.finish()?)
    }

    /// Ends an output that was written to its end and is wrong, so that readers refuse it: it lacks its last bytes.
    pub(super) fn spoil(&mut self) {
        self.held.clear();
        // The error of the verification is the one that is reported.
        let _ = match self.is_read_again {
            true => self.output.cut(HELD_LEN as u64),
            false => Ok(()),
        };
        let _ = self.output.finish();
    }

    fn hand(&mut self, handed: Handed) {
        if self.taker.as_ref().is_some_and(|taker| taker.send(handed).is_err()) {
            self.taker = None;
            self.has_refused = true;
            self.progress.cancel();
        }
    }
}

impl Write for Giver<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        if self.is_read_again {
            self.output.write_all(bytes)?;
            self.output.settle()?;
            if !self.tells_at_end {
                self.hand(Handed::UpTo(self.output.written()));
            }
        } else {
            if let Some(copy) = &mut self.copy {
                copy.write_all(bytes).map_err(|error| {
                    let what = format!("cannot keep a copy to verify in a temporary file: {error}");
                    Error::new(error.kind(), what)
                })?;
            } else {
                for copy in bytes.chunks(COPY_LEN) {
                    self.hand(Handed::Bytes(copy.to_vec()));
                }
            }
            let (now, last) = bytes.split_at(bytes.len().saturating_sub(HELD_LEN));
            let early = (self.held.len() + last.len()).saturating_sub(HELD_LEN);
            let early: Vec<u8> = self.held.drain(..early).collect();
            self.output.write_all(&early)?;
            self.output.write_all(now)?;
            self.held.extend_from_slice(last);
        }
        self.given += bytes.len() as u64;
        Ok(bytes.len())
    }

    /// The bytes that are held back stay so.
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Read for Taker<'_> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        loop {
            if let Some((file, start)) = &self.file
                && self.at < self.up_to
            {
                let len = usize::try_from(self.up_to - self.at).unwrap_or(usize::MAX).min(out.len());
                let file = match file {
                    Reopened::Same(file) => file,
                    Reopened::Own(file) => file,
                };
                let read = system::place::read_at(file, &mut out[..len], start + self.at)?;
                if read == 0 && len > 0 {
                    let what = format!("the file ends after {} of {} bytes", self.at, self.up_to);
                    return Err(Error::new(ErrorKind::UnexpectedEof, what));
                }
                self.at += read as u64;
                return Ok(read);
            }
            if !self.bytes.is_empty() {
                let len = out.len().min(self.bytes.len());
                out[..len].copy_from_slice(&self.bytes[..len]);
                self.bytes.drain(..len);
                return Ok(len);
            }
            match self.giver.recv() {
                Ok(Handed::Bytes(bytes)) => self.bytes = bytes,
                Ok(Handed::UpTo(up_to)) => self.up_to = up_to,
                Ok(Handed::Copy(copy, len)) => {
                    (self.file, self.up_to) = (Some((Reopened::Own(copy), 0)), len);
                }
                Err(_) => return Ok(0),
            }
        }
    }
}
