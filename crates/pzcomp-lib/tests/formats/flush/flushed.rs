//! Members that were flushed, so that parts of them stand alone or nearly so.
//!
//! flate2 flushes where the test says; pigz does so by itself. `is_decoded` demands the data on any number of threads,
//! `is_refused` the same error.

use super::*;
use pzcomp::inspect::List;
use pzcomp::{Decode, Input};

#[test]
fn members_of_ours_of_any_level_and_chunk() {
    let data = mixed();
    for (level, block_size) in [(1, 1 << 20), (1, 64 << 10), (6, 300_000), (9, 1 << 20), (6, 16 << 20)] {
        let coded = compress(&data, &options(level, block_size));
        is_decoded(&coded, &data, &format!("-{level} in chunks of {block_size}"));
    }
}

#[test]
fn members_of_all_makers_one_after_another() {
    let data = mixed();
    let ours = compress(&data, &options(1, 1 << 20));
    let with_sizes = compress(&data, &encode!(options(1, 300_000), layout: Layout::Frames));
    for command in ["gzip -1", "pigz -1 -p2", "pigz -1 -p2 -i", "pigz -0 -p2", "pigz -2 -p2 -R", "bgzip -l1"]
    {
        let theirs = pipe(&format!("{command} -c"), &data);
        is_decoded(&theirs, &data, command);
        let all = [&theirs[..], &ours, &theirs, &with_sizes].concat();
        is_decoded(&all, &data.repeat(4), &format!("{command}, ours, and so on"));
    }
}

#[test]
fn streams_flushed_by_zlib() {
    let data = mixed();
    for part_len in [100, 7000, 400_000] {
        for (name, flush) in [
            ("partial", FlushCompress::Partial),
            ("sync", FlushCompress::Sync),
            ("full", FlushCompress::Full),
        ] {
            // Many a flush takes its time.
            let data = &data[..data.len().min(part_len * 8000)];
            let coded = member(&flushed(data.chunks(part_len), 1, flush), data);
            is_decoded(&coded, data, &format!("{name} flushes each {part_len} bytes"));
        }
    }
}

#[test]
fn parts_that_refer_to_what_is_before_them_only_late() {
    // What is tried of each part is noise; the text behind it repeats that of the part before.
    let mut random = Random(7);
    let text = plain::text(60_000);
    let noise = |random: &mut Random, len| (0..len).map(|_| random.next() as u8).collect::<Vec<u8>>();
    for noise_len in [2500, 20_000, 31_000] {
        let text = &text[..60_000 - noise_len];
        let part = |random: &mut Random| [&noise(random, noise_len)[..], text].concat();
        let parts: Vec<Vec<u8>> = (0..100).map(|_| part(&mut random)).collect();
        let data = parts.concat();
        let body = flushed(parts.iter().map(|part| &part[..]), 6, FlushCompress::Sync);
        assert!(body.len() > 3 * PART_LEN, "{}", body.len());
        is_decoded(&member(&body, &data), &data, &format!("noise of {noise_len}"));
    }
}

#[test]
fn a_window_is_handed_on_through_parts_that_hold_nothing() {
    let text = plain::text(20_000);
    let mut encoder = Compress::new(Compression::new(6), false);
    let mut body = Vec::with_capacity(4 << 20);
    let mut data = Vec::new();
    for round in 0..6 {
        let noise = plain::random(2000 + round);
        for part in [&noise[..], &text] {
            encoder.compress_vec(part, &mut body, FlushCompress::Sync).unwrap();
            data.extend(part);
        }
        body.extend(EMPTY_STORED.repeat((1 + round) * PART_LEN / 5));
    }
    encoder.compress_vec(&[], &mut body, FlushCompress::Finish).unwrap();
    is_decoded(&member(&body, &data), &data, "empty blocks");
}

