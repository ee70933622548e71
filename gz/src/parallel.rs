//! The parallel work: a reader and a writer of pzcomp, on the pool that all files of the process share.
//!
//! Few files have them at the same time, because each takes memory; the others are coded inline. The threads do not
//! exist in a forked child. So each object remembers its process, and a child leaves those of its parent alone.

use std::io::{self, BufRead, Read, Write};
use std::mem::ManuallyDrop;
use std::os::fd::OwnedFd;
use std::process;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use pzcomp::{BackgroundReader, Decode, Encode, Format, Pool, Reader, Strategy, Unknown, Writer};

use crate::fault::Fault;
use crate::settings::settings;
use crate::zlib::{DEFAULT_LEVEL, DEFAULT_STRATEGY, FILTERED, HUFFMAN_ONLY, RLE};

/// How many files are parallel at the same time.
const FILES_MAX: usize = 16;

/// The pool of this process.
fn pool() -> Option<Pool> {
    static POOL: Mutex<Option<(u32, Pool)>> = Mutex::new(None);
    // A child can be forked while another thread holds the lock. It must not wait then.
    let mut kept = POOL.try_lock().ok()?;
    let own = process::id();
    if let Some((process, pool)) = &*kept
        && *process == own
    {
        return Some(pool.clone());
    }
    let pool = Pool::new(settings().threads).ok()?;
    // The pool of the parent stays as it is.
    std::mem::forget(kept.replace((own, pool.clone())));
    Some(pool)
}

/// The right of a file to be parallel.
struct Turn;

static TURNS: AtomicUsize = AtomicUsize::new(0);

impl Turn {
    fn take() -> Option<Self> {
        let taken = TURNS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| {
            (taken < FILES_MAX).then_some(taken + 1)
        });
        // A refused turn is not made, because its end would give back a turn of another file.
        match taken {
            Ok(_) => Some(Self),
            Err(_) => None,
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        TURNS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A value that only its process uses. In a forked child it is not dropped.
struct Own<T> {
    process: u32,
    value: ManuallyDrop<T>,
}

impl<T> Own<T> {
    fn new(value: T) -> Self {
        Self { process: process::id(), value: ManuallyDrop::new(value) }
    }

    fn get(&mut self) -> Option<&mut T> {
        (self.process == process::id()).then_some(&mut *self.value)
    }
}

impl<T> Drop for Own<T> {
    fn drop(&mut self) {
        if self.process == process::id() {
            // SAFETY: the value is not used again.
            unsafe { ManuallyDrop::drop(&mut self.value) };
        }
    }
}

/// The coded input.
pub(crate) struct Input {
    /// What was read before.
    pub(crate) head: Vec<u8>,
    pub(crate) file: OwnedFd,
    /// The offset of a regular file, whose own offset is not moved. Otherwise the file is read in order.
    pub(crate) offset: Option<u64>,
}

struct Source {
    input: Input,
    done: usize,
    read: Arc<AtomicU64>,
}

impl Read for Source {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let head = &self.input.head[self.done..];
        if !head.is_empty() {
            let len = head.len().min(room.len());
            room[..len].copy_from_slice(&head[..len]);
            self.done += len;
            return Ok(len);
        }
        self.input.head = Vec::new();
        self.done = 0;
        let len = match &mut self.input.offset {
            Some(offset) => {
                let len = rustix::io::pread(&self.input.file, room, *offset)?;
                *offset += len as u64;
                len
            }
            None => rustix::io::read(&self.input.file, room)?,
        };
        self.read.fetch_add(len as u64, Ordering::Relaxed);
        Ok(len)
    }
}

/// Decodes on all cores.
pub(crate) struct Decoding {
    reader: Own<Box<dyn BufRead + Send>>,
    /// Where the data begins in a regular file.
    pub(crate) from: Option<u64>,
    pub(crate) is_gzip: bool,
    /// Bytes that were read from the file.
    read: Arc<AtomicU64>,
    /// Bytes that were given out before this began.
    skip: u64,
    /// Bytes that were given out, with those before.
    pub(crate) taken: u64,
    _turn: Turn,
}

/// Why there is no more output.
pub(crate) enum Stop {
    /// This process is a child of the one that began.
    Forked,
    Fault(Fault),
}

impl Decoding {
    /// Begins, and drops the first `skip` bytes of output.
    pub(crate) fn begin(input: Input, formats: &[Format], skip: u64) -> Option<Self> {
        let turn = Turn::take()?;
        let pool = pool()?;
        let options = Decode::builder().accept(formats).unknown(Unknown::Ignore).build().ok()?;
        let (from, read) = (input.offset, Arc::new(AtomicU64::new(0)));
        let source = Source { input, done: 0, read: Arc::clone(&read) };
        // A thread that reads ahead would hold the end of a pipe that the caller closes.
        let reader: Box<dyn BufRead + Send> = match from {
            Some(_) => Box::new(BackgroundReader::with_pool(source, options, &pool).ok()?),
            None => Box::new(Reader::with_pool(source, options, &pool).ok()?),
        };
        let is_gzip = formats == [Format::Gzip];
        Some(Self { reader: Own::new(reader), from, is_gzip, read, skip, taken: skip, _turn: turn })
    }

