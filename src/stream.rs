//! Streams with the traits of the standard library, each a pipeline in a thread of its own.

use std::io::{self, Read, Write};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::error::{Error, Result};
use crate::options::Options;
use crate::summary::Summary;

/// Bytes gathered before they go to the other thread.
const PARCEL_LEN: usize = 256 << 10;
/// Parcels on the way: enough that neither side waits for the other to wake up.
const PARCELS: usize = 4;

/// Compresses what is written to it.
///
/// The stream is complete only after [`Writer::finish`]; a writer that is dropped without it leaves
/// an output that no reader takes for whole.
///
/// ```
/// use std::io::Write;
/// let options = pzcomp::Options { format: pzcomp::Format::GZIP, ..Default::default() };
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
    /// Why nothing more is taken.
    failed: Option<String>,
}

/// Bytes, or the news that no more come; without that news the stream was given up.
enum Parcel {
    Bytes(Vec<u8>),
    End,
}

impl<W: Write + Send + 'static> Writer<W> {
    /// A writer that passes what it compresses to `inner`.
    pub fn new(inner: W, options: Options) -> Self {
        let (sender, receiver) = bounded(PARCELS);
        let (give_back, used) = bounded(PARCELS);
        let thread = std::thread::spawn(move || {
            let mut inner = inner;
            let parcels = Parcels { receiver, give_back, parcel: Vec::new(), at: 0, ended: false };
            let result = crate::compress(parcels, &mut inner, &options);
            (inner, result)
        });
        Self { parcel: Vec::new(), sender: Some(sender), used, thread: Some(thread), failed: None }
    }

    /// Ends the stream, and gives back what it was written to.
    pub fn finish(mut self) -> io::Result<(W, Summary)> {
        self.send();
        if let Some(sender) = self.sender.take() {
            // If the other side is gone already, its result says why.
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

    /// Hands over what has been written; a frame is coded when it is full, or by [`Writer::finish`].
    fn flush(&mut self) -> io::Result<()> {
        self.send();
        Ok(())
    }
}

/// What arrives in parcels, as a reader.
struct Parcels {
    receiver: Receiver<Parcel>,
    give_back: Sender<Vec<u8>>,
    parcel: Vec<u8>,
    at: usize,
    ended: bool,
}

impl Read for Parcels {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.parcel.len() && !self.ended {
            match self.receiver.recv() {
                Ok(Parcel::Bytes(bytes)) => {
                    let mut used = std::mem::replace(&mut self.parcel, bytes);
                    used.clear();
                    // When enough are on their way back, this one is not needed.
                    let _ = self.give_back.try_send(used);
                    self.at = 0;
                }
                Ok(Parcel::End) => self.ended = true,
                Err(_) => return Err(io::Error::other("the writer was dropped before its end")),
            }
        }
        let rest = &self.parcel[self.at..];
        let len = rest.len().min(out.len());
        out[..len].copy_from_slice(&rest[..len]);
        self.at += len;
        Ok(len)
    }
}

/// Decompresses what is read through it.
///
/// Reading ends with an error if anything is wrong with the stream, after all that is right.
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
    parcel: Vec<u8>,
    at: usize,
    receiver: Receiver<Vec<u8>>,
    thread: Option<JoinHandle<Result<Summary>>>,
    summary: Option<Summary>,
    /// Why the stream could not be read to its end.
    failed: Option<String>,
}

impl Reader {
    /// A reader of what `inner` holds in compressed form.
    pub fn new<R: Read + Send + 'static>(inner: R, options: Options) -> Self {
        let (sender, receiver) = bounded(PARCELS);
        let thread = std::thread::spawn(move || crate::decompress(inner, Sending(sender), &options));
        Self { parcel: Vec::new(), at: 0, receiver, thread: Some(thread), summary: None, failed: None }
    }

    /// What the stream amounted to, once it has been read to its end.
    pub fn summary(&self) -> Option<&Summary> {
        self.summary.as_ref()
    }
}

impl Read for Reader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.parcel.len() && !out.is_empty() {
            match self.receiver.recv() {
                Ok(parcel) => (self.parcel, self.at) = (parcel, 0),
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
        let rest = &self.parcel[self.at..];
        let len = rest.len().min(out.len());
        out[..len].copy_from_slice(&rest[..len]);
        self.at += len;
        Ok(len)
    }
}

/// Sends what is written to the thread that reads.
struct Sending(Sender<Vec<u8>>);

impl Write for Sending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
