//! `recode`: from each format to each other one, with the output of `compress`; damage; offsets of files.

use std::io::{Read, Seek, Write};

use crate::common::{Dribble, compress, decoded, decompress, flipped, plain, small};
use pzcomp::{Decode, Decompress, Encode, Error, Format, Input, Output, Progress, Recode, Recoded, Taps};

fn recode(coded: &[u8], options: &Encode) -> (Vec<u8>, Result<Recoded, Error>) {
    let mut out = Vec::new();
    let result = Recode::new(&Decode::default(), options).run(Input::reader(coded), &mut out);
    (out, result)
}

#[test]
fn every_format_becomes_every_other_as_compress_writes_it() {
    let data = plain::text(400_000);
    for from in Format::all() {
        let coded = compress(&data, &small(from));
        for to in Format::all() {
            for threads in [1, 3] {
                let options = encode!(small(to), threads);
                let (out, result) = recode(&coded, &options);
                let Recoded { read, written, .. } = result.unwrap();
                assert!(out == compress(&data, &options), "{from} to {to}");
                assert_eq!((read.format, written.format), (Some(from), Some(to)));
                assert_eq!((read.coded_len, read.plain_len), (coded.len() as u64, data.len() as u64));
                assert_eq!((written.coded_len, written.plain_len), (out.len() as u64, data.len() as u64));
            }
        }
    }
}

#[test]
fn the_pace_of_the_input_changes_nothing() {
    let data = plain::text(300_000);
    let coded = [compress(&data, &small(Format::Lz4)), compress(&data, &small(Format::Xz))].concat();
    let expected = compress(&data.repeat(2), &small(Format::Zstd));
    let mut out = Vec::new();
    Recode::new(&Decode::default(), &small(Format::Zstd))
        .run(Input::reader(Dribble::new(&coded, 777)), &mut out)
        .unwrap();
    assert!(out == expected);
    let mut out = vec![0; expected.len()];
    Recode::new(&Decode::default(), &small(Format::Zstd))
        .taps(Taps::default())
        .run(Input::Memory(&coded), Output::Memory(&mut out))
        .unwrap();
    assert!(out == expected);
    let mut short = vec![0; expected.len() - 1];
    let result = Recode::new(&Decode::default(), &small(Format::Zstd))
        .taps(Taps::default())
        .run(Input::Memory(&coded), Output::Memory(&mut short));
    assert!(matches!(result, Err(Error::Write { .. })), "{result:?}");
}

#[test]
fn data_of_no_bytes_becomes_an_output_of_no_bytes() {
    for to in Format::all() {
        let (out, result) = recode(&compress(b"", &small(Format::Gzip)), &small(to));
        result.unwrap();
        assert_eq!(decompress(&out).unwrap(), b"", "{to}");
    }
}

#[test]
fn damage_is_the_error_of_decompress_and_the_output_is_refused() {
    let data = plain::random(200_000);
    for from in Format::all() {
        let coded = compress(&data, &small(from));
        let changed = flipped(&coded, coded.len() / 2, 0x10);
        for wrong in [&changed[..], &coded[..coded.len() / 2], &coded[..coded.len() - 1], b"", b"none"] {
            let mut kept = Vec::new();
            let Err(expected) = Decompress::new(&Decode::default()).run(Input::reader(wrong), &mut kept)
            else {
                // The index at the end is not needed.
                continue;
            };
            for to in Format::all() {
                let (out, result) = recode(wrong, &small(to));
                assert_eq!(result.unwrap_err().to_string(), expected.to_string(), "{from} to {to}");
                let (plain, again) = decoded(&out[..], &Decode::default());
                assert!(again.is_err(), "{from} to {to}: the reader accepts {} bytes", out.len());
                assert!(data.starts_with(&plain), "{from} to {to}");
            }
        }
    }
}

#[test]
fn all_data_before_the_damage_is_written() {
    let data = plain::random(1_000_000);
    let coded = compress(&data, &small(Format::Lz4));
    let (mut expected, mut found) = (Vec::new(), Vec::new());
    Decompress::new(&Decode::default()).run(Input::reader(&coded[..600_000]), &mut expected).unwrap_err();
    let (out, _) = recode(&coded[..600_000], &small(Format::Zstd));
    Decompress::new(&Decode::default()).run(Input::reader(&out[..]), &mut found).unwrap_err();
    assert!(!expected.is_empty() && found == expected, "{} of {} bytes", found.len(), expected.len());
}

#[test]
fn files_are_read_and_written_from_their_offsets() {
    let data = plain::text(300_000);
    let coded = compress(&data, &small(Format::Gzip));
    let (mut from, mut to) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
    from.write_all(b"before").unwrap();
    from.write_all(&coded).unwrap();
    from.seek(std::io::SeekFrom::Start(6)).unwrap();
    to.write_all(b"kept").unwrap();
    let (input, output) = (Input::from_file(&from).unwrap(), Output::from_file(&to).unwrap());
    let summary =
        Recode::new(&Decode::default(), &small(Format::Xz)).taps(Taps::default()).run(input, output).unwrap();
    assert_eq!(from.stream_position().unwrap(), 6 + coded.len() as u64);
    assert_eq!(to.stream_position().unwrap(), 4 + summary.written.coded_len);
    to.rewind().unwrap();
    let mut found = Vec::new();
    to.read_to_end(&mut found).unwrap();
    assert_eq!(&found[..4], b"kept");
    assert!(decompress(&found[4..]).unwrap() == data);
    // Offsets in errors are those of decompression.
    from.set_len(from.metadata().unwrap().len() - 200).unwrap();
    from.seek(std::io::SeekFrom::Start(6)).unwrap();
    let input = Input::from_file(&from).unwrap();
    let expected = Decompress::new(&Decode::default()).run(input, Output::Nothing).err();
    from.seek(std::io::SeekFrom::Start(6)).unwrap();
    let input = Input::from_file(&from).unwrap();
    let found = Recode::new(&Decode::default(), &small(Format::Xz))
        .taps(Taps::default())
        .run(input, Output::Nothing)
        .err();
    assert_eq!(found.map(|error| error.to_string()), expected.map(|error| error.to_string()));
}

#[test]
fn both_directions_share_the_memory() {
    let coded = compress(&plain::text(3_000_000), &small(Format::Lz4));
    let enough = encode!(small(Format::Zstd), memory: 160 << 20);
    recode(&coded, &enough).1.unwrap();
    let little = encode!(small(Format::Zstd), memory: 80 << 20);
    let Err(Error::Memory { needed, limit, .. }) = recode(&coded, &little).1 else { panic!("it fits") };
    assert_eq!(limit.0, 80 << 20);
    // What the error asks for is enough.
    recode(&coded, &encode!(little, memory: needed.0)).1.unwrap();
}

#[test]
fn progress_counts_coded_bytes_and_cancels() {
    let progress = Progress::default();
    let coded = compress(&plain::text(300_000), &small(Format::Lz4));
    let options = encode!(small(Format::Zstd), progress: progress.clone());
    let (out, result) = recode(&coded, &options);
    result.unwrap();
    assert_eq!(progress.bytes_in(), coded.len() as u64);
    assert!(progress.bytes_out() > 0 && progress.bytes_out() <= out.len() as u64);
    progress.cancel();
    assert!(matches!(recode(&coded, &options).1, Err(Error::Cancelled)));
}
