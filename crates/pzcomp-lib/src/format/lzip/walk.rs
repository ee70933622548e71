//! Finds lzip members by plzip's rule.
//!
//! The input is a cursor over the coded bytes. The output is one unit per member. The feeder calls the walker.
//!
//! A header counts if the eight bytes before it state the length of all bytes since the last header. An author of a
//! file can make LZMA data that holds both. So the result is a guess: the decoder of the member before ends elsewhere,
//! and so finds a wrong one.

use memchr::memmem;

use super::CHECK;
use super::header::{HEADER_LEN, MAGIC, MEMBER_LEN_MIN, is_header, is_version_0};
use crate::error::Result;
use crate::format::{Cursor, Unit, Walker};

/// Length of the field at the end of a trailer that states the member length.
const LENGTH_FIELD_LEN: usize = 8;
/// The number of bytes that show whether a member begins: the member length before it, and its header.
const PATTERN_LEN: usize = LENGTH_FIELD_LEN + HEADER_LEN;

/// The walker through the members.
#[derive(Default)]
pub(super) struct MemberWalker {
    /// Whether the next member is of version 0. Only its decoder can find its end.
    is_rest: bool,
}

impl Walker for MemberWalker {
    fn unit(&mut self, cursor: &mut dyn Cursor) -> Result<Unit> {
        self.is_rest = is_version_0(cursor.peek(HEADER_LEN)?);
        Ok(if self.is_rest { Unit::rest(CHECK) } else { Unit::frame(None, CHECK) })
    }

    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        if self.is_rest {
            return cursor.take_rest();
        }
        let start = cursor.offset();
        // The next header cannot begin before the shortest member ends.
        if !cursor.take((MEMBER_LEN_MIN - LENGTH_FIELD_LEN) as u64)? {
            return Ok(());
        }
        loop {
            let passed = cursor.offset() - start;
            let bytes = cursor.glance(PATTERN_LEN)?;
            if let Some(at) = next(bytes, passed) {
                cursor.take(at as u64)?;
                return Ok(());
            }
            if bytes.len() < PATTERN_LEN {
                // The input ends or pauses. A pause is most likely between two members.
                let behind = passed + bytes.len() as u64;
                let is_end = bytes.last_chunk().is_some_and(|&stated| u64::from_le_bytes(stated) == behind);
                let len = bytes.len() as u64;
                if !cursor.take(len)?
                    || cursor.peek(1)?.is_empty()
                    || is_end && is_header(cursor.peek(HEADER_LEN)?)
                {
                    return Ok(());
                }
                continue;
            }
            // The last bytes stay, because they may hold the beginning of a header.
            let len = bytes.len() + 1 - PATTERN_LEN;
            cursor.take(len as u64)?;
        }
    }
}

/// Finds a header behind a field that states the length of all bytes before the header. `passed` is the number of bytes
/// before `bytes`.
fn next(bytes: &[u8], passed: u64) -> Option<usize> {
    let searched = bytes.get(LENGTH_FIELD_LEN..)?;
    memmem::find_iter(searched, &MAGIC).find_map(|found| {
        let at = found + LENGTH_FIELD_LEN;
        let stated = bytes.get(found..)?.first_chunk()?;
        let is_next = u64::from_le_bytes(*stated) == passed + at as u64 && is_header(&bytes[at..]);
        is_next.then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decompress::RangeCursor;
    use engine::io::RandomAccess;

    /// The offsets at which the walker ends units.
    fn cuts(coded: &[u8]) -> Vec<u64> {
        let mut cursor = RangeCursor::new(RandomAccess::Memory(coded), 0..coded.len() as u64);
        let mut cuts = Vec::new();
        while Cursor::offset(&cursor) < coded.len() as u64 {
            let mut walker = MemberWalker::default();
            walker.unit(&mut cursor).unwrap();
            walker.pass(&mut cursor).unwrap();
            cuts.push(Cursor::offset(&cursor));
        }
        cuts
    }

    /// Bytes like a member of length `len` that states the length `stated`.
    fn member(len: usize, stated: usize) -> Vec<u8> {
        let mut bytes = b"LZIP\x01\x0c".to_vec();
        bytes.resize(len - LENGTH_FIELD_LEN, b'L');
        bytes.extend((stated as u64).to_le_bytes());
        bytes
    }

    #[test]
    fn members_that_say_their_length_are_told_apart() {
        for len in
            [36, 37, 49, 50, 51, 255, 256, 257, 1000, (256 << 10) - 1, 256 << 10, (256 << 10) + 1, 600_000]
        {
            let all = [member(len, len), member(len + 3, len + 3), member(40, 40)].concat();
            let expected = [len, 2 * len + 3, 2 * len + 43].map(|at| at as u64);
            assert_eq!(cuts(&all), expected, "{len}");
        }
    }

    #[test]
    fn what_says_another_length_is_not_cut_there() {
        let liar = [member(100, 99), member(100, 100)].concat();
        assert_eq!(cuts(&liar), [200]);
        // The stated length counts from the last cut.
        let nested = [member(100, 99), member(100, 200), member(50, 50)].concat();
        assert_eq!(cuts(&nested), [200, 250]);
    }

    #[test]
    fn what_cannot_be_a_header_is_none() {
        for wrong in [b"LZIP\x00\x0c", b"LZIP\x01\x0b", b"LZIP\x01\x1e", b"LZIQ\x01\x0c"] {
            let mut all = [member(100, 100), member(100, 100)].concat();
            all[100..106].copy_from_slice(wrong);
            assert_eq!(cuts(&all), [200]);
        }
        let whole = [member(100, 100), member(100, 100)].concat();
        for len in 0..=105 {
            assert_eq!(cuts(&whole[..len]).len(), usize::from(len > 0), "{len}");
        }
        assert_eq!(cuts(&whole[..106]), [100, 106]);
    }
}
