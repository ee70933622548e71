//! The seek table of zstd's Seekable Format (`contrib/seekable_format` of the zstd project).
//!
//! ```text
//! entry   u32 coded length, u32 plain length [, u32 low half of XXH64]     one per frame
//! footer  u32 count of entries, u8 descriptor, u32 magic number
//! ```
//!
//! All numbers are little-endian. Bit 7 of the descriptor says that entries carry checksums. Bits 6 to 2 are reserved
//! and zero, and the others are unused. zstd and lz4 files end with the table in a skippable frame. gzip files carry
//! the same bytes in the extra fields of empty members.
//!
//! [`SeekTable`] collects the frames that are written. [`Audit`] compares a table with the frames that a walker passed.
//! [`frames`] reads the table at the end of a file.

use std::ops::Range;

use engine::Report;
use engine::io::RandomAccess;

use super::plain_lens::PlainLens;
use crate::error::Result;
use crate::format::places::{Listed, ListedFrame, Places, last_bytes};
use crate::format::skippable;

/// Length of the footer of a table.
pub(crate) const FOOTER_LEN: usize = 9;

const MAGIC: u32 = 0x8F92_EAB1;
const FRAMES_MAX: usize = 0x800_0000;

/// A table that is being collected.
///
/// A frame takes four bytes of memory if chunks have equal lengths, and twelve if they are cut by content. So the table
/// of a very long stream fits into memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeekTable {
    coded_lens: Vec<u32>,
    plain_lens: PlainLens,
    /// All frames together.
    total: Report,
    /// Whether the stream is too long for a table.
    overflowed: bool,
}

impl SeekTable {
    /// Counts a frame without an entry for it.
    pub(crate) fn count(&mut self, frame: &Report) {
        self.total.add(frame);
    }

    /// Adds the next frame.
    pub(crate) fn push(&mut self, frame: &Report) {
        self.count(frame);
        match (u32::try_from(frame.coded_len), u32::try_from(frame.plain_len)) {
            (Ok(coded_len), Ok(plain_len)) if self.coded_lens.len() < FRAMES_MAX => {
                self.coded_lens.push(coded_len);
                self.plain_lens.push(plain_len);
            }
            _ => self.overflowed = true,
        }
    }

    /// All frames together.
    pub(crate) fn total(&self) -> Report {
        self.total
    }

    /// The bytes of the table, or `None` if the stream is too long for one.
    pub(crate) fn encode(&self) -> Option<Vec<u8>> {
        if self.overflowed {
            return None;
        }
        let mut table = Vec::with_capacity(self.coded_lens.len() * 8 + FOOTER_LEN);
        for (coded_len, plain_len) in self.coded_lens.iter().zip(self.plain_lens.iter()) {
            table.extend_from_slice(&coded_len.to_le_bytes());
            table.extend_from_slice(&plain_len.to_le_bytes());
        }
        table.extend_from_slice(&(self.coded_lens.len() as u32).to_le_bytes());
        table.push(0);
        table.extend_from_slice(&MAGIC.to_le_bytes());
        Some(table)
    }
}

/// Parses the footer of a table. Returns the number of entries and the length of an entry.
pub(crate) fn parse_footer(footer: &[u8]) -> Option<(u64, u64)> {
    let (count, rest) = footer.split_first_chunk::<4>()?;
    let (&descriptor, magic) = rest.split_first()?;
    let count = u32::from_le_bytes(*count);
    let valid = magic == MAGIC.to_le_bytes() && descriptor & 0b0111_1100 == 0 && count as usize <= FRAMES_MAX;
    let entry_len = if descriptor & 0x80 == 0 { 8 } else { 12 };
    valid.then_some((u64::from(count), entry_len))
}

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

/// Compares a table with the frames that were passed, in constant memory.
#[derive(Default)]
pub(crate) struct Audit {
    frames: u64,
    /// A CRC-32 of the entries that a right table has.
    crc: crc32fast::Hasher,
    /// Whether some frame did not state its plain length. Nothing can be compared then.
    lacks_lengths: bool,
    /// Whether the stream is to go on: the last recovery record says so, and no table follows it.
    pub(crate) awaits_more: bool,
}

