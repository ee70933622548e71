//! The facts that all jobs of a frame need, and the errors that name the frame.

use pzcomp_zstd::{Error as ZstdError, FrameHeader};

use super::NAME;
use crate::error::{Damage, Error};

/// The facts that all jobs of a frame need.
#[derive(Clone, Copy)]
pub(super) struct FrameFacts {
    /// Offset of the frame.
    pub(super) start: u64,
    pub(super) header: FrameHeader,
    /// Whether the frame has a checksum that is to be verified.
    pub(super) is_verified: bool,
}

impl FrameFacts {
    pub(super) fn corrupt(&self, error: ZstdError) -> Error {
        let what = match error {
            ZstdError::ContentSize { stated, decoded } if decoded > stated => {
                format!("the frame that begins there holds more than the {stated} bytes that it states")
            }
            ZstdError::ContentSize { stated, decoded } => {
                format!("the frame that begins there holds {decoded} bytes, expected {stated}")
            }
            error => format!("the frame that begins there does not decode: {error}"),
        };
        let damage = match error {
            ZstdError::ContentSize { .. } => Damage::Length,
            _ => Damage::Form,
        };
        Error::corrupt(NAME, self.start, what).by(damage)
    }

    pub(super) fn truncated(&self, offset: u64) -> Error {
        Error::Truncated { format: NAME, frame: self.start, offset }
    }
}
