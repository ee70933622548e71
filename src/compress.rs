//! Compression: the input is cut into chunks that do not depend on each other, and each chunk becomes a frame.
//!
//! This file builds the pipeline. [`Options`] and the format give the encoders, the joiner and the [`Cut`]. [`Counts`]
//! fits workers and buffers into the memory that is allowed. The [`Splitter`] is the feeder, and a [`Coder`] for each
//! worker calls its encoder.
//!
//! The output does not depend on the number of workers.

mod chunks;
mod coders;
mod driven;
mod plain_sums;
mod splitter;

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Instant;

use crate::error::{Error, Result, Size};
use crate::format::Cut;
use crate::io::{Input, Output};
use crate::options::{Dictionary, Options, OptionsBuilder, Settings};
use crate::pipeline::{self, Buffers, FIXED_MEMORY, INLINE_SLOTS, Joiner, Plan, Sink, Unfinished};
use crate::progress::Progress;
use crate::summary::{Summary, Trailing};
use crate::sweep::sweeping;
pub(crate) use coders::Encoders;
use coders::{ChunkCoder, FLUSH, SerialCoder};
pub(crate) use driven::{Compression, Wait};
pub(crate) use plain_sums::{PlainSum, PlainSums};
use splitter::Splitter;

/// Compresses all bytes of `reader` into `writer`.
///
/// The output depends on the input and the options only, however many threads work and however the input arrives. It is
/// an error if reading or writing fails, if the format does not have an option, or if the memory allowed is too little.
///
/// ```
/// let mut coded = Vec::new();
/// let summary = pzcomp::compress(&b"three in the morning"[..], &mut coded, &pzcomp::Options::default())?;
/// assert_eq!((summary.plain_len, summary.frames), (20, 1));
/// # Ok::<(), pzcomp::Error>(())
/// ```
pub fn compress(reader: impl Read, writer: impl Write + Send, options: &Options) -> Result<Summary> {
    compress_io(Input::Reader(Box::new(reader)), Output::Writer(Box::new(writer)), options)
}

/// Like [`compress`], for descriptors, files and memory. These are faster than a plain reader or writer.
///
/// ```
/// use pzcomp::{Input, Options, Output};
///
/// let file = tempfile::tempfile()?;
/// let input = Input::Memory(b"three in the morning");
/// let summary = pzcomp::compress_io(input, Output::from_file(&file)?, &Options::default())?;
/// assert_eq!(file.metadata()?.len(), summary.coded_len);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compress_io(input: Input, output: Output, options: &Options) -> Result<Summary> {
    sweeping(input, output, options, |input, output, options| compress_noting(input, output, options, None))
}

/// Like [`compress_io`], and notes the checksum of each chunk in `sums`.
pub(crate) fn compress_noting(
    input: Input,
    output: Output,
    options: &Options,
    sums: Option<&Arc<PlainSums>>,
) -> Result<Summary> {
    let settings = options.settings()?;
    let codec = options.format.writing()?;
    let counts = Counts::within(options, &settings)?;
    let (header, joiner) = codec.framing(&settings);
    let chunked = Chunked {
        encoders: match settings.is_serial {
            true => Encoders::Serial(codec.serial_encoder(&settings)?),
            false => Encoders::Parallel(
                (0..counts.workers).map(|_| codec.encoder(&settings)).collect::<Result<_>>()?,
            ),
        },
        header,
        joiner,
        cut: Cut::of(&settings),
        bound: codec.coded_bound(&settings),
        counts,
        progress: options.progress.clone(),
        unfinished: Unfinished {
            at_start: codec.unfinished(&options.layout, false),
            later: codec.unfinished(&options.layout, true),
        },
    };
    Ok(Summary { format: Some(options.format), ..chunked.run(input, output, sums)? })
}

/// What a compression takes, as it is known before the compression begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompressionNeeds {
    /// The number of workers. It is less than [`Options::threads`] if [`Options::memory`] allows no more.
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

