//! `pzcomp::compress` and `pzcomp::decompress`: the same bytes and errors as the streams give, short or long.
use pzcomp::{Decode, Encode, Error, Format, Progress};

use crate::common::{compress, plain, small};

#[test]
fn buffers_of_all_lengths_are_those_of_streams() {
    for format in Format::all() {
        for options in [encode!(Encode::builder(format)), small(format)] {
            for len in [0, 1, 20, 256, 4096, 70_000, 300_000] {
                let data = plain::text(len);
                let coded = pzcomp::compress(&data, &options).unwrap();
                assert!(coded == compress(&data, &options), "{format} {len}");
                assert!(pzcomp::decompress(&coded, &Decode::default()).unwrap() == data, "{format} {len}");
                let noise = plain::random(len);
                let coded = pzcomp::compress(&noise, &options).unwrap();
                assert!(coded == compress(&noise, &options), "{format} {len} of noise");
                assert!(pzcomp::decompress(&coded, &Decode::default()).unwrap() == noise, "{format} {len}");
            }
        }
    }
}

#[test]
fn each_cut_and_each_wrong_bit_of_a_short_buffer_is_an_error_or_harmless() {
    for format in Format::all() {
        let data = plain::text(200);
        let options = encode!(Encode::builder(format), index: false);
        let coded = pzcomp::compress(&data, &options).unwrap();
        for len in 0..coded.len() {
            // The ten bytes that begin a stream of Snappy are a stream without data.
            if format == Format::Snappy && len == 10 {
                continue;
            }
            assert!(pzcomp::decompress(&coded[..len], &Decode::default()).is_err(), "{format} cut at {len}");
        }
        for bit in 0..8 * coded.len() {
            let mut damaged = coded.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            if let Ok(plain) = pzcomp::decompress(&damaged, &Decode::default()) {
                assert!(plain == data, "{format} bit {bit}");
            }
        }
    }
}

#[test]
fn buffers_of_many_frames_and_formats_are_read() {
    let (mut coded, mut data) = (Vec::new(), Vec::new());
    for round in 0..20 {
        for format in Format::all() {
            let part = plain::text(10 + round);
            coded.extend(pzcomp::compress(&part, &encode!(Encode::builder(format))).unwrap());
            data.extend(part);
            assert!(pzcomp::decompress(&coded, &Decode::default()).unwrap() == data, "{round} {format}");
        }
    }
}

#[test]
fn a_buffer_is_cancelled_and_counted() {
    let progress = Progress::default();
    let options = encode!(Encode::default(), progress: progress.clone());
    let coded = pzcomp::compress(b"data", &options).unwrap();
    assert_eq!((progress.bytes_in(), progress.bytes_out()), (4, coded.len() as u64));
    progress.cancel();
    assert!(matches!(pzcomp::compress(b"data", &options), Err(Error::Cancelled)));
    let options = decode!(Decode::builder(), progress: progress.clone());
    assert!(matches!(pzcomp::decompress(&coded, &options), Err(Error::Cancelled)));
}
