//! What every format must do, one suite over all of them.
//!
//! There is no peer: each test runs over the table of formats, so a new one is tested as soon as it is in the table. A
//! rule for all formats is a new test here; use `small` for chunks so short that little data has many.

use std::io::{Read, Write};

use crate::common::{
    Dribble, chunk_len, compress, compress_with, decoded, decompress, decompress_from, flipped, places,
    plain, small,
};
use pzcomp::inspect::List;
use pzcomp::{Compress, Decode, Decompress, Encode, EncodeBuilder, Error, Format, Input, Output, Trailing};

/// The lengths at which cutting into chunks can go wrong.
fn lengths(chunk: usize) -> [usize; 8] {
    [0, 1, 2, chunk - 1, chunk, chunk + 1, 3 * chunk, 7 * chunk + chunk / 2]
}

#[test]
fn every_length_of_every_kind_of_data_comes_back() {
    for format in Format::all() {
        let options = small(format);
        for len in lengths(chunk_len(&options)) {
            for data in [plain::text(len), plain::random(len), vec![0; len]] {
                let coded = compress(&data, &options);
                assert!(decompress(&coded).unwrap() == data, "{format} {len}");
            }
        }
    }
}

#[test]
fn every_level_comes_back() {
    let data = plain::text(300_000);
    for format in Format::all() {
        let fast = format.fast_levels().map(|fast| -fast.start()).into_iter();
        // The slowest of zstd and lz4 want much memory and time for nothing new.
        for level in fast.chain(format.levels().filter(|level| *level <= 19)) {
            let options = encode!(small(format), level: level, block_size: 100_000, threads: 2);
            assert!(decompress(&compress(&data, &options)).unwrap() == data, "{format} {level}");
        }
    }
}

#[test]
fn output_depends_on_neither_threads_nor_the_pace_of_the_input() {
    for format in Format::all() {
        let options = small(format);
        let data = plain::text(9 * chunk_len(&options) + 5);
        let expected = compress(&data, &options);
        for threads in [1, 2, 3, 8] {
            let options = encode!(options.clone(), threads);
            assert!(compress(&data, &options) == expected, "{format} with {threads} threads");
        }
        for step in [1 << 10, 4097, 1 << 20] {
            let (coded, _) = compress_with(Dribble::new(&data, step), &options).unwrap();
            assert!(coded == expected, "{format} in steps of {step}");
        }
        let mut writer = pzcomp::Writer::new(Vec::new(), options.clone()).unwrap();
        data.chunks(12_345).for_each(|part| writer.write_all(part).unwrap());
        assert!(writer.finish().unwrap().0 == expected, "{format} by Writer");
    }
}

#[test]
fn a_ceiling_of_memory_changes_no_byte() {
    for format in Format::all() {
        let options = small(format);
        let data = plain::text(5 * chunk_len(&options));
        let tight = encode!(options.clone(), memory: 40 << 20, threads: 8);
        assert!(compress(&data, &tight) == compress(&data, &options), "{format}");
    }
}

#[test]
fn a_ceiling_that_is_too_low_names_the_figure_that_is_enough() {
    for format in Format::all() {
        let error = |memory| {
            let options = Encode::builder(format).memory(memory).build();
            options.and_then(|options| compress_with(&b"x"[..], &options)).err()
        };
        let Some(Error::Memory { needed, limit, .. }) = error(1 << 20) else {
            panic!("{format}: no refusal")
        };
        assert_eq!(limit.0, 1 << 20);
        assert!(error(needed.0).is_none(), "{format}: {needed} is not enough");
    }
}

