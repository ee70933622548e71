//! Bits in the order of bzip2: the most significant of a byte first.

/// Reads bits of a slice. Behind its end there are zeros, and [`Bits::is_overrun`] tells.
#[derive(Clone)]
pub(in crate::format::bzip2) struct Bits<'a> {
    bytes: &'a [u8],
    /// The byte that is loaded next.
    at: usize,
    /// Bits that are loaded, left-aligned.
    buffer: u64,
    /// How many of them count.
    have: u32,
}

impl<'a> Bits<'a> {
    /// Begins `bit` bits behind the start of `bytes`, seven at the most.
    pub(in crate::format::bzip2) fn new(bytes: &'a [u8], bit: u32) -> Self {
        let mut bits = Self { bytes, at: 0, buffer: 0, have: 0 };
        bits.refill();
        bits.pass(bit);
        bits
    }

    /// Loads so many that 56 can be taken.
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

    /// The next `count` bits of those loaded, 1 to 32.
    #[inline(always)]
    pub(super) fn peek(&self, count: u32) -> u32 {
        (self.buffer >> (64 - count)) as u32
    }

    /// Passes `count` bits of those loaded.
    #[inline(always)]
    pub(super) fn pass(&mut self, count: u32) {
        self.buffer <<= count;
        self.have -= count;
    }

    /// Takes `count` bits, 1 to 32.
    pub(in crate::format::bzip2) fn take(&mut self, count: u32) -> u32 {
        self.refill();
        let value = self.peek(count);
        self.pass(count);
        value
    }

    /// Bits from the start of the slice to here.
    pub(in crate::format::bzip2) fn position(&self) -> u64 {
        self.at as u64 * 8 - u64::from(self.have)
    }

    /// Whether bits were taken that the slice does not have.
    pub(in crate::format::bzip2) fn is_overrun(&self) -> bool {
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
                let mut bits = Bits::new(&bytes, start);
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
