//! Reads the fields of a header, and counts the memory that its values take.

use crate::error::Error;

/// The unread bytes of a header, and the memory that is left for its values.
pub(crate) struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
    memory: usize,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(bytes: &'a [u8], memory: usize) -> Self {
        Self { bytes, at: 0, memory }
    }

    /// A part of this header, which is parsed by itself. Its offsets are those of the header.
    pub(crate) fn part(&mut self, len: u64) -> Result<Bytes<'a>, Error> {
        let start = self.at;
        self.slice(len)?;
        Ok(Bytes { bytes: &self.bytes[..self.at], at: start, memory: self.memory })
    }

    /// Takes over how much memory a part has left.
    pub(crate) fn after(&mut self, part: &Bytes) {
        self.memory = part.memory;
    }

    /// Counts memory for `count` values of type `T`.
    pub(crate) fn pay<T>(&mut self, count: usize) -> Result<(), Error> {
        let cost = count.checked_mul(size_of::<T>()).ok_or(Error::Memory)?;
        self.memory = self.memory.checked_sub(cost).ok_or(Error::Memory)?;
        Ok(())
    }

    /// How many bytes are left.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(crate) fn invalid(&self, what: &'static str) -> Error {
        Error::Invalid { offset: self.at, what }
    }

    pub(crate) fn unsupported(&self, what: &'static str) -> Error {
        Error::Unsupported { offset: self.at, what }
    }

    pub(crate) fn slice(&mut self, len: u64) -> Result<&'a [u8], Error> {
        let rest = &self.bytes[self.at..];
        let taken = usize::try_from(len).ok().and_then(|len| rest.get(..len));
        let taken = taken.ok_or_else(|| self.invalid("ends inside a field"))?;
        self.at += taken.len();
        Ok(taken)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Error> {
        Ok(self.slice(1)?[0])
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Error> {
        let bytes = self.slice(4)?.first_chunk().copied().unwrap_or_default();
        Ok(u32::from_le_bytes(bytes))
    }

    /// A number of 1 to 9 bytes. The ones at the top of the first byte say how many bytes follow. These are the low
    /// bytes of the number, and the rest of the first byte is above them.
    pub(crate) fn number(&mut self) -> Result<u64, Error> {
        let first = self.byte()?;
        let more = first.leading_ones();
        let mut low = [0; 8];
        low[..more as usize].copy_from_slice(self.slice(more.into())?);
        let low = u64::from_le_bytes(low);
        // With seven or eight ones, the first byte has no bits of the number.
        let high = u64::from(first) & (0x7f >> more);
        Ok(if more >= 7 { low } else { high << (8 * more) | low })
    }

    /// A number of things, each of which takes at least a byte of the header.
    pub(crate) fn count(&mut self) -> Result<usize, Error> {
        let offset = self.at;
        let count = self.number()?;
        usize::try_from(count)
            .ok()
            .filter(|&count| count <= self.left())
            .ok_or(Error::Invalid { offset, what: "states a number of things that it has no room for" })
    }

    /// As many bits as `count`. The first is the highest of its byte.
    pub(crate) fn bits(&mut self, count: usize) -> Result<Vec<bool>, Error> {
        self.pay::<bool>(count)?;
        let bytes = self.slice(count.div_ceil(8) as u64)?;
        Ok((0..count).map(|bit| bytes[bit / 8] & 0x80 >> (bit % 8) != 0).collect())
    }

    /// Bits, or a byte that says that all of them are set.
    fn optional_bits(&mut self, count: usize) -> Result<Vec<bool>, Error> {
        if self.byte()? == 0 {
            return self.bits(count);
        }
        self.pay::<bool>(count)?;
        Ok(vec![true; count])
    }

    /// A CRC-32 for some of `count` things.
    pub(crate) fn checks(&mut self, count: usize) -> Result<Vec<Option<u32>>, Error> {
        let defined = self.optional_bits(count)?;
        self.pay::<Option<u32>>(count)?;
        defined.into_iter().map(|is_defined| is_defined.then(|| self.u32()).transpose()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_to_nine_bytes() {
        let number = |bytes: &[u8]| Bytes::new(bytes, 0).number();
        assert_eq!(number(&[0x7f]), Ok(127));
        assert_eq!(number(&[0x80, 0x80]), Ok(128));
        assert_eq!(number(&[0xbf, 0xff]), Ok(0x3fff));
        assert_eq!(number(&[0xc1, 0x02, 0x03]), Ok(0x01_03_02));
        assert_eq!(number(&[0xfe, 1, 2, 3, 4, 5, 6, 7]), Ok(0x07_06_05_04_03_02_01));
        assert_eq!(number(&[0xff, 1, 2, 3, 4, 5, 6, 7, 8]), Ok(0x08_07_06_05_04_03_02_01));
        assert!(number(&[0xff, 1, 2, 3, 4, 5, 6, 7]).is_err() && number(&[]).is_err());
    }

    #[test]
    fn a_part_has_the_offsets_of_the_whole() {
        let mut bytes = Bytes::new(&[1, 2, 3, 4], 0);
        bytes.byte().unwrap();
        let mut part = bytes.part(2).unwrap();
        assert_eq!((part.byte(), part.byte()), (Ok(2), Ok(3)));
        assert_eq!(part.byte(), Err(Error::Invalid { offset: 3, what: "ends inside a field" }));
        assert_eq!(bytes.byte(), Ok(4));
    }
}
