//! [`Reader`] and [`BackgroundReader`]: decompress what an inner reader gives.
//!
//! Both take the output from a `Decompression`. A `Reader` gives it input inside the calls of its owner. The inner
//! reader of a `BackgroundReader` is read by a thread of the engine, if the system starts one.

use std::fmt;
use std::io::{self, BufRead, Read};

use super::Pool;
use super::failure::Failure;
use crate::decompress::Decompression;
use crate::error::{Error, Result};
use crate::options::Decode;
use crate::summary::Summary;
use engine::io::is_pause;
use engine::waits::End;
use engine::{Lease, Slice, Turn};

/// An inner reader that returns as many bytes as were asked for probably has more. The number of bytes is odd, so that
/// the end of a message is hardly ever taken for that.
const ODD: usize = 7;

/// Decompresses the bytes of an inner reader. The inner reader is used only inside calls of the methods here, so it may
/// be borrowed.
///
/// All that can be decoded of the bytes so far is given out before the inner reader is asked for more: a frame when its
/// last byte has come, and the data up to a flush of the other end, if no check holds it back. So both ends of a
/// connection can wait for each other's answers. There is one exception: an inner reader that fills the whole buffer,
/// which has about half a MiB, probably has more, and is read again at once. Threads decode in the background, but
/// nobody reads ahead from an inner reader that gives fewer bytes than it was asked for. For a pipe or a socket, a
/// [`BackgroundReader`] is therefore faster.
///
/// If the stream is damaged, reading returns all bytes before the error, and then the error.
///
/// ```
/// use std::io::Read;
/// let mut coded = Vec::new();
/// pzcomp::Compress::new(&pzcomp::Encode::default()).run(b"three", &mut coded)?;
/// let mut plain = Vec::new();
/// pzcomp::Reader::new(&coded[..], pzcomp::Decode::default())?.read_to_end(&mut plain)?;
/// assert_eq!(plain, b"three");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Errors of the kinds [`io::ErrorKind::WouldBlock`] and [`io::ErrorKind::TimedOut`] of the inner reader are passed on,
/// and reading can continue. After any other error, every call returns this error again. [`Error::of`] gives the error
/// of this library.
pub struct Reader<R> {
    inner: R,
    output: PlainOutput,
    /// The inner reader has given all bytes that it was asked for.
    expects_more: bool,
    /// Bytes that were read from the inner reader.
    read: u64,
}

/// Decompresses the bytes of a reader that a thread reads in the background.
///
/// It gives out the same bytes as a [`Reader`], and has them ready earlier. If no input comes for a while, it gives out
/// what can be decoded of a frame that has not ended. Behind short input, such as a message, it does so at once; behind
/// long input, after up to 5 milliseconds, because more of the frame is likely to come.
///
/// A value that is dropped does not wait for its inner reader: the thread ends when the inner reader returns.
///
/// ```
/// use std::io::Read;
/// use std::net::{TcpListener, TcpStream};
///
/// let listener = TcpListener::bind("localhost:0")?;
/// let address = listener.local_addr()?;
/// let sender = std::thread::spawn(move || {
///     let connection = TcpStream::connect(address)?;
///     pzcomp::Compress::new(&pzcomp::Encode::default()).run(b"three in the morning", pzcomp::Output::writer(connection))?;
///     Ok::<(), std::io::Error>(())
/// });
///
/// let (connection, _) = listener.accept()?;
/// let mut plain = String::new();
/// pzcomp::BackgroundReader::new(connection, pzcomp::Decode::default())?.read_to_string(&mut plain)?;
/// assert_eq!(plain, "three in the morning");
/// # sender.join().unwrap()?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct BackgroundReader {
    output: PlainOutput,
    /// The inner reader, if the system starts no thread that reads it, and how many bytes of it were read.
    inner: Option<Box<dyn Read + Send>>,
    read: u64,
}

/// The output side of a reader.
struct PlainOutput {
    decompression: Decompression,
    piece: Option<Slice>,
    /// How many bytes of the piece were given out.
    taken: usize,
    summary: Option<Summary>,
    failed: Option<Failure>,
    /// The threads, if no other stream uses them.
    _pool: Pool,
}

impl PlainOutput {
    fn new(decompression: Decompression, pool: &Pool) -> Self {
        Self { decompression, piece: None, taken: 0, summary: None, failed: None, _pool: pool.clone() }
    }

    fn at_hand(&self) -> &[u8] {
        self.piece.as_ref().map_or(&[], |piece| &piece[self.taken..])
    }

    /// Whether the next bytes are at hand, or no more will come.
    fn is_settled(&mut self) -> io::Result<bool> {
        if !self.at_hand().is_empty() || self.summary.is_some() {
            return Ok(true);
        }
        self.piece = None;
        self.failed.as_ref().map_or(Ok(false), |failed| Err(failed.again()))
    }

    fn fail(&mut self, error: impl Into<io::Error>) -> io::Error {
        self.failed.get_or_insert_with(|| Failure::new(error)).again()
    }

    /// Takes the next output or the end of the stream. Returns true if the stream needs input.
    fn advance(&mut self, read_ahead: bool) -> io::Result<bool> {
        match self.decompression.turn(read_ahead) {
            Turn::Output(piece) => (self.piece, self.taken) = (Some(piece), 0),
            Turn::Proceed => return Ok(true),
            Turn::Interrupted(error) => return Err(error),
            Turn::Over => match self.decompression.summary() {
                Ok(summary) => self.summary = Some(summary),
                Err(error) => return Err(self.fail(error)),
            },
        }
        Ok(false)
    }

