//! The decoder: DEFLATE (RFC 1951) from input of any length into output of any length.
//!
//! ```text
//! Inflate::run ─▶ headers of blocks (dynamic) ─▶ codes as tables (code, table)
//!              └▶ contents of blocks: symbol by symbol near the ends (careful), in a fast loop elsewhere (contents, fast)
//! ```
//!
//! A caller gives [`Inflate::run`] the next bytes of a stream and memory for output, and calls again with more
//! of either when [`Pause`] says so. [`decode_pair`] does the same for two streams at once. The decoder accepts
//! exactly the streams that zlib accepts, and before an error it puts out the same bytes. It is generic over the
//! [`Symbol`]s it puts out: bytes, or [`Marked`] symbols that stand for bytes not known yet.

mod bits;
mod block_finder;
mod blocks;
mod careful;
mod code;
mod contents;
mod deferred;
mod dynamic;
#[cfg(not(pzcomp_safe))]
mod fast;
#[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
mod finder_avx512;
mod history;
mod markers;
#[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
mod markers_avx512;
mod outcome;
mod pair;
mod scan;
mod table;

use bits::{Bits, Kept};
pub use block_finder::{BlockFinder, HEADER_MAX};
use code::{Codes, Precode};
pub use deferred::Deferred;
use dynamic::{HeaderState, Lens};
use history::History;
pub use markers::{Marked, Resolver, are_bytes, continue_with_bytes, continue_with_markers};
pub use outcome::{Defect, Invalid, Pause, Progress};
pub use pair::{PairProgress, Stream, decode_pair};
pub use scan::{LastBlock, Scanner};

/// The greatest distance of a match, in bytes.
pub const WINDOW_LEN: usize = 32 << 10;

/// What a decoder puts out: `u8`, or [`Marked`]. No type outside can implement it, because the fast loop copies symbols
/// as raw bytes.
pub trait Symbol: Copy + contents::Loops {
    /// Whether the decoder notes copies at the end of the memory, and puts out literals only (`deferred.rs`).
    #[doc(hidden)]
    const DEFERS: bool = false;

    /// The symbol of a byte.
    fn literal(byte: u8) -> Self;

    /// The symbols of two bytes, the lower first.
    #[doc(hidden)]
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
/// Matches copy from the filled part: the decoder takes its end for the latest output of the stream. If the stream has
/// put out less than is filled, only so much of the end counts. So a caller that gives the same memory to two runs must
/// not change the filled part between them.
pub struct Output<'a, S = u8> {
    memory: &'a mut [S],
    filled: usize,
    /// Where the stream's own output begins.
    start: usize,
    /// How much of the history lies before the memory.
    before: usize,
}

impl<'a, S> Output<'a, S> {
    /// Output goes into `memory` behind the first `filled` symbols.
    pub fn new(memory: &'a mut [S], filled: usize) -> Self {
        let filled = filled.min(memory.len());
        Self { memory, filled, start: 0, before: 0 }
    }

    /// How many symbols at the front of the memory are filled.
    pub fn filled(&self) -> usize {
        self.filled
    }

    /// How much of the stream's output is in the memory.
    #[inline(always)]
    fn behind(&self) -> usize {
        self.filled - self.start
    }
}

/// Where in a stream the decoder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    BlockHeader,
    StoredHeader,
    /// In a stored block that has this many bytes left.
    Stored(usize),
    DynamicHeader(HeaderState),
    /// Between the symbols of a block.
    Symbols,
    /// In a match.
    Match {
        distance: usize,
        left: usize,
    },
    End,
}

/// The bits of a block that are in the last byte of the block before.
///
/// A block may begin at any bit of a byte. The block before then ends in that byte. A decoder that begins with the
/// block needs the upper bits of that byte, and the bytes that follow.
///
/// A boundary is one byte, in which a one marks the end of these bits. For example, if the block before ends after
/// five bits of the byte `0b101_xxxxx`, three bits remain, and the boundary is `0b0000_1_101`. If no bits remain, the
/// boundary is 1: the block begins with a whole byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boundary(u8);

impl Boundary {
    /// The block begins with a whole byte.
    pub const WHOLE_BYTE: Self = Self(1);

