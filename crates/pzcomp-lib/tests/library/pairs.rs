//! Every two layouts behind each other: an index, a list and ranges agree with decompression, or say why they cannot.
//!
//! The plain data of both is known. What decompression refuses, an index refuses too.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pzcomp::inspect::List;
use pzcomp::{Decode, Encode, Error, Format, Index, Input, Layout, Member, Seekable};

use crate::common::old::{Lzop, lzf};
use crate::common::{compress, decoded, fuzz_end, pipe, plain};

/// A layout, its coded form, and the plain data.
type Form = (String, Vec<u8>, Vec<u8>);

fn forms() -> Vec<Form> {
    let data = plain::text(5000);
    let mut forms: Vec<Form> = Vec::new();
    let mut add = |name: &str, coded: Vec<u8>, plain: &[u8]| forms.push((name.into(), coded, plain.to_vec()));
    for format in Format::all() {
        let options = encode!(Encode::builder(format), level: 1, threads: 1);
        let small = if format == Format::Bzip2 || format == Format::Snappy { 65536 } else { 4096 };
        let many = encode!(options.clone(), block_size: small);
        add(&format!("{format}"), compress(&data, &many), &data);
        add(&format!("empty {format}"), compress(b"", &encode!(options, index: false)), b"");
        if [Format::Zstd, Format::Gzip, Format::Lz4].contains(&format) {
            let unindexed = compress(&data, &encode!(many, index: false));
            add(&format!("{format} without index"), unindexed, &data);
        }
    }
    let layout = |format, layout| encode!(Encode::builder(format), layout, threads: 1);
    add("BGZF", compress(&data, &layout(Format::Gzip, Layout::Bgzf)), &data);
    add("pzstd", compress(&data, &layout(Format::Zstd, Layout::Pzstd)), &data);
    add("one bzip2", compress(&data, &layout(Format::Bzip2, Layout::Single(Member::default()))), &data);
    for tool in ["gzip -1", "zstd -q -1", "xz -0 -T1", "lz4 -q -1", "lz4 -q -l"] {
        add(tool, pipe(tool, &data), &data);
    }
    let two_blocks = plain::text(120_000);
    add("two blocks of bzip2", pipe("bzip2 -1", &two_blocks), &two_blocks);
    add("empty lz4 -q -l", pipe("lz4 -q -l", b""), b"");
    add("lzop", Lzop::default().file(&data), &data);
    add("lzf", lzf(&data, 3000), &data);
    add("skippable", b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec(), b"");
    add("zeros", vec![0; 512], b"");
    add("garbage", b"no compressed data".to_vec(), b"");
    forms
}

/// Compares everything that reads a file by places with decompression. Returns what differs; and whether there is an
/// index.
fn differences(coded: &[u8], plain: &[u8]) -> (Vec<String>, bool) {
    let options = decode!(Decode::builder(), threads: 1);
    let (found, truth) = decoded(coded, &options);
    assert!(truth.is_err() || found == plain, "the test knows the plain data");
    let mut wrong = Vec::new();
    let ranges = |what: &str, seekable: &Seekable<&'static [u8]>, wrong: &mut Vec<String>| {
        for offset in [0, 1, plain.len() / 3, plain.len() / 2 + 1, plain.len().saturating_sub(2), plain.len()]
        {
            let mut part = [0; 1500];
            let read = seekable.read_at(&mut part, offset as u64);
            // Decompression may have written less than the ranges of a file that it refuses give.
            let expected = plain.get(offset..plain.len().min(offset + part.len())).unwrap_or_default();
            match (read, &truth) {
                (Ok(read), Ok(_)) if part[..read] == *expected => {}
                (Ok(read), Err(_)) if expected.starts_with(&part[..read]) => {}
                (Err(_), Err(_)) => {}
                (read, _) => wrong.push(format!("{what} at {offset}: {read:?}")),
            }
        }
    };
    // The source of a reader lives as long as its threads.
    let coded: &'static [u8] = Vec::leak(coded.to_vec());
    let seekable = Seekable::with_options(coded, &options).unwrap();
    ranges("range", &seekable, &mut wrong);
    let mut end = 0;
    for frame in seekable.frames().filter(|_| truth.is_ok()) {
        if frame.plain_offset != end {
            wrong.push(format!("frame {frame:?}, expected at {end}"));
        }
        end += frame.plain_len.unwrap_or(plain.len() as u64 - end);
    }
    if truth.is_ok() && end != plain.len() as u64 {
        wrong.push(format!("the frames hold {end}"));
    }
    match (
        List::default().run(Input::Memory(coded)),
        List::new(&options).decode(true).run(Input::Memory(coded)),
        &truth,
    ) {
        (Ok(short), Ok(long), Ok(summary))
            if long.plain_len == Some(plain.len() as u64)
                && short.plain_len.is_none_or(|len| Some(len) == long.plain_len)
                && short.frames.is_none_or(|frames| frames == summary.frames) => {}
        (_, _, Err(_)) => {}
        (short, long, Ok(summary)) => {
            let frames = summary.frames;
            wrong.push(format!("lists {short:?} and {long:?}, expected {} and {frames} frames", plain.len()));
        }
    }
    let mut is_indexed = false;
    match (Index::build(&coded, &options), &truth) {
        (Ok(index), Ok(_)) => {
            is_indexed = true;
            ranges("index", &Seekable::with_index(coded, index, &options).unwrap(), &mut wrong);
        }
        // The only reason against an index is a format whose ends only decoding finds.
        (Err(Error::Unsupported { .. }), Ok(_)) | (Err(_), Err(_)) => {}
        (index, truth) => wrong.push(format!("{index:?}, but decompression gives {truth:?}")),
    }
    (wrong, is_indexed)
}

#[test]
fn places_in_two_layouts_behind_each_other_are_those_of_decompression() {
    let forms = forms();
    let wrong = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    // All pairs take too long for each run of the tests.
    let step = if fuzz_end().is_some() { 1 } else { 5 };
    let work = || {
        loop {
            let first = next.fetch_add(1, Ordering::Relaxed);
            let Some((name, coded, plain)) = forms.get(first) else { break };
            for (second, coded_2, plain_2) in forms.iter().skip(first % step).step_by(step) {
                let found = differences(&[&coded[..], coded_2].concat(), &[&plain[..], plain_2].concat()).0;
                let mut wrong = wrong.lock().unwrap();
                wrong.extend(found.into_iter().map(|what| format!("{name}, then {second}: {what}")));
            }
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn formats_that_find_their_ends_have_an_index_together() {
    let forms = forms();
    let form = |name: &str| forms.iter().find(|form| form.0 == name).unwrap();
    for (one, two) in [
        ("lz4 -q -l", "lz4"),
        ("gzip -1", "xz"),
        ("gzip -1", "zstd -q -1"),
        ("bzip2", "gzip -1"),
        ("BGZF", "gzip -1"),
        ("pzstd", "empty gzip"),
        ("zstd", "skippable"),
        ("skippable", "gzip -1"),
        ("empty lz4 -q -l", "zstd"),
        ("zstd", "zeros"),
        ("bzip2", "zeros"),
        ("two blocks of bzip2", "xz"),
        ("two blocks of bzip2", "snappy"),
        ("two blocks of bzip2", "lzop"),
    ] {
        let ((_, first, plain), (_, second, rest)) = (form(one), form(two));
        let (wrong, is_indexed) = differences(&[&first[..], second].concat(), &[&plain[..], rest].concat());
        assert!(wrong.is_empty() && is_indexed, "{one}, then {two}: {wrong:?}");
    }
}
