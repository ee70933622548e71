//! DEFLATE decoded (RFC 1951): from input of any length into output of any length.
//!
//! ```text
//! run ─▶ headers of blocks (dynamic) ─▶ codes as tables (code)
//!     └▶ contents: the loop for the ends (careful), and the one for all between (fast)
//! ```
//!
//! The verdicts are zlib's, and so are the bytes before an error. The decoder is generic over the
//! symbols that it puts out, so that output can also stand for bytes that are not known yet.

mod bits;
mod careful;
mod code;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod compare;
mod dynamic;
mod fast;
mod finder;
mod history;
mod marked;
mod pair;
mod scan;
mod table;
#[cfg(test)]
mod tests;

use bits::{Bits, Kept};
use code::{Codes, Precode};
use dynamic::Lens;
pub(crate) use finder::{Finder, HEADER_MAX};
use history::History;
pub(crate) use marked::{Marked, Resolver, are_bytes, with_window, without_window};
pub(crate) use pair::{Side, Turn, run_both};
pub(crate) use scan::Scanner;

/// How far back a match may reach.
pub(crate) const WINDOW_LEN: usize = 32 << 10;

/// What is put out: bytes, or something that can stand for one.
pub(crate) trait Symbol: Copy {
    /// The symbol of a byte.
    fn literal(byte: u8) -> Self;

    /// The symbols of two bytes, the lower first.
    #[inline(always)]
    fn literals(bytes: u16) -> [Self; 2] {
        bytes.to_le_bytes().map(Self::literal)
    }
}

impl Symbol for u8 {
    #[inline(always)]
    fn literal(byte: u8) -> Self {
        byte
    }
}

/// Memory for output, and how much of it is filled.
///
/// What is filled already is taken for the latest output of the stream, as far as there was so much:
/// matches copy from there.
pub(crate) struct Output<'a, S = u8> {
    memory: &'a mut [S],
    filled: usize,
    /// Where the stream's own output begins.
    start: usize,
    /// How much of the history lies before the memory.
    before: usize,
}

impl<'a, S> Output<'a, S> {
    pub(crate) fn new(memory: &'a mut [S], filled: usize) -> Self {
        let filled = filled.min(memory.len());
        Self { memory, filled, start: 0, before: 0 }
    }

    pub(crate) fn filled(&self) -> usize {
        self.filled
    }

    /// How much of the stream's output is in the memory.
    #[inline(always)]
    fn behind(&self) -> usize {
        self.filled - self.start
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// All input is read, and more is needed.
    Input,
    /// There is more output than room.
    Output,
    /// A match begins before what is known of the stream, which [`Inflate::precede`] can change. Only a
    /// stream that was begun inside has this.
    Window,
    /// The stream has ended; what follows its last byte is not read.
    End,
}

/// What a run did, besides its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Bytes of input that are used up.
    pub(crate) read: usize,
    pub(crate) pause: Pause,
}

/// The stream is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Invalid {
    /// Bytes of input up to where that was seen.
    pub(crate) read: usize,
    pub(crate) defect: Defect,
}

/// What is wrong with a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Defect {
    #[error("a block has the reserved type")]
    BlockType,
    #[error("the length of a stored block contradicts its complement")]
    StoredLength,
    #[error("a block says it has more symbols than there are")]
    Counts,
    #[error("the code of a block's code lengths is not valid")]
    Precode,
    #[error("a repeated code length has none before it or goes too far")]
    Repeat,
    #[error("a block has no code for its end")]
    NoEndOfBlock,
    #[error("the code of a block's literals and lengths is not valid")]
    LitlenCode,
    #[error("the code of a block's distances is not valid")]
    DistanceCode,
    #[error("a code stands for no literal or length")]
    LitlenSymbol,
    #[error("a code stands for no distance")]
    DistanceSymbol,
    #[error("a distance reaches back before the beginning")]
    Distance,
}

/// Where in a stream the decoder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    BlockHeader,
    StoredHeader,
    /// In a stored block of which so many bytes are left.
    Stored(usize),
    DynamicHeader(dynamic::At),
    /// Between the symbols of a block.
    Symbols,
    /// In a match.
    Match {
        distance: usize,
        left: usize,
    },
    End,
}

/// A place in a stream where a block begins: what is left there of the byte in which the block before ends.
///
/// The bits are the lowest of a byte, below a one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Boundary(u8);

impl Boundary {
    /// A block begins with a byte.
    pub(crate) const WHOLE_BYTE: Self = Self(1);

