//! Writing zip with one entry: `APPNOTE.TXT` of PKWARE, whose section numbers are used here.
//!
//! ```text
//! local file header   DEFLATE stream   data descriptor   central directory   [zip64 end]   end
//! ```
//!
//! The chunks are coded as in every joined stream (`mod.rs`). This file makes the bytes around them. The sizes are
//! not known before the end, so they stand behind the data. They have 32 bits as long as that is enough. No field
//! before the data says that the sizes might have 64 bits, because `gzip -d`, which reads zip files with one entry
//! from a pipe, knows only 32 bits. From 4 GiB on, the central directory has the sizes in 64 bits too (4.5.3). A
//! reader of the central directory needs nothing else.

use super::{ChecksumKind, DeflateEncoder, Joined, PartEncoder, Totals, Wrapper, chunk_len};
use crate::error::Result;
use crate::format::zip::Zip;
use crate::format::{Encoder, WritingCodec};
use crate::options::{Encode, Layout, Member, Settings};
use engine::Joiner;

impl WritingCodec for Zip {
    fn chunk_len(&self, _: i32, options: &Encode) -> usize {
        chunk_len(options)
    }

    fn coded_bound(&self, settings: &Settings) -> usize {
        DeflateEncoder::bound(settings.chunk_len)
    }

    fn encoder_memory(&self, settings: &Settings) -> u64 {
        DeflateEncoder::memory(settings.level)
    }

    fn encoder(&self, settings: &Settings) -> Result<Box<dyn Encoder>> {
        Ok(Box::new(PartEncoder::new(DeflateEncoder::new(settings), ChecksumKind::Crc32, settings)))
    }

    fn usual_speed(&self, level: i32) -> u32 {
        DeflateEncoder::usual_speed(level)
    }

    fn framing(&self, settings: &Settings) -> (Vec<u8>, Box<dyn Joiner>) {
        let member = match &settings.layout {
            Layout::Single(member) => member,
            _ => &Member::default(),
        };
        Joined::begin(Box::new(Entry::new(member)), ChecksumKind::Crc32)
    }
}

/// Version 2.0 has DEFLATE, and 4.5 has sizes of 64 bits (4.4.3.2).
const VERSION: u16 = 20;
const VERSION_64: u16 = 45;
/// Made on Unix (4.4.2.2), so the attributes are those of Unix.
const UNIX: u16 = 3 << 8;
/// A regular file that everyone may read and its owner may write.
const ATTRIBUTES: u32 = 0o100_644 << 16;
/// The sizes follow the data (4.4.4, bit 3). The name is UTF-8 (bit 11).
const DESCRIBED_LATER: u16 = 1 << 3;
const NAME_IS_UTF8: u16 = 1 << 11;
const DEFLATED: u16 = 8;

struct Entry {
    name: Vec<u8>,
    flags: u16,
    /// The time of day and the date in the format of DOS (4.4.6).
    dos_time: [u16; 2],
    /// The extra field with the time in the format of Unix.
    time: Vec<u8>,
    comment: Vec<u8>,
}

impl Entry {
    fn new(member: &Member) -> Self {
        let mut name = text(&member.name);
        if name.is_empty() {
            // Streams have this name.
            name.push(b'-');
        }
        let utf8 = if !name.is_ascii() && std::str::from_utf8(&name).is_ok() { NAME_IS_UTF8 } else { 0 };
        let time = match member.modified {
            0 => Vec::new(),
            // "UT", the length, a flag that only the time of modification is there, and that time.
            modified => [&b"UT\x05\0\x01"[..], &modified.to_le_bytes()].concat(),
        };
        let (flags, comment) = (DESCRIBED_LATER | utf8, text(&member.comment));
        Self { name, flags, dos_time: dos_time(member.modified), time, comment }
    }

    /// The fields of both headers, from the version needed to the lengths of name and extra field.
    fn fields(&self, version: u16, check: u32, coded_len: u32, plain_len: u32, extra_len: usize) -> Vec<u8> {
        let mut fields = Vec::with_capacity(26);
        let [time, date] = self.dos_time;
        for field in [version, self.flags, DEFLATED, time, date] {
            fields.extend(field.to_le_bytes());
        }
        for field in [check, coded_len, plain_len] {
            fields.extend(field.to_le_bytes());
        }
        for field in [self.name.len(), extra_len] {
            fields.extend((field as u16).to_le_bytes());
        }
        fields
    }
}

impl Wrapper for Entry {
    fn header(&self) -> Vec<u8> {
        [b"PK\x03\x04", &self.fields(VERSION, 0, 0, 0, self.time.len())[..], &self.name, &self.time].concat()
    }

