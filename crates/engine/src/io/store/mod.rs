//! [`Store`]: an elastic store of bytes between a producer and a consumer that are fast at different times.
//!
//! Compression puts it behind the line, so that coded bytes wait for a slow output ([`behind_output`]). Decompression
//! puts it before the feeder, so that coded bytes are read ahead ([`before_input`]). Coded bytes are fewer than plain
//! ones, so the store holds more of the stream.
//!
//! The store takes memory in blocks as bytes come, and gives it back as they leave. It holds at most its limit, and at
//! most two blocks of memory more. Bytes leave in the order in which they came.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::PoisonError;
use std::time::Duration;

use super::input::InputStream;
use crate::error::{Error, Result};
use crate::sync::{
    Condvar, Mutex, MutexGuard, scope, seeded, spawn_scoped, wait_timeout, wait_timeout_while,
};

/// Length of a block of memory. In models short streams have several.
const BLOCK_LEN: usize = if cfg!(feature = "schedules") { 2 } else { 256 << 10 };

/// How often a thread that waits for the consumer looks whether the stream was cancelled.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The memory that a store of this limit takes at most.
pub const fn memory(limit: u64) -> u64 {
    limit.saturating_add(2 * BLOCK_LEN as u64)
}

/// Bytes on their way from one thread to another.
pub struct Store {
    limit: usize,
    state: Mutex<State>,
    /// Bytes came, or the producer has ended.
    came: Condvar,
    /// Bytes left, or the consumer has ended.
    left: Condvar,
}

#[derive(Default)]
struct State {
    blocks: VecDeque<Vec<u8>>,
    /// How much of the first block was taken.
    taken: usize,
    /// Bytes that were put in and have not left. A block that is being written counts.
    len: usize,
    /// The producer puts nothing more in.
    has_ended: bool,
    /// Why the producer ended early.
    input_error: Option<Error>,
    /// The consumer takes nothing more.
    is_closed: bool,
    /// Why the consumer takes nothing more. The producer gets it once.
    output_error: Option<io::Error>,
    wants_flush: bool,
}

impl State {
    fn append(&mut self, mut bytes: &[u8]) {
        self.len += bytes.len();
        while !bytes.is_empty() {
            match self.blocks.back_mut() {
                Some(block) if block.len() < BLOCK_LEN => {
                    let (now, later) = bytes.split_at(bytes.len().min(BLOCK_LEN - block.len()));
                    block.extend_from_slice(now);
                    bytes = later;
                }
                // Pages that are not used cost nothing.
                _ => self.blocks.push_back(Vec::with_capacity(BLOCK_LEN)),
            }
        }
    }
}

impl Store {
    /// A store of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        let limit = limit.max(1);
        Self { limit, state: Mutex::default(), came: Condvar::new(), left: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts bytes in, and waits for room. The error is that of the consumer. `wait` is called while there is no room.
    fn put(&self, mut bytes: &[u8], mut wait: impl FnMut(&mut State)) -> io::Result<()> {
        let mut state = self.lock();
        while !bytes.is_empty() {
            if state.is_closed {
                return Err(state.output_error.take().unwrap_or_else(|| io::ErrorKind::BrokenPipe.into()));
            }
            let room = self.limit - state.len;
            if room == 0 {
                wait(&mut state);
                state = self.wait_for_room(state);
                continue;
            }
            let (now, later) = bytes.split_at(bytes.len().min(room));
            state.append(now);
            bytes = later;
            self.came.notify_one();
        }
        Ok(())
    }

    fn wait_for_room<'a>(&'a self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        wait_timeout(&self.left, &self.state, state, POLL_INTERVAL)
    }

    /// Notes that no more bytes come.
    fn end(&self, result: Result<()>) {
        let mut state = self.lock();
        state.has_ended = true;
        state.input_error = result.err();
        drop(state);
        if !seeded!(StoreEndedWithoutNotice) {
            self.came.notify_all();
        }
    }

    /// Notes that no more bytes are taken.
    fn close(&self, error: Option<io::Error>) {
        let mut state = self.lock();
        (state.is_closed, state.output_error) = (true, error);
        state.blocks.clear();
        drop(state);
        if !seeded!(StoreClosedWithoutNotice) {
            self.left.notify_all();
        }
    }

    fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    /// Whether a read returns at once, now or within `patience`.
    pub(super) fn is_readable(&self, patience: Duration) -> bool {
        let is_empty = |state: &mut State| state.len == 0 && !state.has_ended;
        let state = wait_timeout_while(&self.came, &self.state, self.lock(), patience, is_empty);
        state.len > 0 || state.has_ended
    }

    /// Takes bytes. Waits for some. 0 at the end. An error of the producer comes behind its bytes.
    pub(super) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let is_empty = |state: &mut State| state.len == 0 && !state.has_ended;
        let mut state = self.came.wait_while(self.lock(), is_empty).unwrap_or_else(PoisonError::into_inner);
        let mut read = 0;
        while read < buffer.len() && state.len > 0 {
            let taken = state.taken;
            let Some(block) = state.blocks.front() else { break };
            let (to, from) = (&mut buffer[read..], &block[taken..]);
            let len = to.len().min(from.len());
            to[..len].copy_from_slice(&from[..len]);
            let is_used_up = len == from.len();
            read += len;
            state.len -= len;
            state.taken += len;
            if is_used_up {
                state.blocks.pop_front();
                state.taken = 0;
            }
        }
        let error = if read == 0 { state.input_error.take() } else { None };
        drop(state);
        self.left.notify_one();
        match error {
            Some(Error::Read { source, .. }) => Err(source),
            Some(error) => Err(io::Error::other(error)),
            None => Ok(read),
        }
    }

    /// Writes all bytes to `writer` as they come, up to the end: the work of the thread behind the store.
    fn write_to(&self, writer: &mut dyn Write) {
        // If the writer panics, the producer must not wait for ever.
        let _closing = CloseOnDrop(self);
        loop {
            let idle = |state: &mut State| state.blocks.is_empty() && !state.has_ended && !state.wants_flush;
            let mut state = self.came.wait_while(self.lock(), idle).unwrap_or_else(PoisonError::into_inner);
            let block = state.blocks.pop_front();
            let (is_flush, is_end) = (state.wants_flush, state.has_ended);
            drop(state);
            let result = match &block {
                Some(block) => writer.write_all(block),
                None if is_flush => writer.flush(),
                None => Ok(()),
            };
            if let Err(error) = result {
                return self.close(Some(error));
            }
            let mut state = self.lock();
            match &block {
                Some(block) => state.len -= block.len(),
                None => state.wants_flush = false,
            }
            drop(state);
            self.left.notify_all();
            if block.is_none() && is_end {
                return;
            }
        }
    }
}

