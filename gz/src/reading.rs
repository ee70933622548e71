//! [`Reading`]: a file that is read, and the calls that take bytes from it.
//!
//! The bytes at hand are in a buffer of twice the size of gzbuffer, as in zlib. gzgetc takes them from there, and
//! gzungetc puts bytes back. A long read goes to the memory of the caller. `looking.rs` finds out what the file has
//! and fills the buffer.

use std::ffi::c_int;

use crate::fault::Fault;
use crate::handle::{Base, Failed};
use crate::looking::How;
use crate::memory::{self, Room};
use crate::zlib::{BUF_ERROR, DATA_ERROR, ERRNO, Inflate, OK, STREAM_ERROR};

pub(crate) struct Reading {
    pub(crate) base: Base,
    /// Coded bytes: the buffer, and those of it that were not used.
    pub(crate) input: Vec<u8>,
    pub(crate) unused: std::ops::Range<usize>,
    /// Plain bytes, and those of them that are at hand.
    pub(crate) out: Vec<u8>,
    pub(crate) at: usize,
    pub(crate) have: usize,
    pub(crate) how: How,
    /// The offset at which the data begins.
    pub(crate) start: u64,
    /// The file has been read to its end.
    pub(crate) is_read: bool,
    /// The caller has asked for bytes behind the end.
    pub(crate) is_past: bool,
    pub(crate) inflate: Option<Inflate>,
    /// The file has another format than gzip.
    pub(crate) is_other: bool,
    /// Parallel decoding has failed, or could not begin.
    pub(crate) stays_inline: bool,
    /// What was read so far of a file that cannot be read again.
    pub(crate) seen: Option<Vec<u8>>,
    /// Bytes that inflate made of it.
    pub(crate) made: u64,
}

impl Reading {
    pub(crate) fn new(base: Base) -> Self {
        let start = base.file.offset().unwrap_or(0);
        let seen = base.file.regular_len().is_none().then(Vec::new);
        Self {
            base,
            input: Vec::new(),
            unused: 0..0,
            out: Vec::new(),
            at: 0,
            have: 0,
            how: How::Look,
            start,
            is_read: false,
            is_past: false,
            inflate: None,
            is_other: false,
            stays_inline: false,
            seen,
            made: 0,
        }
    }

    /// Notes what the macro gzgetc has taken.
    pub(crate) fn catch_up(&mut self, have: usize, pos: i64) {
        self.at += self.have.saturating_sub(have);
        self.have = self.have.min(have);
        self.base.pos = pos;
    }

    pub(crate) fn at_hand(&mut self) -> &mut [u8] {
        self.out.get_mut(self.at..self.at + self.have).unwrap_or_default()
    }

    /// Notes a fault. If it is fatal, the macro gzgetc gets no more bytes.
    pub(crate) fn fail(&mut self, fault: impl Into<Fault>) -> Failed {
        let fault = fault.into();
        if fault.code != BUF_ERROR {
            self.have = 0;
        }
        self.base.note(fault)
    }

    pub(crate) fn is_fine(&self) -> bool {
        self.base.noted.allows_reading()
    }

    /// Nothing is at hand, and nothing comes.
    pub(crate) fn is_over(&self) -> bool {
        self.is_read && self.unused.is_empty()
    }

    /// Passes over bytes at hand.
    pub(crate) fn take(&mut self, len: usize) {
        self.at += len;
        self.have -= len;
        self.base.pos += len as i64;
    }

    /// Goes where gzseek asked to go.
    fn go(&mut self) -> Result<(), Failed> {
        match self.base.skip.take() {
            Some(len) => self.pass(len),
            None => Ok(()),
        }
    }

    /// Passes over plain bytes, at most to the end.
    pub(crate) fn pass(&mut self, mut len: i64) -> Result<(), Failed> {
        while len > 0 {
            if self.have > 0 {
                let passed = usize::try_from(len).map_or(self.have, |len| len.min(self.have));
                self.take(passed);
                len -= passed as i64;
            } else if self.is_over() {
                break;
            } else {
                self.fetch()?;
            }
        }
        Ok(())
    }

