//! Reads the seek table at the end of a file: zstd and lz4 have it in a skippable frame, gzip has it in empty members.
//!
//! The numbers of a table are claims: the caller compares them with the frames.

use std::ops::Range;

use super::{FOOTER_LEN, parse_footer};
use crate::error::Result;
use crate::format::places::{Listed, ListedFrame, Places, last_bytes};
use crate::format::skippable;
use engine::io::RandomAccess;

/// The places of a format whose seek table is in a skippable frame.
pub(in crate::format) struct TableInFrame;

impl Places for TableInFrame {
    fn index_len(&self, place: RandomAccess, range: &Range<u64>, most: usize) -> Result<Option<u64>> {
        let Some(footer) = last_bytes(place, range, FOOTER_LEN as u64)? else { return Ok(None) };
        let Some((count, entry_len)) = parse_footer(&footer).filter(|&(count, _)| count <= most as u64)
        else {
            return Ok(None);
        };
        let table_len = count * entry_len + FOOTER_LEN as u64;
        let frame_len = table_len + skippable::HEADER_LEN as u64;
        let Some(at) = range.end.checked_sub(frame_len).filter(|&at| at >= range.start) else {
            return Ok(None);
        };
        let mut header = [0; skippable::HEADER_LEN];
        let read = place.read_at(&mut header, at)?;
        let is_frame = skippable::sniff(&header[..read]).map(u64::from) == Some(table_len);
        Ok(is_frame.then_some(frame_len))
    }

    fn listed(&self, place: RandomAccess, range: Range<u64>, most: usize) -> Result<Option<Listed>> {
        let Some(frame_len) = self.index_len(place, &range, most)? else { return Ok(None) };
        let Some(mut frame) = last_bytes(place, &range, frame_len)? else { return Ok(None) };
        frame.drain(..skippable::HEADER_LEN);
        Ok(frames(frame, range.start..range.end - frame_len))
    }
}

/// The frames in this table, if it is one and they fill `range`.
pub(in crate::format) fn frames(mut table: Vec<u8>, range: Range<u64>) -> Option<Listed> {
    let entries_len = table.len().checked_sub(FOOTER_LEN)?;
    let (count, entry_len) = parse_footer(&table[entries_len..])?;
    if count == 0 || entries_len as u64 != count * entry_len {
        return None;
    }
    table.truncate(entries_len);
    let entries = Entries { table, entry_len: entry_len as usize };
    let end = (0..).map_while(|number| entries.get(number)).try_fold(range.start, |at, (coded_len, _)| {
        at.checked_add(coded_len).filter(|&end| end <= range.end)
    })?;
    let (mut number, mut at) = (0, range.start);
    let frames = std::iter::from_fn(move || {
        let (coded_len, plain_len) = entries.get(number)?;
        let coded = at..at + coded_len;
        (number, at) = (number + 1, coded.end);
        Some(ListedFrame { coded, plain_len, context: 0 })
    });
    (end == range.end).then(|| Listed { frames: Box::new(frames), is_index: true, check: None })
}

/// The entries of a seek table.
struct Entries {
    table: Vec<u8>,
    entry_len: usize,
}

impl Entries {
    /// The coded and the plain length of a frame. Nothing behind the last one.
    fn get(&self, number: usize) -> Option<(u64, u64)> {
        let entry = self.table.get(number * self.entry_len..)?;
        let &[c0, c1, c2, c3, p0, p1, p2, p3] = entry.first_chunk()?;
        let (coded, plain) = (u32::from_le_bytes([c0, c1, c2, c3]), u32::from_le_bytes([p0, p1, p2, p3]));
        Some((coded.into(), plain.into()))
    }
}
