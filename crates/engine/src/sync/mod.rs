//! Threads, locks, atomics and queues: every means by which a thread of the engine waits for another one or sees what
//! it did.
//!
//! They are those of std and crossbeam. With the feature `schedules` they are those of shuttle, which runs the threads
//! of a model one at a time in an order of its choice (`model.rs`, `src/schedules/`). The areas of the engine import
//! them from here only. Counters and clocks that no thread acts on stay with std, so that models need no steps for
//! them.

#[cfg(feature = "schedules")]
mod fault;
#[cfg(feature = "schedules")]
mod model;
#[cfg(not(feature = "schedules"))]
mod real;

#[cfg(feature = "schedules")]
pub(crate) use fault::Fault;
#[cfg(feature = "schedules")]
pub(crate) use model::*;
#[cfg(not(feature = "schedules"))]
pub(crate) use real::*;

/// Whether a bug is seeded here: a variant of [`Fault`] that a model must find. `false` without the feature
/// `schedules`.
macro_rules! seeded {
    ($fault:ident) => {{
        #[cfg(feature = "schedules")]
        let is_seeded = crate::sync::Fault::$fault.is_seeded();
        #[cfg(not(feature = "schedules"))]
        let is_seeded = false;
        is_seeded
    }};
}
pub(crate) use seeded;
