//! `Decoder`: the plain data of a coded file or stream, as the raw end of a file object that is read.
//!
//! It begins in order, with the workers ahead of the reader. A seek to data whose place an index knows turns to a
//! `Seekable`, and so does one that goes back in data with restart points. A seek to other data begins again at the
//! start, or skips. If all of a stream is wanted at once, the workers write to the result.

use std::io::{self, BufRead, Read};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pzcomp::{BackgroundReader, Decode, DecodeBuilder, IndexFormat, Progress, Reader, Seekable};

use crate::detached::Detached;
use crate::map::{IndexSource, Map, seekable};
use crate::memory::{Buffer, Growing};
use crate::settings::Reading;
use crate::signals::{self, Signals};
use crate::source::{InOrder, Source};
use crate::whole;

/// How the data is read at the moment.
enum Mode {
    /// Nothing was read, and the position is 0.
    Fresh,
    /// In order, by a thread of the engine.
    Background(Box<BackgroundReader>),
    /// In order, on the thread of the caller, because a file object is read.
    Ahead(Box<Reader<InOrder>>),
    /// By a map.
    Mapped,
    /// All of it was read at once.
    AtEnd,
}

struct State {
    mode: Mode,
    /// The offset of the next byte. For `Mapped`, the `Seekable` has it.
    position: u64,
    /// The map, after it was needed first.
    map: Option<Map>,
    len: Option<u64>,
    /// What cancels long work.
    progress: Progress,
}

/// The raw end of a file that is read. Several threads may call it.
#[pyclass(frozen, module = "pzcomp._pzcomp")]
pub(crate) struct Decoder {
    source: Source,
    options: Decode,
    index: Option<IndexSource>,
    /// Where the source begins in its file.
    start: u64,
    /// An empty stream has no data. Otherwise it is an error.
    empty_is_valid: bool,
    state: Detached<Mutex<State>>,
}

/// Plain data that is skipped takes this much memory.
const SKIP_LEN: usize = 256 << 10;

