//! What is accepted, and what becomes of bytes that are none of it.
//!
//! `gzip -dcf` is the peer for what is copied; the rest is ours. `accepting` makes options, `outcome` decodes with
//! them. Add input to the tables of what begins no format.

use crate::common::{Dribble, compress, decoded, is_exhaustive, pipe, plain, small};
use pzcomp::inspect::List;
use pzcomp::{Decode, Decompress, Error, Format, Input, Output, Summary, Trailing, Unknown};

/// Decompresses in every way there is, and says what all agree on.
fn outcome(coded: &[u8], options: &Decode) -> (Vec<u8>, Result<Summary, String>) {
    let run = |input: Input, threads| {
        let mut back = Vec::new();
        let output = Output::Writer(Box::new(&mut back));
        let options = decode!(options.clone(), threads);
        let result = Decompress::new(&options).run(input, output);
        (back, result.map_err(|error| error.to_string()))
    };
    let (back, result) = run(Input::Memory(coded), 1);
    for threads in [1, 2, 3] {
        for step in [1 << 10, 77_777, usize::MAX] {
            // Three threads differ little from two.
            if threads == 3 && step != 77_777 && !is_exhaustive() {
                continue;
            }
            let (other, said) = run(Input::Reader(Box::new(Dribble::new(coded, step))), threads);
            assert!(
                other == back,
                "{threads} threads, steps of {step}: {} bytes of {}",
                other.len(),
                back.len()
            );
            assert_eq!(
                said.map(|summary| summary.trailing),
                result.as_ref().map(|summary| summary.trailing).map_err(Clone::clone)
            );
        }
    }
    (back, result)
}

fn accepting(accept: Option<&[Format]>, unknown: Unknown) -> Decode {
    let any = decode!(Decode::builder(), unknown);
    accept.map_or(any.clone(), |accept| decode!(any, accept))
}

/// What was left at the end.
fn trailing(zeros: u64, garbage: Option<usize>) -> Trailing {
    let mut trailing = Trailing::default();
    (trailing.zeros, trailing.garbage) = (zeros, garbage.map(|at| at as u64));
    trailing
}

#[test]
fn frames_behind_garbage_are_told_from_garbage() {
    let coded = compress(&plain::text(5000), &small(Format::Lzip));
    let lzip = accepting(Some(&[Format::Lzip]), Unknown::Ignore);
    for (between, behind) in
        [(vec![0; 4096], &coded[..]), (vec![b'x'; 7], &coded), (b"text".to_vec(), b"more of it")]
    {
        let all = [&coded[..], &between, behind].concat();
        for threads in [1, 3] {
            let options = decode!(lzip.clone(), threads);
            let summary = decoded(&all[..], &options).1.unwrap();
            let found = (summary.plain_len, summary.trailing.garbage, summary.trailing.ends_with_frame);
            assert_eq!(found, (5000, Some(coded.len() as u64), behind == coded), "{threads} threads");
        }
    }
}

#[test]
fn formats_that_are_not_accepted_are_unknown_bytes() {
    let data = plain::text(50_000);
    let only_gzip = accepting(Some(&[Format::Gzip]), Unknown::Refuse);
    let gzip = compress(&data, &small(Format::Gzip));
    assert!(outcome(&gzip, &only_gzip).0 == data);
    for format in Format::all().filter(|&format| format != Format::Gzip) {
        let other = compress(&data, &small(format));
        let (back, error) = decoded(&other[..], &only_gzip);
        let error = error.unwrap_err();
        assert!(matches!(error, Error::NotCompressed { .. }) && back.is_empty(), "{format}: {error}");
        let error = List::new(&only_gzip).decode(true).run(Input::Memory(&other)).unwrap_err();
        assert!(matches!(error, Error::NotCompressed { .. }), "{format}: {error}");
        let both = [&gzip[..], &other].concat();
        let (back, error) = decoded(&both[..], &only_gzip);
        let error = error.unwrap_err();
        let offset = gzip.len() as u64;
        assert!(
            matches!(error, Error::TrailingGarbage { offset: at, .. } if at == offset),
            "{format}: {error}"
        );
        assert!(back == data, "{format}");
    }
    // Skippable frames belong to zstd and lz4.
    let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4][..], &gzip].concat();
    assert!(outcome(&skippable, &accepting(Some(&[Format::Gzip, Format::Zstd]), Unknown::Refuse)).0 == data);
    assert!(outcome(&skippable, &only_gzip).1.unwrap_err().starts_with("not in a compressed format"));
}

