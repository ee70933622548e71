//! Bits into bytes, the first bit lowest (RFC 1951, 3.1.1).
//!
//! `block.rs` and `header.rs` write with [`BitWriter`]. Before a block they ask [`BitWriter::has_room`] for all its
//! bits, so that no single write has to fail: bytes that do not fit are dropped.

use super::words::WordsMut;

/// Writes into a slice. The caller makes sure of the room before, because bytes that do not fit are dropped.
pub(super) struct BitWriter<'a> {
    out: WordsMut<'a>,
    /// Whole bytes written.
    at: usize,
    /// Bits that are not written yet: fewer than eight after a flush.
    bits: u64,
    count: u32,
}

/// Whole bytes written, the bits that are not written yet, and how many they are.
pub(super) type State = (usize, u64, u32);

impl<'a> BitWriter<'a> {
    /// A flush always stores so many bytes, even if fewer are complete.
    pub(super) const SLACK: usize = 8;

    pub(super) fn new(out: &'a mut [u8]) -> Self {
        Self { out: WordsMut::new(out), at: 0, bits: 0, count: 0 }
    }

    /// A writer at the same place, for a loop. The compiler keeps its state in registers, because nothing else knows of
    /// it. [`Self::resume`] goes on behind it.
    #[inline(always)]
    pub(super) fn pen(&mut self) -> BitWriter<'_> {
        BitWriter { out: WordsMut::new(self.out.bytes()), at: self.at, bits: self.bits, count: self.count }
    }

    #[inline(always)]
    pub(super) fn state(&self) -> State {
        (self.at, self.bits, self.count)
    }

    #[inline(always)]
    pub(super) fn resume(&mut self, state: State) {
        (self.at, self.bits, self.count) = state;
    }

    /// All the memory that is written to.
    #[cfg(all(target_arch = "x86_64", not(pzcomp_safe)))]
    pub(super) fn memory(&mut self) -> &mut [u8] {
        self.out.bytes()
    }

    /// Whether `bits` more bits fit.
    pub(super) fn has_room(&mut self, bits: u64) -> bool {
        self.out.bytes().len() as u64 > self.at as u64 + bits.div_ceil(8) + Self::SLACK as u64
    }

    /// Adds `count` bits. All higher bits are zero. At most 56 bits are added between two flushes.
    #[inline(always)]
    pub(super) fn add(&mut self, bits: u64, count: u32) {
        debug_assert!(self.count + count < 64 && bits >> count == 0);
        self.bits |= bits << self.count;
        self.count += count;
    }

    #[inline(always)]
    pub(super) fn flush(&mut self) {
        self.out.set(self.at, self.bits);
        let whole = self.count & !7;
        self.at += (whole >> 3) as usize;
        self.bits >>= whole;
        self.count &= 7;
    }

    /// Adds a few bits, where speed does not matter.
    pub(super) fn put(&mut self, bits: u64, count: u32) {
        self.add(bits, count);
        self.flush();
    }

    /// How many bits of the last byte are taken.
    pub(super) fn odd_bits(&self) -> u32 {
        self.count
    }

    /// Fills the last byte with zeros.
    pub(super) fn align(&mut self) {
        self.count = (self.count + 7) & !7;
        self.flush();
    }

    /// Adds whole bytes, after [`Self::align`].
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        if let Some(place) = self.out.bytes().get_mut(self.at..self.at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
        self.at += bytes.len();
    }

    /// How many whole bytes there are.
    pub(super) fn len(&self) -> usize {
        self.at
    }
}
