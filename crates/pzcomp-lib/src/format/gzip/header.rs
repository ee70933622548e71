//! The header of a member, as reading and writing share it: its fields, its flags, and our own header.
//!
//! ```text
//! 1f 8b 08 FLG  MTIME(4)  XFL OS  [XLEN(2) subfields]  [name 0]  [comment 0]  [CRC16(2)]
//! DEFLATE stream   CRC32(4)  ISIZE(4)                              subfield: SI1 SI2 LEN(2) data
//! ```
//!
//! [`Header::parse`] takes the first bytes of a member and returns what matters for dividing the input. The walker
//! and the decoder call it. [`our_header`] makes the header that we write. Whatever a header claims is only a guess:
//! the decoder finds the truth.

use super::MAGIC;
use super::index::{EMPTY_BODY_LEN, TABLE_END, TABLE_PART};
use crate::error::Result;
use crate::format::{Cursor, records};

/// CM. No other method was ever defined.
pub(super) const DEFLATE: u8 = 8;
pub(super) const FHCRC: u8 = 2;
pub(super) const FEXTRA: u8 = 4;
pub(super) const FNAME: u8 = 8;
pub(super) const FCOMMENT: u8 = 16;

/// Bytes before the optional fields.
pub(super) const FIXED_LEN: usize = 10;
/// CRC32 and ISIZE.
pub(super) const TRAILER_LEN: usize = 8;
/// Length of our header: the fixed part, XLEN, and the subfield with the size.
pub(super) const OUR_LEN: usize = FIXED_LEN + 2 + 8;
/// Size of a BGZF block less one, u16.
pub(super) const BGZF_SIZE: [u8; 2] = *b"BC";
/// Size of a whole member, u32, as gzp and mgzip write it.
const MEMBER_SIZE: [u8; 2] = *b"IG";

/// The first bytes of a member, which tell whether it is a block of BGZF.
pub(super) const BGZF_HEAD_LEN: usize = FIXED_LEN + 2 + 4;

/// Whether these bytes begin a block of BGZF. The last block holds no data.
pub(super) fn is_bgzf(head: &[u8]) -> bool {
    let is_of_block = |id: &[u8]| id.starts_with(&BGZF_SIZE) && id.ends_with(&[2, 0]);
    matches!(head, [_, _, DEFLATE, FEXTRA, ..])
        && head.get(FIXED_LEN + 2..BGZF_HEAD_LEN).is_some_and(is_of_block)
}

/// The BSIZE of the block that begins here. Nothing if no BGZF block begins here.
pub(crate) fn block_size(cursor: &mut dyn Cursor) -> Result<Option<u16>> {
    if !cursor.peek(MAGIC.len())?.starts_with(&MAGIC) {
        return Ok(None);
    }
    let found = Header::peek(cursor)?;
    let bsize = found.and_then(|(header, member)| header.subfield(member, BGZF_SIZE)?.try_into().ok());
    Ok(bsize.map(u16::from_le_bytes))
}

/// Our header of a member of `size` bytes. `extra` bytes of more subfields follow it.
pub(super) fn our_header(size: usize, extra_flags: u8, extra: usize) -> [u8; OUR_LEN] {
    let [x0, x1] = ((8 + extra) as u16).to_le_bytes();
    let [s0, s1, s2, s3] = (size as u32).to_le_bytes();
    let [si1, si2] = MEMBER_SIZE;
    // No time and no name, because the input may be a pipe. OS 3 is Unix.
    [0x1f, 0x8b, 8, FEXTRA, 0, 0, 0, 0, extra_flags, 3, x0, x1, si1, si2, 4, 0, s0, s1, s2, s3]
}

/// The header of a member, as far as it matters for dividing the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Length up to the name, or to the DEFLATE stream if there is no name.
    pub(super) len: usize,
    pub(super) flags: u8,
    /// Length of the whole member, if the header states it.
    pub(super) size: Option<u64>,
    /// Plain length, if the header states it.
    pub(super) plain_len: Option<u64>,
    /// It says that it is part of our index, and empty.
    pub(super) is_index: bool,
    /// It says that it holds a recovery record, and is empty.
    pub(super) is_record: bool,
}