/// What can lie behind a frame and be taken for something.
fn tails() -> Vec<Vec<u8>> {
    let some = plain::text(100_000);
    let mut tails = vec![b"x".to_vec(), b"garbage".to_vec(), plain::random(1_500_000), plain::text(700_000)];
    for format in Format::all() {
        let mut coded = compress(&some, &small(format));
        tails.push([b"garbage", &coded[..]].concat());
        tails.push([b"garbage", &coded[..], b"more garbage", &coded].concat());
        // What is broken, but is none of ours.
        let middle = coded.len() / 2;
        coded[middle] ^= 0x55;
        tails.push([b"garbage", &coded[..coded.len() - 3]].concat());
    }
    tails.push([&[0; 40][..], b"garbage"].concat());
    tails
}

#[test]
fn garbage_behind_a_frame_is_passed_over_or_copied_whatever_it_holds() {
    let (data, tails) = (plain::text(150_000), tails());
    for format in Format::all() {
        let coded = compress(&data, &small(format));
        for (number, tail) in tails.iter().enumerate() {
            // Zeros are part of an xz file, and Snappy has chunks that readers skip.
            if format == Format::Xz && tail[0] == 0 || format == Format::Snappy && tail[0] >= 0x80 {
                continue;
            }
            let all = [&coded[..], tail].concat();
            let (back, result) = outcome(&all, &accepting(None, Unknown::Ignore));
            assert!(back == data, "{format}, tail {number}: {result:?}");
            // Some tails end with a frame.
            let mut found = result.unwrap().trailing;
            found.ends_with_frame = false;
            assert_eq!(found, trailing(0, Some(coded.len())), "{format}, tail {number}");
            let (back, result) = outcome(&all, &accepting(None, Unknown::Copy));
            assert!(back == [&data[..], tail].concat(), "{format}, tail {number}: {result:?}");
            assert_eq!(result.unwrap().trailing, trailing(0, Some(coded.len())), "{format}, tail {number}");
        }
    }
}

#[test]
fn a_single_byte_behind_a_frame_is_an_error_only_if_it_is_read_as_gzip_reads_it() {
    let data = plain::text(10_000);
    for format in [Format::Gzip, Format::Zstd] {
        let coded = compress(&data, &small(format));
        for tail in [&b"x"[..], b"\x1f", b"xy", b"\0x", b"\0"] {
            let all = [&coded[..], tail].concat();
            let (back, result) =
                outcome(&all, &accepting(Some(&[Format::Gzip, Format::Zstd]), Unknown::Ignore));
            assert!(back == data && result.is_ok(), "{format}, {tail:?}: {result:?}");
            let options = accepting(Some(&[Format::Gzip, Format::Zstd]), Unknown::IgnoreAsGzip);
            let (back, result) = outcome(&all, &options);
            assert!(back == data);
            assert_eq!(result.is_err(), tail.len() == 1 && tail != b"\0", "{format}, {tail:?}: {result:?}");
        }
    }
}

#[test]
fn members_that_lie_do_not_hide_where_garbage_begins() {
    // Each says to be longer than it is, so that the feeder finds frames, faults and cut ends in garbage.
    let data = plain::text(30_000);
    let one = compress(&data, &encode!(small(Format::Gzip), index: false));
    let mut fault = compress(&data, &small(Format::Xz));
    let end = fault.len();
    fault[end - 20] ^= 1;
    let cut = [0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 1, 2];
    for behind in [one.repeat(300), fault, cut.to_vec(), [&one[..], &cut].concat()] {
        let mut lying = one.clone();
        lying[16..20].copy_from_slice(&(one.len() as u32 + 7).to_le_bytes());
        let all = [&one.repeat(5), &lying, &b"garbage"[..], &behind].concat();
        let (place, expected) = (6 * one.len(), data.repeat(6));
        let (back, result) = outcome(&all, &accepting(None, Unknown::Ignore));
        assert!(back == expected);
        assert_eq!(result.unwrap().trailing, trailing(0, Some(place)));
        let (back, result) = outcome(&all, &accepting(None, Unknown::Copy));
        assert!(back == [&expected[..], &all[place..]].concat());
        assert_eq!(result.unwrap().trailing, trailing(0, Some(place)));
        let (back, result) = outcome(&all, &accepting(None, Unknown::Refuse));
        assert!(back == expected);
        assert!(result.unwrap_err().starts_with(&format!("trailing garbage at offset {place}")));
    }
}

