//! [`Restarts`]: decoding from places inside frames, for an index beside the file.
//!
//! gzip is such a format. [`Restarts::scan`] goes through its frames and gives their parts; the caller keeps the place
//! of each part and the window before it. [`Restarts::decode`] decodes one part with that window.

use std::ops::Range;

use super::index_file::IndexFile;
use crate::error::Result;
use engine::io::RandomAccess;

/// A part of a file, at whose start decoding can begin.
pub(crate) struct ScannedPart {
    /// The bytes of the part. If it begins in the middle of a byte, that byte belongs to both parts.
    pub(crate) coded: Range<u64>,
    pub(crate) plain_len: u64,
    /// The last plain data before the part. `None` if the part begins with the header of a frame.
    pub(crate) window: Option<Vec<u8>>,
    /// The rest of what is known of it. The window is not stored yet.
    pub(crate) part: RestartPart,
}

/// What is known of a part of a frame besides its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RestartPart {
    /// Length of the header of the frame with which the part begins. 0 if it begins with a block.
    pub(crate) header_len: u32,
    /// The bit of the first byte at which the first block begins.
    pub(crate) bit: u8,
    /// The window before the part.
    pub(crate) window: Option<StoredWindow>,
    /// The CRC-32 of the plain data, if the index states it.
    pub(crate) crc: Option<u32>,
}

/// Where a window is in the windows of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StoredWindow {
    pub(crate) offset: u64,
    pub(crate) len: u32,
    /// The CRC-32 of the stored bytes. `None` if the window is stored as it is.
    pub(crate) crc: Option<u32>,
}

/// Where a part begins.
pub(crate) enum RestartPoint<'a> {
    /// At the header of a frame.
    Frame,
    /// At this bit of the first byte, where a block begins. The window is the plain data before it.
    Block { bit: u8, window: &'a [u8] },
}

/// A format whose frames can be decoded from places inside them.
pub(crate) trait Restarts: Sync {
    /// Decodes the frames at the start of `range`, verifies each of them, and gives their parts to `take` in order:
    /// about one for each `interval` plain bytes. Returns where the frames end: at the end of the range, or at bytes
    /// that begin none. Memory is bounded by what the caller keeps.
    fn scan(
        &self,
        place: RandomAccess,
        range: Range<u64>,
        interval: u64,
        take: &mut dyn FnMut(ScannedPart) -> Result<()>,
    ) -> Result<u64>;

    /// Decodes the part in `coded`, in bounded memory. `put` takes the plain data. Verifies the frames that begin and
    /// end in the part. It is an error if the part does not end where a block or a frame ends.
    fn decode(
        &self,
        place: RandomAccess,
        coded: Range<u64>,
        start: &RestartPoint,
        put: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()>;

    /// The forms in which other tools keep an index of such a file beside it.
    fn index_files(&self) -> &'static [&'static dyn IndexFile] {
        &[]
    }
}
