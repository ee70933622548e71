//! The encoder: libdeflate, zlib-rs, gzip and the decoder of this crate decode its output.
//!
//! The data is of several kinds and of many lengths. The tests also check the room that the encoder needs, how much it
//! shortens data, and the code lengths of `huffman`.

#![allow(clippy::unwrap_used)] // A test that cannot continue fails.

mod common;

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Random, text};
use libdeflater::{Decompressor, crc32};
use pzcomp_deflate::encode::{Encoder, End, Search, coded_bound};
use pzcomp_deflate::huffman::code_lengths;
use pzcomp_deflate::inflate::{Inflate, Output, Pause};

/// Rows of a fixed width in pages, as a database keeps them.
fn pages(len: usize) -> Vec<u8> {
    let mut random = Random(len as u64);
    let mut pages = Vec::new();
    while pages.len() < len {
        let page = pages.len();
        for row in 0..300_u32 {
            pages.extend_from_slice(&[0, 0, 16, (row * 7) as u8, 0]);
            pages.extend_from_slice(&((page as u32 >> 5) + row).to_be_bytes());
            pages.extend_from_slice(&[0, 0, 0, 1, 0x3a, 0x5d, 0x82]);
            pages.extend(random.bytes(4));
        }
        pages.resize(page + (16 << 10), 0);
    }
    pages.truncate(len);
    pages
}

/// Short pieces of all kinds, with many matches.
fn mixture(random: &mut Random, len: usize) -> Vec<u8> {
    let mut data: Vec<u8> = Vec::new();
    while data.len() < len {
        let run = [1, 3, 9, 70, 300, 5_000, 70_000][random.below(7)];
        let run = 1 + random.below(run);
        match random.below(6) {
            0 => data.extend(random.bytes(run)),
            1 => data.extend(vec![random.next() as u8; run]),
            2 => data.extend(text(run)),
            3 => data.extend(random.bytes(run).iter().map(|byte| byte & 3)),
            _ if data.is_empty() => {}
            _ => {
                let farthest = [4, 300, 32_768, 40_000][random.below(4)].min(data.len());
                let back = 1 + random.below(farthest);
                let from = data.len() - back;
                (0..run).for_each(|at| data.push(data[from + at]));
            }
        }
    }
    data.truncate(len);
    data
}

fn encode_with(encoder: &mut Encoder, plain: &[u8], end: End) -> Vec<u8> {
    let mut coded = vec![0xa5; coded_bound(plain.len())];
    let len = encoder.encode(plain, &mut coded, end).unwrap();
    coded.truncate(len);
    coded
}

const SEARCHES: [Search; 6] =
    [Search::Quick, Search::Matches, Search::Thorough, Search::Lazy, Search::Runs, Search::Nothing];
/// The searches that find what repeats.
const MATCHES: [Search; 4] = [Search::Quick, Search::Matches, Search::Thorough, Search::Lazy];

fn encode(search: Search, plain: &[u8], end: End) -> Vec<u8> {
    encode_with(&mut Encoder::new(search), plain, end)
}

/// Asserts that libdeflate, zlib-rs and the decoder of this crate all decode exactly this data.
fn assert_decodes(coded: &[u8], plain: &[u8], what: &str) {
    let mut back = vec![0; plain.len()];
    let len = Decompressor::new().deflate_decompress(coded, &mut back);
    assert!(len == Ok(plain.len()) && back == plain, "{what}: libdeflate, {len:?}");
    back.fill(0xa5);
    let progress = Inflate::new().run(coded, &mut Output::new(&mut back, 0)).unwrap();
    assert_eq!((progress.read, progress.pause), (coded.len(), Pause::End), "{what}");
    assert!(back == plain, "{what}: our decoder, other bytes");
    let (mut back, mut decoder) = (Vec::new(), flate2::bufread::DeflateDecoder::new(coded));
    decoder.read_to_end(&mut back).unwrap_or_else(|error| panic!("{what}: zlib-rs: {error}"));
    assert!(back == plain, "{what}: zlib-rs, other bytes");
    assert_eq!(decoder.total_in(), coded.len() as u64, "{what}");
}

/// All searches, both ends. Returns the greatest length of those that find matches.
fn round_trip(plain: &[u8], what: &str) -> usize {
    let mut longest = 0;
    for search in SEARCHES {
        let what = format!("{what}, {search:?}");
        let coded = encode(search, plain, End::Final);
        assert_decodes(&coded, plain, &what);
        let mut joined = encode(search, plain, End::SyncFlush);
        assert!(joined.ends_with(&[0, 0, 0xff, 0xff]), "{what}");
        joined.extend([3, 0]);
        assert_decodes(&joined, plain, &what);
        if MATCHES.contains(&search) {
            longest = longest.max(coded.len());
        }
    }
    longest
}

