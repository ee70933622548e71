//! 7z archives: those that 7z makes, with every method, and those of the tests' own writer, which lie.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::process::Command;

use pzcomp::inspect::List;
use pzcomp::{
    Decode, Decompress, Encode, EntryChoice, Error, Format, Input, Output, Recode, Seekable, Summary, Taps,
};
use pzcomp_sevenz::crc32;

use crate::common::plain;
use crate::common::sevenz::{Folder, archive, archive_stating, header, number, packed_header, stored_lzma2};

fn decode_with(coded: &[u8], entry: EntryChoice, threads: usize) -> (Vec<u8>, Result<Summary, Error>) {
    let mut back = Vec::new();
    let options = decode!(Decode::builder(), entry, threads);
    let output = Output::Writer(Box::new(&mut back));
    let result = Decompress::new(&options).run(Input::Memory(coded), output);
    (back, result)
}

fn decode(coded: &[u8]) -> (Vec<u8>, Result<Summary, Error>) {
    decode_with(coded, EntryChoice::All, 2)
}

/// The error of an archive, of whose data nothing is put out that is not `plain`.
fn refused(coded: &[u8], plain: &[u8], what: &str) -> Error {
    let (back, result) = decode(coded);
    assert!(plain.starts_with(&back), "{what}: wrong bytes are put out");
    result.expect_err(what)
}

/// The archive that 7z makes of these files, with these options.
pub fn made_by_7z(files: &[(&str, &[u8])], options: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    for (name, data) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).unwrap();
        std::fs::write(path, data).unwrap();
    }
    let mut command = Command::new("7zz");
    command.args(["a", "-bd", "-bso0"]).args(options).arg("made.7z").arg("--");
    command.args(files.iter().map(|(name, _)| name)).current_dir(folder.path());
    assert!(command.status().expect("7zz of the package 7zip").success());
    std::fs::read(folder.path().join("made.7z")).unwrap()
}

const METHODS: [&str; 5] = ["Copy", "LZMA", "LZMA2", "BZip2", "Deflate"];

#[test]
fn what_7z_makes_is_decoded_with_every_method_on_any_number_of_threads() {
    let (long, short) = (plain::text(1_700_000), plain::random(70_000));
    let files: [(&str, &[u8]); 4] = [("long", &long), ("a/short", &short), ("a/x", b"x"), ("empty", b"")];
    for method in METHODS {
        for solid in ["-ms=on", "-ms=off"] {
            // Without the level 7z takes its time.
            let level = if solid == "-ms=on" { "-mx=5" } else { "-mx=1" };
            let coded = made_by_7z(&files, &[&format!("-m0={method}"), solid, "-mf=off", level]);
            let (all, result) = decode_with(&coded, EntryChoice::All, 1);
            let entries = result.unwrap().entries;
            let mut names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
            let in_order = |name: &&str| files.iter().find(|(other, _)| other == name).unwrap().1;
            assert!(all == names.iter().flat_map(in_order).copied().collect::<Vec<u8>>(), "{method} {solid}");
            names.sort_unstable();
            assert_eq!(names, ["a/short", "a/x", "empty", "long"]);
            for threads in [2, 3, 16] {
                let (back, result) = decode_with(&coded, EntryChoice::All, threads);
                result.unwrap();
                assert!(back == all, "{method} {solid} on {threads} threads");
            }
            for (name, data) in files {
                let (back, result) = decode_with(&coded, EntryChoice::named(name), 3);
                result.unwrap();
                assert!(back == data, "{method} {solid}: {name}");
            }
        }
    }
}

#[test]
fn lzma2_that_resets_its_dictionary_is_decoded_on_any_number_of_threads() {
    let plain: Vec<u8> = plain::text(900_000).repeat(7);
    let coded = made_by_7z(&[("data", &plain)], &["-m0=LZMA2:d=64k", "-mmt=4", "-mx=1"]);
    for threads in [1, 2, 4, 16] {
        let (back, result) = decode_with(&coded, EntryChoice::First, threads);
        result.unwrap();
        assert!(back == plain, "{threads} threads");
    }
}

