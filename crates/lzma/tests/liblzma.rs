//! Everything that the encoder writes is decoded by liblzma and compared.
//!
//! To add a case, add a text to `texts`.
#![allow(clippy::unwrap_used)] // A test that cannot go on fails.

#[path = "../../deflate/tests/common/random.rs"]
mod random;

mod common;

use common::{assert_slices, decode, len_by_liblzma, options, round_trip};
use liblzma_sys as sys;
use pzcomp_lzma::{Encoder, Error, Params, Search, Sorter, lzma2_bound};

fn noise(len: usize, mask: u8) -> Vec<u8> {
    let mut seed = 1_u64;
    let next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 56) as u8 & mask
    };
    std::iter::repeat_with(next).take(len).collect()
}

/// Lines of numbers and words, which repeat at all distances.
fn lines(len: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for (index, byte) in noise(len, 0xFF).into_iter().enumerate() {
        let word = ["tree", "branch", "leaf", "root"][usize::from(byte & 3)];
        text.extend_from_slice(format!("{}\t{word}\t{}\n", index * 7, byte % 16).as_bytes());
        if text.len() >= len {
            break;
        }
    }
    text.truncate(len);
    text
}

fn fibonacci(len: usize) -> Vec<u8> {
    let (mut one, mut two) = (b"a".to_vec(), b"ab".to_vec());
    while two.len() < len {
        let next = [&two[..], &one].concat();
        one = std::mem::replace(&mut two, next);
    }
    two
}

fn texts() -> Vec<(&'static str, Vec<u8>)> {
    let half = vec![b'a'; 70_000];
    let period = noise(9001, 0xFF);
    vec![
        ("nothing", vec![]),
        ("one byte", b"x".to_vec()),
        ("two bytes", b"xx".to_vec()),
        ("three bytes", b"xyx".to_vec()),
        ("zeros", vec![0; 2200 << 10]),
        ("noise", noise(300_000, 0xFF)),
        ("noise of two letters", noise(100_000, 1)),
        ("noise, then lines, then noise", [noise(70_000, 0xFF), lines(90_000), noise(70_000, 0xFF)].concat()),
        ("lines", lines(200_000)),
        // Small dictionaries have windows of 64 KiB.
        ("lines in windows", lines(300_000)),
        ("lines between zeros", [vec![0; 5000], lines(5000), vec![0; 5000]].concat()),
        ("Fibonacci word", fibonacci(100_000)),
        ("a run on both sides of a letter", [&half[..], b"b", &half].concat()),
        ("long period", period.iter().copied().cycle().take(150_000).collect()),
        ("noise twice", [noise(70_000, 0xFF), noise(70_000, 0xFF)].concat()),
        (
            "noise twice in windows",
            [noise(50_000, 0xFF), lines(60_000), noise(50_000, 0xFF), lines(9000)].concat(),
        ),
        // Some windows are little but long repeats, and refer to what lies before them.
        (
            "windows of repeats",
            [noise(40_000, 0xFF).repeat(6), lines(100_000), vec![7; 140_000], noise(90_000, 3)].concat(),
        ),
    ]
}

const SEARCHES: [Search; 4] = [Search::First, Search::Few, Search::Cheap, Search::All];

fn thorough(dict_len: usize, nice_len: usize) -> Params {
    Params { dict_len, nice_len, search: Search::All }
}

fn params() -> Vec<Params> {
    vec![
        Params::preset(4, false),
        Params::preset(6, false),
        Params::preset(9, true),
        thorough(4096, 5),
        thorough(65536, 36),
        thorough(127 << 10, 64),
        Params::preset(0, false),
        Params::preset(1, false),
        Params::preset(2, false),
        Params::preset(3, false),
        Params { search: Search::First, ..thorough(4096, 2) },
        Params { search: Search::Few, ..thorough(4096, 273) },
        Params { search: Search::Cheap, ..thorough(65536, 36) },
        Params { search: Search::Cheap, ..thorough(4096, 5) },
    ]
}

#[test]
fn lzma2_comes_back() {
    for params in params() {
        let mut encoder = Encoder::new(params);
        for (name, plain) in texts() {
            let mut coded = vec![0xEE; lzma2_bound(plain.len())];
            let len = encoder.encode_lzma2(&plain, &mut coded).unwrap();
            let back = decode(&coded[..len], sys::LZMA_FILTER_LZMA2, &params, plain.len());
            assert!(back == plain, "{name}, {params:?}");
            assert_slices(&params, &plain, &coded[..len]);
        }
    }
}

