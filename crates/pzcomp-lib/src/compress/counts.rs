//! How many workers and buffers a compression gets, and how much memory they take.
//!
//! [`Counts::within`] takes the options. `mod.rs` builds the pipeline with the numbers. [`CompressionNeeds`] tells
//! callers the same before the compression begins.
//!
//! With `EncodeBuilder::memory`, there are first fewer buffers that wait, and then fewer workers. If not even one
//! worker fits, there is an error that states how much memory is enough.

use crate::error::{Error, Result, Size};
use crate::options::{Dictionary, Encode, Settings};
use engine::io::store;
use engine::{Buffers, FIXED_MEMORY, Plan};

/// What a compression takes, as it is known before the compression begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompressionNeeds {
    /// The number of workers. It is less than [`EncodeBuilder::threads`](crate::EncodeBuilder::threads) if
    /// [`EncodeBuilder::memory`](crate::EncodeBuilder::memory) allows no more.
    pub workers: usize,
    /// The most bytes of memory for encoders and buffers. Short inputs take less.
    pub memory: u64,
    /// The most bytes of plain data in a frame.
    pub frame_len: u64,
    /// The most bytes of input that are read before the first byte of output is written. A frame is written when it is
    /// coded completely, and meanwhile the input is read as long as there are buffers. `None` if one worker codes all
    /// data as one frame.
    pub read_ahead: Option<u64>,
}

/// The memory that options need, for callers who choose options by it.
impl Encode {
    /// What compression with these options takes. It is an error if the options are wrong, or if they allow too little
    /// memory.
    pub fn compression_needs(&self) -> Result<CompressionNeeds> {
        let settings = self.settings()?;
        let counts = Counts::within(self, &settings)?;
        let frame_len = settings.chunk_len as u64;
        Ok(CompressionNeeds {
            workers: counts.workers,
            memory: counts.needed(self, &settings)?,
            frame_len,
            read_ahead: (!settings.is_serial).then_some(counts.chunks as u64 * frame_len),
        })
    }

    /// The memory in bytes that compression needs with this number of workers and the fewest buffers.
    pub fn compression_memory(&self, workers: usize) -> Result<u64> {
        let (settings, codec) = (self.settings()?, self.format.writing()?);
        let (chunk, frame) =
            (settings.chunk_len as u64, settings.most(|settings| codec.coded_bound(settings)) as u64);
        let encoder = settings.most(|settings| codec.encoder_memory(settings));
        Ok(Counts::with(workers, 0).memory(encoder, chunk, frame))
    }

    /// The memory in bytes of one encoder without buffers.
    pub fn encoder_memory(&self) -> Result<u64> {
        let codec = self.format.writing()?;
        Ok(self.settings()?.most(|settings| codec.encoder_memory(settings)))
    }

    /// The memory in bytes that a decoder of xz needs for the output of these options, without buffers. It is 0 for
    /// other formats.
    pub fn decoder_memory(&self) -> Result<u64> {
        let codec = self.format.writing()?;
        Ok(self.settings()?.most(|settings| codec.decoder_memory(settings)))
    }
}

/// The numbers of workers and buffers of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(super) workers: usize,
    /// Buffers for chunks: one for each worker, one that is being read, and some that wait.
    pub(super) chunks: usize,
    /// Buffers for frames: one for each worker, and some that are written or wait for the frames before them.
    pub(super) frames: usize,
}

impl Counts {
    /// The numbers for so many workers, with `spare` waiting buffers of both kinds.
    fn with(workers: usize, spare: usize) -> Self {
        Self { workers, chunks: workers + 1 + spare, frames: workers + 1 + spare }
    }

    /// How chunks of at most `chunk_len` bytes are compressed, whose frames are at most `bound` bytes long.
    pub(crate) fn plan(&self, chunk_len: usize, bound: usize) -> Plan {
        Plan {
            slots: 2 * (self.workers + self.chunks),
            pieces: Buffers::new(self.frames * bound, bound),
            ..Plan::of_chunks(self.chunks, chunk_len, bound)
        }
    }