#[test]
fn headers_that_are_packed_or_not_are_read() {
    let plain = plain::text(3_000);
    for packed in ["-mhc=on", "-mhc=off"] {
        let coded = made_by_7z(&[("data", &plain)], &[packed]);
        let (back, result) = decode_with(&coded, EntryChoice::First, 1);
        let summary = result.unwrap();
        assert!(back == plain && summary.check == Some("CRC32") && !summary.unverified, "{packed}");
    }
}

#[test]
fn of_several_files_the_first_with_data_is_decoded() {
    let plain = plain::text(5_000);
    let coded = made_by_7z(&[("a-empty", b""), ("b", &plain), ("c", b"c")], &[]);
    let (back, result) = decode_with(&coded, EntryChoice::First, 1);
    let chosen: Vec<String> =
        result.unwrap().entries.into_iter().filter(|entry| entry.is_chosen).map(|entry| entry.name).collect();
    assert!(back == plain && chosen == ["b"], "{chosen:?}");
    let (back, result) = decode_with(&coded, EntryChoice::named("d"), 1);
    let error = result.unwrap_err().to_string();
    assert!(back.is_empty() && error.contains("holds no file 'd'; it holds:"), "{error}");
}

#[test]
fn other_methods_are_refused_by_name_and_still_listed() {
    let plain = plain::text(2_000);
    for (options, name) in [
        (&["-m0=PPMd"][..], "PPMd"),
        (&["-m0=Deflate64"], "Deflate64"),
        (&["-m0=BCJ", "-m1=LZMA"], "BCJ x86"),
        (&["-m0=Delta:4", "-m1=LZMA2"], "Delta"),
        (&["-psecret"], "encryption (AES-256)"),
    ] {
        let coded = made_by_7z(&[("data", &plain)], options);
        let error = refused(&coded, &[], name);
        assert!(matches!(error, Error::Unsupported { format: "7z", offset: 32, .. }), "{error}");
        assert!(error.to_string().contains(name), "{error}");
        let listing = List::default().run(Input::Memory(&coded)).unwrap();
        assert_eq!((listing.plain_len, listing.entries[0].name.as_str()), (Some(2_000), "data"));
    }
    let coded = made_by_7z(&[("data", &plain)], &["-psecret", "-mhe=on"]);
    let error = List::default().run(Input::Memory(&coded)).unwrap_err().to_string();
    assert!(error.contains("the header of the archive is packed with encryption"), "{error}");
}

#[test]
fn an_archive_from_a_pipe_is_refused_with_the_reason() {
    let coded = made_by_7z(&[("data", b"x")], &[]);
    let error =
        Decompress::new(&Decode::default()).run(Input::reader(&coded[..]), &mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("it is read from files only"), "{error}");
}

#[test]
fn any_place_can_be_read() {
    let plain = plain::text(300_000);
    let mut reader = Seekable::new(made_by_7z(&[("data", &plain)], &[])).unwrap();
    for (at, len) in [(0, 10), (123_456, 50_000), (299_999, 1)] {
        let mut buffer = vec![0; len];
        reader.seek(SeekFrom::Start(at as u64)).unwrap();
        reader.read_exact(&mut buffer).unwrap();
        assert!(buffer == plain[at..at + len], "{len} bytes at {at}");
    }
}

#[test]
fn an_archive_is_recoded_and_a_damaged_one_gives_no_whole_output() {
    let plain = plain::text(2_500_000);
    let coded = made_by_7z(&[("data", &plain)], &["-mx=1"]);
    let mut zstd = Vec::new();
    let output = Output::Writer(Box::new(&mut zstd));
    let recoded = Recode::new(&Decode::default(), &Encode::default())
        .taps(Taps::default())
        .run(Input::Memory(&coded), output)
        .unwrap();
    assert_eq!((recoded.read.format, recoded.written.plain_len), (Some(Format::SevenZ), 2_500_000));
    assert!(crate::common::decompress(&zstd).unwrap() == plain);
    let mut damaged = coded;
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0x10;
    let mut zstd = Vec::new();
    let output = Output::Writer(Box::new(&mut zstd));
    let error = Recode::new(&Decode::default(), &Encode::default())
        .taps(Taps::default())
        .run(Input::Memory(&damaged), output)
        .unwrap_err();
    assert!(matches!(error, Error::Corrupt { format: "7z", .. }), "{error}");
    assert!(crate::common::decompress(&zstd).is_err());
}