impl Decoder {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic leaves the position behind the data that was read, which is not wrong data.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does work without the lock of the interpreter.
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut State) -> io::Result<T> + Send,
    ) -> PyResult<T> {
        self.state.check()?;
        let done = py.detach(|| work(&mut self.lock()));
        done.map_err(|error| self.source.error(error, self.start))
    }

    /// Does work that may take long. A signal can end it.
    fn work_long<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut State) -> io::Result<T> + Send,
    ) -> PyResult<T> {
        // Signals are handled when the file object is called, and it may want to be called by this thread.
        if let Source::Object(_) = self.source {
            return self.work(py, work);
        }
        self.state.check()?;
        let progress = self.lock_detached(py).progress.clone();
        let done = signals::run(py, &progress, || work(&mut self.lock()));
        self.renew_if_cancelled(py, &progress);
        done?.map_err(|error| self.source.error(error, self.start))
    }

    /// Lets later work go on after a signal has ended some.
    fn renew_if_cancelled(&self, py: Python<'_>, progress: &Progress) {
        if progress.is_cancelled() {
            let mut state = self.lock_detached(py);
            if state.progress == *progress {
                (state.map, state.progress) = (None, Progress::default());
            }
        }
    }

    /// Begins to read in order, from the start.
    fn begin(&self, state: &mut State) -> io::Result<()> {
        state.position = 0;
        let input = self.source.in_order()?;
        state.mode = match self.source {
            Source::Object(_) => Mode::Ahead(Box::new(Reader::new(input, self.options.clone())?)),
            _ => Mode::Background(Box::new(BackgroundReader::new(input, self.options.clone())?)),
        };
        Ok(())
    }

    fn read(&self, state: &mut State, buffer: &mut [u8]) -> io::Result<usize> {
        if matches!(state.mode, Mode::Fresh) {
            self.begin(state)?;
        }
        let read = match &mut state.mode {
            Mode::Background(reader) => reader.read(buffer),
            Mode::Ahead(reader) => reader.read(buffer),
            Mode::Mapped => self.mapped(&mut state.map, &state.progress)?.read_at(buffer, state.position),
            Mode::Fresh | Mode::AtEnd => Ok(0),
        };
        let read = match read {
            Err(error) if self.is_empty(&error) => 0,
            read => read?,
        };
        state.position += read as u64;
        if read == 0 && !buffer.is_empty() && !matches!(state.mode, Mode::Mapped) {
            state.len = Some(state.position);
        }
        Ok(read)
    }

    /// Whether the error only says that there is no data, and that is allowed.
    fn is_empty(&self, error: &io::Error) -> bool {
        self.empty_is_valid && matches!(pzcomp::Error::of(error), Some(pzcomp::Error::Empty))
    }

    fn mapped<'a>(&self, map: &'a mut Option<Map>, progress: &Progress) -> io::Result<&'a Map> {
        if map.is_none() {
            let options = self.cancelled_by(progress)?;
            *map = Some(seekable(&self.source, self.index.as_ref(), &options)?);
        }
        map.as_ref().ok_or_else(|| io::Error::other("the map was lost"))
    }

    fn cancelled_by(&self, progress: &Progress) -> io::Result<Decode> {
        Ok(DecodeBuilder::from(self.options.clone()).progress(progress.clone()).build()?)
    }

    /// The end of the plain data whose places are known.
    fn known_end(seekable: &Seekable<Source>) -> u64 {
        match seekable.frames().last() {
            Some(frame) => frame.plain_offset + frame.plain_len.unwrap_or(0),
            None => 0,
        }
    }

    /// Whether only decoding tells what is at the position.
    fn is_unsure(state: &State) -> bool {
        let known = |map: &Map| map.len().is_some() || state.position < Self::known_end(map);
        !state.map.as_ref().is_some_and(known)
    }

    fn seek_to(&self, state: &mut State, target: u64) -> io::Result<()> {
        if target == state.position {
            return Ok(());
        }
        if target == 0 {
            state.mode = Mode::Fresh;
            state.position = 0;
            return Ok(());
        }
        let reads_in_order = matches!(state.mode, Mode::Background(_) | Mode::Ahead(_));
        let is_near = reads_in_order && target > state.position && target - state.position <= SKIP_LEN as u64;
        let goes_back = target < state.position || matches!(state.mode, Mode::Mapped);
        if self.source.is_seekable() && !is_near {
            match self.mapped(&mut state.map, &state.progress) {
                Ok(seekable) if seekable.len().is_some() || target < Self::known_end(seekable) => {
                    state.mode = Mode::Mapped;
                    // Behind the end is the end, as in the modules of the standard library.
                    state.position = seekable.len().map_or(target, |len| len.min(target));
                    return Ok(());
                }
                // Going back notes restart points, so that it is short from the second time on.
                Ok(seekable) if goes_back && seekable.notes_points() => {
                    (state.mode, state.position) = (Mode::Mapped, target);
                    return Ok(());
                }
                Ok(_) => {}
                Err(error) if self.is_empty(&error) => {}
                Err(error) => return Err(error),
            }
        }
        if goes_back {
            if !self.source.is_seekable() {
                return Err(io::Error::from(io::ErrorKind::NotSeekable));
            }
            state.mode = Mode::Fresh;
            state.position = 0;
        }
        let (mut skipped, mut signals) = (vec![0; SKIP_LEN], Signals::new());
        while state.position < target {
            signals.look()?;
            let most = usize::try_from(target - state.position).unwrap_or(SKIP_LEN).min(SKIP_LEN);
            match self.read(state, &mut skipped[..most]) {
                Err(error) if self.is_pause(&error) => {}
                Ok(0) => break,
                read => drop(read?),
            }
        }
        Ok(())
    }

    /// Goes to a position that `seek_to` could not compare with the end, because only decoding tells. Behind the end is
    /// the end.
    fn reach(&self, state: &mut State) -> io::Result<u64> {
        let map = self.mapped(&mut state.map, &state.progress)?;
        if map.read_at(&mut [0], state.position)? == 0 {
            state.position = map.len().map_or(state.position, |len| len.min(state.position));
        }
        Ok(state.position)
    }

    /// The length of the plain data. It may have to be decoded.
    fn measure(&self, state: &mut State) -> io::Result<u64> {
        if let Some(len) = state.len {
            return Ok(len);
        }
        let len = if self.source.is_seekable() {
            match self.mapped(&mut state.map, &state.progress) {
                Err(error) if self.is_empty(&error) => 0,
                seekable => seekable?.measure()?,
            }
        } else {
            self.seek_to(state, u64::MAX)?;
            state.position
        };
        state.len = Some(len);
        Ok(len)
    }

    /// Everything from the position on.
    fn rest(&self, state: &mut State, plain: &Growing) -> io::Result<()> {
        match &mut state.mode {
            Mode::Fresh => {
                let read = whole::decode(&self.source, &self.cancelled_by(&state.progress)?, plain);
                let len = match read.map_err(io::Error::from) {
                    Err(error) if self.is_empty(&error) => 0,
                    len => len?,
                };
                (state.mode, state.position, state.len) = (Mode::AtEnd, len, Some(len));
                Ok(())
            }
            Mode::Background(reader) => self.drain(&mut **reader, plain, &mut state.position),
            Mode::Ahead(reader) => self.drain(&mut **reader, plain, &mut state.position),
            Mode::Mapped => {
                let map = self.mapped(&mut state.map, &state.progress)?.clone();
                let (start, mut signals) = (state.position, Signals::new());
                plain.fill(usize::MAX, |room, at| {
                    signals.look()?;
                    let read = map.read_at(room, start + at)?;
                    state.position = start + at + read as u64;
                    Ok(read)
                })
            }
            Mode::AtEnd => Ok(()),
        }
    }

    /// Appends everything that a reader gives.
    fn drain(&self, reader: &mut impl BufRead, plain: &Growing, position: &mut u64) -> io::Result<()> {
        let mut signals = Signals::new();
        loop {
            signals.look()?;
            let bytes = match reader.fill_buf() {
                Err(error) if self.is_pause(&error) => continue,
                bytes => bytes?,
            };
            let len = bytes.len();
            if len == 0 {
                return Ok(());
            }
            plain.append(bytes)?;
            reader.consume(len);
            *position += len as u64;
        }
    }

    /// Whether the error only says that a pipe gives nothing at the moment.
    fn is_pause(&self, error: &io::Error) -> bool {
        error.kind() == io::ErrorKind::TimedOut && matches!(self.source, Source::Pipe(_))
    }
}

