//! The Index of an xz Stream and the Stream Footer behind it (`doc/xz-file-format.txt` of the xz project, sections
//! 2.1.2 and 4).
//!
//! ```text
//! 00, Number of Records                              Multibyte Integers from here
//! Unpadded Size, Uncompressed Size                   for each Block
//! 00 00 00                                           as many as make it a multiple of four
//! u32 CRC32 of the above                             u32 are little-endian
//! u32 CRC32 of what follows, u32 length of the Index / 4 - 1, Stream Flags, "YZ"
//! ```
//!
//! The Blocks determine every byte of this. So the writer makes the bytes with [`Records`], and the walker compares the
//! bytes that it reads with the bytes that [`Records`] expects.

use crate::format::plain_lens::PlainLens;
use engine::Report;

/// The last bytes of a Stream.
const FOOTER_MAGIC: [u8; 2] = *b"YZ";

/// Length of the Stream Footer.
pub(crate) const FOOTER_LEN: usize = 12;

/// The greatest Multibyte Integer. It has 63 bits.
pub(crate) const VLI_MAX: u64 = u64::MAX >> 1;

/// Appends a Multibyte Integer (section 1.2): seven bits in each byte, the lowest bits first.
pub(crate) fn push_vli(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Parses a Multibyte Integer. Returns it and the bytes behind it, or `None` if it is incomplete, too long, or not in
/// its shortest form.
pub(crate) fn parse_vli(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (at, &byte) in bytes.iter().enumerate().take(9) {
        number |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return (byte != 0 || at == 0).then_some((number, &bytes[at + 1..]));
        }
    }
    None
}

/// The Records that the Index must have for the Blocks so far, in constant memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    count: u64,
    list_len: u64,
    list_crc: crc32fast::Hasher,
}

impl Records {
    /// Adds the next Block. Returns its Record.
    pub(crate) fn push(&mut self, unpadded_len: u64, plain_len: u64) -> Vec<u8> {
        let mut record = Vec::with_capacity(18);
        push_vli(unpadded_len, &mut record);
        push_vli(plain_len, &mut record);
        self.count += 1;
        self.list_len += record.len() as u64;
        self.list_crc.update(&record);
        record
    }

    /// The number of Records.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Length of all Records in bytes.
    pub(crate) fn list_len(&self) -> u64 {
        self.list_len
    }

    /// CRC32 of all Records.
    pub(crate) fn list_crc(&self) -> u32 {
        self.list_crc.clone().finalize()
    }

    /// The bytes of the Index before the Records.
    pub(crate) fn head(&self) -> Vec<u8> {
        let mut head = vec![0];
        push_vli(self.count, &mut head);
        head
    }

    /// The bytes behind the Records: the rest of the Index, and the Stream Footer.
    pub(crate) fn tail(&self, stream_flags: [u8; 2]) -> Vec<u8> {
        let head = self.head();
        let mut crc = crc32fast::Hasher::new();
        crc.update(&head);
        crc.combine(&self.list_crc);
        let unpadded = head.len() as u64 + self.list_len;
        let index_len = unpadded.next_multiple_of(4) + 4;
        let mut tail = vec![0; (index_len - 4 - unpadded) as usize];
        crc.update(&tail);
        tail.extend_from_slice(&crc.finalize().to_le_bytes());
        let mut footer = Vec::with_capacity(FOOTER_LEN);
        // The format allows no Index of more than 16 GiB. The Stream is valid up to here.
        footer.extend_from_slice(&u32::try_from(index_len / 4 - 1).unwrap_or(u32::MAX).to_le_bytes());
        footer.extend_from_slice(&stream_flags);
        tail.extend_from_slice(&crc32fast::hash(&footer).to_le_bytes());
        tail.extend_from_slice(&footer);
        tail.extend_from_slice(&FOOTER_MAGIC);
        tail
    }
}

/// The Index of a Stream that is being written.
///
/// It holds only the lengths of the Blocks, like a seek table.
#[derive(Debug, Default)]
pub(crate) struct XzIndex {
    unpadded_lens: Vec<u32>,
    plain_lens: PlainLens,
    total: Report,
}

impl XzIndex {
    /// Adds the next Block.
    pub(crate) fn push(&mut self, block: &Report) {
        self.total.add(block);
        // A chunk has at most 1 GiB.
        self.plain_lens.push(u32::try_from(block.plain_len).unwrap_or(u32::MAX));
        self.unpadded_lens.push(u32::try_from(block.coded_len - block.note).unwrap_or(u32::MAX));
    }

    /// All Blocks together.
    pub(crate) fn total(&self) -> Report {
        self.total
    }

    /// The bytes of the Index and the Stream Footer.
    pub(crate) fn encode(&self, stream_flags: [u8; 2]) -> Vec<u8> {
        let mut records = Records::default();
        let mut list = Vec::with_capacity(self.unpadded_lens.len() * 8);
        for (&unpadded_len, plain_len) in self.unpadded_lens.iter().zip(self.plain_lens.iter()) {
            list.append(&mut records.push(u64::from(unpadded_len), u64::from(plain_len)));
        }
        [records.head(), list, records.tail(stream_flags)].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multibyte_integers_are_written_as_they_are_read() {
        for number in [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, 1 << 32, VLI_MAX - 1, VLI_MAX] {
            let mut bytes = Vec::new();
            push_vli(number, &mut bytes);
            assert!(bytes.len() <= 9);
            for cut in 0..bytes.len() {
                assert_eq!(parse_vli(&bytes[..cut]), None, "{number} cut to {cut}");
            }
            bytes.push(0xab);
            assert_eq!(parse_vli(&bytes), Some((number, &[0xab][..])));
        }
    }

    #[test]
    fn multibyte_integers_of_more_than_63_bits_or_with_idle_bytes_are_none() {
        assert_eq!(parse_vli(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]), None, "64 bits");
        assert_eq!(
            parse_vli(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00]),
            None,
            "ten bytes"
        );
        assert_eq!(parse_vli(&[0x81, 0x00]), None, "1 in two bytes");
        assert_eq!(parse_vli(&[0x80, 0x00]), None, "0 in two bytes");
    }

    #[test]
    fn an_index_has_the_bytes_of_the_specification() {
        // What xz 5.4.1 writes for 1500 zeros with -0 --block-size=1000.
        let expected = [
            0x00, 0x02, // two Records
            0x27, 0xe8, 0x07, // 39 bytes for 1000
            0x24, 0xf4, 0x03, // 36 bytes for 500
            0x56, 0xd4, 0xfa, 0xbb, // CRC32 of the Index, which needs no padding
            0xb1, 0xc4, 0x67, 0xfb, // CRC32 of the footer
            0x02, 0x00, 0x00, 0x00, // the Index has 12 bytes
            0x00, 0x04, 0x59, 0x5a, // CRC64, "YZ"
        ];
        let mut index = XzIndex::default();
        index.push(&Report { plain_len: 1000, coded_len: 40, frames: 1, note: 1, ..Report::default() });
        index.push(&Report { plain_len: 500, coded_len: 36, frames: 1, ..Report::default() });
        assert_eq!(index.encode([0, 4]), expected);
    }

    #[test]
    fn an_index_without_records_has_padding() {
        let expected = [
            0x00, 0x00, 0x00, 0x00, // no Records, two bytes of padding
            0x1c, 0xdf, 0x44, 0x21, // CRC32
            0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a, // footer
        ];
        assert_eq!(XzIndex::default().encode([0, 4]), expected);
    }
}
