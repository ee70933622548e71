//! Frames of many independent blocks, which several workers share: as on one thread, and as the tool has it.
//!
//! The peer is lz4, which writes frames of all block sizes and checksums; frames that it does not write are made by
//! hand. `is_decoded` and `is_refused` compare threads and inputs.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;

use crate::common::outcome::{dribbled, from_memory, is_decoded, is_refused};
use crate::common::plain::{self, Random};
use crate::common::{compress, decoded, decompressing, flipped, is_exhaustive, pipe, places};
use pzcomp::inspect::List;
use pzcomp::{Decode, Encode, Error, Format, Input};
use xxhash_rust::xxh32::xxh32;

/// A frame is cut behind so many coded bytes at the earliest.
const PART_LEN: usize = 256 << 10;

/// Set in the size of a block that is not compressed.
const STORED: u32 = 1 << 31;

/// Data whose blocks differ much in what they come to, of more than one block of 4 MiB.
fn mixed() -> Vec<u8> {
    let parts = [plain::text(2_000_000), plain::random(500_000), vec![0; 2_000_000], plain::text(900_001)];
    parts.concat()
}

/// What the tool makes of a file.
fn tool(options: &str, data: &[u8]) -> Vec<u8> {
    let script = "file=$(mktemp); cat >$file; lz4 -q -c";
    pipe(&format!("{script} {options} $file; status=$?; rm $file; exit $status"), data)
}

/// What a frame is made of by hand.
#[derive(Clone, Copy)]
struct Frame {
    /// 4 to 7: 64 KiB to 4 MiB.
    id: u8,
    block_checksums: bool,
    content_checksum: bool,
    content_len: Option<u64>,
}

const PLAIN: Frame = Frame { id: 4, block_checksums: false, content_checksum: true, content_len: None };

impl Frame {
    /// The frame of these stored blocks, and where each of them and the end mark begins.
    fn of<'a>(self, blocks: impl Iterator<Item = &'a [u8]>) -> (Vec<u8>, Vec<usize>) {
        let flag = |is_set: bool, bit: u8| u8::from(is_set) << bit;
        let flags = 0x60
            | flag(self.block_checksums, 4)
            | flag(self.content_len.is_some(), 3)
            | flag(self.content_checksum, 2);
        let mut descriptor = vec![flags, self.id << 4];
        descriptor.extend(self.content_len.iter().flat_map(|len| len.to_le_bytes()));
        let mut coded = 0x184D_2204_u32.to_le_bytes().to_vec();
        coded.extend(&descriptor);
        coded.push((xxh32(&descriptor, 0) >> 8) as u8);
        let (mut plain, mut starts) = (Vec::new(), Vec::new());
        for block in blocks {
            starts.push(coded.len());
            coded.extend((block.len() as u32 | STORED).to_le_bytes());
            coded.extend(block);
            if self.block_checksums {
                coded.extend(xxh32(block, 0).to_le_bytes());
            }
            plain.extend(block);
        }
        starts.push(coded.len());
        coded.extend([0; 4]);
        if self.content_checksum {
            coded.extend(xxh32(&plain, 0).to_le_bytes());
        }
        (coded, starts)
    }
}

#[track_caller]
fn is_corrupt(coded: &[u8], frame: usize, says: &str) -> Vec<u8> {
    let (back, error) = is_refused(coded, says);
    assert!(matches!(error, Error::Corrupt { offset, .. } if offset == frame as u64), "{says}: {error}");
    assert!(error.to_string().contains(says), "{says}: {error}");
    back
}

#[test]
fn files_of_the_tool_are_decoded_by_any_number_of_workers() {
    let data = mixed();
    let more = ["", "-BX", "-BD", "--no-frame-crc", "--content-size", "-9 -BX --content-size"];
    for size in ["-B4", "-B5", "-B6", "-B7", ""] {
        // The least and the greatest blocks have everything.
        let count = if size == "-B4" || size == "-B7" || is_exhaustive() { more.len() } else { 2 };
        for more in &more[..count] {
            let options = format!("{size} {more}");
            is_decoded(&tool(&options, &data), &data, &options);
        }
    }
    // Blocks that come to so little that a part has many of them, and none that does not become smaller.
    for data in [vec![0; 80 << 20], plain::random(5 << 20)] {
        is_decoded(&pipe("lz4 -q", &data), &data, "all the same");
    }
}

