//! [`Known`]: where the frames of an input are, as an index at its end states it.
//!
//! The salvager asks it behind damage. An index is used only if its lengths account for every byte of the input. It may
//! still be wrong about plain lengths, because a seek table has no checksum. So each frame that decodes is compared
//! with its entry, and after the first difference the index is not used any more.

use std::ops::Range;

use super::scout::Scout;
use super::trial::Counted;
use crate::effort::Purpose;
use crate::error::Result;
use crate::format::Format;
use crate::format::places::ListedFrame;
use engine::io::RandomAccess;

/// The most frames that are listed: some 500 MiB in memory.
const FRAMES_MAX: usize = 8 << 20;

/// A frame in the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KnownFrame {
    pub(super) coded: Range<u64>,
    pub(super) plain_len: u64,
    /// What is there behind the frame, inside of a stream.
    pub(super) inside: Option<(Format, u8)>,
}

/// The frames of an index, in their order.
#[derive(Debug, Default)]
pub(super) struct Known(Vec<KnownFrame>);

impl Known {
    /// The frames in an input. Empty if no index is intact.
    pub(super) fn find(scout: &Scout) -> Result<Self> {
        let counted = Counted::new(scout.place);
        let found = Self::read(RandomAccess::Source(&counted), scout.len);
        scout.effort.spend(Purpose::Scan, counted.read(), 0);
        found
    }

    /// The frames in the first `len` bytes of `place`, as the list of any format has them.
    fn read(place: RandomAccess, len: u64) -> Result<Self> {
        for format in Format::readable() {
            let Some(listed) = format.codec().places().listed(place, 0..len, FRAMES_MAX)? else { continue };
            let frame = |ListedFrame { coded, plain_len, context }: ListedFrame| KnownFrame {
                coded,
                plain_len,
                inside: (context != 0).then_some((format, context)),
            };
            return Ok(Self(listed.frames.map(frame).collect()));
        }
        Ok(Self::default())
    }

    /// The frame that holds the byte at `offset`.
    pub(super) fn at(&self, offset: u64) -> Option<&KnownFrame> {
        let next = self.0.partition_point(|frame| frame.coded.start <= offset);
        self.0.get(next.checked_sub(1)?).filter(|frame| frame.coded.contains(&offset))
    }

    /// The plain length of the bytes in `coded`, if they hold whole frames only.
    pub(super) fn plain_len(&self, coded: &Range<u64>) -> Option<u64> {
        if self.0.is_empty() {
            return None;
        }
        let first = self.0.partition_point(|frame| frame.coded.end <= coded.start);
        let behind = self.0.partition_point(|frame| frame.coded.start < coded.end);
        let frames = self.0.get(first..behind)?;
        let is_inside = |frame: &KnownFrame| frame.coded.start >= coded.start && frame.coded.end <= coded.end;
        frames
            .iter()
            .try_fold(0_u64, |sum, frame| sum.checked_add(frame.plain_len).filter(|_| is_inside(frame)))
    }

    /// The number of frames, if an index is intact.
    pub(super) fn count(&self) -> Option<u64> {
        (!self.0.is_empty()).then_some(self.0.len() as u64)
    }

    /// Compares a frame that was decoded with its entry. If they differ, no entry counts any more.
    pub(super) fn compare(&mut self, coded: &Range<u64>, plain_len: u64) {
        let is_right =
            self.at(coded.start).is_none_or(|frame| frame.coded == *coded && frame.plain_len == plain_len);
        if !is_right {
            self.0.clear();
        }
    }
}
