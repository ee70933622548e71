//! How a file is read: as it is, by inflate of zlib, or parallel.
//!
//! A regular file that is long enough is parallel from its start. A pipe is decoded inline up to that length; its coded
//! bytes are kept, and then decoded once more by the parallel reader. If parallel decoding of a file stops, inflate
//! decodes the file again, up to the place where it stopped, and goes on. So zlib itself finds what is wrong.

use pzcomp::Format;
use rustix::fs::SeekFrom;

use crate::fault::Fault;
use crate::handle::Failed;
use crate::memory::{self, Room};
use crate::parallel::{Decoding, Input, Stop};
use crate::reading::Reading;
use crate::settings::settings;
use crate::zlib::{BUF_ERROR, DATA_ERROR, Inflate, STREAM_ERROR};

const MAGIC: [u8; 2] = [0x1f, 0x8b];

pub(crate) enum How {
    /// The next bytes begin a member, or plain data, or are the end.
    Look,
    Copy,
    Inflate,
    Parallel(Box<Decoding>),
    /// Nothing comes after an error that was told.
    Over,
}

impl Reading {
    /// Makes the buffers.
    pub(crate) fn prepare(&mut self) -> Result<(), Failed> {
        if self.base.size != 0 {
            return Ok(());
        }
        let wanted = self.base.wanted;
        let (mut input, mut out) = (Vec::new(), Vec::new());
        if input.try_reserve_exact(wanted).is_err() || out.try_reserve_exact(2 * wanted).is_err() {
            return Err(self.fail(Fault::memory()));
        }
        input.resize(wanted, 0);
        out.resize(2 * wanted, 0);
        self.inflate = match Inflate::new() {
            Ok(inflate) => Some(inflate),
            Err(fault) => return Err(self.fail(fault)),
        };
        (self.input, self.out, self.base.size) = (input, out, wanted);
        Ok(())
    }

    /// Fills the buffer of coded bytes.
    fn load_coded(&mut self) -> Result<(), Failed> {
        if !self.is_fine() {
            return Err(Failed);
        }
        if self.is_read {
            return Ok(());
        }
        let len = self.unused.len();
        self.input.copy_within(self.unused.clone(), 0);
        self.unused = 0..len;
        let file = &self.base.file;
        let (got, is_end) = match memory::fill(&mut self.input[len..], |room| file.load(room)) {
            Ok(loaded) => loaded,
            Err(error) => return Err(self.fail(error)),
        };
        if let Some(seen) = &mut self.seen {
            seen.extend_from_slice(&self.input[len..len + got]);
        }
        self.unused.end += got;
        self.is_read |= is_end;
        Ok(())
    }

