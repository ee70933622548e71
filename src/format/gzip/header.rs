//! Headers of members.
//!
//! ```text
//! 1f 8b 08 FLG  MTIME(4)  XFL OS  [XLEN(2) subfields]  [name 0]  [comment 0]  [CRC16(2)]
//! DEFLATE stream   CRC32(4)  ISIZE(4)                              subfield: SI1 SI2 LEN(2) data
//! ```

use std::io::{BufReader, ErrorKind, Read};

use super::super::ffi::deflate::crc32;
use super::index::{EMPTY_BODY_LEN, TABLE_END, TABLE_PART};
use super::{MAGIC, NAME, is_member};
use crate::error::{Error, Result};
use crate::options::Member;

/// CM: no other method was ever defined.
const DEFLATE: u8 = 8;
const FHCRC: u8 = 2;
pub(super) const FEXTRA: u8 = 4;
const FNAME: u8 = 8;
const FCOMMENT: u8 = 16;
const RESERVED: u8 = 0xe0;

/// What is kept of a name, the longest that Linux takes, and of a comment.
const TEXT_MAX: usize = 4096;

/// Bytes before the optional fields.
pub(super) const FIXED_LEN: usize = 10;
/// CRC32 and ISIZE.
pub(super) const TRAILER_LEN: usize = 8;
/// Length of our header: fixed part, XLEN, the subfield of the size.
pub(super) const OUR_LEN: usize = FIXED_LEN + 2 + 8;
/// Size of a BGZF block less one, u16.
pub(super) const BGZF_SIZE: [u8; 2] = *b"BC";
/// Size of a whole member, u32: as gzp and mgzip write it.
const MEMBER_SIZE: [u8; 2] = *b"IG";

/// Our header of a member of `size` bytes, with `extra` bytes of further subfields to follow it.
pub(super) fn our_header(size: usize, extra_flags: u8, extra: usize) -> [u8; OUR_LEN] {
    let [x0, x1] = ((8 + extra) as u16).to_le_bytes();
    let [s0, s1, s2, s3] = (size as u32).to_le_bytes();
    let [si1, si2] = MEMBER_SIZE;
    // No time and no name, as for any pipe; OS 3 is Unix.
    [0x1f, 0x8b, 8, FEXTRA, 0, 0, 0, 0, extra_flags, 3, x0, x1, si1, si2, 4, 0, s0, s1, s2, s3]
}

/// The header of a member of unknown size, as `gzip` writes it.
pub(super) fn member_header(member: &Member, extra_flags: u8) -> Vec<u8> {
    let mut header = vec![0x1f, 0x8b, 8, 0];
    header.extend(member.modified.to_le_bytes());
    header.extend([extra_flags, 3]);
    for (flag, text) in [(FNAME, &member.name), (FCOMMENT, &member.comment)] {
        let Some(text) = text else { continue };
        header[3] |= flag;
        // A zero ends it.
        header.extend(text.iter().copied().take_while(|&byte| byte != 0));
        header.push(0);
    }
    header
}

/// A member's header, as far as it matters for splitting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Length up to the name, or to the DEFLATE stream if there is none.
    pub(super) len: usize,
    pub(super) flags: u8,
    /// Length of the whole member, if the header says so.
    pub(super) size: Option<u64>,
    /// Plain length, if the header says so.
    pub(super) plain_len: Option<u64>,
    /// It says that it is part of our index, and empty.
    pub(super) is_index: bool,
}

impl Header {
    /// Nothing if the bytes are too few, or the method is unknown.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let (fixed, rest) = bytes.split_first_chunk::<FIXED_LEN>()?;
        let flags = fixed[3];
        if fixed[2] != DEFLATE {
            return None;
        }
        let mut header = Self { len: FIXED_LEN, flags, size: None, plain_len: None, is_index: false };
        if flags & FEXTRA == 0 {
            return Some(header);
        }
        let (xlen, rest) = rest.split_first_chunk::<2>()?;
        let extra = rest.get(..usize::from(u16::from_le_bytes(*xlen)))?;
        header.len += 2 + extra.len();
        let overhead = (header.len + TRAILER_LEN) as u64;
        // The size of the DEFLATE stream says that of the member only where nothing else is between.
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
                _ => {}
            }
        }
        // What is too short to be a member says nothing.
        let least = (header.len + EMPTY_BODY_LEN) as u64;
        header.size = header.size.filter(|&size| size >= least);
        header.is_index &= header.size == Some(least);
        Some(header)
    }

    /// The data of a subfield of this header, which is that of `member`.
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