#[test]
fn frames_follow_each_other() {
    let data = mixed();
    let small = plain::text(50_000);
    let skippable = [&0x184D_2A53_u32.to_le_bytes()[..], &[5, 0, 0, 0], b"aside"].concat();
    let [b4, b7, linked] = ["-B4 -BX", "-B7", "-BD"].map(|options| tool(options, &data));
    let little = tool("", &small);
    let ours = compress(&data, &encode!(Encode::builder(Format::Lz4)));
    let legacy = tool("-l", &data);
    let coded =
        [&b4[..], &little, &b7, &skippable, &b4, &linked, &b7, &ours, &little, &little, &skippable, &legacy];
    let [data, small] = [&data[..], &small];
    let plain = [data, small, data, data, data, data, data, small, small, data];
    is_decoded(&coded.concat(), &plain.concat(), "frames of all kinds");
}

#[test]
fn a_frame_in_parts_is_one_frame() {
    let data = mixed();
    for options in ["-B4", "-B4 --content-size"] {
        let coded = tool(options, &data);
        for (threads, repeat) in [(1, 1), (2, 1), (3, 4)] {
            let options = decode!(Decode::builder(), threads);
            let summary = decoded(&coded.repeat(repeat)[..], &options).1.unwrap();
            assert_eq!((summary.frames, summary.plain_len), (repeat as u64, (repeat * data.len()) as u64));
        }
        let listing = List::default().decode(true).run(Input::Memory(&coded)).unwrap();
        assert_eq!(
            (listing.frames, listing.plain_len, listing.check),
            (Some(1), Some(data.len() as u64), "XXH32")
        );
    }
}

#[test]
fn an_index_of_frames_in_parts_is_right() {
    let data = plain::random(20 << 20);
    let coded = compress(&data, &encode!(Encode::builder(Format::Lz4), block_size: 8 << 20));
    for threads in [1, 3] {
        let options = decode!(Decode::builder(), threads);
        let summary = decoded(&coded[..], &options).1.unwrap();
        assert_eq!((summary.frames, summary.remarks.len()), (3, 0), "{:?}", summary.remarks);
    }
}

#[test]
fn what_is_wrong_with_a_block_is_told_where_it_is() {
    let noise = plain::random(24 * (64 << 10));
    let frame = Frame { block_checksums: true, ..PLAIN };
    let (coded, starts) = frame.of(noise.chunks(64 << 10));
    is_decoded(&coded, &noise, "stored blocks");
    let before = compress(b"before", &encode!(Encode::builder(Format::Lz4), index: false));
    for block in [0, 3, 15, 16, 17, 23] {
        let at = starts[block];
        let place = format!("the block at offset {}", before.len() + at);
        let with = |coded: Vec<u8>| [&before[..], &coded, &before].concat();
        // If a whole piece has left, all blocks before it are written.
        let is_long = block >= 16;
        let expected = [&b"before"[..], &noise[..usize::from(is_long) * block * (64 << 10)]].concat();
        let (body, check) = (at + 4, at + 4 + (64 << 10));
        for (byte, says) in
            [(at + 2, "says it has"), (body, "does not have the"), (check, "does not have the")]
        {
            let back =
                is_corrupt(&with(flipped(&coded, byte, 0x10)), before.len(), &format!("{place} {says}"));
            assert!(back == expected, "{place}: {} bytes, not {}", back.len(), expected.len());
        }
    }
    // Compressed and without a checksum of its own: nothing that LZ4 could be.
    let (coded, starts) = PLAIN.of(noise.chunks(64 << 10));
    for block in [1, 16, 20] {
        let mut coded = coded.clone();
        coded[starts[block] + 3] ^= 0x80;
        is_corrupt(&coded, 0, &format!("the block at offset {} does not decode", starts[block]));
    }
}