#[test]
fn round_trips_of_all_kinds() {
    let all: Vec<u8> = (0..=255).collect();
    let mut random = Random(1);
    for (what, plain) in [
        ("nothing", vec![]),
        ("one byte", vec![7]),
        ("all values", all.clone()),
        ("all values, often", all.repeat(300)),
        ("a run", vec![0; 1 << 20]),
        ("text", text(1 << 20)),
        ("pages", pages(1 << 20)),
        ("random", random.bytes(300_000)),
        ("random, then zeros", [random.bytes(100_000), vec![0; 100_000]].concat()),
        ("few values", random.bytes(200_000).iter().map(|byte| byte & 1).collect()),
        ("period of 31", all[..31].repeat(10_000)),
    ] {
        round_trip(&plain, what);
    }
}

#[test]
fn every_small_length() {
    let kinds = [vec![0; 700], text(700), Random(2).bytes(700), pages(16 << 10)[..700].to_vec()];
    for (kind, plain) in kinds.iter().enumerate() {
        for len in 0..plain.len() {
            round_trip(&plain[..len], &format!("kind {kind}, {len} bytes"));
        }
    }
}

#[test]
fn repetitions_shrink() {
    assert!(round_trip(&vec![9; 1 << 20], "a run") < 1_200);
    // Literals that cost little must not keep long matches from being taken.
    let digits: Vec<u8> = Random(3).bytes(6_000).iter().map(|byte| b'A' + (byte & 15)).collect();
    let len = round_trip(&digits.repeat(50), "long matches from afar");
    assert!(len < 12_000, "{len}");
    let len = round_trip(&pages(1 << 20), "pages");
    assert!(len < 300_000, "{len}");
}

#[test]
fn windows_reach_exactly_32_kib() {
    let mut random = Random(4);
    let piece = random.bytes(1_000);
    let coded_len = |dist: usize, random: &mut Random| {
        let plain = [&piece[..], &random.bytes(dist - piece.len()), &piece[..]].concat();
        (plain.len(), round_trip(&plain, &format!("distance {dist}")))
    };
    // Data that is further away costs its full length, and a little for stored blocks.
    for dist in [32_769, 40_000, 65_536, 70_000, 65_536 + 32_768] {
        let (plain, coded) = coded_len(dist, &mut random);
        assert!(coded >= plain, "{dist}: {coded} of {plain}");
    }
    for dist in [32_768, 32_767, 20_000] {
        let (plain, coded) = coded_len(dist, &mut random);
        assert!(coded < plain - 700, "{dist}: {coded} of {plain}");
    }
}

#[test]
fn output_stays_in_bounds() {
    let mut random = Random(5);
    for len in [0, 1, 100, 65_535, 65_536, 200_000, 1 << 20] {
        let plain = random.bytes(len);
        for search in SEARCHES {
            let coded = encode(search, &plain, End::Final);
            assert!(coded.len() <= len + 11 + len / 16_000 * 6, "{search:?} of {len}: {}", coded.len());
            // For any room there is an answer, and nothing is written behind it.
            for room in [0, 1, 5, 10, len / 2, len, len + 5] {
                let mut place = vec![0xa5; room + 100];
                if let Some(len) = Encoder::new(search).encode(&plain, &mut place[..room], End::Final) {
                    assert_decodes(&place[..len], &plain, "little room");
                }
                assert!(place[room..].iter().all(|&byte| byte == 0xa5));
            }
        }
    }
}

#[test]
fn chunks_join() {
    let parts = [text(70_000), vec![], pages(100_000), Random(6).bytes(40_000), vec![5], text(70_000)];
    for search in SEARCHES {
        let mut encoder = Encoder::new(search);
        let mut joined = Vec::new();
        for part in &parts {
            let coded = encode_with(&mut encoder, part, End::SyncFlush);
            // No match refers to the part before, so each part is a stream by itself.
            assert_decodes(&[&coded[..], &[3, 0]].concat(), part, "a part");
            joined.extend(coded);
        }
        joined.extend([3, 0]);
        assert_decodes(&joined, &parts.concat(), "parts joined");
    }
}

#[test]
fn a_more_thorough_search_makes_shorter_output() {
    // The lazy search is for short chunks.
    let cases = [(1 << 20, &MATCHES[..3]), (4 << 10, &[Search::Quick, Search::Lazy])];
    for (len, searches) in cases {
        let plain = text(len);
        let lens: Vec<_> = searches.iter().map(|&search| encode(search, &plain, End::Final).len()).collect();
        assert!(lens.is_sorted_by(|quicker, slower| quicker > slower), "{lens:?}");
    }
}

