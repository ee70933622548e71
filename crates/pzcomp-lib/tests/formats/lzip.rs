//! lzip members that are cut, lie, or only look like members, and those of the tools.
//!
//! The peers are lzip and plzip. Coded bytes that must look like a member are chosen with `literals`. What every format
//! must do is in `tests/library/contract.rs`.

mod literals;

use std::io::{Seek, Write};

use crate::common::{Dribble, compress, decoded, flipped, pipe, plain, small};
use pzcomp::inspect::List;
use pzcomp::{
    Compress, Damage, Decode, Decompress, Encode, Error, Format, Input, Output, Size, Trailing, Unknown,
};

const HEADER_LEN: usize = 6;

/// What came of a stream: the output, and the trailing bytes or the error.
type Outcome = (Vec<u8>, Result<Trailing, String>);

fn outcome_of(input: Input, options: &Decode) -> Outcome {
    let mut back = Vec::new();
    let output = Output::Writer(Box::new(&mut back));
    let result = Decompress::new(options).run(input, output);
    (back, result.map(|summary| summary.trailing).map_err(|error| error.to_string()))
}

/// What comes of a stream on any number of threads, from anywhere.
fn outcome_with(coded: &[u8], options: &Decode) -> Outcome {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(coded).unwrap();
    let mut all = Vec::new();
    for threads in [1, 2, 8] {
        let options = decode!(options.clone(), threads);
        for step in [usize::MAX, 70_000, 1777] {
            all.push(outcome_of(Input::Reader(Box::new(Dribble::new(coded, step))), &options));
        }
        file.rewind().unwrap();
        all.push(outcome_of(Input::from_file(&file).unwrap(), &options));
        all.push(outcome_of(Input::Memory(coded), &options));
    }
    let first = all.swap_remove(0);
    for other in all {
        assert_eq!(other.1, first.1);
        assert!(other.0 == first.0, "{} bytes and {}", other.0.len(), first.0.len());
    }
    first
}

fn outcome(coded: &[u8]) -> Outcome {
    outcome_with(coded, &Decode::default())
}

fn fault(coded: &[u8]) -> Error {
    decoded(coded, &Decode::default()).1.unwrap_err()
}

/// A member of its own for each part.
fn members(parts: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let options = encode!(small(Format::Lzip), block_size: 1 << 20);
    parts.iter().map(|part| compress(part, &options)).collect()
}

fn mixed() -> Vec<Vec<u8>> {
    vec![plain::text(100_000), plain::random(50_000), vec![0; 300_000], plain::text(20_000)]
}

#[test]
fn levels_have_the_members_of_plzip() {
    for (level, chunk_len) in [(0, 1 << 20), (1, 2 << 20), (2, 3 << 20)] {
        let options = encode!(Encode::builder(Format::Lzip), level: level, threads: 2);
        for len in [0, 1, chunk_len - 1, chunk_len, chunk_len + 1] {
            let data = [plain::text(len / 2), vec![b'x'; len - len / 2]].concat();
            let mut coded = Vec::new();
            let summary = Compress::new(&options).run(Input::reader(&data[..]), &mut coded).unwrap();
            assert_eq!(summary.frames, len.div_ceil(chunk_len).max(1) as u64, "-{level} of {len}");
            let (back, result) = outcome_of(Input::Memory(&coded), &Decode::default());
            assert!(back == data && result.is_ok(), "-{level} of {len}: {result:?}");
        }
    }
}

#[test]
fn the_tools_read_ours_and_we_theirs_from_pipes_and_files() {
    let data = mixed().concat();
    for level in [0, 1, 6, 9] {
        let ours = compress(&data, &encode!(small(Format::Lzip), level: level));
        for command in ["lzip -dc", "plzip -n2 -dc", "lzip -t && echo", "plzip -n1 -dc"] {
            let back = pipe(command, &ours);
            assert!(back == data || command.ends_with("echo"), "{command} of -{level}");
        }
    }
    for command in [
        "lzip -0",
        "lzip -6",
        "lzip -9",
        "plzip -n2 -0",
        "plzip -n2 -6 -B 64KiB",
        "plzip -n2 -1 -B 100k -s 1MiB",
    ] {
        let theirs = pipe(&format!("{command} -c"), &data);
        assert_eq!(outcome(&theirs), (data.clone(), Ok(Trailing::default())), "{command}");
    }
}

