//! Headers of blocks, and the contents of stored blocks. [`careful`](super::careful) and [`fast`](super::fast) have the
//! contents of the others.

use super::bits::Bits;
use super::dynamic::HeaderState;
use super::{Defect, Inflate, Output, Pause, State, Symbol};

impl<S: Symbol> Inflate<S> {
    pub(super) fn blocks(&mut self, bits: &mut Bits, output: &mut Output<S>) -> Result<Pause, Defect> {
        loop {
            if let Some(pause) = self.block(bits, output)? {
                return Ok(pause);
            }
        }
    }

    /// Decodes the next part of a block.
    #[inline]
    pub(super) fn block(&mut self, bits: &mut Bits, output: &mut Output<S>) -> Result<Option<Pause>, Defect> {
        match self.state {
            State::BlockHeader => self.block_header(bits),
            State::StoredHeader => self.stored_header(bits),
            State::Stored(left) => Ok(self.stored(left, bits, output)),
            State::DynamicHeader(state) => self.dynamic_header(state, bits),
            State::Symbols => self.contents(bits, output),
            State::Match { distance, left } => self.rest_of_match(distance, left, output),
            State::End => Ok(Some(Pause::End)),
        }
    }

    /// Reads the header of a block (RFC 1951, section 3.2.3).
    fn block_header(&mut self, bits: &mut Bits) -> Result<Option<Pause>, Defect> {
        // If less than a byte is left, the run ends before the header: `boundary` can then give the bits that are left
        // to another decoder, which continues from here. Only a run without input reads the header from these bits.
        if bits.left() < 8 && !bits.input.is_empty() {
            return Ok(Some(Pause::Input));
        }
        let Some(header) = bits.take(3) else {
            return Ok(Some(Pause::Input));
        };
        self.is_last = header & 1 == 1;
        self.state = match header >> 1 {
            0 => State::StoredHeader,
            1 => {
                if !self.is_fixed {
                    self.codes.set_fixed()?;
                    self.is_fixed = true;
                }
                State::Symbols
            }
            2 => State::DynamicHeader(HeaderState::Counts),
            _ => return Err(Defect::BlockType),
        };
        Ok(None)
    }

    pub(super) fn end_of_block(&mut self) {
        self.state = if self.is_last { State::End } else { State::BlockHeader };
    }

    /// Reads the header of a stored block (RFC 1951, section 3.2.4).
    fn stored_header(&mut self, bits: &mut Bits) -> Result<Option<Pause>, Defect> {
        bits.align();
        let Some(lens) = bits.take(32) else {
            return Ok(Some(Pause::Input));
        };
        let (len, complement) = (lens & 0xffff, lens >> 16);
        if len != complement ^ 0xffff {
            return Err(Defect::StoredLength);
        }
        self.state = State::Stored(len);
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
        self.state = State::Stored(left - copied);
        Some(if copied < len { Pause::Input } else { Pause::Output })
    }

    /// Reads the header of a dynamic block (RFC 1951, section 3.2.7).
    fn dynamic_header(&mut self, state: HeaderState, bits: &mut Bits) -> Result<Option<Pause>, Defect> {
        self.is_fixed = false;
        match self.lens.read(state, bits, &mut self.precode)? {
            Some(state) => {
                self.state = State::DynamicHeader(state);
                Ok(Some(Pause::Input))
            }
            None => {
                let (litlen, distance) = self.lens.both();
                self.codes.set(litlen, distance)?;
                self.state = State::Symbols;
                Ok(None)
            }
        }
    }
}
