//! Writing members: one for each chunk, with its size in the header, or one around all chunks, as `gzip` does.
//!
//! The size lets any reader find the next member without decoding, also in a pipe. A worker gives a chunk to
//! [`MemberEncoder`], and gets the complete member: header, DEFLATE stream, CRC-32 and length.
//!
//! One member is for readers that stop after the first. Its chunks are coded and joined as in every joined stream
//! (`format/joined/`). [`MemberWrapper`] makes the header, with name and time of the file, and the trailer.

use pzcomp_deflate::encode::End;

use super::super::header::{FCOMMENT, FNAME, OUR_LEN, TRAILER_LEN, our_header};
use crate::error::Result;
use crate::format::Encoder;
use crate::format::ffi::deflate::crc32;
use crate::format::joined::{DeflateEncoder, Totals, Wrapper};
use crate::options::Member;

pub(super) struct MemberEncoder {
    encoder: DeflateEncoder,
    extra_flags: u8,
}

impl MemberEncoder {
    pub(super) fn new(encoder: DeflateEncoder, extra_flags: u8) -> Self {
        Self { encoder, extra_flags }
    }
}

impl Encoder for MemberEncoder {
    fn encode(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<usize> {
        let room = out.len() - TRAILER_LEN;
        let end = OUR_LEN + self.encoder.encode(chunk, &mut out[OUR_LEN..room], End::Final)?;
        let size = end + TRAILER_LEN;
        out[..OUR_LEN].copy_from_slice(&our_header(size, self.extra_flags, 0));
        out[end..end + 4].copy_from_slice(&crc32(0, chunk).to_le_bytes());
        out[end + 4..size].copy_from_slice(&(chunk.len() as u32).to_le_bytes());
        Ok(size)
    }
}

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
