//! [`Geometry`]: how the bytes of a group are divided into shards, and the shards of parity among records.
//!
//! Everything here follows from three numbers, which each record states: the length of the group, the length of a
//! shard, and the number of shards of parity. So any record of a group says where all others are.

use std::ops::Range;

use crate::code::SUM_MAX;
use crate::group::{DESCRIPTOR_LEN, HASH_LEN, LIST_ENTRY_LEN};
use pzcomp_records::{HEADER_LEN, RECORD_MAX};

/// The lengths of a shard are the multiples of this up to [`SHARD_MAX`].
pub(crate) const SHARD_MIN: usize = 64;
/// The longest shard.
pub(crate) const SHARD_MAX: usize = 32 << 10;
/// The most shards of data in a group, and the most shards of parity.
pub(crate) const SHARDS_MAX: usize = 2048;
/// The most bytes of a group.
pub const GROUP_MAX: usize = SHARD_MAX * SHARDS_MAX;
/// The shortest span: a group that is not the last one is not much shorter.
pub const SPAN_MIN: usize = 64 << 10;

/// The share of parity, in thousandths of the data: 5 to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share(u16);

impl Share {
    /// 5 %.
    pub const DEFAULT: Self = Self(50);

    /// A share in thousandths. `None` if it is less than 5 or more than 1000.
    pub fn per_mille(share: u16) -> Option<Self> {
        (5..=1000).contains(&share).then_some(Self(share))
    }

    /// The share in thousandths.
    pub fn get(self) -> u16 {
        self.0
    }

    /// How many shards of parity so many shards of data have.
    fn of(self, shards: usize) -> usize {
        (shards * usize::from(self.0)).div_ceil(1000)
    }
}

/// If a group of a stream has more bytes than this, its shards have the greatest length, and its chunks (`sum.rs`) are
/// as long as those of a group of a whole span. So its parity can be added up before its length is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Settled {
    /// Bytes. They are whole chunks.
    pub(crate) len: usize,
    /// How many shards a chunk has.
    pub(crate) chunk: usize,
    /// How long the groups are, apart from the last, of a run that is longer than the span. They are whole chunks too.
    pub(crate) cut: usize,
}

impl Settled {
    /// `None` if groups of this span are never long enough, or have too much parity.
    pub(crate) fn of(span: usize, share: Share) -> Option<Self> {
        let chunk = share.of(span.div_ceil(SHARD_MAX)).next_power_of_two();
        // More shards of data have more than half as many shards of parity.
        let shards = (chunk / 2 * 1000 / usize::from(share.0)).next_multiple_of(chunk);
        let (len, chunk_len) = (shards * SHARD_MAX, chunk * SHARD_MAX);
        // So the second group of such a run is not too short.
        let cut = (span - span / 8) / chunk_len * chunk_len;
        let is_sum = (shards + 1).next_power_of_two() > chunk && chunk_len <= SUM_MAX;
        (span >= GROUP_MAX / 2 && len < cut && is_sum).then_some(Self { len, chunk, cut })
    }

    pub(crate) fn chunk_len(&self) -> usize {
        self.chunk * SHARD_MAX
    }
}

/// The shards of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Geometry {
    len: u32,
    shard_len: u32,
    parity: u16,
}

/// What is in a record of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Whether the record has the list of the hashes of all shards of data.
    pub(crate) has_list: bool,
    /// The shards of parity in the record.
    pub(crate) parity: Range<usize>,
}

impl Geometry {
    /// The division of a group of so many bytes, at most [`GROUP_MAX`].
    ///
    /// A shard is about four times as long as the square root of the group: shorter shards would make the lists of
    /// hashes longer, and longer ones would waste more parity on a short damage. The exact length is the one that makes
    /// the records shortest, because the number of shards of parity is rounded up.
    pub fn of(len: usize, share: Share) -> Self {
        debug_assert!(len <= GROUP_MAX);
        let fitting = ((16 * len) as f64).sqrt().ceil() as usize;
        let units = (fitting.div_ceil(SHARD_MIN)).clamp(1, SHARD_MAX / SHARD_MIN);
        let with = |units| Self::with(len, share, units);
        let around = units - units / 8..=(units + units / 8).min(SHARD_MAX / SHARD_MIN);
        let fitting = around.map(with).filter(|division| division.shards() <= SHARDS_MAX);
        fitting.min_by_key(|division| division.records_len()).unwrap_or_else(|| with(units))
    }

