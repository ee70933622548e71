//! The input as bits in the order of bzip2: the most significant of a byte first.
//!
//! The caller of the decoder makes a [`BitReader`] for a slice, reads the magic number, and passes it on. Behind the
//! end of the slice there are zeros, so that no read fails; [`BitReader::is_overrun`] tells whether that happened.

/// Reads bits of a slice. Behind its end there are zeros.
#[derive(Clone, Debug)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    /// The byte that is loaded next.
    at: usize,
    /// Bits that are loaded, left-aligned.
    buffer: u64,
    /// How many bits are loaded.
    have: u32,
}

impl<'a> BitReader<'a> {
    /// Begins `bit` bits behind the start of `bytes`. `bit` is at most 7.
    pub fn new(bytes: &'a [u8], bit: u32) -> Self {
        let mut bits = Self { bytes, at: 0, buffer: 0, have: 0 };
        bits.refill();
        bits.pass(bit);
        bits
    }

    /// Loads bits, so that 56 can be taken.
    #[inline(always)]
    pub(super) fn refill(&mut self) {
        if let Some(next) = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) {
            self.buffer |= u64::from_be_bytes(*next) >> self.have;
            self.at += ((63 - self.have) >> 3) as usize;
            self.have |= 56;
        } else {
            self.refill_at_end();
        }
    }

    #[cold]
    fn refill_at_end(&mut self) {
        while self.have <= 56 {
            let byte = self.bytes.get(self.at).copied().unwrap_or(0);
            self.buffer |= u64::from(byte) << (56 - self.have);
            self.at += 1;
            self.have += 8;
        }
    }

    /// The next `count` of the bits that are loaded, 1 to 32.
    #[inline(always)]
    pub(super) fn peek(&self, count: u32) -> u32 {
        (self.buffer >> (64 - count)) as u32
    }

    /// Passes `count` of the bits that are loaded.
    #[inline(always)]
    pub(super) fn pass(&mut self, count: u32) {
        self.buffer <<= count;
        self.have -= count;
    }

    /// Takes the next `count` bits. `count` is 1 to 32.
    pub fn take(&mut self, count: u32) -> u32 {
        self.refill();
        let value = self.peek(count);
        self.pass(count);
        value
    }

    /// How many bits of the slice are before the next one.
    pub fn position(&self) -> u64 {
        self.at as u64 * 8 - u64::from(self.have)
    }

    /// Whether more bits were taken than the slice has.
    pub fn is_overrun(&self) -> bool {
        self.position() > self.bytes.len() as u64 * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_in_order_from_any_position() {
        let bytes: Vec<u8> = (0..40_u32).map(|at| (at * 37 + 11) as u8).collect();
        let bit_of = |at: u64| u32::from(bytes[(at / 8) as usize] >> (7 - at % 8) & 1);
        for start in 0..8 {
            for count in 1..=32 {
                let mut bits = BitReader::new(&bytes, start);
                let mut at = u64::from(start);
                while at + u64::from(count) <= 320 {
                    let expected =
                        (0..u64::from(count)).fold(0, |value, next| value << 1 | bit_of(at + next));
                    assert_eq!(bits.take(count), expected, "{count} at {at}");
                    at += u64::from(count);
                    assert_eq!(bits.position(), at);
                }
                assert!(!bits.is_overrun());
                bits.take(32);
                assert!(bits.is_overrun());
            }
        }
    }
}
