//! Finds the seek table at the end of a file, and reads its entries.
//!
//! zstd and lz4 files have the table in a skippable frame, and gzip files have it in empty members
//! (`index/seek_table.rs`). `find.rs` makes frames of the entries, and `list.rs` adds them up. All numbers are claims:
//! the caller compares them with the frames.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::format::{gzip, skippable};
use crate::index::{FOOTER_LEN, parse_footer};
use crate::io::RandomAccess;

/// A seek table whose frames fill all bytes before it.
pub(crate) struct FoundTable {
    /// The bytes of the entries.
    entries: Vec<u8>,
    entry_len: usize,
    /// The length of all frames together.
    pub(crate) coded_len: u64,
}

impl FoundTable {
    /// The number of entries. There is at least one.
    pub(crate) fn count(&self) -> u64 {
        (self.entries.len() / self.entry_len) as u64
    }

    /// The coded and the plain length of each frame.
    pub(crate) fn lens(&self) -> impl Iterator<Item = (u64, u64)> {
        self.entries.chunks_exact(self.entry_len).filter_map(|entry| {
            let &[c0, c1, c2, c3, p0, p1, p2, p3] = entry.first_chunk::<8>()?;
            let (coded, plain) = (u32::from_le_bytes([c0, c1, c2, c3]), u32::from_le_bytes([p0, p1, p2, p3]));
            Some((coded.into(), plain.into()))
        })
    }

    /// The table in these bytes, if its frames have `coded_len` bytes together.
    fn parse(mut table: Vec<u8>, coded_len: u64) -> Option<Self> {
        let entries_len = table.len().checked_sub(FOOTER_LEN)?;
        let (count, entry_len) = parse_footer(&table[entries_len..])?;
        if count == 0 || entries_len as u64 != count * entry_len {
            return None;
        }
        table.truncate(entries_len);
        let found = Self { entries: table, entry_len: entry_len as usize, coded_len };
        let left = found.lens().try_fold(coded_len, |left, (coded, _)| left.checked_sub(coded));
        (left == Some(0)).then_some(found)
    }
}

/// The seek table at the end of `range`, if it has at most `most` entries, and the frames that it lists fill all bytes
/// before it.
pub(crate) fn find_table(
    place: RandomAccess,
    Range { start, end: len }: Range<u64>,
    most: usize,
) -> Result<Option<FoundTable>> {
    let end = |count: u64| -> Result<Option<Vec<u8>>> {
        if len - start < count {
            return Ok(None);
        }
        let mut bytes =
            vec![0; usize::try_from(count).map_err(|_| Error::Internal("an index beyond memory".into()))?];
        let read = place.read_at(&mut bytes, len - count)?;
        Ok((read == bytes.len()).then_some(bytes))
    };
    let Some(last) = end(FOOTER_LEN as u64)? else {
        return Ok(None);
    };
    if let Some((count, entry_len)) = parse_footer(&last) {
        if count > most as u64 {
            return Ok(None);
        }
        let table_len = count * entry_len + FOOTER_LEN as u64;
        let frame_len = table_len + skippable::HEADER_LEN as u64;
        let Some(mut frame) = end(frame_len)? else {
            return Ok(None);
        };
        let is_frame = skippable::sniff(&frame).map(u64::from) == Some(table_len);
        frame.drain(..skippable::HEADER_LEN);
        return Ok(FoundTable::parse(frame, len - start - frame_len).filter(|_| is_frame));
    }
    let Some(last) = end(gzip::INDEX_END_LEN as u64)? else {
        return Ok(None);
    };
    // The members have less than an entry's length besides each entry, and some bytes at the end.
    let longest = (most as u64).saturating_mul(16).saturating_add(1 << 10).min(len - start);
    let Some(index_len) = gzip::index_len(&last).filter(|&index_len| index_len <= longest) else {
        return Ok(None);
    };
    let Some(members) = end(index_len)? else {
        return Ok(None);
    };
    Ok(gzip::index_table(&members).and_then(|table| FoundTable::parse(table, len - start - index_len)))
}
