//! Streams of mydumper: members of all kinds, other formats, damage, and names and sizes that lie.
//!
//! The streams are made after the source of mydumper (`mydumper_stream.c`) and read by a reader of this file, because
//! Debian's mydumper has no `--stream`.

use crate::common::plain;
use crate::common::{Dribble, compress, flipped, small};
use pzcomp::{Decode, Encode, Error, Format, Input, Output, Result, Summary, mydumper};

fn member(name: &str, data: &[u8]) -> Vec<u8> {
    [format!("\n-- {name} {}\n", data.len()).as_bytes(), data].concat()
}

/// The members of a stream, if it is one.
fn members(mut stream: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let mut found = Vec::new();
    while !stream.is_empty() {
        let rest = stream.strip_prefix(b"\n-- ")?;
        let line = &rest[..rest.iter().position(|&byte| byte == b'\n')?];
        let (name, size) = str::from_utf8(line).ok()?.split_once(' ')?;
        let (data, more) = rest[line.len() + 1..].split_at_checked(size.parse().ok()?)?;
        found.push((name.to_owned(), data.to_vec()));
        stream = more;
    }
    Some(found)
}

fn decompress(input: Input, threads: usize) -> (Vec<u8>, Result<Summary>) {
    let mut back = Vec::new();
    let options = Decode::builder().threads(threads).build().unwrap();
    let result = mydumper::decompress(input, &mut back, &options);
    (back, result)
}

/// A stream, and the plain one.
fn dump() -> (Vec<u8>, Vec<u8>) {
    let data: Vec<Vec<u8>> = [3_000_000, 900_000, 70_000, 10].into_iter().map(plain::text).collect();
    let coded = |at: usize, format| compress(&data[at], &small(format));
    let stream = [
        member("metadata.partial.0", b"[shop]\n-- not a header 3\n"),
        member("shop-schema-create.sql.zst", &coded(3, Format::Zstd)),
        member("shop.nodes.00000.sql.zst", &coded(0, Format::Zstd)),
        member("shop.ways.00000.dat.gz", &coded(1, Format::Gzip)),
        member("shop.ways.00001.dat.lz4", &coded(2, Format::Lz4)),
        member("shop.x.sql", b"\n-- "),
        member("elsewhere.sql.zst", b""),
        member("empty", b""),
        member("metadata", b"Finished"),
    ];
    let plain = [
        stream[0].clone(),
        member("shop-schema-create.sql", &data[3]),
        member("shop.nodes.00000.sql", &data[0]),
        member("shop.ways.00000.dat", &data[1]),
        member("shop.ways.00001.dat", &data[2]),
        stream[5..].concat(),
    ];
    (stream.concat(), plain.concat())
}

#[test]
fn mydumper_members_become_plain_and_come_in_another_format() {
    let (one, plain) = dump();
    // Several streams may follow each other.
    let (stream, plain) = ([&one[..], &one].concat(), [&plain[..], &plain].concat());
    for threads in [1, 2, 5] {
        let (back, summary) = decompress(Input::Memory(&stream), threads);
        let summary = summary.unwrap();
        assert_eq!((summary.frames, summary.coded_len), (18, stream.len() as u64));
        assert_eq!(summary.plain_len, plain.len() as u64);
        assert!(back == plain, "{threads} threads");
    }
    let (back, result) = decompress(Input::Reader(Box::new(Dribble::new(&stream, 5_000))), 2);
    result.unwrap();
    assert!(back == plain, "in steps");

    let verified = mydumper::decompress(&stream, Output::Nothing, &Decode::default()).unwrap();
    let listed: Vec<_> = verified.entries.iter().map(|entry| (&entry.name[..], entry.plain_len)).collect();
    assert_eq!(listed[2], ("shop.nodes.00000.sql.zst", 3_000_000));
    assert_eq!((listed.len(), listed[6], listed[8]), (18, ("elsewhere.sql.zst", 0), ("metadata", 8)));

    let mut recoded = Vec::new();
    let to = Encode::builder(Format::Gzip).level(1).build().unwrap();
    mydumper::recode(&stream, &mut recoded, &Decode::default(), &to).unwrap();
    let names: Vec<String> = members(&recoded).unwrap().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names[2..5], ["shop.nodes.00000.sql.gz", "shop.ways.00000.dat.gz", "shop.ways.00001.dat.gz"]);
    assert_eq!((&names[6][..], &names[8][..]), ("elsewhere.sql.zst", "metadata"));
    let (back, result) = decompress(Input::Memory(&recoded), 2);
    result.unwrap();
    assert!(back == plain, "recoded");
}

