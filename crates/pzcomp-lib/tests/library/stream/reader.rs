//! A `Reader` over inner readers that are borrowed, fail, pause, panic, or give a few bytes at a time.

use std::io::{self, BufRead, ErrorKind, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use pzcomp::{BackgroundReader, Decode, Encode, Error, Format, Layout, Member, Reader};

use super::{layouts, name};
use crate::common::{Dribble, compress, plain};

#[test]
fn every_layout_is_read_in_steps_of_any_size() {
    let text = plain::text(2_500_000);
    for (options, _) in layouts() {
        let mut coded = Vec::new();
        for (step, len) in [(1, 3000), (1000, 300_000), (65_536, 300_000), (usize::MAX, text.len())] {
            let data = &text[..len];
            coded = compress(data, &options);
            let mut plain = Vec::new();
            let mut reader = Reader::new(Dribble::new(&coded, step), Decode::default()).unwrap();
            reader
                .read_to_end(&mut plain)
                .unwrap_or_else(|error| panic!("{} {step}: {error}", name(&options)));
            assert!(plain == data, "{} in steps of {step}", name(&options));
            let summary = reader.summary().unwrap();
            assert_eq!((summary.plain_len, summary.coded_len), (len as u64, coded.len() as u64));
            assert_eq!(reader.read(&mut [0]).unwrap(), 0, "the end comes again");
        }
        let mut plain = Vec::new();
        let mut reader = BackgroundReader::new(io::Cursor::new(coded), Decode::default()).unwrap();
        reader.read_to_end(&mut plain).unwrap();
        assert!(plain == text, "{} in the background", name(&options));
    }
}

#[test]
fn lines_are_read_from_borrowed_memory() {
    let coded = compress(b"one\ntwo\nthree\n", &Encode::default());
    let reader = Reader::new(&coded[..], Decode::default()).unwrap();
    let lines: Vec<String> = reader.lines().collect::<io::Result<_>>().unwrap();
    assert_eq!(lines, ["one", "two", "three"]);
}

#[test]
fn damage_comes_after_all_bytes_before_it_and_comes_again() {
    let options = encode!(Encode::default(), block_size: 4096);
    let data = plain::text(10 * 4096);
    let mut coded = compress(&data, &options);
    let middle = coded.len() / 2;
    coded[middle] ^= 0x40;
    for background in [false, true] {
        let mut reader: Box<dyn Read> = if background {
            Box::new(BackgroundReader::new(io::Cursor::new(coded.clone()), Decode::default()).unwrap())
        } else {
            Box::new(Reader::new(&coded[..], Decode::default()).unwrap())
        };
        let mut plain = Vec::new();
        let error = reader.read_to_end(&mut plain).unwrap_err();
        assert!(data.starts_with(&plain) && plain.len() % 4096 == 0 && !plain.is_empty());
        let again = reader.read(&mut [0; 10]).unwrap_err();
        for error in [error, again] {
            assert_eq!(error.kind(), ErrorKind::InvalidData);
            assert!(matches!(Error::of(&error), Some(Error::Corrupt { .. })), "{error:?}");
        }
    }
    let mut reader = Reader::new(&coded[..100], Decode::default()).unwrap();
    assert_eq!(reader.read_to_end(&mut Vec::new()).unwrap_err().kind(), ErrorKind::UnexpectedEof);
}

/// Fails behind its bytes, again and again.
struct Broken<'a>(&'a [u8], ErrorKind);

impl Read for Broken<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() { Err(self.1.into()) } else { self.0.read(out) }
    }
}