    /// The division of a group of a stream that is being written.
    pub(crate) fn streamed(len: usize, share: Share, settled: Option<Settled>) -> Self {
        match settled.is_some_and(|settled| len > settled.len) {
            true => Self::with(len, share, SHARD_MAX / SHARD_MIN),
            false => Self::of(len, share),
        }
    }

    /// The division into shards of so many units.
    fn with(len: usize, share: Share, units: usize) -> Self {
        let parity = share.of(len.div_ceil(units * SHARD_MIN));
        Self { len: len as u32, shard_len: (units * SHARD_MIN) as u32, parity: parity as u16 }
    }

    /// The length of all records without envelopes.
    fn records_len(&self) -> usize {
        let parity = self.parity();
        let records = if parity <= 1 { 2 } else { 2 + parity.div_ceil(self.parity_of_record()) };
        let each = HEADER_LEN + DESCRIPTOR_LEN;
        records * each + 2 * self.list_len() + parity * (HASH_LEN + self.shard_len())
    }

    /// How many shards of parity are in each record between the lists.
    fn parity_of_record(&self) -> usize {
        let room = (RECORD_MAX - HEADER_LEN - DESCRIPTOR_LEN) / (self.shard_len() + HASH_LEN);
        // At least six records of parity, if there is so much, so that damage to the head of one costs little.
        self.parity().div_ceil(6).min(room)
    }

    /// The division that a record states, if it is one.
    pub(crate) fn stated(len: u32, shard_units: u16, parity: u16) -> Option<Self> {
        let shard_len = u32::from(shard_units) * SHARD_MIN as u32;
        let stated = Self { len, shard_len, parity };
        let valid = (SHARD_MIN..=SHARD_MAX).contains(&(shard_len as usize))
            && stated.shards() <= SHARDS_MAX
            && usize::from(parity) <= SHARDS_MAX
            && (len == 0) == (parity == 0);
        valid.then_some(stated)
    }

    /// Bytes of the group.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether the group has no bytes: the stream is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes of a shard. The last shard of data may be shorter; parity is computed as if zeros followed it.
    pub fn shard_len(&self) -> usize {
        self.shard_len as usize
    }

    /// How many shards of data there are.
    pub fn shards(&self) -> usize {
        self.len().div_ceil(self.shard_len())
    }

    /// How many shards of parity there are. So many damaged shards can be restored.
    pub fn parity(&self) -> usize {
        usize::from(self.parity)
    }

    /// The bytes of a shard of data in the group.
    pub(crate) fn range(&self, shard: usize) -> Range<usize> {
        let start = shard * self.shard_len();
        start..(start + self.shard_len()).min(self.len())
    }

    fn list_len(&self) -> usize {
        self.shards() * LIST_ENTRY_LEN
    }

    /// The records of the group, in their order: the list, the shards of parity, the list again. A single shard of
    /// parity is in the record of the first list.
    pub(crate) fn shapes(&self) -> Vec<Shape> {
        let parity = self.parity();
        let list = |parity| Shape { has_list: true, parity };
        if parity <= 1 {
            return vec![list(0..parity), list(parity..parity)];
        }
        let each = self.parity_of_record();
        let mut shapes = vec![list(0..0)];
        shapes.extend(
            (0..parity)
                .step_by(each)
                .map(|start| Shape { has_list: false, parity: start..(start + each).min(parity) }),
        );
        shapes.push(list(parity..parity));
        shapes
    }

    /// The length of a record of this shape.
    pub(crate) fn record_len(&self, shape: &Shape) -> usize {
        let list = if shape.has_list { self.list_len() } else { 0 };
        HEADER_LEN + DESCRIPTOR_LEN + list + shape.parity.len() * (HASH_LEN + self.shard_len())
    }

