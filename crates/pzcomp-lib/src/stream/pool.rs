//! [`Pool`]: threads for many streams.
//!
//! It is the public handle of a [`Crew`] of the engine (`crates/engine/src/crew.rs`). The crew ends with the last
//! handle.

use std::fmt;
use std::sync::Arc;

use crate::error::Result;
use crate::idle::Idle;
use crate::options::{Common, worker_count};
use engine::Crew;

/// Threads that many [`Writer`](crate::Writer)s and [`Reader`](crate::Reader)s share. Clones are the same pool.
///
/// All streams that have something to do get equal numbers of turns. A stream that waits for input, or for its caller
/// to take output, holds no turn. Besides the threads of the pool, each reader has one thread that finds frames, and
/// that mostly waits.
///
/// A pool keeps its threads, of which at most [`Self::threads`] are idle, and nothing of a stream that has ended. Open
/// streams have their own buffers; the options bound them ([`EncodeBuilder::memory`](crate::EncodeBuilder::memory)).
/// The allocator of the system may keep memory that ended streams have freed, some hundred MiB after a hundred writers.
/// [`Self::trim`] gives it back.
///
/// ```
/// use std::io::Write;
/// let pool = pzcomp::Pool::new(2)?;
/// let mut writers = Vec::new();
/// for _ in 0..50 {
///     writers.push(pzcomp::Writer::with_pool(Vec::new(), pzcomp::Encode::default(), &pool)?);
/// }
/// for mut writer in writers {
///     writer.write_all(b"three in the morning")?;
///     writer.finish()?;
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct Pool(Arc<Handle>);

struct Handle(Arc<Crew>);

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Pool {
    /// A pool that works with this many threads. 0 means the number of CPUs that this process may use. It is an error
    /// if the system starts no thread.
    pub fn new(threads: usize) -> Result<Self> {
        Self::start(worker_count(threads), false)
    }

    /// A pool for the stream with these options.
    pub(super) fn of(options: &impl Common) -> Result<Self> {
        Self::start(options.workers(), options.is_idle())
    }

    /// The same for compression, whose caller does the jobs if the system starts no thread.
    pub(super) fn of_what_there_is(options: &impl Common) -> Self {
        Self::of(options).unwrap_or_else(|_| {
            let throttle = Idle::throttle(options.is_idle(), 1);
            Self(Arc::new(Handle(Crew::without_threads(options.workers(), throttle))))
        })
    }

    fn start(threads: usize, is_idle: bool) -> Result<Self> {
        // A crew parks no thread, so it needs no watch over other programs.
        Ok(Self(Arc::new(Handle(Crew::new(threads, Idle::throttle(is_idle, 1))?))))
    }

    /// How many threads work at the same time.
    pub fn threads(&self) -> usize {
        self.0.0.size()
    }

    /// Gives memory of streams that have ended back to the system.
    ///
    /// With glibc this is all memory of the process that is freed and not in use, whichever part of the program has
    /// freed it. It takes some milliseconds, and the next streams must get their memory from the system again. So a
    /// program calls it when it expects no stream for a while. Other allocators are left alone. Streams that are open
    /// keep their memory.
    ///
    /// ```
    /// use pzcomp::{Encode, Pool, Writer};
    ///
    /// let pool = Pool::new(2)?;
    /// for _ in 0..10 {
    ///     Writer::with_pool(Vec::new(), Encode::default(), &pool)?.finish()?;
    /// }
    /// pool.trim();
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn trim(&self) {
        system::allocator::give_back();
    }

    /// Whether the system has started a thread.
    pub(super) fn has_threads(&self) -> bool {
        !self.0.0.is_short()
    }

    pub(super) fn crew(&self) -> Arc<Crew> {
        Arc::clone(&self.0.0)
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("threads", &self.threads()).finish_non_exhaustive()
    }
}
