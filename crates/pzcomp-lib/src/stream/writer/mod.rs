//! [`Writer`]: compresses the bytes that are written to it, and writes the output to an inner writer.
//!
//! It runs on a `Compression` (`compress/driven.rs`). This file has what the caller calls, and `inner.rs` the calls of
//! the inner writer. That is used only inside the calls of the caller. A stream that is not finished gets an end that
//! every reader refuses.

mod inner;

use std::fmt;
use std::io::{self, Write};

use super::Pool;
use super::failure::Failure;
use crate::compress::Compression;
use crate::error::Result;
use crate::options::Encode;
use crate::summary::Summary;
use engine::Wait;
use engine::io::is_pause;
use inner::Pending;

/// Compresses all bytes that are written to it, and writes the output to an inner writer.
///
/// The stream is complete after [`Writer::finish`]. A writer that is dropped before, or given up with
/// [`Writer::abort`], leaves an output that every reader refuses as incomplete, also if nothing was written to it.
///
/// Threads compress in the background. The inner writer is used only inside calls of the methods here, so it may be
/// borrowed.
///
/// ```
/// use std::io::Write;
/// let options = pzcomp::Encode::gzip(6).build()?;
/// let mut writer = pzcomp::Writer::new(Vec::new(), options)?;
/// write!(writer, "id\tlat\tlon\n")?;
/// let (coded, summary) = writer.finish()?;
/// assert_eq!((&coded[..2], summary.plain_len), (&[0x1f, 0x8b][..], 11));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Logs
/// A program that flushes after each record writes one frame ([`EncodeBuilder::single`](crate::EncodeBuilder::single)).
/// A flush then ends a block, and later records refer to earlier ones. In separate frames short records would be longer
/// than they are plain.
///
/// A single frame that a crash has cut cannot be continued. In separate frames, the crash costs the last frame only,
/// and another writer appends behind the others. So a log that must be continued has separate frames, and is flushed
/// for many records at once:
///
/// ```
/// use std::fs::File;
/// use std::io::{Seek, SeekFrom};
/// use pzcomp::{Decode, Decompress, Encode, Error, Input, Output, Writer};
///
/// /// A writer behind the last whole frame of a log.
/// fn continued(mut log: File) -> Result<Writer<File>, Box<dyn std::error::Error>> {
///     match Decompress::new(&Decode::default()).run(Input::whole_file(&log)?, Output::Nothing) {
///         Err(Error::Truncated { frame, .. }) => log.set_len(frame)?,
///         Ok(_) | Err(Error::Empty) => {}
///         Err(error) => return Err(error.into()),
///     }
///     log.seek(SeekFrom::End(0))?;
///     Ok(Writer::new(log, Encode::default())?)
/// }
/// # use std::io::Write;
/// # let log = tempfile::tempfile()?;
/// # Writer::new(&log, Encode::default())?.write_all(b"lost")?;
/// # let mut again = continued(log.try_clone()?)?;
/// # again.write_all(b"three in the morning")?;
/// # again.finish()?;
/// # let mut plain = Vec::new();
/// # Decompress::new(&Decode::default()).run(Input::whole_file(&log)?, &mut plain)?;
/// # assert_eq!(plain, b"three in the morning");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// One frame for all records:
///
/// ```
/// use std::io::Write;
/// use pzcomp::{Encode, Writer};
///
/// let mut log = Writer::new(Vec::new(), Encode::zstd(3).single().threads(1).build()?)?;
/// for line in 0..3 {
///     writeln!(log, "three in the morning, line {line}")?;
///     log.flush()?;
/// }
/// let (coded, summary) = log.finish()?;
/// assert!((coded.len() as u64) < summary.plain_len);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Async programs
/// `write`, `flush` and `finish` may wait for the threads and for the inner writer. Call them where a task may block,
/// as in `spawn_blocking` of tokio, and share one [`Pool`] between all writers. Dropping a writer does not wait.
///
/// # Errors
/// After an error of the inner writer, every call returns this error again. The kinds [`io::ErrorKind::WouldBlock`] and
/// [`io::ErrorKind::TimedOut`] are passed on, and the call can be repeated. A write that fails so has taken nothing.
#[must_use = "a Writer that is dropped without `finish` leaves an incomplete output"]
pub struct Writer<W: Write> {
    /// Absent after [`Self::finish`] or [`Self::abort`] has taken it.
    inner: Option<W>,
    compression: Compression,
    pending: Pending,
    /// Output is perhaps ready.
    is_ready: bool,
    state: State,
    failed: Option<Failure>,
    /// The inner writer is being called, or has panicked.
    is_calling: bool,
    /// The threads, if no other stream uses them.
    _pool: Pool,
}

/// Why the inner writer is there in every call.
const TAKEN: &str = "only finish and abort take the inner writer, and they consume the Writer";

enum State {
    Open,
    /// Everything but the trailer was written. It stands in [`Pending::edge`].
    Ending(Summary),
    Finished(Summary),
}