    /// A block begins with the bit of this number in these bytes; how many bytes are before or in the place.
    pub(crate) fn at(bytes: &[u8], bit: usize) -> (Self, usize) {
        match (bit % 8, bytes.get(bit / 8)) {
            (inside @ 1.., Some(&byte)) => (Self(((1 << 8 | u16::from(byte)) >> inside) as u8), bit / 8 + 1),
            _ => (Self::WHOLE_BYTE, bit / 8),
        }
    }

    fn of(kept: Kept) -> Option<Self> {
        let bits = u8::try_from(kept.buffer).ok().filter(|_| kept.count < 8)?;
        Some(Self(bits | 1 << kept.count))
    }

    /// As a number, never 0.
    pub(crate) fn to_byte(self) -> u8 {
        self.0
    }

    /// The reverse of [`Self::to_byte`].
    pub(crate) fn from_byte(byte: u8) -> Self {
        Self(byte.max(Self::WHOLE_BYTE.0))
    }

    fn kept(self) -> Kept {
        let count = self.0.ilog2();
        Kept { buffer: u64::from(self.0) & bits::low(count), count }
    }
}

/// A decoder of one DEFLATE stream after another.
pub(crate) struct Inflate<S = u8> {
    at: At,
    is_last: bool,
    kept: Kept,
    lens: Lens,
    precode: Precode,
    codes: Box<Codes>,
    /// Whether the codes are those of fixed blocks.
    is_fixed: bool,
    /// Whether there was output before the history, and what is not known.
    is_open: bool,
    /// Whether all output of the stream is in the memory of each run, so that none has to be kept.
    is_whole: bool,
    history: History<S>,
}

impl<S: Symbol> Inflate<S> {
    pub(crate) fn new() -> Self {
        Self {
            at: At::BlockHeader,
            is_last: false,
            kept: Kept::default(),
            lens: Lens::default(),
            precode: Precode::new(),
            codes: Box::new(Codes::new()),
            is_fixed: false,
            is_open: false,
            is_whole: false,
            history: History::new(),
        }
    }

    /// Begins a new stream.
    pub(crate) fn reset(&mut self) {
        (self.at, self.kept) = (At::BlockHeader, Kept::default());
        (self.is_open, self.is_whole) = (false, false);
        self.history.clear();
    }

    /// Begins a new stream, all of whose output goes into one memory, from its start.
    pub(crate) fn reset_whole(&mut self) {
        self.reset();
        self.is_whole = true;
    }

    /// Begins inside a stream, where a block begins. What was put out before is not known.
    pub(crate) fn reset_inside(&mut self, boundary: Boundary) {
        self.reset();
        self.kept = boundary.kept();
        self.is_open = true;
    }

    /// Says what was put out before this decoder began, [`WINDOW_LEN`] of it or all there was.
    pub(crate) fn precede(&mut self, window: &[S]) {
        if self.history.symbols().len() < WINDOW_LEN {
            self.history.precede(window);
        }
        self.is_open = false;
    }

    /// The last output, [`WINDOW_LEN`] of it or all there was since the beginning.
    pub(crate) fn window(&self) -> &[S] {
        let known = self.history.symbols();
        &known[known.len().saturating_sub(WINDOW_LEN)..]
    }

    /// Whether it began inside a stream and does not know what was before.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Where it stands, if the input read so far ends where a block does, or in the same byte; the stream goes on.
    pub(crate) fn boundary(&self) -> Option<Boundary> {
        Boundary::of(self.kept).filter(|_| self.at == At::BlockHeader)
    }

    /// Takes over the stream of another decoder, which has to be reset then. What that has put out is left behind.
    fn take_over<T>(&mut self, other: &mut Inflate<T>) {
        (self.at, self.is_last, self.kept) = (other.at, other.is_last, other.kept);
        std::mem::swap(&mut self.lens, &mut other.lens);
        std::mem::swap(&mut self.codes, &mut other.codes);
        std::mem::swap(&mut self.precode, &mut other.precode);
        // Neither has the codes that it believes to have.
        self.is_fixed = false;
        other.is_fixed = false;
        self.is_open = false;
    }

