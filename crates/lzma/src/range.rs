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

/// Bytes above the range that wait until there are this many bits of them.
const WAITING_BITS: u32 = 24;

/// Codes bits into the front of a slice. If there is too little room, it goes on counting, and [`RangeEncoder::finish`]
/// says so.
pub(crate) struct RangeEncoder<'a> {
    pub(crate) range: Range,
    pub(crate) out: Out<'a>,
}

/// The range. A copy of it in local variables stays in registers while several bits are coded.
#[derive(Clone, Copy)]
pub(crate) struct Range {
    /// The start of the range, with the bits that wait and a carry above it.
    low: u64,
    len: u32,
    /// How many bits above the lowest 32 of `low` wait.
    waiting: u32,
}

/// Where the bytes go.
pub(crate) struct Out<'a> {
    bytes: &'a mut [u8],
    /// The bytes before those that wait.
    len: usize,
}

impl Range {
    /// There is no branch that depends on the bit, because the CPU would often predict it wrongly.
    #[inline(always)]
    pub(crate) fn bit(&mut self, out: &mut Out<'_>, probability: &mut u16, bit: bool) {
        let chance = *probability;
        let bound = (self.len >> PROBABILITY_BITS) * u32::from(chance);
        self.low += u64::from(bound & u32::from(bit).wrapping_neg());
        self.len = if bit { self.len - bound } else { bound };
        // The shift rounds down. So the least goal makes the step as large as the chance shifted.
        let goal = if bit { (1 << MOVE_BITS) - 1 } else { 1 << PROBABILITY_BITS };
        *probability = (i32::from(chance) + ((goal - i32::from(chance)) >> MOVE_BITS)) as u16;
        self.normalise(out);
    }

    #[inline(always)]
    fn normalise(&mut self, out: &mut Out<'_>) {
        let shift = if self.len < RANGE_MIN { 8 } else { 0 };
        self.len <<= shift;
        self.low <<= shift;
        self.waiting += shift;
        if self.waiting >= WAITING_BITS {
            // By value, so that the range can stay in registers.
            out.put(self.low >> 32);
            self.low &= u64::from(u32::MAX);
            self.waiting = 0;
        }
    }

    /// Codes the lowest `count` bits of `value`, the highest first, each with a chance of a half.
    #[inline(always)]
    pub(crate) fn direct(&mut self, out: &mut Out<'_>, value: u32, count: u32) {
        for at in (0..count).rev() {
            self.len >>= 1;
            self.low += u64::from(self.len & (value >> at & 1).wrapping_neg());
            self.normalise(out);
        }
    }

    /// Codes `value` in a tree, the highest bit first. `tree` has `LEN` probabilities, a power of two, and the tree has
    /// `LEN.ilog2()` levels.
    #[inline(always)]
    pub(crate) fn tree<const LEN: usize>(&mut self, out: &mut Out<'_>, tree: &mut [u16; LEN], value: u32) {
        let node = value as usize | LEN;
        for at in (0..LEN.trailing_zeros()).rev() {
            self.bit(out, &mut tree[node >> (at + 1) & (LEN - 1)], node >> at & 1 == 1);
        }
    }

    /// Codes the lowest `count` bits of `value`, the lowest first. `tree` begins with the probability of the first bit.
    #[inline(always)]
    pub(crate) fn reverse_tree(&mut self, out: &mut Out<'_>, tree: &mut [u16], value: u32, count: u32) {
        let mut node = 1;
        for at in 0..count {
            let bit = value >> at & 1;
            self.bit(out, &mut tree[node - 1], bit == 1);
            node = node << 1 | bit as usize;
        }
    }
}

impl<'a> RangeEncoder<'a> {
    /// Writes to the front of `out`. The first byte of a range coder is always zero.
    pub(crate) fn new(out: &'a mut [u8]) -> Self {
        if let Some(first) = out.first_mut() {
            *first = 0;
        }
        Self { range: Range { low: 0, len: u32::MAX, waiting: 0 }, out: Out { bytes: out, len: 1 } }
    }

    /// The coded length if the encoder were finished now.
    #[inline]
    pub(crate) fn finished_len(&self) -> usize {
        self.out.len + (self.range.waiting / 8) as usize + FINISH_LEN - 1
    }

    /// Writes what waits. The decoder reads exactly up to here. Returns the coded length, or nothing if it is longer
    /// than the slice.
    pub(crate) fn finish(mut self) -> Option<usize> {
        let len = self.finished_len();
        // The bytes of `low`, and zeros behind them that are not counted.
        for _ in 0..FINISH_LEN + 2 {
            self.range.len = 0;
            self.range.normalise(&mut self.out);
        }
        (len <= self.out.bytes.len()).then_some(len)
    }
}

impl Out<'_> {
    /// Writes bytes that waited, and carries into those before them.
    #[inline(never)]
    fn put(&mut self, waiting: u64) {
        if waiting >> WAITING_BITS != 0 {
            self.carry();
        }
        let word = ((waiting as u32) << 8).to_be_bytes();
        if let Some(place) = self.bytes.get_mut(self.len..).and_then(|out| out.first_chunk_mut()) {
            *place = word;
        } else {
            for (place, byte) in self.bytes.iter_mut().skip(self.len).zip(&word[..3]) {
                *place = *byte;
            }
        }
        self.len += (WAITING_BITS / 8) as usize;
    }

    /// Adds one to the bytes before those that wait. The first byte is zero, so the carry ends there at the latest.
    #[cold]
    fn carry(&mut self) {
        let end = self.len.min(self.bytes.len());
        for byte in self.bytes[..end].iter_mut().rev() {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                break;
            }
        }
    }
}
