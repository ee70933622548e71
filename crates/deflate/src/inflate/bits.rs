//! The input as bits, the least significant first (RFC 1951, 3.1.1).
//!
//! [`Bits`] reads one slice of input. All parts of the decoder take bits from it; the fast loop copies its fields
//! into registers and writes them back. A run begins with the bits that the run before left over ([`Kept`]), and
//! `at` never counts more bytes than the input has.

use super::Symbol;

/// The next bits, and the bytes that follow them.
#[derive(Clone, Copy)]
pub(super) struct Bits<'a> {
    /// The next bits. Above the first `count` there may be bits of the bytes that come next, or zeros.
    pub(super) buffer: u64,
    /// At most 63.
    pub(super) count: u32,
    pub(super) input: &'a [u8],
    /// How many bytes of the input have been counted into the buffer.
    pub(super) at: usize,
}

/// Bits of earlier input that were not enough for the next step. The decoder keeps them between runs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kept {
    pub(super) buffer: u64,
    pub(super) count: u32,
}

impl<'a> Bits<'a> {
    pub(super) fn new(kept: Kept, input: &'a [u8]) -> Self {
        Self { buffer: kept.buffer, count: kept.count, input, at: 0 }
    }

    /// Ends a run. Returns the bits to keep, and how many bytes were read. Unless the input is `drained`, whole
    /// bytes that were not used count as not read.
    pub(super) fn close(self, drained: bool) -> (Kept, usize) {
        debug_assert!(!drained || self.at == self.input.len());
        let unused = if drained { 0 } else { (self.count as usize / 8).min(self.at) };
        let count = self.count - 8 * unused as u32;
        (Kept { buffer: self.buffer & low(count), count }, self.at - unused)
    }

    /// Makes as many bits available as possible: 56 or more, unless the input ends.
    #[inline]
    pub(super) fn refill(&mut self) {
        if let Some(word) = self.input.get(self.at..).and_then(|rest| rest.first_chunk()) {
            self.buffer |= u64::from_le_bytes(*word) << self.count;
            self.at += (63 - self.count as usize) / 8;
            self.count |= 56;
        } else {
            self.buffer &= low(self.count);
            while self.count < 56
                && let Some(&byte) = self.input.get(self.at)
            {
                self.buffer |= u64::from(byte) << self.count;
                self.at += 1;
                self.count += 8;
            }
        }
    }

    /// The next `count` bits, which are available.
    #[inline]
    pub(super) fn peek(&self, count: u32) -> usize {
        (self.buffer & low(count)) as usize
    }

    /// Passes bits that are available.
    #[inline]
    pub(super) fn consume(&mut self, count: u32) {
        self.buffer >>= count;
        self.count -= count;
    }

    /// Passes bits, if the input has so many.
    #[inline(always)]
    pub(super) fn pass(&mut self, count: u32) -> Option<()> {
        self.count = self.count.checked_sub(count)?;
        self.buffer >>= count;
        Some(())
    }

    /// Passes whole bytes from a byte boundary, if the input has so many.
    pub(super) fn skip(&mut self, len: usize) -> Option<()> {
        let at = self.at - self.count as usize / 8 + len;
        (self.buffer, self.count) = (0, 0);
        self.at = at;
        (at <= self.input.len()).then_some(())
    }

    /// How many bits there are that have not been passed.
    pub(super) fn left(&self) -> usize {
        self.count as usize + 8 * (self.input.len() - self.at)
    }

    /// How many bits of the input have been passed.
    pub(super) fn place(&self) -> usize {
        8 * self.at - self.count as usize
    }

    /// The next `count` bits, at most 32, if the input has so many.
    #[inline]
    pub(super) fn take(&mut self, count: u32) -> Option<usize> {
        if self.count < count {
            self.refill();
            if self.count < count {
                return None;
            }
        }
        let bits = self.peek(count);
        self.consume(count);
        Some(bits)
    }

    /// Passes on to the next byte boundary.
    pub(super) fn align(&mut self) {
        self.consume(self.count % 8);
    }

    /// Copies whole bytes from a byte boundary. Returns how many there were.
    pub(super) fn copy<S: Symbol>(&mut self, out: &mut [S]) -> usize {
        let mut len = 0;
        while self.count >= 8 && len < out.len() {
            out[len] = S::literal(self.peek(8) as u8);
            self.consume(8);
            len += 1;
        }
        if self.count == 0 {
            self.buffer = 0;
            let rest = &self.input[self.at..];
            for (symbol, &byte) in out[len..].iter_mut().zip(rest) {
                *symbol = S::literal(byte);
            }
            let more = rest.len().min(out.len() - len);
            self.at += more;
            len += more;
        }
        len
    }
}

/// A mask of the lowest `count` bits, fewer than 64.
#[inline(always)]
pub(super) const fn low(count: u32) -> u64 {
    (1 << count) - 1
}