#[test]
fn lzma1_comes_back() {
    for params in params() {
        let mut encoder = Encoder::new(params);
        for (name, plain) in texts() {
            let mut coded = vec![0xEE; plain.len() + plain.len() / 8 + 64];
            let len = encoder.encode_lzma1(&plain, &mut coded).unwrap();
            let back = decode(&coded[..len], sys::LZMA_FILTER_LZMA1, &params, plain.len());
            assert!(back == plain, "{name}, {params:?}");
        }
    }
}

#[test]
fn an_encoder_that_has_served_writes_what_a_new_one_writes() {
    for level in [0, 1, 2, 3, 6] {
        let params = Params::preset(level, false);
        let mut old = Encoder::new(params);
        for (name, plain) in texts() {
            let mut coded = [vec![0; lzma2_bound(plain.len())], vec![0; lzma2_bound(plain.len())]];
            let lens = [
                old.encode_lzma2(&plain, &mut coded[0]).unwrap(),
                Encoder::new(params).encode_lzma2(&plain, &mut coded[1]).unwrap(),
            ];
            assert!(coded[0][..lens[0]] == coded[1][..lens[1]], "{name}, -{level}");
        }
    }
}

/// The lengths are those of liblzma 5.8 with the same preset.
#[test]
fn lines_are_coded_as_short_as_by_liblzma() {
    for level in [0, 1, 2, 3, 4, 6] {
        assert_as_short(level);
    }
}

#[test]
fn no_level_is_longer_than_the_one_before_it() {
    let plain = lines(600_000);
    let mut out = vec![0; lzma2_bound(plain.len())];
    let mut len = |level| Encoder::new(Params::preset(level, false)).encode_lzma2(&plain, &mut out).unwrap();
    let lens: Vec<_> = (0..=6).map(&mut len).collect();
    // The searches of -0 and -1 differ by less than this on such lines.
    assert!(lens.is_sorted_by(|before, len| len - len / 200 <= *before), "{lens:?}");
}

fn assert_as_short(level: u8) {
    let plain = lines(600_000);
    let params = Params::preset(level, false);
    let mut options = options(u32::from(level), params.dict_len);
    let mut out = vec![0; lzma2_bound(plain.len())];
    let theirs = len_by_liblzma(&plain, &mut options, &mut out);
    let ours = Encoder::new(params).encode_lzma2(&plain, &mut out).unwrap();
    // The fast searches look at few places with the same hash, and these lines have many.
    let most = theirs + if level < 2 { theirs / 40 } else { 0 };
    assert!(ours <= most, "-{level}: {ours} bytes, and liblzma writes {theirs}");
}

#[test]
fn too_little_room_is_an_error() {
    let plain = lines(100_000);
    let mut encoder = Encoder::new(Params::preset(6, false));
    let mut out = vec![0; lzma2_bound(plain.len())];
    let two = encoder.encode_lzma2(&plain, &mut out).unwrap();
    assert_eq!(encoder.encode_lzma2(&plain, &mut out[..two]), Ok(two));
    let one = encoder.encode_lzma1(&plain, &mut out).unwrap();
    assert_eq!(encoder.encode_lzma1(&plain, &mut out[..one]), Ok(one));
    for room in [0, 1, 5, 6, 1000, two.min(one) - 1] {
        assert_eq!(encoder.encode_lzma2(&plain, &mut out[..room]), Err(Error::NoRoom));
        assert_eq!(encoder.encode_lzma1(&plain, &mut out[..room]), Err(Error::NoRoom));
    }
}

/// Texts of stretches that repeat earlier ones, or do not, with changes between them.
#[test]
fn random_texts_come_back() {
    let mut random = random::Random(33);
    let mut below = |most: usize| (random.next() % most as u64) as usize;
    for _ in 0..30 {
        let search = SEARCHES[below(SEARCHES.len())];
        let params = Params { dict_len: 4096 + below(80_000), nice_len: 2 + below(272), search };
        let mut encoder = Encoder::new(params);
        for _ in 0..2 {
            let (mut plain, stretches, letters) = (Vec::new(), below(60), 1 + below(256));
            for _ in 0..stretches {
                let len = [below(10), below(300), below(9000)][below(3)];
                if below(2) == 0 || plain.is_empty() {
                    plain.extend((0..len).map(|_| below(letters) as u8));
                } else {
                    let from = below(plain.len());
                    (from..from + len).for_each(|at| plain.push(plain[at]));
                }
            }
            round_trip(&mut encoder, &params, &plain);
        }
    }
}

