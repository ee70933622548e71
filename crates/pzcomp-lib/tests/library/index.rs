//! `Index`: an index beside a file leads to any range of it, and a wrong one gives an error or the right bytes.
//!
//! Indexes are made here, and those of other programs are made by hand. `tests/formats/gzidx.rs` has indexed_gzip.

use std::sync::Arc;

use pzcomp::{Decode, Encode, Error, Format, Index, IndexFormat, Layout, Member, Seekable};

use crate::common::plain::Random;
use crate::common::{compress, flipped, pipe, plain, small};

const THREADS: [usize; 2] = [1, 3];

/// The bytes of an index file.
fn written(index: &Index, format: IndexFormat) -> Vec<u8> {
    let mut file = Vec::new();
    index.write_to(format, &mut file).unwrap();
    file
}

/// Reads ranges at random by an index, and compares them with the plain data.
fn compare(name: &str, coded: &[u8], index: &Index, data: &[u8]) {
    for threads in THREADS {
        let options = decode!(Decode::builder(), threads);
        let seekable = Seekable::with_index(coded.to_vec(), index.clone(), &options).unwrap();
        let mut random = Random(5);
        for _ in 0..12 {
            let offset = random.below(data.len() as u64) as usize;
            let len = random.below(data.len() as u64 / 2) as usize;
            let mut found = vec![0; len];
            let read = seekable.read_at(&mut found, offset as u64);
            let read = read.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(
                found[..read] == data[offset..(offset + len).min(data.len())],
                "{name}: {len} from {offset}"
            );
        }
    }
}

/// Files without an index of their own, and the least number of places that an index has for them.
fn files(data: &[u8]) -> Vec<(String, Vec<u8>, usize)> {
    let one = encode!(Encode::builder(Format::Gzip), layout: Layout::Single(Member::default()), threads: 2);
    let half = data.len() / 2;
    let two = [pipe("gzip -1", &data[..half]), pipe("gzip -9", &data[half..]), vec![0; 100]].concat();
    let mut files = vec![
        ("gzip -6".to_owned(), pipe("gzip -6", data), 4),
        ("gzip -1".to_owned(), pipe("gzip -1", data), 4),
        ("two members".to_owned(), two, 4),
        ("our member".to_owned(), compress(data, &one), 2),
        ("stored".to_owned(), pipe("gzip -1", &plain::random(data.len())), 8),
        ("pbzip2".to_owned(), [pipe("bzip2 -1", &data[..half]), pipe("bzip2 -2", &data[half..])].concat(), 8),
        ("bzip2".to_owned(), pipe("bzip2 -1", data), 8),
        ("zstd".to_owned(), data.chunks(200_000).flat_map(|part| pipe("zstd -q -1", part)).collect(), 5),
    ];
    for format in Format::all() {
        files.push((format!("{format}"), compress(data, &small(format)), 8));
    }
    files
}

#[test]
fn any_file_is_read_by_its_index() {
    let data = plain::text(1_200_000);
    for (name, coded, places) in files(&data) {
        let stored = plain::random(data.len());
        let data = if name == "stored" { &stored } else { &data };
        let options = decode!(Decode::builder(), threads: 3);
        let index = Index::build_with_interval(&coded, 100_000, &options)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        index.verify(&coded, &Decode::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let file = written(&index, IndexFormat::Pzi);
        let read = Index::open(Arc::new(file.clone())).unwrap();
        assert_eq!((read.format(), index.format()), (IndexFormat::Pzi, IndexFormat::Pzi));
        assert_eq!(written(&read, IndexFormat::Pzi), file, "{name}");
        let seekable = Seekable::with_index(coded.clone(), read.clone(), &options).unwrap();
        assert_eq!(seekable.len(), Some(data.len() as u64), "{name}");
        assert!(seekable.frames().count() >= places, "{name}: {}", seekable.frames().count());
        compare(&name, &coded, &read, data);
        if name.contains("gzip -") || name.contains("member") || name == "stored" {
            let gzidx = Index::read_from(&written(&index, IndexFormat::Gzidx)[..]).unwrap();
            assert_eq!(gzidx.format(), IndexFormat::Gzidx);
            compare(&format!("{name} by GZIDX"), &coded, &gzidx, data);
            gzidx.verify(&coded, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        } else {
            // Frames have no place in a GZIDX.
            assert!(index.write_to(IndexFormat::Gzidx, Vec::new()).is_err(), "{name}");
        }
    }
}

#[test]
fn a_gzi_of_bgzip_is_an_index() {
    let data = plain::text(500_000);
    let options = encode!(Encode::builder(Format::Gzip), layout: Layout::Bgzf);
    let coded = compress(&data, &options);
    let mut file = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut file, &coded).unwrap();
    let index = Index::read_from(&pzcomp::bgzf::index(&file).unwrap()[..]).unwrap();
    assert_eq!(index.format(), IndexFormat::Gzi);
    compare("gzi", &coded, &index, &data);
    index.verify(&coded, &Decode::default()).unwrap();
    assert!(Seekable::with_index(coded[..1000].to_vec(), index, &Decode::default()).is_err());
}

#[test]
fn one_frame_has_no_places() {
    let data = plain::text(900_000);
    for tool in ["zstd -q -1", "xz -0", "lz4 -q", "lzma -0", "compress -c"] {
        let coded = pipe(tool, &data);
        let error = Index::build_with_interval(&coded, 100_000, &Decode::default()).unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }), "{tool}: {error}");
        assert!(error.to_string().contains("decoding cannot begin inside it"), "{tool}: {error}");
    }
}

