//! [`Audit`]: compares a seek table with the frames that a walker passed.
//!
//! `skippable.rs` gives it the bytes of the table. A wrong table is no error, because no table is needed to decode.

use super::{FOOTER_LEN, parse_footer};

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