#[test]
fn an_error_of_the_inner_reader_keeps_its_kind() {
    let data = plain::text(100_000);
    let coded = compress(&data, &encode!(Encode::default(), block_size: 4096));
    let half = &coded[..coded.len() / 2];
    let mut reader = Reader::new(Broken(half, ErrorKind::ConnectionReset), Decode::default()).unwrap();
    let mut plain = Vec::new();
    let error = reader.read_to_end(&mut plain).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert!(!plain.is_empty() && data.starts_with(&plain), "whole frames come before the error");
    assert_eq!(reader.read(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset);
}

#[test]
fn a_reader_that_cannot_be_read_now_is_tried_again_by_the_caller() {
    /// Gives some bytes every second time.
    struct Pausing<'a>(Dribble<'a>, bool, ErrorKind);
    impl Read for Pausing<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 { Err(self.2.into()) } else { self.0.read(out) }
        }
    }
    for (options, _) in layouts() {
        for kind in [ErrorKind::WouldBlock, ErrorKind::TimedOut] {
            let data = plain::text(100_000);
            let coded = compress(&data, &options).leak();
            let reader = || Pausing(Dribble::new(coded, 997), false, kind);
            let inputs: [Box<dyn Read>; 2] = [
                Box::new(Reader::new(reader(), Decode::default()).unwrap()),
                Box::new(BackgroundReader::new(reader(), Decode::default()).unwrap()),
            ];
            for mut reader in inputs {
                let (mut plain, mut part, mut pauses) = (Vec::new(), [0; 10_000], 0);
                loop {
                    match reader.read(&mut part) {
                        Ok(0) => break,
                        Ok(len) => plain.extend_from_slice(&part[..len]),
                        Err(error) if error.kind() == kind => pauses += 1,
                        Err(error) => panic!("{}: {error}", name(&options)),
                    }
                }
                assert!(plain == data, "{}", name(&options));
                assert!(pauses > 3);
            }
        }
    }
}

#[test]
fn an_inner_reader_that_panics_is_not_called_again() {
    struct Panicking;
    impl Read for Panicking {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            panic!("told to")
        }
    }
    let mut reader = Reader::new(Panicking, Decode::default()).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| reader.read(&mut [0]))).is_err());
    assert!(reader.read(&mut [0]).is_err());
    let mut reader = BackgroundReader::new(Panicking, Decode::default()).unwrap();
    assert!(reader.read(&mut [0]).is_err() && reader.read(&mut [0]).is_err());
}

#[test]
fn a_leaked_reader_leaves_its_inner_reader_alone() {
    let coded = compress(&plain::text(10 << 20), &Encode::default());
    let mut input = &coded[..];
    let mut reader = Reader::new(&mut input, Decode::default()).unwrap();
    reader.read_exact(&mut [0; 10]).unwrap();
    std::mem::forget(reader);
    let left = input.len();
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert_eq!(input.len(), left);
}

#[test]
fn the_inner_reader_comes_back() {
    let coded = compress(b"data", &Encode::default());
    let mut reader = Reader::new(io::Cursor::new(&coded), Decode::default()).unwrap();
    assert_eq!(reader.get_ref().position(), 0);
    io::copy(&mut reader, &mut io::sink()).unwrap();
    assert_eq!(reader.into_inner().position(), coded.len() as u64);
}

#[test]
fn a_large_single_member_is_read() {
    let options = encode!(Encode::builder(Format::Gzip), layout: Layout::Single(Member::default()));
    let data = plain::text(20 << 20);
    let coded = compress(&data, &options);
    for threads in [1, 2, 4] {
        let mut plain = Vec::new();
        let options = decode!(Decode::builder(), threads);
        Reader::new(&coded[..], options).unwrap().read_to_end(&mut plain).unwrap();
        assert!(plain == data);
    }
}

#[test]
fn a_bzip2_stream_that_comes_byte_by_byte_is_given_out_at_its_last_byte() {
    /// Gives so many bytes at a time, and then says that more will come later.
    struct Steps<'a>(&'a [u8], usize);
    impl Read for Steps<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Err(ErrorKind::WouldBlock.into());
            }
            let len = out.len().min(self.1);
            self.0.read(&mut out[..len])
        }
    }
    for layout in [Layout::Frames, Layout::Single(Member::default())] {
        for len in [500, 2207, 5000] {
            let data = plain::random(len);
            let coded = compress(&data, &encode!(Encode::builder(Format::Bzip2), layout: layout.clone()));
            for step in [1, 3, 8, 64] {
                let mut plain = vec![0; len];
                let mut reader = Reader::new(Steps(&coded, step), Decode::default()).unwrap();
                reader
                    .read_exact(&mut plain)
                    .unwrap_or_else(|error| panic!("{len} in steps of {step}: {error}"));
                assert!(plain == data);
            }
        }
    }
}
