//! [`Accepted`]: which formats a stream may be in, and how the next frame is recognised.
//!
//! The option `accept` comes in. [`Accepted::sniff`] then gets the first bytes of a frame and their offset, and gives
//! the format. The feeder and the workers use the same `Accepted`, so that they agree.

use super::{Codec, FORMATS, Format, skippable};
use crate::error::Error;

/// Where a format is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Starts {
    /// At the start of the input, and behind any frame.
    Anywhere,
    /// At the start of the input.
    First,
    /// At the start of the input, and only if the caller names the format.
    FirstIfNamed,
}

/// The formats that a stream may be in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepted {
    /// One for each format of the table.
    formats: [bool; FORMATS.len()],
    /// Those that are recognised behind other frames.
    behind_frames: [bool; FORMATS.len()],
    skippable: bool,
}

impl Accepted {
    /// The formats that are named, or all formats that need not be named.
    pub(crate) fn new(named: Option<&[Format]>) -> Self {
        let is_accepted = |format: Format| match named {
            Some(named) => named.contains(&format),
            None => format.codec().starts() != Starts::FirstIfNamed,
        };
        let formats = Format::EVERY.map(is_accepted);
        Self {
            formats,
            behind_frames: Format::EVERY
                .map(|format| format.codec().starts_behind(named.unwrap_or_default())),
            skippable: FORMATS.iter().zip(formats).any(|(codec, accepted)| accepted && codec.has_skippable()),
        }
    }

    /// The intersection of `self` with this one format.
    pub(crate) fn only(self, format: Format) -> Self {
        let mut formats = [false; FORMATS.len()];
        let at = format.index();
        formats[at] = self.formats[at];
        Self { formats, skippable: false, behind_frames: Self::new(None).behind_frames }
    }

    /// The format of the frame that begins with these bytes at this offset of the input.
    pub(crate) fn sniff(&self, head: &[u8], offset: u64) -> Option<Format> {
        let begins = |at: &usize| {
            self.formats[*at] && FORMATS[*at].sniff(head) && (offset == 0 || self.behind_frames[*at])
        };
        (0..FORMATS.len()).find(begins).map(|at| Format::EVERY[at])
    }

    /// The error of bytes behind a frame that are a damaged frame of an accepted format: see [`Codec::damaged_start`].
    pub(crate) fn damaged_start(&self, head: &[u8], offset: u64) -> Option<Error> {
        self.codecs().find_map(|codec| codec.damaged_start(head, offset))
    }

    /// The error of a frame of an accepted format that was cut off in its first bytes: see [`Codec::cut_start`].
    pub(crate) fn cut_start(&self, head: &[u8], offset: u64) -> Option<Error> {
        self.codecs().find_map(|codec| codec.cut_start(head, offset))
    }

    /// Whether bytes that begin no frame end with a frame of an accepted format: see [`Codec::ends_with_frame`].
    pub(crate) fn ends_with_frame(&self, tail: &[u8], len: u64) -> bool {
        self.codecs().any(|codec| codec.ends_with_frame(tail, len))
    }

    fn codecs(&self) -> impl Iterator<Item = &'static dyn Codec> {
        FORMATS.into_iter().zip(self.formats).filter(|(_, is_accepted)| *is_accepted).map(|(codec, _)| codec)
    }

    /// Whether frames of this format are accepted.
    pub(crate) fn accepts(&self, format: Format) -> bool {
        self.formats[format.index()]
    }

    /// The length of the contents, if a skippable frame begins with these bytes and if such frames are accepted.
    pub(crate) fn skippable(&self, head: &[u8]) -> Option<u32> {
        skippable::sniff(head).filter(|_| self.skippable)
    }

    /// Whether these last bytes of an input are a skippable frame that was cut off in its length, if such frames are
    /// accepted. Fewer bytes than the magic number may be anything.
    pub(crate) fn cuts_skippable(&self, rest: &[u8]) -> bool {
        self.skippable && skippable::is_cut(rest)
    }
}

impl Default for Accepted {
    fn default() -> Self {
        Self::new(None)
    }
}
