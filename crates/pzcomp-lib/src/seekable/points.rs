//! [`Points`]: the restart points that a scan finds inside frames, with the windows before them.
//!
//! A scan ([`Restarts::scan`](crate::format::restart::Restarts::scan)) gives its parts in order, and [`Points::add`]
//! keeps them: the map gets a span for each part, and its window is compressed and kept behind the others.
//! `index/build.rs` scans a whole file for an index. `noted.rs` scans as far as reads have come.

use pzcomp_deflate::encode::{Encoder, End, Search, coded_bound};

use super::map::{Map, Span, SpanKind};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::format::restart::ScannedPart;
use crate::format::restart::{RestartPart, StoredWindow};

/// A map that grows, and its windows.
pub(super) struct Points {
    pub(super) map: Map,
    pub(super) windows: Vec<u8>,
    encoder: Encoder,
}

impl Points {
    /// The map has the spans before the first part.
    pub(super) fn new(map: Map) -> Self {
        Self { map, windows: Vec::new(), encoder: Encoder::new(Search::Matches) }
    }

    /// How many bytes the parts and their windows take.
    pub(super) fn memory(&self) -> u64 {
        let each = size_of::<Span>() + size_of::<RestartPart>();
        (self.map.parts.len() * each + self.windows.len()) as u64
    }

    /// Adds the next part. False if there are too many spans.
    pub(super) fn add(&mut self, format: Format, part: ScannedPart) -> Result<bool> {
        if part.plain_len == 0 {
            return Ok(true);
        }
        let window = match part.window {
            Some(bytes) => Some(self.store(&bytes)?),
            None => None,
        };
        let number = u32::try_from(self.map.parts.len()).unwrap_or(u32::MAX);
        self.map.parts.push(RestartPart { window, ..part.part });
        Ok(self.map.push(part.coded, part.plain_len, SpanKind::Part { format, number }))
    }

    /// Forgets all points from the last one on at which a frame begins. The last frame begins there or behind it.
    pub(super) fn forget_last_frame(&mut self) {
        let begins_frame = |span: &Span| match span.kind {
            SpanKind::Part { number, .. } => {
                self.map.parts.get(number as usize).is_some_and(|part| part.header_len > 0)
            }
            SpanKind::Unit { .. } => false,
        };
        let keep = self.map.spans.iter().rposition(begins_frame);
        // Without such a point the last frame is one of the spans before the points.
        self.map.spans.truncate(keep.unwrap_or(0));
    }

    /// Keeps a window, and says where.
    fn store(&mut self, window: &[u8]) -> Result<StoredWindow> {
        let mut coded = vec![0; coded_bound(window.len())];
        let len = self.encoder.encode(window, &mut coded, End::Final);
        coded.truncate(len.ok_or_else(|| Error::Internal("a window has no room".into()))?);
        let (offset, crc) = (self.windows.len() as u64, Some(crc32fast::hash(&coded)));
        self.windows.extend_from_slice(&coded);
        Ok(StoredWindow { offset, len: coded.len() as u32, crc })
    }
}
