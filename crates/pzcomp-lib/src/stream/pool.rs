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
/// to take output, holds no turn. Besides the threads of the pool, each reader has two threads that mostly wait: one
/// finds frames, and the second one decodes if the system refuses the pool a thread.
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
    /// A pool that works with this many threads. 0 means the number of CPUs that this process may use. If the system
    /// starts fewer threads, or none, the threads that call writers and readers do the work. So this returns no error.
    pub fn new(threads: usize) -> Result<Self> {
        Ok(Self::start(worker_count(threads), false))
    }

    /// A pool for the stream with these options.
    pub(super) fn of(options: &impl Common) -> Self {
        Self::start(options.workers(), options.is_idle())
    }

    fn start(threads: usize, is_idle: bool) -> Self {
        // A crew parks no thread, so it needs no watch over other programs.
        Self(Arc::new(Handle(Crew::new(threads, Idle::throttle(is_idle, 1)))))
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

    pub(super) fn crew(&self) -> Arc<Crew> {
        Arc::clone(&self.0.0)
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("threads", &self.threads()).finish_non_exhaustive()
    }
}
