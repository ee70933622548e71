//! Outputs that are wrong on purpose: each must be an error, and no reader may accept what was written.

use std::fs::File;
use std::io::{Read, Seek, Write};

use super::*;
use crate::compress::compress_stream;
use crate::format::Format;

fn options(format: Format) -> Encode {
    Encode { format, level: Some(1), threads: 3, block_size: Some(40_000), ..Encode::default() }
}

fn plain(len: usize) -> Vec<u8> {
    (0..len as u32)
        .flat_map(|number| (number / 3).wrapping_mul(2_654_435_761).to_le_bytes())
        .take(len)
        .collect()
}

fn content(mut file: &File) -> Vec<u8> {
    let mut content = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut content).unwrap();
    content
}

/// Verifies a compression that notes nothing of what it reads.
fn mistaken(output: Output, options: &Encode, data: &[u8]) -> Result<()> {
    verified(
        output,
        options,
        |_| Ok(()),
        |output, coding, _| {
            let summary = compress_stream(Input::Memory(data), output, coding, Taps::default())?;
            Ok((summary.plain_len, ()))
        },
    )
}

fn is_refused(coded: &[u8], format: Format) -> bool {
    let mut plain = Vec::new();
    decompress_io(Input::reader(coded), (&mut plain).into(), &decoding(&options(format))).is_err()
}

#[test]
fn what_is_right_passes_for_every_format_and_output() {
    let data = plain(250_000);
    for format in Format::all() {
        let options = options(format);
        let expected = crate::compress(&data, &options).unwrap();
        let mut coded = Vec::new();
        compress_verified(Input::reader(&data[..]), (&mut coded).into(), &options, Taps::default()).unwrap();
        assert!(coded == expected, "{format}");
        let file = tempfile::tempfile().unwrap();
        (&file).write_all(b"kept").unwrap();
        let output = Output::from_file(&file).unwrap();
        compress_verified(Input::Memory(&data), output, &options, Taps::default()).unwrap();
        assert_eq!((&file).stream_position().unwrap(), 4 + expected.len() as u64);
        assert!(content(&file)[4..] == expected, "{format}");
        let mut memory = vec![0; expected.len()];
        compress_verified(Input::Memory(&data), Output::Memory(&mut memory), &options, Taps::default())
            .unwrap();
        assert!(memory == expected, "{format}");
        let mut again = Vec::new();
        crate::Recode::new(&Decode::default(), &options).verify(true).run(&expected, &mut again).unwrap();
        assert!(again == expected, "{format}");
    }
}

#[test]
fn data_that_was_not_read_is_noticed_and_the_output_is_refused() {
    for format in Format::all() {
        for len in [100, 39_999, 250_000] {
            let data = plain(len);
            let mut coded = Vec::new();
            let output = Output::Writer(Box::new(&mut coded));
            let result = mistaken(output, &options(format), &data);
            assert!(matches!(result, Err(Error::NotVerified { .. })), "{format} {len}: {result:?}");
            assert!(is_refused(&coded, format), "{format} {len}");
            let file = tempfile::tempfile().unwrap();
            let output = Output::from_file(&file).unwrap();
            mistaken(output, &options(format), &data).unwrap_err();
            assert!(is_refused(&content(&file), format), "{format} {len}");
        }
    }
}

#[test]
fn a_chunk_that_changed_before_it_was_coded_is_noticed() {
    let mut data = plain(250_000);
    let file = tempfile::tempfile().unwrap();
    let result: Result<()> = verified(
        Output::from_file(&file).unwrap(),
        &options(Format::Zstd),
        |_| Ok(()),
        |output, coding, sums| {
            let mut own = Vec::new();
            compress_noting(
                Input::Memory(&data),
                Output::Writer(Box::new(&mut own)),
                coding,
                Taps::default(),
                Some(sums),
            )?;
            data[200_000] ^= 1;
            let summary = compress_stream(Input::Memory(&data), output, coding, Taps::default())?;
            Ok((summary.plain_len, ()))
        },
    );
    let what = result.unwrap_err().to_string();
    assert!(
        what.contains("its plain bytes from offset 200000 to 240000 are not those that were read"),
        "{what}"
    );
}

