//! Taps see all bytes of both sides, in order, from every kind of input and to every kind of output.

use std::io::{Read, Seek, Write};

use pzcomp::{Compress, Decode, Decompress, Encode, Error, Format, Input, Output, ReadAt, Summary, Taps};

/// Bytes that compress somewhat.
fn plain() -> Vec<u8> {
    (0..400_000_u32).flat_map(|n| (n.wrapping_mul(n) >> 7).to_le_bytes()).collect()
}

type Run = fn(Input, Output, &Encode, Taps) -> Result<Summary, Error>;

/// What the taps saw.
fn tapped(
    run: Run,
    input: Input,
    output: Output,
    options: &Encode,
) -> (Vec<u8>, Vec<u8>, Result<Summary, Error>) {
    let (mut read, mut written) = (Vec::new(), Vec::new());
    let taps = Taps {
        input: Some(Box::new(|bytes| read.extend_from_slice(bytes))),
        output: Some(Box::new(|bytes| written.extend_from_slice(bytes))),
    };
    let result = run(input, output, options, taps);
    (read, written, result)
}

fn compress(input: Input, output: Output, options: &Encode, taps: Taps) -> Result<Summary, Error> {
    Compress::new(options).taps(taps).run(input, output)
}

fn decompress(input: Input, output: Output, _: &Encode, taps: Taps) -> Result<Summary, Error> {
    Decompress::new(&decode!(Decode::builder(), threads: 3)).taps(taps).run(input, output)
}

#[test]
fn taps_see_everything_in_order_from_all_inputs_to_all_outputs() {
    let plain = plain();
    for format in Format::all() {
        let options = Encode::builder(format).level(1).threads(3).block_size(50_000).build().unwrap();
        let coded = pzcomp::compress(&plain, &options).unwrap();
        for (run, input, output) in [(compress as Run, &plain, &coded), (decompress as Run, &coded, &plain)] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(input).unwrap();
            for kind in 0..4 {
                file.rewind().unwrap();
                let from = match kind {
                    0 => Input::from_file(&file).unwrap(),
                    1 => Input::Memory(input),
                    2 => Input::Reader(Box::new(&input[..])),
                    _ => Input::At { source: &file as &dyn ReadAt, start: 0, end: input.len() as u64 },
                };
                let mut made = tempfile::tempfile().unwrap();
                let to = Output::from_file(&made).unwrap();
                let (read, written, result) = tapped(run, from, to, &options);
                result.unwrap();
                assert!(read == *input, "{format} {kind}: {} bytes", read.len());
                assert!(written == *output, "{format} {kind}: {} bytes", written.len());
                let mut content = Vec::new();
                made.rewind().unwrap();
                made.read_to_end(&mut content).unwrap();
                assert!(content == *output, "{format} {kind}");
            }
        }
    }
}

#[test]
fn a_tap_that_panics_fails_the_stream() {
    let plain = plain();
    let mut coded = Vec::new();
    let taps =
        Taps { input: None, output: Some(Box::new(|bytes| assert!(bytes.is_empty(), "a tap that panics"))) };
    let options = Encode::default();
    let output = Output::Writer(Box::new(&mut coded));
    let failed = Compress::new(&options).taps(taps).run(Input::Reader(Box::new(&plain[..])), output);
    assert!(matches!(failed, Err(Error::Internal(_))), "{failed:?}");
}
