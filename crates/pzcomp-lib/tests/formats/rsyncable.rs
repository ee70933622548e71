//! Frames that end where the content says so: a small change of the input changes few of them.
//!
//! There is no peer: two versions of a file are compressed, and their frames compared. What is written must still come
//! back, in every format and on any number of threads.

use std::io::Write;

use crate::common::{Dribble, compress, compress_with, decoded, decompress, is_exhaustive, plain, small};
use pzcomp::inspect::List;
use pzcomp::{Compress, Decode, Encode, Format, Input, Layout, Member, Seekable};

const LEN: usize = 2 << 20;
/// The greatest length of a frame's plain data.
const MOST: usize = 64 << 10;

/// Every format, and gzip as one member; without the index, which is expected to change.
fn all() -> impl Iterator<Item = Encode> {
    let of = |format| encode!(small(format), block_size: MOST, rsyncable: true, index: false);
    let one_member = encode!(of(Format::Gzip), layout: Layout::Single(Member::default()));
    Format::all().map(of).chain([one_member])
}

fn name(options: &Encode) -> String {
    format!("{}{}", options.format(), if *options.layout() != Layout::Frames { ", one member" } else { "" })
}

/// Coded data without what stands at the end for the stream as a whole.
fn frames<'a>(coded: &'a [u8], options: &Encode) -> &'a [u8] {
    let end = match options.format().name() {
        // Index and Stream Footer; Backward Size says how long the former is.
        "xz" => {
            let footer = &coded[coded.len() - 12..];
            12 + 4 * (1 + u32::from_le_bytes(footer[4..8].try_into().unwrap()) as usize)
        }
        // CRC32 and ISIZE.
        _ if *options.layout() != Layout::Frames => 8,
        _ => 0,
    };
    &coded[..coded.len() - end]
}

/// How much of `new` is neither at the start nor at the end of `old`.
fn changed(old: &[u8], new: &[u8]) -> usize {
    let same = |pairs: &mut dyn Iterator<Item = (&u8, &u8)>| pairs.take_while(|(a, b)| a == b).count();
    let before = same(&mut old.iter().zip(new));
    let behind = same(&mut old.iter().rev().zip(new.iter().rev()));
    new.len().saturating_sub(before + behind)
}

/// A few bytes inserted, deleted and changed.
fn edits(data: &[u8], at: usize) -> [Vec<u8>; 3] {
    let with = |inserted: &[u8], removed: usize| [&data[..at], inserted, &data[at + removed..]].concat();
    [with(b"\tinserted", 0), with(b"", 7), with(b"changed", 7)]
}

#[test]
fn a_small_change_of_the_input_changes_few_frames() {
    let data = plain::text(LEN);
    for options in all() {
        let old = compress(&data, &options);
        let old = frames(&old, &options);
        // The coded length of a frame of the average length, which is 0.6 of the greatest.
        let frame = old.len() * 6 / 10 / (LEN / MOST);
        let (mut sum, mut worst, mut count) = (0, 0, 0);
        // These formats take their time. Where a chunk ends does not depend on the format.
        let is_slow = ["xz", "lzip", "bzip2"].contains(&options.format().name()) && !is_exhaustive();
        for at in (if is_slow { 2..3 } else { 1..4 }).map(|part| part * LEN / 4 + 999) {
            for edited in edits(&data, at) {
                let new = compress(&edited, &options);
                let changed = changed(old, frames(&new, &options));
                (sum, worst, count) = (sum + changed, worst.max(changed), count + 1);
            }
        }
        let (mean, worst) = (sum as f64 / count as f64 / frame as f64, worst as f64 / frame as f64);
        println!("{}: {mean:.1} frames of {} change, {worst:.1} at most", name(&options), old.len() / frame);
        assert!(mean <= 2.0 && worst <= 4.0, "{}: {mean:.1}, {worst:.1} at most", name(&options));
    }
}

#[test]
fn without_it_all_behind_an_insertion_changes() {
    let data = plain::text(LEN);
    let options = encode!(small(Format::Gzip), block_size: MOST, index: false);
    let [inserted, ..] = edits(&data, LEN / 2);
    let changed = changed(&compress(&data, &options), &compress(&inserted, &options));
    assert!(changed * 9 > compress(&data, &options).len() * 4, "{changed}: the other test proves nothing");
}

#[test]
fn every_length_comes_back() {
    let data = [plain::text(200_000), vec![0; 100_000], plain::random(100_000)].concat();
    for options in all() {
        let options = encode!(options, block_size: 4096, index: true);
        for len in [0, 1, 64, 2047, 2048, 2049, 4095, 4096, 4097, 200_000, data.len()] {
            let coded = compress(&data[..len], &options);
            assert!(decompress(&coded).unwrap() == data[..len], "{}, {len} bytes", name(&options));
        }
    }
}

