//! [`BlockingWriter`]: a pipe, a socket or a terminal that is written in order.
//!
//! [`Output`](super::Output) makes it for files that have no offsets.

use std::io::Write;

use system::handle::{self, Handle};

/// Writes to a descriptor as if it blocked. The owner of a pipe, a socket or a terminal may have made it non-blocking,
/// for all processes that share it. Then a write fails while there is no room, and this waits for room.
///
/// ```
/// use std::io::Write;
/// let file = tempfile::tempfile()?;
/// # use pzcomp_engine::io as pzcomp;
/// pzcomp::BlockingWriter::new(system::handle::of(&file)).write_all(b"three")?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BlockingWriter<'a>(Handle<'a>);

impl<'a> BlockingWriter<'a> {
    /// A writer to this descriptor, or this handle on Windows.
    pub fn new(handle: Handle<'a>) -> Self {
        Self(handle)
    }
}

impl Write for BlockingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        handle::write(self.0, bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
