//! Streams read without being decoded: where is the last block?
//!
//! Encoders that code whole buffers end them with a block that says it is the last. To join what they
//! write into one stream, that has to be unsaid, and the place is known only to who has read the codes
//! of all blocks before.

use super::bits::{Bits, Kept};
use super::code::{Codes, DISTANCE_BITS, LITLEN_BITS, Precode};
use super::dynamic::{self, Lens};

/// Places in bits from the beginning of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LastBlock {
    /// Where its header begins, with the bit that says it is the last.
    pub(crate) header: usize,
    /// Where it ends.
    pub(crate) end: usize,
}

/// Reads streams that are known to be valid.
pub(crate) struct Scanner {
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
    /// The last block of a whole stream; nothing if it is not valid after all.
    pub(crate) fn last_block(&mut self, stream: &[u8]) -> Option<LastBlock> {
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
                    let read = self.lens.read(dynamic::At::Counts, &mut bits, &mut self.precode);
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

/// Passes the contents of a block.
fn contents(codes: &Codes, from: &mut Bits) -> Option<()> {
    // In a local the bits stay in registers.
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