    /// The boundary of a block that begins at this bit of `bytes`, and the index of the first byte behind the boundary.
    pub fn at(bytes: &[u8], bit: usize) -> (Self, usize) {
        match (bit % 8, bytes.get(bit / 8)) {
            (inside @ 1.., Some(&byte)) => (Self(((1 << 8 | u16::from(byte)) >> inside) as u8), bit / 8 + 1),
            _ => (Self::WHOLE_BYTE, bit / 8),
        }
    }

    fn of(kept: Kept) -> Option<Self> {
        let bits = u8::try_from(kept.buffer).ok().filter(|_| kept.count < 8)?;
        Some(Self(bits | 1 << kept.count))
    }

    /// The boundary as a number, which is never 0.
    pub fn to_byte(self) -> u8 {
        self.0
    }

    /// How many bits of the byte belong to the block. 0 if the block begins with a whole byte.
    pub fn bits(self) -> u32 {
        self.0.ilog2()
    }

    /// The reverse of [`Self::to_byte`].
    pub fn from_byte(byte: u8) -> Self {
        Self(byte.max(Self::WHOLE_BYTE.0))
    }

    fn kept(self) -> Kept {
        let count = self.bits();
        Kept { buffer: u64::from(self.0) & bits::low(count), count }
    }
}

/// A decoder of one DEFLATE stream after another.
///
/// ```
/// use pzcomp_deflate::inflate::{Inflate, Output, Pause};
///
/// // A stream of 1000 times the same letter, decoded into a small piece of memory.
/// let coded = [75, 76, 28, 5, 163, 96, 20, 12, 119, 0, 0];
/// let (mut inflate, mut piece) = (Inflate::new(), [0; 300]);
/// let (mut read, mut total) = (0, 0);
/// loop {
///     let mut output = Output::new(&mut piece, 0);
///     let progress = inflate.run(&coded[read..], &mut output)?;
///     read += progress.read;
///     total += output.filled();
///     match progress.pause {
///         Pause::Output => {}
///         Pause::End => break,
///         pause => panic!("the stream is incomplete: {pause:?}"),
///     }
/// }
/// assert_eq!((read, total), (coded.len(), 1000));
/// # Ok::<(), pzcomp_deflate::inflate::Invalid>(())
/// ```
pub struct Inflate<S = u8> {
    state: State,
    is_last: bool,
    kept: Kept,
    lens: Lens,
    precode: Precode,
    codes: Box<Codes>,
    /// Whether the codes are those of fixed blocks.
    is_fixed: bool,
    /// Whether the decoder began inside a stream and has not been told the output before that place.
    window_is_missing: bool,
    /// Whether all output of the stream is in the memory of each run, so that the decoder keeps no history.
    is_whole: bool,
    history: History<S>,
}

impl<S: Symbol> Default for Inflate<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Symbol> Inflate<S> {
    /// A decoder that stands at the start of a stream.
    pub fn new() -> Self {
        Self {
            state: State::BlockHeader,
            is_last: false,
            kept: Kept::default(),
            lens: Lens::default(),
            precode: Precode::new(),
            codes: Box::new(Codes::new()),
            is_fixed: false,
            window_is_missing: false,
            is_whole: false,
            history: History::new(),
        }
    }

    /// Begins a new stream.
    pub fn reset(&mut self) {
        (self.state, self.kept) = (State::BlockHeader, Kept::default());
        (self.window_is_missing, self.is_whole) = (false, false);
        self.history.clear();
    }

    /// Begins a new stream whose output all goes into one memory, from its start: each run gets the same
    /// memory, with `filled` as the run before left it. This saves the copy of the last output.
    pub fn reset_whole(&mut self) {
        self.reset();
        self.is_whole = true;
    }

    /// Begins inside a stream, where a block begins. The decoder does not know the output before that block.
    pub fn reset_inside(&mut self, boundary: Boundary) {
        self.reset();
        self.kept = boundary.kept();
        self.window_is_missing = true;
    }

    /// Tells the decoder the output before the place where it began: the last [`WINDOW_LEN`] symbols, or all
    /// if the stream has put out fewer.
    pub fn set_window(&mut self, window: &[S]) {
        if self.history.symbols().len() < WINDOW_LEN {
            self.history.set_window(window);
        }
        self.window_is_missing = false;
    }

