//! Salvage of formats whose blocks state their lengths: lzop, Snappy, LZF and qpress.
//!
//! The headers of lzop are plain numbers, which occur everywhere, and most fields between blocks have no checksum. So
//! the damage here is in these numbers, or moves everything behind it.

use crate::common::old::{self, Lzop};
use crate::common::plain;
use crate::common::qpress::{archive, block, packets};
use crate::common::{compress, decompress, small};
use crate::salvage::{options, salvage};
use packets::{Mode, packet};
use pzcomp::Format;
use pzcomp::salvage::Fill;

const BLOCK: usize = 40_000;

/// Data whose coded form is full of small numbers, which look like the headers of lzop.
fn numbers() -> Vec<u8> {
    let random = plain::random(8 * BLOCK);
    random.chunks(2).flat_map(|pair| [0, pair[0] & 3, pair[0], pair[1]]).take(10 * BLOCK).collect()
}

#[test]
fn bytes_that_are_inserted_into_a_file_of_lzop_lose_one_block_at_most() {
    let data = numbers();
    for flags in [1, 0x101, 0x303] {
        let lzop = Lzop { block_len: BLOCK, flags, ..Lzop::default() };
        let blocks: Vec<Vec<u8>> = data.chunks(BLOCK).map(|plain| lzop.block(plain)).collect();
        // Garbage, zeros, which look like the end of the stream, and headers of blocks that would end inside of the
        // file and behind it.
        let inserted: [&[u8]; 10] = [
            b"sixteen letters!",
            &[0],
            &[0; 2],
            &[0; 3],
            &[0; 4],
            &[0; 7],
            &[0; 5000],
            &[0, 1, 0, 0, 0, 0, 0x80, 0, 1, 2, 3, 4],
            &[3, 0, 0, 0, 2, 0, 0, 0, 1, 2, 3, 4],
            &[0, 4, 0, 0, 0, 3, 0, 0],
        ];
        for bytes in inserted {
            for (number, inside) in [(3, 0), (3, 9_000), (6, 3), (9, 100)] {
                let mut coded = lzop.header();
                for (at, block) in blocks.iter().enumerate() {
                    let cut = if at == number { inside } else { 0 };
                    coded.extend(&block[..cut]);
                    coded.extend(if at == number { bytes } else { &[] });
                    coded.extend(&block[cut..]);
                }
                coded.extend([0; 4]);
                let what = format!("flags {flags:#x}, {bytes:?} at {inside} of block {number}");
                let (back, report) = salvage(&coded, &options());
                let report = report.unwrap_or_else(|error| panic!("{what}: {error}"));
                let lost = if inside == 0 { 0..0 } else { number * BLOCK..(number + 1) * BLOCK };
                let expected = [&data[..lost.start], &data[lost.end..]].concat();
                assert!(back == expected, "{what}: {} bytes, {report:?}", back.len());
                assert!(!report.is_whole(), "{what}");
            }
        }
    }
}

/// Blocks of a qpress archive of one file, each with its plain data.
fn blocks(data: &[u8]) -> Vec<Vec<u8>> {
    let chunks = data.chunks(4096).enumerate();
    chunks.map(|(at, plain)| block(4096 * at as u64, &packet(plain, 1, Mode::Compressed))).collect()
}

fn qpress_of(blocks: &[Vec<u8>]) -> Vec<u8> {
    let whole = archive(b"", 1, 4096);
    let head = whole.len() - 16;
    [&whole[..head], &blocks.concat(), &whole[head..]].concat()
}

#[test]
fn a_wrong_plain_length_of_a_packet_moves_nothing_behind_it() {
    let data = plain::text(30_000);
    for lie in [4_000_u32, 4_100, 4_095, 1, 0x00ff_ffff] {
        for number in [0, 3, 6] {
            let mut blocks = blocks(&data);
            // The long header of a packet: a byte, the coded length, the plain length.
            let at = 20 + if blocks[number][20] & 2 != 0 { 5 } else { 2 };
            let width = if blocks[number][20] & 2 != 0 { 4 } else { 1 };
            blocks[number][at..at + width].copy_from_slice(&lie.to_le_bytes()[..width]);
            let coded = qpress_of(&blocks);
            let (back, report) = salvage(&coded, &options().fill(Fill::Zero));
            let report = report.unwrap();
            let mut expected = data.clone();
            expected[4096 * number..][..4096].fill(0);
            assert!(back == expected, "{lie} in block {number}: {} bytes, {report:?}", back.len());
            assert_eq!(report.lost_len(), Some(4096), "{lie} in block {number}");
        }
    }
}

#[test]
fn blocks_of_qpress_that_are_missing_are_reported_and_filled() {
    let data = plain::text(30_000);
    for missing in [0..1, 2..3, 2..5] {
        let mut blocks = blocks(&data);
        blocks.drain(missing.clone());
        let plain = 4096 * missing.start..4096 * missing.end;
        let (back, report) = salvage(&qpress_of(&blocks), &options());
        let report = report.unwrap();
        let [lost] = &report.lost[..] else { panic!("{report:?}") };
        assert_eq!((lost.plain_offset, lost.plain_len), (Some(plain.start as u64), Some(plain.len() as u64)));
        assert!(back == [&data[..plain.start], &data[plain.end..]].concat());
        let (back, _) = salvage(&qpress_of(&blocks), &options().fill(Fill::Zero));
        let mut expected = data.clone();
        expected[plain].fill(0);
        assert!(back == expected);
    }
    // Only the offset of a block is wrong. The block behind it shows that nothing is missing. Behind the last block
    // nothing shows that anything is.
    for (number, bit) in [(3, 14), (7, 0), (7, 12), (7, 46), (7, 62)] {
        let mut blocks = blocks(&data);
        blocks[number][8 + bit / 8] ^= 1 << (bit % 8);
        let (back, report) = salvage(&qpress_of(&blocks), &options().fill(Fill::Zero));
        assert!(back == data && !report.unwrap().is_whole(), "bit {bit} of block {number}");
    }
}

#[test]
fn what_does_not_decompress_is_never_called_whole() {
    let data = plain::text(5_000);
    let files = [
        Lzop { block_len: 2_000, ..Lzop::default() }.file(&data),
        compress(&data, &small(Format::Snappy)),
        old::lzf(&data, 2_000),
        archive(&data, 1, 2_000),
    ];
    let tails: [&[u8]; 8] = [&[0], &[0, 0], &[0, 0, 0], &[0xff], &[1, 2], &[0x50], b"ZV", &[0x80, 1, 0]];
    for coded in files {
        let cuts = (1..10).map(|cut| coded[..coded.len() - cut].to_vec());
        let longer = tails.iter().map(|tail| [&coded[..], tail].concat());
        for damaged in cuts.chain(longer) {
            let is_fine = decompress(&damaged).is_ok();
            let (back, report) = salvage(&damaged, &options());
            let is_whole = report.as_ref().is_ok_and(|report| report.is_whole());
            assert_eq!(is_whole, is_fine, "{} bytes of {}: {report:?}", damaged.len(), coded.len());
            assert!(data.starts_with(&back));
        }
    }
}
