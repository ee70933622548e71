//! [`Noted`]: restart points that are noted while a file without an index is read in any order.
//!
//! A thread scans the frames behind the last span of the map, in order. It notes a restart point now and then, and
//! waits when it is far enough ahead of the reads. A read wakes it if it wants data behind the last point. Data is
//! decoded from the nearest point before it, and compared with the checksum that the scan has noted, so it is the same
//! as that of decoding in order.
//!
//! Memory is bounded: the points with their windows take up to [`POINTS_MEMORY`], or a quarter of the memory that the
//! options allow. What is behind the last point that fits is decoded in order, as is a damaged frame, everything behind
//! it, and frames of other formats. As with all decoding in order, data of a long frame is given out before the scan
//! has reached its check.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::decode::SpanDecoder;
use super::map::{Map, Span, SpanKind};
use super::points::Points;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::format::restart::ScannedPart;
use crate::format::restart::{RestartPart, StoredWindow};
use crate::options::{Decode, Unknown};

/// The most bytes of points and windows that are kept. Each frame has a point, so short frames have many.
const POINTS_MEMORY: u64 = 64 << 20;
/// The scan stops this many plain bytes behind the last byte that was asked for, so that it works ahead of a reader.
const AHEAD: u64 = 16 << 20;
/// The plain bytes between two points. A read decodes half as much on average before its first byte.
const INTERVAL: u64 = 1 << 20;
/// The same for very long files, so that their windows fit.
const INTERVAL_MAX: u64 = 32 << 20;
/// A file has points for this many intervals, if its data is as long as its coded bytes.
const POINTS: u64 = 1024;

/// The plain bytes between two points in a file with this many coded bytes. Spans must fit into a cache of `cache_len`.
pub(super) fn interval(coded_len: u64, cache_len: u64) -> u64 {
    (coded_len / POINTS).clamp(INTERVAL, INTERVAL_MAX).min(cache_len / 4).max(1)
}

/// Where a plain offset is.
pub(super) enum Reached {
    /// In this part. The number is that of its span, and nothing else has it.
    Part(usize, NotedPart),
    /// Behind the end of the data, which is here.
    End(u64),
    /// No point leads to it.
    Unknown,
}

/// A part that is decoded by itself.
pub(super) struct NotedPart {
    pub(super) span: Span,
    part: RestartPart,
    window: Vec<u8>,
}

impl NotedPart {
    /// The data of the part.
    pub(super) fn decode(&self, decoder: SpanDecoder) -> Result<Vec<u8>> {
        let decoder = SpanDecoder { parts: &[self.part], windows: &self.window, ..decoder };
        decoder.blocks(&[self.span]).map(|blocks| blocks.into_iter().next().unwrap_or_default())
    }
}

/// Whether nobody needs more of a scan.
pub(super) type IsOver<'a> = &'a (dyn Fn() -> bool + Sync);

/// How the scan ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// The points lead to all data of the file.
    OfFile,
    /// Something follows that no point leads to.
    Early,
}

struct State {
    points: Points,
    /// The scan goes on up to this plain offset.
    wanted: u64,
    end: Option<End>,
    is_dropped: bool,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    format: Format,
    options: Decode,
}

/// The restart points that were noted so far, and the thread that notes more.
pub(super) struct Noted {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Noted {
    /// Starts a thread for `scan`. It gives its parts to the second function that it gets, and returns the coded offset
    /// at which it ended. It should end when the first function says so. The parts follow the spans of `map`.
    pub(super) fn start(
        format: Format,
        map: Map,
        options: &Decode,
        scan: impl FnOnce(IsOver, &mut dyn FnMut(ScannedPart) -> Result<()>) -> Result<u64> + Send + 'static,
    ) -> Result<Self> {
        let coded_len = map.coded_len;
        let points = Points::new(Map { rest: None, ..map });
        let state = Mutex::new(State { points, wanted: 0, end: None, is_dropped: false });
        let shared = Arc::new(Shared { state, changed: Condvar::new(), format, options: options.clone() });
        let ending = Ending(shared.clone());
        let thread = std::thread::Builder::new().spawn(move || {
            let Ending(shared) = &ending;
            match scan(&|| shared.is_over(), &mut |part| shared.take(part)) {
                Ok(end) if end == coded_len => shared.lock().note_end(coded_len, shared.options.unknown),
                // It was ended from here, and what it had noted is right.
                Ok(_) | Err(Error::GivenUp | Error::Cancelled) => {}
                // Perhaps only the check of a frame has found that its data is wrong.
                Err(_) => shared.lock().points.forget_last_frame(),
            }
        });
        Ok(Self { shared, thread: Some(thread.map_err(|source| Error::Threads { source })?) })
    }

