//! The contents of blocks near the ends of input and output, symbol by symbol.
//!
//! `Inflate::block` calls [`Inflate::contents`] between the symbols of a block. It first lets the fast loop run as
//! far as that can, then decodes the rest with every bound checked, and stops exactly where the input or the
//! memory ends. A match without enough room is continued by `rest_of_match` in the next run. No symbol is passed
//! before all its bits are there.

use super::bits::{Bits, low};
use super::code::{Codes, DISTANCE_BITS, Entry, LITLEN_BITS};
use super::contents::{Contents, Exit, FAR_BITS, LENGTH_BITS};
use super::{Defect, Inflate, Output, Pause, State, Symbol};

/// The next symbol of a block; a length counts together with its distance.
enum Next {
    Literal(u8),
    Match { distance: usize, length: usize },
    EndOfBlock,
}

impl<S: Symbol> Inflate<S> {
    /// Puts out the rest of a match.
    pub(super) fn rest_of_match(
        &mut self,
        distance: usize,
        left: usize,
        output: &mut Output<S>,
    ) -> Result<Option<Pause>, Defect> {
        if S::DEFERS {
            let noted = output.note(distance, left);
            self.state = if noted { State::Symbols } else { State::Match { distance, left } };
            return Ok((!noted).then_some(Pause::Output));
        }
        let before = &self.history.symbols()[..output.before];
        if distance > before.len() + output.behind() {
            return self.before_all(distance, left);
        }
        let left = copy_match(output, before, distance, left);
        self.state = if left > 0 { State::Match { distance, left } } else { State::Symbols };
        Ok((left > 0).then_some(Pause::Output))
    }

    /// Decodes symbols up to the end of the block, of the input or of the memory.
    pub(super) fn contents(
        &mut self,
        bits: &mut Bits,
        output: &mut Output<S>,
    ) -> Result<Option<Pause>, Defect> {
        let before = &self.history.symbols()[..output.before];
        let exit = Contents { codes: &self.codes, bits, out: output, before }.run();
        if !matches!(exit, Exit::Margin) {
            return self.after(exit);
        }
        loop {
            let Some((next, used)) = next(&self.codes, bits)? else {
                return Ok(Some(Pause::Input));
            };
            match next {
                Next::Literal(byte) => {
                    let Some(place) = output.memory.get_mut(output.filled) else {
                        return Ok(Some(Pause::Output));
                    };
                    *place = S::literal(byte);
                    output.filled += 1;
                    bits.consume(used);
                }
                Next::Match { distance, length } if S::DEFERS => {
                    if !output.note(distance, length) {
                        return Ok(Some(Pause::Output));
                    }
                    bits.consume(used);
                }
                Next::Match { distance, length } => {
                    if distance > before.len() + output.behind() {
                        if self.window_is_missing {
                            bits.consume(used);
                        }
                        return self.before_all(distance, length);
                    }
                    bits.consume(used);
                    let left = copy_match(output, before, distance, length);
                    if left > 0 {
                        self.state = State::Match { distance, left };
                        return Ok(Some(Pause::Output));
                    }
                }
                Next::EndOfBlock => {
                    bits.consume(used);
                    self.end_of_block();
                    return Ok(None);
                }
            }
        }
    }

    /// Continues where the fast loop had to stop.
    pub(super) fn after(&mut self, exit: Exit) -> Result<Option<Pause>, Defect> {
        match exit {
            Exit::Margin => Ok(None),
            Exit::EndOfBlock => {
                self.end_of_block();
                Ok(None)
            }
            Exit::Before { distance, length } => self.before_all(distance, length),
            Exit::Invalid(defect) => Err(defect),
        }
    }

    /// Handles a match that begins before all output that is known.
    fn before_all(&mut self, distance: usize, left: usize) -> Result<Option<Pause>, Defect> {
        if !self.window_is_missing {
            return Err(Defect::Distance);
        }
        self.state = State::Match { distance, left };
        Ok(Some(Pause::Window))
    }
}

/// Returns the next symbol and how many bits it takes, or nothing if the input ends before.
fn next(codes: &Codes, bits: &mut Bits) -> Result<Option<(Next, u32)>, Defect> {
    // A refill makes at least 56 bits available, if the input has them.
    const { assert!(LENGTH_BITS + FAR_BITS <= 56) };
    if bits.count < LENGTH_BITS + FAR_BITS {
        bits.refill();
    }
    let (buffer, count) = (bits.buffer, bits.count);
    let root = |buffer: u64, bits| (buffer & low(bits)) as usize;

    let mut entry = codes.litlen(root(buffer, LITLEN_BITS));
    let mut used = 0;
    if !entry.is_literal() && entry.is_other() && entry.is_subtable() {
        used += entry.bits();
        entry = codes.litlen(entry.subtable_index(buffer >> used));
    } else if entry.is_literal() {
        entry = entry.first();
    }
    let length = buffer >> used;
    used += entry.bits();
    if used > count {
        return Ok(None);
    }
    if entry.is_literal() {
        return Ok(Some((Next::Literal(entry.bytes() as u8), used)));
    }
    if entry.is_other() {
        let end = entry.is_end_of_block().then_some((Next::EndOfBlock, used));
        return end.ok_or(Defect::LitlenSymbol).map(Some);
    }
    let length = entry.number(length);

    let mut entry: Entry = codes.distance(root(buffer >> used, DISTANCE_BITS));
    if entry.is_other() && entry.is_subtable() {
        used += entry.bits();
        entry = codes.distance(entry.subtable_index(buffer >> used));
    }
    let distance = buffer >> used;
    used += entry.bits();
    if used > count {
        return Ok(None);
    }
    if entry.is_other() {
        return Err(Defect::DistanceSymbol);
    }
    Ok(Some((Next::Match { distance: entry.number(distance), length }, used)))
}

/// Copies as much of a match as has room, and returns how much is left. The distance is known to be valid.
pub(super) fn copy_match<S: Symbol>(
    output: &mut Output<S>,
    before: &[S],
    distance: usize,
    length: usize,
) -> usize {
    let now = length.min(output.memory.len() - output.filled);
    for _ in 0..now {
        let symbol = match distance.checked_sub(output.behind()) {
            Some(back @ 1..) => before[before.len() - back],
            _ => output.memory[output.filled - distance],
        };
        output.memory[output.filled] = symbol;
        output.filled += 1;
    }
    length - now
}
