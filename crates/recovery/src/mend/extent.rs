//! Where a stream begins and ends in a source, and what is told of bytes that belong to no stream.

use std::io;
use std::ops::Range;

use super::{COVERED_MAX, Run};
use crate::find::Search;
use crate::streams::Stream;

/// What the groups and the records of a stream cover.
pub(super) struct Tiles {
    /// All up to this offset in the stream.
    pub(super) end: u64,
    /// The stream went on there.
    pub(super) is_cut: bool,
}

impl Run<'_> {
    /// Says that a range belongs to no stream.
    pub(super) fn refuse(&mut self) {
        let Some(range) = self.doubtful.take() else { return };
        let what = match self.overlaps_inner(&range) {
            true => "hold recovery records of something else",
            false => {
                "belong to no data with recovery records, and are not whole: they may be data that is damaged"
            }
        };
        self.report.gap(format!("the bytes {}-{} of the file {what}", range.start, range.end));
    }

    /// Where a stream begins in the source, by the first shard of it that is found.
    pub(super) fn begin_of(&mut self, stream: &Stream, seen: i64) -> io::Result<Option<i64>> {
        let Some((0, (group, places))) = stream.groups.first_key_value() else { return Ok(None) };
        let source = self.mend.source;
        if group.geometry.len() as u64 > source.len() || self.report.covered_len > COVERED_MAX * source.len()
        {
            return Ok(None);
        }
        let Some(list) = self.examine(group, places, 0)?.list else { return Ok(None) };
        let bases: Vec<i64> = std::iter::once(seen).chain(places.iter().map(|place| place.base)).collect();
        let data = std::mem::take(&mut self.data);
        let (geometry, threads) = (group.geometry, self.mend.threads);
        let mut search = Search::new(source, 0, geometry, &list, [stream.base; 2], data, threads)?;
        for &base in &bases {
            search.try_base(base)?;
        }
        // A shard before the first one that was found may be anywhere near.
        let around = self.around(group, &bases, source.len());
        if !search.is_there.first().is_some_and(|&there| there) && self.may_roll(&around) {
            search.roll(around)?;
        }
        let first = search.first;
        self.data = search.data;
        Ok(first.map(|(_, base)| base))
    }

    /// Takes the range in doubt to be the beginning of the stream, before inserted bytes, if shards were found as if
    /// the stream began with the range. A range that is about as long as the stream may be a copy of it, and stays in
    /// doubt.
    pub(super) fn recognise(&mut self, bases: &[i64], extent: u64) {
        let begins = |range: &mut Range<u64>| {
            bases.contains(&(range.start as i64)) && range.end - range.start <= extent / 2
        };
        self.doubtful.take_if(begins);
    }

    fn overlaps_inner(&self, range: &Range<u64>) -> bool {
        self.inner.iter().any(|&(start, end)| start < range.end as i64 && range.start as i64 <= end)
    }

    /// What the groups and their records cover of a stream, if it is all up to some place.
    pub(super) fn tile(&mut self, stream: &Stream, out: u64) -> Option<Tiles> {
        let is_beside = self.mend.beside.is_some();
        let (mut ranges, mut end) = (Vec::new(), None);
        for (group, _) in stream.groups.values() {
            let data_end = group.offset + group.geometry.len() as u64;
            ranges.push(group.offset..data_end);
            let records_end = group.records_at() + group.record_lens().iter().sum::<usize>() as u64;
            if !is_beside {
                ranges.push(group.records_at()..records_end);
            }
            if group.is_last {
                end = Some(if is_beside { data_end } else { records_end });
            }
        }
        if let Some((copied, _)) = &stream.copied {
            let set = copied.set_len() as u64;
            let first = copied.record_at(0, &copied.record_lens());
            ranges.extend([first..first + set, copied.offset.saturating_sub(set)..copied.offset]);
            end = Some(copied.offset + u64::from(copied.len));
            ranges.push(copied.offset..copied.offset + u64::from(copied.len));
        }
        ranges.sort_by_key(|range| (range.start, range.end));
        let (mut at, mut is_whole) = (0, true);
        for range in ranges {
            if range.start < at || stream.contradicts {
                self.report.gap("the recovery records contradict each other".into());
                return None;
            }
            if range.start > at {
                is_whole = false;
                let (from, to) = (out + at, out + range.start);
                self.report.gap(format!("no recovery record of the bytes {from}-{to} is left"));
            }
            at = range.end;
        }
        let is_cut = end != Some(at);
        if is_cut && end.is_none() && is_whole {
            self.report.cut(format!(
                "its end is missing, or no recovery record of the bytes from {} on is left",
                out + at
            ));
        } else if is_cut {
            self.report.gap(format!("no recovery record of the bytes from {} on is left", out + at));
            return None;
        }
        is_whole.then_some(Tiles { end: at, is_cut })
    }
}
