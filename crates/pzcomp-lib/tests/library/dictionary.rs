//! Dictionaries of zstd, as users of the library have them.
//!
//! There is no peer here: what is compressed with a dictionary comes back with it, and with no other. Dictionaries that
//! `zstd --train` has made are in `tests/scenes/zstd.rs`.

use pzcomp::{Compress, Decode, Decompress, Dictionary, Encode, EncodeBuilder, Error, Input};

/// Text in which no two lines are the same.
fn text(lines: std::ops::Range<u32>) -> Vec<u8> {
    lines.flat_map(|n| format!("{n}: {:x}\n", n.wrapping_mul(2_654_435_761)).into_bytes()).collect()
}

fn options(dictionary: Option<&Dictionary>) -> Encode {
    // Frames of a few KiB, so that there are many of them.
    let usual = Encode::default();
    let usual = encode!(usual, threads: 4, block_size: 16 << 10);
    dictionary.map_or(usual.clone(), |dictionary| encode!(usual, dictionary: dictionary.clone()))
}

fn reading(dictionary: Option<&Dictionary>) -> Decode {
    let usual = decode!(Decode::builder(), threads: 4);
    dictionary.map_or(usual.clone(), |dictionary| decode!(usual, dictionary: dictionary.clone()))
}

fn compressed(plain: &[u8], options: &Encode) -> Vec<u8> {
    let mut coded = Vec::new();
    Compress::new(options).run(Input::reader(plain), &mut coded).unwrap();
    coded
}

fn decompressed(coded: &[u8], options: &Decode) -> Result<Vec<u8>, Error> {
    let mut plain = Vec::new();
    Decompress::new(options).run(Input::reader(coded), &mut plain).map(|_| plain)
}

#[test]
fn all_frames_refer_to_it_and_all_workers_share_it() {
    let (plain, dictionary) = (text(0..1000).repeat(200), Dictionary::new(text(0..1000)).unwrap());
    let (with, reading_with) = (options(Some(&dictionary)), reading(Some(&dictionary)));
    let coded = compressed(&plain, &with);
    assert!(coded.len() * 10 < compressed(&plain, &options(None)).len(), "{}", coded.len());
    assert_eq!(decompressed(&coded, &reading_with).unwrap(), plain);
    assert_eq!(compressed(&plain, &encode!(with, threads: 1)), coded);
    assert!(matches!(decompressed(&coded, &reading(None)), Err(Error::Corrupt { .. })));
}

#[test]
fn frames_that_need_none_decode_with_one() {
    let plain = text(0..5000);
    let with = reading(Some(&Dictionary::new(b"something else".to_vec()).unwrap()));
    assert_eq!(decompressed(&compressed(&plain, &options(None)), &with).unwrap(), plain);
}

#[test]
fn a_frame_that_names_one_wants_that_one() {
    // A header with the id 7, and an empty last block.
    let coded = b"\x28\xb5\x2f\xfd\x21\x07\x00\x01\x00\x00";
    for (given, id) in [(None, None), (Some(Dictionary::new(b"raw".to_vec()).unwrap()), Some(0))] {
        match decompressed(coded, &reading(given.as_ref())) {
            Err(Error::Dictionary { offset: 0, needed: 7, given, .. }) => assert_eq!(given, id),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn it_is_bounded_and_checked() {
    assert!(Dictionary::new(vec![0; Dictionary::MAX_LEN]).is_ok());
    assert!(Dictionary::new(vec![0; Dictionary::MAX_LEN + 1]).is_err());
    let damaged = b"\x37\xa4\x30\xec\x07\x00\x00\x00 no tables follow";
    assert!(matches!(Dictionary::new(damaged.to_vec()), Err(Error::Unavailable { .. })));
}

#[test]
fn it_counts_for_the_memory_limit() {
    let dictionary = Dictionary::new(text(0..100_000)).unwrap();
    let needs = |dictionary: Option<&Dictionary>| {
        encode!(options(dictionary), threads: 1).compression_needs().unwrap().memory
    };
    let (without, with) = (needs(None), needs(Some(&dictionary)));
    assert!(with >= without + 100_000, "{with}, {without}");
    let few = |builder: EncodeBuilder| {
        builder.threads(1).memory(without).build().and_then(|options| options.compression_needs())
    };
    assert!(few(options(None).into()).is_ok());
    assert!(matches!(few(options(Some(&dictionary)).into()), Err(Error::Memory { .. })));
    let needs = |dictionary| decode!(reading(dictionary)).decompression_memory(1);
    assert!(needs(Some(&dictionary)) >= needs(None) + 100_000);
}

#[test]
fn formats_other_than_zstd_refuse_a_dictionary() {
    let dictionary = Dictionary::new(b"raw".to_vec()).unwrap();
    let asked = Encode::gzip(6).dictionary(dictionary).build();
    assert!(matches!(asked, Err(Error::Unavailable { format: "gzip", .. })));
}