/// Where a chunk ends with the input, no short one follows it.
#[test]
fn one_member_has_its_end_wherever_the_input_ends() {
    let data = plain::text(20_000);
    let layout = Layout::Single(Member::default());
    let frames = encode!(small(Format::Gzip), block_size: 4096, rsyncable: true);
    let ends: Vec<u64> =
        Seekable::new(compress(&data, &frames)).unwrap().frames().map(|frame| frame.plain_offset).collect();
    let is_near = |len: &usize| ends.iter().any(|end| end.abs_diff(*len as u64) < 70);
    let count = ends.iter().filter(|end| (8000..14_000).contains(*end)).count();
    assert!(count > 1, "the input never ends where a chunk does: {ends:?}");
    let options = encode!(frames, layout);
    for len in (8000..14_000).filter(|len| is_near(len) || len % 17 == 0 || is_exhaustive()) {
        let mut plain = Vec::new();
        let coded = compress(&data[..len], &options);
        let mut decoder = flate2::bufread::GzDecoder::new(&coded[..]);
        std::io::Read::read_to_end(&mut decoder, &mut plain).unwrap();
        assert!(plain == data[..len] && decoder.into_inner().is_empty(), "{len} bytes");
    }
}

#[test]
fn output_depends_on_neither_threads_nor_the_way_of_the_input() {
    let data = [plain::text(600_000), vec![7; 300_000], plain::text(200_000)].concat();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plain");
    std::fs::write(&path, &data).unwrap();
    for options in all() {
        let name = name(&options);
        let expected = compress(&data, &options);
        for threads in [1, 2, 8] {
            let options = encode!(options.clone(), threads);
            assert!(compress(&data, &options) == expected, "{name} with {threads} threads");
            for input in
                [Input::Memory(&data), Input::from_file(&std::fs::File::open(&path).unwrap()).unwrap()]
            {
                let mut coded = Vec::new();
                let output = pzcomp::Output::Writer(Box::new(&mut coded));
                Compress::new(&options).run(input, output).unwrap();
                assert!(coded == expected, "{name}, read in place, with {threads} threads");
            }
        }
        for step in [1 << 10, 4097, 1 << 20] {
            let (coded, _) = compress_with(Dribble::new(&data, step), &options).unwrap();
            assert!(coded == expected, "{name} in steps of {step}");
        }
        let mut writer = pzcomp::Writer::new(Vec::new(), options.clone()).unwrap();
        data.chunks(12_345).for_each(|part| writer.write_all(part).unwrap());
        assert!(writer.finish().unwrap().0 == expected, "{name} by Writer");
        let tight = encode!(options.clone(), memory: 20 << 20, threads: 8);
        assert!(compress(&data, &tight) == expected, "{name} in little memory");
    }
}

#[test]
fn the_index_knows_frames_of_all_lengths() {
    let data = plain::text(1 << 20);
    for format in [Format::Zstd, Format::Gzip, Format::Lz4] {
        let options = encode!(small(format), block_size: MOST, rsyncable: true);
        let coded = compress(&data, &options);
        let listing = List::default().run(Input::Memory(&coded)).unwrap();
        assert!(listing.is_indexed && listing.plain_len == Some(data.len() as u64), "{format}: {listing:?}");
        let (plain, summary) = decoded(&coded[..], &Decode::default());
        let summary = summary.unwrap();
        assert!(plain == data && summary.remarks.is_empty(), "{format}: {:?}", summary.remarks);
        assert_eq!(Some(summary.frames), listing.frames, "{format}");
    }
}

/// What was read before an error is there, though it had been kept for the chunk to come.
#[test]
fn all_before_a_failure_of_the_input_is_written() {
    struct Failing<'a>(&'a [u8]);
    impl std::io::Read for Failing<'_> {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            match std::io::Read::read(&mut self.0, out)? {
                0 => Err(std::io::Error::other("the cable was pulled")),
                read => Ok(read),
            }
        }
    }
    let data = plain::text(300_000);
    let options = encode!(small(Format::Gzip), block_size: MOST, rsyncable: true);
    let mut coded = Vec::new();
    let error = Compress::new(&options).run(Input::reader(Failing(&data)), &mut coded).unwrap_err();
    assert!(error.to_string().starts_with("cannot read at offset 300000;"), "{error}");
    // Behind these bytes is the start of a member, so that nobody takes the file for complete.
    let (plain, decoded) = decoded(&coded[..], &Decode::default());
    assert!(matches!(decoded, Err(pzcomp::Error::Truncated { .. })) && plain == data);
}
