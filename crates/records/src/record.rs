//! The container of records: a kind, a head that a hash covers, and content behind it.
//!
//! ```text
//!  0  4 bytes   magic number: 9b 50 5a 52
//!  4  u8        kind
//!  5  u8        version: 1
//!  6  u16       length of the head
//!  8  u16       length of the head and the content
//! 10  u64       XXH3-64 of the bytes 0 to 9 and of the head
//! 18            the head, then the content
//! ```
//!
//! All numbers are little-endian. The container is general: a kind says what head and content are. The hash covers the
//! head only, so a wrong byte in the content makes no record unknown; a kind has its own hashes of its content. A
//! record is at most [`RECORD_MAX`] bytes long, because it must fit into the extra field of a gzip member.

use xxhash_rust::xxh3::Xxh3;

/// The first bytes of each record.
pub const MAGIC: [u8; 4] = [0x9b, b'P', b'Z', b'R'];

/// Length of everything before the head.
pub const HEADER_LEN: usize = 18;

/// The most bytes of a record.
pub const RECORD_MAX: usize = 65_500;

const VERSION: u8 = 1;

/// A record with a right head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// What head and content are.
    pub kind: u8,
    /// The head, whose hash is right.
    pub head: &'a [u8],
    /// The content. Nothing has verified these bytes.
    pub content: &'a [u8],
}

impl<'a> Record<'a> {
    /// The record at the start of these bytes. `None` if there is none, or if its head is damaged. If the bytes end
    /// before the content does, the content is what is there.
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        let header = bytes.first_chunk::<HEADER_LEN>()?;
        let (head_len, body_len) = (number(header, 6)?, number(header, 8)?);
        let head = bytes.get(HEADER_LEN..HEADER_LEN + head_len)?;
        let known = header.starts_with(&MAGIC) && header[5] == VERSION;
        if !known || head_len > body_len || HEADER_LEN + body_len > RECORD_MAX {
            return None;
        }
        let content = &bytes[HEADER_LEN + head_len..bytes.len().min(HEADER_LEN + body_len)];
        (head_hash(&header[..10], head).to_le_bytes() == header[10..]).then_some(Self {
            kind: header[4],
            head,
            content,
        })
    }

    /// How many bytes the record at the start of these bytes takes, which [`Self::parse`] has found.
    pub fn stated_len(bytes: &[u8]) -> Option<usize> {
        Some(HEADER_LEN + number(bytes.first_chunk()?, 8)?)
    }

    /// Where the head of the record ends that begins these bytes, if they begin one. [`Self::parse`] needs no more.
    pub fn head_end(bytes: &[u8]) -> Option<usize> {
        let header = bytes.first_chunk::<HEADER_LEN>().filter(|header| header.starts_with(&MAGIC))?;
        Some(HEADER_LEN + number(header, 6)?)
    }

    /// The bytes of the record.
    pub fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write_to(&mut bytes);
        bytes
    }

    /// Appends the bytes of the record.
    pub fn write_to(self, bytes: &mut Vec<u8>) {
        let start = bytes.len();
        bytes.reserve(self.stored_len());
        bytes.extend(MAGIC);
        bytes.extend([self.kind, VERSION]);
        bytes.extend((self.head.len() as u16).to_le_bytes());
        bytes.extend(((self.head.len() + self.content.len()) as u16).to_le_bytes());
        bytes.extend(head_hash(&bytes[start..], self.head).to_le_bytes());
        bytes.extend(self.head);
        bytes.extend(self.content);
    }

    /// How many bytes the record takes.
    pub fn stored_len(&self) -> usize {
        HEADER_LEN + self.head.len() + self.content.len()
    }
}

fn number(header: &[u8; HEADER_LEN], at: usize) -> Option<usize> {
    let bytes = header.get(at..)?.first_chunk::<2>()?;
    Some(usize::from(u16::from_le_bytes(*bytes)))
}

fn head_hash(header: &[u8], head: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(header);
    hash.update(head);
    hash.digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_back_and_no_changed_bit_of_its_head_is_accepted() {
        let record = Record { kind: 7, head: b"a head", content: b"and content" };
        let bytes = record.to_bytes();
        assert_eq!((Record::parse(&bytes), record.stored_len()), (Some(record), bytes.len()));
        for bit in 0..(HEADER_LEN + record.head.len()) * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Record::parse(&changed), None, "bit {bit}");
        }
        for len in 0..HEADER_LEN + record.head.len() {
            assert_eq!(Record::parse(&bytes[..len]), None, "{len} bytes");
        }
    }
}
