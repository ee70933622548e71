//! [`Writer`] and [`Reader`]: streams with the traits of the standard library.
//!
//! Each runs a pipeline in a thread of its own, which calls `compress` or `decompress`. Bytes go to that thread or come
//! from it in parcels through a channel of fixed length, so that memory is bounded. An error of the pipeline reaches the
//! caller by the next call.

use std::io::{self, BufRead, Cursor, Read, Write};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::error::{Error, Result};
use crate::options::Options;
use crate::summary::Summary;

/// The number of bytes in a parcel.
const PARCEL_LEN: usize = 256 << 10;
/// The number of parcels in the channel. It is enough that neither thread waits until the other wakes up.
const PARCELS: usize = 4;

/// Compresses all bytes that are written to it.
///
/// The stream is complete only after [`Writer::finish`]. If a writer is dropped before that, readers see that its output
/// is incomplete.
///
/// ```
/// use std::io::Write;
/// let options = pzcomp::Options { format: pzcomp::Format::Gzip, ..Default::default() };
/// let mut writer = pzcomp::Writer::new(Vec::new(), options);
/// write!(writer, "id\tlat\tlon\n")?;
/// let (coded, summary) = writer.finish()?;
/// assert_eq!((&coded[..2], summary.plain_len), (&[0x1f, 0x8b][..], 11));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Writer<W> {
    parcel: Vec<u8>,
    sender: Option<Sender<Parcel>>,
    used: Receiver<Vec<u8>>,
    thread: Option<JoinHandle<(W, Result<Summary>)>>,
    /// The first error, if the pipeline has failed. Nothing more is accepted then.
    failed: Option<String>,
}

/// Bytes, or the end of the stream. If a channel closes without `End`, the stream is incomplete.
enum Parcel {
    Bytes(Vec<u8>),
    End,
}

impl<W: Write + Send + 'static> Writer<W> {
    /// A writer whose output goes to `inner`.
    pub fn new(inner: W, options: Options) -> Self {
        let (sender, receiver) = bounded(PARCELS);
        let (give_back, used) = bounded(PARCELS);
        let thread = std::thread::spawn(move || {
            let mut inner = inner;
            let parcels = ParcelReader { receiver, give_back, parcel: Cursor::default(), ended: false };
            let result = crate::compress(parcels, &mut inner, &options);
            (inner, result)
        });
        Self { parcel: Vec::new(), sender: Some(sender), used, thread: Some(thread), failed: None }
    }

    /// Ends the stream. Returns the inner writer and the summary, or the first error of the pipeline.
    pub fn finish(mut self) -> io::Result<(W, Summary)> {
        self.send();
        if let Some(sender) = self.sender.take() {
            // If the other thread has ended already, its result says why.
            let _ = sender.send(Parcel::End);
        }
        let (inner, result) = self.join()?;
        Ok((inner, result?))
    }

    fn send(&mut self) {
        let next = self.used.try_recv().unwrap_or_default();
        let full = std::mem::replace(&mut self.parcel, next);
        if !full.is_empty()
            && let Some(sender) = &self.sender
            && sender.send(Parcel::Bytes(full)).is_err()
        {
            self.sender = None;
        }
    }

    fn join(&mut self) -> io::Result<(W, Result<Summary>)> {
        let thread = self.thread.take().ok_or_else(|| io::Error::other("the stream has failed before"))?;
        thread.join().map_err(|_| Error::Internal("a thread panicked".into()).into())
    }
}

impl<W: Write + Send + 'static> Write for Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(failed) = &self.failed {
            return Err(io::Error::other(failed.clone()));
        }
        let len = bytes.len().min(PARCEL_LEN - self.parcel.len());
        self.parcel.extend_from_slice(&bytes[..len]);
        if self.parcel.len() == PARCEL_LEN {
            self.send();
        }
        if self.sender.is_none() {
            let (_, result) = self.join()?;
            let error = result.err().unwrap_or_else(|| Error::Internal("the stream ended early".into()));
            self.failed = Some(error.to_string());
            return Err(error.into());
        }
        Ok(len)
    }

    /// Hands over the bytes written so far. A frame is coded when its chunk is full, or by [`Writer::finish`].
    fn flush(&mut self) -> io::Result<()> {
        self.send();
        Ok(())
    }
}

/// A reader of the bytes in the parcels.
struct ParcelReader {
    receiver: Receiver<Parcel>,
    give_back: Sender<Vec<u8>>,
    parcel: Cursor<Vec<u8>>,
    ended: bool,
}

impl Read for ParcelReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.parcel.fill_buf()?.is_empty() && !self.ended {
            match self.receiver.recv() {
                Ok(Parcel::Bytes(bytes)) => {
                    let mut used = std::mem::replace(&mut self.parcel, Cursor::new(bytes)).into_inner();
                    used.clear();
                    // If enough buffers are on their way back, this one is dropped.
                    let _ = self.give_back.try_send(used);
                }
                Ok(Parcel::End) => self.ended = true,
                Err(_) => return Err(io::Error::other("the writer was dropped before its end")),
            }
        }
        self.parcel.read(out)
    }
}

/// Decompresses the bytes of an inner reader.
///
/// If the stream is damaged, reading returns all bytes before the error, and then the error.
///
/// ```
/// use std::io::Read;
/// let mut coded = Vec::new();
/// pzcomp::compress(&b"three"[..], &mut coded, &pzcomp::Options::default())?;
/// let mut plain = Vec::new();
/// pzcomp::Reader::new(std::io::Cursor::new(coded), pzcomp::Options::default()).read_to_end(&mut plain)?;
/// assert_eq!(plain, b"three");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Reader {
    parcel: Cursor<Vec<u8>>,
    receiver: Receiver<Vec<u8>>,
    thread: Option<JoinHandle<Result<Summary>>>,
    summary: Option<Summary>,
    /// The first error, if the stream could not be read to its end.
    failed: Option<String>,
}

impl Reader {
    /// A reader of the plain data of `inner`.
    pub fn new<R: Read + Send + 'static>(inner: R, options: Options) -> Self {
        let (sender, receiver) = bounded(PARCELS);
        let thread = std::thread::spawn(move || crate::decompress(inner, ParcelWriter(sender), &options));
        Self { parcel: Cursor::default(), receiver, thread: Some(thread), summary: None, failed: None }
    }

    /// The summary of the stream, after it was read to its end.
    pub fn summary(&self) -> Option<&Summary> {
        self.summary.as_ref()
    }
}

impl Read for Reader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.parcel.fill_buf()?.is_empty() && !out.is_empty() {
            match self.receiver.recv() {
                Ok(parcel) => self.parcel = Cursor::new(parcel),
                Err(_) => {
                    if let Some(thread) = self.thread.take() {
                        let result = thread
                            .join()
                            .unwrap_or_else(|_| Err(Error::Internal("a thread panicked".into())));
                        match result {
                            Ok(summary) => self.summary = Some(summary),
                            Err(error) => {
                                self.failed = Some(error.to_string());
                                return Err(error.into());
                            }
                        }
                    }
                    return match &self.failed {
                        Some(failed) => Err(io::Error::other(failed.clone())),
                        None => Ok(0),
                    };
                }
            }
        }
        self.parcel.read(out)
    }
}

/// A writer that sends all bytes to the thread of the caller.
struct ParcelWriter(Sender<Vec<u8>>);

impl Write for ParcelWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
