//! Bits written in the order of bzip2: the most significant of a byte first.
//!
//! The caller of the encoder makes a [`BitWriter`] for a slice, and the encoder writes blocks to it at any bit. Bytes
//! without room are lost, so that no write fails; [`BitWriter::finish`] tells whether that happened.

/// Writes bits into a slice.
#[derive(Debug)]
pub struct BitWriter<'a> {
    out: &'a mut [u8],
    /// The byte that is stored next.
    at: usize,
    /// Bits that are not stored yet, left-aligned, and their number: fewer than eight after a spill.
    buffer: u64,
    have: u32,
}

impl<'a> BitWriter<'a> {
    /// A writer that fills `out` from its start.
    pub fn new(out: &'a mut [u8]) -> Self {
        Self { out, at: 0, buffer: 0, have: 0 }
    }

    /// Adds the lowest `count` bits of `value`, in which no others are set. `count` is at least 1, and at most 56 bits
    /// are added between two spills.
    #[inline(always)]
    pub(super) fn push(&mut self, count: u32, value: u64) {
        self.have += count;
        self.buffer |= value << (64 - self.have);
    }

    /// Stores whole bytes.
    #[inline(always)]
    pub(super) fn spill(&mut self) {
        let bytes = self.buffer.to_be_bytes();
        let whole = (self.have / 8) as usize;
        match self.out.get_mut(self.at..).and_then(<[u8]>::first_chunk_mut) {
            Some(room) => *room = bytes,
            None => self.spill_at_end(&bytes[..whole]),
        }
        self.at += whole;
        // Never all 64 bits: that many are not pushed.
        self.buffer <<= self.have & 56;
        self.have %= 8;
    }

    #[cold]
    fn spill_at_end(&mut self, bytes: &[u8]) {
        let rest = self.out.get_mut(self.at..).unwrap_or_default();
        let len = rest.len().min(bytes.len());
        rest[..len].copy_from_slice(&bytes[..len]);
    }

    /// Adds the lowest `count` bits of `value`, in which no others are set. `count` is 1 to 56.
    pub fn put(&mut self, count: u32, value: u64) {
        self.push(count, value);
        self.spill();
    }

    /// How many bits have been written.
    pub fn position(&self) -> usize {
        8 * self.at + self.have as usize
    }

    /// Fills the last byte with zeros. Returns how many bytes were written, or nothing if they had no room.
    pub fn finish(mut self) -> Option<usize> {
        self.have = self.have.next_multiple_of(8);
        self.spill();
        (self.at <= self.out.len()).then_some(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::BitReader;

    #[test]
    fn what_is_written_is_read_again() {
        let values: Vec<(u32, u64)> =
            (0..400_u64).map(|at| (1 + at as u32 * 7 % 32, at.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
        let mut out = vec![0xaa; 1000];
        let mut writer = BitWriter::new(&mut out);
        values.iter().for_each(|&(count, value)| writer.put(count, value >> (64 - count)));
        let total: u32 = values.iter().map(|(count, _)| count).sum();
        assert_eq!(writer.position(), total as usize);
        let len = writer.finish().unwrap();
        assert_eq!(len, total.div_ceil(8) as usize);
        let mut bits = BitReader::new(&out[..len], 0);
        for (count, value) in values {
            assert_eq!(u64::from(bits.take(count)), value >> (64 - count));
        }
    }

    #[test]
    fn what_has_no_room_is_noticed() {
        for (room, expected) in [(11, None), (12, Some(12)), (13, Some(13 - 1))] {
            let mut out = vec![0; room];
            let mut writer = BitWriter::new(&mut out);
            (0..6).for_each(|_| writer.put(15, 0x7fff));
            assert_eq!(writer.finish(), expected);
        }
    }
}
