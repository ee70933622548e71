//! [`Kept`]: a stream that its owner decompresses inside its calls, because the system starts no thread.
//!
//! The owner gives input and takes output as it does if threads decode. A decoder cannot stop inside a frame and let
//! the owner read. So the input is kept. When more has come, all of it is decoded from its start, and output that there
//! was before is passed over. Input is decoded when it has doubled, and earlier as long as little was decoded in vain,
//! so the time is in proportion to the input.
//!
//! A decoder that needs more than there is fails, and takes back a frame of which no output has left. So the output of
//! a short frame comes when the frame has ended. Input and output wait in a [`Spool`].

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::decompress_io;
use super::resources::{Resources, SLAB_LEN};
use crate::error::{Error, Result};
use crate::options::Decode;
use crate::summary::Summary;
use engine::io::{Input, Output, ReadAt};
use engine::waits::{End, Meter};
use engine::{Buffers, Lease, PIECE_LEN, Progress, Slice, Turn};
use system::place;

/// So many bytes wait in memory. More wait on the disk.
const IN_MEMORY: usize = 1 << 20;

/// Input is decoded when it has doubled since it was decoded last, from this length on.
const DOUBLED_MIN: u64 = 4 << 20;

/// So many bytes may be decoded in vain, so that short messages are given out as they come.
const VAIN_MAX: u64 = 64 << 20;

/// A stream whose input is kept until it is decoded.
pub(crate) struct Kept {
    meter: Meter,
    slabs: Arc<Buffers>,
    pieces: Arc<Buffers>,
    state: Mutex<State>,
}

struct State {
    options: Decode,
    progress: Progress,
    refusal: io::Error,
    coded: Spool,
    /// How the input has ended.
    ended: Option<engine::Result<()>>,
    /// The length of the input when it was decoded last, and how much was decoded till then.
    tried: u64,
    decoded: u64,
    plain: Spool,
    /// How much of `plain` the owner has had, and the length of all output.
    taken: u64,
    made: u64,
    result: Option<Result<Summary>>,
}

impl Kept {
    /// A stream for which the system has refused a thread with this error.
    pub(super) fn new(options: &Decode, threads: usize, refusal: io::Error) -> Self {
        let meter = Meter::default();
        meter.enter(End::Sink);
        let (slabs, pieces) = (Buffers::new(2 * SLAB_LEN, 0), Buffers::new(4 * PIECE_LEN, 0));
        slabs.be_lone();
        pieces.be_lone();
        let state = State {
            options: Decode { threads, progress: None, ..options.clone() },
            progress: options.progress.clone().unwrap_or_default(),
            refusal,
            coded: Spool::default(),
            ended: None,
            tried: 0,
            decoded: 0,
            plain: Spool::default(),
            taken: 0,
            made: 0,
            result: None,
        };
        Self { meter, slabs, pieces, state: Mutex::new(state) }
    }

    pub(super) fn meter(&self) -> &Meter {
        &self.meter
    }

    pub(super) fn rest(&self) -> u64 {
        let state = self.state();
        let waiting = state.coded.memory.capacity() + state.plain.memory.capacity();
        (self.slabs.trim() + self.pieces.trim() + waiting) as u64
    }

    pub(super) fn share_with(&self, others: u64) -> Result<()> {
        Resources::within(&self.state().options)?.share_with(others)
    }

    pub(super) fn turn(&self, read_ahead: bool) -> Turn {
        let mut state = self.state();
        loop {
            if state.progress.is_cancelled() {
                state.result = Some(Err(Error::Cancelled));
                return Turn::Over;
            }
            match state.next_piece(&self.pieces) {
                Ok(Some(piece)) => return Turn::Output(piece),
                Ok(None) => {}
                Err(error) => state.result = Some(Err(error)),
            }
            if state.result.is_some() {
                return Turn::Over;
            }
            if !state.is_to_be_decoded(read_ahead) {
                return Turn::Proceed;
            }
            state.decode();
        }
    }

    pub(super) fn take_request(&self) -> Option<Lease> {
        self.slabs.lend(SLAB_LEN, || true).ok()
    }

    pub(super) fn supply(&self, supply: engine::Result<(Lease, usize)>) {
        let mut state = self.state();
        match supply {
            Ok((_, 0)) => state.ended = Some(Ok(())),
            Err(error) => state.ended = Some(Err(error)),
            Ok((slab, len)) => {
                state.progress.add_in(len as u64);
                if let Err(error) = state.coded.append(&slab[..len]) {
                    state.result = Some(Err(state.cannot_wait("input", &error)));
                }
            }
        }
    }

