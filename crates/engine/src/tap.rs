//! Taps: calls that see all bytes of the input or the output of a stream, in order.
//!
//! Workers read and write out of order, so a tap cannot stand in a reader or a writer. The line passes the bytes of the
//! input and of the output in order, exactly once, and gives each piece of memory to the tap too. The tap has a thread
//! of its own, so it slows the stream down only if it is the slowest part. The memory of a piece returns to its pool
//! when the tap has seen it. So the pieces that wait are bounded by the pool, and because a tap never waits for the
//! line, the memory always returns.
//!
//! [`run`](super::run) starts the threads. If the system starts none for a tap, the stream runs on the thread of the
//! caller, who calls the tap too.

use std::ops::Range;
use std::time::Duration;

use super::buffers::Slice;
use super::line::Segment;
use super::sync::{Receiver, Sender, unbounded};
use super::thread_cpu;
use crate::io::RandomAccess;

/// A call that sees bytes.
pub type Tap<'a> = Box<dyn FnMut(&[u8]) + Send + 'a>;

/// The calls that see the input and the output of a stream.
///
/// Each gets all bytes in the order of the stream, in pieces of any length, and in a thread of its own. With a tap for
/// the input, files are read in order by one thread. After an error, the output that the tap saw may be longer than
/// what was written.
#[derive(Default)]
pub struct Taps<'a> {
    /// Sees the input.
    pub input: Option<Tap<'a>>,
    /// Sees the output, with header and index.
    pub output: Option<Tap<'a>>,
}

/// What waits for a tap.
enum Tapped {
    Slice(Slice),
    /// A range of the memory that is the input.
    Range(Range<u64>),
    End,
}

/// Where the line puts what a tap is to see.
pub(super) struct TapQueue(Sender<Tapped>);

/// The other end of a [`TapQueue`].
pub(super) struct TapEnd(Receiver<Tapped>);

/// The queue for a tap, and its other end.
pub(super) fn tap_queue() -> (TapQueue, TapEnd) {
    let (sender, receiver) = unbounded();
    (TapQueue(sender), TapEnd(receiver))
}

impl TapQueue {
    /// Queues all bytes of a piece. Does not wait.
    pub(super) fn slice(&self, slice: &Slice) {
        // The other end is there as long as the line is used.
        let _ = self.0.send(Tapped::Slice(slice.range(0..slice.len())));
    }

    pub(super) fn segment(&self, segment: &Segment) {
        match segment {
            Segment::Slice(slice) => self.slice(slice),
            Segment::Range(range) => {
                let _ = self.0.send(Tapped::Range(range.clone()));
            }
        }
    }

    /// No more bytes come.
    pub(super) fn end(&self) {
        let _ = self.0.send(Tapped::End);
    }
}

impl TapEnd {
    /// Shows the tap what comes, up to the end. Returns the tap and the CPU time of this thread.
    pub(super) fn show<'a>(self, place: Option<RandomAccess>, mut tap: Tap<'a>) -> (Tap<'a>, Duration) {
        while let Ok(tapped) = self.0.recv() {
            if !tapped.show(place, &mut tap) {
                break;
            }
        }
        (tap, thread_cpu())
    }

    /// Shows the tap what has come.
    pub(super) fn show_ready(&self, place: Option<RandomAccess>, tap: &mut Tap) {
        while let Ok(tapped) = self.0.try_recv() {
            tapped.show(place, tap);
        }
    }
}

impl Tapped {
    /// Shows the tap these bytes. Returns false at the end.
    fn show(self, place: Option<RandomAccess>, tap: &mut Tap) -> bool {
        match (self, place) {
            (Self::Slice(slice), _) => tap(&slice),
            (Self::Range(range), Some(RandomAccess::Memory(memory))) => {
                let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
                tap(memory.get(place(range.start)..place(range.end)).unwrap_or_default());
            }
            // Only memory is passed on in ranges, because a tap for the input makes files be read in order.
            (Self::Range(_), _) => {}
            (Self::End, _) => return false,
        }
        true
    }
}
