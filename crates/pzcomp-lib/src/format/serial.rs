//! Tools for formats whose frames are decoded by one worker from the first byte to the last.
//!
//! The formats are `.lzma`, zlib, zip, compress, pack and LZH; xz and lzip use some of the tools too. [`RestWalker`]
//! gives the whole input to one worker, and [`OldFormat`] is what the three old formats have in common. [`FrameErrors`]
//! makes the errors of a frame and reads its fields. [`Bits`] reads the bits of a frame. [`StatedLen`] is for encoders
//! of one frame.
//!
//! An end of the input inside a frame is always an error that names the frame.

use super::{Codec, Cursor, Decoder, Info, Reading, Unit, Walker};
use crate::error::{Error, Result};
use crate::options::Decode;
use engine::Source;

/// A walker for formats in which only the decoder can find the end of a frame.
pub(super) struct RestWalker {
    /// The name of the check that a frame carries.
    pub(super) check: &'static str,
}

impl Walker for RestWalker {
    fn unit(&mut self, _: &mut dyn Cursor) -> Result<Unit> {
        Ok(Unit::rest(self.check))
    }

    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        cursor.take_rest()
    }
}

/// The plain length that the header of a frame states before the data is there.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatedLen {
    stated: Option<u64>,
    read: u64,
}

impl StatedLen {
    pub(super) fn new(stated: Option<u64>) -> Self {
        Self { stated, read: 0 }
    }

    /// Counts plain data. It is an error if the frame holds more than is stated, or less when it ends.
    pub(super) fn pass(&mut self, len: usize, is_last: bool, format: &'static str) -> Result<()> {
        self.read += len as u64;
        if self.stated.is_some_and(|len| self.read > len || is_last && self.read < len) {
            let how = "as a frame that states another length than its data has";
            return Err(Error::Unavailable { format, how });
        }
        Ok(())
    }
}

/// A format of an old program: it is only read, a magic number of two bytes begins it, and it has no check. One worker
/// decodes all of it.
pub(super) struct OldFormat {
    pub(super) info: &'static Info,
    pub(super) magic: [u8; 2],
    pub(super) decoder: fn() -> Box<dyn Decoder>,
}

impl Codec for OldFormat {
    fn info(&self) -> &'static Info {
        self.info
    }

    fn sniff(&self, head: &[u8]) -> bool {
        head.starts_with(&self.magic)
    }

    fn walker(&self, _: usize, _: &Reading) -> Box<dyn Walker> {
        Box::new(RestWalker { check: "-" })
    }

    fn decoder(&self, _: &Reading, _: &Decode) -> Result<Box<dyn Decoder>> {
        Ok((self.decoder)())
    }
}

/// The frame that is being decoded, as its errors name it.
#[derive(Clone, Copy)]
pub(super) struct FrameErrors {
    pub(super) format: &'static str,
    /// What the format calls a frame.
    pub(super) unit: &'static str,
    /// Where it begins.
    pub(super) start: u64,
}

impl FrameErrors {
    /// The error if the input ends inside the frame.
    pub(super) fn truncated(self, source: &Source) -> Error {
        Error::Truncated { format: self.format, frame: self.start, offset: source.offset() }
    }

    /// The error of a frame that is damaged. `what` says it of the frame, as in "has a wrong length".
    pub(super) fn corrupt(self, what: impl std::fmt::Display) -> Error {
        Error::corrupt(self.format, self.start, format!("the {} that begins there {what}", self.unit))
    }

    /// The error of a frame that is valid but not supported.
    pub(super) fn unsupported(self, what: impl std::fmt::Display) -> Error {
        let what = format!("the {} that begins there {what}", self.unit);
        Error::unsupported(self.format, self.start, what)
    }

    /// Reads the next bytes of the frame.
    pub(super) fn bytes<const LEN: usize>(self, source: &mut Source) -> Result<[u8; LEN]> {
        let mut bytes = [0; LEN];
        if source.read_exact(&mut bytes)? { Ok(bytes) } else { Err(self.truncated(source)) }
    }
}

/// The bits of a frame, the most significant bit of each byte first.
pub(super) struct Bits<'s, 'a> {
    source: &'s mut Source<'a>,
    frame: FrameErrors,
    /// Its lowest `count` bits are the next bits.
    buffer: u64,
    count: u32,
}

impl<'s, 'a> Bits<'s, 'a> {
    pub(super) fn new(source: &'s mut Source<'a>, frame: FrameErrors) -> Self {
        Self { source, frame, buffer: 0, count: 0 }
    }

    /// Looks at the next `len` bits, at most 32. Bits behind the end of the input are zeros. No byte is consumed that
    /// holds none of the bits.
    pub(super) fn peek(&mut self, len: u32) -> Result<u32> {
        while self.count < len
            && let Some(&byte) = self.source.inside()?.first()
        {
            self.source.consume(1);
            self.buffer = self.buffer << 8 | u64::from(byte);
            self.count += 8;
        }
        let lack = len.saturating_sub(self.count);
        let bits = self.buffer << lack >> (self.count + lack - len);
        Ok((bits & ((1 << len) - 1)) as u32)
    }

    /// Passes `len` bits, which have been looked at.
    pub(super) fn pass(&mut self, len: u32) -> Result<()> {
        let left = self.count.checked_sub(len);
        self.count = left.ok_or_else(|| self.frame.truncated(self.source))?;
        Ok(())
    }

    /// Takes the next `len` bits, at most 32.
    pub(super) fn take(&mut self, len: u32) -> Result<u32> {
        let bits = self.peek(len)?;
        self.pass(len)?;
        Ok(bits)
    }
}