impl<W: Write> Writer<W> {
    /// A writer whose output goes to `inner`. It has threads of its own; if the system starts none, the calling thread
    /// compresses. It is an error if the options do not fit the format.
    pub fn new(inner: W, options: Encode) -> Result<Self> {
        // The options are checked first, because that is cheaper.
        options.settings()?;
        let pool = Pool::of(&options);
        Self::start(inner, options, &pool)
    }

    /// A writer that uses the threads of a pool. The number of threads in the options is ignored. libzstd codes a
    /// single frame of zstd on one more thread, which is not of the pool.
    pub fn with_pool(inner: W, options: Encode, pool: &Pool) -> Result<Self> {
        Self::start(inner, Encode { threads: 1, ..options }, pool)
    }

    fn start(inner: W, options: Encode, pool: &Pool) -> Result<Self> {
        options.refuse_recovery()?;
        let (compression, header) = Compression::new(&options, pool.crew(), None)?;
        Ok(Self {
            inner: Some(inner),
            compression,
            pending: Pending { edge: header, ..Pending::default() },
            is_ready: false,
            state: State::Open,
            failed: None,
            is_calling: false,
            _pool: pool.clone(),
        })
    }

    /// Ends the stream. Returns the inner writer and the summary.
    ///
    /// If the inner writer does not block, use [`Self::try_finish`], which can be repeated.
    pub fn finish(mut self) -> io::Result<(W, Summary)> {
        let summary = self.try_finish()?;
        match self.inner.take() {
            Some(inner) => Ok((inner, summary)),
            None => unreachable!("{TAKEN}"),
        }
    }

    /// Ends the stream, and keeps the writer. Nothing can be written afterwards.
    pub fn try_finish(&mut self) -> io::Result<Summary> {
        self.check()?;
        if matches!(self.state, State::Open) {
            while !self.compression.end().map_err(|error| self.fail(error))? {
                self.advance(Wait::Room)?;
            }
            while self.advance(Wait::End)? {}
            let ending = self.compression.ending(self.pending.written);
            let (trailer, summary) = ending.map_err(|error| self.fail(error))?;
            self.pending.edge = trailer;
            self.state = State::Ending(summary);
        }
        if let State::Ending(summary) = &self.state {
            let summary = summary.clone();
            self.write_pending()?;
            self.call_inner(Write::flush)?;
            self.state = State::Finished(summary);
        }
        match &self.state {
            State::Finished(summary) => Ok(summary.clone()),
            State::Open | State::Ending(_) => Err(io::Error::other("the stream has not ended")),
        }
    }

    /// Gives the stream up, and returns the inner writer. Data that was not yet written is dropped. Readers refuse the
    /// output as incomplete.
    pub fn abort(mut self) -> W {
        self.leave_unfinished();
        match self.inner.take() {
            Some(inner) => inner,
            None => unreachable!("{TAKEN}"),
        }
    }

    /// The inner writer.
    pub fn get_ref(&self) -> &W {
        match &self.inner {
            Some(inner) => inner,
            None => unreachable!("{TAKEN}"),
        }
    }

    /// The inner writer. Writing to it corrupts the stream.
    pub fn get_mut(&mut self) -> &mut W {
        match &mut self.inner {
            Some(inner) => inner,
            None => unreachable!("{TAKEN}"),
        }
    }
}

impl<W: Write> Write for Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.check()?;
        if !matches!(self.state, State::Open) {
            return Err(io::Error::other("the stream was finished before"));
        }
        if self.compression.is_overdue() {
            // Nothing of `bytes` was taken, so an error leaves all of them to the caller.
            self.flush()?;
        }
        if std::mem::take(&mut self.is_ready) {
            loop {
                match self.advance(Wait::No) {
                    Ok(true) => {}
                    Ok(false) => break,
                    // There may be room for the bytes although the inner writer takes none.
                    Err(error) if is_pause(&error) => break,
                    Err(error) => return Err(error),
                }
            }
        }
        loop {
            let len = self.compression.push(bytes).map_err(|error| self.fail(error))?;
            if len > 0 || bytes.is_empty() {
                self.is_ready |= self.compression.is_cut();
                return Ok(len);
            }
            self.advance(Wait::Room)?;
        }
    }

    /// Makes everything that was written readable at the other end, and flushes the inner writer.
    ///
    /// The frame that is being filled ends here, or within a frame of the layout [`Single`](crate::Layout::Single): the
    /// block of DEFLATE and bzip2, the block of zstd and lz4, and the Block of xz. So many flushes make the output
    /// longer. A `.lzma` file cannot be read before its end, so this is an error there.
    fn flush(&mut self) -> io::Result<()> {
        self.check()?;
        if matches!(self.state, State::Open) {
            while !self.compression.flush().map_err(|error| self.fail(error))? {
                self.advance(Wait::Room)?;
            }
            while self.advance(Wait::Empty)? {}
        }
        self.write_pending()?;
        self.call_inner(Write::flush)
    }
}

impl<W: Write> Drop for Writer<W> {
    fn drop(&mut self) {
        self.leave_unfinished();
    }
}

impl<W: Write + fmt::Debug> fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("inner", &self.inner)
            .field("written", &self.pending.written)
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}