#[test]
fn an_index_of_a_damaged_file_is_not_made() {
    let data = plain::text(400_000);
    for tool in ["gzip", "bzip2 -1"] {
        let coded = pipe(tool, &data);
        let build = |coded: &[u8]| Index::build_with_interval(&coded, 50_000, &Decode::default());
        let wrong = flipped(&coded, coded.len() / 2, 4);
        assert!(build(&wrong).is_err(), "{tool}");
        let wrong = flipped(&coded, coded.len() - 5, 4);
        assert!(build(&wrong).is_err(), "{tool}: the checksum");
        for len in [0, 1, 2, 5, 12, coded.len() / 2, coded.len() - 9, coded.len() - 1] {
            assert!(build(&coded[..len]).is_err(), "{tool}: {len} bytes");
        }
        assert!(build(&[&coded[..], b"garbage"].concat()).is_err(), "{tool}");
    }
}

/// The table at the end of a file has members or frames of its own. Decoding refuses some damage in them.
#[test]
fn an_index_is_made_only_of_a_file_that_decompresses() {
    let data = plain::text(12_000);
    let alone = decode!(Decode::builder(), threads: 1);
    for format in [Format::Gzip, Format::Zstd, Format::Lz4, Format::Xz, Format::Lzip] {
        let coded = compress(&data, &encode!(Encode::builder(format), threads: 1, block_size: 4096));
        let mut refused = 0;
        for at in coded.len() - 150..coded.len() {
            for bit in [0, 3, 7] {
                let damaged = flipped(&coded, at, 1 << bit);
                let decoded = pzcomp::decompress(&damaged, &alone);
                let index = Index::build(&&damaged[..], &alone);
                assert_eq!(decoded.is_ok(), index.is_ok(), "{format}: bit {bit} of byte {at}: {decoded:?}");
                refused += usize::from(decoded.is_err());
            }
        }
        assert!(refused > 0, "{format}");
    }
}

/// The scan of gzip reads 64 bytes first, then more. Where a read ends says nothing of what follows.
#[test]
fn a_member_that_ends_where_a_read_ends_is_followed_by_any_format() {
    let noise = plain::random(64);
    for len in 36..46 {
        let member = pipe("gzip -n -1", &noise[..len]);
        for format in [Format::Gzip, Format::Xz, Format::Lz4, Format::Lzip] {
            let coded = [&member[..], &compress(b"second", &small(format))].concat();
            let index = Index::build(&&coded[..], &Decode::default());
            let what = format!("{format} behind {} bytes", member.len());
            let index = index.unwrap_or_else(|error| panic!("{what}: {error}"));
            let seekable = Seekable::with_index(coded, index, &Decode::default()).unwrap();
            let mut back = vec![0; len + 6];
            assert_eq!(seekable.read_at(&mut back, 0).unwrap(), len + 6, "{what}");
            assert!(back == [&noise[..len], b"second"].concat(), "{what}");
        }
    }
}