    /// The length of the head of a record of this shape.
    pub(crate) fn head_len(&self, shape: &Shape) -> usize {
        self.record_len(shape) - HEADER_LEN - shape.parity.len() * self.shard_len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::chunk_of;

    #[test]
    fn every_group_has_valid_shards_and_records_that_fit() {
        let lens = (0..40).flat_map(|power: u32| [1.5_f64.powi(power as i32) as usize; 1]);
        for len in
            lens.chain([0, 1, 63, 64, 1024, 1 << 20, 16 << 20, GROUP_MAX]).filter(|&len| len <= GROUP_MAX)
        {
            for share in [5, 50, 123, 1000].map(|share| Share::per_mille(share).unwrap()) {
                let geometry = Geometry::of(len, share);
                let stated =
                    Geometry::stated(len as u32, (geometry.shard_len() / SHARD_MIN) as u16, geometry.parity);
                assert_eq!(stated, Some(geometry), "{len} bytes");
                assert!(geometry.parity() * 1000 >= geometry.shards() * usize::from(share.get()));
                let shapes = geometry.shapes();
                let lens = shapes.iter().map(|shape| geometry.record_len(shape));
                assert_eq!(geometry.records_len(), lens.sum::<usize>(), "{geometry:?}");
                assert!(shapes.iter().all(|shape| geometry.record_len(shape) <= RECORD_MAX), "{geometry:?}");
                let parity: Vec<_> = shapes.iter().flat_map(|shape| shape.parity.clone()).collect();
                assert_eq!(parity, Vec::from_iter(0..geometry.parity()));
                assert_eq!(shapes.iter().filter(|shape| shape.has_list).count(), 2);
            }
        }
    }

    #[test]
    fn records_of_five_per_cent_are_as_short_as_promised() {
        let overhead = |len: usize, envelope: usize| {
            let settled = Settled::of(GROUP_MAX, Share::DEFAULT);
            let geometry = Geometry::streamed(len, Share::DEFAULT, settled);
            geometry.shapes().iter().map(|shape| geometry.record_len(shape) + envelope).sum::<usize>()
        };
        for envelope in [0, 8, 34] {
            assert!(overhead(1024, envelope) <= 512, "{}", overhead(1024, envelope));
            // With copies of a short table, which take some hundred bytes, this is 5.8 %.
            for len in ((1 << 20)..(2 << 20)).step_by(9001) {
                assert!(overhead(len, envelope) * 10_000 <= len * 573, "{len}: {}", overhead(len, envelope));
            }
            for len in ((16 << 20)..=(64 << 20)).step_by(1 << 20) {
                assert!(overhead(len, envelope) * 1000 <= len * 53, "{}", overhead(len, envelope));
            }
        }
    }

    #[test]
    fn from_a_settled_length_on_all_groups_have_the_same_chunks() {
        let mut settled_ones = 0;
        for per_mille in 5..=1000 {
            let share = Share::per_mille(per_mille).unwrap();
            for span in [GROUP_MAX, GROUP_MAX - 1, 40 << 20, GROUP_MAX / 2, SPAN_MIN] {
                let Some(settled) = Settled::of(span, share) else { continue };
                settled_ones += 1;
                assert_eq!((settled.len % settled.chunk_len(), settled.cut % settled.chunk_len()), (0, 0));
                assert!(span - settled.cut <= settled.len);
                for len in (settled.len + 1..span).step_by(999_999).chain([settled.cut, span]) {
                    let geometry = Geometry::streamed(len, share, Some(settled));
                    assert_eq!(geometry.shard_len(), SHARD_MAX);
                    assert_eq!(chunk_of(&geometry), Some(settled.chunk), "{per_mille}, {len} of {span}");
                    let stated = Geometry::stated(len as u32, 512, geometry.parity);
                    assert_eq!(stated, Some(geometry));
                }
            }
        }
        assert!(settled_ones > 200, "{settled_ones}");
        assert_eq!(
            Settled::of(GROUP_MAX, Share::DEFAULT),
            Some(Settled { len: 40 << 20, chunk: 128, cut: 56 << 20 })
        );
    }

    #[test]
    fn lies_about_a_geometry_are_refused() {
        for (len, units, parity) in [
            (1, 0, 1),
            (1, 513, 1),
            (u32::MAX, 512, 1),
            (1 << 20, 1, 5),
            (64, 1, 2049),
            (64, 1, 0),
            (0, 1, 1),
        ] {
            assert_eq!(Geometry::stated(len, units, parity), None, "{len} {units} {parity}");
        }
    }
}
