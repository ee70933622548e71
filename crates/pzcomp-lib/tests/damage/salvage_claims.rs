//! Salvage of a file in which one header in the middle claims a wrong length, from 1 KiB to 1 GiB: all other units come
//! back.
//!
//! A wrong length costs the salvage nothing but its own unit, whether the unit that it claims ends in the file or
//! behind it. There is no peer: the test knows the data of each unit. Add a row to a test to add a field or a format.

use std::ops::Range;

use crate::common::old::{self, Lzop};
use crate::common::plain;
use crate::common::qpress::archive;
use crate::common::{compress, is_exhaustive, small};
use crate::salvage::{listed, options, salvage};
use pzcomp::Format;

/// How many units a file has, which of them is damaged, and how long each is. There are claims that end in each of the
/// next units, and behind the file.
const UNITS: usize = 9;
const DAMAGED: usize = 4;
const UNIT: usize = 60_000;

/// Writes a length into a unit, which is in this range. Says whether the field can have that length.
type Claim = fn(&mut Vec<u8>, Range<usize>, u64) -> bool;

/// Units of which a part shrinks, so that blocks are coded and the file is about as long as its data.
fn mixed() -> Vec<u8> {
    let (random, text) = (plain::random(UNIT * UNITS), plain::text(UNIT * UNITS));
    let units = random.chunks(UNIT).zip(text.chunks(UNIT));
    units.flat_map(|(random, text)| [&random[..UNIT - 9000], &text[..9000]].concat()).collect()
}

/// Salvages this file with each claim.
fn check(what: &str, coded: &[u8], data: &[u8], fields: &[(&str, Claim)]) {
    let frames = listed(coded);
    assert_eq!(frames.len(), UNITS, "{what}");
    let (body, lost) = frames[DAMAGED].clone();
    let expected = [&data[..lost.start], &data[lost.end..]].concat();
    let mut failures = Vec::new();
    for (field, claim) in fields {
        let mut count = 0;
        let lens = (10..=30).flat_map(|bits| [1 << bits, 3 << (bits - 1)]);
        // Of those that are longer than any file here, every second one.
        for len in lens.filter(|&len: &u64| len < 2 << 20 || len.is_power_of_two() || is_exhaustive()) {
            let mut damaged = coded.to_vec();
            if !claim(&mut damaged, body.clone(), len) {
                continue;
            }
            count += 1;
            let (back, report) = salvage(&damaged, &options());
            // A wrong length may do no harm to the unit.
            if back != expected && back != data {
                let report = report.map(|report| (report.lost, report.untried));
                failures.push(format!("{field} of {len}: {} bytes, {report:?}", back.len()));
            }
        }
        assert!(count > 1, "{what}, {field}");
    }
    assert!(failures.is_empty(), "{what}, expected {} bytes: {failures:#?}", expected.len());
}

/// Writes the low bytes of a number, least significant first. Says whether it fits.
fn put_le(bytes: &mut [u8], number: u64) -> bool {
    let len = bytes.len();
    bytes.copy_from_slice(&number.to_le_bytes()[..len]);
    len == 8 || number >> (8 * len) == 0
}

fn put_be(bytes: &mut [u8], number: u64) -> bool {
    let is_right = put_le(bytes, number);
    bytes.reverse();
    is_right
}

#[test]
fn a_length_in_a_block_of_lzop_costs_only_this_block() {
    let fields: [(&str, Claim); 3] = [
        ("both lengths", |coded, body, len| {
            put_be(&mut coded[body.start..][..4], len) && put_be(&mut coded[body.start + 4..][..4], len)
        }),
        ("plain length", |coded, body, len| put_be(&mut coded[body.start..][..4], len)),
        ("coded length", |coded, body, len| put_be(&mut coded[body.start + 4..][..4], len)),
    ];
    // Stored blocks and coded ones.
    for (flags, data) in [(1, plain::random(UNIT * UNITS)), (0x303, mixed())] {
        let lzop = Lzop { block_len: UNIT, flags, ..Lzop::default() };
        check(&format!("lzop {flags:#x}"), &lzop.file(&data), &data, &fields);
    }
}

#[test]
fn a_length_in_a_block_of_lzf_costs_only_this_block() {
    let data = mixed();
    let fields: [(&str, Claim); 2] = [
        ("coded length", |coded, body, len| put_be(&mut coded[body.start + 3..][..2], len)),
        ("plain length", |coded, body, len| put_be(&mut coded[body.start + 5..][..2], len)),
    ];
    check("LZF", &old::lzf(&data, UNIT), &data, &fields);
}

#[test]
fn a_length_in_a_chunk_of_snappy_costs_only_this_chunk() {
    let data = mixed();
    let mut coded = b"\xff\x06\0\0sNaPpY".to_vec();
    let options = encode!(small(Format::Snappy), block_size: UNIT);
    for unit in data.chunks(UNIT) {
        coded.extend(&compress(unit, &options)[10..]);
    }
    let fields: [(&str, Claim); 2] = [
        ("length", |coded, body, len| put_le(&mut coded[body.start + 1..][..3], len)),
        ("length and a type without data", |coded, body, len| {
            coded[body.start] = 0x80;
            put_le(&mut coded[body.start + 1..][..3], len)
        }),
    ];
    check("Snappy", &coded, &data, &fields);
}