#[test]
fn what_a_member_says_and_is_not_is_an_error_where_it_begins() {
    let parts = mixed();
    let members = members(&parts);
    for at in 0..members.len() {
        // From the end: the member's length, that of the data, and the CRC-32.
        for (field, len, damage) in [(8, 8, Damage::Length), (16, 8, Damage::Length), (20, 4, Damage::Check)]
        {
            for byte in [0, 1, len - 1] {
                let mut lying = members.clone();
                let place = lying[at].len() - field + byte;
                lying[at][place] ^= 0x15;
                let (coded, start) = (lying.concat(), members[..at].concat().len() as u64);
                let (back, result) = outcome(&coded);
                assert!(back == parts[..at].concat(), "{field}: {} bytes", back.len());
                assert!(result.unwrap_err().contains("expected"));
                let error = fault(&coded);
                assert!(
                    matches!(error, Error::Corrupt { offset, damage: found, .. } if offset == start && found == damage),
                    "{field}: {error}"
                );
            }
        }
    }
}

#[test]
fn a_cut_is_an_error_wherever_it_is() {
    let (parts, members) = (mixed(), members(&mixed()));
    let coded = members.concat();
    let ends: Vec<usize> = (0..=members.len()).map(|at| members[..at].concat().len()).collect();
    for (at, end) in ends.iter().enumerate().skip(1) {
        for len in (end - 60..end + 60).filter(|len| *len < coded.len() && !ends.contains(len)) {
            let whole = ends.iter().filter(|end| **end <= len).count() - 1;
            let (back, error) = decoded(&coded[..len], &Decode::default());
            let error = error.unwrap_err();
            assert!(back == parts[..whole].concat(), "cut at {len}, about {at}");
            let (offset, frame) = (len as u64, ends[whole] as u64);
            assert!(
                matches!(error, Error::Truncated { offset: o, frame: f, .. } if (o, f) == (offset, frame)),
                "cut at {len}: {error}"
            );
        }
    }
}

/// Whoever looks for headers finds one behind its distance there, and a whole member.
#[test]
fn members_planted_in_garbage_are_none() {
    let (parts, members) = (mixed(), members(&mixed()));
    for gap in [8, 20, 4000, 700_000] {
        let mut coded = [&members[0][..], &vec![7; gap - 8]].concat();
        coded.extend((coded.len() as u64 + 8).to_le_bytes());
        coded.extend(members[1..].concat());
        let garbage = members[0].len() as u64;
        let (back, result) = outcome(&coded);
        assert!(back == parts[0], "{gap}: {} bytes", back.len());
        assert!(result.unwrap_err().starts_with(&format!("trailing garbage at offset {garbage}")));
        let ignoring = decode!(Decode::builder(), unknown: Unknown::Ignore);
        let (back, result) = outcome_with(&coded, &ignoring);
        assert!(back == parts[0], "{gap}: {} bytes", back.len());
        assert_eq!(result.unwrap().garbage, Some(garbage));
    }
}

#[test]
fn members_in_members_are_data() {
    let inner = members(&mixed()).concat();
    let headers = b"LZIP\x01\x0cLZIP\x01\x17".repeat(5000);
    let data = [&inner[..], &headers, &inner, &plain::random(100_000), &inner].concat();
    let coded = compress(&data, &encode!(small(Format::Lzip), block_size: 200_000));
    assert_eq!(outcome(&coded), (data.clone(), Ok(Trailing::default())));
    let coded = pipe("lzip -1 -c", &data);
    assert_eq!(outcome(&coded), (data, Ok(Trailing::default())));
}

/// What is damaged so is told of the member that is damaged.
#[test]
fn headers_planted_in_a_member_end_nothing() {
    let (parts, members) = (mixed(), members(&mixed()));
    let mut coded = members.concat();
    let at = members[0].len() + 20_000;
    coded[at - 8..at].copy_from_slice(&20_000_u64.to_le_bytes());
    coded[at..at + HEADER_LEN].copy_from_slice(b"LZIP\x01\x10");
    let (back, result) = outcome(&coded);
    assert!(back == parts[0], "{} bytes", back.len());
    let said = result.unwrap_err();
    assert!(said.starts_with(&format!("corrupt lzip data at offset {}:", members[0].len())), "{said}");
}

