//! Frames of libzstd's encoder, with all that it can be told.

mod common;

use common::{Random, Setting, compare, compress, compress_with, decode, decode_beside, text};
use pzcomp_zstd::{Dictionary, Error, Format, FrameHeader};
use zstd_safe::{CParameter, FrameFormat, Strategy};

fn plain_setting() -> Setting {
    Setting::default()
}

fn check(plain: &[u8], parameters: &[CParameter]) {
    let coded = compress(plain, parameters);
    let what = format!("{} bytes, {parameters:?}", plain.len());
    let ours = compare(&coded, plain.len(), &plain_setting(), &what);
    assert!(ours.as_deref() == Ok(plain), "{what}: {:?}", ours.err());
}

#[test]
fn all_levels_and_many_lengths() {
    let all = text(700_000, 3);
    for level in -5..=22 {
        for len in [0, 1, 2, 7, 100, 4000, 131_071, 131_073, 300_000] {
            // The slow levels take the long data once.
            if level < 13 || len < 5000 || len == 300_000 {
                check(
                    &all[..len],
                    &[CParameter::CompressionLevel(level), CParameter::ChecksumFlag(len % 2 == 0)],
                );
            }
        }
    }
    check(&all, &[CParameter::CompressionLevel(3), CParameter::ChecksumFlag(true)]);
}

#[test]
fn data_of_many_kinds() {
    let mut random = Random(4);
    let noise: Vec<u8> = (0..300_000).map(|_| random.next() as u8).collect();
    let runs: Vec<u8> = (0..2000).flat_map(|_| vec![random.next() as u8; random.skewed(900)]).collect();
    let bits: Vec<u8> = (0..300_000).map(|_| (random.next() & 1) as u8).collect();
    let geometric: Vec<u8> = (0..300_000).map(|_| random.next().trailing_zeros() as u8).collect();
    let half = [&noise[..100_000], &text(200_000, 1)[..], &noise[..100_000]].concat();
    for data in [&noise, &runs, &bits, &geometric, &half, &vec![7; 1_000_000]] {
        for level in [-3, 1, 3, 6, 12, 19] {
            check(data, &[CParameter::CompressionLevel(level)]);
        }
    }
}

#[test]
fn strategies_windows_and_block_sizes() {
    let plain = text(400_000, 5);
    let strategies = [
        Strategy::ZSTD_fast,
        Strategy::ZSTD_dfast,
        Strategy::ZSTD_greedy,
        Strategy::ZSTD_lazy,
        Strategy::ZSTD_lazy2,
        Strategy::ZSTD_btlazy2,
        Strategy::ZSTD_btopt,
        Strategy::ZSTD_btultra,
        Strategy::ZSTD_btultra2,
    ];
    for strategy in strategies {
        for window_log in [10, 14, 17, 20] {
            check(
                &plain,
                &[
                    CParameter::Strategy(strategy),
                    CParameter::WindowLog(window_log),
                    CParameter::ContentSizeFlag(false),
                ],
            );
        }
    }
    for target in [1340, 3000, 20_000] {
        check(&plain, &[CParameter::TargetCBlockSize(target)]);
    }
    for size in [1024, 5000, 100_000] {
        check(&plain, &[CParameter::MaxBlockSize(size)]);
    }
    for min_match in [3, 4, 5, 6, 7] {
        check(&plain, &[CParameter::MinMatch(min_match), CParameter::CompressionLevel(5)]);
    }
    let far = [&plain[..], &text(3_000_000, 6), &plain].concat();
    check(&far, &[CParameter::EnableLongDistanceMatching(true), CParameter::WindowLog(23)]);
    check(&far, &[CParameter::EnableLongDistanceMatching(true), CParameter::WindowLog(20)]);
}

#[test]
fn magicless_frames() {
    let plain = text(50_000, 7);
    let setting = Setting { format: Format::Magicless, ..Setting::default() };
    let coded =
        compress(&plain, &[CParameter::Format(FrameFormat::Magicless), CParameter::ChecksumFlag(true)]);
    assert!(compare(&coded, plain.len(), &setting, &"magicless").as_deref() == Ok(&plain));
    assert_eq!(decode(&coded, plain.len(), &plain_setting()), Err(Some(Error::Magic)));
}

