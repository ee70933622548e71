//! Salvage of files whose first bytes are damaged, so that no magic number tells their format: all units but the first
//! come back.
//!
//! The formats are those of the table that can be divided, with an index and without one. There is no peer: the test
//! knows the data.

use crate::common::old::{self, Lzop};
use crate::common::plain;
use crate::common::qpress::archive;
use crate::common::{compress, small};
use crate::salvage::{options, salvage};
use pzcomp::Format;

const UNIT: usize = 20_000;

/// Damages the first four bytes of a file, and salvages it.
fn check(what: &str, coded: &[u8], data: &[u8]) {
    for head in [*b"\0\0\0\0", *b"\xff\xff\xff\xff", *b"line", [!coded[0], coded[1], coded[2], coded[3]]] {
        let mut damaged = coded.to_vec();
        damaged[..4].copy_from_slice(&head);
        let (back, report) = salvage(&damaged, &options());
        let report = report.unwrap_or_else(|error| panic!("{what}, {head:?}: {error}"));
        let is_right = back.len() >= data.len() - UNIT && data.ends_with(&back);
        assert!(is_right, "{what}, {head:?}: {} of {} bytes, {report:?}", back.len(), data.len());
        assert!(!report.is_whole() && report.untried.is_empty(), "{what}, {head:?}: {report:?}");
    }
}

#[test]
fn files_without_a_magic_number_keep_all_but_their_first_unit() {
    let data = [plain::text(10 * UNIT), plain::random(10 * UNIT)].concat();
    let mut count = 0;
    for format in Format::all().filter(|format| !matches!(format, Format::Lzma | Format::Zlib | Format::Zip))
    {
        for index in [true, false] {
            let options = encode!(small(format), index, block_size: UNIT);
            check(&format!("{format}, index: {index}"), &compress(&data, &options), &data);
        }
        count += 1;
    }
    assert!(count >= 7);
    let lzop = Lzop { block_len: UNIT, ..Lzop::default() };
    check("lzop", &lzop.file(&data), &data);
    check("qpress", &archive(&data, 1, UNIT), &data);
}

/// The advice of the command where something was not tried (`src/salvage.rs`).
#[test]
fn a_part_of_a_file_is_salvaged_by_itself() {
    let data = [plain::text(10 * UNIT), plain::random(10 * UNIT)].concat();
    let check = |what: &str, head: &[u8], coded: &[u8]| {
        let part = &coded[coded.len() / 2..];
        let (back, report) = salvage(&[head, part].concat(), &options());
        let report = report.unwrap_or_else(|error| panic!("{what}: {error}"));
        let is_right = back.len() >= 5 * UNIT && data.ends_with(&back);
        assert!(is_right, "{what}: {} bytes, {report:?}", back.len());
    };
    for format in Format::all().filter(|format| !matches!(format, Format::Lzma | Format::Zlib | Format::Zip))
    {
        let options = encode!(small(format), index: false, block_size: UNIT);
        let head: &[u8] = if format == Format::Gzip { b"\x1f\x8b\x08\0\0\0\0\0\0\x03" } else { b"" };
        check(format.name(), head, &compress(&data, &options));
    }
    check("qpress", b"", &archive(&data, 1, UNIT));
    check("LZF", b"ZV\0\0\0", &old::lzf(&data, UNIT));
    for flags in [1, 0x303, 0x100] {
        let lzop = Lzop { block_len: UNIT, flags, ..Lzop::default() };
        check("lzop", &lzop.header(), &lzop.file(&data));
    }
    check("lzop without a header", b"", &Lzop { block_len: UNIT, ..Lzop::default() }.file(&data));
}