#[test]
fn what_is_said_of_the_content_is_held_to_all_of_it() {
    let noise = plain::random(24 * (64 << 10) + 1000);
    let len = noise.len() as u64;
    for content_len in [None, Some(len), Some(5 << 20), Some(u64::MAX), Some(3), Some(0)] {
        let frame = Frame { content_len, ..PLAIN };
        let (coded, starts) = frame.of(noise.chunks(64 << 10));
        let before = tool("", &noise);
        let coded = [&before[..], &coded, &before].concat();
        // liblz4 takes a stated length of 0 for an unknown one.
        if let Some(said) = content_len.filter(|&said| said != len && said != 0) {
            // A frame is held if it states at most 4 MiB, and then it gets no more room than a piece of output has.
            let what = match said {
                ..4 => format!("holds more than the {said} bytes that it states"),
                _ => format!("holds {len} bytes, expected {said}"),
            };
            let back = is_corrupt(&coded, before.len(), &what);
            assert!(noise.repeat(2).starts_with(&back));
        } else {
            is_decoded(&coded, &noise.repeat(3), "the truth");
            let (checksum, first, last) = (before.len() + starts[25] + 4, starts[0] + 9, starts[24] + 9);
            for at in [checksum, before.len() + first, before.len() + starts[16] + 4, before.len() + last] {
                is_corrupt(
                    &flipped(&coded, at, 0x10),
                    before.len(),
                    "the frame that begins there has the XXH32",
                );
            }
        }
    }
    // Nothing is verified where nothing is said.
    let (coded, starts) = Frame { content_checksum: false, ..PLAIN }.of(noise.chunks(64 << 10));
    let expected = flipped(&noise, 9 * (64 << 10), 0x10);
    is_decoded(&flipped(&coded, starts[9] + 4, 0x10), &expected, "no checksum");
}

#[test]
fn blocks_need_not_be_full() {
    // As a writer leaves them who flushes: of all lengths, empty ones too.
    let noise = plain::random(3 << 20);
    let mut random = Random(5);
    for id in [4, 5, 7] {
        let (mut rest, mut blocks) = (&noise[..], Vec::new());
        while !rest.is_empty() {
            let len = if random.below(9) == 0 { 0 } else { 1 + random.below(60_000) as usize };
            let (block, behind) = rest.split_at(len.min(rest.len()));
            blocks.push(block);
            rest = behind;
        }
        let frame = Frame { id, content_len: Some(noise.len() as u64), ..PLAIN };
        for frame in
            [frame, Frame { content_len: None, ..frame }, Frame { content_len: Some(5 << 20), ..frame }]
        {
            let (coded, starts) = frame.of(blocks.iter().copied());
            if frame.content_len == Some(5 << 20) {
                is_corrupt(&coded, 0, "expected 5242880");
            } else {
                is_decoded(&coded, &noise, &format!("blocks of any length, {id}"));
            }
            for &start in starts.iter().step_by(29) {
                let mut coded = coded.clone();
                coded[start..start + 4].copy_from_slice(&0x7fff_ffff_u32.to_le_bytes());
                is_corrupt(&coded, 0, &format!("the block at offset {start} says it has 2147483647 bytes"));
            }
        }
    }
}

#[test]
fn a_frame_that_ends_where_it_could_be_cut_ends_there() {
    for blocks in [15, 16, 17, 32] {
        let noise = plain::random(blocks * (64 << 10));
        let (coded, _) = PLAIN.of(noise.chunks(64 << 10));
        is_decoded(&coded.repeat(3), &noise.repeat(3), &format!("{blocks} blocks"));
        // What follows may look like more blocks.
        let (back, error) = is_refused(&[&coded[..], &coded[7..]].concat(), "blocks behind a frame");
        assert!(
            matches!(error, Error::TrailingGarbage { offset, .. } if offset == coded.len() as u64),
            "{error}"
        );
        assert!(back == noise);
    }
}

#[test]
fn a_small_frame_cut_off_anywhere_says_so() {
    let data = plain::text(1_200);
    for options in ["", "-BX --content-size", "-BD", "--no-frame-crc"] {
        let coded = [tool("", b"first"), tool(options, &data)].concat();
        let start = tool("", b"first").len();
        for end in places(coded.len()).filter(|&end| end >= start + 4) {
            let (back, error) = is_refused(&coded[..end], &format!("{options} cut at {end}"));
            let Error::Truncated { frame, offset, .. } = error else {
                panic!("{options} cut at {end}: {error}")
            };
            assert_eq!((frame, offset), (start as u64, end as u64), "{options}");
            assert!([b"first", &data[..]].concat().starts_with(&back));
        }
    }
}