/// Reads the header of the member at `offset`; nothing if the input ends inside. `fill` fills memory with
/// what comes next, and says whether there was as much.
pub(super) fn read_header(
    mut fill: impl FnMut(&mut [u8]) -> Result<bool>,
    offset: u64,
) -> Result<Option<Member>> {
    let mut crc = 0;
    let mut read = |bytes: &mut [u8]| {
        let whole = fill(bytes)?;
        crc = crc32(crc, bytes);
        Ok::<bool, Error>(whole)
    };
    let mut fixed = [0; FIXED_LEN];
    if !read(&mut fixed)? {
        return Ok(None);
    }
    let [_, _, method, flags, m0, m1, m2, m3, ..] = fixed;
    if method != DEFLATE {
        let what = format!("the member that begins there is compressed by method {method}, which is unknown");
        return Err(Error::Unsupported { format: NAME, offset, what });
    }
    if flags & RESERVED != 0 {
        let what = format!("the member's header has reserved flags set ({flags:#04x})");
        return Err(Error::Unsupported { format: NAME, offset, what });
    }
    let mut byte = [0];
    if flags & FEXTRA != 0 {
        let mut xlen = [0; 2];
        if !read(&mut xlen)? {
            return Ok(None);
        }
        for _ in 0..u16::from_le_bytes(xlen) {
            if !read(&mut byte)? {
                return Ok(None);
            }
        }
    }
    let mut texts = [const { None }; 2];
    for (text, flag) in texts.iter_mut().zip([FNAME, FCOMMENT]) {
        if flags & flag == 0 {
            continue;
        }
        let text = text.insert(Vec::new());
        loop {
            if !read(&mut byte)? {
                return Ok(None);
            }
            if byte == [0] {
                break;
            }
            if text.len() < TEXT_MAX {
                text.extend(byte);
            }
        }
    }
    if flags & FHCRC != 0 {
        let found = crc as u16;
        let mut said = [0; 2];
        if !fill(&mut said)? {
            return Ok(None);
        }
        let said = u16::from_le_bytes(said);
        if said != found {
            let what = format!(
                "the header of the member that begins there has the CRC-16 {found:04x}, expected {said:04x}"
            );
            return Err(Error::corrupt(NAME, offset, what));
        }
    }
    let [name, comment] = texts;
    Ok(Some(Member { name, modified: u32::from_le_bytes([m0, m1, m2, m3]), comment }))
}

impl Member {
    /// What the header says with which the data of `reader` begins, name and comment cut after 4096 bytes;
    /// nothing if that is no gzip data. More may be read than the header.
    ///
    /// ```
    /// let member = pzcomp::Member { name: Some(b"dump.sql".to_vec()), modified: 1_000_000_000, comment: None };
    /// let options = pzcomp::Options {
    ///     format: pzcomp::Format::GZIP,
    ///     layout: pzcomp::Layout::Single(member.clone()),
    ///     ..Default::default()
    /// };
    /// let mut coded = Vec::new();
    /// pzcomp::compress(&b"three in the morning"[..], &mut coded, &options)?;
    /// assert_eq!(pzcomp::Member::read(&coded[..])?, Some(member));
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
    pub fn read(reader: impl Read) -> Result<Option<Self>> {
        read_member(reader)
    }
}

/// What the header says with which the data of `reader` begins; nothing if that is no member.
fn read_member(mut reader: impl Read) -> Result<Option<Member>> {
    let mut offset = 0;
    let mut magic = Vec::new();
    let read = reader.by_ref().take(MAGIC.len() as u64).read_to_end(&mut magic);
    read.map_err(|source| Error::Read { offset, source })?;
    if !is_member(&magic) {
        return Ok(None);
    }
    let mut reader = BufReader::new(magic.chain(reader));
    let fill = |mut bytes: &mut [u8]| {
        while !bytes.is_empty() {
            match reader.read(bytes) {
                Ok(0) => return Ok(false),
                Ok(read) => {
                    offset += read as u64;
                    bytes = &mut bytes[read..];
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(source) => return Err(Error::Read { offset, source }),
            }
        }
        Ok(true)
    };
    match read_header(fill, 0)? {
        Some(member) => Ok(Some(member)),
        None => Err(Error::Truncated { format: NAME, frame: 0, offset }),
    }
}
