//! Coded input.

use crate::error::Result;
use crate::pipeline::Segment;

/// Coded input that is looked at ahead and passed, going forward.
pub(crate) trait Cursor {
    /// At least `len` of the next bytes, fewer only at the end of the input.
    fn peek(&mut self, len: usize) -> Result<&[u8]>;

    /// As many of the next bytes as are cheaply had, at least `len`: for searching.
    fn peek_far(&mut self, len: usize) -> Result<&[u8]>;

    /// Takes the next segment, of at most `most` bytes. Returns nothing at the end of the input.
    fn next_segment(&mut self, most: u64) -> Result<Option<Segment>>;

    /// Receives a segment that was taken and is passed. A cursor that only looks drops it.
    fn receive(&mut self, segment: Segment) {
        drop(segment);
    }

    /// Offset of the next byte.
    fn offset(&self) -> u64;

    /// Passes `len` bytes. Returns false if the input ends before.
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

    /// Passes all that follows, to the end of the input.
    fn take_rest(&mut self) -> Result<()> {
        while let Some(segment) = self.next_segment(u64::MAX)? {
            self.receive(segment);
        }
        Ok(())
    }
}