/// Compresses all bytes of `plain`. The output is that of [`compress`].
///
/// Data that fits into one frame is compressed on the thread of the caller, because to start threads would take longer.
///
/// ```
/// let options = pzcomp::Options::default();
/// let coded = pzcomp::compress_to_vec(b"three in the morning", &options)?;
/// assert_eq!(pzcomp::decompress_to_vec(&coded, &options)?, b"three in the morning");
/// # Ok::<(), pzcomp::Error>(())
/// ```
pub fn compress_to_vec(plain: &[u8], options: &Options) -> Result<Vec<u8>> {
    let mut coded = Vec::new();
    if let Some(progress) = &options.progress
        && progress.is_cancelled()
    {
        return Err(Error::Cancelled);
    }
    match compress_inline(plain, options, &mut coded)? {
        Some(()) => {
            if let Some(progress) = &options.progress {
                progress.add_in(plain.len() as u64);
                progress.add_out(coded.len() as u64);
            }
        }
        None => {
            coded.clear();
            compress_io(Input::Memory(plain), Output::Writer(Box::new(&mut coded)), options)?;
        }
    }
    Ok(coded)
}

/// Compresses on this thread, if the data is short. Nothing if it is not, or if something failed.
fn compress_inline(plain: &[u8], options: &Options, coded: &mut Vec<u8>) -> Result<Option<()>> {
    let settings = options.settings()?;
    let codec = options.format.writing()?;
    if settings.is_serial || plain.len() > settings.chunk_len {
        return Ok(None);
    }
    Counts::within(options, &settings)?;
    let (header, joiner) = codec.framing(&settings);
    let cut = Cut::of(&settings);
    // Room for this data, which may be far less than for the longest chunk.
    let bound = codec.coded_bound(&Settings { chunk_len: plain.len().max(1), ..settings.clone() });
    let coder = ChunkCoder { encoder: codec.encoder(&settings)?, chunk_len: plain.len(), bound, sums: None };
    let input = Input::Memory(plain);
    let plan = Plan {
        coders: vec![Box::new(coder)],
        place: input.random_access().map(|(place, _)| place),
        sink: Sink::Nothing,
        joiner,
        header,
        guesses: false,
        slots: INLINE_SLOTS,
        piece_len: bound,
        slabs: Buffers::new(0, 0),
        pieces: Buffers::new(2 * bound, bound),
        progress: None,
        unfinished: Unfinished::default(),
    };
    Ok(pipeline::run_inline(plan, &mut Splitter::new(input, cut), coded).and_then(Result::ok).map(drop))
}

/// The check of options that are written with.
impl OptionsBuilder {
    /// The options, after they were checked as for [`compress`].
    ///
    /// It is an error if pzcomp does not write the format, if the format does not have an option or a level, if options
    /// contradict each other, or if the memory allowed is too little. What only decompression uses is always valid.
    ///
    /// ```
    /// use pzcomp::{Error, Format, Options};
    ///
    /// let options = Options::builder().format(Format::Xz).level(9).extreme(true).build()?;
    /// assert!(options.extreme);
    ///
    /// let wrong = Options::builder().format(Format::Bzip2).window_log(27).build();
    /// assert!(matches!(wrong, Err(Error::Unavailable { format: "bzip2", .. })));
    /// let unwritten = Options::builder().format(Format::Lzw).build();
    /// assert!(matches!(unwritten, Err(Error::NotWritten { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn build(self) -> Result<Options> {
        let options = self.0;
        let settings = options.settings()?;
        Counts::within(&options, &settings)?;
        if !settings.zstd.parameters.is_empty() {
            // Only libzstd knows whether it accepts the parameters. An encoder has no tables before it is used.
            options.format.writing()?.encoder(&settings)?;
        }
        Ok(options)
    }
}

/// The memory that options need, for callers who choose options by it.
impl Options {
    /// What compression with these options takes. It is an error if the options are wrong, or if they allow too little
    /// memory.
    ///
    /// ```
    /// let options = pzcomp::Options::builder().window_log(27).threads(2).build()?;
    /// let needs = options.compression_needs()?;
    /// assert_eq!((needs.workers, needs.frame_len), (2, 128 << 20));
    /// # Ok::<(), pzcomp::Error>(())
    /// ```
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
        let (chunk, frame) = (settings.chunk_len as u64, codec.coded_bound(&settings) as u64);
        Ok(Counts::with(workers, 0).memory(codec.encoder_memory(&settings), chunk, frame))
    }

    /// The memory in bytes of one encoder without buffers.
    pub fn encoder_memory(&self) -> Result<u64> {
        Ok(self.format.writing()?.encoder_memory(&self.settings()?))
    }

    /// The memory in bytes that a decoder of xz needs for the output of these options, without buffers. It is 0 for
    /// other formats.
    pub fn decoder_memory(&self) -> Result<u64> {
        Ok(self.format.writing()?.decoder_memory(&self.settings()?))
    }
}