/// What repeats is nearly free, however far back it lies, up to the dictionary.
/// Of lengths above 40, the tree of a great `nice_len` knows only some.
#[test]
fn matches_of_any_length_are_taken_whole() {
    let old = noise(40_000, 255);
    let mut plain = old.clone();
    for len in (41..120).chain(41..120) {
        let from = plain.len() * 7 % (old.len() - len);
        plain.extend_from_slice(&old[from..from + len]);
        plain.push(!old[from + len]);
    }
    let [short, long] = [64, 273].map(|nice_len| {
        let mut encoder = Encoder::new(thorough(1 << 20, nice_len));
        encoder.encode_lzma2(&plain, &mut vec![0; lzma2_bound(plain.len())]).unwrap()
    });
    // It was 101 more when matches were cut to a known length.
    assert!(long < short + 50, "{long}, {short}");
}

#[test]
fn long_matches_are_found_before_the_window() {
    let far = [noise(30_000, 0xFF), lines(40_000), noise(30_000, 0xFF)].concat();
    let len = |dict_len| {
        Encoder::new(thorough(dict_len, 64)).encode_lzma2(&far, &mut vec![0; lzma2_bound(far.len())]).unwrap()
    };
    let (near, all) = (len(64 << 10), len(120 << 10));
    assert!(all + 29_000 < near, "{all} bytes with all before, {near} without");
}

/// Windows of 4 MiB, of which some are little but repeats.
#[test]
fn windows_of_long_dictionaries_are_joined() {
    // Most of the time goes into the words. They cross the end of the first window and begin the last one.
    let (words, most) = (lines(2 << 20), lines(200_000));
    let (noise, threes) = (noise(300_000, 0xFF), |count: usize| vec![3; count << 20]);
    let plain = [&threes(3)[..], &words, &threes(8), &most, &noise, &words[..1 << 20]].concat();
    for params in [Params::preset(9, false), thorough(17 << 20, 273)] {
        assert!(params.slices(&plain).are_joined());
        let mut encoder = Encoder::new(params);
        let mut coded = vec![0; lzma2_bound(plain.len())];
        let len = encoder.encode_lzma2(&plain, &mut coded).unwrap();
        assert!(decode(&coded[..len], sys::LZMA_FILTER_LZMA2, &params, plain.len()) == plain);
        assert_slices(&params, &plain, &coded[..len]);
        let len = encoder.encode_lzma1(&plain, &mut coded).unwrap();
        assert!(decode(&coded[..len], sys::LZMA_FILTER_LZMA1, &params, plain.len()) == plain);
    }
}

/// Windows of 8 MiB, of which each finds long matches with the dictionary before it.
#[test]
fn windows_of_texts_without_far_strings_are_not_joined() {
    let words = lines(3 << 20);
    let plain = [&words[..], &vec![3; 60 << 20], &noise(9000, 0xFF), &words].concat();
    let params = Params::preset(9, false);
    assert!(!params.slices(&plain).are_joined());
    let mut encoder = Encoder::new(params);
    let mut coded = vec![0; lzma2_bound(plain.len())];
    let len = encoder.encode_lzma2(&plain, &mut coded).unwrap();
    assert!(decode(&coded[..len], sys::LZMA_FILTER_LZMA2, &params, plain.len()) == plain);
    assert_slices(&params, &plain, &coded[..len]);
    let words_len = encoder.encode_lzma2(&words, &mut coded).unwrap();
    assert!(len < words_len + words_len / 10, "{len} bytes, {words_len} for all that is new");
}

#[test]
fn slices_out_of_order_are_errors() {
    let (params, plain) = (Params::preset(9, false), vec![0; 9 << 20]);
    let (mut encoder, mut sorter) = (Encoder::new(params), Sorter::new());
    let slices = params.slices(&plain);
    encoder.sort_slice(&plain, &slices, 1).unwrap();
    assert_eq!(encoder.join_slice(&plain, &mut sorter), Err(Error::Order));
    for index in [0, 1] {
        encoder.sort_slice(&plain, &slices, index).unwrap();
        encoder.join_slice(&plain, &mut sorter).unwrap();
    }
    assert_eq!(encoder.encode_slice(&plain[..1 << 20], &mut [0; 100]), Err(Error::Order));
}
