//! [`Envelope`]: the bytes around a record, by which the readers of a format skip it.
//!
//! A file beside another one holds records as they are. zstd and lz4 have skippable frames, and gzip has empty members
//! with an extra field. The bytes depend only on the kind of envelope and on the length of the record, so they can be
//! made again.

use crate::record::{RECORD_MAX, Record};

/// The magic number of a skippable frame that holds a record: 0x184D2A5B.
pub const SKIPPABLE_MAGIC: [u8; 4] = 0x184D_2A5B_u32.to_le_bytes();

/// The name of the subfield of a gzip member that holds a record.
pub const SUBFIELD: [u8; 2] = *b"PR";

/// Where the records of a stream are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Envelope {
    /// In a file of their own, without anything around them.
    Bare,
    /// In skippable frames of zstd or lz4.
    Skippable,
    /// In the extra fields of empty gzip members.
    GzipMember,
}

/// A member before its record: no flags but that of the extra field, no time, Unix.
const GZIP_START: [u8; 10] = [0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 3];

/// An empty DEFLATE stream, its CRC-32 and its length.
const GZIP_END: [u8; 10] = [3, 0, 0, 0, 0, 0, 0, 0, 0, 0];

impl Envelope {
    /// Its number in records.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The envelope of this number.
    pub fn from_number(number: u8) -> Option<Self> {
        [Self::Bare, Self::Skippable, Self::GzipMember].into_iter().find(|kind| kind.number() == number)
    }

    /// Bytes before and behind a record of this length, which is at most [`RECORD_MAX`].
    pub fn around(self, len: usize) -> (Vec<u8>, &'static [u8]) {
        debug_assert!(len <= RECORD_MAX);
        match self {
            Self::Bare => (Vec::new(), &[]),
            Self::Skippable => ([SKIPPABLE_MAGIC, (len as u32).to_le_bytes()].concat(), &[]),
            Self::GzipMember => {
                // The size of the member, as in each member that pzcomp writes, and the record.
                let extra = 8 + 4 + len;
                let member = (GZIP_START.len() + 2 + extra + GZIP_END.len()) as u32;
                let mut start = GZIP_START.to_vec();
                start.extend((extra as u16).to_le_bytes());
                start.extend(*b"IG\x04\x00");
                start.extend(member.to_le_bytes());
                start.extend(SUBFIELD);
                start.extend((len as u16).to_le_bytes());
                (start, &GZIP_END)
            }
        }
    }

    /// How many bytes are before a record.
    pub fn start_len(self) -> usize {
        match self {
            Self::Bare => 0,
            Self::Skippable => 8,
            Self::GzipMember => GZIP_START.len() + 2 + 8 + 4,
        }
    }

    /// How many bytes are around a record.
    pub fn overhead(self) -> usize {
        match self {
            Self::GzipMember => self.start_len() + GZIP_END.len(),
            _ => self.start_len(),
        }
    }

    /// A record in its envelope.
    pub fn wrap(self, record: &[u8]) -> Vec<u8> {
        let (start, end) = self.around(record.len());
        [&start, record, end].concat()
    }

    /// Appends a record in its envelope.
    pub fn write_to(self, record: Record, bytes: &mut Vec<u8>) {
        let (start, end) = self.around(record.stored_len());
        bytes.extend(start);
        record.write_to(bytes);
        bytes.extend(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_has_the_stated_lengths() {
        for envelope in [Envelope::Bare, Envelope::Skippable, Envelope::GzipMember] {
            for len in [0, 1, 100, RECORD_MAX] {
                let record = vec![7; len];
                let wrapped = envelope.wrap(&record);
                assert_eq!(wrapped.len(), len + envelope.overhead());
                assert_eq!(wrapped[envelope.start_len()..][..len], record);
            }
            assert_eq!(Envelope::from_number(envelope.number()), Some(envelope));
        }
        assert_eq!(Envelope::from_number(3), None);
    }
}
