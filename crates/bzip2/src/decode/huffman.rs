//! Prefix codes for decoding: canonical, at most 20 bits long.
//!
//! [`Code::set`] takes the lengths of a code, [`Code::decode`] returns the next symbol of the input. Codes of up to
//! ten bits are looked up in a table, longer ones are compared length by length. Lengths that make no code are
//! accepted as libbz2 accepts them.

use super::bits::BitReader;
use crate::SYMBOLS_MAX;

pub(super) const LEN_MAX: u32 = 20;
/// The result if the bits are no code.
pub(super) const NO_SYMBOL: u32 = u16::MAX as u32;

/// Codes of up to this many bits are looked up at once.
const LOOKUP_BITS: u32 = 10;

pub(super) struct Code {
    /// For each value of the next bits the symbol and, in the lowest five bits, its length; zero where
    /// the code is longer or there is none.
    lookup: [u16; 1 << LOOKUP_BITS],
    /// For each length the end of its codes, left-aligned in [`LEN_MAX`] bits.
    ends: [u32; LEN_MAX as usize + 1],
    /// For each length what is added to a code to get its place in `symbols`.
    offsets: [u32; LEN_MAX as usize + 1],
    /// The symbols by length.
    symbols: [u16; SYMBOLS_MAX],
}

impl Code {
    pub(super) const fn new() -> Self {
        Self {
            lookup: [0; 1 << LOOKUP_BITS],
            ends: [0; LEN_MAX as usize + 1],
            offsets: [0; LEN_MAX as usize + 1],
            symbols: [0; SYMBOLS_MAX],
        }
    }

    /// Makes the code with these lengths, each 1 to 20.
    ///
    /// As in bzip2, lengths that do not make a code are no error. With too few codes some bits mean nothing. With too
    /// many codes the last ones cannot be reached.
    pub(super) fn set(&mut self, lens: &[u8]) {
        self.lookup.fill(0);
        let (mut code, mut place) = (0_u32, 0);
        for len in 1..=LEN_MAX {
            code <<= 1;
            self.offsets[len as usize] = (place as u32).wrapping_sub(code);
            for (symbol, _) in lens.iter().enumerate().filter(|&(_, &of)| u32::from(of) == len) {
                self.symbols[place] = symbol as u16;
                place += 1;
                if len <= LOOKUP_BITS && code < 1 << len {
                    let spare = LOOKUP_BITS - len;
                    let first = (code << spare) as usize;
                    self.lookup[first..first + (1 << spare)].fill((symbol as u16) << 5 | len as u16);
                }
                code += 1;
            }
            self.ends[len as usize] = (code << (LEN_MAX - len)).min(1 << LEN_MAX);
            code = code.min(1 << len);
        }
    }

    /// The next symbol. Needs 20 bits loaded.
    #[inline(always)]
    pub(super) fn decode(&self, bits: &mut BitReader) -> u32 {
        let entry = u32::from(self.lookup[bits.peek(LOOKUP_BITS) as usize]);
        if entry == 0 {
            return self.decode_long(bits);
        }
        bits.pass(entry & 31);
        entry >> 5
    }

    #[inline(never)]
    fn decode_long(&self, bits: &mut BitReader) -> u32 {
        let next = bits.peek(LEN_MAX);
        for len in LOOKUP_BITS + 1..=LEN_MAX {
            if next < self.ends[len as usize] {
                bits.pass(len);
                let place = (next >> (LEN_MAX - len)).wrapping_add(self.offsets[len as usize]);
                return self.symbols.get(place as usize).map_or(NO_SYMBOL, |&symbol| symbol.into());
            }
        }
        // As many bits as are looked at to find that out.
        bits.pass(LEN_MAX);
        NO_SYMBOL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(lens: &[u8], bytes: &[u8], count: usize) -> Vec<u32> {
        let mut code = Code::new();
        code.set(lens);
        let mut bits = BitReader::new(bytes, 0);
        (0..count)
            .map(|_| {
                bits.refill();
                code.decode(&mut bits)
            })
            .collect()
    }

    #[test]
    fn codes_are_canonical() {
        // a 0, b 10, c 110, d 111
        assert_eq!(decode(&[1, 2, 3, 3], &[0b0101_1011, 0b1000_0000], 5), [0, 1, 2, 3, 0]);
    }

    #[test]
    fn long_codes_follow_the_short_ones() {
        let lens: Vec<u8> = (1..=20).chain([20]).collect();
        // Nineteen ones and a zero; twenty ones; eight ones and a zero.
        let bytes = [0xff, 0xff, 0b1110_1111, 0xff, 0xff, 0xff, 0];
        assert_eq!(decode(&lens, &bytes, 3), [19, 20, 8]);
        // Eleven ones and a zero.
        assert_eq!(decode(&lens, &[0xff, 0b1110_0000], 2), [11, 0]);
    }

    #[test]
    fn lengths_that_make_no_code_leave_gaps_or_symbols_out() {
        assert_eq!(decode(&[2, 2], &[0b0001_1000, 0, 0, 0], 3)[..2], [0, 1]);
        assert_eq!(decode(&[2, 2], &[0b1111_1111; 8], 1), [NO_SYMBOL]);
        assert_eq!(decode(&[1, 1, 1, 2, 20], &[0b0100_0000], 3), [0, 1, 0]);
        assert_eq!(decode(&[20; 258], &[0, 0, 0b0001_0000, 0], 1), [1]);
    }
}
