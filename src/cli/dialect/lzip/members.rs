//! What the trailers and headers of an lzip file say of its members, for `lzip -l`.
//!
//! The file and where its last member ends come in. The trailers lead from there to the start of the file. `table` prints
//! what is found.

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
pub(in super::super::super) struct Members {
    /// Bytes of the largest dictionary.
    pub(super) dictionary: u32,
    /// The last one first.
    all: Vec<Member>,
    /// Bytes behind the last one.
    pub(super) trailing: u64,
}

/// A member of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// Where it begins.
    pub(super) at: u64,
    pub(super) coded_len: u64,
    pub(super) plain_len: u64,
    dictionary: u32,
}

impl Members {
    /// The members of a file that the library has listed without an error.
    pub(super) fn of(file: &File, listing: &Listing) -> Result<Self, Error> {
        let read_error = |source| Error::Read { offset: 0, source };
        let last = Member::before(file, listing.coded_len).map_err(read_error)?;
        if let (Some(offset), Some(last)) = (listing.trailing.garbage, last)
            && last.at >= offset
        {
            let what = "there is data between two members".into();
            return Err(Error::Corrupt { format: NAME, offset, what, damage: Damage::Form, is_held: false });
        }
        let mut end = end(listing);
        let mut members = Self { trailing: listing.coded_len - end, ..Self::default() };
        while end > 0 {
            // The library has found members up to here. If the file is another one now, there may be none.
            let Some(member) = Member::before(file, end).map_err(read_error)? else { break };
            members.dictionary = members.dictionary.max(member.dictionary);
            members.all.push(member);
            end = member.at;
        }
        Ok(members)
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// In the order of the file.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Member> {
        self.all.iter().rev()
    }
}

/// Where the last member ends.
pub(super) fn end(listing: &Listing) -> u64 {
    let trailing = &listing.trailing;
    trailing.garbage.unwrap_or(listing.coded_len.saturating_sub(trailing.zeros))
}

impl Member {
    /// The member that ends at `end`, if there is one.
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

/// The length of a dictionary. The lower five bits are its logarithm, the others count sixteenths that are missing.
fn dictionary(byte: u8) -> Option<u32> {
    match byte & 0x1f {
        // Of the shortest nothing is missing, whatever is said of it.
        12 => Some(1 << 12),
        log @ 13..=29 => Some((1 << log) - (1 << (log - 4)) * u32::from(byte >> 5)),
        _ => None,
    }
}