    /// The last output: [`WINDOW_LEN`] symbols, or all that the decoder has put out if it is less.
    pub fn window(&self) -> &[S] {
        let known = self.history.symbols();
        &known[known.len().saturating_sub(WINDOW_LEN)..]
    }

    /// Whether the decoder began inside a stream and has not been told the window before that place.
    pub fn window_is_missing(&self) -> bool {
        self.window_is_missing
    }

    /// The boundary at which the decoder stands, if a block ends in the last byte of input that it has read
    /// and the stream continues.
    pub fn boundary(&self) -> Option<Boundary> {
        Boundary::of(self.kept).filter(|_| self.state == State::BlockHeader)
    }

    /// Takes over the stream of another decoder, without its history. The caller must then reset the other decoder.
    fn take_over<T>(&mut self, other: &mut Inflate<T>) {
        (self.state, self.is_last, self.kept) = (other.state, other.is_last, other.kept);
        // What the tables of the other decoder hold from here on belongs to no block, and may be nothing.
        other.state = State::End;
        std::mem::swap(&mut self.lens, &mut other.lens);
        std::mem::swap(&mut self.codes, &mut other.codes);
        std::mem::swap(&mut self.precode, &mut other.precode);
        // The two decoders have swapped their tables, so neither flag says any more which codes are in the tables.
        self.is_fixed = false;
        other.is_fixed = false;
        self.window_is_missing = false;
    }

    /// Decodes until the input is used up, the memory is full, or the stream ends.
    ///
    /// The run may also write to memory behind the filled part; those symbols have no meaning. After an error
    /// the filled part holds all output that comes before the defect.
    pub fn run(&mut self, input: &[u8], output: &mut Output<S>) -> Result<Progress, Invalid> {
        let (mut bits, filled) = self.begin(input, output);
        let result = self.blocks(&mut bits, output);
        let read = self.end(bits, filled, output, result == Ok(Pause::Input));
        match result {
            Ok(pause) => Ok(Progress { read, pause }),
            Err(defect) => Err(Invalid { read, defect }),
        }
    }

    /// Like [`Self::run`], but also ends where a block ends and the stream continues. The pause is then
    /// [`Pause::Input`], although input may be left, and [`Self::boundary`] says where the decoder stands.
    pub fn run_to_boundary(&mut self, input: &[u8], output: &mut Output<S>) -> Result<Progress, Invalid> {
        let (mut bits, filled) = self.begin(input, output);
        let mut is_boundary = false;
        let result = loop {
            match self.block(&mut bits, output) {
                Ok(None) if self.state == State::BlockHeader => {
                    is_boundary = true;
                    break Ok(Pause::Input);
                }
                Ok(None) => {}
                Ok(Some(pause)) => break Ok(pause),
                Err(defect) => break Err(defect),
            }
        };
        let read = self.end(bits, filled, output, result == Ok(Pause::Input) && !is_boundary);
        match result {
            Ok(pause) => Ok(Progress { read, pause }),
            Err(defect) => Err(Invalid { read, defect }),
        }
    }

    /// Begins a run: returns the bits of the input, and how much of the output is filled.
    fn begin<'a>(&mut self, input: &'a [u8], output: &mut Output<S>) -> (Bits<'a>, usize) {
        (Bits::new(self.kept, input), self.place(output))
    }

    /// Sets where in the output the stream's own output begins. Returns how much of the output is filled.
    fn place(&self, output: &mut Output<S>) -> usize {
        let filled = output.filled;
        let known = if self.is_whole { filled } else { self.history.symbols().len() };
        output.start = filled.saturating_sub(known);
        output.before = known.saturating_sub(filled);
        filled
    }

    /// Ends a run. `filled` is how much of the output was filled when the run began. `drained` says that the run ended
    /// because it needs more input. Returns how much of the input was read.
    fn end(&mut self, bits: Bits, filled: usize, output: &Output<S>, drained: bool) -> usize {
        if !self.is_whole {
            self.history.append(&output.memory[filled..output.filled]);
        }
        let (kept, read) = bits.close(drained);
        self.kept = kept;
        read
    }
}