/// What the error says. The output must be no whole stream.
#[track_caller]
fn refused(stream: &[u8], parts: &[&str]) {
    for threads in [1, 3] {
        let (back, result) = decompress(Input::Memory(stream), threads);
        let told = result.map(drop).unwrap_err().to_string();
        for part in parts {
            assert!(told.contains(part), "{part:?} is not in: {told}");
        }
        assert!(members(&back).is_none(), "{told}: the output is a whole stream");
    }
    let verified = mydumper::decompress(stream, Output::Nothing, &Decode::default());
    assert!(verified.is_err(), "{parts:?}");
    assert!(mydumper::recode(stream, &mut Vec::new(), &Decode::default(), &Encode::default()).is_err());
}

#[test]
fn mydumper_streams_that_are_damaged_or_lie_are_an_error_with_the_name() {
    let coded = compress(&plain::text(300_000), &small(Format::Zstd));
    let good = member("a.sql", b"data");
    let with = |more: &[u8]| [&good[..], more].concat();
    let bad = member("b.sql.zst", &coded);
    for len in [1, 4, 9, 20, bad.len() / 2, bad.len() - 1] {
        refused(&with(&bad[..len]), &["unexpected end of"]);
    }
    refused(&with(&bad[..bad.len() - 1]), &["the member 'b.sql.zst'", "offset 16"]);
    let damaged = flipped(&bad, bad.len() / 2, 4);
    refused(&with(&damaged), &["the member 'b.sql.zst'", "offset 16"]);
    for (name, data, part) in [
        ("b.sql.zst", &b"what is this"[..], "not in a compressed format"),
        ("b.sql.gz", &coded[..], "the member 'b.sql.gz'"),
        ("b.sql.zst", &[&coded[..], b"garbage"].concat(), "trailing garbage"),
        ("a.sql.zst", &coded, "a second member with the plain name 'a.sql'"),
        ("a.sql", b"data", "a second member with the plain name 'a.sql'"),
        ("..", b"", "names a member '..'"),
        ("../a", b"", "names a member '../a'"),
        ("/etc/passwd", b"", "names a member '/etc/passwd'"),
        ("a\tb", b"", "which is no name of a file"),
        ("", b"", "names a member ''"),
    ] {
        refused(&with(&member(name, data)), &[part]);
    }
    // A size that is wrong, no number, too large, or missing.
    let size = |size: &str| with(&[format!("\n-- b.sql {size}\n").as_bytes(), b"0123456789"].concat());
    refused(&[size("9"), good.clone()].concat(), &["the member 'b.sql'", "no header is behind the 9 bytes"]);
    refused(&size("11"), &["the member 'b.sql'", "unexpected end of mydumper data"]);
    refused(&size("9223372036854775807"), &["the member 'b.sql'", "unexpected end of mydumper data"]);
    for wrong in ["9223372036854775808", "99999999999999999999", "", "-1", "+1", "1 2", "0x10"] {
        refused(&size(wrong), &["'b.sql'", "expected less than 2^63"]);
    }
    refused(&with(b"\n-- b.sql\n"), &["'b.sql'", "states no size"]);
    refused(&with(&[b"\n-- ", &[b'x'; 400][..]].concat()), &["is longer than"]);
    refused(b"\n-- x\n", &["states no size"]);
    refused(b"CREATE TABLE t", &["is no stream of mydumper", "43 52 45 41"]);
    refused(b"", &["the input is empty"]);
}

#[test]
fn mydumper_members_wait_within_the_memory_that_is_allowed() {
    let data = plain::text(8 << 20).repeat(10);
    let stream = member("b.sql.zst", &compress(&data, &Encode::default()));
    let options = |memory: u64| Decode::builder().threads(1).memory(memory << 20).build().unwrap();
    let mut back = Vec::new();
    mydumper::decompress(&stream, &mut back, &options(192)).unwrap();
    assert!(members(&back).unwrap()[0].1 == data);
    let error = mydumper::decompress(&stream, &mut Vec::new(), &options(128)).map(drop).unwrap_err();
    assert!(matches!(error, Error::Member { .. }), "{error}");
    assert!(error.to_string().contains("'b.sql.zst'") && error.to_string().contains("64MiB"), "{error}");
    mydumper::decompress(&stream, Output::Nothing, &options(128)).unwrap();
    // The error of too little memory says how much is enough for all together.
    let error = mydumper::decompress(&stream, &mut Vec::new(), &options(16)).map(drop).unwrap_err();
    let Error::Memory { needed, limit, .. } = error else { panic!("{error}") };
    assert_eq!(limit.0, 16 << 20);
    let enough = Decode::builder().threads(1).memory(needed.0).build().unwrap();
    let small = member("b.sql.zst", &compress(&data[..1 << 20], &Encode::default()));
    mydumper::decompress(&small, &mut Vec::new(), &enough).unwrap();
}
