//! [`Forward`]: reads plain data that can only be decoded in order, from its start on.
//!
//! A thread decodes the data and sends it through a channel of fixed length, so memory is bounded. The reader drops the
//! data before the offset that it wants. Reading on later continues where the last read ended.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use crate::error::{Error, Result};

/// The number of parcels that wait in the channel. A parcel is a piece of output, of at most 1 MiB.
const PARCELS: usize = 4;

/// What is decoded in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// A span that is too long for the cache.
    Span(usize),
    /// Everything behind the last span.
    Rest,
}

/// Plain data that a thread decodes in order.
pub(super) struct Forward {
    pub(super) of: Of,
    /// Plain offset of the next byte of the parcel.
    pub(super) offset: u64,
    parcel: Vec<u8>,
    at: usize,
    /// Nothing after the end.
    receiver: Option<Receiver<Vec<u8>>>,
    thread: Option<JoinHandle<Result<()>>>,
}

impl Forward {
    /// Starts a thread for `decode`, whose output begins at the plain offset `offset`.
    pub(super) fn start(
        of: Of,
        offset: u64,
        decode: impl FnOnce(&mut (dyn Write + Send)) -> Result<()> + Send + 'static,
    ) -> Result<Self> {
        let (sender, receiver) = sync_channel(PARCELS);
        let thread = std::thread::Builder::new()
            .spawn(move || decode(&mut ParcelWriter(sender)))
            .map_err(|source| Error::Threads { source })?;
        let (parcel, at) = (Vec::new(), 0);
        Ok(Self { of, offset, parcel, at, receiver: Some(receiver), thread: Some(thread) })
    }

    /// Reads bytes from the plain offset `offset` on, which is not before [`Self::offset`]. 0 only at the end.
    pub(super) fn read(&mut self, out: &mut [u8], offset: u64) -> Result<usize> {
        loop {
            let start = self.offset;
            let Some(bytes) = self.fill()? else { return Ok(0) };
            let skip = usize::try_from(offset - start).unwrap_or(usize::MAX).min(bytes.len());
            let len = (bytes.len() - skip).min(out.len());
            out[..len].copy_from_slice(&bytes[skip..skip + len]);
            self.at += skip + len;
            self.offset += (skip + len) as u64;
            if len > 0 || out.is_empty() {
                return Ok(len);
            }
        }
    }

    /// The unread bytes of the parcel, after a new one was received if there were none. Nothing at the end.
    fn fill(&mut self) -> Result<Option<&[u8]>> {
        while self.at == self.parcel.len() {
            let Some(receiver) = &self.receiver else { return Ok(None) };
            match receiver.recv() {
                Ok(parcel) => (self.parcel, self.at) = (parcel, 0),
                Err(_) => {
                    self.receiver = None;
                    let panicked = |_| Err(Error::Internal("a thread panicked".into()));
                    if let Some(thread) = self.thread.take() {
                        thread.join().unwrap_or_else(panicked)?;
                    }
                }
            }
        }
        Ok(Some(&self.parcel[self.at..]))
    }
}

impl Drop for Forward {
    /// Ends the thread. Its next write fails, and that ends the decoding.
    fn drop(&mut self) {
        self.receiver = None;
        if let Some(thread) = self.thread.take() {
            // Nobody waits for the result.
            let _ = thread.join();
        }
    }
}

/// Sends all bytes to the reader.
struct ParcelWriter(SyncSender<Vec<u8>>);

impl Write for ParcelWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