    /// Fills the room, at most to the end. Returns the length.
    pub(crate) fn read(&mut self, room: &mut Room) -> Result<usize, Failed> {
        if room.is_empty() {
            return Ok(0);
        }
        self.go()?;
        let mut got = 0;
        while got < room.len() {
            let rest = &mut room[got..];
            if self.have > 0 {
                let len = memory::put(rest, &self.out[self.at..self.at + self.have]);
                self.take(len);
                got += len;
            } else if self.is_over() {
                self.is_past = true;
                break;
            } else if matches!(self.how, How::Look) || rest.len() < self.out.len() {
                self.fetch()?;
            } else {
                let len = match self.how {
                    How::Copy => self.load_plain(rest)?,
                    _ => self.decode(rest)?,
                };
                self.base.pos += len as i64;
                got += len;
            }
        }
        Ok(got)
    }

    /// gzread.
    pub(crate) fn read_call(&mut self, room: &mut Room) -> c_int {
        if !self.is_fine() {
            return -1;
        }
        let got = self.read(room).unwrap_or(0);
        match got == 0 && !self.is_fine() {
            true => -1,
            false => got as c_int,
        }
    }

    /// gzfread: the length, or 0 after an error.
    pub(crate) fn read_items(&mut self, room: &mut Room) -> usize {
        match self.is_fine() {
            true => self.read(room).unwrap_or(0),
            false => 0,
        }
    }

    /// A request that is too long.
    pub(crate) fn refuse<R>(&mut self, text: &str, result: R) -> R {
        if self.is_fine() {
            self.fail(Fault::new(STREAM_ERROR, text));
        }
        result
    }

    /// gzgetc, as a function.
    pub(crate) fn next_byte(&mut self) -> c_int {
        if !self.is_fine() {
            return -1;
        }
        if self.have > 0 {
            let byte = self.out[self.at];
            self.take(1);
            return c_int::from(byte);
        }
        let mut byte = [0];
        match memory::fill(&mut byte, |room| self.read(room)) {
            Ok(1) => c_int::from(byte[0]),
            _ => -1,
        }
    }

    /// gzungetc.
    pub(crate) fn push_back(&mut self, byte: c_int) -> c_int {
        // The buffer does not exist before the first read.
        if self.base.size == 0 {
            let _ = self.look();
        }
        if !self.is_fine() || self.go().is_err() || byte < 0 {
            return -1;
        }
        let len = self.out.len();
        if self.have == len {
            self.fail(Fault::new(DATA_ERROR, "out of room to push characters"));
            return -1;
        }
        if self.have == 0 {
            self.at = len;
        } else if self.at == 0 {
            self.out.copy_within(0..self.have, len - self.have);
            self.at = len - self.have;
        }
        self.at -= 1;
        self.have += 1;
        self.out[self.at] = byte as u8;
        self.base.pos -= 1;
        self.is_past = false;
        byte
    }

    /// gzgets: bytes up to the end of a line, and a zero. Nothing if there is none, or after an error.
    pub(crate) fn line(&mut self, room: &mut Room) -> Option<()> {
        if !self.is_fine() {
            return None;
        }
        self.go().ok()?;
        let most = room.len().checked_sub(1)?;
        let mut got = 0;
        while got < most {
            if self.have == 0 {
                self.fetch().ok()?;
            }
            if self.have == 0 {
                self.is_past = true;
                break;
            }
            let len = self.have.min(most - got);
            let bytes = &self.out[self.at..self.at + len];
            let end = memory::find(b'\n', bytes);
            let len = end.map_or(len, |end| end + 1);
            memory::put(&mut room[got..], &bytes[..len]);
            self.take(len);
            got += len;
            if end.is_some() {
                break;
            }
        }
        if got == 0 {
            return None;
        }
        room[got].write(0);
        Some(())
    }

    /// gzdirect.
    pub(crate) fn is_plain(&mut self) -> bool {
        if matches!(self.how, How::Look) && self.have == 0 {
            let _ = self.look();
        }
        self.base.is_direct
    }

    /// gzclose_r. An error of the system is for errno.
    pub(crate) fn close(mut self) -> (c_int, Option<i32>) {
        let code = if self.base.noted.code == BUF_ERROR { BUF_ERROR } else { OK };
        self.how = How::Look;
        match self.base.file.close() {
            Ok(()) => (code, None),
            Err(number) => (ERRNO, Some(number)),
        }
    }
}
