//! Makes compression fit the memory limits of xz.
//!
//! [`fit`] takes the options and the limit of `-M`, and changes the options in the order in which xz does: fewer
//! threads, then one thread and a single Block, then a shorter dictionary. The last two steps change the output, so
//! `--no-adjust` fails instead. [`limit_default_threads`] applies the limit that xz has without `-M`. `Args::request`
//! calls both.

use crate::request::Options;
use pzcomp::{Error, Layout, XzFilter, XzLzma};

const MIB: u64 = 1 << 20;

/// Why compression cannot meet the limit.
pub(super) enum FitError {
    /// The number of bytes that are needed at least.
    LimitTooLow(u64),
    /// The library refuses the options.
    Options(Error),
}

impl From<Error> for FitError {
    fn from(error: Error) -> Self {
        Self::Options(error)
    }
}

/// Changes the options so that compression needs at most `limit` bytes. Returns the notes of xz about each change.
pub(super) fn fit(options: &mut Options, limit: u64, adjust: bool) -> Result<Vec<String>, FitError> {
    let (mut notes, shown) = (Vec::new(), limit.div_ceil(MIB));
    if options.layout == Layout::Frames {
        let asked = options.worker_count();
        if let Some(threads) = most_threads(options, asked, limit)? {
            if threads < asked {
                notes.push(format!(
                    "Reduced the number of threads from {asked} to {threads} to not exceed the memory usage limit of \
                     {shown} MiB"
                ));
            }
            (options.threads, options.memory) = (threads, Some(limit));
            return Ok(notes);
        }
        let is_single = options.threads == 1;
        if !adjust && !is_single {
            return Err(FitError::LimitTooLow(options.encode()?.compression_memory(1)?));
        }
        if !is_single {
            notes.push(format!(
                "Switching to single-threaded mode to not exceed the memory usage limit of {shown} MiB"
            ));
        }
        options.layout = Layout::Single(pzcomp::Member::default());
        options.block_size = None;
    }
    let needed = options.encode()?.encoder_memory()?;
    if needed <= limit {
        return Ok(notes);
    }
    if !adjust {
        return Err(FitError::LimitTooLow(needed));
    }
    notes.push(shorten_dictionary(options, limit)?);
    Ok(notes)
}

/// The largest number of threads that meets the limit. Returns `None` if one thread does not.
fn most_threads(options: &Options, asked: usize, limit: u64) -> Result<Option<usize>, Error> {
    for threads in (1..=asked).rev() {
        if options.encode()?.compression_memory(threads)? <= limit {
            return Ok(Some(threads));
        }
    }
    Ok(None)
}

/// Limits the default number of threads to what fits into a quarter of the memory of the machine, as `xz -T0` does.
/// At least one thread is used.
pub(super) fn limit_default_threads(options: &mut Options, total: Option<u64>) -> Result<(), Error> {
    if let Some(total) = total.filter(|_| options.threads == 0 && options.layout == Layout::Frames) {
        options.threads = most_threads(options, options.worker_count(), total / 4)?.unwrap_or(1);
    }
    Ok(())
}

/// Shortens the dictionary to the largest number of whole MiB that meets the limit. Returns the note of xz.
fn shorten_dictionary(options: &mut Options, limit: u64) -> Result<String, FitError> {
    let filters = chain(options);
    let Some((XzFilter::Lzma(lzma), before)) = filters.split_last() else {
        return Err(FitError::LimitTooLow(options.encode()?.encoder_memory()?));
    };
    let from = lzma.dict_len;
    let mut dict_len = from & !(MIB as u32 - 1);
    loop {
        if dict_len < MIB as u32 {
            return Err(FitError::LimitTooLow(options.encode()?.encoder_memory()?));
        }
        let lzma = lzma.with_dict_len(dict_len);
        options.xz.filters = [before, &[XzFilter::Lzma(lzma)]].concat();
        if options.encode()?.encoder_memory()? <= limit {
            break;
        }
        dict_len -= MIB as u32;
    }
    let number = if options.layout == Layout::Alone { 1 } else { 2 };
    Ok(format!(
        "Adjusted LZMA{number} dictionary size from {} MiB to {} MiB to not exceed the memory usage limit of {} MiB",
        u64::from(from).div_ceil(MIB),
        dict_len >> 20,
        limit.div_ceil(MIB)
    ))
}

/// The filters that are used.
pub(super) fn chain(options: &Options) -> Vec<XzFilter> {
    if !options.xz.filters.is_empty() {
        return options.xz.filters.clone();
    }
    let level = options.level.unwrap_or(options.format.default_level());
    let preset = u32::try_from(level).ok().and_then(|level| XzLzma::preset(level, options.extreme));
    preset.map(XzFilter::Lzma).into_iter().collect()
}

/// The sentence of xz about the memory that is needed and the limit.
pub(super) fn needed(needed: u64, limit: Option<u64>) -> String {
    let needed = needed.div_ceil(MIB);
    match limit {
        None => format!("{needed} MiB of memory is required. The limiter is disabled."),
        Some(limit) if limit < MIB => {
            format!("{needed} MiB of memory is required. The limit is {limit} B.")
        }
        Some(limit) => {
            format!("{needed} MiB of memory is required. The limit is {} MiB.", limit.div_ceil(MIB))
        }
    }
}
