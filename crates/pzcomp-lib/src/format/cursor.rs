//! [`Cursor`]: coded input that walkers look at and pass, going forward.
//!
//! The walkers of the formats take a cursor, and find in it where frames end. `decompress/cursor.rs` has a cursor for
//! streams and one for files and memory. `decompress/walk.rs` puts a cursor around one of them that pushes what is
//! passed to a job.
//!
//! Bytes are passed in order, and a byte that was passed is never looked at again.

use crate::error::Result;
use engine::Segment;

/// Coded input that is looked at and passed, going forward.
pub(crate) trait Cursor {
    /// At least `len` of the next bytes. Fewer only at the end of the input.
    fn peek(&mut self, len: usize) -> Result<&[u8]>;

    /// At least `len` of the next bytes, and as many more as are cheap to get. For searching.
    fn peek_far(&mut self, len: usize) -> Result<&[u8]>;

    /// Like [`Self::peek_far`], but fewer bytes also if the input pauses before that many have come. A walker that
    /// looks for something passes the bytes that it got, so that what they hold can be decoded and given out.
    fn glance(&mut self, len: usize) -> Result<&[u8]> {
        self.peek_far(len)
    }

    /// Takes the next segment, of at most `most` bytes. Nothing at the end of the input.
    fn next_segment(&mut self, most: u64) -> Result<Option<Segment>>;

    /// Gets each segment that [`Self::take`] passes. A cursor that is only for looking drops it.
    fn receive(&mut self, segment: Segment) {
        drop(segment);
    }

    /// Offset of the next byte.
    fn offset(&self) -> u64;

    /// Passes `len` bytes. False if the input ends before.
    fn take(&mut self, mut len: u64) -> Result<bool> {
        while len > 0 {
            let Some(segment) = self.next_segment(len)? else {
                return Ok(false);
            };
            len -= segment.len();
            self.receive(segment);
        }
        Ok(true)
    }

    /// Passes everything that follows, to the end of the input.
    fn take_rest(&mut self) -> Result<()> {
        while let Some(segment) = self.next_segment(u64::MAX)? {
            self.receive(segment);
        }
        Ok(())
    }
}