#[test]
fn dictionaries_raw_and_formatted() {
    let samples: Vec<Vec<u8>> = (0..400).map(|seed| text(300 + seed as usize % 700, seed)).collect();
    let lens: Vec<usize> = samples.iter().map(Vec::len).collect();
    let mut formatted = Vec::with_capacity(8000);
    zstd_safe::train_from_buffer(&mut formatted, &samples.concat(), &lens).expect("enough samples");
    let raw = text(30_000, 900);
    assert!(Dictionary::new(&formatted).is_ok_and(|dictionary| dictionary.id().is_some()));
    assert!(Dictionary::new(&raw).is_ok_and(|dictionary| dictionary.id().is_none()));
    for content in [formatted.clone(), raw, b"tiny".to_vec()] {
        let setting = Setting { dictionary: content.clone(), ..Setting::default() };
        for len in [0, 1, 30, 700, 20_000, 400_000] {
            let plain = text(len, 3);
            for level in [-2, 1, 3, 7, 15, 19] {
                for window_log in [0, 10, 15] {
                    let mut parameters =
                        vec![CParameter::CompressionLevel(level), CParameter::ChecksumFlag(true)];
                    if window_log > 0 {
                        parameters.push(CParameter::WindowLog(window_log));
                    }
                    let coded = compress_with(&plain, &parameters, &content);
                    let what =
                        format!("{len} bytes, -{level}, window {window_log}, dictionary {}", content.len());
                    let ours = compare(&coded, plain.len(), &setting, &what);
                    assert!(ours.as_ref() == Ok(&plain), "{what}: {:?}", ours.err());
                }
            }
        }
        // The id is what the caller compares.
        let coded = compress_with(b"some text to compress", &[], &content);
        let header = FrameHeader::parse(&coded, Format::Magic).unwrap().unwrap();
        assert_eq!(header.dictionary_id, Dictionary::new(&content).unwrap().id());
    }
    // A damaged dictionary has libzstd's verdict.
    let mut random = Random(8);
    for _ in 0..2000 {
        let mut damaged = formatted.clone();
        let at = random.below(200);
        damaged[at] ^= 1 << random.below(8);
        let theirs = zstd_safe::DDict::try_create(&damaged).is_some();
        assert_eq!(Dictionary::new(&damaged).is_ok(), theirs, "byte {at}");
    }
    for len in 8..600 {
        let theirs = zstd_safe::DDict::try_create(&formatted[..len]).is_some();
        assert_eq!(Dictionary::new(&formatted[..len]).is_ok(), theirs, "cut at {len}");
    }
}

#[test]
fn two_frames_at_once_of_different_lengths_and_with_errors() {
    let (long, short) = (text(900_000, 9), text(150_000, 10));
    let coded: Vec<Vec<u8>> = [&long, &short, &Vec::new()]
        .map(|plain| compress(plain, &[CParameter::CompressionLevel(3), CParameter::ChecksumFlag(true)]))
        .to_vec();
    let mut broken = coded[1].clone();
    let middle = broken.len() / 2;
    broken.truncate(middle);
    for (a, plain_a) in coded.iter().zip([&long, &short, &Vec::new()]) {
        for (b, plain_b) in coded.iter().zip([&long, &short, &Vec::new()]) {
            let (first, second) = decode_beside(a, plain_a.len(), b, &plain_setting());
            assert!(first.as_ref() == Ok(plain_a) && second.as_ref() == Ok(plain_b));
        }
        let (first, second) = decode_beside(a, plain_a.len(), &broken, &plain_setting());
        assert!(first.as_ref() == Ok(plain_a) && second == Err(Some(Error::Truncated)));
        let (first, second) = decode_beside(&broken, short.len(), a, &plain_setting());
        assert!(second.as_ref() == Ok(plain_a) && first == Err(Some(Error::Truncated)));
    }
}

#[test]
fn output_without_room_for_more() {
    let plain = text(200_000, 11);
    let coded = compress(&plain, &[]);
    for room in [0, 1, 1000, 131_072, plain.len() - 1] {
        assert_eq!(decode(&coded, room, &plain_setting()), Err(Some(Error::OutputTooSmall)));
    }
    assert_eq!(decode(&coded, plain.len() + 1, &plain_setting()), Ok(plain));
}
