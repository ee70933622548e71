//! One member around all chunks, as `gzip` writes: for readers that stop after the first member.

use super::header::member_header;
use crate::format::joined::{Sum, Wrapper};
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

    fn trailer(&self, sum: &Sum) -> Vec<u8> {
        [sum.check.to_le_bytes(), (sum.plain_len as u32).to_le_bytes()].concat()
    }
}