#[test]
fn an_index_of_another_file_is_refused() {
    let (one, other) = (pipe("gzip", &plain::text(400_000)), pipe("gzip", &plain::text(400_001)));
    let options = Decode::default();
    let index = Index::build(&one, &options).unwrap();
    let changed = flipped(&one, 100, 1);
    for wrong in [other, changed, one[..one.len() - 1].to_vec(), Vec::new()] {
        let error = Seekable::with_index(wrong, index.clone(), &options).unwrap_err();
        assert!(matches!(error, Error::Index { .. }), "{error}");
        assert!(error.to_string().contains("make it again, or remove it"), "{error}");
    }
}

/// Opens an index and reads by it. An error is right, and so are the right bytes.
fn survives(index: &[u8], coded: &[u8], data: &[u8], what: &str) {
    let Ok(index) = Index::read_from(index) else { return };
    let options = decode!(Decode::builder(), threads: 1);
    let Ok(seekable) = Seekable::with_index(coded.to_vec(), index, &options) else { return };
    for offset in [0, data.len() / 3, data.len() / 2, data.len() - 100] {
        let mut found = [0; 100];
        if let Ok(read) = seekable.read_at(&mut found, offset as u64) {
            assert!(found[..read] == data[offset..offset + read], "{what}: offset {offset}");
        }
    }
}

#[test]
fn a_changed_bit_or_a_cut_gives_no_wrong_bytes() {
    let data = plain::text(900_000);
    for tool in ["gzip", "bzip2 -1"] {
        let coded = pipe(tool, &data);
        let index = Index::build_with_interval(&coded, 40_000, &Decode::default()).unwrap();
        let file = written(&index, IndexFormat::Pzi);
        // All of the front, and some of the windows.
        let bits = (0..8 * file.len()).filter(|bit| *bit < 8 * 272 || bit % 499 == 0);
        for bit in bits {
            let wrong = flipped(&file, bit / 8, 1 << (bit % 8));
            survives(&wrong, &coded, &data, &format!("{tool}: bit {bit}"));
        }
        for len in (0..file.len()).filter(|len| *len < 400 || len % 97 == 0) {
            assert!(Index::read_from(&file[..len]).is_err(), "{tool}: {len} bytes");
        }
    }
}

/// A record that lies, with the right checksum of the index.
#[test]
fn lies_with_a_right_checksum_give_errors_and_take_no_memory() {
    let data = plain::text(1_500_000);
    let coded = pipe("gzip -1", &data);
    let index = Index::build_with_interval(&coded, 40_000, &Decode::default()).unwrap();
    let file = written(&index, IndexFormat::Pzi);
    let places = [24, 32, 128 + 8, 176, 176 + 8, 176 + 16, 176 + 28, 176 + 30, 176 + 32, 176 + 40];
    for at in places {
        for value in [0_u64, 1, 7, 1 << 20, 1 << 40, u64::MAX / 2, u64::MAX - 7, u64::MAX] {
            let mut wrong = file.clone();
            wrong[at..at + 8].copy_from_slice(&value.to_le_bytes());
            let records =
                (u64::from_le_bytes(wrong[32..40].try_into().unwrap()) as usize).min(wrong.len() / 48 - 3);
            let covered = [&wrong[..120], &wrong[128..128 + 48 * records]].concat();
            let sum = xxhash_rust::xxh64::xxh64(&covered, 0);
            wrong[120..128].copy_from_slice(&sum.to_le_bytes());
            survives(&wrong, &coded, &data, &format!("{value:#x} at {at}"));
        }
    }
}