#[test]
fn the_needs_of_a_compression_are_known_before_it_begins() {
    let long = [encode!(Encode::default(), window_log: 27)];
    let usual = Format::all().map(|format| encode!(Encode::builder(format)));
    for options in usual.chain(long) {
        let with = |memory| EncodeBuilder::from(options.clone()).threads(8).memory(memory).build();
        let ample = encode!(options.clone(), threads: 8).compression_needs().unwrap();
        assert_eq!(ample.workers, 8);
        assert!(ample.read_ahead.unwrap() > 8 * ample.frame_len && ample.memory > ample.read_ahead.unwrap());
        // Exactly as much as it says is enough.
        assert_eq!(with(ample.memory).unwrap().compression_needs().unwrap(), ample);
        let tight = with(ample.memory / 2).unwrap().compression_needs().unwrap();
        assert!(tight.workers < 8 && tight.memory <= ample.memory / 2, "{tight:?}");
        assert!(with(1 << 20).unwrap().compression_needs().is_err());
    }
    assert!(Encode::zstd(3).window_log(9).build().is_err());
}

#[test]
fn input_may_arrive_in_pieces_of_any_size() {
    for format in Format::all() {
        let options = small(format);
        let data = plain::text(5 * chunk_len(&options) + 77);
        let coded = compress(&data, &options);
        for step in [1, 7, 4096, 1 << 20] {
            if step == 1 && coded.len() > 300_000 {
                continue;
            }
            let back = decompress_from(Dribble::new(&coded, step), &Decode::default()).unwrap();
            assert!(back == data, "{format} in steps of {step}");
        }
        let mut back = Vec::new();
        let mut reader = pzcomp::Reader::new(&coded[..], Decode::default()).unwrap();
        reader.read_to_end(&mut back).unwrap();
        assert!(back == data, "{format} by Reader");
        assert_eq!(reader.summary().unwrap().plain_len, data.len() as u64);
    }
}

#[test]
fn streams_of_all_formats_one_after_another_are_one() {
    let (mut coded, mut data) = (Vec::new(), Vec::new());
    for round in 0..3 {
        for format in Format::all() {
            let part = plain::text(20_000 * (round + 1) + format.name().len());
            coded.extend(compress(&part, &encode!(small(format), block_size: 9_000)));
            data.extend(part);
        }
    }
    assert!(decompress(&coded).unwrap() == data);
}

/// Lines that come again, so that little of what is coded is data. Frames of 4096 bytes are not the same.
fn repeated(len: usize) -> Vec<u8> {
    plain::text(900).into_iter().cycle().take(len).collect()
}

#[test]
fn a_stream_cut_anywhere_fails_after_its_whole_frames() {
    for format in Format::all() {
        let options = encode!(small(format), block_size: 4096);
        let data = repeated(3 * 4096 + 1000);
        let coded = compress(&data, &options);
        for len in places(coded.len()) {
            let (back, result) = decoded(&coded[..len], &Decode::default());
            assert!(data.starts_with(&back), "{format} cut at {len}: wrong bytes");
            // Between frames a stream may end, whole in itself, unless the format says otherwise.
            match result {
                Ok(summary) => {
                    assert_ne!(format, Format::Xz, "cut at {len}: no end was seen");
                    assert_eq!(
                        summary.plain_len % 4096 % 1000,
                        0,
                        "{format} cut at {len}: ends inside a frame"
                    );
                }
                Err(Error::Truncated { offset, .. }) => {
                    assert_eq!(offset, len as u64, "{format} cut at {len}")
                }
                Err(Error::Empty) => assert_eq!(len, 0),
                Err(Error::NotCompressed { .. }) => assert!(len < 12, "{format} cut at {len}"),
                Err(Error::TrailingGarbage { offset, .. }) => {
                    assert!(len as u64 - offset < 12, "{format} cut at {len}")
                }
                Err(error) => panic!("{format} cut at {len}: {error}"),
            }
        }
    }
}

