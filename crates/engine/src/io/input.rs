//! [`Input`]: where the bytes of a stream come from.
//!
//! A caller gives an `Input` to the library. If all of it is there at once, as in a file or in memory, the workers read
//! it themselves through a [`RandomAccess`]. Otherwise the feeder reads it in order through an [`InputStream`].
//!
//! An input ends where a read shows no more bytes. The length of a file only says how far workers may be sent: to bytes
//! that were seen to be there. The last of them and what is behind them are read in order ([`Input::tail`]), and a file
//! that ends before them has become shorter, which is an error.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use system::facts::Facts;
use system::handle::{self, Handle};

use super::read_at::seen_end;
use super::store::Store;
use super::{RandomAccess, ReadAt};
use crate::error::{Error, Result};

/// If no input comes, the reader checks this often whether the output has failed.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// An eager reader waits this long for further bytes, so that they leave together.
const GATHER_TIME: Duration = Duration::from_millis(5);

/// Gets the bytes of an input in order, and `None` at its end. Says whether they count ([`Input::Checked`]).
pub type Watch<'a> = Box<dyn FnMut(Option<&[u8]>) -> std::io::Result<()> + 'a>;

/// Says whether an input is over although its descriptor has not ended ([`Input::Checked`]).
pub type IsOver<'a> = Box<dyn FnMut() -> bool + 'a>;

