//! Lists the members of an lzip file from their trailers.
//!
//! The input is a file or memory that can be read at any offset. The file is read from its end: each trailer states the
//! length of its member, and so leads to the member before. `inspect.rs` calls [`members`], and the command `lzip -l`
//! calls [`lzip_members`]; `seekable/`, `inspect.rs` and `salvage/` ask through [`Places`]. No member is decoded, so
//! the plain lengths are only claims.

use std::fs::File;
use std::ops::Range;

use memchr::memmem;

use super::header::{DictionarySize, HEADER_LEN, MEMBER_LEN_MIN, TRAILER_LEN, Trailer, is_header};
use super::{CHECK, Lzip};
use crate::error::Result;
use crate::format::Cursor;
use crate::format::places::{Listed, ListedFrame, Places, Stated};
use engine::io::RandomAccess;

/// A member of an lzip file, as its header and its trailer state it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LzipMember {
    /// Offset in the file.
    pub offset: u64,
    /// Bytes of the member with header and trailer.
    pub coded_len: u64,
    /// Bytes of plain data.
    pub plain_len: u64,
    /// Bytes of the dictionary.
    pub dictionary_len: u32,
}

/// Lists the members of an lzip file that end at offset `end`, the last one first.
///
/// The list ends where a trailer leads to no header, at the latest at the start of the file. An item is an error, and
/// the list ends after it, if the file cannot be read.
///
/// ```
/// use pzcomp::{Encode, Input, Output};
///
/// let options = Encode::lzip(6).build()?;
/// let file = tempfile::tempfile()?;
/// let input = Input::Memory(b"three in the morning");
/// let summary = pzcomp::Compress::new(&options).run(input, &file)?;
/// let members = pzcomp::inspect::lzip_members(&file, summary.coded_len).collect::<Result<Vec<_>, _>>()?;
/// assert_eq!((members.len(), members[0].offset, members[0].plain_len), (1, 0, 20));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn lzip_members(file: &File, end: u64) -> impl Iterator<Item = Result<LzipMember>> + '_ {
    backwards(RandomAccess::File(file), 0..end)
}

/// The members that fill `range`, the first one first. Returns `None` if the trailers do not lead from its end exactly
/// to its start, or if there are more than `most`.
pub(super) fn members_in_order(
    place: RandomAccess,
    range: Range<u64>,
    most: usize,
) -> Result<Option<Vec<LzipMember>>> {
    let mut members = Vec::new();
    for member in backwards(place, range.clone()) {
        if members.len() == most {
            return Ok(None);
        }
        members.push(member?);
    }
    let is_whole = members.last().is_some_and(|first| first.offset == range.start);
    members.reverse();
    Ok(is_whole.then_some(members))
}

/// Whether the member that fills `range`, as its trailer says, can end nowhere else. It could if eight of its bytes
/// stated the length up to there: then other data may follow, which holds what only looks like the trailer.
pub(super) fn has_one_end(place: RandomAccess, range: Range<u64>) -> Result<bool> {
    const FIELD_LEN: usize = 8;
    /// The highest bytes of a length are zero up to 1 TiB.
    const ZEROS: [u8; 3] = [0; 3];
    let len = range.end - range.start;
    if len >> (8 * (FIELD_LEN - ZEROS.len())) > 0 {
        return Ok(false);
    }
    let finder = memmem::Finder::new(&ZEROS);
    let mut buffer = vec![0; 256 << 10];
    let (mut at, mut kept) = (range.start, 0);
    while at < range.end {
        let most = usize::try_from(range.end - at).unwrap_or(usize::MAX).min(buffer.len() - kept);
        let read = place.read_at(&mut buffer[kept..kept + most], at)?;
        if read == 0 {
            return Ok(false);
        }
        at += read as u64;
        let bytes = &buffer[..kept + read];
        let mut from = FIELD_LEN - ZEROS.len();
        while let Some(found) = bytes.get(from..).and_then(|rest| finder.find(rest)) {
            let end = from + found + ZEROS.len();
            let behind = at - range.start - (bytes.len() - end) as u64;
            let stated = bytes[..end].last_chunk().map_or(0, |&stated| u64::from_le_bytes(stated));
            if stated == behind && behind != len {
                return Ok(false);
            }
            from += found + 1;
        }
        let filled = bytes.len();
        kept = filled.min(FIELD_LEN - 1);
        buffer.copy_within(filled - kept..filled, 0);
    }
    Ok(true)
}