    /// Reads plain data to a room.
    pub(crate) fn load_plain(&mut self, room: &mut Room) -> Result<usize, Failed> {
        match self.base.file.load(room) {
            Ok((len, is_end)) => {
                self.is_read |= is_end;
                Ok(len)
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    /// Finds out what comes next.
    pub(crate) fn look(&mut self) -> Result<(), Failed> {
        self.prepare()?;
        if self.unused.len() < 2 {
            self.load_coded()?;
            if self.unused.is_empty() {
                return Ok(());
            }
        }
        let head = &self.input[self.unused.clone()];
        if head.starts_with(&MAGIC) {
            self.base.is_direct = false;
            self.how = How::Inflate;
            if let Some(inflate) = &mut self.inflate {
                inflate.reset();
            }
            self.begin_file(&[Format::Gzip]);
        } else if !self.base.is_direct {
            // Bytes behind the last member are ignored.
            self.unused = 0..0;
            (self.is_read, self.have) = (true, 0);
        } else if let Some(format) = Format::sniff(head).filter(|format| settings().formats.contains(format))
        {
            (self.base.is_direct, self.is_other) = (false, true);
            self.begin_other(format)?;
        } else {
            self.at = 0;
            self.have = self.unused.len();
            self.out[..self.have].copy_from_slice(head);
            self.unused = 0..0;
            self.seen = None;
            self.how = How::Copy;
        }
        Ok(())
    }

    /// Makes the buffer have bytes, unless the end has come. Nothing is at hand before.
    pub(crate) fn fetch(&mut self) -> Result<(), Failed> {
        loop {
            match self.how {
                How::Look => {
                    self.look()?;
                    if matches!(self.how, How::Look) {
                        return Ok(());
                    }
                }
                How::Copy => {
                    let mut out = std::mem::take(&mut self.out);
                    let loaded = memory::fill(&mut out, |room| self.load_plain(room));
                    self.out = out;
                    (self.at, self.have) = (0, loaded?);
                    return Ok(());
                }
                How::Over => {
                    self.is_read = true;
                    return Ok(());
                }
                How::Inflate | How::Parallel(_) => {
                    let mut out = std::mem::take(&mut self.out);
                    let decoded = memory::fill(&mut out, |room| self.decode(room));
                    let is_ours = self.out.is_empty();
                    if is_ours {
                        self.out = out;
                        (self.at, self.have) = (0, decoded?);
                    } else {
                        decoded?;
                    }
                }
            }
            if self.have > 0 || self.is_read && self.unused.is_empty() {
                return Ok(());
            }
        }
    }

    /// Decodes to a room. Returns the length, which can be 0.
    pub(crate) fn decode(&mut self, room: &mut Room) -> Result<usize, Failed> {
        let inline = settings().inline;
        if matches!(self.how, How::Inflate)
            && !self.is_read
            && self.seen.as_ref().is_some_and(|seen| seen.len() as u64 >= inline)
        {
            self.begin_pipe();
        }
        let How::Parallel(decoding) = &mut self.how else { return self.inflate(room) };
        match decoding.chunk() {
            Ok([]) => {
                // What is appended to the file later begins here.
                let end = decoding.offset();
                self.how = How::Look;
                (self.unused, self.is_read) = (0..0, true);
                if let Some(end) = end {
                    let _ = self.base.file.seek(SeekFrom::Start(end));
                }
                Ok(0)
            }
            Ok(chunk) => {
                let len = memory::put(room, chunk);
                decoding.consume(len);
                Ok(len)
            }
            Err(stop) => self.fall_back(stop).map(|()| 0),
        }
    }

    /// Decodes by inflate until the room is full or the member ends.
    fn inflate(&mut self, room: &mut Room) -> Result<usize, Failed> {
        let mut made = 0;
        while made < room.len() {
            if self.unused.is_empty() {
                self.load_coded()?;
            }
            if self.unused.is_empty() {
                self.fail(Fault::new(BUF_ERROR, "unexpected end of file"));
                break;
            }
            let Some(inflate) = &mut self.inflate else { return Err(Failed) };
            let (step, result) = inflate.step(&self.input[self.unused.clone()], &mut room[made..]);
            self.unused.start += step.used;
            if let Err(fault) = result {
                return Err(self.fail(fault));
            }
            made += step.made;
            if step.is_end() {
                self.how = How::Look;
                break;
            }
        }
        self.made += made as u64;
        Ok(made)
    }

    /// Decodes the rest of a regular file parallel, if it is long enough.
    fn begin_file(&mut self, formats: &[Format]) -> bool {
        if self.stays_inline || self.seen.is_some() {
            return false;
        }
        let Some(file_len) = self.base.file.regular_len() else { return false };
        let Ok(offset) = self.base.file.offset() else { return false };
        let from = offset.saturating_sub(self.unused.len() as u64);
        if formats == [Format::Gzip] && file_len.saturating_sub(from) < settings().inline.max(1) {
            return false;
        }
        let Ok(file) = self.base.file.copy() else { return false };
        let input = Input { head: Vec::new(), file, offset: Some(from) };
        match Decoding::begin(input, formats, 0) {
            Some(decoding) => {
                (self.unused, self.is_read) = (0..0, false);
                self.how = How::Parallel(Box::new(decoding));
                true
            }
            None => {
                self.stays_inline = true;
                false
            }
        }
    }

    /// Decodes the rest of a pipe parallel.
    fn begin_pipe(&mut self) {
        let Some(head) = self.seen.take() else { return };
        let Ok(file) = self.base.file.copy() else { return };
        let input = Input { head, file, offset: None };
        if let Some(decoding) = Decoding::begin(input, &[Format::Gzip], self.made) {
            self.unused = 0..0;
            self.how = How::Parallel(Box::new(decoding));
        }
    }

    /// Decodes another format.
    fn begin_other(&mut self, format: Format) -> Result<(), Failed> {
        let has_begun = match self.seen.take() {
            Some(head) => match self.base.file.copy() {
                Ok(file) => Decoding::begin(Input { head, file, offset: None }, &[format], 0)
                    .map(|decoding| self.how = How::Parallel(Box::new(decoding)))
                    .is_some(),
                Err(error) => return Err(self.fail(error)),
            },
            None => self.begin_file(&[format]),
        };
        match has_begun {
            true => {
                (self.unused, self.is_read) = (0..0, false);
                Ok(())
            }
            false => {
                Err(self.fail(Fault::new(STREAM_ERROR, "no thread can be started to decode this format")))
            }
        }
    }

    /// Goes on without the parallel reader, from the place where it stopped.
    fn fall_back(&mut self, stop: Stop) -> Result<(), Failed> {
        let How::Parallel(decoding) = std::mem::replace(&mut self.how, How::Over) else { return Ok(()) };
        let (from, taken, is_gzip) = (decoding.from, decoding.taken, decoding.is_gzip);
        drop(decoding);
        self.stays_inline = true;
        let Some(from) = from.filter(|_| is_gzip) else {
            (self.unused, self.is_read) = (0..0, true);
            let fault = match stop {
                Stop::Forked => {
                    Fault::new(STREAM_ERROR, "the file is being read by the parent of this process")
                }
                Stop::Fault(fault) => fault,
            };
            let is_fatal = fault.code != BUF_ERROR;
            let failed = self.fail(fault);
            return if is_fatal { Err(failed) } else { Ok(()) };
        };
        if let Err(error) = self.base.file.seek(SeekFrom::Start(from)) {
            return Err(self.fail(error));
        }
        if self.out.is_empty() {
            self.out.resize(2 * self.base.size, 0);
        }
        (self.unused, self.is_read, self.have, self.how) = (0..0, false, 0, How::Look);
        let pos = std::mem::take(&mut self.base.pos);
        let passed = self.pass(taken as i64);
        let is_there = self.base.pos == taken as i64;
        self.base.pos = pos;
        passed?;
        if matches!(self.how, How::Inflate) && self.is_over() {
            // The file is cut off. If its buffer is full there, zlib notes no error, and keeps a part of the last
            // match.
            self.fail(Fault::new(BUF_ERROR, "unexpected end of file"));
            return Ok(());
        }
        match is_there {
            true => Ok(()),
            false => Err(self.fail(Fault::new(DATA_ERROR, "the file changed while it was read"))),
        }
    }
}