impl Header {
    /// Nothing if the bytes are too few, or the method is unknown.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let (fixed, rest) = bytes.split_first_chunk::<FIXED_LEN>()?;
        let flags = fixed[3];
        if fixed[2] != DEFLATE {
            return None;
        }
        let mut header =
            Self { len: FIXED_LEN, flags, size: None, plain_len: None, is_index: false, is_record: false };
        if flags & FEXTRA == 0 {
            return Some(header);
        }
        let (xlen, rest) = rest.split_first_chunk::<2>()?;
        let extra = rest.get(..usize::from(u16::from_le_bytes(*xlen)))?;
        header.len += 2 + extra.len();
        let overhead = (header.len + TRAILER_LEN) as u64;
        // The size of the DEFLATE stream gives that of the member only if no other field is between them.
        let member =
            |body: u32| (flags & (FNAME | FCOMMENT | FHCRC) == 0).then_some(overhead + u64::from(body));
        for (id, data) in Subfields(extra) {
            match (&id, data) {
                (&BGZF_SIZE, &[a, b]) => header.size = Some(u64::from(u16::from_le_bytes([a, b])) + 1),
                (&MEMBER_SIZE, &[a, b, c, d]) => {
                    header.size = Some(u64::from(u32::from_le_bytes([a, b, c, d])))
                }
                // MiGz: length of the DEFLATE stream.
                (b"MZ", &[a, b, c, d]) => header.size = member(u32::from_le_bytes([a, b, c, d])),
                // QATzip: plain and coded length.
                (b"QZ", &[p0, p1, p2, p3, a, b, c, d]) => {
                    header.plain_len = Some(u64::from(u32::from_le_bytes([p0, p1, p2, p3])));
                    header.size = member(u32::from_le_bytes([a, b, c, d]));
                }
                (&TABLE_PART | &TABLE_END, _) => header.is_index = true,
                (&records::SUBFIELD, _) => header.is_record = true,
                _ => {}
            }
        }
        // A size that is too short for a member is ignored.
        let least = (header.len + EMPTY_BODY_LEN) as u64;
        header.size = header.size.filter(|&size| size >= least);
        header.is_index &= header.size == Some(least);
        header.is_record &= header.size == Some(least);
        Some(header)
    }

    /// The length of a header up to the end of its extra field, from its first bytes. Nothing if it has no extra
    /// field, or if fewer than `FIXED_LEN + 2` bytes are given.
    pub(super) fn extra_end(bytes: &[u8]) -> Option<usize> {
        let &[_, _, _, flags, _, _, _, _, _, _, x0, x1, ..] = bytes else { return None };
        (flags & FEXTRA != 0).then(|| FIXED_LEN + 2 + usize::from(u16::from_le_bytes([x0, x1])))
    }

    /// The header at the cursor, and the bytes there, if the header states the size of its member.
    pub(super) fn peek(cursor: &mut dyn Cursor) -> Result<Option<(Self, &[u8])>> {
        let Some(len) = Self::extra_end(cursor.peek(FIXED_LEN + 2)?) else { return Ok(None) };
        let member = cursor.peek(len)?;
        let header = Self::parse(member).filter(|header| header.size.is_some());
        Ok(header.map(|header| (header, member)))
    }

    /// The data of a subfield of this header, which is the header of `member`.
    pub(super) fn subfield<'a>(&self, member: &'a [u8], wanted: [u8; 2]) -> Option<&'a [u8]> {
        Subfields(member.get(FIXED_LEN + 2..self.len)?).find(|(id, _)| *id == wanted).map(|(_, data)| data)
    }
}

/// The subfields of an extra field, as far as they are well formed.
struct Subfields<'a>(&'a [u8]);

impl<'a> Iterator for Subfields<'a> {
    type Item = ([u8; 2], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (&[si1, si2, l0, l1], rest) = self.0.split_first_chunk::<4>()?;
        let (data, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes([l0, l1])))?;
        self.0 = rest;
        Some(([si1, si2], data))
    }
}
