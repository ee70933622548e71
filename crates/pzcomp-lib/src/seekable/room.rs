//! [`Room`]: where the plain data of a span goes.
//!
//! A read that takes all of a span has it decoded into the memory of the caller. A span of which a read takes a part is
//! decoded into memory of its own, a block, which the cache keeps.

use std::io::{self, ErrorKind, Write};

use super::map::Span;

/// Memory for the plain data of a span. It is filled from its start on.
pub(super) enum Room<'a> {
    /// Memory of its own, which grows with the data.
    Block(Vec<u8>),
    /// Memory of the caller, as long as the span, and how much of it is filled.
    Place(&'a mut [u8], usize),
}

impl Default for Room<'_> {
    fn default() -> Self {
        Self::Block(Vec::new())
    }
}

impl Room<'_> {
    /// The memory of its own, if it has that.
    pub(super) fn into_block(self) -> Option<Vec<u8>> {
        match self {
            Self::Block(block) => Some(block),
            Self::Place(..) => None,
        }
    }

    /// How much of it is filled.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Block(block) => block.len(),
            Self::Place(_, filled) => *filled,
        }
    }

    /// Appends data of the span.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Block(block) => block.extend_from_slice(bytes),
            Self::Place(place, filled) => {
                let end = *filled + bytes.len();
                let free = place.get_mut(*filled..end).ok_or(ErrorKind::WriteZero)?;
                free.copy_from_slice(bytes);
                *filled = end;
            }
        }
        Ok(())
    }

    /// Has all of the data made in place, which has this length. Returns whether `make` has done so; otherwise the room
    /// is empty.
    pub(super) fn make(&mut self, len: usize, make: impl FnOnce(&mut [u8]) -> bool) -> bool {
        match self {
            Self::Block(block) => {
                block.resize(len, 0);
                let is_made = make(block);
                if !is_made {
                    block.clear();
                }
                is_made
            }
            Self::Place(place, filled) => {
                let is_made = place.get_mut(..len).is_some_and(make);
                *filled = if is_made { len } else { 0 };
                is_made
            }
        }
    }
}

/// Divides the output of the pipeline into the rooms of the spans.
pub(super) struct RoomWriter<'a, 'b> {
    spans: &'a [Span],
    /// One for each span.
    pub(super) rooms: Vec<Room<'b>>,
    /// The number of the room that is being filled.
    at: usize,
    /// Whether there was more data than the spans have.
    pub(super) is_exceeded: bool,
}

impl<'a, 'b> RoomWriter<'a, 'b> {
    pub(super) fn new(spans: &'a [Span], rooms: Vec<Room<'b>>) -> Self {
        Self { spans, rooms, at: 0, is_exceeded: false }
    }
}

impl Write for RoomWriter<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        while let (Some(span), Some(room)) = (self.spans.get(self.at), self.rooms.get_mut(self.at)) {
            let free = span.plain_len.saturating_sub(room.len() as u64);
            if free > 0 {
                let len = usize::try_from(free).unwrap_or(usize::MAX).min(bytes.len());
                room.append(&bytes[..len])?;
                return Ok(len);
            }
            self.at += 1;
        }
        self.is_exceeded = true;
        Err(ErrorKind::InvalidData.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
