//! The walk through members: where the next begins is guessed by plzip's rule.
//!
//! A header follows eight bytes that say how long the member before is. LZMA can be made to hold both, for a
//! distance of its maker's choice; then the guess is found out by whoever decodes the member before, as it ends
//! elsewhere.

use memchr::memmem;

use super::CHECK;
use super::header::{HEADER_LEN, MAGIC, MEMBER_LEN_MIN, is_header, is_version_0};
use crate::error::Result;
use crate::format::{Cursor, Unit, Walker};

/// The end of a trailer, which says the length of the member.
const SAID_LEN: usize = 8;
/// What is looked at to know a place.
const SEEN_LEN: usize = SAID_LEN + HEADER_LEN;

/// Finds members.
#[derive(Default)]
pub(super) struct MemberWalker {
    /// The next member is of version 0: only its decoder can find its end.
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
        // The nearest place for a header.
        if !cursor.take((MEMBER_LEN_MIN - SAID_LEN) as u64)? {
            return Ok(());
        }
        loop {
            let passed = cursor.offset() - start;
            let bytes = cursor.peek_far(SEEN_LEN)?;
            if let Some(at) = next(bytes, passed) {
                cursor.take(at as u64)?;
                return Ok(());
            }
            if bytes.len() < SEEN_LEN {
                return cursor.take_rest();
            }
            // What is cut off where they end may be one.
            let len = bytes.len() + 1 - SEEN_LEN;
            cursor.take(len as u64)?;
        }
    }
}

/// Where a header is that follows the length of all before it, of which `passed` bytes are before these.
fn next(bytes: &[u8], passed: u64) -> Option<usize> {
    let searched = bytes.get(SAID_LEN..)?;
    memmem::find_iter(searched, &MAGIC).find_map(|found| {
        let at = found + SAID_LEN;
        let said = bytes.get(found..)?.first_chunk()?;
        let is_next = u64::from_le_bytes(*said) == passed + at as u64 && is_header(&bytes[at..]);
        is_next.then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decompress::RangeCursor;
    use crate::io::Place;

    /// Where the walker cuts.
    fn cuts(coded: &[u8]) -> Vec<u64> {
        let mut cursor = RangeCursor::new(Place::Memory(coded), 0..coded.len() as u64);
        let mut cuts = Vec::new();
        while Cursor::offset(&cursor) < coded.len() as u64 {
            let mut walker = MemberWalker::default();
            walker.unit(&mut cursor).unwrap();
            walker.pass(&mut cursor).unwrap();
            cuts.push(Cursor::offset(&cursor));
        }
        cuts
    }

    /// What looks like a member, of this length in all, and says so.
    fn member(len: usize, said: usize) -> Vec<u8> {
        let mut bytes = b"LZIP\x01\x0c".to_vec();
        bytes.resize(len - SAID_LEN, b'L');
        bytes.extend((said as u64).to_le_bytes());
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
        // A length is that of all since the last place.
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
