//! The scanner: where the last block of a stream begins and ends.
//!
//! An encoder of whole buffers marks the last block of its stream with a bit. A program that concatenates such
//! streams to one has to clear that bit, and only a reader of all codes before it finds the place. [`Scanner`]
//! reads the codes and puts out nothing. It is for streams that the program has just encoded: it
//! does not check where distances reach.

use super::bits::{Bits, Kept};
use super::code::{Codes, DISTANCE_BITS, LITLEN_BITS, Precode};
use super::dynamic::{HeaderState, Lens};

/// The place of the last block, in bits from the beginning of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastBlock {
    /// Where the block's header begins. Its first bit says that the block is the last.
    pub header: usize,
    /// Where the block ends.
    pub end: usize,
}

/// Finds the last block of a whole stream.
pub struct Scanner {
    lens: Lens,
    precode: Precode,
    codes: Box<Codes>,
}

impl Default for Scanner {
    fn default() -> Self {
        Self { lens: Lens::default(), precode: Precode::new(), codes: Box::new(Codes::new()) }
    }
}

impl Scanner {
    /// The last block of the stream that begins here, or nothing if the stream is not valid.
    pub fn last_block(&mut self, stream: &[u8]) -> Option<LastBlock> {
        let mut bits = Bits::new(Kept::default(), stream);
        loop {
            let header = bits.place();
            let block = bits.take(3)?;
            match block >> 1 {
                0 => {
                    bits.align();
                    let lens = bits.take(32)?;
                    bits.skip(lens & 0xffff)?;
                }
                1 => {
                    self.codes.set_fixed().ok()?;
                    contents(&self.codes, &mut bits)?;
                }
                2 => {
                    let read = self.lens.read(HeaderState::Counts, &mut bits, &mut self.precode);
                    if read != Ok(None) {
                        return None;
                    }
                    let (litlen, distance) = self.lens.both();
                    self.codes.set(litlen, distance).ok()?;
                    contents(&self.codes, &mut bits)?;
                }
                _ => return None,
            }
            if block & 1 == 1 {
                return Some(LastBlock { header, end: bits.place() });
            }
        }
    }
}

/// Passes the symbols of a block.
fn contents(codes: &Codes, from: &mut Bits) -> Option<()> {
    // A local variable keeps the bits in registers.
    let mut bits = *from;
    loop {
        if bits.count < 48 {
            bits.refill();
        }
        let mut entry = codes.litlen(bits.peek(LITLEN_BITS));
        if !entry.is_literal() && entry.is_subtable() {
            bits.pass(entry.bits())?;
            entry = codes.litlen(entry.subtable_index(bits.buffer));
        }
        bits.pass(entry.bits())?;
        if entry.is_literal() {
            continue;
        }
        if entry.is_other() {
            *from = bits;
            return entry.is_end_of_block().then_some(());
        }
        let mut distance = codes.distance(bits.peek(DISTANCE_BITS));
        if distance.is_subtable() {
            bits.pass(distance.bits())?;
            distance = codes.distance(distance.subtable_index(bits.buffer));
        }
        if distance.is_other() {
            return None;
        }
        bits.pass(distance.bits())?;
    }
}
