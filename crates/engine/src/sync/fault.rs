//! Bugs that are seeded in the engine, so that a test can see that the models find them.
//!
//! A place asks `seeded!(Name)` and goes wrong if the thread has switched this fault on. Without the feature
//! `schedules` there are no faults.

use std::cell::Cell;

/// A bug that a model must find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(test), allow(dead_code, reason = "models switch them on"))]
pub(crate) enum Fault {
    /// The head puts out a piece, and no thread that waits for it is woken.
    PieceWithoutNotice,
    /// A job becomes certain, and its worker is not woken.
    CertainWithoutNotice,
    /// A job that is a guess itself continues into the next span.
    GuessContinued,
    /// A job that is cancelled does not give back the input that it has read.
    KeptInputLost,
    /// The error of a feeder that ends while the line is not locked is lost.
    EndSeenTooEarly,
    /// A job continues into a span whose worker waits for input, waits for it too, and the owner of the session is not
    /// told.
    StarvingTwice,
    /// The feeder begins to wait for room behind the notice that the line was stopped.
    OpenedWithoutLook,
    /// The owner of a session reads while output waits behind a cancelled job that its worker has not given up yet.
    CancelledHeadPassed,
    /// Of several threads that wait for a new head, one is woken.
    OneOfMany,
    /// A line is stopped without its lock, so a thread that has looked begins to wait behind the notice.
    StoppedWithoutLock,
    /// A worker that finds no task does not look whether one came during its search.
    WakeupsNotCounted,
    /// A pool wakes its waiters without its lock.
    ClosedWithoutLock,
    /// A buffer returns to its pool with each of its slices.
    ReturnedTwice,
    /// Lent bytes come back without the lock of the pool.
    LentBackWithoutLock,
    /// The next job can leave its work between the look for such work and the baton.
    PassedOnInTwoSteps,
    /// A job leaves its work although the baton has come.
    LeftTooLate,
    /// A thread of a crew that waits inside a task does not lend its place.
    PlaceNotLent,
    /// A session takes a task between the look for tasks and the end of a turn.
    TurnEndedInTwoSteps,
    /// A session that is dropped does not stop its stream.
    DroppedWithoutStop,
    /// A thread that has added a piece to a checksum does not wake the thread that wants the sum.
    SumWithoutNotice,
    /// A worker begins to wait for input, and the owner of the session is not woken.
    OwnerNotTold,
    /// The consumer of a store ends, and the producer is not woken.
    StoreClosedWithoutNotice,
    /// The producer of a store ends, and the consumer is not woken.
    StoreEndedWithoutNotice,
}

std::thread_local! {
    // Shuttle runs all threads of a model on one thread of the system.
    static SEEDED: Cell<Option<Fault>> = const { Cell::new(None) };
}

impl Fault {
    /// All of them, in order.
    #[cfg(test)]
    pub(crate) const ALL: &[Self] = &[
        Self::PieceWithoutNotice,
        Self::CertainWithoutNotice,
        Self::GuessContinued,
        Self::KeptInputLost,
        Self::EndSeenTooEarly,
        Self::StarvingTwice,
        Self::OpenedWithoutLook,
        Self::CancelledHeadPassed,
        Self::OneOfMany,
        Self::StoppedWithoutLock,
        Self::WakeupsNotCounted,
        Self::ClosedWithoutLock,
        Self::ReturnedTwice,
        Self::LentBackWithoutLock,
        Self::PassedOnInTwoSteps,
        Self::LeftTooLate,
        Self::PlaceNotLent,
        Self::TurnEndedInTwoSteps,
        Self::DroppedWithoutStop,
        Self::SumWithoutNotice,
        Self::OwnerNotTold,
        Self::StoreClosedWithoutNotice,
        Self::StoreEndedWithoutNotice,
    ];

    /// Whether this fault is switched on.
    pub(crate) fn is_seeded(self) -> bool {
        SEEDED.get() == Some(self)
    }

    /// Switches a fault on for the models of this thread, or all off.
    #[cfg(test)]
    pub(crate) fn seed(fault: Option<Self>) {
        SEEDED.set(fault);
    }
}
