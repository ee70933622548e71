//! [`PlainSums`]: the checksums of the plain data of a stream, chunk by chunk.
//!
//! The coders note each chunk before its output leaves. `verify` takes the checksums in order while it decodes the
//! output. So the plain data need not be read a second time, and the workers share the work of adding it up.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_128;

/// The length and the checksum of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlainSum {
    pub(crate) len: u64,
    pub(crate) sum: u128,
}

/// The checksums of the chunks that were compressed and are not verified, by their offset in the plain data.
#[derive(Debug, Default)]
pub(crate) struct PlainSums(Mutex<BTreeMap<u64, PlainSum>>);

impl PlainSums {
    /// Notes the chunk at this offset. A chunk of no bytes is not noted.
    pub(crate) fn note(&self, at: u64, chunk: &[u8]) {
        if !chunk.is_empty() {
            let sum = PlainSum { len: chunk.len() as u64, sum: xxh3_128(chunk) };
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(at, sum);
        }
    }

    /// Takes the chunk that begins at this offset.
    pub(crate) fn take(&self, at: u64) -> Option<PlainSum> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&at)
    }
}

/// Notes the chunk, if its checksum is wanted.
pub(super) fn note(sums: Option<&Arc<PlainSums>>, at: u64, chunk: &[u8]) {
    if let Some(sums) = sums {
        sums.note(at, chunk);
    }
}
