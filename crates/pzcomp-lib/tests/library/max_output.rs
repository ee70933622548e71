//! `Decode::max_output`: exactly so many bytes are allowed in every way of decompression, and one more is an error.

use std::io::Read;

use crate::common::{plain, small};
use pzcomp::{
    BackgroundReader, Compress, Decode, Decompress, Decompressor, Encode, Error, Format, Input, Output,
    Reader, Recode, Seekable,
};

fn limited(max_output: u64) -> Decode {
    decode!(Decode::builder(), max_output: max_output, threads: 2)
}

/// The error, and the plain data before it. Nothing if the way delivers no data before an error.
type Way = fn(&[u8], &Decode) -> (Result<(), String>, Option<Vec<u8>>);

fn of_reader(mut reader: impl Read) -> (Result<(), String>, Option<Vec<u8>>) {
    let mut plain = Vec::new();
    let result = reader.read_to_end(&mut plain).map(drop).map_err(|error| error.to_string());
    (result, Some(plain))
}

fn said(error: Error) -> String {
    error.to_string()
}

/// The text of the error.
fn limit(allowed: u64) -> String {
    format!(
        "the plain data is longer than the {allowed} bytes that are allowed; if the source can be trusted, allow more with \
         max_output"
    )
}

const WAYS: [(&str, Way); 8] = [
    ("Decompress from a reader", |coded, options| {
        let mut plain = Vec::new();
        (Decompress::new(options).run(Input::reader(coded), &mut plain).map(drop).map_err(said), Some(plain))
    }),
    ("Decompress from memory", |coded, options| {
        let mut plain = Vec::new();
        let output = Output::Writer(Box::new(&mut plain));
        (Decompress::new(options).run(Input::Memory(coded), output).map(drop).map_err(said), Some(plain))
    }),
    ("Decompress to a file", |coded, options| {
        let mut file = tempfile::tempfile().unwrap();
        let output = Output::from_file(&file).unwrap();
        let result = Decompress::new(options).run(Input::Memory(coded), output).map(drop).map_err(said);
        let mut plain = Vec::new();
        std::io::Seek::rewind(&mut file).unwrap();
        file.read_to_end(&mut plain).unwrap();
        (result, Some(plain))
    }),
    ("Decompress to nothing", |coded, options| {
        (Decompress::new(options).run(Input::Memory(coded), Output::Nothing).map(drop).map_err(said), None)
    }),
    ("decompress", |coded, options| (pzcomp::decompress(coded, options).map(drop).map_err(said), None)),
    ("Decompressor", |coded, options| {
        (Decompressor::new(options).unwrap().decompress(coded).map(drop).map_err(said), None)
    }),
    ("Reader", |coded, options| of_reader(Reader::new(coded, options.clone()).unwrap())),
    ("BackgroundReader", |coded, options| {
        of_reader(BackgroundReader::new(std::io::Cursor::new(coded.to_vec()), options.clone()).unwrap())
    }),
];

#[test]
fn exactly_so_many_bytes_are_allowed_in_every_way_and_format() {
    let data = plain::text(30_000);
    for format in Format::all() {
        let coded = pzcomp::compress(&data, &small(format)).unwrap();
        for (name, way) in WAYS {
            for allowed in [0, 1, 4095, 4096, 4097, 29_999, 30_000, 30_001] {
                let (result, put_out) = way(&coded, &limited(allowed as u64));
                let of = format!("{format:?} by {name}, {allowed} bytes");
                match result {
                    Ok(()) => assert!(allowed >= data.len(), "{of}"),
                    Err(error) => {
                        assert_eq!(error, limit(allowed as u64), "{of}");
                        assert!(allowed < data.len(), "{of}");
                    }
                }
                if let Some(put_out) = put_out {
                    assert!(put_out == data[..allowed.min(data.len())], "{of}: {} came", put_out.len());
                }
            }
        }
    }
}

#[test]
fn a_bomb_ends_at_the_limit() {
    let zeros = vec![0; 64 << 20];
    for format in [Format::Zstd, Format::Gzip, Format::Bzip2, Format::Xz] {
        let coded = pzcomp::compress(&zeros, &encode!(Encode::builder(format))).unwrap();
        for (name, way) in WAYS {
            let (result, put_out) = way(&coded, &limited(1 << 20));
            assert_eq!(result, Err(limit(1 << 20)), "{format:?} by {name}");
            assert!(put_out.is_none_or(|put_out| put_out.len() == 1 << 20), "{format:?} by {name}");
        }
    }
}

#[test]
fn recoding_counts_the_plain_data() {
    let data = plain::text(30_000);
    let coded = pzcomp::compress(&data, &small(Format::Zstd)).unwrap();
    for (allowed, is_right) in [(30_000, true), (29_999, false)] {
        let options = limited(allowed);
        let mut recoded = Vec::new();
        let result = Recode::new(&options, &encode!(Encode::gzip(6), threads: 2))
            .run(Input::reader(&coded[..]), &mut recoded);
        match result {
            Ok(_) => assert!(is_right && pzcomp::decompress(&recoded, &options).unwrap() == data),
            Err(error) => assert!(!is_right && matches!(error, Error::OutputLimit { .. }), "{error}"),
        }
    }
}

#[test]
fn verification_and_reads_of_ranges_are_not_limited() {
    let data = plain::text(30_000);
    let options = encode!(Encode::default(), threads: 2, block_size: 4096);
    let coded = pzcomp::compress(&data, &options).unwrap();
    let mut verified = Vec::new();
    Compress::new(&options).verify(true).run(Input::reader(&data[..]), &mut verified).unwrap();
    assert_eq!(verified, coded);
    let mut seekable = Seekable::with_options(coded, &limited(10)).unwrap();
    let mut read = Vec::new();
    seekable.read_to_end(&mut read).unwrap();
    assert!(read == data);
}
