//! InnoDB pages as in a physical backup: leaf pages of 16 KiB of three tables.
//!
//! Most pages are full, some are half empty after splits, and some were never used. The layout is that of MySQL's
//! `fil0types.h`, `page0types.h` and `rem0rec.h` (COMPACT rows). Headers, checksums, rows and unused space are where a
//! real file has them, which is enough for a compressor. No server would open the file. The mix is chosen so that zstd
//! -3 leaves 40 %, as for a real backup stream.

mod rows;

use crate::Source;
use crate::random::Random;
use rows::{Customers, LineItems, Nodes, RowSource};

const PAGE_LEN: usize = 16 << 10;
/// FIL header (38 bytes), page header (56), infimum and supremum records (26).
const ROWS_START: usize = 120;
const TRAILER_LEN: usize = 8;
/// One directory slot of two bytes owns this many records.
const SLOT_OWNS: usize = 6;
const RECORD_HEADER_LEN: usize = 5;
/// `FIL_PAGE_INDEX`
const INDEX_PAGE: u16 = 17_855;
/// The pages of one table come in extents of 64 pages, which are a megabyte.
const EXTENT_PAGES: u32 = 64;
/// The table of the next extent: nodes, line items, or customers. The tables take turns, and not by chance, so that the
/// first megabytes compress like the whole.
const TURNS: [usize; 5] = [0, 1, 2, 1, 2];

struct Table {
    space: u32,
    next_page: u32,
    rows: Box<dyn RowSource>,
    /// The percentage of pages that are half empty after a split, and the percentage of unused pages.
    split_percent: u64,
    unused_percent: u64,
}

pub struct Tablespace {
    random: Random,
    tables: [Table; 3],
    turn: usize,
    lsn: u64,
}

impl Tablespace {
    pub fn new(mut random: Random) -> Self {
        let tables = [
            Table::new(17, Box::new(Nodes::new(&mut random)), 4, 2),
            Table::new(18, Box::new(LineItems::new(&mut random)), 6, 2),
            Table::new(19, Box::new(Customers::new(&mut random)), 40, 5),
        ];
        Self { random, tables, turn: 0, lsn: 0x0001_2f3a_5530 }
    }
}

impl Source for Tablespace {
    /// One page.
    fn append(&mut self, out: &mut Vec<u8>) {
        let table = &mut self.tables[TURNS[self.turn]];
        table.next_page += 1;
        let start = out.len();
        out.resize(start + PAGE_LEN, 0);
        if !self.random.percent(table.unused_percent) {
            self.lsn += self.random.between(60, 40_000);
            table.fill(&mut self.random, self.lsn, &mut out[start..]);
        }
        if table.next_page.is_multiple_of(EXTENT_PAGES) {
            self.turn = (self.turn + 1) % TURNS.len();
        }
    }
}

impl Table {
    fn new(space: u32, rows: Box<dyn RowSource>, split_percent: u64, unused_percent: u64) -> Self {
        Self { space, next_page: 4, rows, split_percent, unused_percent }
    }

    /// Writes a leaf page with its rows, directory, header and checksum into `page`, all zeros.
    fn fill(&mut self, random: &mut Random, lsn: u64, page: &mut [u8]) {
        let fill_percent = if random.percent(self.split_percent) { random.between(50, 80) } else { 93 };
        let end = PAGE_LEN * fill_percent as usize / 100;
        let mut origins: Vec<u16> = Vec::new();
        let mut at = ROWS_START;
        let (mut prefix, mut row) = (Vec::new(), Vec::new());
        loop {
            prefix.clear();
            row.clear();
            self.rows.push_row(random, &mut prefix, &mut row);
            let header = at + prefix.len();
            let origin = header + RECORD_HEADER_LEN;
            if origin + row.len() > end {
                break;
            }
            page[at..header].copy_from_slice(&prefix);
            page[origin..origin + row.len()].copy_from_slice(&row);
            origins.push(origin as u16);
            at = origin + row.len();
        }
        link_records(page, &origins);
        self.write_header(page, lsn, at, &origins);
        seal(page, lsn);
    }

    fn write_header(&self, page: &mut [u8], lsn: u64, heap_top: usize, origins: &[u16]) {
        let number = self.next_page;
        put(page, 4, &number.to_be_bytes());
        put(page, 8, &(number - 1).to_be_bytes());
        put(page, 12, &(number + 1).to_be_bytes());
        put(page, 16, &lsn.to_be_bytes());
        put(page, 24, &INDEX_PAGE.to_be_bytes());
        put(page, 34, &self.space.to_be_bytes());
        let slots = (origins.len() / SLOT_OWNS + 2) as u16;
        let records = origins.len() as u16;
        put(page, 38, &slots.to_be_bytes());
        put(page, 40, &(heap_top as u16).to_be_bytes());
        // The top bit says that rows are COMPACT; infimum and supremum count as records.
        put(page, 42, &(0x8000 | (records + 2)).to_be_bytes());
        put(page, 48, &origins.last().unwrap_or(&0).to_be_bytes());
        put(page, 50, &2_u16.to_be_bytes());
        put(page, 52, &records.saturating_sub(1).to_be_bytes());
        put(page, 54, &records.to_be_bytes());
        put(page, 66, &u64::from(self.space + 100).to_be_bytes());
        put(page, 94, b"\x01\x00\x02\x00\x1d\x69infimum\x00");
        put(page, 107, b"\x06\x00\x0b\x00\x00\x73upremum");
    }
}

/// Writes each record's header (heap number, type, distance to the next record) and the page
/// directory, which grows down from the trailer.
fn link_records(page: &mut [u8], origins: &[u16]) {
    for (i, origin) in origins.iter().enumerate() {
        let owned = if i % SLOT_OWNS == SLOT_OWNS - 1 { SLOT_OWNS as u8 } else { 0 };
        let next = origins.get(i + 1).map_or(0, |next| next - origin);
        let header = usize::from(*origin) - RECORD_HEADER_LEN;
        page[header] = owned;
        put(page, header + 1, &((i as u16 + 2) << 3).to_be_bytes());
        put(page, header + 3, &next.to_be_bytes());
        if owned > 0 {
            let slot = PAGE_LEN - TRAILER_LEN - 2 * (i / SLOT_OWNS + 2);
            put(page, slot, &origin.to_be_bytes());
        }
    }
}

/// Writes the checksum (both places) and the low half of the LSN into the trailer.
fn seal(page: &mut [u8], lsn: u64) {
    let sum = crc32c::crc32c(&page[4..26]) ^ crc32c::crc32c(&page[38..PAGE_LEN - TRAILER_LEN]);
    put(page, 0, &sum.to_be_bytes());
    put(page, PAGE_LEN - 8, &sum.to_be_bytes());
    put(page, PAGE_LEN - 4, &(lsn as u32).to_be_bytes());
}

fn put(page: &mut [u8], at: usize, bytes: &[u8]) {
    page[at..at + bytes.len()].copy_from_slice(bytes);
}
