//! One or four Huffman streams. A fast loop decodes most of them; the few symbols at the ends are decoded here, one by
//! one.

use super::HuffmanTable;
#[cfg(not(pzcomp_safe))]
use super::{FAST_BITS, fast};
use crate::Error;
use crate::bits::{bits_below, stream_top};

/// All streams of a literals section.
pub(crate) type Lanes<const N: usize> = [Stream; N];

/// Where one stream is in its block, and where its symbols go.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Stream {
    /// The position of its first bit, where its reader must end.
    start: usize,
    /// The position of the reader: the bits below it are not read yet.
    pub at: usize,
    /// The next literal to write.
    pub to: usize,
    /// Where its literals end.
    pub end: usize,
}

impl Stream {
    fn new(block: &[u8], from: usize, until: usize, to: usize, end: usize) -> Result<Self, Error> {
        let top = stream_top(&block[..until]).filter(|&top| top >= from * 8).ok_or(Error::HuffmanStream)?;
        Ok(Self { start: from * 8, at: top, to, end })
    }

    /// Decodes what is left, and checks that the codes end at the start of the stream.
    fn finish(mut self, block: &[u8], table: &HuffmanTable, literals: &mut [u8]) -> Result<(), Error> {
        for literal in &mut literals[self.to..self.end] {
            let entry = table.entries[bits_below(block, self.start, self.at, table.index_bits) as usize];
            *literal = (entry >> 8) as u8;
            self.at = self.at.checked_sub(usize::from(entry & 0xFF)).ok_or(Error::HuffmanStream)?;
            if self.at < self.start {
                return Err(Error::HuffmanStream);
            }
        }
        if self.at == self.start { Ok(()) } else { Err(Error::HuffmanStream) }
    }
}

/// Decodes one stream, `block[from..until]`, to `literals[..len]`.
pub(crate) fn decode_one(
    block: &[u8],
    from: usize,
    until: usize,
    table: &HuffmanTable,
    literals: &mut [u8],
    len: usize,
) -> Result<(), Error> {
    let mut lanes: Lanes<1> = [Stream::new(block, from, until, 0, len)?];
    #[cfg(not(pzcomp_safe))]
    if table.index_bits == FAST_BITS {
        fast::run(&mut lanes, block, table, literals);
    }
    lanes[0].finish(block, table, literals)
}

/// Decodes the jump table and the four streams in `block[from..until]` to `literals[..len]`.
pub(crate) fn decode_four(
    block: &[u8],
    from: usize,
    until: usize,
    table: &HuffmanTable,
    literals: &mut [u8],
    len: usize,
) -> Result<(), Error> {
    // A jump table of six bytes, and at least a byte for each stream.
    if until - from < 10 {
        return Err(Error::JumpTable);
    }
    let share = len.div_ceil(4);
    if 3 * share > len {
        return Err(Error::TooFewLiterals);
    }
    let mut lanes: Lanes<4> = [Stream::default(); 4];
    let mut begin = from + 6;
    for (number, lane) in lanes.iter_mut().enumerate() {
        let (to, mut end, mut stop) = (number * share, len, until);
        if number < 3 {
            let at = from + 2 * number;
            end = to + share;
            stop = begin + usize::from(u16::from_le_bytes([block[at], block[at + 1]]));
        }
        if stop > until || begin >= stop {
            return Err(Error::JumpTable);
        }
        *lane = Stream::new(block, begin, stop, to, end)?;
        begin = stop;
    }
    #[cfg(not(pzcomp_safe))]
    if table.index_bits == FAST_BITS {
        fast::run(&mut lanes, block, table, literals);
    }
    lanes.into_iter().try_for_each(|lane| lane.finish(block, table, literals))
}