    pub(super) fn summary(&self) -> Result<Summary> {
        let result = self.state().result.take();
        result.unwrap_or_else(|| Err(Error::Internal("a stream that has no result".into())))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The next output that waits.
    fn next_piece(&mut self, pieces: &Arc<Buffers>) -> Result<Option<Slice>> {
        let left = self.plain.len - self.taken;
        if left == 0 {
            self.taken = 0;
            return self.plain.clear().map(|()| None).map_err(|error| self.cannot_wait("output", &error));
        }
        let mut piece = pieces.lend(PIECE_LEN, || true)?;
        let len = usize::try_from(left).unwrap_or(PIECE_LEN).min(PIECE_LEN);
        let read = self.plain.fill(&mut piece[..len], self.taken);
        read.map_err(|error| self.cannot_wait("output", &error))?;
        self.taken += len as u64;
        self.progress.add_out(len as u64);
        Ok(Some(piece.freeze(0..len)))
    }

    fn is_to_be_decoded(&self, read_ahead: bool) -> bool {
        let len = self.coded.len;
        let has_doubled = len >= 2 * self.tried.max(DOUBLED_MIN / 2);
        let costs_little = self.decoded <= len + VAIN_MAX;
        self.ended.is_some() || len > self.tried && (has_doubled || !read_ahead && costs_little)
    }

    /// Decodes all input that has come.
    fn decode(&mut self) {
        let len = self.coded.len;
        (self.tried, self.decoded) = (len, self.decoded + len);
        let mut failure = None;
        let lacks_more = Cell::new(false);
        let output = Behind {
            skipped: self.made,
            made: &mut self.made,
            plain: &mut self.plain,
            failure: &mut failure,
        };
        let is_whole = matches!(self.ended, Some(Ok(())));
        let input = match is_whole {
            true => Input::At { source: &self.coded, start: 0, end: len },
            false => Input::Reader(Box::new(Begun { coded: &self.coded, at: 0, lacks_more: &lacks_more })),
        };
        let decoded = decompress_io(input, Output::writer(output), &self.options);
        self.result = match (failure, decoded) {
            (Some(error), _) => Some(Err(self.cannot_wait("output", &error))),
            (None, Err(Error::Read { .. })) if lacks_more.get() && self.ended.is_some() => {
                self.ended.take().map(|ended| Err(ended.err().map_or(Error::GivenUp, Error::from)))
            }
            // It may come of the input that is not there yet.
            (None, Err(error)) if lacks_more.get() && self.ended.is_none() => {
                let may_be_right = error.is_of_input() || matches!(error, Error::Read { .. } | Error::Empty);
                (!may_be_right).then_some(Err(error))
            }
            (None, decoded) => Some(decoded),
        };
        if matches!(self.result, Some(Ok(_))) {
            self.progress.add_done(len);
        }
    }

    fn cannot_wait(&self, what: &str, error: &io::Error) -> Error {
        let what =
            format!("{}, and the {what} cannot wait in a temporary file instead: {error}", self.refusal);
        Error::Threads { source: io::Error::new(error.kind(), what) }
    }
}

/// Reads the input that has come, and fails behind it.
struct Begun<'a> {
    coded: &'a Spool,
    at: u64,
    lacks_more: &'a Cell<bool>,
}

impl Read for Begun<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.coded.read_at(buffer, self.at)?;
        if read == 0 && !buffer.is_empty() {
            self.lacks_more.set(true);
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.at += read as u64;
        Ok(read)
    }
}

/// Keeps the output behind that which there was before.
struct Behind<'a> {
    skipped: u64,
    made: &'a mut u64,
    plain: &'a mut Spool,
    failure: &'a mut Option<io::Error>,
}

impl Write for Behind<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let skipped = usize::try_from(self.skipped).unwrap_or(usize::MAX).min(bytes.len());
        self.skipped -= skipped as u64;
        let new = &bytes[skipped..];
        if let Err(error) = self.plain.append(new) {
            let kind = error.kind();
            *self.failure = Some(error);
            return Err(kind.into());
        }
        *self.made += new.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes that wait: in memory, or in a file without a name if they are many.
#[derive(Default)]
struct Spool {
    memory: Vec<u8>,
    file: Option<File>,
    len: u64,
}

impl Spool {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.is_none() && self.memory.len() + bytes.len() > IN_MEMORY {
            let file = system::file::unnamed()?;
            place::write_all_at(&file, &self.memory, 0)?;
            (self.memory, self.file) = (Vec::new(), Some(file));
        }
        match &self.file {
            Some(file) => place::write_all_at(file, bytes, self.len)?,
            None => self.memory.extend_from_slice(bytes),
        }
        self.len += bytes.len() as u64;
        Ok(())
    }

    fn fill(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        match &self.file {
            Some(file) => place::read_exact_at(file, buffer, offset),
            None => {
                buffer.copy_from_slice(&self.memory[offset as usize..][..buffer.len()]);
                Ok(())
            }
        }
    }

    fn clear(&mut self) -> io::Result<()> {
        self.memory.clear();
        if self.len > 0
            && let Some(file) = &self.file
        {
            file.set_len(0)?;
        }
        self.len = 0;
        Ok(())
    }
}

impl ReadAt for Spool {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match &self.file {
            Some(file) => ReadAt::read_at(file, buffer, offset),
            None => ReadAt::read_at(&self.memory[..], buffer, offset),
        }
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.len)
    }
}