    /// The output at hand. It is empty at the end.
    pub(crate) fn chunk(&mut self) -> Result<&[u8], Stop> {
        let reader = self.reader.get().ok_or(Stop::Forked)?;
        while self.skip > 0 {
            let len = reader.fill_buf().map_err(|error| Stop::Fault(error.into()))?.len();
            if len == 0 {
                break;
            }
            let dropped = usize::try_from(self.skip).map_or(len, |skip| len.min(skip));
            reader.consume(dropped);
            self.skip -= dropped as u64;
        }
        reader.fill_buf().map_err(|error| Stop::Fault(error.into()))
    }

    pub(crate) fn consume(&mut self, len: usize) {
        if let Some(reader) = self.reader.get() {
            reader.consume(len);
            self.taken += len as u64;
        }
    }

    /// The offset in the file up to which it was read.
    pub(crate) fn offset(&self) -> Option<u64> {
        Some(self.from? + self.read.load(Ordering::Relaxed))
    }
}

struct Sink(OwnedFd);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(&self.0, bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Codes one gzip member on all cores.
pub(crate) struct Encoding {
    writer: Own<Option<Writer<Sink>>>,
    _turn: Turn,
}

/// The options of the member, if the parallel encoder has these parameters.
fn options(level: i32, strategy: i32) -> Option<Encode> {
    let level = match level {
        DEFAULT_LEVEL => 6,
        0..=9 => level,
        _ => return None,
    };
    let strategy = match strategy {
        DEFAULT_STRATEGY | FILTERED => Strategy::Usual,
        HUFFMAN_ONLY => Strategy::Huffman,
        RLE => Strategy::Runs,
        _ => return None,
    };
    Encode::gzip(level).single().strategy(strategy).index(false).build().ok()
}

impl Encoding {
    /// Whether [`Self::begin`] can succeed.
    pub(crate) fn is_possible(level: i32, strategy: i32) -> bool {
        options(level, strategy).is_some() && TURNS.load(Ordering::Relaxed) < FILES_MAX
    }

    pub(crate) fn begin(file: OwnedFd, level: i32, strategy: i32) -> Option<Self> {
        let options = options(level, strategy)?;
        let turn = Turn::take()?;
        let writer = Writer::with_pool(Sink(file), options, &pool()?).ok()?;
        Some(Self { writer: Own::new(Some(writer)), _turn: turn })
    }

    fn writer(&mut self) -> Result<&mut Writer<Sink>, Fault> {
        let forked = "the file is being written by the parent of this process";
        let writer = self.writer.get().and_then(Option::as_mut);
        writer.ok_or_else(|| Fault::new(crate::zlib::STREAM_ERROR, forked))
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        Ok(self.writer()?.write_all(bytes)?)
    }

    pub(crate) fn flush(&mut self) -> Result<(), Fault> {
        Ok(self.writer()?.flush()?)
    }

    /// Ends the member.
    pub(crate) fn finish(&mut self) -> Result<(), Fault> {
        self.writer()?.try_finish()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_gets_no_turn_takes_none_from_the_others() {
        for _ in 0..3 {
            let turns: Vec<Turn> = std::iter::from_fn(Turn::take).take(FILES_MAX + 1).collect();
            assert_eq!(turns.len(), FILES_MAX);
            assert!(Turn::take().is_none() && Turn::take().is_none());
        }
        assert_eq!(TURNS.load(Ordering::Relaxed), 0);
    }
}