    /// Decodes until the input is used up, the room is full, or the stream ends.
    ///
    /// Output behind `filled` may have been written to beyond what is filled in the end, which is also
    /// right where the stream is not valid: all that came before is output.
    pub(crate) fn run(&mut self, input: &[u8], output: &mut Output<S>) -> Result<Progress, Invalid> {
        let (mut bits, filled) = self.begin(input, output);
        let result = self.blocks(&mut bits, output);
        let read = self.end(bits, filled, output, result == Ok(Pause::Input));
        match result {
            Ok(pause) => Ok(Progress { read, pause }),
            Err(defect) => Err(Invalid { read, defect }),
        }
    }

    /// Begins a run: the bits, and how much is filled.
    fn begin<'a>(&mut self, input: &'a [u8], output: &mut Output<S>) -> (Bits<'a>, usize) {
        let filled = output.filled;
        let known = if self.is_whole { filled } else { self.history.symbols().len() };
        output.start = filled.saturating_sub(known);
        output.before = known.saturating_sub(filled);
        (Bits::new(self.kept, input), filled)
    }

    /// Ends a run that began with so much filled; how much input was read, all of it if it was `drained`.
    fn end(&mut self, bits: Bits, filled: usize, output: &Output<S>, drained: bool) -> usize {
        if !self.is_whole {
            self.history.append(&output.memory[filled..output.filled]);
        }
        let (kept, read) = bits.close(drained);
        self.kept = kept;
        read
    }

    fn blocks(&mut self, bits: &mut Bits, output: &mut Output<S>) -> Result<Pause, Defect> {
        loop {
            if let Some(pause) = self.block(bits, output)? {
                return Ok(pause);
            }
        }
    }

    /// Decodes the next part of a block.
    #[inline]
    fn block(&mut self, bits: &mut Bits, output: &mut Output<S>) -> Result<Option<Pause>, Defect> {
        match self.at {
            At::BlockHeader => self.block_header(bits),
            At::StoredHeader => self.stored_header(bits),
            At::Stored(left) => Ok(self.stored(left, bits, output)),
            At::DynamicHeader(at) => self.dynamic_header(at, bits),
            At::Symbols => self.contents(bits, output),
            At::Match { distance, left } => self.rest_of_match(distance, left, output),
            At::End => Ok(Some(Pause::End)),
        }
    }

    /// Section 3.2.3.
    fn block_header(&mut self, bits: &mut Bits) -> Result<Option<Pause>, Defect> {
        // Whoever goes on from here may be another decoder, which gets what is left of a byte.
        if bits.left() < 8 && !bits.input.is_empty() {
            return Ok(Some(Pause::Input));
        }
        let Some(header) = bits.take(3) else {
            return Ok(Some(Pause::Input));
        };
        self.is_last = header & 1 == 1;
        self.at = match header >> 1 {
            0 => At::StoredHeader,
            1 => {
                if !self.is_fixed {
                    self.codes.set_fixed()?;
                    self.is_fixed = true;
                }
                At::Symbols
            }
            2 => At::DynamicHeader(dynamic::At::Counts),
            _ => return Err(Defect::BlockType),
        };
        Ok(None)
    }

    fn end_of_block(&mut self) {
        self.at = if self.is_last { At::End } else { At::BlockHeader };
    }

    /// Section 3.2.4.
    fn stored_header(&mut self, bits: &mut Bits) -> Result<Option<Pause>, Defect> {
        bits.align();
        let Some(lens) = bits.take(32) else {
            return Ok(Some(Pause::Input));
        };
        let (len, complement) = (lens & 0xffff, lens >> 16);
        if len != complement ^ 0xffff {
            return Err(Defect::StoredLength);
        }
        self.at = At::Stored(len);
        Ok(None)
    }

    fn stored(&mut self, left: usize, bits: &mut Bits, output: &mut Output<S>) -> Option<Pause> {
        let room = &mut output.memory[output.filled..];
        let len = room.len().min(left);
        let copied = bits.copy(&mut room[..len]);
        output.filled += copied;
        if copied == left {
            self.end_of_block();
            return None;
        }
        self.at = At::Stored(left - copied);
        Some(if copied < len { Pause::Input } else { Pause::Output })
    }

    /// Section 3.2.7.
    fn dynamic_header(&mut self, at: dynamic::At, bits: &mut Bits) -> Result<Option<Pause>, Defect> {
        self.is_fixed = false;
        match self.lens.read(at, bits, &mut self.precode)? {
            Some(at) => {
                self.at = At::DynamicHeader(at);
                Ok(Some(Pause::Input))
            }
            None => {
                let (litlen, distance) = self.lens.both();
                self.codes.set(litlen, distance)?;
                self.at = At::Symbols;
                Ok(None)
            }
        }
    }
}
