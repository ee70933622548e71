//! Headers of dynamic blocks (RFC 1951, 3.2.7): the code lengths of their two codes.
//!
//! [`Lens::read`] takes bits and fills the lengths. The input may end anywhere: then `read` returns a
//! [`HeaderState`], with which the caller calls it again. The decoder, the scanner and the block finder use it.
//! What it accepts is what zlib accepts.

use super::Defect;
use super::bits::Bits;
use super::code::{DISTANCE_SYMBOLS, LITLEN_SYMBOLS, Precode};

/// The order in which the lengths of the code length code come.
const PRECODE_ORDER: [u8; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// The greatest numbers of symbols with a code. More are not valid.
const LITLEN_MAX: usize = 286;
const DISTANCE_MAX: usize = 30;

const END_OF_BLOCK: usize = 256;

/// Where in a header the decoder is: how many of the code lengths it has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderState {
    Counts,
    PrecodeLens(usize),
    Lens(usize),
}

/// The code lengths of a block.
pub(super) struct Lens {
    /// HLIT + 257, HDIST + 1 and HCLEN + 4.
    litlen: usize,
    distance: usize,
    precode: usize,
    precode_lens: [u8; 19],
    lens: [u8; LITLEN_SYMBOLS + DISTANCE_SYMBOLS],
}

impl Default for Lens {
    fn default() -> Self {
        let lens = [0; LITLEN_SYMBOLS + DISTANCE_SYMBOLS];
        Self { litlen: 0, distance: 0, precode: 0, precode_lens: [0; 19], lens }
    }
}

impl Lens {
    /// The lengths of two codes: the code of literals and lengths, and the code of distances.
    pub(super) fn both(&self) -> (&[u8], &[u8]) {
        self.lens[..self.litlen + self.distance].split_at(self.litlen)
    }

    /// Continues to read a header. If the input is too short, returns the place where it had to stop.
    pub(super) fn read(
        &mut self,
        state: HeaderState,
        bits: &mut Bits,
        precode: &mut Precode,
    ) -> Result<Option<HeaderState>, Defect> {
        // A local variable keeps the bits in registers.
        let mut local = *bits;
        let result = self.read_parts(state, &mut local, precode);
        *bits = local;
        result
    }

    #[inline(always)]
    fn read_parts(
        &mut self,
        mut state: HeaderState,
        bits: &mut Bits,
        precode: &mut Precode,
    ) -> Result<Option<HeaderState>, Defect> {
        if state == HeaderState::Counts {
            let Some(counts) = bits.take(14) else {
                return Ok(Some(state));
            };
            (self.litlen, self.distance) = ((counts & 31) + 257, (counts >> 5 & 31) + 1);
            self.precode = (counts >> 10) + 4;
            if self.litlen > LITLEN_MAX || self.distance > DISTANCE_MAX {
                return Err(Defect::Counts);
            }
            self.precode_lens = [0; 19];
            state = HeaderState::PrecodeLens(0);
        }
        if let HeaderState::PrecodeLens(read) = state {
            for (index, &symbol) in PRECODE_ORDER[..self.precode].iter().enumerate().skip(read) {
                let Some(len) = bits.take(3) else {
                    return Ok(Some(HeaderState::PrecodeLens(index)));
                };
                self.precode_lens[usize::from(symbol)] = len as u8;
            }
            precode.set(&self.precode_lens)?;
            state = HeaderState::Lens(0);
        }
        let HeaderState::Lens(mut read) = state else {
            return Ok(Some(state));
        };
        let all = self.litlen + self.distance;
        while read < all {
            if bits.count < 14 {
                bits.refill();
            }
            let entry = precode.entry(bits.buffer as usize);
            let symbol = entry.symbol();
            let (extra, base) = match symbol {
                ..=15 => (0, 1),
                16 => (2, 3),
                17 => (3, 3),
                _ => (7, 11),
            };
            if bits.count < entry.bits() + extra {
                return Ok(Some(HeaderState::Lens(read)));
            }
            bits.consume(entry.bits());
            if extra == 0 {
                self.lens[read] = symbol as u8;
                read += 1;
                continue;
            }
            let times = base + bits.peek(extra);
            bits.consume(extra);
            let len = match symbol {
                16 => *read.checked_sub(1).and_then(|last| self.lens.get(last)).ok_or(Defect::Repeat)?,
                _ => 0,
            };
            let Some(places) = self.lens[..all].get_mut(read..read + times) else {
                return Err(Defect::Repeat);
            };
            places.fill(len);
            read += times;
        }
        if self.lens[END_OF_BLOCK] == 0 {
            return Err(Defect::NoEndOfBlock);
        }
        Ok(None)
    }
}
