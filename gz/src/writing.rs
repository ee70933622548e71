//! [`Writing`]: a file that is written, and the calls that give bytes to it.
//!
//! Short writes gather in a buffer of the size of gzbuffer. `coding.rs` codes what comes out of it.

use std::ffi::{c_int, c_uint};

use crate::coding::Coder;
use crate::fault::Fault;
use crate::handle::{Base, Failed};
use crate::mode::Mode;
use crate::zlib::{BLOCK, DATA_ERROR, ERRNO, FINISH, NO_FLUSH, OK, STREAM_ERROR};

pub(crate) struct Writing {
    pub(crate) base: Base,
    /// Bytes that wait: the buffer has twice its size, for gzprintf.
    pub(crate) input: Vec<u8>,
    pub(crate) waiting: usize,
    pub(crate) level: i32,
    pub(crate) strategy: i32,
    pub(crate) coder: Coder,
    /// A member has ended, and another one begins only with data.
    pub(crate) is_ended: bool,
    /// Output was lost in an error.
    pub(crate) is_broken: bool,
}

impl Writing {
    pub(crate) fn new(base: Base, mode: &Mode) -> Self {
        Self {
            base,
            input: Vec::new(),
            waiting: 0,
            level: mode.level,
            strategy: mode.strategy,
            coder: Coder::default(),
            is_ended: false,
            is_broken: false,
        }
    }

    pub(crate) fn is_fine(&self) -> bool {
        self.base.noted.code == OK
    }

    fn prepare(&mut self) -> Result<(), Failed> {
        if self.base.size != 0 {
            return Ok(());
        }
        let len = 2 * self.base.wanted;
        if self.input.try_reserve_exact(len).is_err() {
            return Err(self.base.note(Fault::memory()));
        }
        self.input.resize(len, 0);
        self.base.size = self.base.wanted;
        Ok(())
    }

    /// Codes the bytes that wait.
    fn code_waiting(&mut self, flush: c_int) -> Result<(), Failed> {
        self.prepare()?;
        let input = std::mem::take(&mut self.input);
        let waiting = std::mem::take(&mut self.waiting);
        let coded = self.code(&input[..waiting], flush);
        self.input = input;
        coded
    }

    /// Writes the zeros that gzseek asked for.
    fn go(&mut self) -> Result<(), Failed> {
        let Some(mut left) = self.base.skip.take() else { return Ok(()) };
        self.code_waiting(NO_FLUSH)?;
        let zeros = vec![0; self.base.size];
        while left > 0 {
            let len = usize::try_from(left).map_or(zeros.len(), |left| left.min(zeros.len()));
            self.base.pos += len as i64;
            self.code(&zeros[..len], NO_FLUSH)?;
            left -= len as i64;
        }
        Ok(())
    }

