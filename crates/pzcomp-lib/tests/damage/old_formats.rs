//! Damaged and lying files of lzop and of liblzf's `lzf`, which pzcomp only reads. Snappy is in the suites over the
//! table of formats.
//!
//! There is no peer: `common::old` writes the files, so the truth is known. LZF has no checksum. So its data may be
//! wrong without an error, and is then reported as not verified.

use crate::common::old::{self, Lzop};
use crate::common::outcome::is_refused;
use crate::common::plain::{self, Random};
use crate::common::{compress, decoded, decompress, flipped, places, small};
use pzcomp::{Decode, Decompress, Error, Format, Input, Size};

fn decode(coded: &[u8], threads: usize) -> (Vec<u8>, Result<bool, String>) {
    let mut back = Vec::new();
    let options = decode!(Decode::builder(), threads);
    let result = Decompress::new(&options).run(Input::reader(coded), &mut back);
    (back, result.map(|summary| summary.unverified).map_err(|error| error.to_string()))
}

fn data() -> Vec<u8> {
    [plain::text(1040), plain::random(280), vec![0; 360]].concat()
}

/// Small files with every kind of check, and whether they have any.
fn samples() -> Vec<(Vec<u8>, bool)> {
    let data = data();
    let lzop = |flags| Lzop { flags, block_len: 600, ..Lzop::default() }.file(&data);
    let mut samples: Vec<_> =
        [1, 2, 0x100, 0x200, 0x303, 0x1101].map(|flags| (lzop(flags), flags & 0x101 != 0)).into();
    samples.push((lzop(0), false));
    samples.push((old::lzf(&data, 600), false));
    samples
}

#[test]
fn a_file_cut_anywhere_gives_the_blocks_before_the_cut() {
    let data = data();
    for (coded, _) in samples() {
        for len in places(coded.len()) {
            let (back, result) = decode(&coded[..len], 1);
            let on_three_threads = decode(&coded[..len], 3);
            assert!(
                on_three_threads == (back.clone(), result.clone()),
                "cut at {len}: threads make a difference"
            );
            assert!(data.starts_with(&back), "cut at {len}: wrong bytes");
            // Only lzop has a mark at the end.
            if result.is_ok() {
                assert!(coded.starts_with(b"ZV") && back.len() % 600 == 0, "cut at {len}: no end was seen");
            } else {
                // Only the end mark may be missing.
                let is_whole = back.len() % 600 == 0 || back == data;
                assert!(is_whole, "cut at {len}: part of a block is written");
            }
        }
    }
}

#[test]
fn a_flipped_bit_never_passes_for_verified_data() {
    let data = data();
    for (coded, is_checked) in samples() {
        for bit in places(coded.len() * 8) {
            let damaged = flipped(&coded, bit / 8, 1 << (bit % 8));
            let (back, result) = decode(&damaged, 1);
            match result {
                Ok(unverified) => assert!(
                    back == data || unverified && !is_checked,
                    "bit {bit}: {} wrong bytes and no error",
                    back.len()
                ),
                Err(_) => assert!(!is_checked || data.starts_with(&back), "bit {bit}: wrong bytes"),
            }
        }
    }
}

#[test]
fn mutated_files_have_one_outcome_on_any_number_of_threads() {
    let data = data();
    for (seed, (coded, is_checked)) in (1..).zip(samples()) {
        let mut random = Random(seed);
        for round in 0..150 {
            let mut damaged = coded.clone();
            for _ in 0..1 + random.below(4) {
                let at = random.below(damaged.len() as u64) as usize;
                let len = [1, 1, 2, 4][random.below(4) as usize].min(damaged.len() - at);
                let value = [0, u64::MAX, 1, random.next()][random.below(4) as usize];
                damaged[at..at + len].copy_from_slice(&value.to_le_bytes()[..len]);
            }
            let alone = decode(&damaged, 1);
            for threads in [2, 3, 16] {
                assert_eq!(decode(&damaged, threads), alone, "seed {seed}, round {round}, {threads} threads");
            }
            if is_checked {
                assert!(data.starts_with(&alone.0), "seed {seed}, round {round}: wrong bytes");
                assert!(alone.1.is_err() || alone.0 == data, "seed {seed}, round {round}: bytes are missing");
            }
        }
    }
}

#[test]
fn blocks_that_lie_about_their_lengths_are_errors_and_no_reason_to_allocate() {
    let lzop = Lzop::default();
    let header = lzop.header();
    let block = lzop.block(&plain::text(3000));
    let coded_len = u32::from_be_bytes([block[4], block[5], block[6], block[7]]);
    for (plain_len, coded_len) in [
        (64 << 20, coded_len),
        (64 << 20, 63 << 20),
        ((64 << 20) + 1, coded_len),
        (u32::MAX, coded_len),
        (3001, coded_len),
        (2999, coded_len),
        (3000, 3000),
        (3000, 3001),
        (3000, 0),
        (3000, coded_len - 1),
        (3000, coded_len + 1),
    ] {
        let mut file = [&header[..], &block, &[0; 4]].concat();
        file[header.len()..][..4].copy_from_slice(&u32::to_be_bytes(plain_len));
        file[header.len() + 4..][..4].copy_from_slice(&u32::to_be_bytes(coded_len));
        let (back, _) = is_refused(&file, &format!("{plain_len} and {coded_len}"));
        assert!(back.is_empty());
    }
    for lie in [0, 1, 999, 1001, 65_535] {
        let mut file = old::lzf(&plain::text(1000), 1000);
        file[5..7].copy_from_slice(&u16::to_be_bytes(lie));
        is_refused(&file, &format!("lzf with {lie}"));
    }
    let snappy = compress(&plain::text(1000), &small(Format::Snappy));
    for lie in [&[0xff, 0xff, 0xff][..], &[0, 0, 0], &[3, 0, 0], &[4, 0, 0]] {
        let mut file = snappy.clone();
        file[11..14].copy_from_slice(lie);
        if lie != [0, 0, 0] {
            is_refused(&file, &format!("snappy with {lie:02x?}"));
        }
    }
}

/// lzop itself writes blocks of 256 KiB, but reads blocks of 64 MiB.
#[test]
fn long_blocks_of_lzop_are_decoded_or_refused_with_the_memory_that_they_need() {
    let data = [plain::text(6 << 20), vec![0; 9 << 20]].concat();
    let coded = Lzop { block_len: 5 << 20, ..Lzop::default() }.file(&data);
    for threads in [1, 2, 3] {
        assert!(decode(&coded, threads) == (data.clone(), Ok(false)), "{threads} threads");
    }
    let one = Lzop { block_len: 64 << 20, ..Lzop::default() }.file(&vec![5; 64 << 20]);
    // Enough for one thread, but not for this block.
    let options = decode!(Decode::builder(), memory: 110 << 20);
    let error = decoded(&one[..], &options).1.unwrap_err();
    let Error::Memory { needed, .. } = error else { panic!("{error}") };
    assert!(needed > Size(64 << 20));
    let options = decode!(Decode::builder(), memory: needed.0);
    let summary = decoded(&one[..], &options).1.unwrap();
    assert_eq!(summary.plain_len, 64 << 20);
    assert_eq!(decompress(&one).unwrap().len(), 64 << 20);
}