/// Where bytes come from.
///
/// Workers read regular files themselves, each at its own offset. Bytes in memory are not copied.
///
/// ```
/// use std::io::{Seek, Write};
/// # use pzcomp_engine::io as pzcomp;
/// use pzcomp::Input;
///
/// let mut file = tempfile::tempfile()?;
/// file.write_all(b"three in the morning")?;
/// file.rewind()?;
/// assert!(matches!(Input::from_file(&file)?, Input::File { start: 0, len: 20, .. }));
///
/// let pipe = std::io::repeat(0);
/// let _ = Input::Reader(Box::new(pipe));
/// # Ok::<(), std::io::Error>(())
/// ```
#[non_exhaustive]
pub enum Input<'a> {
    /// Any reader. The thread of the caller reads it in order.
    Reader(Box<dyn Read + 'a>),
    /// A descriptor that is read in order: a pipe, a socket or a terminal. On Windows it is a handle.
    Fd(Handle<'a>),
    /// A descriptor that is read in order, whose bytes and end count only if `watch` agrees. If it returns an error,
    /// reading fails with this error. So the exit status of a producer can be part of the stream: the output of a
    /// producer that has failed is never completed.
    Checked {
        /// The descriptor.
        fd: Handle<'a>,
        /// Called for the bytes of each read, and once with `None`, at the end of the input.
        watch: Watch<'a>,
        /// Asked again and again while no input comes. If it says so, the input ends there.
        is_over: Option<IsOver<'a>>,
    },
    /// A regular file, from `start` to its end.
    File {
        /// The file, open for reading.
        file: &'a File,
        /// Offset of the first byte to read.
        start: u64,
        /// How many bytes of the file are known to be there. If it has more when they are reached, these are input too.
        /// If it has fewer, it has become shorter, which is an error.
        len: u64,
    },
    /// All of the input, in memory.
    Memory(&'a [u8]),
    /// A source that is read at offsets, from `start` to `end`. Unlike with a file, no offset moves.
    At {
        /// The source.
        source: &'a dyn ReadAt,
        /// Offset of the first byte to read.
        start: u64,
        /// Offset of the end of the input. What the source has behind it is no input. It is an error if the source ends
        /// before.
        end: u64,
    },
}

impl<'a> Input<'a> {
    /// The fastest way to read this file from its current offset: at offsets if it is a regular file, and in order
    /// otherwise. An error of the system is returned.
    pub fn from_file(file: &'a File) -> std::io::Result<Self> {
        let facts = Facts::of(file)?;
        if facts.is_file() && facts.len() > 0 {
            let (start, len) = ((&*file).stream_position()?, seen_end(file, facts.len()));
            // Files of pseudo file systems state more than there is, or nothing, and are read in order.
            if len >= facts.len() {
                system::cache::will_be_read(file, start);
                return Ok(Self::File { file, start, len: len.max(start) });
            }
        }
        system::pipe::grow(handle::of(file));
        Ok(Self::Fd(handle::of(file)))
    }

    /// All bytes of a regular file, wherever its offset is. The offset does not move. An error of the system is
    /// returned.
    ///
    /// ```
    /// # use pzcomp_engine::io as pzcomp;
    /// use std::io::Write;
    /// let mut file = tempfile::tempfile()?;
    /// file.write_all(b"three in the morning")?;
    /// let input = pzcomp::Input::whole_file(&file)?;
    /// assert_eq!(input.random_access().map(|(_, range)| range), Some(0..20));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn whole_file(file: &'a File) -> std::io::Result<Self> {
        Ok(Self::At { source: file, start: 0, end: ReadAt::size(file)? })
    }

    /// A file that is read in order, and whose bytes and end count only if `watch` agrees ([`Self::Checked`]).
    pub fn checked(file: &'a File, watch: impl FnMut(Option<&[u8]>) -> std::io::Result<()> + 'a) -> Self {
        system::pipe::grow(handle::of(file));
        Self::Checked { fd: handle::of(file), watch: Box::new(watch), is_over: None }
    }

    /// The same, if it is [`Self::Checked`], but it also ends where `is_over` says so while no input comes. A producer
    /// that has failed may have left a process behind that keeps its output open.
    pub fn ended_if(self, is_over: impl FnMut() -> bool + 'a) -> Self {
        match self {
            Self::Checked { fd, watch, .. } => Self::Checked { fd, watch, is_over: Some(Box::new(is_over)) },
            input => input,
        }
    }

    /// The bytes that workers read themselves, and the range of them that is input. `None` if the input can only be
    /// read in order.
    #[doc(hidden)]
    pub fn random_access(&self) -> Option<(RandomAccess<'a>, Range<u64>)> {
        match *self {
            Self::File { file, start, len } => Some((RandomAccess::File(file), start..len.max(start))),
            Self::Memory(memory) => Some((RandomAccess::Memory(memory), 0..memory.len() as u64)),
            Self::At { source, start, end } => Some((RandomAccess::Source(source), start..end.max(start))),
            Self::Reader(_) | Self::Fd(_) | Self::Checked { .. } => None,
        }
    }

    /// The input that is read in order; `None` if workers read it themselves.
    #[doc(hidden)]
    pub fn into_stream(self) -> Option<InputStream<'a>> {
        let kind = match self {
            Self::Reader(reader) => StreamKind::Reader(reader),
            Self::Fd(fd) => StreamKind::Fd(fd),
            Self::Checked { fd, watch, is_over } => {
                let watch = Some(Watched { watch, is_over });
                return Some(InputStream { kind: StreamKind::Fd(fd), watch, error: None, read: None });
            }
            Self::File { .. } | Self::Memory(_) | Self::At { .. } => return None,
        };
        Some(InputStream { kind, watch: None, error: None, read: None })
    }

    /// The same input, to be read in order. Memory stays as it is.
    pub fn in_order(self) -> Self {
        match self {
            Self::File { file, start, len } => {
                Self::Reader(Box::new(ReadInOrder { source: file, at: start, end: len, file: Some(file) }))
            }
            Self::At { source, start, end } => {
                Self::Reader(Box::new(ReadInOrder { source, at: start, end, file: None }))
            }
            input => input,
        }
    }

    /// The bytes of a file from this offset on, in order, up to the end that a read shows. `None` of other inputs: they
    /// end where their range ends.
    ///
    /// Whoever reads the last bytes of a file in any other way does not know that they are the last ones.
    #[doc(hidden)]
    pub fn tail(&self, from: u64) -> Option<InputStream<'a>> {
        match *self {
            Self::File { file, len, .. } => Self::File { file, start: from, len }.in_order().into_stream(),
            _ => None,
        }
    }

    /// Sets the file offset behind the bytes that were read, as if they had been read in order.
    #[doc(hidden)]
    pub fn finish(&self, read: u64) {
        if let Self::File { file, start, .. } = self {
            // Only other users of the same open file could notice an error here. No data depends on it.
            let _ = (&**file).seek(SeekFrom::Start(start + read));
        }
    }
}

/// Reads a file or a source of the caller in order.
struct ReadInOrder<'a> {
    source: &'a dyn ReadAt,
    at: u64,
    end: u64,
    /// The file, if what is behind `end` is input too. Its offset is set behind the bytes when all are read.
    file: Option<&'a File>,
}

