//! [`Options`]: everything that the flags of all dialects say of a stream, for both directions.
//!
//! Dialects fill the fields one by one, in the order of the arguments. [`Options::encode`] and [`Options::decode`] make
//! the options of the library of them when a stream begins, and the library checks them.

use std::time::Duration;

use pzcomp::{
    Adapt, Check, Decode, Dictionary, Encode, EntryChoice, Format, Layout, Lz4Blocks, Progress, Recovery,
    Result, Strategy, Tar, Unknown, XzFilter, ZstdParameter,
};

/// What a command line says of its streams. The builders of the library describe the fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) format: Format,
    pub(crate) level: Option<i32>,
    pub(crate) threads: usize,
    pub(crate) memory: Option<u64>,
    pub(crate) memory_aim: Option<u64>,
    pub(crate) buffer: u64,
    pub(crate) drop_cache: bool,
    pub(crate) idle: bool,

    pub(crate) block_size: Option<usize>,
    pub(crate) no_index: bool,
    pub(crate) short_index: bool,
    pub(crate) recovery: Option<Recovery>,
    pub(crate) layout: Layout,
    pub(crate) check: Option<Check>,
    pub(crate) window_log: Option<u32>,
    pub(crate) plain_len: Option<u64>,
    pub(crate) extreme: bool,
    pub(crate) strategy: Strategy,
    pub(crate) rsyncable: bool,
    pub(crate) align_lines: bool,
    pub(crate) tar: Tar,
    pub(crate) adapt: Option<Adapt>,
    pub(crate) flush_interval: Option<Duration>,

    pub(crate) accept: Option<Vec<Format>>,
    pub(crate) unknown: Unknown,
    pub(crate) entry: EntryChoice,
    pub(crate) keep_cut_frames: bool,
    pub(crate) expect_end: bool,
    pub(crate) window_limit: Option<u64>,

    pub(crate) lz4: Lz4Blocks,
    pub(crate) lzip: LzipOptions,
    pub(crate) xz: XzOptions,
    pub(crate) zstd: ZstdOptions,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LzipOptions {
    pub(crate) loose_trailing: bool,
    pub(crate) only_version_1: bool,
}

/// Options of xz, and of lzip and `.lzma` where they have them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct XzOptions {
    pub(crate) filters: Vec<XzFilter>,
    pub(crate) decoder_memory: Option<u64>,
    pub(crate) one_format: bool,
    pub(crate) single_stream: bool,
    pub(crate) ignore_check: bool,
    pub(crate) unknown_check: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ZstdOptions {
    pub(crate) dictionary: Option<Dictionary>,
    pub(crate) hide_dictionary_id: bool,
    pub(crate) hide_content_size: bool,
    pub(crate) ignore_checksums: bool,
    pub(crate) parameters: Vec<(ZstdParameter, u32)>,
    pub(crate) fixed_parameters: bool,
}

fn with<B, T>(builder: B, value: Option<T>, set: impl FnOnce(B, T) -> B) -> B {
    match value {
        Some(value) => set(builder, value),
        None => builder,
    }
}

impl Options {
    /// The options for writing. An error says what the format does not have.
    pub(crate) fn encode(&self) -> Result<Encode> {
        let mut options = Encode::builder(self.format)
            .threads(self.threads)
            .buffer(self.buffer)
            .drop_cache(self.drop_cache)
            .idle(self.idle)
            .index(!self.no_index)
            .short_index(self.short_index)
            .layout(self.layout.clone())
            .extreme(self.extreme)
            .strategy(self.strategy)
            .rsyncable(self.rsyncable)
            .align_lines(self.align_lines)
            .tar(self.tar)
            .lz4_blocks(self.lz4)
            .filters(self.xz.filters.clone())
            .hide_dictionary_id(self.zstd.hide_dictionary_id)
            .hide_content_size(self.zstd.hide_content_size)
            .parameters(self.zstd.parameters.clone())
            .fixed_parameters(self.zstd.fixed_parameters);
        options = with(options, self.level, |options, level| options.level(level));
        options = with(options, self.recovery, |options, recovery| options.recovery(recovery));
        options = with(options, self.memory, |options, bytes| options.memory(bytes));
        options = with(options, self.memory_aim, |options, bytes| options.memory_aim(bytes));
        options = with(options, self.block_size, |options, len| options.block_size(len));
        options = with(options, self.check, |options, check| options.check(check));
        options = with(options, self.window_log, |options, log| options.window_log(log));
        options = with(options, self.plain_len, |options, len| options.plain_len(len));
        options = with(options, self.adapt, |options, adapt| options.adapt(adapt));
        options = with(options, self.flush_interval, |options, interval| options.flush_interval(interval));
        with(options, self.zstd.dictionary.clone(), |options, dictionary| options.dictionary(dictionary))
            .build()
    }

    /// The options for reading.
    pub(crate) fn decode(&self) -> Result<Decode> {
        self.decode_with(false, None)
    }

    /// The same for an output with holes, and with this progress.
    pub(crate) fn decode_with(&self, sparse: bool, progress: Option<&Progress>) -> Result<Decode> {
        let mut options = Decode::builder()
            .threads(self.threads)
            .buffer(self.buffer)
            .drop_cache(self.drop_cache)
            .idle(self.idle)
            .sparse(sparse)
            .unknown(self.unknown)
            .keep_cut_frames(self.keep_cut_frames)
            .expect_end(self.expect_end)
            .entry(self.entry.clone())
            .zstd_ignore_checksums(self.zstd.ignore_checksums)
            .xz_one_format(self.xz.one_format)
            .xz_single_stream(self.xz.single_stream)
            .xz_ignore_check(self.xz.ignore_check)
            .xz_unknown_check(self.xz.unknown_check)
            .lzip_loose_trailing(self.lzip.loose_trailing)
            .lzip_only_version_1(self.lzip.only_version_1);
        options = with(options, self.accept.as_deref(), |options, formats| options.accept(formats));
        options = with(options, self.memory, |options, bytes| options.memory(bytes));
        options = with(options, self.memory_aim, |options, bytes| options.memory_aim(bytes));
        options = with(options, self.window_limit, |options, bytes| options.window_limit(bytes));
        options = with(options, self.xz.decoder_memory, |options, bytes| options.xz_decoder_memory(bytes));
        options = with(options, progress.cloned(), |options, progress| options.progress(progress));
        with(options, self.zstd.dictionary.clone(), |options, dictionary| options.dictionary(dictionary))
            .build()
    }

    /// The number of workers.
    pub(crate) fn worker_count(&self) -> usize {
        match self.threads {
            0 => Decode::default().worker_count(),
            threads => threads,
        }
    }
}
