//! Recodes an archive whose list of files is at its end: 7z.
//!
//! Such an archive is read at many places, so a session, which gets its input in order, cannot decompress it. A thread
//! of its own decompresses the chosen files and gives the plain data to the thread of the caller, which compresses it.
//! At most [`WAITING_MAX`] pieces wait between the two.

use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::thread::Builder;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::{Pace, Recoded, Recompression, SIDES, shares};
use crate::compress::{Compression, PlainSums};
use crate::decompress::decompress_io;
use crate::error::{Error, Result};
use crate::options::{Common, Decode, Encode};
use crate::stream::Pool;
use engine::Progress;
use engine::Taps;
use engine::Wait;
use engine::io::{Input, Output};

/// The most pieces that wait for the compression.
const WAITING_MAX: usize = 4;

/// Decompresses the chosen files of the archive in `input`, and compresses them into `output`.
pub(super) fn recode(
    input: Input,
    output: Output,
    (from, to): (&Decode, &Encode),
    taps: Taps,
    sums: Option<Arc<PlainSums>>,
) -> Result<Recoded> {
    let (from, half) = shares(from, to);
    let of_share = |error: Error| error.of_share(SIDES, to.memory);
    let pool = Pool::of(to)?;
    let pace = Pace::default();
    let (compression, header) = Compression::new(&half.with_progress(&pace.plain), pool.crew(), sums)?;
    // The bytes between the two directions are no output, so the decompression counts its input only here.
    let inner = pace.coded.clone();
    let mut written = Recompression::new(compression, (output, taps), to.progress(), pace);
    let (sender, receiver) = bounded(WAITING_MAX);
    let reading = from.with_progress(&inner);
    // The input stays with the thread of the caller, which may hold values that other threads must not use.
    let recoded = std::thread::scope(|scope| {
        let taking = Builder::new().name("recode".into()).spawn_scoped(scope, || {
            let taken = written.write(&header).and_then(|()| written.take(&receiver, &inner));
            // After an error nobody waits for room.
            drop(receiver);
            taken
        });
        let taking = taking.map_err(|source| Error::Threads { source })?;
        let read = decompress_io(input, Output::Writer(Box::new(Pieces(sender))), &reading);
        let taken = taking.join().map_err(|_| Error::Internal("a thread has failed".into()))?;
        match (taken, read) {
            // The decompression has failed because nobody took its output.
            (Err(error), _) => Err(error),
            (Ok(()), read) => read,
        }
    });
    let recoded = recoded.and_then(|read| Ok(Recoded { read, written: written.end()? }));
    written.close(recoded).map_err(of_share)
}

impl Recompression<'_> {
    /// Compresses all pieces that come.
    fn take(&mut self, pieces: &Receiver<Vec<u8>>, inner: &Progress) -> Result<()> {
        let mut counted = 0;
        loop {
            while self.advance(Wait::No)? {}
            self.check_cancelled()?;
            let Ok(piece) = pieces.recv() else { return Ok(()) };
            let read = inner.bytes_in();
            self.progress.add_in(read - counted);
            counted = read;
            self.push(&piece)?;
        }
    }
}

/// Gives plain data to the other thread.
struct Pieces(Sender<Vec<u8>>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.send(bytes.to_vec());
        sent.map(|()| bytes.len()).map_err(|_| ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