    /// Where a plain offset is. This waits until the scan has come there.
    pub(super) fn reach(&self, offset: u64) -> Reached {
        let mut state = self.shared.lock();
        state.wanted = state.wanted.max(offset.saturating_add(AHEAD));
        self.shared.changed.notify_all();
        loop {
            let end = state.points.map.plain_end();
            if offset < end {
                let number = state.points.map.holding(offset);
                return state.part(number).map_or(Reached::Unknown, |part| Reached::Part(number, part));
            }
            match state.end {
                Some(End::OfFile) => return Reached::End(end),
                Some(End::Early) => return Reached::Unknown,
                None => state = self.shared.wait(state),
            }
        }
    }

    /// The map of the whole file and its windows, if the points lead to all of it.
    pub(super) fn whole(&self) -> Option<(Map, Vec<u8>)> {
        let state = self.shared.lock();
        (state.end == Some(End::OfFile)).then(|| (state.points.map.clone(), state.points.windows.clone()))
    }
}

impl Drop for Noted {
    /// Ends the thread at its next part, or at its next access to the file.
    fn drop(&mut self) {
        self.shared.lock().is_dropped = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // Nobody waits for the result.
            let _ = thread.join();
        }
    }
}

impl State {
    /// Notes that nothing follows the frames but zeros. These are data if unknown bytes are copied.
    fn note_end(&mut self, coded_len: u64, unknown: Unknown) {
        let last = self.points.map.spans.last().map_or(0, |span| span.coded_range().end);
        let is_all = unknown != Unknown::Copy || last == coded_len;
        self.end = Some(if is_all { End::OfFile } else { End::Early });
    }

    /// A part with all that its decoding needs.
    fn part(&self, number: usize) -> Option<NotedPart> {
        let Points { map, windows, .. } = &self.points;
        let mut span = *map.spans.get(number)?;
        let SpanKind::Part { format, number } = span.kind else { return None };
        let mut part = *map.parts.get(number as usize)?;
        let mut window = Vec::new();
        if let Some(stored) = &mut part.window {
            let start = usize::try_from(stored.offset).ok()?;
            window = windows.get(start..start + stored.len as usize)?.to_vec();
            *stored = StoredWindow { offset: 0, ..*stored };
        }
        span.kind = SpanKind::Part { format, number: 0 };
        Some(NotedPart { span, part, window })
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn is_cancelled(&self) -> bool {
        self.options.progress.as_ref().is_some_and(|progress| progress.is_cancelled())
    }

    fn is_over(&self) -> bool {
        self.is_cancelled() || self.lock().is_dropped
    }

    /// Notes a part, and waits until more is wanted. An error ends the scan.
    fn take(&self, part: ScannedPart) -> Result<()> {
        if self.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let most = self.options.memory.map_or(POINTS_MEMORY, |memory| (memory / 4).min(POINTS_MEMORY));
        let mut state = self.lock();
        let fits = state.points.add(self.format, part)? && state.points.memory() <= most;
        self.changed.notify_all();
        while fits && !state.is_dropped && state.points.map.plain_end() > state.wanted {
            state = self.wait(state);
        }
        if state.is_dropped || !fits { Err(Error::GivenUp) } else { Ok(()) }
    }
}

/// Says that the scan has ended, whatever has ended it.
struct Ending(Arc<Shared>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.lock().end.get_or_insert(End::Early);
        self.0.changed.notify_all();
    }
}
