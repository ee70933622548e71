//! Members that our own encoder of LZMA codes (`crates/lzma`).
//!
//! It takes and gives what `RawEncoder` of liblzma takes and gives. liblzma codes chunks that are little but long repeats,
//! because it is faster for them. Which of them codes a chunk depends on the settings and on the bytes of the chunk.

use pzcomp_lzma::{Encoder, Params};

use super::super::ffi::lzma::{Effort, RawEncoder};
use super::super::liblzma::internal;
use crate::error::{Error, Result};

pub(super) struct OwnEncoder {
    encoder: Encoder,
    params: Params,
    /// That of liblzma.
    effort: Effort,
}

impl OwnEncoder {
    pub(super) fn new(params: Params, effort: Effort) -> Self {
        Self { encoder: Encoder::new(params), params, effort }
    }

    /// Codes `plain` into the front of `out`. Returns the coded length, or `None` if there is too little room.
    pub(super) fn encode(&mut self, plain: &[u8], dict_len: u32, out: &mut [u8]) -> Result<Option<usize>> {
        if pzcomp_lzma::is_repetitive(plain, self.params.dict_len) {
            // Only one of the two holds memory.
            self.encoder = Encoder::new(self.params);
            return RawEncoder::new(self.effort).encode(plain, dict_len, out).map_err(internal);
        }
        match self.encoder.encode_lzma1(plain, out) {
            Ok(len) => Ok(Some(len)),
            Err(pzcomp_lzma::Error::NoRoom) => Ok(None),
            Err(pzcomp_lzma::Error::NoMemory) => Err(Error::NoMemory { what: "the LZMA encoder" }),
            Err(other) => Err(Error::Internal(other.to_string())),
        }
    }
}
