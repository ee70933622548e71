//! [`Room`]: where a [`Compressor`](crate::Compressor) and a [`Decompressor`](crate::Decompressor) put the output of a
//! payload.
//!
//! The output goes behind the bytes of a vector, which grows, or to the front of a slice, which may be too short. It
//! consists of stretches: the caller fills the next one in place, or copies bytes.

use std::io::{Error as SystemError, ErrorKind};

use crate::error::{Error, Result};

/// Memory for output.
pub(crate) enum Room<'a> {
    Grows(&'a mut Vec<u8>),
    /// `advice` says how long the slice must be, for the error.
    Fixed {
        bytes: &'a mut [u8],
        filled: usize,
        advice: &'static str,
    },
}

impl Room<'_> {
    /// How many bytes are in it.
    pub(crate) fn filled(&self) -> usize {
        match self {
            Self::Grows(bytes) => bytes.len(),
            Self::Fixed { filled, .. } => *filled,
        }
    }

    /// The same with this much in it, after more was put in that does not count.
    pub(crate) fn emptied(&mut self, len: usize) -> &mut Self {
        match self {
            Self::Grows(bytes) => bytes.truncate(len),
            Self::Fixed { filled, .. } => *filled = len,
        }
        self
    }

    /// The next `len` bytes, all of which count as filled. Nothing if a slice has fewer.
    pub(crate) fn next(&mut self, len: usize) -> Option<&mut [u8]> {
        match self {
            Self::Grows(bytes) => {
                let start = bytes.len();
                if bytes.capacity() == 0 {
                    // The system has zeros at hand.
                    **bytes = vec![0; len];
                } else {
                    bytes.resize(start + len, 0);
                }
                bytes.get_mut(start..)
            }
            Self::Fixed { bytes, filled, .. } => {
                let room = bytes.get_mut(*filled..)?.get_mut(..len)?;
                *filled += len;
                Some(room)
            }
        }
    }

    /// Copies these bytes, or as many of them as a slice takes.
    pub(crate) fn put(&mut self, more: &[u8]) -> Result<()> {
        match self {
            Self::Grows(bytes) => bytes.extend_from_slice(more),
            Self::Fixed { bytes, filled, advice } => {
                let now = more.len().min(bytes.len() - *filled);
                bytes[*filled..*filled + now].copy_from_slice(&more[..now]);
                *filled += now;
                if now < more.len() {
                    let what = format!("the slice for the output is full; make it as long as {advice}");
                    let source = SystemError::new(ErrorKind::WriteZero, what);
                    return Err(Error::Write { offset: *filled as u64, source });
                }
            }
        }
        Ok(())
    }
}