/// Data whose member holds, behind `len` literals of noise, what the walker takes for the start of another
/// member; with its LZMA.
fn planted(len: usize, seed: usize) -> Option<(Vec<u8>, Vec<u8>)> {
    let noise = plain::random(len + seed);
    let encode = |data: &[u8], ends: bool| {
        let (mut model, mut encoder) = (literals::Model::new(), literals::Encoder::new());
        data.iter().for_each(|&byte| encoder.literal(&mut model, byte));
        if ends {
            encoder.end_marker(&mut model);
        }
        encoder.finish()
    };
    let mut wanted = encode(&noise, false);
    let distance = (HEADER_LEN + wanted.len() + 8) as u64;
    let plant = [&distance.to_le_bytes()[..], b"LZIP\x01\x10"].concat();
    wanted.extend(&plant);
    wanted.extend(plain::random(30 + seed));
    // What these bytes decode to, if it is literals only.
    let (mut model, mut decoder) = (literals::Model::new(), literals::Decoder::new(&wanted));
    let mut data = Vec::new();
    while decoder.left() > 10 {
        data.push(decoder.literal(&mut model)?);
    }
    assert!(data.starts_with(&noise));
    let coded = encode(&data, true);
    let at = distance as usize - 8 - HEADER_LEN;
    (coded[at..at + plant.len()] == plant).then_some((data, coded))
}

/// Whole and right members in whose LZMA the rule finds the start of another.
#[test]
fn headers_planted_in_lzma_end_nothing() {
    let (parts, others) = (mixed(), members(&mixed()));
    for len in [3000, 300_000] {
        let (data, lzma) = (0..1000).find_map(|seed| planted(len, seed)).unwrap();
        let member_len = (HEADER_LEN + lzma.len() + 20) as u64;
        let mut member = [&b"LZIP\x01\x17"[..], &lzma, &crc32fast::hash(&data).to_le_bytes()].concat();
        member.extend((data.len() as u64).to_le_bytes());
        member.extend(member_len.to_le_bytes());
        assert!(pipe("lzip -dc", &member) == data);
        let coded = [&others[0][..], &member, &others[1], &member, &member, &others[2]].concat();
        let expected = [&parts[0][..], &data, &parts[1], &data, &data, &parts[2]].concat();
        let (back, result) = outcome(&coded);
        assert!(back == expected, "{} bytes of {}", back.len(), expected.len());
        assert_eq!(result, Ok(Trailing::default()));
    }
}

#[test]
fn empty_members_are_nothing() {
    let (parts, members) = (mixed(), members(&mixed()));
    let empty = compress(b"", &small(Format::Lzip));
    assert_eq!(empty.len(), 36);
    for count in [1, 3, 200] {
        let many = empty.repeat(count);
        let coded = [&many[..], &members[0], &many, &members[1], &many].concat();
        assert_eq!(outcome(&coded), (parts[..2].concat(), Ok(Trailing::default())));
    }
    assert_eq!(outcome(&empty.repeat(1000)), (Vec::new(), Ok(Trailing::default())));
}

#[test]
fn other_versions_and_dictionaries_are_refused() {
    let member = &members(&mixed())[0];
    let with = |at: usize, byte| {
        let mut coded = member.clone();
        coded[at] = byte;
        [&member[..], &coded].concat()
    };
    let start = member.len() as u64;
    for version in [2, 255] {
        let error = fault(&with(4, version));
        assert!(matches!(error, Error::Unsupported { offset, .. } if offset == start), "{error}");
        assert!(error.to_string().contains(&format!("version {version}")), "{error}");
    }
    for byte in [0, 11, 30, 31, 0xff] {
        let error = fault(&with(5, byte));
        assert!(matches!(error, Error::Corrupt { offset, .. } if offset == start), "{error}");
    }
}

#[test]
fn a_dictionary_beyond_the_limit_is_refused_with_the_figure_that_is_needed() {
    // Too long for it to be cut to the data before that is seen.
    let data = [plain::text(5 << 20), plain::random(1 << 20)].concat();
    let mut coded = compress(&data, &encode!(small(Format::Lzip), block_size: 16 << 20, level: 0));
    coded[5] = 29;
    let error = fault(&coded);
    let Error::Memory { needed, .. } = error else { panic!("{error}") };
    assert!(needed >= Size(512 << 20), "{needed}");
    let options = decode!(Decode::builder(), memory: needed.0, threads: 1);
    let (back, result) = outcome_of(Input::Memory(&coded), &options);
    assert!(back == data, "{result:?}");
}

