//! Two streams at once on one core.
//!
//! Decoding one stream is a chain of table lookups that wait for each other. [`decode_pair`] runs the fast loops of
//! two streams in turns, so that a core works on one while the other waits: that takes two thirds of the time.
//! Headers and the ends of input and output are decoded one stream at a time. The result of each stream
//! is exactly its result alone; the tests compare them.

use super::bits::Bits;
use super::contents::{Contents, Exit};
use super::{Defect, Inflate, Invalid, Output, Pause, Progress, State, Symbol};

/// One of two streams: its decoder, its next input, and the memory for its output.
pub struct Stream<'a, 'm, S = u8> {
    /// The decoder, which stands at the start of the input.
    pub inflate: &'a mut Inflate<S>,
    /// The next bytes of the stream.
    pub input: &'a [u8],
    /// The memory for output.
    pub output: &'a mut Output<'m, S>,
}

/// How far one of two streams came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairProgress {
    /// How many bytes of the input the stream used up.
    pub read: usize,
    /// Why the stream paused, or nothing if only the other stream did.
    pub pause: Option<Pause>,
}

impl From<Progress> for PairProgress {
    fn from(Progress { read, pause }: Progress) -> Self {
        Self { read, pause: Some(pause) }
    }
}

/// Decodes two independent streams until one of them pauses or turns out to be invalid.
///
/// The caller then gives that stream more input or room, or another stream in its place, and calls again.
///
/// ```
/// use pzcomp_deflate::inflate::{Inflate, Output, Pause, Stream, decode_pair};
///
/// let coded: [&[u8]; 2] = [&[75, 76, 28, 5, 163, 96, 20, 12, 119, 0, 0], &[75, 76, 74, 78, 4, 35, 5, 8, 5, 0]];
/// let (mut first, mut second) = (Inflate::new(), Inflate::new());
/// let (mut memory, mut other_memory) = ([0; 100], [0; 100]);
/// let mut output = Output::new(&mut memory, 0);
/// let mut other_output = Output::new(&mut other_memory, 0);
/// let (one, other) = decode_pair(
///     Stream { inflate: &mut first, input: coded[0], output: &mut output },
///     Stream { inflate: &mut second, input: coded[1], output: &mut other_output },
/// );
/// assert!(one?.pause == Some(Pause::End) || other?.pause == Some(Pause::End));
/// # Ok::<(), pzcomp_deflate::inflate::Invalid>(())
/// ```
pub fn decode_pair<S: Symbol, T: Symbol>(
    one: Stream<S>,
    other: Stream<T>,
) -> (Result<PairProgress, Invalid>, Result<PairProgress, Invalid>) {
    let (mut one, mut other) = (Running::new(one), Running::new(other));
    let (mut first, mut second) = (one.reach_contents(), other.reach_contents());
    while let (Ok(None), Ok(None)) = (first, second) {
        let (exit, other_exit) = one.contents().run_pair(other.contents());
        first = exit.map_or(Ok(None), |exit| one.after(exit));
        second = other_exit.map_or(Ok(None), |exit| other.after(exit));
    }
    (one.end(first), other.end(second))
}

/// A stream in the middle of its run.
struct Running<'a, 'm, S> {
    inflate: &'a mut Inflate<S>,
    bits: Bits<'a>,
    output: &'a mut Output<'m, S>,
    /// How much of the output was filled at the beginning.
    filled: usize,
}

impl<'a, 'm, S: Symbol> Running<'a, 'm, S> {
    fn new(Stream { inflate, input, output }: Stream<'a, 'm, S>) -> Self {
        let (bits, filled) = inflate.begin(input, output);
        Self { inflate, bits, output, filled }
    }

    /// Decodes up to symbols from which both ends are far.
    fn reach_contents(&mut self) -> Result<Option<Pause>, Defect> {
        while self.inflate.state != State::Symbols || !Contents::has_room(&self.bits, self.output) {
            let pause = self.inflate.block(&mut self.bits, self.output)?;
            if pause.is_some() {
                return Ok(pause);
            }
        }
        Ok(None)
    }

    fn contents(&mut self) -> Contents<'_, 'a, 'm, S> {
        let before = &self.inflate.history.symbols()[..self.output.before];
        Contents { codes: &self.inflate.codes, bits: &mut self.bits, out: self.output, before }
    }

    /// Continues to the next contents behind those that ended so.
    fn after(&mut self, exit: Exit) -> Result<Option<Pause>, Defect> {
        match self.inflate.after(exit)? {
            None => self.reach_contents(),
            pause => Ok(pause),
        }
    }

    fn end(self, result: Result<Option<Pause>, Defect>) -> Result<PairProgress, Invalid> {
        let Self { inflate, bits, output, filled } = self;
        let read = inflate.end(bits, filled, output, result == Ok(Some(Pause::Input)));
        match result {
            Ok(pause) => Ok(PairProgress { read, pause }),
            Err(defect) => Err(Invalid { read, defect }),
        }
    }
}