#[test]
fn a_flipped_bit_never_passes_for_the_data() {
    for format in Format::all() {
        let options = encode!(small(format), block_size: 4096);
        let data = repeated(2 * 4096 + 500);
        let coded = compress(&data, &options);
        // Every bit of the first frame's header, and of every field length in turn further on.
        for bit in (0..512).chain(places(coded.len() * 8).filter(|bit| *bit >= 512 && bit % 11 == 0)) {
            let damaged = flipped(&coded, bit / 8, 1 << (bit % 8));
            let mut back = Vec::new();
            match Decompress::new(&Decode::default()).run(Input::reader(&damaged[..]), &mut back) {
                // Some bits say nothing: the time in a header, a reserved field, an index that is not used.
                Ok(_) => assert!(back == data, "{format}, bit {bit} of byte {}: wrong bytes", bit / 8),
                Err(_) => {
                    assert!(data.starts_with(&back), "{format}, bit {bit} of byte {}: wrong bytes", bit / 8)
                }
            }
        }
    }
}

#[test]
fn data_before_a_damaged_frame_is_written_and_nothing_of_the_frame() {
    for format in Format::all() {
        let options = small(format);
        let chunk = chunk_len(&options);
        let data = plain::text(6 * chunk);
        let mut coded = compress(&data, &options);
        // Somewhere in the middle, which is in the third or fourth chunk.
        let middle = coded.len() / 2 + 100;
        coded[middle..middle + 3].copy_from_slice(&[0x55, 0xaa, 0x5a]);
        let (back, error) = decoded(&coded[..], &Decode::default());
        let error = error.unwrap_err();
        assert!(matches!(error, Error::Corrupt { .. }), "{format}: {error}");
        assert!(data.starts_with(&back), "{format}: wrong bytes");
        assert!(
            back.len() >= 2 * chunk && back.len() % chunk == 0,
            "{format}: {} of {}",
            back.len(),
            data.len()
        );
    }
}

#[test]
fn trailing_zeros_are_a_warning_and_garbage_is_an_error() {
    for format in Format::all() {
        let data = plain::text(10_000);
        let coded = compress(&data, &small(format));
        let with = |tail: &[u8]| {
            let (back, result) = decoded(&[&coded[..], tail].concat()[..], &Decode::default());
            assert!(back == data, "{format}");
            result
        };
        assert_eq!(with(&[]).unwrap().trailing, Trailing::default());
        // Zeros in fours are xz's own padding.
        let zeros = with(&[0; 4]).unwrap().trailing.zeros;
        assert_eq!(zeros, if format == Format::Xz { 0 } else { 4 }, "{format}");
        let error = with(b"garbage!").unwrap_err();
        assert!(
            matches!(error, Error::TrailingGarbage { offset, .. } if offset == coded.len() as u64),
            "{format}: {error}"
        );
    }
}

#[test]
fn what_is_not_compressed_is_refused_with_its_first_bytes() {
    let refuse = |bytes: &[u8]| decompress(bytes).unwrap_err();
    assert!(matches!(refuse(b""), Error::Empty));
    let error = refuse(b"INSERT INTO nodes VALUES");
    assert!(matches!(&error, Error::NotCompressed { found, .. } if found == "49 4e 53 45 52 54"), "{error}");
    assert!(matches!(refuse(&[0; 100]), Error::NotCompressed { .. }));
}

#[test]
fn a_level_or_block_size_that_a_format_lacks_is_refused() {
    for format in Format::all() {
        let with = || Encode::builder(format);
        assert!(matches!(with().level(99).build(), Err(Error::Level { level: 99, .. })), "{format}");
        assert!(matches!(with().block_size(1).build(), Err(Error::BlockSize { .. })), "{format}");
        assert!(with().build().is_ok(), "{format}");
    }
}

