//! The places in a gzip file: the index of pzcomp, ISIZE at the end of each member, and restart points inside members.
//!
//! `seekable/`, `inspect.rs` and `salvage/` ask through [`Places`], and `seekable/` also through [`Restarts`]. Decoding
//! in order accepts members whose stated size is wrong. So the length of a member counts only if the index states it
//! too.

use std::ops::Range;

use super::Gzip;
use super::gzi::GziFile;
use super::gzidx::Gzidx;
use super::header::{BGZF_HEAD_LEN, is_bgzf};
use super::index::{INDEX_END_LEN, index_len, index_table};
use super::probe::RATIO_MAX;
use super::read::{decode_part, member_facts, scan_members};
use crate::error::Result;
use crate::format::Cursor;
use crate::format::index_file::IndexFile;
use crate::format::places::{Listed, Places, Stated, last_bytes};
use crate::format::restart::{RestartPoint, Restarts, ScannedPart};
use crate::format::seek_table;
use engine::Facts;
use engine::io::RandomAccess;

/// Length of ISIZE at the end of a gzip member.
const ISIZE_LEN: u64 = 4;

/// A longer member may hold 4 GiB and more, whose ISIZE is wrong by a multiple of 4 GiB.
const ISIZE_CODED_MAX: u64 = (1 << 32) / RATIO_MAX;

impl Places for Gzip {
    fn index_len(&self, place: RandomAccess, range: &Range<u64>, most: usize) -> Result<Option<u64>> {
        let Some(last) = last_bytes(place, range, INDEX_END_LEN as u64)? else { return Ok(None) };
        // The members have less than an entry's length besides each entry, and some bytes at the end.
        let longest = (most as u64).saturating_mul(16).saturating_add(1 << 10);
        Ok(index_len(&last).filter(|&len| len <= longest && len <= range.end - range.start))
    }

    fn listed(&self, place: RandomAccess, range: Range<u64>, most: usize) -> Result<Option<Listed>> {
        let Some(len) = self.index_len(place, &range, most)? else { return Ok(None) };
        let Some(members) = last_bytes(place, &range, len)? else { return Ok(None) };
        let frames = range.start..range.end - len;
        Ok(index_table(&members).and_then(|table| seek_table::frames(table, frames)))
    }

    fn has_len_at_end(&self) -> bool {
        true
    }

    fn len_at_end(&self, place: RandomAccess, coded: &Range<u64>) -> Result<Option<u64>> {
        let isize = last_bytes(place, coded, ISIZE_LEN)?;
        let isize = isize.and_then(|isize| isize.first_chunk().copied());
        Ok(isize.map(|isize| u32::from_le_bytes(isize).into()))
    }

    fn facts(&self, place: RandomAccess, range: Range<u64>) -> Result<Facts> {
        // MTIME is the second half of the first eight bytes of a header. CRC32 is the first half of a trailer.
        let (mut head, mut trailer) = ([0; BGZF_HEAD_LEN], [0; 8]);
        place.read_at(&mut head, range.start)?;
        place.read_at(&mut trailer, range.end.saturating_sub(8).max(range.start))?;
        let ([_, _, _, _, m0, m1, m2, m3, ..], [c0, c1, c2, c3, l0, l1, l2, l3]) = (head, trailer);
        let (modified, crc) = (u32::from_le_bytes([m0, m1, m2, m3]), u32::from_le_bytes([c0, c1, c2, c3]));
        let lacks_end = Some(is_bgzf(&head) && [l0, l1, l2, l3] != [0; 4]);
        Ok(Facts { lacks_end, ..member_facts(modified, Some(crc)) })
    }

    fn restarts(&self) -> Option<&'static dyn Restarts> {
        Some(&Gzip)
    }

    /// Decoding does not refuse a wrong size in an extra field, and ISIZE is only right if that size is.
    fn vouches(&self, _: RandomAccess, _: &mut dyn Cursor, stated: &Stated) -> Result<Option<bool>> {
        let is_short = stated.frame.coded.end - stated.frame.coded.start <= ISIZE_CODED_MAX;
        Ok((!stated.is_listed || !is_short).then_some(false))
    }
}

impl Restarts for Gzip {
    fn scan(
        &self,
        place: RandomAccess,
        range: Range<u64>,
        interval: u64,
        take: &mut dyn FnMut(ScannedPart) -> Result<()>,
    ) -> Result<u64> {
        scan_members(place, range, interval, take)
    }

    fn decode(
        &self,
        place: RandomAccess,
        coded: Range<u64>,
        start: &RestartPoint,
        put: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        decode_part(place, coded, start, put)
    }

    fn index_files(&self) -> &'static [&'static dyn IndexFile] {
        &[&Gzidx, &GziFile]
    }
}
