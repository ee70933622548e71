//! The LZMA of members, which our own encoder codes (`crates/lzma`).

use pzcomp_lzma::{Encoder, Error as Failure, Params};

use crate::error::{Error, Result};

pub(super) struct OwnEncoder(Encoder);

impl OwnEncoder {
    pub(super) fn new(params: Params) -> Self {
        Self(Encoder::new(params))
    }

    /// Codes `plain` into the front of `out`. Returns the coded length, or `None` if there is too little room.
    pub(super) fn encode(&mut self, plain: &[u8], out: &mut [u8]) -> Result<Option<usize>> {
        match self.0.encode_lzma1(plain, out) {
            Ok(len) => Ok(Some(len)),
            Err(Failure::NoRoom) => Ok(None),
            Err(Failure::NoMemory) => Err(Error::NoMemory { what: "the LZMA encoder" }),
            Err(other) => Err(Error::Internal(other.to_string())),
        }
    }
}