/// Verifies a file in which the byte at this offset is wrong.
fn with_a_wrong_byte(at: usize, len: usize, format: Format) -> Result<()> {
    let (data, file) = (plain(len), tempfile::tempfile().unwrap());
    verified(
        Output::from_file(&file).unwrap(),
        &options(format),
        |_| Ok(()),
        |output, coding, sums| {
            let mut coded = Vec::new();
            let own = Output::Writer(Box::new(&mut coded));
            let summary = compress_noting(Input::Memory(&data), own, coding, Taps::default(), Some(sums))?;
            coded[at] ^= 1;
            let Output::Writer(mut output) = output else { panic!("the output is a writer") };
            output.write_all(&coded).unwrap();
            Ok((summary.plain_len, ()))
        },
    )
}

#[test]
fn a_wrong_byte_in_the_file_is_noticed() {
    for format in Format::all() {
        for at in [100, 5_000, 60_000] {
            let result = with_a_wrong_byte(at, 400_000, format);
            assert!(matches!(result, Err(Error::NotVerified { .. })), "{format} {at}: {result:?}");
        }
    }
}

#[test]
fn an_output_that_lacks_data_is_noticed() {
    let data = plain(250_000);
    let mut coded = Vec::new();
    let output = Output::Writer(Box::new(&mut coded));
    let result: Result<()> = verified(
        output,
        &options(Format::Lz4),
        |_| Ok(()),
        |output, coding, sums| {
            let summary = compress_noting(
                Input::Memory(&data[..200_000]),
                output,
                coding,
                Taps::default(),
                Some(sums),
            )?;
            assert_eq!(summary.plain_len, 200_000);
            Ok((data.len() as u64, ()))
        },
    );
    assert!(result.unwrap_err().to_string().contains("decodes to 200000 bytes of 250000"));
    assert!(is_refused(&coded, Format::Lz4));
}

#[test]
fn an_input_that_fails_is_the_error_and_the_output_is_refused() {
    struct Failing(usize);
    impl Read for Failing {
        fn read(&mut self, out: &mut [u8]) -> SystemResult<usize> {
            self.0 = self.0.checked_sub(1).ok_or_else(|| SystemError::other("the tape has torn"))?;
            out.fill(self.0 as u8);
            Ok(out.len())
        }
    }
    for format in Format::all() {
        let mut coded = Vec::new();
        let result = compress_verified(
            Input::reader(Failing(9)),
            (&mut coded).into(),
            &options(format),
            Taps::default(),
        );
        assert!(matches!(result, Err(Error::Read { .. })), "{format}: {result:?}");
        assert!(is_refused(&coded, format), "{format}");
    }
}

#[test]
fn a_panic_of_the_compression_ends_the_verification_too() {
    for is_file in [false, true] {
        let (mut coded, file) = (Vec::new(), tempfile::tempfile().unwrap());
        let output =
            if is_file { Output::from_file(&file).unwrap() } else { Output::Writer(Box::new(&mut coded)) };
        let panicking = || {
            verified(
                output,
                &options(Format::Zstd),
                |_| Ok(()),
                |output, _, _| {
                    let Output::Writer(mut output) = output else { return Ok((0, ())) };
                    output.write_all(&plain(100_000)).unwrap();
                    panic!("on purpose")
                },
            )
        };
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(panicking));
        assert!(outcome.is_err());
    }
}

#[test]
fn memory_is_shared_and_the_error_names_what_is_enough() {
    let options = Encode { memory: Some(70 << 20), ..options(Format::Zstd) };
    let Err(Error::Memory { needed, .. }) =
        compress_verified(b"a".into(), (&mut Vec::new()).into(), &options, Taps::default())
    else {
        panic!("it fits")
    };
    let enough = Encode { memory: Some(needed.0), ..options };
    let (data, mut coded) = (plain(1_000_000), Vec::new());
    compress_verified((&data).into(), (&mut coded).into(), &enough, Taps::default()).unwrap();
}

#[test]
fn a_file_is_read_again_behind_decompression() {
    let data = plain(3_000_000);
    let coded = crate::compress(&data, &options(Format::Zstd)).unwrap();
    let file = tempfile::tempfile().unwrap();
    (&file).write_all(b"kept").unwrap();
    let output = Output::from_file(&file).unwrap();
    decompress_verified(Input::Memory(&coded), output, &Decode::default(), Taps::default()).unwrap();
    assert!(content(&file)[4..] == data);
    let output = Output::from_file(&file).unwrap();
    let cut = decompress_verified(
        Input::Memory(&coded[..coded.len() / 2]),
        output,
        &Decode::default(),
        Taps::default(),
    );
    assert!(matches!(cut, Err(Error::Truncated { .. })), "{cut:?}");
}
