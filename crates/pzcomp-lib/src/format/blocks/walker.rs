//! The walker of formats whose streams are blocks.

use super::super::{Cursor, Unit, Walker};
use super::{BlockFormat, Item, ItemKind, Look, look_at};
use crate::error::{Error, Result};

/// Makes a unit of each block.
pub(super) struct BlockWalker {
    format: &'static dyn BlockFormat,
    /// The context of the next byte, inside a stream.
    context: Option<u8>,
    /// Where the stream begins.
    start: u64,
    /// What the next unit is. [`Walker::unit`] sets it for [`Walker::pass`].
    item: Option<Item>,
}

impl BlockWalker {
    pub(super) fn new(format: &'static dyn BlockFormat) -> Self {
        Self { format, context: None, start: 0, item: None }
    }
}

impl Walker for BlockWalker {
    fn unit(&mut self, cursor: &mut dyn Cursor) -> Result<Unit> {
        let context = self.context.unwrap_or_else(|| {
            self.start = cursor.offset();
            self.format.first_context()
        });
        let (look, len) = look_at(self.format, cursor, context)?;
        if look.is_none() && len == 0 {
            // Only a stream with a mark at its end is continued here.
            let (format, offset) = (self.format.info().name, cursor.offset());
            return Err(Error::Truncated { format, frame: self.start, offset });
        }
        self.item = match look {
            Some(Look::Item(item)) => Some(item),
            _ => None,
        };
        Ok(match self.item.map(|item| item.kind) {
            Some(ItemKind::Block { plain_len, check }) => {
                Unit { context, ..Unit::frame(Some(plain_len as u64), check) }
            }
            Some(ItemKind::Header { .. }) => Unit::HEADER,
            Some(ItemKind::End) => Unit::SKIP,
            // The decoder says what is wrong.
            None => Unit { context, ..Unit::rest("-") },
        })
    }

    fn pass(&mut self, cursor: &mut dyn Cursor) -> Result<()> {
        let context = self.context.take().unwrap_or_else(|| self.format.first_context());
        let Some(item) = self.item.take() else { return cursor.take_rest() };
        if !cursor.take(item.len)? {
            // The worker that decodes the block reports that it is cut off. A header is at hand completely.
            return Ok(());
        }
        self.context = match item.kind {
            ItemKind::Header { context } => Some(context),
            ItemKind::Block { .. } => Some(context),
            ItemKind::End => None,
        };
        Ok(())
    }

    fn is_inside(&self) -> bool {
        self.context.is_some()
    }

    /// A stream without a mark at its end continues as long as blocks follow.
    fn continues(&mut self, cursor: &mut dyn Cursor) -> Result<bool> {
        let Some(context) = self.context.filter(|_| !self.format.has_end_mark()) else {
            return Ok(self.context.is_some());
        };
        let (look, len) = look_at(self.format, cursor, context)?;
        if matches!(look, Some(Look::Outside)) || look.is_none() && len == 0 {
            self.context = None;
        }
        Ok(self.context.is_some())
    }
}