#[test]
fn what_is_stored_in_a_member_may_look_like_parts_of_one() {
    // Behind each marker of the inner member come blocks that can be decoded.
    let inner = compress(&mixed(), &options(1, 300_000));
    let stored = pipe("pigz -0 -c -p1", &inner);
    is_decoded(&stored, &inner, "a member in a member");
    let twice = compress(&stored, &options(1, 700_000));
    is_decoded(&twice, &stored, "a member in a member in parts");
}

#[test]
fn a_header_may_look_like_the_middle_of_a_member() {
    let data = plain::text(900_000);
    let second = compress(&data, &options(1, 1 << 20));
    // All that fits an extra field: markers with blocks behind them that can be decoded.
    let mut extra = Vec::new();
    while extra.len() < 0xff00 {
        extra.extend(EMPTY_STORED);
        extra.extend([0, 3, 0, 0xfc, 0xff, b'a', b'b', b'c']);
    }
    let mut header = HEADER.to_vec();
    header[3] = 4 | 8;
    header.extend((extra.len() as u16).to_le_bytes());
    header.extend(&extra);
    header.extend([b'n'; 300_000]);
    header.push(0);
    let second = [&header[..], &second[HEADER.len()..]].concat();
    for before in [PART_LEN - 30_000, PART_LEN - 100, 1000] {
        let noise = plain::random(before);
        let first = pipe("gzip -1 -n", &noise);
        let (all, both) = ([&first[..], &second, &second].concat(), [&noise[..], &data, &data].concat());
        is_decoded(&all, &both, &format!("{before} bytes before"));
    }
}

#[test]
fn what_is_behind_another_format_is_not_inside_a_member() {
    // Where a frame ends with a marker, blocks and a trailer follow that would end the member before it.
    let first = compress(b"first", &options(6, 1 << 20));
    let mut frame = 0xFD2F_B528_u32.to_le_bytes().to_vec();
    let blocks = [plain::random(100_000), plain::random(100_000), plain::random(100_000)];
    // One segment, its length in four bytes; raw blocks.
    frame.push(0b1010_0000);
    frame.extend(300_004_u32.to_le_bytes());
    for block in &blocks {
        frame.extend(&(100_000_u32 << 3).to_le_bytes()[..3]);
        frame.extend(block);
    }
    frame.extend(&(4_u32 << 3 | 1).to_le_bytes()[..3]);
    frame.extend([0, 0, 0xff, 0xff]);
    let crc = crc32fast::hash(b"firstabc").to_le_bytes();
    let rest = [&[1, 3, 0, 0xfc, 0xff, b'a', b'b', b'c'], &crc[..], &[8, 0, 0, 0]].concat();
    let (back, error) = is_refused(&[&first[..], &frame, &rest].concat(), "blocks behind a frame");
    let garbage = (first.len() + frame.len()) as u64;
    assert!(matches!(error, Error::TrailingGarbage { offset, .. } if offset == garbage), "{error}");
    assert_eq!(back.len(), 300_009);
}

#[test]
fn a_trailer_may_look_like_a_marker() {
    // The member ends with a chunk, so that a true marker is right before the last block; the trailer is
    // made to be another, which is wrong.
    let data = plain::random(3 << 20);
    let coded = compress(&data, &options(1, 1 << 20));
    assert_eq!(coded[coded.len() - 14..coded.len() - 8], [0, 0, 0xff, 0xff, 3, 0]);
    is_decoded(&coded, &data, "a whole number of chunks");
    let mut lying = coded.clone();
    let crc = lying.len() - 8;
    lying[crc..crc + 4].copy_from_slice(&[0, 0, 0xff, 0xff]);
    let all = [&coded[..], &lying, &coded].concat();
    let (back, error) = is_refused(&all, "a marker for a checksum");
    assert!(matches!(error, Error::Corrupt { offset, .. } if offset == coded.len() as u64), "{error}");
    assert!(back.len() >= data.len() && data.repeat(2).starts_with(&back));
    let mut lying = coded.clone();
    lying[crc + 4..].copy_from_slice(&[0, 0, 0xff, 0xff]);
    let (_, error) = is_refused(&[&coded[..], &lying, &coded].concat(), "a marker for a length");
    assert!(error.to_string().contains("expected 4294901760"), "{error}");
}

