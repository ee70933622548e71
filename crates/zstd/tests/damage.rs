//! Every truncation and every single wrong bit of some frames, and many random changes: libzstd's verdict, libzstd's
//! bytes.

mod common;

use common::{Random, Setting, compare, compress, compress_with, text};
use pzcomp_zstd::Error;
use zstd_safe::CParameter;

/// Small frames that have a little of everything, and their dictionary.
fn samples() -> Vec<(Vec<u8>, Setting)> {
    let plain = Setting::default();
    let with_dictionary = Setting { dictionary: text(2000, 1), ..Setting::default() };
    let text = text(3000, 2);
    let checked = [CParameter::ChecksumFlag(true), CParameter::CompressionLevel(1)];
    let split =
        [CParameter::MaxBlockSize(1024), CParameter::WindowLog(10), CParameter::ContentSizeFlag(false)];
    vec![
        (compress(b"", &[]), plain.clone()),
        (compress(b"x", &[]), plain.clone()),
        (compress(&vec![9; 5000], &[]), plain.clone()),
        (compress(&text[..600], &checked), plain.clone()),
        (compress(&text[..900], &[CParameter::CompressionLevel(19)]), plain.clone()),
        (compress(&text[..2500], &split), plain.clone()),
        (compress_with(&text[..800], &[], &with_dictionary.dictionary), with_dictionary),
    ]
}

#[test]
fn every_truncation() {
    for (number, (coded, setting)) in samples().into_iter().enumerate() {
        for len in 0..coded.len() {
            let ours = compare(&coded[..len], 10_000, &setting, &format!("frame {number} cut at {len}"));
            assert!(ours.is_err());
        }
        assert!(compare(&coded, 10_000, &setting, &format!("frame {number}")).is_ok());
    }
}

#[test]
fn every_wrong_bit() {
    for (number, (coded, setting)) in samples().into_iter().enumerate() {
        for bit in 0..8 * coded.len() {
            let mut wrong = coded.clone();
            wrong[bit / 8] ^= 1 << (bit % 8);
            let _ = compare(&wrong, 300_000, &setting, &format!("frame {number}, bit {bit}"));
        }
    }
}

#[test]
fn thousands_of_random_changes() {
    let mut random = Random(12);
    let setting = Setting::default();
    let frames: Vec<Vec<u8>> = [-1, 1, 3, 9, 19]
        .map(|level| compress(&text(40_000, level as u64), &[CParameter::CompressionLevel(level)]))
        .to_vec();
    for round in 0..4000 {
        let mut coded = frames[random.below(frames.len())].clone();
        for _ in 0..=random.below(4) {
            // Headers are short and deserve more.
            let end = if random.below(2) == 0 { 200 } else { coded.len() };
            let at = random.below(end);
            coded[at] =
                if random.below(2) == 0 { random.next() as u8 } else { coded[at] ^ 1 << random.below(8) };
        }
        let _ = compare(&coded, 200_000, &setting, &format!("round {round}"));
    }
}

#[test]
fn noise_behind_a_header() {
    let mut random = Random(13);
    for round in 0..20_000 {
        let mut coded = common::encoder::header(random.below(60) as u8, None, false);
        let content: Vec<u8> = (0..2 + random.skewed(300)).map(|_| random.next() as u8).collect();
        let content = [&[random.below(256) as u8 & 0xEF | 2], &content[1..]].concat();
        coded.extend(common::encoder::block(2, content.len(), &content, true));
        let _ = compare(&coded, 300_000, &Setting::default(), &format!("round {round}"));
    }
}

#[test]
fn a_wrong_content_size_is_an_error() {
    let mut coded = compress(&text(300, 1), &[]);
    // The field of two bytes is behind magic number and descriptor.
    coded[5] ^= 1;
    let verdict = compare(&coded, 1000, &Setting::default(), &"wrong size");
    assert!(matches!(verdict, Err(Some(Error::ContentSize { .. } | Error::BlockTooLarge))), "{verdict:?}");
}