    /// The numbers without a limit. Waiting buffers keep workers busy while one chunk takes longer than others. Long
    /// chunks need fewer of them, because their times differ less.
    pub(crate) fn ample(workers: usize, chunk_len: usize) -> Self {
        Self::with(workers, if chunk_len >= 8 << 20 { 1 } else { workers / 2 + 1 })
    }

    /// The memory of all encoders, chunks and frames, for these lengths of each.
    fn memory(&self, encoder: u64, chunk: u64, frame: u64) -> u64 {
        (self.workers as u64)
            .saturating_mul(encoder)
            .saturating_add(self.chunks as u64 * chunk + self.frames as u64 * frame + FIXED_MEMORY)
    }

    /// The memory that these numbers need, with the dictionary.
    fn needed(&self, options: &Encode, settings: &Settings) -> Result<u64> {
        let codec = options.format.writing()?;
        let (chunk, frame) =
            (settings.chunk_len as u64, settings.most(|settings| codec.coded_bound(settings)) as u64);
        let encoder = settings.most(|settings| codec.encoder_memory(settings));
        let dictionary = settings.zstd.dictionary.as_ref().map_or(0, Dictionary::memory);
        // A group, its parity, and what the threads work on.
        let records = codec.recovery(settings).map_or(0, |recovery| recovery.memory(options.worker_count()));
        let dictionary = dictionary.saturating_add(records);
        let store = options.store_len().map_or(0, |len| store::memory(len as u64));
        Ok((self.memory(encoder, chunk, frame) + dictionary).saturating_add(store))
    }

    /// The greatest numbers that fit into the memory that the options allow.
    pub(super) fn within(options: &Encode, settings: &Settings) -> Result<Self> {
        let most = if settings.is_serial { 1 } else { options.worker_count() };
        Self::of_at_most(most, options, settings)
    }

    /// Like [`Self::within`], for at most this number of workers.
    pub(super) fn of_at_most(most: usize, options: &Encode, settings: &Settings) -> Result<Self> {
        let ample = |workers| Self::ample(workers, settings.chunk_len);
        let Some(limit) = options.memory.or(options.memory_aim) else {
            return Ok(ample(most));
        };
        let candidates = (1..=most).rev().flat_map(|workers| [ample(workers), Self::with(workers, 0)]);
        for counts in candidates {
            if counts.needed(options, settings)? <= limit {
                return Ok(counts);
            }
        }
        if options.memory.is_none() {
            // An aim is no limit.
            return Ok(Self::with(1, 0));
        }
        let (format, level, blocks) = (options.format, settings.level, Size(settings.chunk_len as u64));
        let levels = if settings.adapt.is_some() { "levels up to" } else { "level" };
        let store = options.store_len().map(|len| format!(" and a buffer of {}", Size(len as u64)));
        let store = store.unwrap_or_default();
        Err(Error::Memory {
            what: format!("{format} {levels} {level} with blocks of {blocks}{store}"),
            needed: Size(Self::with(1, 0).needed(options, settings)?),
            limit: Size(limit),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_aim_takes_workers_and_never_the_last() {
        let needs = |memory_aim| {
            let options = Encode { threads: 16, memory_aim, level: Some(9), ..Encode::default() };
            options.compression_needs().unwrap()
        };
        assert_eq!((needs(None).workers, needs(Some(1 << 40)).workers), (16, 16));
        let fewer = needs(Some(512 << 20));
        assert!((1..16).contains(&fewer.workers) && fewer.memory <= 512 << 20, "{fewer:?}");
        assert_eq!(needs(Some(0)).workers, 1);
        let both = Encode { memory: Some(1 << 20), memory_aim: Some(1 << 40), ..Encode::default() };
        assert!(matches!(both.compression_needs(), Err(Error::Memory { .. })));
    }
}