    fn trailer(&self, totals: &Totals) -> Vec<u8> {
        let lens = [totals.coded_len, totals.plain_len];
        // A field of ones says that the number is elsewhere.
        let small = |len: u64| u32::try_from(len).ok().filter(|&len| len < u32::MAX);
        let is_long = lens.iter().any(|&len| small(len).is_none());
        let [coded_len, plain_len] = if is_long { [u32::MAX; 2] } else { lens.map(|len| len as u32) };
        let mut trailer = b"PK\x07\x08".to_vec();
        trailer.extend(totals.check.to_le_bytes());
        for len in lens {
            trailer.extend(&len.to_le_bytes()[..if is_long { 8 } else { 4 }]);
        }
        let directory = self.header().len() as u64 + totals.coded_len + trailer.len() as u64;
        let directory_at = trailer.len();
        let (version, mut extra) = (if is_long { VERSION_64 } else { VERSION }, self.time.clone());
        if is_long {
            extra.extend([1, 0, 16, 0]);
            extra.extend([totals.plain_len.to_le_bytes(), totals.coded_len.to_le_bytes()].concat());
        }
        trailer.extend(b"PK\x01\x02");
        trailer.extend((UNIX | version).to_le_bytes());
        trailer.extend(self.fields(version, totals.check, coded_len, plain_len, extra.len()));
        trailer.extend((self.comment.len() as u16).to_le_bytes());
        // The first disk, and no internal attributes.
        trailer.extend([0; 4]);
        trailer.extend(ATTRIBUTES.to_le_bytes());
        // The local file header is at offset 0.
        trailer.extend([0; 4]);
        trailer.extend(&self.name);
        trailer.extend(extra);
        trailer.extend(&self.comment);
        let directory_len = (trailer.len() - directory_at) as u64;
        if small(directory).is_none() {
            trailer.extend(zip64_end(directory, directory_len));
        }
        trailer.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
        trailer.extend((directory_len as u32).to_le_bytes());
        trailer.extend(small(directory).unwrap_or(u32::MAX).to_le_bytes());
        trailer.extend([0; 2]);
        trailer
    }
}

/// A text, cut to the length that its field can state.
fn text(given: &Option<Vec<u8>>) -> Vec<u8> {
    let given = given.iter().flatten().copied();
    given.take_while(|&byte| byte != 0).take(usize::from(u16::MAX)).collect()
}

/// The end of a central directory that begins beyond 4 GiB, and the record that says where that end is (4.3.14 and
/// 4.3.15).
fn zip64_end(directory: u64, directory_len: u64) -> Vec<u8> {
    let mut end = b"PK\x06\x06".to_vec();
    // The length of the rest of this record.
    end.extend(44_u64.to_le_bytes());
    end.extend((UNIX | VERSION_64).to_le_bytes());
    end.extend(VERSION_64.to_le_bytes());
    // The first disk, twice.
    end.extend([0; 8]);
    for field in [1, 1, directory_len, directory] {
        end.extend(field.to_le_bytes());
    }
    end.extend(b"PK\x06\x07\0\0\0\0");
    end.extend((directory + directory_len).to_le_bytes());
    end.extend(1_u32.to_le_bytes());
    end
}

/// The time of day and the date of `modified`, which is in seconds since 1970, in UTC. The earliest date is in 1980.
fn dos_time(modified: u32) -> [u16; 2] {
    const DAY: u32 = 86_400;
    // 1980-01-01 is ten years and two leap days after 1970-01-01.
    let Some(mut day) = (modified / DAY).checked_sub(3652) else {
        return [0, 1 << 5 | 1];
    };
    let is_leap = |year: u32| year.is_multiple_of(4) && year != 2100;
    let mut year = 1980;
    while let Some(later) = day.checked_sub(365 + u32::from(is_leap(year))) {
        (day, year) = (later, year + 1);
    }
    let mut month = 1;
    for len in [31, 28 + u32::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        let Some(later) = day.checked_sub(len) else { break };
        (day, month) = (later, month + 1);
    }
    let second = modified % DAY;
    let (hour, minute) = (second / 3600, second / 60 % 60);
    let time = hour << 11 | minute << 5 | (second % 60 / 2);
    [time as u16, ((year - 1980) << 9 | month << 5 | (day + 1)) as u16]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let date = |modified: u32| {
            let [time, date] = dos_time(modified).map(u32::from);
            [1980 + (date >> 9), date >> 5 & 15, date & 31, time >> 11, time >> 5 & 63, time % 32 * 2]
        };
        assert_eq!(date(0), [1980, 1, 1, 0, 0, 0]);
        assert_eq!(date(315_532_799), [1980, 1, 1, 0, 0, 0]);
        assert_eq!(date(315_532_800 + 86_399), [1980, 1, 1, 23, 59, 58]);
        assert_eq!(date(951_782_400), [2000, 2, 29, 0, 0, 0]);
        assert_eq!(date(1_767_225_599), [2025, 12, 31, 23, 59, 58]);
        assert_eq!(date(4_107_542_400), [2100, 3, 1, 0, 0, 0]);
        assert_eq!(date(u32::MAX), [2106, 2, 7, 6, 28, 14]);
    }

    /// The numbers of a long entry are in the zip64 records only.
    #[test]
    fn from_4_gib_on_sizes_have_64_bits() {
        let entry = Entry::new(&Member::default());
        let (coded_len, plain_len) = (0x1_2345_6789, 0x9_8765_4321);
        let long = entry.trailer(&Totals { check: 0x0102_0304, plain_len, coded_len });
        assert_eq!(long[..4], *b"PK\x07\x08");
        assert_eq!(long[8..24], [coded_len.to_le_bytes(), plain_len.to_le_bytes()].concat());
        assert_eq!(long[24 + 20..24 + 28], [0xff; 8]);
        let end = long.windows(4).position(|four| four == b"PK\x06\x06").unwrap();
        let directory = u64::from_le_bytes(long[end + 48..end + 56].try_into().unwrap());
        assert_eq!(directory, entry.header().len() as u64 + coded_len + 24);
        assert_eq!(long[long.len() - 6..], [255, 255, 255, 255, 0, 0]);
        // The longest entry of 32 bits has no zip64 records.
        let most = u64::from(u32::MAX) - 1;
        let short = entry.trailer(&Totals { check: 0, plain_len: most, coded_len: 1000 });
        assert!(!short.windows(4).any(|four| four == b"PK\x06\x06" || four == [0xff; 4]));
    }
}
