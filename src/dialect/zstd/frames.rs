//! The headers of all frames in a zstd file added up, for `zstd -l`.
//!
//! [`Frames::of`] takes a file that the library has listed. The library reads the headers. `table` prints the totals.

use std::fs::File;

use pzcomp::Error;
use pzcomp::inspect::zstd_frames;

/// What the frames of a file have in their headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frames {
    /// The number of frames that are not skippable.
    pub(super) count: u64,
    /// The number of skippable frames.
    pub(super) skippable: u64,
    /// The window of the last frame in bytes.
    pub(super) window: u64,
    /// The number of the dictionary that all frames need. It is 0 if they need different ones.
    pub(super) dictionary: u32,
    /// The checksum of the last frame that has one.
    pub(super) checksum: Option<u32>,
}

impl Frames {
    /// Adds up the frames of a file. Fails if the file cannot be read or ends within a frame.
    pub(super) fn of(file: &File) -> Result<Self, Error> {
        let mut frames = Self::default();
        for frame in zstd_frames(file) {
            let frame = frame?;
            if frame.is_skippable {
                frames.skippable += 1;
                continue;
            }
            let is_same = frames.dictionary == 0 || frames.dictionary == frame.dictionary_id;
            frames.dictionary = if is_same { frame.dictionary_id } else { 0 };
            frames.window = frame.window_len;
            frames.checksum = frame.checksum.or(frames.checksum);
            frames.count += 1;
        }
        Ok(frames)
    }
}
