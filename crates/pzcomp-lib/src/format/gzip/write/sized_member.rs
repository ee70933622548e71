//! Writing one member for each chunk, with its size in the header.
//!
//! The size lets any reader find the next member without decoding, also in a pipe. A worker gives a chunk to
//! [`MemberEncoder`], and gets the complete member: header, DEFLATE stream, CRC-32 and length.

use pzcomp_deflate::encode::End;

use super::super::header::{OUR_LEN, TRAILER_LEN, our_header};
use crate::error::Result;
use crate::format::Encoder;
use crate::format::ffi::deflate::crc32;
use crate::format::joined::DeflateEncoder;

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