impl Read for ReadInOrder<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let room = if self.file.is_some() { buffer.len() } else { buffer.len().min(left) };
        let read = self.source.read_at(&mut buffer[..room], self.at)?.min(room);
        self.at += read as u64;
        if read == 0 && !buffer.is_empty() {
            if self.at < self.end {
                return Err(std::io::Error::other(Error::Shrank { expected: self.end, found: self.at }));
            }
            if let Some(mut file) = self.file {
                // Only other users of the same open file could notice an error here. No data depends on it.
                let _ = file.seek(SeekFrom::Start(self.at));
            }
        }
        Ok(read)
    }
}

/// The error of a read at this offset. The reader may have put an error of its own into that of the system.
fn unread(offset: u64, source: std::io::Error) -> Error {
    match source.downcast::<Error>() {
        Ok(shrank @ Error::Shrank { .. }) => shrank,
        Ok(error) => Error::Read { offset, source: error.into() },
        Err(source) => Error::Read { offset, source },
    }
}

/// What to do while no input comes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Wait for more.
    Wait,
    /// Return what has come, perhaps nothing.
    Yield,
    /// The stream was stopped.
    Stop,
}

/// Input that can only be read in order.
pub struct InputStream<'a> {
    kind: StreamKind<'a>,
    watch: Option<Watched<'a>>,
    /// An error that came behind bytes. The bytes are used first.
    error: Option<std::io::Error>,
    /// Counts the bytes.
    read: Option<Arc<AtomicU64>>,
}

/// Whoever watches the bytes that are read.
struct Watched<'a> {
    watch: Watch<'a>,
    is_over: Option<IsOver<'a>>,
}