/// Closes the store when the consumer has ended, however it ended.
struct CloseOnDrop<'a>(&'a Store);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        if !self.0.is_closed() {
            self.0.close(None);
        }
    }
}

/// Ends the store when the producer has ended, however it ended.
struct EndOnDrop<'a>(&'a Store);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        if !self.0.lock().has_ended {
            self.0.end(Ok(()));
        }
    }
}

/// The producer's side of a store before an output.
struct StoreWriter<'a, C> {
    store: &'a Store,
    /// Says whether the stream was cancelled.
    is_cancelled: C,
}

impl<C: Fn() -> bool> StoreWriter<'_, C> {
    /// If the stream was cancelled, drops what has not been written, so that nobody waits for a slow consumer.
    fn drop_if_cancelled(&self, state: &mut State) {
        if (self.is_cancelled)() {
            let dropped: usize = state.blocks.drain(..).map(|block| block.len()).sum();
            state.len -= dropped;
        }
    }
}

impl<C: Fn() -> bool> Write for StoreWriter<'_, C> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.store.put(bytes, |state| self.drop_if_cancelled(state))?;
        Ok(bytes.len())
    }

    /// Waits until everything has been written, and the writer was flushed.
    fn flush(&mut self) -> io::Result<()> {
        let mut state = self.store.lock();
        state.wants_flush = true;
        self.store.came.notify_one();
        while !state.is_closed && (state.wants_flush || state.len > 0) {
            self.drop_if_cancelled(&mut state);
            state = self.store.wait_for_room(state);
        }
        match state.is_closed {
            true => Err(state.output_error.take().unwrap_or_else(|| io::ErrorKind::BrokenPipe.into())),
            false => Ok(()),
        }
    }
}

/// Calls `produce` with a writer that takes `limit` bytes more than `writer`, which a thread of its own fills
/// meanwhile. The error of `writer` comes with a later write or flush. If the stream `is_cancelled`, nobody waits for
/// `writer`.
pub fn behind_output<T, E: From<Error>>(
    writer: Box<dyn Write + Send + '_>,
    limit: usize,
    is_cancelled: impl Fn() -> bool + Send,
    produce: impl FnOnce(Box<dyn Write + Send + '_>) -> Result<T, E>,
) -> Result<T, E> {
    let (store, writer) = (Store::new(limit), Mutex::new(Some(writer)));
    let take = || writer.lock().unwrap_or_else(PoisonError::into_inner).take();
    scope(|scope| {
        let (store, take) = (&store, &take);
        let consumer = move || {
            if let Some(mut writer) = take() {
                store.write_to(&mut *writer);
            }
        };
        if spawn_scoped(scope, "output", consumer).is_err()
            && let Some(writer) = take()
        {
            // Without the thread nothing is stored.
            return produce(writer);
        }
        let _ending = EndOnDrop(store);
        produce(Box::new(StoreWriter { store, is_cancelled }))
    })
}

/// Calls `consume`, on a thread of its own, with a stream that this thread fills from `input`, up to `limit` bytes
/// ahead.
pub fn before_input<T: Send, E: From<Error> + Send>(
    mut input: InputStream,
    limit: usize,
    consume: impl FnOnce(InputStream) -> Result<T, E> + Send,
) -> Result<T, E> {
    let (store, consume) = (Store::new(limit), Mutex::new(Some(consume)));
    let take = || consume.lock().unwrap_or_else(PoisonError::into_inner).take();
    let gone = || Err(Error::Internal("what consumes the input is gone".into()).into());
    scope(|scope| {
        let (store, take) = (&store, &take);
        let consumer = move || {
            let _closing = CloseOnDrop(store);
            take().map_or_else(gone, |consume| consume(InputStream::stored(store)))
        };
        let Ok(consumer) = spawn_scoped(scope, "reader", consumer) else {
            // Without the thread nothing is stored.
            return take().map_or_else(gone, |consume| consume(input));
        };
        let _ending = EndOnDrop(store);
        store.end(fill(store, &mut input));
        let panicked = || Err(Error::Internal("a thread panicked".into()).into());
        consumer.join().unwrap_or_else(|_| panicked())
    })
}

/// Reads the input to its end into the store.
fn fill(store: &Store, input: &mut InputStream) -> Result<()> {
    let (mut buffer, mut offset) = (vec![0; BLOCK_LEN], 0);
    loop {
        let (read, ended) = input.read_until(&mut buffer, offset, None, &|| store.is_closed())?;
        // A consumer that has ended needs no more.
        if ended || store.put(&buffer[..read], |_| ()).is_err() {
            return Ok(());
        }
        offset += read as u64;
    }
}

#[cfg(test)]
mod tests;