#[test]
fn what_was_a_header_behind_a_member_is_no_garbage() {
    let (parts, members) = (mixed(), members(&mixed()));
    let ignoring = decode!(Decode::builder(), unknown: Unknown::Ignore);
    let behind = |tail: &[u8]| {
        let (back, result) = outcome_with(&[&members[0][..], tail].concat(), &ignoring);
        assert!(back == parts[0], "{tail:?}: {} bytes", back.len());
        result
    };
    let start = members[0].len();
    for tail in [&b"LZIxx\0\0"[..], b"LZxP\x01\x0c and so on", b"\0ZIP\0\0\0", b"LxxPxxx", b"xxIP garbage"] {
        let said = behind(tail).unwrap_err();
        assert!(said.starts_with(&format!("corrupt lzip data at offset {start}: the header")), "{said}");
    }
    for tail in [&b"L"[..], b"LZ", b"LZI", b"LZIP", b"LZIP\x01"] {
        let said = behind(tail).unwrap_err();
        assert!(said.starts_with("unexpected end of lzip data"), "{tail:?}: {said}");
    }
    for tail in [&b"x"[..], b"xZ", b"Lxxx", b"LZIx", b"\0ZIPxx", b"garbage", b"LxyzIP"] {
        assert_eq!(behind(tail).unwrap().garbage, Some(start as u64), "{tail:?}");
    }
    assert_eq!(behind(&[0; 1000]).unwrap().zeros, 1000);
    // A damaged header in the middle.
    let mut damaged = members.concat();
    damaged[start + 1] = b'z';
    let said = outcome_with(&damaged, &ignoring).1.unwrap_err();
    assert!(said.contains(&format!("at offset {start}")), "{said}");
}

/// The same member as one of version 0, which lacks the length of the member.
fn version_0(member: &[u8]) -> Vec<u8> {
    let mut old = member[..member.len() - 8].to_vec();
    old[4] = 0;
    old
}

#[test]
fn members_of_version_0_are_read_among_others() {
    let (parts, members) = (mixed(), members(&mixed()));
    let old: Vec<Vec<u8>> = members.iter().map(|member| version_0(member)).collect();
    let all = parts.concat();
    assert_eq!(outcome(&old.concat()), (all.clone(), Ok(Trailing::default())));
    let both = [&members[0][..], &old[1], &old[2], &members[3]].concat();
    assert_eq!(outcome(&both), (all.clone(), Ok(Trailing::default())));
    for (member, part) in old.iter().zip(&parts) {
        assert_eq!(outcome(member), (part.clone(), Ok(Trailing::default())));
        for cut in [0, 4, 5, 6, 20, member.len() - 12, member.len() - 1] {
            assert!(outcome(&member[..cut]).1.is_err(), "{cut} bytes");
        }
        // The CRC-32 and the length of the data are verified.
        for at in member.len() - 12..member.len() {
            let damaged = flipped(member, at, 1);
            assert!(outcome(&damaged).1.unwrap_err().contains("expected"), "byte {at}");
        }
    }
    assert_eq!(
        List::default().decode(true).run(Input::Memory(&old.concat())).unwrap().plain_len,
        Some(all.len() as u64)
    );
}

#[test]
fn members_of_version_0_can_be_refused() {
    let members = members(&mixed());
    let options = decode!(Decode::builder(), lzip_only_version_1: true);
    let said = outcome_with(&version_0(&members[0]), &options).1.unwrap_err();
    assert!(said.contains("version 0, expected 1"), "{said}");
}

#[test]
fn trailing_data_can_be_taken_loosely() {
    let (parts, members) = (mixed(), members(&mixed()));
    let options = decode!(Decode::builder(), unknown: Unknown::Ignore, lzip_loose_trailing: true);
    for (tail, is_ignored) in
        [(&b"LZxP\x01\x0c and so on"[..], true), (b"LZI", false), (b"LZIP\x02\x0c", false)]
    {
        let (back, result) = outcome_with(&[&members[0][..], tail].concat(), &options);
        assert!(back == parts[0] && result.is_ok() == is_ignored, "{tail:?}: {result:?}");
    }
}