#[test]
fn the_length_of_a_member_is_that_of_all_its_parts() {
    let data = mixed();
    let coded = compress(&data, &options(1, 300_000));
    for (field, what) in [(8, "CRC-32"), (4, "bytes long")] {
        let mut lying = coded.clone();
        let at = lying.len() - field;
        lying[at] ^= 1;
        let (_, error) = is_refused(&[&coded[..], &lying].concat(), what);
        assert!(matches!(error, Error::Corrupt { offset, .. } if offset == coded.len() as u64), "{error}");
        assert!(error.to_string().contains(what), "{error}");
    }
}

/// Where the parts of a member may begin.
fn markers(coded: &[u8]) -> Vec<usize> {
    let found = coded.windows(4).enumerate().filter(|(_, bytes)| *bytes == [0, 0, 0xff, 0xff]);
    found.map(|(at, _)| at + 4).collect()
}

#[test]
fn a_member_cut_off_anywhere_near_its_parts_says_so() {
    let first = compress(b"first", &options(6, 1 << 20));
    let data = mixed();
    let coded = compress(&data, &options(1, 200_000));
    let all = [&first[..], &coded].concat();
    let expected = [&b"first"[..], &data].concat();
    let places: Vec<usize> = markers(&all);
    assert!(places.len() > 10);
    let near = places.iter().step_by(3).flat_map(|&at| [at - 5, at - 4, at - 1, at, at + 1, at + 30]);
    for end in near.chain(all.len() - 12..all.len()) {
        let (back, error) = is_refused(&all[..end], &format!("cut at {end}"));
        let Error::Truncated { frame, offset, .. } = error else { panic!("cut at {end}: {error}") };
        assert_eq!((frame, offset), (first.len() as u64, end as u64));
        assert!(expected.starts_with(&back), "cut at {end}: wrong bytes");
    }
}

#[test]
fn damage_in_any_part_is_found_on_any_number_of_threads() {
    let data = mixed();
    let coded = compress(&data, &options(1, 150_000));
    let mut random = Random(11);
    // Some bits of the zeros mean nothing, such as the length of a code that does not occur. None of them is among
    // these.
    let near =
        markers(&coded).into_iter().skip(1).step_by(4).flat_map(|at| [at - 4, at - 3, at - 1, at, at + 2]);
    let anywhere: Vec<usize> = (0..25).map(|_| 10 + random.below(coded.len() as u64 - 10) as usize).collect();
    for at in near.chain(anywhere) {
        let damaged = flipped(&coded, at, 1 << random.below(8));
        let (_, error) = is_refused(&damaged, &format!("a bit at {at}"));
        match error {
            Error::Corrupt { offset, .. } => assert_eq!(offset, 0, "a bit at {at}"),
            Error::Truncated { frame, .. } => assert_eq!(frame, 0, "a bit at {at}"),
            // An end that comes early may leave what is no member.
            Error::TrailingGarbage { .. } => {}
            other => panic!("a bit at {at}: {other}"),
        }
    }
}

#[test]
fn a_member_in_parts_is_one_frame() {
    let data = mixed();
    let coded = compress(&data, &options(1, 300_000));
    for repeat in [1, 3] {
        let summary = decoded(&coded.repeat(repeat)[..], &decode!(Decode::builder(), threads: 3)).1.unwrap();
        assert_eq!((summary.frames, summary.plain_len), (repeat as u64, (repeat * data.len()) as u64));
    }
    let listing = List::default().decode(true).run(Input::Memory(&coded)).unwrap();
    assert_eq!(
        (listing.frames, listing.plain_len, listing.check),
        (Some(1), Some(data.len() as u64), "CRC32")
    );
}