enum StreamKind<'a> {
    Reader(Box<dyn Read + 'a>),
    Fd(Handle<'a>),
    Store(&'a Store),
}

impl StreamKind<'_> {
    /// Whether a read would return at once, now or within `patience`. A reader of the caller decides itself how long it
    /// waits.
    fn is_readable(&self, patience: Duration) -> bool {
        match self {
            Self::Reader(_) => true,
            Self::Fd(fd) => handle::is_readable(*fd, patience),
            Self::Store(store) => store.is_readable(patience),
        }
    }
}

impl<'a> InputStream<'a> {
    /// The bytes that leave a store.
    pub(super) fn stored(store: &'a Store) -> Self {
        Self { kind: StreamKind::Store(store), watch: None, error: None, read: None }
    }

    /// The same, with a count of the bytes that are read.
    pub fn counted(self, read: Option<Arc<AtomicU64>>) -> Self {
        Self { read, ..self }
    }
}

impl InputStream<'_> {
    /// Reads once, as soon as input comes. Reads nothing if none comes until `deadline`; but a reader of the caller
    /// decides itself how long it waits.
    ///
    /// Returns the length read, and whether the input has ended. While no input comes, `stopped` is called again and
    /// again, and says whether to go on.
    pub fn read_until(
        &mut self,
        buffer: &mut [u8],
        offset: u64,
        deadline: Option<Instant>,
        stopped: &dyn Fn() -> bool,
    ) -> Result<(usize, bool)> {
        if let Some(source) = self.error.take() {
            return Err(unread(offset, source));
        }
        loop {
            if !matches!(self.kind, StreamKind::Reader(_)) {
                let left = || {
                    let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
                    left.map_or(POLL_INTERVAL, |left| left.min(POLL_INTERVAL))
                };
                let mut patience = left();
                while !self.kind.is_readable(patience) {
                    if self.is_over() {
                        return self.end(offset).map(|()| (0, true));
                    }
                    if stopped() {
                        return Err(Error::GivenUp);
                    }
                    patience = left();
                    if patience.is_zero() {
                        return Ok((0, false));
                    }
                }
            }
            match self.read_once(buffer) {
                Ok(0) => return self.end(offset).map(|()| (0, true)),
                Ok(read) => return Ok((read, false)),
                Err(error) if self.is_passing(&error) => {}
                Err(source) => return Err(unread(offset, source)),
            }
        }
    }

    /// Reads, and shows the bytes to whoever watches them.
    fn read_once(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = match &mut self.kind {
            StreamKind::Reader(reader) => reader.read(buffer)?,
            StreamKind::Fd(fd) => handle::read(*fd, buffer)?,
            StreamKind::Store(store) => store.read(buffer)?,
        };
        if let Some(Watched { watch, .. }) = self.watch.as_mut().filter(|_| read > 0) {
            watch(Some(&buffer[..read]))?;
        }
        if let Some(count) = &self.read {
            count.fetch_add(read as u64, Ordering::Relaxed);
        }
        Ok(read)
    }

    /// Asks whether the input is over, although its descriptor has not ended.
    fn is_over(&mut self) -> bool {
        self.watch.as_mut().and_then(|watched| watched.is_over.as_mut()).is_some_and(|is_over| is_over())
    }

    /// Asks whether the end of the input counts. `offset` is its end.
    fn end(&mut self, offset: u64) -> Result<()> {
        let Some(Watched { mut watch, .. }) = self.watch.take() else { return Ok(()) };
        watch(None).map_err(|source| Error::Read { offset, source })
    }

    /// Whether the error only says that the read must be repeated. Descriptors are waited for. A reader of the caller
    /// decides itself how long it waits.
    fn is_passing(&self, error: &std::io::Error) -> bool {
        match error.kind() {
            ErrorKind::Interrupted => true,
            ErrorKind::WouldBlock => !matches!(self.kind, StreamKind::Reader(_)),
            _ => false,
        }
    }

    /// Fills `buffer` from the input. With `eager`, returns early when the input pauses.
    ///
    /// Returns the length read, and whether the input has ended. While no input comes, `pause` is called again and
    /// again, and says what to do.
    pub fn fill(
        &mut self,
        buffer: &mut [u8],
        offset: u64,
        eager: bool,
        pause: &dyn Fn() -> Patience,
    ) -> Result<(usize, bool)> {
        if let Some(source) = self.error.take() {
            return Err(unread(offset, source));
        }
        let mut filled = 0;
        let mut idle = true;
        while filled < buffer.len() {
            let mut is_over = false;
            if idle {
                if eager && filled > 0 && !self.kind.is_readable(GATHER_TIME) {
                    break;
                }
                let mut patience = GATHER_TIME;
                while !self.kind.is_readable(patience) {
                    is_over = self.is_over();
                    if is_over {
                        break;
                    }
                    match pause() {
                        Patience::Wait => patience = POLL_INTERVAL,
                        Patience::Yield if filled == 0 => return Ok((0, false)),
                        Patience::Yield => break,
                        Patience::Stop => return Err(Error::GivenUp),
                    }
                }
            }
            let rest = &mut buffer[filled..];
            let wanted = rest.len();
            let read = if is_over { Ok(0) } else { self.read_once(rest) };
            match read {
                Ok(0) => match self.end(offset + filled as u64) {
                    Err(Error::Read { source, .. }) if filled > 0 => {
                        self.error = Some(source);
                        return Ok((filled, false));
                    }
                    ended => return ended.map(|()| (filled, true)),
                },
                Ok(read) => {
                    filled += read;
                    // After a full read more bytes may be there already.
                    idle = read < wanted;
                }
                Err(error) if self.is_passing(&error) => idle |= error.kind() == ErrorKind::WouldBlock,
                Err(source) if filled == 0 => return Err(unread(offset, source)),
                Err(source) => {
                    self.error = Some(source);
                    break;
                }
            }
        }
        Ok((filled, false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_in_order_is_read_to_its_end_and_must_not_end_before_its_length() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"three in the morning").unwrap();
        for (len, from, expected) in
            [(5, 0, Some("three in the morning")), (20, 13, Some("morning")), (21, 0, None)]
        {
            file.rewind().unwrap();
            let mut stream = Input::File { file: &file, start: 0, len }.tail(from).unwrap();
            let (mut found, mut buffer) = (Vec::new(), [0; 6]);
            let ended = loop {
                match stream.fill(&mut buffer, found.len() as u64, false, &|| Patience::Wait) {
                    Ok((read, has_ended)) => {
                        found.extend_from_slice(&buffer[..read]);
                        if has_ended {
                            break Ok(());
                        }
                    }
                    Err(error) => break Err(error),
                }
            };
            match (expected, ended) {
                (Some(expected), Ok(())) => {
                    assert_eq!(found, expected.as_bytes());
                    assert_eq!((&file).stream_position().unwrap(), 20);
                }
                (None, Err(Error::Shrank { expected: 21, found: 20 })) => assert_eq!(found.len(), 20),
                (_, ended) => panic!("{ended:?}"),
            }
        }
    }
}
