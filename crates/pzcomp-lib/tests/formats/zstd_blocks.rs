//! Long zstd frames, which several workers share: as on one thread, and as libzstd has it.
//!
//! The peers are zstd and libzstd. Frames that they do not write are made by hand. `is_decoded` and `is_refused`
//! compare threads and inputs.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use crate::common::outcome::{from_memory, is_decoded, is_refused};
use crate::common::plain::{self, Random};
use crate::common::{compress, decoded, decompress_from, decompressing, flipped, pipe};
use pzcomp::{Decode, Dictionary, Encode, Error, Format};
use xxhash_rust::xxh64::xxh64;
use zstd_safe::{DCtx, InBuffer, OutBuffer};

const BLOCK_LEN: usize = 128 << 10;

/// Data whose blocks differ much in what they come to, of several parts of a frame. Frames of up to 4 MiB have one.
fn mixed() -> Vec<u8> {
    let parts = [plain::text(2_000_000), plain::random(500_000), vec![0; 2_000_000], plain::text(900_001)];
    parts.concat()
}

/// What the tool makes of a file, whose length it states.
fn tool(options: &str, data: &[u8]) -> Vec<u8> {
    let script = "file=$(mktemp); cat >$file; zstd -q -c";
    pipe(&format!("{script} {options} $file; status=$?; rm $file; exit $status"), data)
}

/// What libzstd makes of the frame at the start of `coded`, and whether it is a right one.
fn by_libzstd(coded: &[u8]) -> (Vec<u8>, bool) {
    let mut context = DCtx::create();
    let (mut plain, mut input, mut room) = (Vec::new(), InBuffer::around(coded), vec![0; 1 << 20]);
    loop {
        let mut output = OutBuffer::around(&mut room[..]);
        let hint = context.decompress_stream(&mut output, &mut input);
        let written = output.pos();
        plain.extend_from_slice(&room[..written]);
        match hint {
            Ok(0) => return (plain, true),
            Ok(_) if input.pos < coded.len() || written == room.len() => {}
            _ => return (plain, false),
        }
    }
}

/// A frame with a window of 8 MiB, of raw blocks, and where each of them begins.
fn raw(blocks: &[&[u8]], content_len: Option<u64>) -> (Vec<u8>, Vec<usize>) {
    let mut coded = 0xFD2F_B528_u32.to_le_bytes().to_vec();
    coded.extend([if content_len.is_some() { 0xC4 } else { 4 }, 13 << 3]);
    coded.extend(content_len.iter().flat_map(|len| len.to_le_bytes()));
    let mut starts = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        starts.push(coded.len());
        let header = (block.len() as u32) << 3 | u32::from(number + 1 == blocks.len());
        coded.extend(&header.to_le_bytes()[..3]);
        coded.extend(*block);
    }
    starts.push(coded.len());
    coded.extend((xxh64(&blocks.concat(), 0) as u32).to_le_bytes());
    (coded, starts)
}

#[test]
fn files_of_the_tool_are_decoded_by_any_number_of_workers() {
    let data = mixed();
    for options in
        ["-1", "-3", "--fast=5", "-12", "--long=27", "-T2 -B1MiB", "-3 --no-check", "--no-check -9"]
    {
        is_decoded(&tool(options, &data), &data, options);
        // From a pipe the tool does not state the length.
        is_decoded(&pipe(&format!("zstd -q -c {options}"), &data), &data, &format!("{options}, a pipe"));
    }
    // The tool takes its time over text.
    let data = &data[1_000_000..];
    is_decoded(&tool("-19", data), data, "-19");
    // Blocks that come to almost nothing, and blocks that do not become smaller.
    for data in [vec![0; 40 << 20], plain::random(5 << 20)] {
        is_decoded(&pipe("zstd -q", &data), &data, "all the same");
    }
}

#[test]
fn frames_follow_each_other() {
    let data = mixed();
    let small = plain::text(50_000);
    let skippable = [&0x184D_2A53_u32.to_le_bytes()[..], &[5, 0, 0, 0], b"aside"].concat();
    let (stated, vague, little) = (tool("-1", &data), pipe("zstd -q -3", &data), tool("", &small));
    let ours = compress(&data, &Encode::default());
    let long = compress(&data, &encode!(Encode::default(), block_size: 6 << 20));
    let coded =
        [&little[..], &vague, &stated, &skippable, &vague, &vague, &ours, &little, &little, &long, &stated];
    let [data, small] = [&data[..], &small];
    let plain = [small, data, data, data, data, data, small, small, data, data];
    is_decoded(&coded.concat(), &plain.concat(), "frames of all kinds");
}

#[test]
fn a_frame_in_parts_is_one_frame() {
    let data = mixed();
    for (threads, repeat) in [(1, 1), (2, 1), (3, 4)] {
        for coded in [tool("", &data), pipe("zstd -q", &data)] {
            let options = decode!(Decode::builder(), threads);
            let summary = decoded(&coded.repeat(repeat)[..], &options).1.unwrap();
            assert_eq!((summary.frames, summary.plain_len), (repeat as u64, (repeat * data.len()) as u64));
        }
    }
}