/// A GZIDX made by hand, after the source of indexed_gzip.
#[test]
fn a_gzidx_made_by_hand_is_read() {
    let data = plain::text(1_000_000);
    let coded = pipe("gzip -1", &data);
    let options = Decode::default();
    let ours = written(&Index::build_with_interval(&coded, 60_000, &options).unwrap(), IndexFormat::Gzidx);
    let points = u32::from_le_bytes(ours[31..35].try_into().unwrap()) as usize;
    // Version 0 has no flags: all points but the first have a window.
    let mut old = ours[..35].to_vec();
    old[5] = 0;
    for point in ours[35..35 + 18 * points].chunks(18) {
        old.extend(&point[..17]);
    }
    old.extend(&ours[35 + 18 * points..]);
    let index = Index::read_from(&old[..]).unwrap();
    compare("GZIDX version 0", &coded, &index, &data);
    for len in 0..80 {
        assert!(Index::read_from(&ours[..len]).is_err(), "{len} bytes");
    }
    for at in [5, 7, 15, 27, 31, 35, 53, 53 + 8, 53 + 16] {
        for value in [0, 0xff] {
            let mut wrong = ours.clone();
            wrong[at..at + 4].fill(value);
            survives(&wrong, &coded, &data, &format!("{value} at {at}"));
        }
    }
    // A wrong window is only found by comparing everything.
    let mut wrong = ours.clone();
    let last = wrong.len() - 1;
    wrong[last - 20_000..].fill(b'x');
    let index = Index::read_from(&wrong[..]).unwrap();
    assert!(index.verify(&coded, &Decode::default()).is_err());
}

/// A forged `.pzi` with a right checksum gives an error in words, wherever it lies. Its kind 0 has all numbers that
/// decoders get.
#[test]
fn an_index_that_was_forged_is_an_error_in_words() {
    let data = plain::text(120_000);
    let tool = |tool: &str| data.chunks(20_000).flat_map(|part| pipe(tool, part)).collect::<Vec<u8>>();
    let interval = 32 << 10;
    let own = |format| compress(&data, &encode!(small(format), block_size: 20_000));
    let snappy = compress(&data, &encode!(Encode::builder(Format::Snappy)));
    let files = [
        ("gzip", pipe("gzip -1", &data)),
        ("bzip2", pipe("bzip2 -1", &data)),
        ("bzip2 twice", pipe("bzip2 -1", &data).repeat(2)),
        ("xz", own(Format::Xz)),
        ("lz4", tool("lz4 -q -1")),
        ("zstd", tool("zstd -q -1")),
        ("lzip", own(Format::Lzip)),
        ("Snappy", snappy),
    ];
    let ends = [0, 1, 2, 7, 128, 1 << 20, 1 << 32, u64::MAX >> 1, u64::MAX - 1, u64::MAX];
    for (name, coded) in files {
        let index = Index::build_with_interval(&coded, interval, &Decode::default()).unwrap();
        let right = written(&index, IndexFormat::Pzi);
        let count = u64::from_le_bytes(right[32..40].try_into().unwrap()) as usize;
        let mut changes: Vec<(usize, Vec<u8>)> = Vec::new();
        for record in [0, 1, count - 1].map(|record| 128 + record % count * 48) {
            let numbers = [0, 8, 16, 32].into_iter();
            changes
                .extend(numbers.flat_map(|at| ends.map(|value| (record + at, value.to_le_bytes().to_vec()))));
            let bytes =
                (28..32).flat_map(|at| (0..24).chain([72, 75, 79, 80, 255]).map(move |byte| (at, byte)));
            changes.extend(bytes.map(|(at, byte)| (record + at, vec![byte])));
        }
        for at in [16, 24, 32, 40] {
            changes.extend(ends.map(|value| (at, value.to_le_bytes().to_vec())));
        }
        for (at, bytes) in changes {
            let mut forged = right.clone();
            forged[at..at + bytes.len()].copy_from_slice(&bytes);
            let sum =
                xxhash_rust::xxh64::xxh64(&[&forged[..120], &forged[128..128 + 48 * count]].concat(), 0);
            forged[120..128].copy_from_slice(&sum.to_le_bytes());
            let words = |error: String| {
                let is_wrong =
                    error.contains("internal error") || error.contains("offset 18446744073709551615");
                assert!(!is_wrong, "{name}: {bytes:?} at {at}: {error}");
            };
            let options = decode!(Decode::builder(), threads: 1);
            let seekable = Index::read_from(&forged[..])
                .and_then(|index| Seekable::with_index(coded.clone(), index, &options));
            match seekable {
                Err(error) => words(error.to_string()),
                Ok(seekable) => {
                    for offset in [0, 50_000] {
                        if let Err(error) = seekable.read_at(&mut [0; 30_000], offset) {
                            words(error.to_string());
                        }
                    }
                }
            }
        }
    }
}