#[test]
fn a_fault_between_frames_is_an_error_even_where_garbage_is_none() {
    let data = plain::text(100_000);
    let mut coded = compress(&data, &small(Format::Xz));
    let end = coded.len();
    coded[end - 20] ^= 1;
    for unknown in [Unknown::Refuse, Unknown::Ignore, Unknown::Copy] {
        let (back, result) = outcome(&[&coded[..], &coded].concat(), &accepting(None, unknown));
        assert!(back == data && result.unwrap_err().starts_with("corrupt xz data"));
    }
}

#[test]
fn the_start_of_the_input_is_refused_unless_it_is_copied() {
    let of = |input: &[u8], unknown| outcome(input, &accepting(None, unknown));
    for unknown in [Unknown::Refuse, Unknown::Ignore] {
        assert!(of(b"", unknown).1.unwrap_err().starts_with("unexpected end of file"));
        assert!(of(b"plain text", unknown).1.unwrap_err().starts_with("not in a compressed format"));
        assert!(of(&[0; 1000], unknown).1.unwrap_err().starts_with("not in a compressed format"));
    }
    for input in [&b""[..], b"x", b"plain text", &[0; 1000], &[0x1f], &plain::text(5_000_000)] {
        let (back, result) = of(input, Unknown::Copy);
        assert!(back == input);
        assert_eq!(result.unwrap().trailing, trailing(0, (!input.is_empty()).then_some(0)));
    }
}

#[test]
fn zeros_behind_a_frame_are_copied_with_all_else() {
    let data = plain::text(10_000);
    let coded = compress(&data, &small(Format::Gzip));
    let all = [&coded[..], &[0; 500]].concat();
    let (back, result) = outcome(&all, &accepting(None, Unknown::Ignore));
    assert!(back == data);
    assert_eq!(result.unwrap().trailing, trailing(500, None));
    let (back, result) = outcome(&all, &accepting(None, Unknown::Copy));
    assert!(back == [&data[..], &[0; 500]].concat());
    assert_eq!(result.unwrap().trailing, trailing(0, Some(coded.len())));
}

#[test]
fn gzip_itself_passes_the_same_on() {
    let member = compress(b"three in the morning", &small(Format::Gzip));
    let options = accepting(Some(&[Format::Gzip]), Unknown::Copy);
    let inputs = [
        Vec::new(),
        b"x".to_vec(),
        b"\0\0\0".to_vec(),
        b"plain text".to_vec(),
        [&member[..], b"x"].concat(),
        [&member[..], b"\0"].concat(),
        [&member[..], b"\0\0x\0"].concat(),
        [&member[..], b"PK\x03\x04 and so on"].concat(),
        [&member[..], &member, b"plain text", &member].concat(),
    ];
    for input in inputs {
        assert_eq!(outcome(&input, &options).0, pipe("gzip -dcf", &input), "{input:?}");
    }
}

#[test]
fn an_input_that_begins_unknown_can_be_copied_as_a_whole_while_garbage_is_refused() {
    let (data, options) = (plain::text(150_000), accepting(Some(&[Format::Xz]), Unknown::CopyWhole));
    let (back, result) = outcome(&data, &options);
    assert!(back == data && result.is_ok());
    assert!(outcome(b"", &options).1.is_ok());
    let coded = compress(&data, &small(Format::Xz));
    let (back, result) = outcome(&[&coded[..], b"garbage"].concat(), &options);
    assert!(back == data);
    assert!(result.unwrap_err().contains(&format!("offset {}", coded.len())));
}