#[test]
fn all_parts_have_the_dictionary() {
    let data = mixed();
    let dictionary = plain::text(60_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dictionary");
    std::fs::write(&path, &dictionary).unwrap();
    let coded = pipe(&format!("zstd -q -c -D '{}'", path.display()), &data);
    for threads in [1, 2, 3, 8, 16] {
        let dictionary = Dictionary::new(dictionary.clone()).unwrap();
        let options = decode!(Decode::builder(), threads, dictionary);
        let plain = decompress_from(&coded[..], &options).unwrap();
        assert!(plain == data, "{threads}");
    }
}

#[test]
fn what_is_said_of_the_content_is_held_to_all_of_it() {
    let noise = plain::random(24 * BLOCK_LEN + 1000);
    let blocks: Vec<&[u8]> = noise.chunks(BLOCK_LEN).collect();
    let len = noise.len() as u64;
    let before = tool("", b"first");
    for content_len in [None, Some(len), Some(5 << 20), Some(3), Some(1 << 40)] {
        let (coded, starts) = raw(&blocks, content_len);
        let coded = [&before[..], &coded].concat();
        let expected = [b"first", &noise[..]].concat();
        if content_len.is_some_and(|stated| stated != len) {
            let (back, error) = is_refused(&coded, "another length");
            assert!(error.to_string().contains("bytes"), "{error}");
            assert!(expected.starts_with(&back));
            continue;
        }
        is_decoded(&coded, &expected, "the truth");
        for at in [starts[0] + 9, starts[10] + 1000, starts[16] + 3, starts[24] + 5, starts[25]] {
            let coded = flipped(&coded, before.len() + at, 4);
            let (_, error) = is_refused(&coded, "a wrong byte");
            assert!(error.to_string().contains("has the checksum"), "{error}");
        }
    }
}

#[test]
fn blocks_need_not_be_full() {
    let noise = plain::random(5 << 20);
    let mut random = Random(5);
    let (mut rest, mut blocks) = (&noise[..], Vec::new());
    while !rest.is_empty() {
        let len = if random.below(9) == 0 { 0 } else { 1 + random.below(30_000) as usize };
        let (block, behind) = rest.split_at(len.min(rest.len()));
        blocks.push(block);
        rest = behind;
    }
    for content_len in [None, Some(noise.len() as u64)] {
        let (coded, starts) = raw(&blocks, content_len);
        is_decoded(&coded, &noise, "blocks of any length");
        for &start in starts.iter().step_by(59) {
            let mut coded = coded.clone();
            coded[start] |= 6;
            let (back, _) = is_refused(&coded, "a reserved block");
            assert!(noise.starts_with(&back));
        }
    }
}

#[test]
fn an_empty_frame_may_have_blocks_of_length_zero() {
    // A header that states no plain bytes, so the window has none either.
    let header = [&0xFD2F_B528_u32.to_le_bytes()[..], &[0x20, 0]].concat();
    let (raw, run, last) = (&[0, 0, 0][..], &[2, 0, 0, b'a'][..], &[1, 0, 0][..]);
    let last_run = &[3, 0, 0, b'a'][..];
    for blocks in [&[last_run][..], &[run, run, last], &[raw, run, last_run], &[run, raw, last]] {
        let coded = [&header[..], &blocks.concat()].concat();
        assert_eq!(pipe("zstd -dc", &coded), b"", "{blocks:?}");
        is_decoded(&coded, b"", &format!("{blocks:?}"));
        let between = [&tool("", b"before")[..], &coded, &tool("", b"behind")].concat();
        is_decoded(&between, b"beforebehind", &format!("{blocks:?} between frames"));
    }
    // A run of one byte does not fit.
    let (_, error) =
        is_refused(&[&header[..], &[3 | 1 << 3, 0, 0, b'a']].concat(), "a byte in an empty frame");
    assert!(error.to_string().contains("a block is larger than its frame allows"), "{error}");
}

#[test]
fn a_frame_that_ends_where_it_could_be_cut_ends_there() {
    for count in [8, 15, 16, 17, 32, 40] {
        let noise = plain::random(count * BLOCK_LEN);
        let blocks: Vec<&[u8]> = noise.chunks(BLOCK_LEN).collect();
        let (coded, starts) = raw(&blocks, None);
        is_decoded(&coded.repeat(3), &noise.repeat(3), &format!("{count} blocks"));
        // What follows may look like more blocks.
        let (back, error) = is_refused(&[&coded[..], &coded[starts[0]..]].concat(), "blocks behind a frame");
        assert!(
            matches!(error, Error::TrailingGarbage { offset, .. } if offset == coded.len() as u64),
            "{error}"
        );
        assert!(back == noise);
    }
}

#[test]
fn a_frame_cut_off_anywhere_near_its_blocks_says_so() {
    let noise = plain::random(36 * (16 << 10));
    let blocks: Vec<&[u8]> = noise.chunks(16 << 10).collect();
    let before = tool("", b"first");
    let (frame, starts) = raw(&blocks, None);
    let coded = [&before[..], &frame].concat();
    let near =
        starts.iter().flat_map(|&at| [-2_isize, 0, 1, 2, 3, 4, 9000].map(|by| at.wrapping_add_signed(by)));
    for end in near.map(|at| before.len() + at).filter(|&end| end < coded.len()) {
        let (back, error) = is_refused(&coded[..end], &format!("cut at {end}"));
        let Error::Truncated { frame, offset, .. } = error else { panic!("cut at {end}: {error}") };
        assert_eq!((frame, offset), (before.len() as u64, end as u64));
        assert!([b"first", &noise[..]].concat().starts_with(&back), "cut at {end}: wrong bytes");
    }
    let data = mixed();
    let coded = tool("-3", &data);
    for end in (20..coded.len()).step_by(coded.len() / 17) {
        let (back, error) = is_refused(&coded[..end], &format!("cut at {end}"));
        assert!(
            matches!(error, Error::Truncated { frame: 0, offset, .. } if offset == end as u64),
            "{error}"
        );
        assert!(data.starts_with(&back));
    }
}

#[test]
fn damage_anywhere_is_judged_as_by_libzstd_on_any_number_of_threads() {
    let data = mixed();
    let mut random = Random(17);
    for options in ["-1", "-3 --no-check", "-6"] {
        let coded = tool(options, &data);
        for _ in 0..9 {
            let at = 4 + random.below(coded.len() as u64 - 4) as usize;
            let damaged = flipped(&coded, at, 1 << random.below(8));
            let (plain, is_right) = by_libzstd(&damaged);
            let what = format!("{options}, a bit at {at}");
            if is_right {
                is_decoded(&damaged, &plain, &what);
            } else {
                is_refused(&damaged, &what);
            }
        }
    }
}

#[test]
fn what_looks_like_a_frame_inside_a_block_is_none() {
    let inner = tool("-1", &plain::random(1 << 20));
    let data = [&inner[..], &inner, &plain::text(100_000), &inner, &inner].concat();
    let blocks: Vec<&[u8]> = data.chunks(BLOCK_LEN).collect();
    let (coded, starts) = raw(&blocks, None);
    is_decoded(&coded, &data, "frames in a frame");
    let (alone, result) = from_memory(&coded[starts[0]..], 1);
    let (several, other) = from_memory(&coded[starts[0]..], 3);
    assert_eq!(result.unwrap_err().to_string(), other.unwrap_err().to_string());
    assert!(alone == several);
}

#[test]
fn a_block_is_out_while_the_next_has_not_come() {
    let noise = plain::random(3 << 20);
    let blocks: Vec<&[u8]> = noise.chunks(BLOCK_LEN).collect();
    let (coded, starts) = raw(&blocks, None);
    for threads in [1, 2, 16] {
        let (mut stdout, output) = std::io::pipe().unwrap();
        let (mut stdin, run) = decompressing(threads, File::from(OwnedFd::from(output)));
        let (mut at, mut back) = (0, vec![0; BLOCK_LEN]);
        for (block, &end) in blocks.iter().zip(&starts[1..]) {
            stdin.write_all(&coded[at..end]).unwrap();
            at = end;
            stdout.read_exact(&mut back[..block.len()]).unwrap();
            assert!(back[..block.len()] == **block, "{threads}");
        }
        stdin.write_all(&coded[at..]).unwrap();
        drop(stdin);
        assert_eq!(stdout.read_to_end(&mut Vec::new()).unwrap(), 0);
        run.join().unwrap().unwrap();
    }
}

#[test]
fn all_blocks_that_came_are_in_the_file_while_the_input_pauses() {
    let noise = plain::random(24 * BLOCK_LEN);
    let blocks: Vec<&[u8]> = noise.chunks(BLOCK_LEN).collect();
    let (coded, starts) = raw(&blocks, None);
    for threads in [1, 2, 3] {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (mut stdin, run) = decompressing(threads, file.reopen().unwrap());
        stdin.write_all(&coded[..starts[20]]).unwrap();
        let has_come = || file.as_file().metadata().unwrap().len() == 20 * BLOCK_LEN as u64;
        let end = Instant::now() + Duration::from_secs(30);
        while !has_come() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(has_come(), "{threads}: {} bytes", file.as_file().metadata().unwrap().len());
        stdin.write_all(&coded[starts[20]..]).unwrap();
        drop(stdin);
        run.join().unwrap().unwrap();
        assert!(std::fs::read(file.path()).unwrap() == noise);
    }
}

#[test]
fn formats_are_told_apart_behind_a_long_frame() {
    let data = mixed();
    let gzip = compress(&data, &encode!(Encode::builder(Format::Gzip)));
    let coded = [tool("-3", &data), gzip, tool("-1", &data)].concat();
    is_decoded(&coded, &data.repeat(3), "two formats");
}