/// The members in `range`, from its end towards its start.
fn backwards(place: RandomAccess<'_>, range: Range<u64>) -> impl Iterator<Item = Result<LzipMember>> + '_ {
    let mut next = Some(range.end);
    std::iter::from_fn(move || {
        let member = last_member(place, range.start..next?).transpose()?;
        next = member.as_ref().ok().map(|member| member.offset);
        Some(member)
    })
}

/// Reads the member at the end of `range`. Returns `None` if there is none.
fn last_member(place: RandomAccess, range: Range<u64>) -> Result<Option<LzipMember>> {
    let mut trailer = [0; TRAILER_LEN];
    let Some(at) = range.end.checked_sub(TRAILER_LEN as u64).filter(|&at| at >= range.start) else {
        return Ok(None);
    };
    place.read_at(&mut trailer, at)?;
    let Trailer { plain_len, member_len, .. } = Trailer::parse(trailer);
    let start = range.end.checked_sub(member_len).filter(|&start| start >= range.start);
    let Some(offset) = start.filter(|_| member_len >= MEMBER_LEN_MIN as u64) else {
        return Ok(None);
    };
    let mut header = [0; HEADER_LEN];
    place.read_at(&mut header, offset)?;
    let dictionary = is_header(&header).then(|| DictionarySize::parse(header[HEADER_LEN - 1])).flatten();
    Ok(dictionary.map(|dictionary| LzipMember {
        offset,
        coded_len: member_len,
        plain_len,
        dictionary_len: dictionary.len,
    }))
}

impl Places for Lzip {
    fn listed(&self, place: RandomAccess, range: Range<u64>, most: usize) -> Result<Option<Listed>> {
        let frame = |LzipMember { offset, coded_len, plain_len, .. }: LzipMember| ListedFrame {
            coded: offset..offset + coded_len,
            plain_len,
            context: 0,
        };
        let members = members_in_order(place, range, most)?;
        Ok(members.map(|members| Listed {
            frames: Box::new(members.into_iter().map(frame)),
            is_index: false,
            check: Some(CHECK),
        }))
    }

    /// Members are found from the end of the file, so they are also searched for another place at which they could end.
    fn vouches(&self, place: RandomAccess, _: &mut dyn Cursor, stated: &Stated) -> Result<Option<bool>> {
        Ok(Some(stated.is_equal && has_one_end(place, stated.frame.coded.clone())?))
    }
}

#[cfg(test)]
mod tests {
    use super::super::header::header;
    use super::*;

    /// Bytes with the header and the trailer of a member of this length and plain length.
    fn member(len: usize, plain_len: u64) -> Vec<u8> {
        let mut bytes = header(DictionarySize::for_chunk(1 << 20, plain_len as usize)).to_vec();
        bytes.resize(len - TRAILER_LEN, b'L');
        bytes.extend(Trailer { crc: 0, plain_len, member_len: len as u64 }.encode());
        bytes
    }

    /// The number of members, and their plain length together.
    fn listed(file: &[u8]) -> Option<(usize, u64)> {
        let members = members_in_order(RandomAccess::Memory(file), 0..file.len() as u64, 100).unwrap()?;
        Some((members.len(), members.iter().map(|member| member.plain_len).sum()))
    }

    #[test]
    fn trailers_lead_to_the_start_or_nowhere() {
        let file = [member(36, 0), member(500, 70_000), member(99, 5000)].concat();
        assert_eq!(listed(&file), Some((3, 75_000)));
        for at in 1..file.len() {
            let is_whole = at == 36 || at == 536;
            assert_eq!(listed(&file[..at]).is_some(), is_whole, "{at}");
            assert_eq!(listed(&file[at..]).is_some(), is_whole, "{at}");
        }
        let garbage = [&file[..], b"garbage"].concat();
        assert_eq!(listed(&garbage), None);
        // A member length of 0 leads nowhere.
        let mut lying = member(100, 1);
        lying[92..].fill(0);
        assert_eq!(listed(&lying), None);
    }
}