/// A stream that is cut into chunks: everything that depends on the format.
pub(crate) struct Chunked {
    pub(crate) encoders: Encoders,
    /// The bytes at the start of the output.
    pub(crate) header: Vec<u8>,
    pub(crate) joiner: Box<dyn Joiner>,
    pub(crate) cut: Cut,
    /// The greatest length of a frame.
    pub(crate) bound: usize,
    pub(crate) counts: Counts,
    pub(crate) progress: Option<Progress>,
    pub(crate) unfinished: Unfinished,
}

impl Chunked {
    /// Codes the input to its end. The caller fills in the format.
    pub(crate) fn run(self, input: Input, output: Output, sums: Option<&Arc<PlainSums>>) -> Result<Summary> {
        let Self { encoders, header, joiner, cut, bound, counts, progress, unfinished } = self;
        let chunk_len = cut.longest;
        let plan = Plan {
            coders: encoders.coders(chunk_len, bound, sums),
            place: input.random_access().map(|(place, _)| place),
            sink: output.into(),
            joiner,
            header,
            guesses: false,
            slots: 2 * (counts.workers + counts.chunks),
            piece_len: bound,
            slabs: Buffers::new(counts.chunks * chunk_len, 0),
            pieces: Buffers::new(counts.frames * bound, bound),
            progress,
            unfinished,
        };
        let started = Instant::now();
        let outcome = pipeline::run(plan, &mut Splitter::new(input, cut))?;
        Ok(Summary {
            format: None,
            plain_len: outcome.total.plain_len,
            coded_len: outcome.written,
            frames: outcome.total.frames,
            threads: outcome.threads,
            wall: started.elapsed(),
            cpu: outcome.cpu,
            trailing: Trailing::default(),
            remarks: Vec::new(),
            sidecar: outcome.sidecar,
            unverified: false,
        })
    }
}

/// The numbers of workers and buffers of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    workers: usize,
    /// Buffers for chunks: one for each worker, one that is being read, and some that wait.
    chunks: usize,
    /// Buffers for frames: one for each worker, and some that are written or wait for the frames before them.
    frames: usize,
}

impl Counts {
    /// The numbers for so many workers, with `spare` waiting buffers of both kinds.
    fn with(workers: usize, spare: usize) -> Self {
        Self { workers, chunks: workers + 1 + spare, frames: workers + 1 + spare }
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
    fn needed(&self, options: &Options, settings: &Settings) -> Result<u64> {
        let codec = options.format.writing()?;
        let (chunk, frame) = (settings.chunk_len as u64, codec.coded_bound(settings) as u64);
        let dictionary = settings.zstd.dictionary.as_ref().map_or(0, Dictionary::memory);
        Ok(self.memory(codec.encoder_memory(settings), chunk, frame) + dictionary)
    }

    /// The greatest numbers that fit into the memory that the options allow.
    fn within(options: &Options, settings: &Settings) -> Result<Self> {
        let ample = |workers| Self::ample(workers, settings.chunk_len);
        let most = if settings.is_serial { 1 } else { options.worker_count() };
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
        Err(Error::Memory {
            what: format!("{format} level {level} with blocks of {blocks}"),
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
            let options = Options { threads: 16, memory_aim, level: Some(9), ..Options::default() };
            options.compression_needs().unwrap()
        };
        assert_eq!((needs(None).workers, needs(Some(1 << 40)).workers), (16, 16));
        let fewer = needs(Some(512 << 20));
        assert!((1..16).contains(&fewer.workers) && fewer.memory <= 512 << 20, "{fewer:?}");
        assert_eq!(needs(Some(0)).workers, 1);
        let both = Options { memory: Some(1 << 20), memory_aim: Some(1 << 40), ..Options::default() };
        assert!(matches!(both.compression_needs(), Err(Error::Memory { .. })));
    }
}
