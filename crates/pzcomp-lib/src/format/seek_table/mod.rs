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
//! `listed.rs` reads the table at the end of a file.

mod audit;
mod listed;

use super::plain_lens::PlainLens;
pub(crate) use audit::Audit;
use engine::Report;
pub(super) use listed::{TableInFrame, frames};

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