    /// Reads from the inner reader into a slab, for the feeder. `read` is how much was read before. Returns whether the
    /// inner reader has given all bytes that it was asked for.
    fn supply(&mut self, inner: &mut dyn Read, mut slab: Lease, read: &mut u64) -> io::Result<bool> {
        let wanted = slab.len() - ODD;
        let result = loop {
            // If the inner reader panics, this error stays.
            self.failed = Some(Failure::panicked());
            let meter = self.decompression.meter();
            let result = meter.during_instead(End::Source, || inner.read(&mut slab[..wanted]));
            self.failed = None;
            match result {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        let is_full = matches!(result, Ok(len) if len == wanted);
        match result {
            Err(error) if is_pause(&error) => {
                self.decompression.return_request(slab);
                return Err(error);
            }
            Err(source) => {
                self.decompression.supply(Err(Error::Read { offset: *read, source }.into()));
            }
            Ok(len) => {
                *read += len as u64;
                self.decompression.supply(Ok((slab, len.min(wanted))));
            }
        }
        Ok(is_full)
    }

    fn consume(&mut self, len: usize) {
        self.taken += len.min(self.at_hand().len());
    }
}

impl<R: Read> Reader<R> {
    /// A reader of the plain data of `inner`, with threads of its own. If the system starts none, the calling thread
    /// decodes, frame by frame. It keeps the coded bytes; many of them wait in a file without a name in the folder of
    /// temporary files. The data of a frame is given out when the frame has ended.
    pub fn new(inner: R, options: Decode) -> Result<Self> {
        Self::start(inner, &options, &Pool::of(&options), false)
    }

    /// A reader that uses the threads of a pool. The number of threads in the options is ignored.
    pub fn with_pool(inner: R, options: Decode, pool: &Pool) -> Result<Self> {
        Self::start(inner, &options, pool, true)
    }

    fn start(inner: R, options: &Decode, pool: &Pool, is_shared: bool) -> Result<Self> {
        let decompression = Decompression::new(options, pool.crew(), is_shared)?;
        Ok(Self { inner, output: PlainOutput::new(decompression, pool), expects_more: false, read: 0 })
    }
}

impl<R> Reader<R> {
    /// The summary of the stream, after it was read to its end.
    pub fn summary(&self) -> Option<&Summary> {
        self.output.summary.as_ref()
    }

    /// The inner reader. More of it may have been read than was given out.
    pub fn get_ref(&self) -> &R {
        &self.inner
    }

    /// The inner reader. Reading from it loses data.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    /// The inner reader. Bytes that were read from it and not given out are lost.
    #[must_use = "the inner reader is dropped otherwise"]
    pub fn into_inner(self) -> R {
        self.inner
    }
}

impl<R: Read> BufRead for Reader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while !self.output.is_settled()? {
            if self.output.advance(self.expects_more)?
                && let Some(slab) = self.output.decompression.take_request()
            {
                self.expects_more = false;
                self.expects_more = self.output.supply(&mut self.inner, slab, &mut self.read)?;
            }
        }
        Ok(self.output.at_hand())
    }

    fn consume(&mut self, len: usize) {
        self.output.consume(len);
    }
}

impl BackgroundReader {
    /// A reader of the plain data of `inner`, with threads of its own. If the system starts none, it is as a [`Reader`]
    /// without threads ([`Reader::new`]).
    ///
    /// If `inner` returns `WouldBlock` or `TimedOut`, the next read of this reader returns it, and later reads go on.
    pub fn new(inner: impl Read + Send + 'static, options: Decode) -> Result<Self> {
        Self::start(inner, &options, &Pool::of(&options), false)
    }

    /// A reader that uses the threads of a pool, and one more thread, which reads. The number of threads in the options
    /// is ignored.
    pub fn with_pool(inner: impl Read + Send + 'static, options: Decode, pool: &Pool) -> Result<Self> {
        Self::start(inner, &options, pool, true)
    }

    fn start(
        inner: impl Read + Send + 'static,
        options: &Decode,
        pool: &Pool,
        is_shared: bool,
    ) -> Result<Self> {
        let mut decompression = Decompression::new(options, pool.crew(), is_shared)?;
        let inner = decompression.start_reader(inner).map(|inner| Box::new(inner) as Box<dyn Read + Send>);
        Ok(Self { output: PlainOutput::new(decompression, pool), inner, read: 0 })
    }

    /// The summary of the stream, after it was read to its end.
    pub fn summary(&self) -> Option<&Summary> {
        self.output.summary.as_ref()
    }
}

impl BufRead for BackgroundReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while !self.output.is_settled()? {
            if self.output.advance(false)?
                && let Some(inner) = &mut self.inner
                && let Some(slab) = self.output.decompression.take_request()
            {
                self.output.supply(inner, slab, &mut self.read)?;
            }
        }
        Ok(self.output.at_hand())
    }

    fn consume(&mut self, len: usize) {
        self.output.consume(len);
    }
}

impl<R: Read> Read for Reader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        read_buffered(self, out)
    }
}

impl Read for BackgroundReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        read_buffered(self, out)
    }
}

/// Copies bytes out of the buffer of a reader.
fn read_buffered(reader: &mut impl BufRead, out: &mut [u8]) -> io::Result<usize> {
    if out.is_empty() {
        return Ok(0);
    }
    let at_hand = reader.fill_buf()?;
    let len = at_hand.len().min(out.len());
    out[..len].copy_from_slice(&at_hand[..len]);
    reader.consume(len);
    Ok(len)
}

impl<R: fmt::Debug> fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("inner", &self.inner)
            .field("read", &self.read)
            .field("failed", &self.output.failed)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for BackgroundReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BackgroundReader").field("failed", &self.output.failed).finish_non_exhaustive()
    }
}