#[test]
fn a_length_in_a_block_of_qpress_costs_only_this_block() {
    let data = mixed();
    let fields: [(&str, Claim); 3] = [
        ("both lengths", |coded, body, len| {
            put_le(&mut coded[body.start + 21..][..4], len) && put_le(&mut coded[body.start + 25..][..4], len)
        }),
        ("coded length", |coded, body, len| put_le(&mut coded[body.start + 21..][..4], len)),
        ("plain length", |coded, body, len| put_le(&mut coded[body.start + 25..][..4], len)),
    ];
    check("qpress", &archive(&data, 1, UNIT), &data, &fields);
}

/// Files of this format with an index and without one.
fn check_own(format: Format, fields: &[(&str, Claim)]) {
    let data = mixed();
    for index in [true, false] {
        let options = encode!(small(format), index, block_size: UNIT);
        check(&format!("{format}, index: {index}"), &compress(&data, &options), &data, fields);
    }
}

/// Turns a frame into one that readers skip.
#[allow(clippy::ptr_arg, reason = "it is a `Claim`, and others insert bytes")]
fn skippable(coded: &mut Vec<u8>, body: Range<usize>, len: u64) -> bool {
    coded[body.start..][..4].copy_from_slice(b"\x50\x2a\x4d\x18");
    put_le(&mut coded[body.start + 4..][..4], len)
}

#[test]
fn a_length_in_a_frame_of_zstd_costs_only_this_frame() {
    // Magic number, descriptor, a plain length of two bytes from 256 on, header of a block.
    check_own(
        Format::Zstd,
        &[
            ("plain length", |coded, body, len| put_le(&mut coded[body.start + 5..][..2], len - 256)),
            ("length of a block", |coded, body, len| {
                let kind = u64::from(coded[body.start + 7] & 7);
                put_le(&mut coded[body.start + 7..][..3], len << 3 | kind)
            }),
        ],
    );
}

#[test]
fn a_length_in_a_frame_of_lz4_costs_only_this_frame() {
    check_own(
        Format::Lz4,
        &[
            ("plain length", |coded, body, len| put_le(&mut coded[body.start + 6..][..8], len)),
            ("length of a coded block", |coded, body, len| put_le(&mut coded[body.start + 15..][..4], len)),
            ("length of a stored block", |coded, body, len| {
                put_le(&mut coded[body.start + 15..][..4], len | 1 << 31)
            }),
        ],
    );
}

/// Without an index, such a frame is believed: what is inside of it may be the data of somebody else.
#[test]
fn a_frame_that_is_called_skippable_is_found_by_the_index() {
    let data = mixed();
    for format in [Format::Zstd, Format::Lz4] {
        let options = encode!(small(format), block_size: UNIT);
        let fields: [(&str, Claim); 1] = [("length of a skippable frame", skippable)];
        check(format.name(), &compress(&data, &options), &data, &fields);
    }
}

#[test]
fn a_length_in_a_member_of_gzip_costs_only_this_member() {
    check_own(
        Format::Gzip,
        &[
            ("size", |coded, body, len| put_le(&mut coded[body.start + 16..][..4], len)),
            ("length of the extra field", |coded, body, len| put_le(&mut coded[body.start + 10..][..2], len)),
            ("plain length", |coded, body, len| put_le(&mut coded[body.end - 4..][..4], len)),
        ],
    );
}

#[test]
fn a_length_in_a_member_of_lzip_costs_only_this_member() {
    check_own(
        Format::Lzip,
        &[
            ("coded length", |coded, body, len| put_le(&mut coded[body.end - 8..][..8], len)),
            ("plain length", |coded, body, len| put_le(&mut coded[body.end - 16..][..8], len)),
        ],
    );
}

/// A number as xz writes it.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 127 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// Replaces the Block Header by one with these lengths, whose CRC32 is right.
fn block_header(coded: &mut Vec<u8>, body: Range<usize>, coded_len: u64, plain_len: u64) -> bool {
    let old = 4 * (usize::from(coded[body.start]) + 1);
    let filter = [0x21, 1, 8];
    let mut header = [&[0, 0xc0][..], &varint(coded_len), &varint(plain_len), &filter].concat();
    header.resize(header.len().next_multiple_of(4), 0);
    header[0] = (header.len() / 4) as u8;
    header.extend(crc32fast::hash(&header).to_le_bytes());
    // The Block keeps its length, so that everything behind it keeps its place.
    let longer = header.len() - old;
    coded.splice(body.start..body.start + old + longer, header);
    true
}

#[test]
fn a_length_in_a_block_of_xz_costs_only_this_block() {
    check_own(
        Format::Xz,
        &[
            ("both lengths", |coded, body, len| block_header(coded, body, len, len)),
            ("coded length", |coded, body, len| block_header(coded, body, len, UNIT as u64)),
            ("plain length", |coded, body, len| block_header(coded, body, 55_000, len)),
        ],
    );
}