#[test]
fn a_frame_in_parts_cut_off_anywhere_near_its_blocks_says_so() {
    let noise = plain::random(36 * (16 << 10));
    for frame in [PLAIN, Frame { block_checksums: true, ..PLAIN }] {
        let (coded, starts) = frame.of(noise.chunks(16 << 10));
        assert!(coded.len() > 2 * PART_LEN);
        let before = tool("", b"first");
        let coded = [&before[..], &coded].concat();
        let near = starts
            .iter()
            .flat_map(|&at| [-4_isize, -1, 0, 1, 3, 4, 5, 9000].map(|by| at.wrapping_add_signed(by)));
        for end in
            near.map(|at| before.len() + at).filter(|end| (before.len() + 4..coded.len()).contains(end))
        {
            let (back, error) = is_refused(&coded[..end], &format!("cut at {end}"));
            let Error::Truncated { frame, offset, .. } = error else { panic!("cut at {end}: {error}") };
            assert_eq!((frame, offset), (before.len() as u64, end as u64));
            assert!([b"first", &noise[..]].concat().starts_with(&back), "cut at {end}: wrong bytes");
        }
    }
}

#[test]
fn damage_anywhere_is_found_on_any_number_of_threads() {
    let data = mixed();
    let mut random = Random(17);
    for options in ["-B4", "-B5 -BX", "-B6 --content-size", "-B7"] {
        let coded = tool(options, &data);
        for _ in 0..8 {
            let at = 15 + random.below(coded.len() as u64 - 15) as usize;
            let damaged = flipped(&coded, at, 1 << random.below(8));
            let (_, error) = is_refused(&damaged, &format!("{options}, a bit at {at}"));
            let offset = match error {
                Error::Corrupt { offset, .. } | Error::Truncated { frame: offset, .. } => offset,
                // An end that comes early may leave what is no frame.
                Error::TrailingGarbage { .. } => 0,
                other => panic!("{options}, a bit at {at}: {other}"),
            };
            assert_eq!(offset, 0, "{options}, a bit at {at}");
        }
    }
}

#[test]
fn what_looks_like_a_frame_inside_a_block_is_none() {
    let inner = tool("-B4", &plain::random(1 << 20));
    let data = [&inner[..], &inner, &plain::text(100_000), &inner].concat();
    for id in [4, 7] {
        let (coded, _) = Frame { id, ..PLAIN }.of(data.chunks(1 << (8 + 2 * id)));
        is_decoded(&coded, &data, "frames in a frame");
        let (alone, result) = from_memory(&coded[7..], 1);
        let (several, other) = dribbled(&coded[7..], 3, 70_000);
        assert_eq!(result.unwrap_err().to_string(), other.unwrap_err().to_string());
        assert!(alone == several);
    }
}

#[test]
fn a_block_is_out_while_the_next_has_not_come() {
    let noise = plain::random(12 << 20);
    for (id, len) in [(4, 1 << 20), (7, 4 << 20)] {
        let (coded, starts) = Frame { id, ..PLAIN }.of(noise.chunks(1 << (8 + 2 * id)));
        // Alone, a worker waits for as much as it would decode at once.
        for threads in [1, 2, 8].into_iter().skip(usize::from(id == 4)) {
            let (mut stdout, output) = std::io::pipe().unwrap();
            let (mut stdin, run) = decompressing(threads, File::from(OwnedFd::from(output)));
            let mut at = 0;
            let (mut back, per_part) = (vec![0; len], len >> (8 + 2 * id));
            // The size of the next block comes along.
            for (part, &start) in starts[per_part..].iter().step_by(per_part).enumerate() {
                stdin.write_all(&coded[at..start + 4]).unwrap();
                at = start + 4;
                stdout.read_exact(&mut back).unwrap();
                assert!(back == noise[part * len..(part + 1) * len], "{threads}");
            }
            stdin.write_all(&coded[at..]).unwrap();
            drop(stdin);
            assert_eq!(stdout.read_to_end(&mut Vec::new()).unwrap(), 0);
            run.join().unwrap().unwrap();
        }
    }
}
