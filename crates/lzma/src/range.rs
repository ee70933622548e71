//! The range encoder: bits with their probabilities become bytes.
//!
//! `model.rs` calls it with the probability of each bit, which it adapts. A carry can run through bytes that are
//! written already; so the last byte and the run of 0xFF bytes behind it wait until no carry can reach them.

/// The bits of a probability.
pub(crate) const PROBABILITY_BITS: u32 = 11;
/// The probability of a half, with which every model begins.
pub(crate) const HALF: u16 = 1 << (PROBABILITY_BITS - 1);
/// How fast probabilities adapt.
const MOVE_BITS: u32 = 5;
/// The range is kept at least this long.
const RANGE_MIN: u32 = 1 << 24;
/// How many bytes [`RangeEncoder::finish`] adds at the end.
pub(crate) const FINISH_LEN: usize = 5;

/// Codes bits into the front of a slice. If there is too little room, it goes on counting, and [`RangeEncoder::finish`]
/// says so.
pub(crate) struct RangeEncoder<'a> {
    low: u64,
    range: u32,
    /// The last byte that a carry may still change.
    cache: u8,
    /// The length of that byte and of the bytes 0xFF behind it.
    waiting: usize,
    out: &'a mut [u8],
    /// The bytes before those that wait.
    len: usize,
}

impl<'a> RangeEncoder<'a> {
    /// Writes to the front of `out`. The first byte of a range coder is always zero.
    pub(crate) fn new(out: &'a mut [u8]) -> Self {
        Self { low: 0, range: u32::MAX, cache: 0, waiting: 1, out, len: 0 }
    }

    /// The coded length if the encoder were finished now.
    #[inline]
    pub(crate) fn finished_len(&self) -> usize {
        self.len + self.waiting + FINISH_LEN - 1
    }

    #[inline]
    pub(crate) fn bit(&mut self, probability: &mut u16, bit: bool) {
        let chance = *probability;
        let bound = (self.range >> PROBABILITY_BITS) * u32::from(chance);
        if bit {
            self.low += u64::from(bound);
            self.range -= bound;
            *probability = chance - (chance >> MOVE_BITS);
        } else {
            self.range = bound;
            *probability = chance + (((1 << PROBABILITY_BITS) - chance) >> MOVE_BITS);
        }
        self.normalise();
    }

    /// Codes the lowest `count` bits of `value`, the highest first, each with a chance of a half.
    pub(crate) fn direct(&mut self, value: u32, count: u32) {
        for at in (0..count).rev() {
            self.range >>= 1;
            self.low += u64::from(self.range & (value >> at & 1).wrapping_neg());
            self.normalise();
        }
    }

    /// Codes `value` in a tree, the highest bit first. `tree` has `LEN` probabilities, a power of two, and the tree has
    /// `LEN.ilog2()` levels.
    #[inline]
    pub(crate) fn tree<const LEN: usize>(&mut self, tree: &mut [u16; LEN], value: u32) {
        let mut node = 1;
        for at in (0..LEN.trailing_zeros()).rev() {
            let bit = value >> at & 1;
            self.bit(&mut tree[node], bit == 1);
            node = node << 1 | bit as usize;
        }
    }

    /// Codes the lowest `count` bits of `value`, the lowest first. `tree` begins with the probability of the first bit.
    #[inline]
    pub(crate) fn reverse_tree(&mut self, tree: &mut [u16], value: u32, count: u32) {
        let mut node = 1;
        for at in 0..count {
            let bit = value >> at & 1;
            self.bit(&mut tree[node - 1], bit == 1);
            node = node << 1 | bit as usize;
        }
    }

    #[inline]
    fn normalise(&mut self) {
        if self.range < RANGE_MIN {
            self.range <<= 8;
            self.shift();
        }
    }

    fn shift(&mut self) {
        if self.low < 0xFF00_0000 || self.low > u64::from(u32::MAX) {
            let carry = (self.low >> 32) as u8;
            self.push(self.cache.wrapping_add(carry));
            for _ in 1..self.waiting {
                self.push(0xFFu8.wrapping_add(carry));
            }
            self.waiting = 0;
            self.cache = (self.low >> 24) as u8;
        }
        self.waiting += 1;
        self.low = (self.low & 0x00FF_FFFF) << 8;
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        if let Some(place) = self.out.get_mut(self.len) {
            *place = byte;
        }
        self.len += 1;
    }

    /// Writes what waits. The decoder reads exactly up to here. Returns the coded length, or nothing if it is longer
    /// than the slice.
    pub(crate) fn finish(mut self) -> Option<usize> {
        for _ in 0..FINISH_LEN {
            self.shift();
        }
        (self.len <= self.out.len()).then_some(self.len)
    }
}
