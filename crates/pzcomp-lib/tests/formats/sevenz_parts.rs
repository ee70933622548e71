//! The parts of LZMA2 folders of 7z archives, which are decoded beside each other: long and tiny ones, damaged ones,
//! and those that are needed in part.
//!
//! A decoder finds the end of its part by itself, while the walker is still passing it. So no outcome may depend on how
//! far the walker is, and a walker that fails must not leave a decoder waiting.

use std::io;
use std::ops::Range;

use pzcomp::inspect::List;
use pzcomp::{Decode, Decompress, EntryChoice, Error, Input, ReadAt, Summary};
use pzcomp_sevenz::crc32;

use crate::common::plain;
use crate::common::sevenz::{Folder, archive, header, stored_lzma2};
use crate::sevenz::made_by_7z;

const THREADS: [usize; 3] = [1, 2, 8];

fn decode(input: Input, threads: usize) -> (Vec<u8>, Result<Summary, Error>) {
    decode_entry(input, EntryChoice::All, threads)
}

fn decode_entry(input: Input, entry: EntryChoice, threads: usize) -> (Vec<u8>, Result<Summary, Error>) {
    let mut back = Vec::new();
    let options = decode!(Decode::builder(), entry, threads);
    let result = Decompress::new(&options).run(input, &mut back);
    (back, result)
}

/// LZMA2 in stored chunks of this length. Only the first chunk of each part resets the dictionary.
fn stored_parts(plain: &[u8], part_len: usize, chunk_len: usize) -> Vec<u8> {
    let mut coded = Vec::new();
    for part in plain.chunks(part_len) {
        let start = coded.len();
        coded.extend(stored_lzma2(part, chunk_len));
        coded.pop();
        for at in (0..part.len().div_ceil(chunk_len)).skip(1) {
            coded[start + at * (chunk_len + 3)] = 2;
        }
    }
    coded.push(0);
    coded
}

/// An archive of one file in one folder, whose coded data is this.
fn one_folder(plain: &[u8], coded: &[u8]) -> Vec<u8> {
    let folder = Folder::lzma2(coded.len() as u64, plain.len() as u64, 24);
    archive(coded, &header(&[folder], &[Some(crc32(plain))]))
}

#[test]
fn parts_of_any_length_are_decoded_on_any_number_of_threads() {
    let plain = plain::random(13_000_000);
    // Parts that are decoded before the walker has passed them, parts that share a job, and parts of one tiny chunk.
    for (len, part_len, chunk_len) in [
        (13_000_000, 5_000_000, 65_535),
        (13_000_000, 9_000_000, 1_000),
        (900_000, 70_000, 7),
        (70_000, 1, 1),
    ] {
        let plain = &plain[..len];
        let coded = one_folder(plain, &stored_parts(plain, part_len, chunk_len));
        for threads in THREADS {
            let (back, result) = decode(Input::Memory(&coded), threads);
            result.unwrap();
            assert!(back == plain, "parts of {part_len} bytes, {threads} threads");
        }
    }
}

#[test]
fn a_damaged_part_ends_with_the_same_error_on_any_number_of_threads() {
    let plain = plain::random(11_000_000);
    for (len, part_len, chunk_len) in [(11_000_000, 5_000_000, 50_000), (40_000, 30, 10)] {
        let plain = &plain[..len];
        let coded = stored_parts(plain, part_len, chunk_len);
        let good = one_folder(plain, &coded);
        let (chunk, count) = (chunk_len + 3, len / chunk_len);
        for at in [0, 1, count / 2, count - 1] {
            // A control byte that does not exist, an end mark, a reset, compressed data, and other lengths.
            for (byte, value) in [(0, 3), (0, 0), (0, 1), (0, 0xe0), (1, 0xff), (2, 0)] {
                let mut damaged = good.clone();
                damaged[32 + at * chunk + byte] = value;
                let outcome = |threads| {
                    let (back, result) = decode(Input::Memory(&damaged), threads);
                    (back, result.map(|_| ()).map_err(|error| error.to_string()))
                };
                let (back, result) = outcome(1);
                let what = format!("{len} bytes, chunk {at}, {value} in byte {byte}");
                // A reset of the dictionary is no damage to data that refers to nothing.
                assert!(if result.is_ok() { back == plain } else { plain.starts_with(&back) }, "{what}");
                assert!(result.is_err() || (byte, value) == (0, 1), "{what}: {result:?}");
                for threads in THREADS {
                    assert!(outcome(threads) == (back.clone(), result.clone()), "{what}, {threads} threads");
                }
            }
        }
    }
}

/// An input of which some bytes cannot be read.
struct Unreadable<'a> {
    bytes: &'a [u8],
    bad: Range<u64>,
}

impl ReadAt for Unreadable<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let end = offset + buffer.len() as u64;
        if offset < self.bad.end && self.bad.start < end {
            return Err(io::Error::other("a bad sector"));
        }
        self.bytes.read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.bytes.len() as u64)
    }
}

#[test]
fn bytes_that_cannot_be_read_end_the_stream_on_any_number_of_threads() {
    let plain = plain::random(11_000_000);
    let coded = one_folder(&plain, &stored_parts(&plain, 5_000_000, 65_535));
    // In the first part and in the last, in a header that the walker reads and in data that only a decoder reads.
    for start in [32 + 65_538 * 3, 200_000, 10_600_000] {
        for threads in THREADS {
            let place = Unreadable { bytes: &coded, bad: start..start + 512 };
            let input = Input::At { source: &place, start: 0, end: coded.len() as u64 };
            let (back, result) = decode(input, threads);
            let error = result.unwrap_err();
            assert!(matches!(error, Error::Read { .. }), "{start}, {threads} threads: {error}");
            assert!(plain.starts_with(&back), "{start}, {threads} threads");
        }
    }
}

#[test]
fn a_file_that_ends_inside_a_part_is_decoded_alone() {
    let (long, short, last) = (plain::text(2_500_000), plain::random(700_000), plain::text(1_900_000));
    let files: [(&str, &[u8]); 3] = [("a", &long), ("b", &short), ("c", &last)];
    // The parts of 7z have 1 MiB here.
    let coded = made_by_7z(&files, &["-m0=LZMA2:d=64k", "-mmt=4", "-mx=1", "-ms=on", "-mf=off"]);
    assert_eq!(List::default().run(Input::Memory(&coded)).unwrap().frames, Some(1), "one folder");
    for (name, data) in files {
        for threads in THREADS {
            let (back, result) = decode_entry(Input::Memory(&coded), EntryChoice::named(name), threads);
            result.unwrap();
            assert!(back == data, "{name}, {threads} threads");
        }
    }
}