#[test]
fn every_cut_and_every_bit_of_small_archives_is_noticed() {
    let packed = METHODS.map(|method| (method, "-mhc=on"));
    for (method, packed) in packed.into_iter().chain([("LZMA", "-mhc=off")]) {
        let plain = plain::text(400);
        let coded = made_by_7z(&[("data", &plain)], &[&format!("-m0={method}"), packed]);
        for len in 0..coded.len() {
            refused(&coded[..len], &[], &format!("{method}: the first {len} bytes"));
        }
        let mut damaged = coded.clone();
        for bit in 0..8 * coded.len() {
            damaged[bit / 8] ^= 1 << (bit % 8);
            let (back, result) = decode_with(&damaged, EntryChoice::All, 1);
            // The minor version of the format has no check, and any is accepted. The magic number of a bzip2 stream and
            // the bits that fill its last byte, and that of DEFLATE, hold no data. The check of the file agrees.
            let has_idle_bits = matches!(method, "BZip2" | "Deflate");
            match result {
                Ok(_) => {
                    assert!(back == plain && (bit / 8 == 7 || has_idle_bits), "{method} {packed}: bit {bit}")
                }
                // A length may be wrong, and the file right: then its check agrees.
                Err(_) => {
                    assert!(back.is_empty() || back == plain, "{method} {packed}: wrong bytes by bit {bit}");
                }
            }
            damaged[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn lengths_that_lie_are_refused() {
    let plain = plain::text(1_000);
    let crc = [Some(crc32(&plain))];
    let chunks = stored_lzma2(&plain, 100);
    let len = chunks.len() as u64;
    let archive_of = |folder: Folder| archive(&chunks, &header(&[folder], &crc));
    let (back, result) = decode(&archive_of(Folder::lzma2(len, 1_000, 18)));
    result.unwrap();
    assert!(back == plain);
    for (folder, what) in [
        (Folder::lzma2(len, 999, 18), "a plain length that is too short"),
        (Folder::lzma2(len, 1_001, 18), "a plain length that is too long"),
        (Folder::lzma2(len, u64::MAX, 18), "the longest plain length"),
        (Folder::lzma2(len - 1, 1_000, 18), "coded data without its end mark"),
        (Folder::lzma2(len + 1, 1_000, 18), "coded data with a byte behind it"),
        (Folder::lzma2(10, 1_000, 18), "coded data that ends inside a chunk"),
        (Folder::lzma2(0, 1_000, 18), "no coded data"),
        (Folder::lzma2(1 << 40, 1_000, 18), "coded data behind the end"),
        (Folder::lzma2(u64::MAX, 1_000, 18), "the longest coded data"),
        (Folder::lzma2(len, 1_000, 41), "a dictionary that does not exist"),
        (Folder::lzma(len, u64::MAX, u32::MAX), "a dictionary of 4 GiB"),
        (Folder::copy(len), "data that is not that of the file"),
    ] {
        refused(&archive_of(folder), &plain, what);
    }
    // No match reaches behind the start of the data, so a long dictionary needs no memory.
    let (back, result) = decode(&archive_of(Folder::lzma2(len, 1_000, 40)));
    result.unwrap();
    assert!(back == plain);
}

#[test]
fn places_and_counts_that_lie_are_refused_in_little_memory() {
    let good = header(&[Folder::copy(1)], &[None]);
    let largest = u64::MAX;
    for (offset, len) in [(1, largest), (largest, 10), (1 << 62, 1 << 62), (0, 1 << 40), (2, 200)] {
        let error = refused(&archive_stating(b"x", &good, offset, len), &[], "a header somewhere else");
        assert!(matches!(error, Error::Truncated { format: "7z", .. }), "{error}");
    }
    // A packed header that states 4 TiB, or 60 MiB of which nothing is there.
    for (plain_len, is_memory) in [(1_u64 << 42, true), (60 << 20, false)] {
        let packed = packed_header(Folder::lzma2(1, plain_len, 40));
        let error = refused(&archive(&[0], &packed), &[], "a packed header");
        assert_eq!(matches!(error, Error::Memory { .. }), is_memory, "{error}");
    }
    for count in [2, 1 << 20, 1 << 40, largest] {
        for start in [vec![1, 5], [&[1, 4, 6][..], &number(0)].concat()] {
            let header = [&start[..], &number(count), &[0, 0, 0]].concat();
            refused(&archive(b"x", &header), &[], "a count");
        }
    }
}

#[test]
fn data_without_a_check_is_decoded_and_not_called_verified() {
    let plain = plain::text(1_000);
    let coded = archive(&plain, &header(&[Folder::copy(1_000)], &[None]));
    let (back, result) = decode(&coded);
    let summary = result.unwrap();
    assert!(back == plain && summary.unverified && summary.check.is_none());
    // With a wrong check nothing of a short file is put out.
    let coded = archive(&plain, &header(&[Folder::copy(1_000)], &[Some(7)]));
    let error = refused(&coded, &[], "a wrong check");
    assert!(error.to_string().contains("the file 'f0'"), "{error}");
}

#[test]
fn many_folders_are_decoded_in_order_up_to_the_damage() {
    let files: Vec<Vec<u8>> = (1..200).map(|at| plain::random(at * 50)).collect();
    let folders: Vec<Folder> = files.iter().map(|file| Folder::copy(file.len() as u64)).collect();
    let checks: Vec<Option<u32>> = files.iter().map(|file| Some(crc32(file))).collect();
    let mut coded = archive(&files.concat(), &header(&folders, &checks));
    for threads in [1, 2, 16] {
        let (back, result) = decode_with(&coded, EntryChoice::All, threads);
        assert_eq!(result.unwrap().frames, 199);
        assert!(back == files.concat());
    }
    let before = files[..100].concat();
    coded[32 + before.len() + 7] ^= 1;
    for threads in [1, 2, 16] {
        let (back, result) = decode_with(&coded, EntryChoice::All, threads);
        let error = result.unwrap_err();
        let at = 32 + before.len() as u64;
        assert!(matches!(error, Error::Corrupt { format: "7z", offset, .. } if offset == at), "{error}");
        assert!(back == before);
    }
}

#[test]
fn mutated_archives_have_one_outcome_on_any_number_of_threads() {
    let (long, short) = (plain::text(40_000), plain::random(3_000));
    let files: [(&str, &[u8]); 3] = [("long", &long), ("d/short", &short), ("x", b"x")];
    for (seed, method) in (1..).zip(METHODS) {
        for solid in ["-ms=on", "-ms=off"] {
            let coded =
                made_by_7z(&files, &[&format!("-m0={method}"), solid, "-mhc=off", "-mx=1", "-mf=off"]);
            let (all, result) = decode(&coded);
            result.unwrap();
            let mut random = plain::Random(seed);
            for round in 0..60 {
                let mut damaged = coded.clone();
                // The header at the end, the start, and the data.
                let (from, room) = match random.below(3) {
                    0 => (coded.len().saturating_sub(300), 300),
                    1 => (8, 24),
                    _ => (32, coded.len() as u64 - 32),
                };
                for _ in 0..1 + random.below(3) {
                    let at = (from + random.below(room) as usize).min(coded.len() - 1);
                    damaged[at] = [0, 0xff, random.below(256) as u8][random.below(3) as usize];
                }
                let outcome = |threads| {
                    let (back, result) = decode_with(&damaged, EntryChoice::All, threads);
                    (back, result.map(|summary| summary.unverified).map_err(|error| error.to_string()))
                };
                let alone = outcome(1);
                for threads in [2, 3, 16] {
                    assert!(outcome(threads) == alone, "{method} {solid}, round {round}, {threads} threads");
                }
                let is_whole = alone.0 == all || alone.1 == Ok(true);
                assert!(alone.1.is_err() || is_whole, "{method} {solid}, round {round}: wrong bytes");
            }
        }
    }
}
