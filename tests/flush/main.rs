//! Gzip members that can be taken up inside, or only look so: as on one thread, and as other tools have it.

#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

mod blocks;
#[path = "../common/mod.rs"]
mod common;
mod flushed;
mod members;

use std::io::{Seek, Write};

use common::plain::{self, Random};
use common::{Dribble, compress, pipe};
use flate2::{Compress, Compression, Crc, FlushCompress};
use pzcomp::{Error, Format, Input, Layout, Member, Options, Output};

/// A part of a member is searched for its end from here on.
pub(crate) const PART_LEN: usize = 256 << 10;

pub(crate) const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];

/// An empty stored block, as flushing leaves it.
pub(crate) const EMPTY_STORED: [u8; 5] = [0, 0, 0, 0xff, 0xff];

pub(crate) fn options(level: i32, block_size: usize) -> Options {
    let (level, block_size) = (Some(level), Some(block_size));
    Options {
        format: Format::GZIP,
        level,
        block_size,
        threads: 2,
        layout: Layout::Single(Member::default()),
        ..Options::default()
    }
}

/// Data whose chunks differ much in what they come to.
pub(crate) fn mixed() -> Vec<u8> {
    let parts = [plain::text(1_400_000), plain::random(400_000), vec![0; 1_000_000], plain::text(1_200_000)];
    parts.concat()
}

/// A member of this body.
pub(crate) fn member(body: &[u8], plain: &[u8]) -> Vec<u8> {
    let mut crc = Crc::new();
    crc.update(plain);
    [&HEADER[..], body, &crc.sum().to_le_bytes(), &(plain.len() as u32).to_le_bytes()].concat()
}

/// A DEFLATE stream that is flushed so after each part.
pub(crate) fn flushed<'a>(
    parts: impl Iterator<Item = &'a [u8]>,
    level: u32,
    flush: FlushCompress,
) -> Vec<u8> {
    let mut encoder = Compress::new(Compression::new(level), false);
    let mut coded = Vec::new();
    for part in parts {
        coded.reserve(part.len() + 10_000);
        encoder.compress_vec(part, &mut coded, flush).unwrap();
    }
    coded.reserve(1000);
    encoder.compress_vec(&[], &mut coded, FlushCompress::Finish).unwrap();
    coded
}

/// What came of a stream: the output, and the error if there was one.
pub(crate) type Outcome = (Vec<u8>, Result<(), Error>);

pub(crate) fn dribbled(coded: &[u8], threads: usize, step: usize) -> Outcome {
    let mut back = Vec::new();
    let options = Options { threads, ..Options::default() };
    let result = pzcomp::decompress(Dribble::new(coded, step), &mut back, &options);
    (back, result.map(drop))
}

pub(crate) fn from_memory(coded: &[u8], threads: usize) -> Outcome {
    let mut back = Vec::new();
    let options = Options { threads, ..Options::default() };
    let output = Output::Writer(Box::new(&mut back));
    let result = pzcomp::decompress_io(Input::Memory(coded), output, &options);
    (back, result.map(drop))
}

pub(crate) fn from_file(coded: &[u8], threads: usize) -> Outcome {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(coded).unwrap();
    file.rewind().unwrap();
    let mut back = Vec::new();
    let options = Options { threads, ..Options::default() };
    let output = Output::Writer(Box::new(&mut back));
    let result = pzcomp::decompress_io(Input::from_file(&file).unwrap(), output, &options);
    (back, result.map(drop))
}

/// Asserts that a stream is decoded to `plain` on any number of threads from anywhere.
pub(crate) fn is_decoded(coded: &[u8], plain: &[u8], what: &str) {
    for threads in [1, 2, 3, 8] {
        let step = [usize::MAX, 70_000, 1777, 300_000][threads % 4];
        for (from, (back, result)) in [
            ("a reader", dribbled(coded, threads, step)),
            ("memory", from_memory(coded, threads)),
            ("a file", from_file(coded, threads)),
        ] {
            assert!(result.is_ok(), "{what} from {from} on {threads} threads: {result:?}");
            assert!(back == plain, "{what} from {from} on {threads} threads: {} bytes", back.len());
        }
    }
}

/// Asserts that there is an error, and that threads make no difference to it or to the bytes before it.
pub(crate) fn is_refused(coded: &[u8], what: &str) -> (Vec<u8>, Error) {
    let told = |result: &Result<(), Error>| result.as_ref().map_err(ToString::to_string).unwrap_err();
    let (back, result) = dribbled(coded, 1, usize::MAX);
    for (threads, step) in [(2, usize::MAX), (3, 70_000)] {
        let several = dribbled(coded, threads, step);
        assert_eq!(told(&several.1), told(&result), "{what} on {threads} threads");
        assert!(several.0 == back, "{what}: {} bytes on {threads} threads, {}", several.0.len(), back.len());
    }
    let alone = from_memory(coded, 1);
    let several = from_memory(coded, 3);
    assert_eq!(told(&several.1), told(&alone.1), "{what} from memory");
    assert!(several.0 == alone.0 && back == alone.0, "{what} from memory: {} bytes", several.0.len());
    (back, result.unwrap_err())
}