impl Audit {
    /// Adds a frame that was passed.
    pub(crate) fn frame(&mut self, coded_len: u64, plain_len: Option<u64>) {
        self.frames += 1;
        match (u32::try_from(coded_len), plain_len.map(u32::try_from)) {
            (Ok(coded_len), Some(Ok(plain_len))) => {
                self.crc.update(&coded_len.to_le_bytes());
                self.crc.update(&plain_len.to_le_bytes());
            }
            _ => self.lacks_lengths = true,
        }
    }

    /// Notes whether more of the stream follows, if something that was passed says so.
    pub(crate) fn follows(&mut self, more: Option<bool>) {
        self.awaits_more = more.unwrap_or(self.awaits_more);
    }

    /// Begins to compare a table of `len` bytes with the frames since the last table.
    pub(crate) fn table(&mut self, len: u64) -> TableCheck {
        let seen = std::mem::take(self);
        let entries = len.saturating_sub(FOOTER_LEN as u64);
        let entry_len = if seen.frames > 0 && entries == 12 * seen.frames { 12 } else { 8 };
        TableCheck { seen, crc: crc32fast::Hasher::new(), entries, entry_len, at: 0, footer: Vec::new() }
    }
}

/// The comparison with one table, whose bytes come in parts.
pub(crate) struct TableCheck {
    seen: Audit,
    /// A CRC-32 of the entries in the table.
    crc: crc32fast::Hasher,
    /// The length of all entries.
    entries: u64,
    entry_len: u64,
    at: u64,
    footer: Vec<u8>,
}

impl TableCheck {
    /// Takes the next bytes of the table.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.at >= self.entries {
                self.footer.push(*byte);
            } else if self.at % self.entry_len < 8 {
                self.crc.update(std::slice::from_ref(byte));
            }
            self.at += 1;
        }
    }

    /// Whether the table is right, or a sentence about what is wrong. `None` if the bytes are no table.
    pub(crate) fn verdict(self) -> Option<Result<(), String>> {
        let (count, _) = parse_footer(&self.footer)?;
        let agrees = count == self.seen.frames && self.entries == count * self.entry_len;
        if self.seen.lacks_lengths || (agrees && self.crc.finalize() == self.seen.crc.finalize()) {
            return Some(Ok(()));
        }
        Some(Err(format!(
            "the seek table does not describe the {} frame(s) before it (it lists {count}); pzcomp ignores the table and uses the frames",
            self.seen.frames
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(coded_len: u64, plain_len: u64) -> Report {
        Report { plain_len, coded_len, frames: 1, ..Report::default() }
    }

    #[test]
    fn a_table_has_the_bytes_of_the_specification() {
        let mut table = SeekTable::default();
        table.push(&frame(0x10, 0x100));
        table.push(&frame(0x0c, 0x20));
        let expected = [
            0x10, 0, 0, 0, 0, 1, 0, 0, // first frame: 16 bytes for 256
            0x0c, 0, 0, 0, 0x20, 0, 0, 0, // second frame: 12 bytes for 32
            2, 0, 0, 0, 0, 0xb1, 0xea, 0x92, 0x8f, // two entries, no checksums, magic number
        ];
        assert_eq!(table.encode().unwrap(), expected);
        assert_eq!(parse_footer(&expected[16..]), Some((2, 8)));
    }

    #[test]
    fn an_audit_finds_every_changed_bit_of_the_entries() {
        let mut table = SeekTable::default();
        let frames = [frame(100, 1000), frame(90, 1000), frame(5, 3)];
        frames.iter().for_each(|frame| table.push(frame));
        let honest = table.encode().unwrap();
        let verdict = |bytes: &[u8]| {
            let mut audit = Audit::default();
            frames.iter().for_each(|frame| audit.frame(frame.coded_len, Some(frame.plain_len)));
            let mut check = audit.table(bytes.len() as u64);
            check.update(bytes);
            check.verdict()
        };
        assert_eq!(verdict(&honest), Some(Ok(())));
        for bit in 0..24 * 8 {
            let mut lying = honest.clone();
            lying[bit / 8] ^= 1 << (bit % 8);
            assert!(matches!(verdict(&lying), Some(Err(_))), "bit {bit}");
        }
    }
}
