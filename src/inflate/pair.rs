//! Two streams at once, on one core.

use super::bits::Bits;
use super::fast::{Contents, Exit};
use super::{At, Defect, Inflate, Invalid, Output, Pause, Progress, Symbol};

/// One of two streams: what decodes it, its input and its output.
pub(crate) struct Side<'a, 'm, S> {
    pub(crate) inflate: &'a mut Inflate<S>,
    pub(crate) input: &'a [u8],
    pub(crate) output: &'a mut Output<'m, S>,
}

/// What a step did, besides its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Bytes of input that are used up.
    pub(crate) read: usize,
    /// Nothing if it was the other stream that could not go on.
    pub(crate) pause: Option<Pause>,
}

impl From<Progress> for Turn {
    fn from(Progress { read, pause }: Progress) -> Self {
        Self { read, pause: Some(pause) }
    }
}

/// Decodes two streams that have nothing to do with each other, until one of them pauses or is not valid.
pub(crate) fn run_both<S: Symbol, T: Symbol>(
    one: Side<S>,
    other: Side<T>,
) -> (Result<Turn, Invalid>, Result<Turn, Invalid>) {
    let (mut one, mut other) = (Running::new(one), Running::new(other));
    let (mut first, mut second) = (one.reach_contents(), other.reach_contents());
    while let (Ok(None), Ok(None)) = (first, second) {
        let (exit, other_exit) = one.contents().run_both(other.contents());
        first = exit.map_or(Ok(None), |exit| one.after(exit));
        second = other_exit.map_or(Ok(None), |exit| other.after(exit));
    }
    (one.end(first), other.end(second))
}

/// A stream that is being decoded.
struct Running<'a, 'm, S> {
    inflate: &'a mut Inflate<S>,
    bits: Bits<'a>,
    output: &'a mut Output<'m, S>,
    /// How much was filled in the beginning.
    filled: usize,
}

impl<'a, 'm, S: Symbol> Running<'a, 'm, S> {
    fn new(Side { inflate, input, output }: Side<'a, 'm, S>) -> Self {
        let (bits, filled) = inflate.begin(input, output);
        Self { inflate, bits, output, filled }
    }

    /// Decodes to where there are symbols, and both ends are far.
    fn reach_contents(&mut self) -> Result<Option<Pause>, Defect> {
        while self.inflate.at != At::Symbols || !Contents::has_room(&self.bits, self.output) {
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

    /// Goes on to the next contents behind those that ended so.
    fn after(&mut self, exit: Exit) -> Result<Option<Pause>, Defect> {
        match self.inflate.after(exit)? {
            None => self.reach_contents(),
            pause => Ok(pause),
        }
    }

    fn end(self, result: Result<Option<Pause>, Defect>) -> Result<Turn, Invalid> {
        let Self { inflate, bits, output, filled } = self;
        let read = inflate.end(bits, filled, output, result == Ok(Some(Pause::Input)));
        match result {
            Ok(pause) => Ok(Turn { read, pause }),
            Err(defect) => Err(Invalid { read, defect }),
        }
    }
}
