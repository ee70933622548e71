//! [`sweeping`]: keeps the files of a stream out of the page cache of the system.
//!
//! A thread follows the progress of the stream, and drops the pages of the input and of the output behind it. The
//! workers know nothing of it. A page that is dropped too early is only read again, so the thread need not know which
//! worker is where. At the end all pages are dropped.

use std::fs::File;
use std::thread::Builder;
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, bounded};

use crate::error::{Error, Result};
use crate::options::Common;
use engine::io::{Input, Output};
use system::cache::drop_pages;

/// How often the thread looks at the progress.
const INTERVAL: Duration = Duration::from_millis(50);

/// Fewer new bytes are not worth a call.
const LEAST: u64 = 16 << 20;

/// Pages before the place that was reached last are dropped once more: workers may have read them later, or a
/// verification may have read them again.
const MARGIN: u64 = 64 << 20;

/// A file that is read or written from `start` on.
struct Swept<'a> {
    file: &'a File,
    start: u64,
    is_written: bool,
    /// How far the pages were dropped.
    done: u64,
}

impl Swept<'_> {
    /// Drops the pages up to this number of bytes, if enough of them are new. Fails if what was written is not on the
    /// disk.
    fn drop_up_to(&mut self, reached: u64) -> std::io::Result<()> {
        if reached.saturating_sub(self.done) < LEAST {
            return Ok(());
        }
        let from = self.done.saturating_sub(MARGIN);
        self.done = reached;
        drop_pages(self.file, self.start + from..self.start + reached, self.is_written)
    }
}

/// Runs a stream with these options. If they ask for it, the regular files of the stream leave the page cache. Pages of
/// the output leave it when they are on the disk, and it is an error if they cannot be written there.
pub(crate) fn sweeping<T, O: Common>(
    input: Input,
    output: Output,
    options: &O,
    run: impl FnOnce(Input, Output, &O) -> Result<T>,
) -> Result<T> {
    if !options.drops_cache() || !system::cache::DROPS {
        return run(input, output, options);
    }
    let mut read = match input {
        Input::File { file, start, .. } => Some(Swept { file, start, is_written: false, done: 0 }),
        _ => None,
    };
    let mut written = match output {
        Output::File { file, start } => Some(Swept { file, start, is_written: true, done: 0 }),
        _ => None,
    };
    let progress = options.progress();
    let options = options.keeping_cache().with_progress(&progress);
    let bytes_out = progress.clone();
    // A caller may use one progress for several streams.
    let (in_before, out_before) = (progress.bytes_in(), progress.bytes_out());
    std::thread::scope(|scope| {
        let (ended, end) = bounded::<()>(0);
        let sweeper = Builder::new().name("cache".into()).spawn_scoped(scope, move || {
            while end.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if let Some(file) = &mut read {
                    file.drop_up_to(progress.bytes_in().saturating_sub(in_before))?;
                }
                if let Some(file) = &mut written {
                    file.drop_up_to(progress.bytes_out().saturating_sub(out_before))?;
                }
            }
            [read, written]
                .into_iter()
                .flatten()
                .try_for_each(|swept| drop_pages(swept.file, swept.start..u64::MAX, swept.is_written))
        });
        let result = run(input, output, &options)?;
        drop(ended);
        // Without the thread the data is right too. The pages then stay in the cache.
        let Ok(sweeper) = sweeper else { return Ok(result) };
        let swept = sweeper.join().map_err(|_| Error::Internal("a thread panicked".into()))?;
        let offset = bytes_out.bytes_out().saturating_sub(out_before);
        swept.map(|()| result).map_err(|source| Error::Write { offset, source })
    })
}