#[pymethods]
impl Decoder {
    #[new]
    #[pyo3(signature = (file, is_ours, reading, index=None, empty_is_valid=false))]
    fn new(
        file: &Bound<'_, PyAny>,
        is_ours: bool,
        reading: Reading,
        index: Option<IndexSource>,
        empty_is_valid: bool,
    ) -> PyResult<Self> {
        let progress = Progress::default();
        let state = State { mode: Mode::Fresh, position: 0, map: None, len: None, progress };
        let source = Source::new(file, is_ours)?;
        Ok(Self {
            source,
            start: reading.start,
            options: reading.options()?,
            index,
            empty_is_valid,
            state: Detached::new(Mutex::new(state)),
        })
    }

    fn readinto(&self, py: Python<'_>, buffer: &Bound<'_, PyAny>) -> PyResult<usize> {
        let mut buffer = Buffer::of(buffer)?;
        let bytes = buffer.bytes_mut()?;
        loop {
            let read = self.work(py, |state| match self.read(state, bytes) {
                Err(error) if self.is_pause(&error) => Ok(None),
                read => read.map(Some),
            })?;
            if let Some(read) = read {
                return Ok(read);
            }
            py.check_signals()?;
        }
    }

    fn readall<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.state.check()?;
        let is_fresh = matches!(self.lock_detached(py).mode, Mode::Fresh);
        let hint = if is_fresh { py.detach(|| whole::hint(&self.source)) } else { 0 };
        let plain = Growing::new(py, hint)?;
        match is_fresh {
            true => self.work_long(py, |state| self.rest(state, &plain))?,
            false => self.work(py, |state| self.rest(state, &plain))?,
        }
        plain.finish(py)
    }

    fn seekable(&self) -> bool {
        self.source.is_seekable()
    }

    fn seek(&self, py: Python<'_>, offset: i64, whence: u8) -> PyResult<u64> {
        if whence == 2 {
            self.work_long(py, |state| self.measure(state))?;
        }
        let moved = self.work(py, |state| {
            let from = match whence {
                0 => 0,
                1 => state.position,
                _ => self.measure(state)?,
            };
            let Some(target) = from.checked_add_signed(offset) else { return Ok(Err(())) };
            self.seek_to(state, target)?;
            let is_unsure = matches!(state.mode, Mode::Mapped) && Self::is_unsure(state);
            Ok(Ok((state.position, is_unsure)))
        })?;
        match moved {
            Ok((_, true)) => self.work_long(py, |state| self.reach(state)),
            Ok((position, false)) => Ok(position),
            Err(()) => Err(PyValueError::new_err("cannot seek to before the start of the data")),
        }
    }

    /// An index of the restart points that seeks and `read_at` have noted, as the bytes of a `.pzi`. None if they do
    /// not lead to all of the file.
    fn noted_index<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let index = self.work(py, |state| {
            let Some(index) = self.mapped(&mut state.map, &state.progress)?.noted_index()? else {
                return Ok(None);
            };
            let mut bytes = Vec::new();
            index.write_to(IndexFormat::Pzi, &mut bytes)?;
            Ok(Some(bytes))
        })?;
        Ok(index.map(|bytes| PyBytes::new(py, &bytes)))
    }

    fn tell(&self, py: Python<'_>) -> PyResult<u64> {
        self.state.check()?;
        Ok(self.lock_detached(py).position)
    }

    /// The bytes from `offset` on, at most `length` of them. The position stays.
    fn read_at<'py>(&self, py: Python<'py>, offset: u64, length: usize) -> PyResult<Bound<'py, PyBytes>> {
        let (map, progress) = self.work(py, |state| {
            let map = self.mapped(&mut state.map, &state.progress)?.clone();
            Ok((map, state.progress.clone()))
        })?;
        let found =
            whole::range(py, &progress, &map, (offset, length), |error| self.source.error(error, self.start));
        self.renew_if_cancelled(py, &progress);
        found
    }

    /// The frames of the file, as tuples.
    fn frames(&self, py: Python<'_>) -> PyResult<Vec<whole::FrameTuple>> {
        let map = self.work(py, |state| self.mapped(&mut state.map, &state.progress).cloned())?;
        Ok(py.detach(|| map.frames().map(whole::tuple).collect()))
    }

    /// The members of the tar archive, as tuples.
    fn members(&self, py: Python<'_>) -> PyResult<Vec<whole::MemberTuple>> {
        let map = self.work(py, |state| self.mapped(&mut state.map, &state.progress).cloned())?;
        let found: Result<_, pzcomp::Error> =
            py.detach(|| map.members()?.map(|member| member.map(whole::member)).collect());
        found.map_err(|error| self.source.error(error.into(), self.start))
    }

    /// Drops everything that was decoded ahead.
    fn close(&self, py: Python<'_>) {
        if self.state.is_of_parent() {
            return;
        }
        py.detach(|| {
            let mut state = self.lock();
            (state.mode, state.map) = (Mode::AtEnd, None);
        });
    }
}

impl Decoder {
    /// The state, when no thread of Python uses it.
    fn lock_detached(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        loop {
            match self.state.try_lock() {
                Ok(state) => return state,
                Err(std::sync::TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(std::sync::TryLockError::WouldBlock) => py.detach(|| drop(self.lock())),
            }
        }
    }
}
