//! How many workers and buffers a decompression gets, and how much memory they take.
//!
//! [`Resources::within`] takes the options. `mod.rs` builds the pipeline with the result, and the coder (`coder.rs`)
//! uses the limit for windows.
//!
//! `DecodeBuilder::memory` is a limit: there are as many workers as fit into it together with their buffers. If not
//! even one fits, there is an error that states how much memory is enough. `DecodeBuilder::memory_aim` reduces the
//! workers too, and is never an error.

use std::sync::Arc;

use crate::error::{Error, Result, Size};
use crate::format::Reading;
use crate::options::{Decode, Dictionary, WINDOW_LIMIT};
use engine::io::store;
use engine::{Buffers, FIXED_MEMORY, HELD_SPARE, PIECE_LEN, SLABS_MIN, WHOLE_CODED_MAX};

/// A frame that decodes to more bytes than this is decoded as a stream. A frame that states at most this length and
/// carries a check is held until it is verified.
pub(super) const WHOLE_PLAIN_MAX: usize = 4 << 20;

/// The blocks of zstd that a worker has decoded and not yet put together.
pub(super) const BLOCKS_MEMORY: usize = 8 << 20;

/// How much longer than its window the ring of a zstd frame is at most. Short windows have rings of more than 4 MiB.
const RING_MORE: usize = 5 << 20;

/// What a job hands to the next job: at most the window of a DEFLATE stream.
const HANDED_ON_MAX: usize = 32 << 10;

/// Memory of a worker besides the buffers: where it gathers frames, what it decodes without the output before it
/// (symbols of gzip, or blocks of zstd), and two windows for each of its jobs on the line.
const WORKER_MEMORY: usize = WHOLE_CODED_MAX + (9 << 20) + BLOCKS_MEMORY + RING_MORE + 4 * 2 * HANDED_ON_MAX;

/// Length of a buffer for coded input.
pub(super) const SLAB_LEN: usize = 512 << 10;

/// The numbers of workers and buffers, and the memory for windows.
#[derive(Clone, Copy)]
pub(crate) struct Resources {
    pub(crate) workers: usize,
    slabs: usize,
    pieces: usize,
    pub(super) window_limit: u64,
    /// Whether the limit is one for all workers together.
    is_for_all: bool,
}

/// The longest window of zstd up to level 19, and of xz up to level 6.
const USUAL_WINDOW: u64 = 8 << 20;

impl Decode {
    /// The memory in bytes that decompression takes with this number of workers, for windows of usual length. A frame
    /// that demands a longer window takes more.
    pub fn decompression_memory(&self, workers: usize) -> u64 {
        let dictionary = self.dictionary.as_ref().map_or(0, Dictionary::memory);
        Resources::for_workers(workers).memory() + workers as u64 * USUAL_WINDOW + dictionary
    }
}

impl Resources {
    /// What all decoders of a stream get.
    pub(super) fn reading(&self, options: &Decode) -> Reading {
        Reading::new(options, self.workers, self.window_limit)
    }

    /// The resources for this many workers. Two slabs and eight pieces for each worker are enough to decode frames of
    /// some MiB in parallel.
    fn for_workers(workers: usize) -> Self {
        let reserve = WHOLE_PLAIN_MAX / PIECE_LEN;
        Self {
            workers,
            slabs: SLABS_MIN + 2 * workers,
            pieces: reserve + 8 * workers,
            window_limit: WINDOW_LIMIT,
            is_for_all: true,
        }
    }

    /// The resources for as many workers as the aim has room for, with windows of usual length; for one worker at
    /// least.
    fn aiming(options: &Decode) -> Self {
        let fits = |workers: &usize| {
            options.memory_aim.is_none_or(|aim| options.decompression_memory(*workers) <= aim)
        };
        Self::for_workers((1..=options.worker_count()).rev().find(fits).unwrap_or(1))
    }

    pub(super) fn memory(&self) -> u64 {
        let buffers = self.slabs * SLAB_LEN + self.pieces * PIECE_LEN;
        (buffers + self.workers * WORKER_MEMORY) as u64 + FIXED_MEMORY
    }

    /// The resources that the options allow. It is an error if the memory is too little for one worker.
    pub(crate) fn within(options: &Decode) -> Result<Self> {
        let Some(limit) = options.memory else {
            let window_limit = options.window_limit.unwrap_or(WINDOW_LIMIT);
            return Ok(Self {
                window_limit,
                is_for_all: options.window_limit.is_none() && options.xz.decoder_memory.is_none(),
                ..Self::aiming(options)
            });
        };
        let resources = Self::fitting(limit, options).ok_or_else(|| Error::Memory {
            what: match options.store_len() {
                None => "decompression".into(),
                Some(len) => format!("decompression with a buffer of {}", Size(len as u64)),
            },
            needed: Size(Self::for_workers(1).memory_besides_windows(options)),
            limit: Size(limit),
        })?;
        // The rest of the memory is for the windows that frames demand. Each worker gets an equal share.
        let rest = limit - resources.memory_besides_windows(options);
        let window_limit = rest / resources.workers as u64;
        Ok(Self {
            window_limit: options.window_limit.unwrap_or(window_limit),
            is_for_all: options.window_limit.is_none(),
            ..resources
        })
    }

