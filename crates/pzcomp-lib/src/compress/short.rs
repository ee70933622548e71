//! Short data on the thread of the caller: to start a thread takes longer than to compress some KiB.
//!
//! [`begin`] reads the first bytes of a reader, and finds out whether there are more. [`compress`] has a [`Compressor`]
//! code data that is short for its format, and makes the summary. `compress` and `compress_stream` call them. The
//! output is that of the pipeline.

use std::io::{self, Cursor, ErrorKind, Read};
use std::time::Instant;

use super::compressor::{Compressor, Done};
use crate::error::{Error, Result};
use crate::options::{Encode, Settings};
use crate::summary::Summary;
use crate::tar_list::Scan;
use engine::thread_cpu;

/// A reader with more bytes than this goes through the pipeline.
const READ_MAX: usize = 64 << 10;

/// A frame of more plain bytes than this, which one encoder codes, goes through the pipeline. libzstd codes frames of
/// up to 512 KiB without its threads, so the output is the same.
const SERIAL_MAX: usize = 256 << 10;

/// What one thread compresses is only then not short if it takes much memory.
const ALONE_MAX: usize = 4 << 20;

/// What a reader has.
pub(super) enum Begun<R> {
    /// All of it.
    Short(Vec<u8>),
    /// More.
    Long(Resumed<R>),
}

/// A reader whose first bytes were read before.
pub(super) struct Resumed<R> {
    first: Cursor<Vec<u8>>,
    /// The error behind the first bytes.
    error: Option<io::Error>,
    rest: R,
}

impl<R: Read> Read for Resumed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.first.read(buffer)?;
        if len > 0 || buffer.is_empty() {
            return Ok(len);
        }
        // A vector that is not needed any more.
        self.first = Cursor::default();
        self.error.take().map_or_else(|| self.rest.read(buffer), Err)
    }
}

/// Reads until it is known whether the reader has little. Chunks that depend on when the input comes are not short, and
/// neither is a stream whose progress a caller watches: the pipeline measures for what it waits.
pub(super) fn begin<R: Read>(mut reader: R, options: &Encode) -> Result<Begun<R>> {
    let is_timed =
        options.flush_interval.is_some() || options.adapt.is_some() || options.store_len().is_some();
    let is_long = is_timed || options.progress.is_some();
    let most = if is_long { 0 } else { READ_MAX.min(options.settings()?.chunk_len) };
    let mut first = Vec::new();
    let mut error = None;
    while first.len() < most && error.is_none() {
        let start = first.len();
        first.resize((start + 4096).min(most), 0);
        let read = reader.read(&mut first[start..]);
        first.truncate(start + *read.as_ref().unwrap_or(&0));
        match read {
            Ok(0) => return Ok(Begun::Short(first)),
            Ok(_) => {}
            Err(interruption) if interruption.kind() == ErrorKind::Interrupted => {}
            Err(failure) => error = Some(failure),
        }
    }
    Ok(Begun::Long(Resumed { first: Cursor::new(first), error, rest: reader }))
}

/// Compresses data that is short. Nothing if it is too long.
pub(super) fn compress(plain: &[u8], coded: &mut Vec<u8>, options: &Encode) -> Result<Option<Summary>> {
    let (started, cpu) = (Instant::now(), thread_cpu());
    let settings = options.settings()?;
    let is_longer = plain.len() > if settings.is_serial { SERIAL_MAX } else { settings.chunk_len };
    let most = match settings.is_serial {
        _ if options.threads == 1 => ALONE_MAX,
        true => SERIAL_MAX.min(settings.chunk_len - 1),
        false => settings.chunk_len,
    };
    if plain.len() > most || options.adapt.is_some() || options.recovery.is_some() {
        return Ok(None);
    }
    // The pipeline makes the list of an archive, and finds out what is wrong with it.
    if options.tar.is_demanded() || options.tar.is_wanted() && Scan::begins_tar(plain) {
        return Ok(None);
    }
    if let Some(progress) = &options.progress {
        if progress.is_cancelled() {
            return Err(Error::Cancelled);
        }
        progress.add_in(plain.len() as u64);
    }
    // A long frame of libzstd is another one without its threads.
    let threads = settings.threads.filter(|_| is_longer);
    let mut compressor = Compressor::with_settings(options, Settings { threads, ..settings })?;
    let Done { total, sidecar } = compressor.compress_frames(plain, coded, &mut |_| {})?;
    if let Some(progress) = &options.progress {
        progress.add_done(plain.len() as u64);
        progress.add_out(coded.len() as u64);
    }
    let mut summary = Summary {
        format: Some(options.format),
        plain_len: total.plain_len,
        coded_len: coded.len() as u64,
        frames: total.frames,
        threads: 1,
        wall: started.elapsed(),
        sidecar,
        ..Summary::default()
    };
    summary.cpu.workers = thread_cpu().saturating_sub(cpu);
    Ok(Some(summary))
}
