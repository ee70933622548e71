//! Lists the members of an lzip file from their trailers.
//!
//! The input is a file or memory that can be read at any offset. The file is read from its end: each trailer states the
//! length of its member, and so leads to the member before. `list.rs` calls [`members`]. No member is decoded, so the
//! plain lengths are only claims.

use std::ops::Range;

use super::header::{HEADER_LEN, MEMBER_LEN_MIN, TRAILER_LEN, Trailer, is_header};
use crate::error::Result;
use crate::io::RandomAccess;

/// The members of a file, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Members {
    pub(crate) count: u64,
    pub(crate) plain_len: u64,
}

/// Adds up the members that fill `range`. Returns `None` if the trailers do not lead from its end exactly to its start,
/// or if a member does not begin with a header.
pub(crate) fn members(place: RandomAccess, range: Range<u64>) -> Result<Option<Members>> {
    let mut all = Members::default();
    let mut end = range.end;
    while end > range.start {
        let mut trailer = [0; TRAILER_LEN];
        let Some(at) = end.checked_sub(TRAILER_LEN as u64).filter(|&at| at >= range.start) else {
            return Ok(None);
        };
        place.read_at(&mut trailer, at)?;
        let Trailer { plain_len, member_len, .. } = Trailer::parse(trailer);
        let start = end.checked_sub(member_len).filter(|&start| start >= range.start);
        let Some(start) = start.filter(|_| member_len >= MEMBER_LEN_MIN as u64) else {
            return Ok(None);
        };
        let mut header = [0; HEADER_LEN];
        place.read_at(&mut header, start)?;
        let Some(plain_len) = all.plain_len.checked_add(plain_len).filter(|_| is_header(&header)) else {
            return Ok(None);
        };
        all = Members { count: all.count + 1, plain_len };
        end = start;
    }
    Ok(Some(all))
}

#[cfg(test)]
mod tests {
    use super::super::header::{DictionarySize, header};
    use super::*;

    /// Bytes with the header and the trailer of a member of this length and plain length.
    fn member(len: usize, plain_len: u64) -> Vec<u8> {
        let mut bytes = header(DictionarySize::for_chunk(1 << 20, plain_len as usize)).to_vec();
        bytes.resize(len - TRAILER_LEN, b'L');
        bytes.extend(Trailer { crc: 0, plain_len, member_len: len as u64 }.encode());
        bytes
    }

    fn listed(file: &[u8]) -> Option<Members> {
        members(RandomAccess::Memory(file), 0..file.len() as u64).unwrap()
    }

    #[test]
    fn trailers_lead_to_the_start_or_nowhere() {
        let file = [member(36, 0), member(500, 70_000), member(99, 5000)].concat();
        assert_eq!(listed(&file), Some(Members { count: 3, plain_len: 75_000 }));
        for at in 1..file.len() {
            let is_whole = at == 36 || at == 536;
            assert_eq!(listed(&file[..at]).is_some(), is_whole, "{at}");
            assert_eq!(listed(&file[at..]).is_some(), is_whole, "{at}");
        }
        let garbage = [&file[..], b"garbage"].concat();
        assert_eq!(listed(&garbage), None);
        assert_eq!(listed(&[member(50, u64::MAX), member(50, 1)].concat()), None);
        // A member length of 0 leads nowhere.
        let mut lying = member(100, 1);
        lying[92..].fill(0);
        assert_eq!(listed(&lying), None);
    }
}