    /// The resources for as many workers as fit into `limit`.
    fn fitting(limit: u64, options: &Decode) -> Option<Self> {
        let mut all = (1..=options.worker_count()).rev().map(Self::for_workers);
        all.find(|resources| resources.memory_besides_windows(options) <= limit)
    }

    fn memory_besides_windows(&self, options: &Decode) -> u64 {
        let dictionary = options.dictionary.as_ref().map_or(0, Dictionary::memory);
        let store = options.store_len().map_or(0, |len| store::memory(len as u64));
        (self.memory() + dictionary).saturating_add(store)
    }

    /// Turns the refusal of one window into an error that says how much memory must be allowed for all workers
    /// together. Other streams take `taken` from each of them.
    pub(super) fn in_all(&self, error: Error, taken: u64, options: &Decode) -> Error {
        let Error::Memory { what, needed, limit } = error else {
            return error;
        };
        if !self.is_for_all {
            return Error::Memory { what, needed, limit };
        }
        let needed = self.needed_for(needed.0.saturating_add(taken), options);
        let limit = options.memory.unwrap_or_else(|| {
            let windows = limit.0.saturating_add(taken).saturating_mul(self.workers as u64);
            windows.saturating_add(self.memory())
        });
        Error::Memory { what, needed: Size(needed), limit: Size(limit) }
    }

    /// How much memory must be allowed for windows of this length. More memory is for more workers, which need more
    /// windows.
    fn needed_for(mut self, window: u64, options: &Decode) -> u64 {
        loop {
            let windows = window.saturating_mul(self.workers as u64);
            let needed = windows.saturating_add(self.memory_besides_windows(options));
            match Self::fitting(needed, options) {
                Some(more) if more.workers > self.workers => self = more,
                _ => return needed,
            }
        }
    }

    /// It is an error if other streams take more than the memory for windows.
    pub(super) fn share_with(&self, others: u64) -> Result<()> {
        let windows = self.window_limit.saturating_mul(self.workers as u64);
        if others <= windows {
            return Ok(());
        }
        let (what, limit) = ("decompression of so many streams at the same time".into(), self.memory());
        let [needed, limit] = [others, windows].map(|part| Size(limit.saturating_add(part)));
        Err(Error::Memory { what, needed, limit })
    }

    /// How many jobs are on the line at a time.
    pub(super) fn slots(&self) -> usize {
        4 * self.workers + 16
    }

    pub(super) fn slab_pool(&self) -> Arc<Buffers> {
        Buffers::new(self.slabs * SLAB_LEN, 0)
    }

    pub(super) fn piece_pool(&self) -> Arc<Buffers> {
        Buffers::new(self.pieces * PIECE_LEN + HELD_SPARE, WHOLE_PLAIN_MAX + HELD_SPARE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_that_an_error_advises_is_enough_for_the_workers_that_it_allows() {
        for threads in [1, 2, 3, 4, 16] {
            let with = |memory| Decode { threads, memory: Some(memory), ..Decode::default() };
            let few = Resources::within(&with(110 << 20)).unwrap();
            for window in [1, 64 << 20, 1 << 30] {
                let needed = few.needed_for(window, &with(0));
                let enough = Resources::within(&with(needed)).unwrap();
                assert!(
                    enough.window_limit >= window,
                    "{threads} threads, {window}: {}",
                    enough.window_limit
                );
            }
            assert_eq!(few.needed_for(u64::MAX, &with(0)), u64::MAX);
        }
    }

    #[test]
    fn an_aim_takes_workers_and_never_the_last() {
        let with = |threads, memory_aim| Decode { threads, memory_aim, ..Decode::default() };
        let resources = |aim| Resources::within(&with(16, aim)).unwrap();
        assert_eq!((resources(None).workers, resources(Some(1 << 40)).workers), (16, 16));
        let fewer = resources(Some(400 << 20));
        assert!((2..16).contains(&fewer.workers), "{}", fewer.workers);
        assert!(fewer.memory() <= 400 << 20);
        assert_eq!((resources(Some(0)).workers, resources(Some(0)).window_limit), (1, WINDOW_LIMIT));
        let both = Decode { memory: Some(1), ..with(16, Some(1 << 40)) };
        assert!(matches!(Resources::within(&both), Err(Error::Memory { .. })));
    }
}