    pub(crate) fn write(&mut self, mut bytes: &[u8]) -> Result<(), Failed> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.prepare()?;
        self.go()?;
        let size = self.base.size;
        if bytes.len() >= size {
            if self.waiting > 0 {
                self.code_waiting(NO_FLUSH)?;
            }
            self.base.pos += bytes.len() as i64;
            return self.code(bytes, NO_FLUSH);
        }
        loop {
            let len = bytes.len().min(size.saturating_sub(self.waiting));
            self.input[self.waiting..self.waiting + len].copy_from_slice(&bytes[..len]);
            self.waiting += len;
            self.base.pos += len as i64;
            bytes = &bytes[len..];
            if bytes.is_empty() {
                return Ok(());
            }
            self.code_waiting(NO_FLUSH)?;
        }
    }

    /// gzwrite.
    pub(crate) fn write_call(&mut self, bytes: &[u8]) -> c_int {
        match self.is_fine() && self.write(bytes).is_ok() {
            true => bytes.len() as c_int,
            false => 0,
        }
    }

    /// gzfwrite: the length, or 0 after an error.
    pub(crate) fn write_items(&mut self, bytes: &[u8]) -> usize {
        match self.is_fine() && self.write(bytes).is_ok() {
            true => bytes.len(),
            false => 0,
        }
    }

    /// A length that does not fit.
    pub(crate) fn refuse_length(&mut self, code: c_int, text: &str) {
        if self.is_fine() {
            self.base.note(Fault::new(code, text));
        }
    }

    /// gzputs.
    pub(crate) fn put_text(&mut self, text: &[u8]) -> c_int {
        if !self.is_fine() {
            return -1;
        }
        let Ok(len) = c_int::try_from(text.len()) else {
            self.refuse_length(STREAM_ERROR, "string length does not fit in int");
            return -1;
        };
        self.write(text).map_or(-1, |()| len)
    }

    /// gzputc.
    pub(crate) fn put_byte(&mut self, byte: c_int) -> c_int {
        match self.is_fine() && self.write(&[byte as u8]).is_ok() {
            true => byte & 0xff,
            false => -1,
        }
    }

    /// Room for gzprintf: as long as the buffer. The error is for the caller.
    pub(crate) fn text_room(&mut self) -> Result<&mut [u8], c_int> {
        if !self.is_fine() {
            return Err(STREAM_ERROR);
        }
        if self.prepare().and_then(|()| self.go()).is_err() {
            return Err(self.base.noted.code);
        }
        let size = self.base.size;
        Ok(&mut self.input[self.waiting..self.waiting + size])
    }

    /// That many bytes are in the room.
    pub(crate) fn text_written(&mut self, len: c_uint) -> c_int {
        let (size, len) = (self.base.size, len as usize);
        if len > size {
            return 0;
        }
        self.waiting += len;
        self.base.pos += len as i64;
        if self.waiting >= size {
            let left = self.waiting - size;
            self.waiting = size;
            if self.code_waiting(NO_FLUSH).is_err() {
                return self.base.noted.code;
            }
            self.input.copy_within(size..size + left, 0);
            self.waiting = left;
        }
        len as c_int
    }

    /// gzflush.
    pub(crate) fn flush(&mut self, flush: c_int) -> c_int {
        if !self.is_fine() || !(NO_FLUSH..=FINISH).contains(&flush) {
            return STREAM_ERROR;
        }
        let _ = self.go().and_then(|()| self.code_waiting(flush));
        self.base.noted.code
    }

    /// gzsetparams.
    pub(crate) fn set(&mut self, level: c_int, strategy: c_int) -> c_int {
        if !self.is_fine() {
            return STREAM_ERROR;
        }
        if (level, strategy) == (self.level, self.strategy) {
            return OK;
        }
        let mut done = self.go();
        if done.is_ok() && self.base.size != 0 && !self.base.is_direct {
            done =
                self.code_waiting(if self.coder.is_empty() && self.waiting == 0 { NO_FLUSH } else { BLOCK });
            self.coder.set(level, strategy);
        }
        if done.is_err() {
            return self.base.noted.code;
        }
        (self.level, self.strategy) = (level, strategy);
        OK
    }

    /// gzseek: forward only, with zeros. Only the next call writes them.
    pub(crate) fn seek(&mut self, offset: i64, is_relative: bool) -> i64 {
        if !self.is_fine() {
            return -1;
        }
        let pending = self.base.skip.take().unwrap_or(0);
        let offset = match is_relative {
            true => offset.checked_add(pending),
            false => offset.checked_sub(self.base.pos),
        };
        let Some(offset) = offset.filter(|offset| *offset >= 0) else { return -1 };
        self.base.skip = (offset != 0).then_some(offset);
        self.base.pos.saturating_add(offset)
    }

    /// gzoffset.
    pub(crate) fn offset(&mut self) -> i64 {
        self.base.file.offset().map_or(-1, |offset| offset as i64)
    }

    /// gzclose_w. An error of the system is for errno.
    pub(crate) fn close(mut self) -> (c_int, Option<i32>) {
        let mut code = OK;
        if self.go().and_then(|()| self.code_waiting(FINISH)).is_err() {
            code = self.base.noted.code;
        }
        let errno = self.base.noted.errno;
        self.coder = Coder::default();
        match self.base.file.close() {
            Ok(()) => (code, errno),
            Err(number) => (ERRNO, Some(number)),
        }
    }

    /// gzwrite with a length that does not fit into an int.
    pub(crate) fn refuse_write(&mut self) {
        self.refuse_length(DATA_ERROR, "requested length does not fit in int");
    }
}
