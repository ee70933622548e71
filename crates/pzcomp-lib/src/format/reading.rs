//! [`Reading`]: the options that change how decoders and walkers treat their input.
//!
//! [`Decode`] come in. `decompress` makes one `Reading` and gives it to each decoder and walker. It also divides the
//! memory for dictionaries among the workers.

use std::sync::Arc;

use super::rings::Rings;
use crate::options::{Decode, EntryChoice};

/// A decoder of liblzma with four filters takes less than this besides its dictionary. The memory that counts for each
/// worker has room for it, because the worker has no ring of zstd at the time.
const LZMA_MORE: u64 = 256 << 10;

/// The options that decoders and walkers need.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    /// The window, dictionary or block that a frame may demand while other frames are decoded.
    pub(crate) share: u64,
    /// The one that it may demand while no other is decoded; not less than `share`.
    pub(crate) alone: u64,
    /// What liblzma may need besides a dictionary: its counts of memory include that. 0 if the options limit what
    /// liblzma counts.
    pub(crate) lzma_more: u64,
    // For the next four, see `DecodeBuilder::xz_one_format` and the methods beside it.
    pub(crate) one_format: bool,
    pub(crate) single_stream: bool,
    pub(crate) ignore_check: bool,
    pub(crate) unknown_check: bool,
    /// See [`crate::DecodeBuilder::lzip_loose_trailing`] and the method beside it.
    pub(crate) loose_trailing: bool,
    pub(crate) only_version_1: bool,
    /// See [`DecodeBuilder::entry`](crate::DecodeBuilder::entry).
    pub(crate) entry: EntryChoice,
    /// How many workers decode the stream.
    pub(crate) workers: usize,
    /// What all workers of the stream share.
    pub(crate) rings: Arc<Rings>,
}

impl Reading {
    /// The values of these options. Each of the `workers` may demand `window_limit` bytes, unless the options limit all
    /// decoders together.
    pub(crate) fn new(options: &Decode, workers: usize, window_limit: u64) -> Self {
        let (xz, lzip) = (&options.xz, &options.lzip);
        let (share, alone, lzma_more) = match xz.decoder_memory {
            None => (window_limit, window_limit, LZMA_MORE),
            Some(all) => ((all / workers.max(1) as u64).min(window_limit), all, 0),
        };
        Self {
            share,
            alone,
            lzma_more,
            one_format: xz.one_format,
            single_stream: xz.single_stream,
            ignore_check: xz.ignore_check,
            unknown_check: xz.unknown_check,
            loose_trailing: lzip.loose_trailing,
            only_version_1: lzip.only_version_1,
            entry: options.entry.clone(),
            workers,
            rings: Arc::new(Rings::new(workers)),
        }
    }

    /// `share` and `alone`, as liblzma counts memory.
    pub(crate) fn lzma(&self) -> (u64, u64) {
        (self.share.saturating_add(self.lzma_more), self.alone.saturating_add(self.lzma_more))
    }
}
