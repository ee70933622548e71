//! The holes of a table of MySQL with page compression (`COMPRESSION="zlib"`).
//!
//! InnoDB compresses each page by itself, writes it at its place, and punches a hole behind it. xtrabackup compresses
//! such a file like any other, with zeros for the holes, and punches them again when it decompresses. A file of
//! MariaDB has other types of pages, so it gets no holes, which mbstream could not read.
//!
//! A page begins with a header of 38 bytes, with big-endian numbers. The header of the first page of a file is followed
//! by that of the tablespace.

use std::ops::Range;

/// Where the type of a page is, and the types of compressed pages: without and with encryption.
const TYPE_AT: usize = 24;
const COMPRESSED: [u16; 2] = [14, 16];
/// Where the length of the compressed data is. It does not count the header of the page.
const COMPRESSED_LEN_AT: usize = 32;
const HEADER_LEN: usize = 38;
/// Where the first page has the flags of the tablespace. Bits 6 to 9 are the size of a page: 0 for 16 KiB, or the
/// binary logarithm of its multiple of 512.
const FLAGS_AT: usize = 54;
/// The smallest and the largest page.
const PAGE_LENS: Range<usize> = 1 << 12..(1 << 16) + 1;
/// A shorter hole frees no block of the file system.
const BLOCK_LEN: usize = 1 << 12;

/// The length of a page of the table that begins with these bytes.
pub(super) fn page_len(table: &[u8]) -> Option<usize> {
    let flags = u32::from_be_bytes(*table.get(FLAGS_AT..)?.first_chunk()?);
    let len = match flags >> 6 & 0xf {
        0 => 1 << 14,
        shift => 512 << shift,
    };
    PAGE_LENS.contains(&len).then_some(len)
}

/// What is to be written of these bytes, which begin at `offset` of a table with pages of `page_len`. The rest is zeros
/// behind compressed pages. One range if there are none.
pub(super) fn written(bytes: &[u8], offset: u64, page_len: usize) -> Vec<Range<usize>> {
    let (mut parts, mut begin) = (Vec::new(), 0);
    // A page is at a multiple of its length. A page of which a part is in another chunk has no hole.
    let mut at = (offset.next_multiple_of(page_len as u64) - offset) as usize;
    while let Some(page) = bytes.get(at..at + page_len) {
        let number = |at| page[at..].first_chunk().map_or(0, |&bytes| u16::from_be_bytes(bytes));
        if COMPRESSED.contains(&number(TYPE_AT)) {
            let len = HEADER_LEN + usize::from(number(COMPRESSED_LEN_AT));
            let is_hole =
                len.next_multiple_of(BLOCK_LEN) < page_len && page[len..].iter().all(|&byte| byte == 0);
            if is_hole {
                parts.push(begin..at + len);
                begin = at + page_len;
            }
        }
        at += page_len;
    }
    if begin < bytes.len() || parts.is_empty() {
        parts.push(begin..bytes.len());
    }
    parts
}