#[test]
fn output_depends_on_the_chunk_alone() {
    let mut random = Random(7);
    for search in SEARCHES {
        let mut used = Encoder::new(search);
        for _ in 0..20 {
            let len = random.below(200_000);
            let plain = mixture(&mut random, len);
            assert!(encode_with(&mut used, &plain, End::Final) == encode(search, &plain, End::Final));
        }
    }
}

#[test]
fn gzip_reads_it() {
    let plain = [text(300_000), pages(300_000)].concat();
    let mut member = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255];
    member.extend(encode(Search::Quick, &plain, End::Final));
    member.extend(crc32(&plain).to_le_bytes());
    member.extend((plain.len() as u32).to_le_bytes());
    let mut gzip =
        Command::new("gzip").arg("-dc").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = gzip.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(&member).unwrap());
    let output = gzip.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success() && output.stdout == plain);
}

#[test]
fn codes_are_complete_and_within_limits() {
    let mut random = Random(8);
    let mut fibonacci = vec![1_u32, 1];
    while fibonacci.len() < 30 {
        fibonacci.push(fibonacci.iter().rev().take(2).sum());
    }
    let mut cases = vec![vec![0; 30], fibonacci, vec![1; 286], vec![1 << 20], vec![0, 5], vec![3, 0, 0, 9]];
    cases[3].resize(20, 0);
    for _ in 0..2_000 {
        let used = 1 + random.below(286);
        let spread = random.below(20);
        cases.push((0..used).map(|_| (random.next() as u32 & 0xfff) >> random.below(spread)).collect());
    }
    for freqs in cases {
        for limit in [7, 9, 14, 15] {
            if freqs.len() > 1 << limit {
                continue;
            }
            let mut lengths = vec![0; freqs.len().max(2)];
            code_lengths(&freqs, limit, &mut lengths);
            let space: u32 =
                lengths.iter().filter(|&&length| length > 0).map(|&length| 1 << (15 - length)).sum();
            assert_eq!(space, 1 << 15, "{freqs:?}, at most {limit}");
            assert!(lengths.iter().all(|&length| u32::from(length) <= limit));
            for (&freq, &length) in freqs.iter().zip(&lengths) {
                assert!(freq == 0 || length > 0);
                let rarer = freqs.iter().zip(&lengths).filter(|(other, _)| **other > freq);
                assert!(rarer.map(|(_, length)| *length).all(|other| length == 0 || other <= length));
            }
        }
    }
}

/// The weight of an optimal code is the sum of all inner nodes of the tree, however it is found.
#[test]
fn codes_are_optimal_where_the_limit_does_not_bind() {
    let mut random = Random(9);
    for _ in 0..300 {
        let used = 2 + random.below(200);
        let freqs: Vec<u32> = (0..used).map(|_| 1 + random.below(500) as u32).collect();
        let mut lengths = vec![0; used];
        code_lengths(&freqs, 15, &mut lengths);
        let weight: u32 = freqs.iter().zip(&lengths).map(|(&freq, &length)| freq * u32::from(length)).sum();
        let (mut nodes, mut least) = (freqs, 0);
        while nodes.len() > 1 {
            nodes.sort_unstable_by(|a, b| b.cmp(a));
            let pair = nodes.pop().unwrap() + nodes.pop().unwrap();
            least += pair;
            nodes.push(pair);
        }
        assert_eq!(weight, least);
    }
}

/// To run it longer: `FUZZ_SECONDS=600 cargo test --release -p pzcomp-deflate --test encode mixtures`.
#[test]
fn random_mixtures() {
    let seconds: Option<u64> = std::env::var("FUZZ_SECONDS").ok().map(|seconds| seconds.parse().unwrap());
    let until = Instant::now() + Duration::from_secs(seconds.unwrap_or(0));
    let mut random = Random(10);
    let mut encoders = SEARCHES.map(Encoder::new);
    let mut round = 0;
    while round < 60 || Instant::now() < until {
        round += 1;
        let state = random.0;
        let len = [40, 1_000, 50_000, 400_000][random.below(4)];
        let len = random.below(len);
        let plain = mixture(&mut random, len);
        for (encoder, search) in encoders.iter_mut().zip(SEARCHES) {
            let coded = encode_with(encoder, &plain, End::Final);
            assert_decodes(&coded, &plain, &format!("state {state}, {len} bytes, {search:?}"));
        }
    }
}
