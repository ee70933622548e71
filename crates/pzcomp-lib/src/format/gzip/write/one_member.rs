//! Writing one member around all chunks, as `gzip` does, for readers that stop after the first member.
//!
//! The chunks are coded and joined as in every joined stream (`format/joined/`). This file makes the header, with
//! name and time of the file, and the trailer with CRC-32 and length.

use super::super::header::{FCOMMENT, FNAME};
use crate::format::joined::{Totals, Wrapper};
use crate::options::Member;

/// The header and the trailer of RFC 1952.
pub(super) struct MemberWrapper {
    header: Vec<u8>,
}

impl MemberWrapper {
    pub(super) fn new(member: &Member, extra_flags: u8) -> Box<Self> {
        Box::new(Self { header: member_header(member, extra_flags) })
    }
}

impl Wrapper for MemberWrapper {
    fn header(&self) -> Vec<u8> {
        self.header.clone()
    }

    fn trailer(&self, totals: &Totals) -> Vec<u8> {
        [totals.check.to_le_bytes(), (totals.plain_len as u32).to_le_bytes()].concat()
    }
}

/// The header of a member of unknown size, as `gzip` writes it.
fn member_header(member: &Member, extra_flags: u8) -> Vec<u8> {
    let mut header = vec![0x1f, 0x8b, 8, 0];
    header.extend(member.modified.to_le_bytes());
    header.extend([extra_flags, 3]);
    for (flag, text) in [(FNAME, &member.name), (FCOMMENT, &member.comment)] {
        let Some(text) = text else { continue };
        header[3] |= flag;
        // A zero ends the text.
        header.extend(text.iter().copied().take_while(|&byte| byte != 0));
        header.push(0);
    }
    header
}
