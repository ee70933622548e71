//! Reads the trailers and headers of all members in an lzip file, for `lzip -l`.
//!
//! [`Members::of`] takes a file and its listing. Each trailer states the length of its member, so reading starts at
//! the end of the last member and goes back to the start of the file. `table` prints the result.

use std::fs::File;
use std::os::unix::fs::FileExt;

use pzcomp::{Damage, Error, Listing};

const NAME: &str = "lzip";
const MAGIC: [u8; 5] = *b"LZIP\x01";
const HEADER_LEN: usize = 6;
const TRAILER_LEN: usize = 20;
/// Header, trailer, and the shortest stream of LZMA between them.
const MEMBER_LEN_MIN: u64 = 36;

/// The members of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) struct Members {
    /// The length of the largest dictionary in bytes.
    pub(super) dictionary: u32,
    /// The members; the last member of the file comes first.
    all: Vec<LzipMember>,
    /// The number of bytes behind the last member.
    pub(super) trailing: u64,
}

/// A member of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LzipMember {
    /// The offset at which it begins.
    pub(super) at: u64,
    pub(super) coded_len: u64,
    pub(super) plain_len: u64,
    dictionary: u32,
}

impl Members {
    /// Reads the members of a file that the library has listed without an error. Fails if the file cannot be read, or
    /// if there is data between two members.
    pub(super) fn of(file: &File, listing: &Listing) -> Result<Self, Error> {
        let read_error = |source| Error::Read { offset: 0, source };
        let last = LzipMember::before(file, listing.coded_len).map_err(read_error)?;
        if let (Some(offset), Some(last)) = (listing.trailing.garbage, last)
            && last.at >= offset
        {
            let what = "there is data between two members".into();
            return Err(Error::Corrupt { format: NAME, offset, what, damage: Damage::Form, is_held: false });
        }
        let mut end = end(listing);
        let mut members = Self { trailing: listing.coded_len - end, ..Self::default() };
        while end > 0 {
            // The library has found members up to this offset. If the file has changed since, there may be none.
            let Some(member) = LzipMember::before(file, end).map_err(read_error)? else { break };
            members.dictionary = members.dictionary.max(member.dictionary);
            members.all.push(member);
            end = member.at;
        }
        Ok(members)
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// The members in the order of the file.
    pub(super) fn iter(&self) -> impl Iterator<Item = &LzipMember> {
        self.all.iter().rev()
    }
}

/// The offset at which the last member ends.
pub(super) fn end(listing: &Listing) -> u64 {
    let trailing = &listing.trailing;
    trailing.garbage.unwrap_or(listing.coded_len.saturating_sub(trailing.zeros))
}

impl LzipMember {
    /// Reads the member that ends at offset `end`. Returns `None` if there is none.
    fn before(file: &File, end: u64) -> std::io::Result<Option<Self>> {
        let Some(at) = end.checked_sub(TRAILER_LEN as u64) else { return Ok(None) };
        let mut trailer = [0; TRAILER_LEN];
        file.read_exact_at(&mut trailer, at)?;
        let [_, _, _, _, p0, p1, p2, p3, p4, p5, p6, p7, m0, m1, m2, m3, m4, m5, m6, m7] = trailer;
        let plain_len = u64::from_le_bytes([p0, p1, p2, p3, p4, p5, p6, p7]);
        let coded_len = u64::from_le_bytes([m0, m1, m2, m3, m4, m5, m6, m7]);
        let Some(at) = end.checked_sub(coded_len).filter(|_| coded_len >= MEMBER_LEN_MIN) else {
            return Ok(None);
        };
        let mut header = [0; HEADER_LEN];
        file.read_exact_at(&mut header, at)?;
        let dictionary = match header.strip_prefix(&MAGIC) {
            Some(&[byte]) => dictionary(byte),
            _ => None,
        };
        Ok(dictionary.map(|dictionary| Self { at, coded_len, plain_len, dictionary }))
    }
}

/// The length of a dictionary. The lower five bits of the byte are its logarithm. The other bits are a number of
/// sixteenths that are subtracted.
fn dictionary(byte: u8) -> Option<u32> {
    match byte & 0x1f {
        // Nothing is subtracted from the shortest dictionary, whatever the other bits are.
        12 => Some(1 << 12),
        log @ 13..=29 => Some((1 << log) - (1 << (log - 4)) * u32::from(byte >> 5)),
        _ => None,
    }
}