#[test]
fn memory_is_read_in_place_with_the_same_result() {
    let data = plain::text(300_000);
    for format in Format::all() {
        for options in [small(format), encode!(small(format), threads: 3)] {
            let (mut coded, mut plain) = (Vec::new(), Vec::new());
            let output = Output::Writer(Box::new(&mut coded));
            let summary = Compress::new(&options).run(Input::Memory(&data), output).unwrap();
            assert!(coded == compress(&data, &options), "{format}");
            assert_eq!(summary.plain_len, 300_000, "{format}");
            // Memory can be the output as well, of just the length that is needed.
            let mut memory = vec![0; coded.len()];
            let output = Output::Memory(&mut memory);
            Compress::new(&options).run(Input::Memory(&data), output).unwrap();
            assert!(memory == coded, "{format}");
            let short = Output::Memory(&mut memory[..coded.len() - 1]);
            let error = Compress::new(&options).run(Input::Memory(&data), short).unwrap_err();
            assert!(matches!(error, Error::Write { .. }), "{format}: {error}");
            // Twice over, so that frames are found behind the index too.
            coded.extend_from_within(..);
            let output = Output::Writer(Box::new(&mut plain));
            Decompress::new(&Decode::default()).run(Input::Memory(&coded), output).unwrap();
            assert!(plain == [&data[..], &data[..]].concat(), "{format}");
            let listing = List::default().decode(true).run(Input::Memory(&coded)).unwrap();
            assert_eq!(listing.plain_len, Some(600_000), "{format}");
        }
    }
    for input in [&b""[..], b"INSERT INTO"] {
        let result = Decompress::new(&Decode::default()).run(Input::Memory(input), Output::Nothing);
        assert!(result.is_err());
    }
}

#[test]
fn an_index_can_be_left_out() {
    for format in [Format::Zstd, Format::Gzip, Format::Lz4] {
        let data = plain::text(50_000);
        let with = compress(&data, &small(format));
        let without = compress(&data, &encode!(small(format), index: false));
        assert!(without.len() < with.len() && with.starts_with(&without), "{format}");
        assert!(decompress(&without).unwrap() == data, "{format}");
        let list = |coded: &[u8]| List::default().run(Input::reader(coded)).unwrap().is_indexed;
        assert!(list(&with) && !list(&without), "{format}");
    }
}

/// Pieces as long as the head's whole reserve, held for a checksum that nobody comes to compute, once
/// left it waiting for itself.
#[test]
fn frames_of_long_blocks_do_not_wait_for_each_other() {
    let input = [plain::text(24 << 20), vec![7; 24 << 20]].concat();
    for format in Format::all().filter(|&format| format == Format::Lz4 || format == Format::Zstd) {
        let coded = compress(&input, &encode!(Encode::builder(format), level: 1, block_size: 12 << 20));
        for threads in [1, 2, 2, 2, 3] {
            let back = decompress_from(&coded[..], &decode!(Decode::builder(), threads)).unwrap();
            assert!(back == input, "{format} on {threads}");
        }
    }
}

#[test]
fn a_skippable_frame_of_any_length_passes_through_a_pipe() {
    let data = plain::text(10_000);
    let coded = compress(&data, &small(Format::Zstd));
    let mut all = vec![0x50, 0x2a, 0x4d, 0x18];
    all.extend((48_u32 << 20).to_le_bytes());
    all.resize(all.len() + (48 << 20), 7);
    all.extend(&coded);
    for (input, expected) in [(all.clone(), 1), ([&coded[..], &all].concat(), 2)] {
        assert!(decompress(&input).unwrap() == data.repeat(expected));
        let reader = Input::Reader(Box::new(&input[..]));
        let summary = Decompress::new(&Decode::default()).run(reader, Output::Nothing).unwrap();
        assert_eq!(summary.plain_len, (expected * data.len()) as u64);
    }
}

/// Whoever feeds the pipe may wait for the answer: the rest of the input must not.
#[test]
fn a_fault_between_frames_is_told_before_the_input_ends() {
    let mut coded = compress(&plain::text(10_000), &small(Format::Xz));
    let footer = coded.len() - 20;
    coded[footer] ^= 1;
    for output in [Output::Nothing, Output::Writer(Box::new(std::io::sink()))] {
        let endless = (&coded[..]).chain(std::io::repeat(7));
        let result = Decompress::new(&Decode::default()).run(Input::Reader(Box::new(endless)), output);
        assert!(matches!(result, Err(Error::Corrupt { format: "xz", .. })), "{result:?}");
    }
}
